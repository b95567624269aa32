"""The examples of docs/tags.md run, one after the other, and show what they return."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

import guidance_kit as gk
from guidance_kit.grammars.tool_formats import TOOL_FORMATS

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "tags.md").read_text(encoding="utf-8")

BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


class Ticket(BaseModel):
    order: int


class Recorder:
    """Takes the place of a model, and notes what it was asked for."""

    def __init__(self) -> None:
        self.constraints: list[gk.Constraint] = []

    def generate(self, prompt: str, *, constraint: gk.Constraint, **options: object) -> None:
        assert prompt
        assert options
        self.constraints.append(constraint)


def test_the_examples_run():
    model = Recorder()
    here: dict = {"model": model, "Ticket": Ticket, "Tagged": gk.Tagged}
    shown = 0
    for block in BLOCKS:
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            source = ast.unparse(statement)
            if not isinstance(statement, ast.Expr) or not re.search(r"\.(parse|partial)\(", source):
                exec(source, here)
                continue
            last = lines[statement.end_lineno - 1]
            comment = last.partition("  # ")[2] or lines[statement.end_lineno].removeprefix("# ")
            assert eval(source, here) == eval(comment, here), source
            shown += 1
    assert (len(BLOCKS), shown) == (10, 11)
    assert [constraint.kind for constraint in model.constraints] == ["choice", "sequence"]
    assert here["orders"].compile(gk.Vocabulary.from_bytes())
    assert here["answer"].parse('<think>5</think>\n\n{"order": 3}')[-1] == Ticket(order=3)


@pytest.mark.parametrize("style", TOOL_FORMATS)
def test_every_style_is_described(style):
    assert f'| `"{style}"` |' in PAGE


def test_every_function_is_described():
    for name in (
        "sequence",
        "choice",
        "optional",
        "repeat",
        "region",
        "text",
        "special_token",
        "tags",
        "tool_calls",
        "tag",
    ):
        assert f"gk.{name}(" in PAGE
