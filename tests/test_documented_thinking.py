"""The commands of docs/thinking.md run, and its Python parses and names what there is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import guidance_kit as gk
from guidance_kit.thinking import AnswerOptions

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "thinking.md").read_text(encoding="utf-8")


def test_the_examples_name_what_there_is():
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    calls = [node for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Call)]
    assert len(blocks) == 3
    for call in calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("generate", "extract", "stream"):
            assert {one.arg for one in call.keywords} <= AnswerOptions.__annotations__.keys() | {
                "temperature",
                "logprobs",
            }
        if isinstance(call.func, ast.Attribute) and call.func.attr == "Think":
            assert {one.arg for one in call.keywords} <= {*gk.Think.__dataclass_fields__}
    stated = re.search(r"`gk\.Think\(([^)]*)\)`", PAGE)
    assert stated is not None
    assert {one.strip(" =") for one in stated[1].split(",")} == {*gk.Think.__dataclass_fields__} - {"is_sketch"}
