"""The example of docs/speculation.md runs, with the bundled models that it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "speculation.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_example_runs(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    here: dict = {}
    exec(block, here)
    text = here["text"]
    assert text.tokens == here["model"].generate("Dear ", draft="expert", ahead=4, max_tokens=40, seed=1).tokens
    assert text.speculation.tokens_per_call > 1
    assert str(text.speculation.tokens_per_call) in capsys.readouterr().out
