"""A file of records as Parquet.

The type of a column is that of its values: bool, int64, float64 (integers among them if they are exact), or string.
Where they are of several types, nested, or numbers beyond these, the column has their JSON texts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from guidance_kit.errors import OptionError
from guidance_kit.extraction.table_columns import Columns, Number, rows_of, spelled

__all__ = ["require_pyarrow", "write_parquet"]

Kind = Literal["bool", "exact", "int", "float", "str", "json"]

_ROWS = 10_000
"""In a row group, which is held in memory."""


def require_pyarrow() -> None:
    """See that Parquet can be read and written.

    Raises:
        OptionError: pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise OptionError(
            "files in .parquet need pyarrow: pip install 'guidance-kit[parquet]'; .csv and .jsonl need nothing"
        ) from None


def write_parquet(records: Path, target: Path, columns: Columns) -> None:
    """Write the rows of a file of records as Parquet."""
    import pyarrow  # pyright: ignore[reportMissingImports]
    from pyarrow import parquet  # pyright: ignore[reportMissingImports]

    kinds: list[Kind] = [_column_kind(found) for found in _kinds(rows_of(records, columns), len(columns.names))]
    types: dict[Kind, Any] = {"bool": pyarrow.bool_(), "int": pyarrow.int64(), "float": pyarrow.float64()}
    fields = zip(columns.names, kinds, strict=True)
    schema = pyarrow.schema([(name, types.get(kind, pyarrow.string())) for name, kind in fields])
    rows = rows_of(records, columns)
    with parquet.ParquetWriter(target, schema) as writer:
        while some := list(itertools.islice(rows, _ROWS)):
            values = zip(*some, strict=True)
            cells = [[_CELL[kind](value) for value in column] for kind, column in zip(kinds, values, strict=True)]
            arrays = [pyarrow.array(column, field.type) for column, field in zip(cells, schema, strict=True)]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _kinds(rows: Iterable[list[Any]], count: int) -> list[set[Kind]]:
    """The kinds of values in each column."""
    found: list[set[Kind]] = [set() for _ in range(count)]
    for row in rows:
        for kinds, value in zip(found, row, strict=True):
            if value is not None:
                kinds.add(_kind(value))
    return found


def _kind(value: Any) -> Kind:
    """The kind of one value; "exact" is an integer that a float64 has too."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, Number):
        if value.lstrip("-").isdigit():
            size = abs(int(value)) if len(value) < len(str(2**63)) + 2 else math.inf
            return "exact" if size <= 2**53 else "int" if size < 2**63 else "json"
        return "float" if math.isfinite(float(value)) else "json"
    return "str" if isinstance(value, str) else "json"


def _column_kind(found: set[Kind]) -> Kind:
    """The kind of a column with values of these kinds."""
    if not found or found == {"str"}:
        return "str"
    if found == {"bool"}:
        return "bool"
    if "float" in found:
        return "float" if not found - {"exact", "float"} else "json"
    return "int" if not found - {"exact", "int"} else "json"


def _unless_null(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)


_CELL: dict[Kind, Callable[[Any], Any]] = {
    "bool": lambda value: value,
    "int": _unless_null(int),
    "float": _unless_null(float),
    "str": _unless_null(lambda value: value.encode("utf-8", "backslashreplace").decode()),
    "json": _unless_null(lambda value: spelled(value).encode("utf-8", "backslashreplace").decode()),
}
