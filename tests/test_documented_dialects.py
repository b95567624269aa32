"""The tables of other engines' dialects: they are as the code has them, and each example is read or refused as told."""

from __future__ import annotations

import pytest

import guidance_kit as gk
from tools.document_dialects import DOCS, TABLES, Construct, with_tables

CONSTRUCTS = [(dialect, construct) for dialect, (_, _, constructs) in TABLES.items() for construct in constructs]


@pytest.mark.parametrize("name", sorted({file for file, _, _ in TABLES.values()}))
def test_pages_are_current(name):
    page = (DOCS / name).read_text(encoding="utf-8")
    assert with_tables(page, name) == page, "run python tools/document_dialects.py"


@pytest.mark.parametrize(("dialect", "construct"), CONSTRUCTS, ids=lambda value: getattr(value, "written", value))
def test_examples(dialect, construct):
    if construct.meaning:
        assert construct.read(dialect).sample(1, seed=0)
        return
    with pytest.raises(gk.UnsupportedFeature) as caught:
        construct.read(dialect)
    assert caught.value.hint, "say what to write instead"


def test_what_is_read_has_a_meaning():
    with pytest.raises(RuntimeError, match="say what it means"):
        Construct("`x{2}`", 'start: "a"{2}').row("llguidance")
