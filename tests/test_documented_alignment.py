"""The examples of docs/aligned_sampling.md run, one after the other, and print what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_models import small_llama

import guidance_kit as gk

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "aligned_sampling.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_examples_run(monkeypatch, capsys):
    monkeypatch.setattr(gk, "load", lambda: gk.Model(small_llama()))
    here: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 3
    exec(blocks[0], here)
    assert re.fullmatch("[0-9]{1,2} (May|June)", here["completion"].text)
    assert re.fullmatch(r"([01]\.\d{3} [0-9]{1,2} (May|June)\n)+", capsys.readouterr().out)
    exec(blocks[1], here)
    assert capsys.readouterr().out == re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)[1]
    exec(blocks[2], here)
    assert re.fullmatch(r"(at most \S+, \d+ prefixes in the trie\n){3}", capsys.readouterr().out)
