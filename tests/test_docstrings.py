"""First words of docstrings: a noun or a verb of the field, not a relative clause."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sources import statements

ROOT = Path(__file__).resolve().parent.parent

CLAUSE = re.compile(r"(What|Which|How|Where|Whether|When|Who|Whose|That|Those|Why)\b")


def docstrings(source: str) -> Iterator[tuple[int, str, str]]:
    """Docstrings of a module, its classes, functions and documented assignments: line, owner and text."""
    for node in statements(source):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = "the module" if isinstance(node, ast.Module) else node.name
        if ast.get_docstring(node):
            yield node.body[0].lineno, name, ast.get_docstring(node) or ""
        for before, statement in zip(node.body, node.body[1:], strict=False):
            if isinstance(before, ast.Assign | ast.AnnAssign) and isinstance(statement, ast.Expr):
                value = statement.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield statement.lineno, "an assignment", value.value


def offenders(package: str) -> list[str]:
    """Docstrings of one folder that begin with a relative clause, with their places."""
    return [
        f"{path.relative_to(ROOT)}:{line}: {name}: {text.splitlines()[0]}"
        for path in sorted((ROOT / package).glob("*.py"))
        for line, name, text in docstrings(path.read_text(encoding="utf-8"))
        if CLAUSE.match(text)
    ]


PACKAGES = sorted({path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "guidance_kit").rglob("*.py")})


@pytest.mark.parametrize("package", PACKAGES)
def test_no_docstring_begins_with_a_relative_clause(package):
    found = offenders(package)
    assert not found, "begin with a noun or a verb of the field:\n" + "\n".join(found)


SOURCE = '''
"""What a module has."""
LIMIT = 3
"""How much there may be."""
"""Whether this belongs to an assignment: no."""

class Reader:
    """Reader of what comes."""
    kind: int = 0
    """Which kind it is."""

    def read(self):
        """Where it is read."""
        return """What is no docstring."""

    async def close(self):
        """Whatever there is to close."""
'''


def test_all_kinds_of_docstrings_are_found():
    found = Counter((name, bool(CLAUSE.match(text))) for _, name, text in docstrings(SOURCE))
    assert found == {
        ("the module", True): 1,
        ("an assignment", True): 2,
        ("Reader", False): 1,
        ("read", True): 1,
        ("close", False): 1,
    }
