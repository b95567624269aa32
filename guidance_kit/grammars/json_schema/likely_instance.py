"""A likely instance of a JSON Schema: a guess from its plain keywords, to compute masks ahead of a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["likely_instance"]

_DEEPEST = 8
"""Nesting below which objects and arrays stay empty."""

_MOST = 1_000
"""Number of values after which objects and arrays stay empty."""

_MOST_ITEMS = 4
"""Items of an array that needs several; one that needs more stays empty."""

_LONGEST_FILLED = 64
"""Characters up to which a text is filled to its minimal length."""

_OF_FORMAT = {
    "date": "2024-01-01",
    "date-time": "2024-01-01T00:00:00Z",
    "duration": "P1D",
    "email": "a@b.co",
    "hostname": "b.co",
    "ipv4": "10.0.0.1",
    "ipv6": "::1",
    "time": "00:00:00Z",
    "uri": "https://b.co",
    "uuid": "00000000-0000-4000-8000-000000000000",
}

_OF_TYPE: dict[str, Any] = {"boolean": True, "null": None}


def likely_instance(document: Any) -> Any:
    """A value with all declared properties, one item an array, and the first of alternatives.

    Args:
        document: a JSON Schema, parsed.
    Returns:
        A JSON value. The schema may not allow it: conditions, patterns and combinations are not looked at.
    """
    return _Guess(document).value(document, 0)


class _Guess:
    """Guess of an instance, bounded in its size.

    Args:
        document: the schema that references are about.
    """

    def __init__(self, document: Any) -> None:
        self.document = document
        self.left = _MOST

    def value(self, schema: Any, depth: int) -> Any:
        """Likely value of a subschema.

        Args:
            depth: number of values, alternatives and references around it.
        """
        self.left -= 1
        if not isinstance(schema, Mapping):
            return "a"
        schema = cast("Mapping[str, Any]", schema)
        if "const" in schema:
            return schema["const"]
        if _is_filled_list(schema.get("enum")):
            return schema["enum"][0]
        is_deep = depth >= _DEEPEST or self.left <= 0
        if isinstance(schema.get("$ref"), str) and not is_deep:
            return self.value(_target(schema["$ref"], self.document), depth + 1)
        for keyword in ("anyOf", "oneOf", "allOf"):
            if _is_filled_list(schema.get(keyword)) and "properties" not in schema and not is_deep:
                return self.value(schema[keyword][0], depth + 1)
        kind = _type(schema)
        if kind == "object":
            properties = schema.get("properties")
            named = properties.items() if isinstance(properties, Mapping) and not is_deep else ()
            return {name: self.value(of, depth + 1) for name, of in named}
        if kind == "array":
            return [] if is_deep else self._items(schema, depth)
        if kind in ("integer", "number"):
            return _number(schema)
        return _OF_TYPE.get(kind, _string(schema))

    def _items(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        if isinstance(first := schema.get("prefixItems"), list):
            return [self.value(one, depth + 1) for one in first]
        count = max(1, _count(schema, "minItems", 0))
        if _count(schema, "maxItems", 1) < 1 or count > _MOST_ITEMS:
            return []
        return [self.value(schema.get("items"), depth + 1)] * count


def _is_filled_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _type(schema: Mapping[str, Any]) -> str:
    """First declared type, or the one that other keywords are about."""
    declared = schema.get("type")
    if isinstance(declared, list) and declared:
        declared = declared[0]
    if isinstance(declared, str):
        return declared
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else "string"


def _target(reference: str, document: Any) -> Any:
    """Subschema that a JSON pointer in the document names; None for any other reference."""
    place = document
    if not reference.startswith("#"):
        return None
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(place, Mapping) or key not in place:
            return None
        place = place[key]
    return place


def _count(schema: Mapping[str, Any], keyword: str, default: int) -> int:
    value = schema.get(keyword, default)
    return value if isinstance(value, int) else default


def _number(schema: Mapping[str, Any]) -> int | float:
    """A number of one or two digits, within the bounds where they are integers."""
    for keyword, step in (("minimum", 0), ("exclusiveMinimum", 1), ("maximum", 0), ("exclusiveMaximum", -1)):
        value = schema.get(keyword)
        if isinstance(value, int) and not isinstance(value, bool):
            return value + step
    return 12


def _string(schema: Mapping[str, Any]) -> str:
    form = schema.get("format")
    text = _OF_FORMAT.get(form, "a text") if isinstance(form, str) else "a text"
    text = text.ljust(min(_count(schema, "minLength", 0), _LONGEST_FILLED), "a")
    return text[: max(_count(schema, "maxLength", len(text)), 0)]
