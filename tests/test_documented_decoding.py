"""The examples of docs/decoding.md run, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_models import small_llama

import guidance_kit as gk

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "decoding.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_examples_run(monkeypatch, capsys):
    monkeypatch.setattr(gk, "load", lambda: gk.Model(small_llama()))
    here: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 5
    exec(blocks[0], here)
    assert re.fullmatch(r"([0-9]{1,2} (May|June) -\d+\.\d+ (True|False)\n){3}", capsys.readouterr().out)
    exec(blocks[1], here)
    assert re.fullmatch(r"(\w+ \w+ True\n){3}", capsys.readouterr().out)
    exec(blocks[2], here)
    exec(blocks[3], here)
    assert re.fullmatch(r"[0-9]{1,2} (May|June)\n", capsys.readouterr().out)
    exec(blocks[4], here)
    assert here["score"].guided_log_probability > here["score"].log_probability
