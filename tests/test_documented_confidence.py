"""The example of docs/confidence.md runs, and the page names the settings that there are."""

from __future__ import annotations

import re
from pathlib import Path

import guidance_kit as gk

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "confidence.md").read_text(encoding="utf-8")


def test_the_example_runs(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(block, "confidence.md", "exec", dont_inherit=True), {"__name__": "documented"})
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_all_settings_are_named():
    stated = re.search(r"`gk\.Confidence\(([^)]*)\)`", PAGE)
    assert stated is not None
    assert [one.strip(" =\n") for one in stated[1].split(",")] == [*gk.Confidence.__dataclass_fields__]
    assert f"at most {gk.Confidence().max_values} values" in PAGE
