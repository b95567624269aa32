"""The examples of docs/watermarks.md run."""

from __future__ import annotations

import re
import secrets
from pathlib import Path

import pytest

import guidance_kit as gk

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "watermarks.md").read_text(encoding="utf-8")


BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.slow
def test_the_examples_of_watermarks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # one key, so that the test does the same each time
    monkeypatch.setattr(secrets, "token_bytes", lambda size: bytes(range(size)))
    here: dict = {}
    for block in BLOCKS[:2]:
        exec(block, here)
    assert sum(here["completion"].marks) <= len(here["completion"].tokens)
    assert gk.Watermark.load("key.json") == here["watermark"]


@pytest.mark.slow
def test_the_example_of_settings_runs():
    (block,) = BLOCKS[2:]
    here: dict = {"gk": gk, "model": gk.load("base-large")}
    exec(block, here)
    assert here["inferred"].tokens == 120
