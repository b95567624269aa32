"""Statements of Python sources, for the tests of the package's own text. Tests only."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def statements(source: str) -> Iterator[ast.AST]:
    """Module of a source, and all statements in it; expressions, which are most of its nodes, are left out."""
    todo: list[ast.AST] = [ast.parse(source)]
    while todo:
        node = todo.pop()
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, field, [])
