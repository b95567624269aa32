"""Records judged: whether they are valid, and how much of them is right, field by field, by exact match."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema

__all__ = ["Score", "is_same", "is_valid", "leaves", "score"]


@dataclass(frozen=True, slots=True)
class Score:
    """Right and asked-for fields of one record or of many.

    Args:
        right: number of fields with exactly the right value; a field that is rightly absent counts.
        fields: number of fields, counting those that either record has.
        records: number of records that are right altogether.
        valid: number of texts that are JSON objects at all.
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
        """Share of the fields that are right, in [0, 1]."""
        return self.right / max(self.fields, 1)

    @property
    def record_accuracy(self) -> float:
        """Share of the records that are right altogether, in [0, 1]."""
        return self.records / max(self.texts, 1)

    @property
    def valid_rate(self) -> float:
        """Share of the texts that are JSON objects, in [0, 1]."""
        return self.valid / max(self.texts, 1)


def leaves(record: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of a record that hold no object: path and value. A list is one field for each member and part."""
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
    """Compare what a model wrote with the right record; text that is no JSON object has every field wrong."""
    expected = dict(leaves(truth))
    try:
        record = json.loads(text)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        return Score(fields=len(expected), texts=1)
    given = dict(leaves(record))
    asked = expected.keys() | given.keys()
    right = sum(1 for path in asked if path in expected and path in given and is_same(expected[path], given[path]))
    return Score(right=right, fields=len(asked), records=int(right == len(asked)), valid=1, texts=1)


def is_valid(text: str, schema: dict[str, Any]) -> bool:
    """Whether a text is JSON that is valid under a schema, formats included."""
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    try:
        jsonschema.validate(json.loads(text), schema, format_checker=checker)
    except (ValueError, jsonschema.ValidationError):
        return False
    return True


def is_same(a: Any, b: Any) -> bool:
    """Equality of JSON values: 1 and 1.0 are the same number, true and 1 are not."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)
