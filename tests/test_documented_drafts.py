"""The examples of docs/drafts.md run."""

from __future__ import annotations

import re
from pathlib import Path

from small_models import random_model

import guidance_kit as gk

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "drafts.md").read_text(encoding="utf-8")


def test_the_examples_run(monkeypatch, tmp_path):
    monkeypatch.setattr(gk, "load", lambda *_: gk.Model(random_model("Llama")))
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    here: dict = {"folder": tmp_path}
    for block in blocks:
        exec(block, here)
