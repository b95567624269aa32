"""Metrics of records: validity, and accuracy by exact match of their fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema

__all__ = ["Score", "is_same", "is_valid", "leaves", "score"]


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of right fields and records, over one text or many.

    Args:
        right: number of fields with exactly the right value.
        fields: number of fields in the union of the reference and the extracted record.
        records: number of records with all fields right.
        valid: number of texts that are JSON objects.
        texts: number of texts.
    """

    right: int = 0
    fields: int = 0
    records: int = 0
    valid: int = 0
    texts: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @property
    def field_accuracy(self) -> float:
        """Share of right fields, in [0, 1]."""
        return self.right / max(self.fields, 1)

    @property
    def record_accuracy(self) -> float:
        """Share of records with all fields right, in [0, 1]."""
        return self.records / max(self.texts, 1)

    @property
    def valid_rate(self) -> float:
        """Share of texts that are JSON objects, in [0, 1]."""
        return self.valid / max(self.texts, 1)


def leaves(record: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Leaf fields of a record as pairs of path and value. A list gives its length and the leaves of its members."""
    if isinstance(record, dict):
        for name, value in record.items():
            yield from leaves(value, f"{path}/{name}")
    elif isinstance(record, list):
        yield f"{path}/#", len(record)
        for index, value in enumerate(record):
            yield from leaves(value, f"{path}/{index}")
    else:
        yield path, record


def score(text: str, truth: dict[str, Any]) -> Score:
    """Score a text against the reference record; a text that is no JSON object has every field wrong."""
    expected = dict(leaves(truth))
    try:
        record = json.loads(text)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        return Score(fields=len(expected), texts=1)
    given = dict(leaves(record))
    paths = expected.keys() | given.keys()
    right = sum(1 for path in paths if path in expected and path in given and is_same(expected[path], given[path]))
    return Score(right=right, fields=len(paths), records=int(right == len(paths)), valid=1, texts=1)


def is_valid(text: str, schema: dict[str, Any]) -> bool:
    """Test for a text that is JSON and valid under a schema, formats included."""
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    try:
        jsonschema.validate(json.loads(text), schema, format_checker=checker)
    except (ValueError, jsonschema.ValidationError):
        return False
    return True


def is_same(a: Any, b: Any) -> bool:
    """Equality of JSON values: 1 and 1.0 are the same number, true and 1 are not."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)
