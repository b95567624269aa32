"""The example of docs/samplers.md runs, and its tables name every option."""

from __future__ import annotations

import re
from pathlib import Path

from small_models import small_llama

import guidance_kit as gk
from guidance_kit.decoding.sampling import TRUNCATIONS

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "samplers.md").read_text(encoding="utf-8")


def test_the_example_runs(monkeypatch, capsys):
    monkeypatch.setattr(gk, "load", lambda: gk.Model(small_llama()))
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    here: dict = {}
    exec(block, here)
    assert "e" not in here["completion"].text
    assert re.fullmatch("a[a-f]{0,2}\n", capsys.readouterr().out)


def test_the_table_has_every_truncation_in_its_order():
    places = [PAGE.index(f"| `{name}=") for name in TRUNCATIONS]
    assert places == sorted(places)
