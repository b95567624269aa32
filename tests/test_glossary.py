"""The glossary: one table, one row a term, sorted."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "glossary.md"


def test_terms_are_sorted_and_said_once_in_one_line():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    header, rule, *rows = lines
    assert (header, rule) == ("| term | meaning | source |", "|---|---|---|")
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert all(len(row) == 3 and all(row) for row in cells)
    terms = [row[0] for row in cells]
    assert terms == sorted(terms, key=str.lower)
    assert len({term.lower() for term in terms}) == len(terms) > 50
