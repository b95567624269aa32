"""Table of the schemas of a document, in which each is found by an equal one."""

from __future__ import annotations

import marshal
from collections.abc import Hashable
from typing import Any

__all__ = ["InternedSchemas"]

_MOST_COMPARED = 16
"""Schemas with the same outline that a schema is compared with."""


class InternedSchemas:
    """Schemas that are objects, each distinct one once.

    Generated schemas repeat large parts many times. Equal ones are found before their parts are looked at, as dicts
    are compared in native code: that takes less time than one look at each part.

    Attributes:
        has_equal: whether some schema was found by another one.
    """

    def __init__(self) -> None:
        self.has_equal = False
        self._by_outline: dict[Hashable, list[dict[str, Any]]] = {}

    def first(self, schema: dict[str, Any]) -> dict[str, Any]:
        """An earlier schema with the same keywords and values, written in the same order; itself if there is none."""
        try:
            known = self._by_outline.setdefault(_outline(schema), [])
            for other in known:
                # dicts compare 1, 1.0 and true as equal, and those of another order: these differ when written out
                if other is schema or (other == schema and _written(other) == _written(schema)):
                    self.has_equal = self.has_equal or other is not schema
                    return other
        except (RecursionError, TypeError):  # nested too deep, or no value of JSON in it
            return schema
        if len(known) < _MOST_COMPARED:
            known.append(schema)
        return schema


def _outline(schema: dict[str, Any]) -> Hashable:
    """Keywords of a schema, each with its value, or with the size and the first part of that."""
    return tuple([(keyword, _hint(value)) for keyword, value in schema.items()])


def _hint(value: Any) -> Hashable:
    if isinstance(value, dict):
        return len(value), next(iter(value), None)
    if isinstance(value, list):
        return (len(value), None if isinstance(value[0], list | dict) else value[0]) if value else None
    return value


def _written(schema: dict[str, Any]) -> object:
    """Form of a schema that differs where types or orders do."""
    try:
        return marshal.dumps(schema, 0)  # in the first version of the format equal values are written alike
    except ValueError:  # there are others than Python's own, such as Decimal
        return repr(schema)
