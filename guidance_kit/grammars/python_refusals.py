"""Refusals in JSON Schemas of Python types: parts without an exact schema, and their fields."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["Refusal", "first_refusal", "is_refused", "is_unreadable", "refused", "unreadable"]

_KEYWORD = "x-refused"
_UNREADABLE = "no JSON text stands for it"
_LISTS = ("anyOf", "oneOf", "allOf")


class Refusal(NamedTuple):
    """A refused part: its name, its field, and an alternative."""

    part: str
    where: str
    hint: str


def refused(part: str, *, hint: str) -> dict[str, Any]:
    """Schema in place of a refused part of a type."""
    return {_KEYWORD: [part, hint]}


def unreadable(part: str) -> dict[str, Any]:
    """Schema in place of a part without JSON texts."""
    return refused(part, hint=_UNREADABLE)


def is_refused(schema: dict[str, Any]) -> bool:
    """Test whether a schema is a refusal."""
    return _KEYWORD in schema


def is_unreadable(schema: dict[str, Any]) -> bool:
    """Test whether a schema is a refusal for lack of JSON texts."""
    return schema.get(_KEYWORD, ["", ""])[1] == _UNREADABLE


def first_refusal(schema: dict[str, Any], name: str) -> Refusal | None:
    """The refusal in a schema that lies nearest to its root.

    Args:
        schema: with its definitions under `$defs`.
        name: of the type.
    """
    seen: set[str] = set()
    todo: deque[tuple[Any, str]] = deque([(schema, name)])
    while todo:
        part, place = todo.popleft()
        if not isinstance(part, dict):
            continue
        if is_refused(part):
            return Refusal(part[_KEYWORD][0], place, part[_KEYWORD][1])
        reference = part.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            seen.add(reference)
            todo.append((schema.get("$defs", {}).get(reference.removeprefix("#/$defs/")), place))
        todo.extend(_parts(part, place))
    return None


def _parts(schema: dict[str, Any], place: str) -> Iterator[tuple[Any, str]]:
    """Schemas within a schema, each with its field."""
    for keyword in _LISTS:
        for part in schema.get(keyword, ()):
            yield part, place
    for name, part in schema.get("properties", {}).items():
        yield part, f"{place}.{name}"
    for number, part in enumerate(schema.get("prefixItems", ())):
        yield part, f"{place}[{number}]"
    for keyword in ("items", "additionalProperties"):
        yield schema.get(keyword), f"{place}[*]"
    for part in schema.get("patternProperties", {}).values():
        yield part, f"{place}[*]"
    yield schema.get("propertyNames"), f"the keys of {place}"
