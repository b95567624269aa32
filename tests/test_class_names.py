"""No two classes of the package have one name: a reader who meets it need not ask which one is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from sources import statements

import guidance_kit as gk

PACKAGE = Path(gk.__file__).parent
COLUMNS = PACKAGE / "fsm" / "kernels" / "columns.py"
"""Its private classes only name the columns of arrays, for the constants below them."""


def test_each_class_has_a_name_of_its_own():
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in statements(path.read_text(encoding="utf-8")):
            if isinstance(node, ast.ClassDef) and not (path == COLUMNS and node.name.startswith("_")):
                places[node.name].append(path.relative_to(PACKAGE).as_posix())
    assert len(places) > 300
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
