"""A file of records as CSV."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from guidance_kit.extraction.table_columns import Columns, rows_of, spelled

__all__ = ["write_csv"]


def write_csv(records: Path, target: Path, columns: Columns, *, delimiter: str) -> None:
    """Write the rows of a file of records as CSV, in UTF-8, with `\\n` between records (RFC 4180 otherwise)."""
    with open(target, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns.names)
        for row in rows_of(records, columns):
            writer.writerow([_cell(value) for value in row])


def _cell(value: Any) -> str:
    """A value in a cell: a string as it is, anything else as JSON, null as nothing."""
    if value is None:
        return ""
    return str(value) if isinstance(value, str) else spelled(value)
