"""The lines of a file of records as the rows of a table.

Each line is a row: `source`, `digest`, the fields of `record`, what else the line has, and `error` ("type: message").
A field that has the name of another column is `record.NAME`. What is nested is JSON in its cell, numbers stay as they
are spelled, and null is an empty cell, as is a field that a record does not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Columns", "Number", "columns_in", "rows_of", "spelled"]

_FIRST = ("source", "digest")
_LAST = ("error",)


class Number(str):
    """A number of JSON as it is spelled."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns that a table has in any case; those of further fields come behind `fields`.

    Args:
        fields: of the records.
        others: of the lines, besides `source`, `digest`, `record` and `error`.
    """

    fields: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Names of the columns, all different."""
        own = [*_FIRST, *self.others, *_LAST]
        found: list[str] = []
        for field in self.fields:
            name = field
            while name in own or name in found:
                name = f"record.{name}"
            found.append(name)
        return [*_FIRST, *found, *self.others, *_LAST]


def columns_in(file: Path, declared: Columns) -> Columns:
    """The columns of a file of records: those declared, and one for each other field of a record.

    A record that is no object is the field `record`.
    """
    fields = dict.fromkeys(declared.fields)
    for line in _lines(file):
        fields.update(dict.fromkeys(_record(line)))
    return Columns(fields=tuple(fields), others=declared.others)


def rows_of(file: Path, columns: Columns) -> Iterator[list[Any]]:
    """The rows of a file of records: values of JSON, numbers as `Number`, None where there is none."""
    for line in _lines(file):
        record = _record(line)
        error = line.get("error")
        yield [
            *(line.get(name) for name in _FIRST),
            *(record.get(name) for name in columns.fields),
            *(line.get(name) for name in columns.others),
            None if error is None else f"{error['type']}: {error['message']}",
        ]


def spelled(value: Any) -> str:
    """The JSON text of a value of a row."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{spelled(key)}: {spelled(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(spelled, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line, parse_int=Number, parse_float=Number)


def _record(line: dict[str, Any]) -> dict[str, Any]:
    """The fields of the record of a line."""
    if "record" not in line:
        return {}
    record = line["record"]
    return record if isinstance(record, dict) else {"record": record}
