"""The examples of the pages about constraints run, and show what they return."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from small_models import small_llama

import guidance_kit as gk
from examples.ticket import Ticket
from guidance_kit.models.loading import BUNDLED, bundled_models

DOCS = Path(__file__).resolve().parent.parent / "docs"


def run(page: str, here: dict[str, Any]) -> int:
    """Run the blocks of a page, one after the other.

    Returns:
        Number of expressions that a comment shows the value of, all of them equal to it.
    """
    shown = 0
    for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            source = ast.unparse(statement)
            comment = lines[(statement.end_lineno or 0) - 1].partition("  # ")[2]
            if isinstance(statement, ast.Expr) and (comment.startswith(("{", '"', "'")) or comment == "True"):
                assert eval(source, here) == eval(comment, here), source
                shown += 1
            else:
                exec(compile(source, page, "exec", dont_inherit=True), here)
    return shown


def test_grammars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("calculator.lark").write_text('sum: "1" ("+" "1")*', encoding="utf-8")
    Path("chess.gbnf").write_text('root ::= "e4" | "d4"', encoding="utf-8")
    here: dict[str, Any] = {"model": gk.Model(small_llama())}
    assert run("grammars.md", here) == 5
    assert here["sums"].parse("2+3")
    assert here["names"].parse("a_b, c_")


@pytest.mark.skipif(BUNDLED not in bundled_models(), reason="there is no bundled model")
def test_json_schema() -> None:
    shown: list[Any] = []
    schema = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}, "required": ["name"]}
    schema["additionalProperties"] = False
    here = {"model": gk.load(), "Ticket": Ticket, "text": "Order 48213 is late. Ann Lee", "schema": schema}
    assert run("json_schema.md", here | {"show": shown.append}) == 1
    assert shown
    assert set(shown[-1]) == {"name"}


def test_schema_comparison() -> None:
    assert run("schema_comparison.md", {}) == 6


def test_lowering() -> None:
    assert run("lowering.md", {}) == 4


def test_python_types() -> None:
    page = (DOCS / "python_types.md").read_text(encoding="utf-8")
    with pytest.raises(gk.UnsupportedFeature) as raised:
        run("python_types.md", {})
    block = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    comment = " ".join(line[2:] for line in block.splitlines() if line.startswith("# "))
    assert comment == f"UnsupportedFeature: {raised.value}"
