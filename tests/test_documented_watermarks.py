"""The examples of docs/watermarks.md run."""

from __future__ import annotations

import re
from pathlib import Path

import guidance_kit as gk

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "watermarks.md").read_text(encoding="utf-8")


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here: dict = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, here)
    assert sum(here["completion"].marks) <= len(here["completion"].tokens)
    assert gk.Watermark.load("key.json") == here["watermark"]
