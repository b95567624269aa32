"""A JSON Schema in English: a phrase for each schema, and a row for each field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import unquote

__all__ = ["FieldRow", "SchemaWords"]

_MOST_LISTED = 12
"""Values of an enumeration that are listed."""

_MOST_ROWS = 200
"""Fields that are listed."""

_TYPES = {
    "string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
    "null": "null", "array": "a list", "object": "an object",
}  # fmt: skip

_KEYWORDS: dict[str, frozenset[str]] = {
    "string": frozenset(("minLength", "maxLength", "pattern", "format")),
    "number": frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
    "array": frozenset((
        "items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
        "maxContains",
    )),
    "object": frozenset((
        "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
        "maxProperties", "dependentRequired",
    )),
}  # fmt: skip

_JOINED = {"anyOf": ("", ", or "), "oneOf": ("exactly one of: ", "; or "), "allOf": ("", " and ")}
"""Words before and between the branches of a keyword."""

_SAID = frozenset((
    "type", "enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "title", "description",
    "default", "examples", "$defs", "definitions", "$schema", "$id", "id", "$comment", "deprecated", "readOnly",
    "writeOnly", *(keyword for keywords in _KEYWORDS.values() for keyword in keywords),
))  # fmt: skip
"""Keywords that phrases and rows speak of, or that say nothing about instances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """Field of an object in words.

    Args:
        depth: number of objects and lists around it.
        name: its name; "item" for the items of a list, "alternative 1" and so on for alternatives.
        presence: "required", "optional", "each" for the items of a list, "one of these" for alternatives.
        phrase: the values that may be written.
        description: text of the schema's author.
    """

    depth: int
    name: str
    presence: Literal["required", "optional", "each", "one of these"]
    phrase: str
    description: str = ""


class SchemaWords:
    """Phrases and fields of one schema.

    Args:
        whole: the schema.
    """

    def __init__(self, whole: Any) -> None:
        self._whole = whole

    def phrase(self, schema: Any, *, above: tuple[str, ...] = ()) -> str:
        """Values of a schema as a noun phrase; those of a nested object are in its rows.

        Args:
            above: references that are being read.

        >>> SchemaWords({}).phrase({"type": "integer", "minimum": 1, "maximum": 5})
        'a whole number from 1 to 5'
        >>> SchemaWords({}).phrase({"type": ["string", "null"], "maxLength": 3})
        'a text of at most 3 characters, or null'
        """
        if schema is True or schema == {}:
            return "any value"
        if schema is False:
            return "nothing: no value is allowed"
        if not isinstance(schema, Mapping):
            return "any value"
        parts = list(self._parts(cast("Mapping[str, Any]", schema), above))
        return "; and ".join(parts) if parts else "any value"

    def rows(self, schema: Any = None) -> list[FieldRow]:
        """Fields of the schema and of what is nested in it, in the order of the schema."""
        found = self._rows(self._whole if schema is None else schema, 0, ())
        return [row for row, _ in zip(found, range(_MOST_ROWS), strict=False)]

    def resolved(self, schema: Any) -> tuple[Any, tuple[str, ...]]:
        """Schema behind a chain of references within the document, and these references."""
        passed: list[str] = []
        while isinstance(schema, Mapping) and "$ref" in schema and schema["$ref"] not in passed:
            reference = str(cast("Mapping[str, Any]", schema)["$ref"])
            target = self._target(reference)
            if target is None:
                break
            passed.append(reference)
            schema = target
        return schema, tuple(passed)

    def _target(self, reference: str) -> Any:
        if not reference.startswith("#"):
            return None
        place = self._whole
        for step in reference[1:].split("/")[1:]:
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(place, list) and name.isdigit() and int(name) < len(cast("list[Any]", place)):
                place = cast("list[Any]", place)[int(name)]
            elif isinstance(place, Mapping) and name in place:
                place = cast("Mapping[str, Any]", place)[name]
            else:
                return None
        return place

    def _parts(self, schema: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[str]:
        """Conditions that hold together."""
        if "$ref" in schema:
            yield self._reference(str(schema["$ref"]), above)
        if "const" in schema:
            yield f"exactly {_shown(schema['const'])}"
        elif "enum" in schema:
            yield _one_of(schema["enum"])
        elif (by_type := self._by_type(schema)) is not None:
            yield by_type
        for keyword, (before, between) in _JOINED.items():
            if keyword in schema:
                said = (self.phrase(one, above=above) for one in schema[keyword])
                is_joint = keyword == "allOf"
                yield before + between.join(f"({one})" if is_joint and ", or " in one else one for one in said)
        if "not" in schema:
            yield f"anything but {self.phrase(schema['not'], above=above)}"
        if "if" in schema:
            yield "".join(self._conditional(schema, above))
        for keyword in schema:
            if keyword not in _SAID:
                yield f"with {keyword} {_shown(schema[keyword])}"

    def _conditional(self, schema: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[str]:
        yield f"if it is {self._condition(schema['if'], above)}"
        if "then" in schema:
            yield f", then {self._condition(schema['then'], above)}"
        if "else" in schema:
            yield f", else {self._condition(schema['else'], above)}"

    def _condition(self, schema: Any, above: tuple[str, ...]) -> str:
        """Phrase of a schema whose fields have no rows."""
        if not isinstance(schema, Mapping):
            return self.phrase(schema, above=above)
        given = cast("Mapping[str, Any]", schema)
        fields = [f"{name} being {self.phrase(one, above=above)}" for name, one in given.get("properties", {}).items()]
        fields += [f"a field {name}" for name in given.get("required", []) if name not in given.get("properties", {})]
        others = {name: value for name, value in given.items() if name not in ("properties", "required", "type")}
        said = list(self._parts(others, above)) if others else []
        return " and ".join([*(["an object with " + " and ".join(fields)] if fields else []), *said]) or "any value"

    def _reference(self, reference: str, above: tuple[str, ...]) -> str:
        name = reference.rsplit("/", 1)[-1] or "the whole"
        if reference in above:
            return f"again {name}"
        target = self._target(reference)
        if target is None:
            return f"as {reference} says"
        return self.phrase(target, above=(*above, reference))

    def _by_type(self, schema: Mapping[str, Any]) -> str | None:
        """Phrase of the types with their own keywords; None if nothing is said about either."""
        given = schema.get("type")
        types = [given] if isinstance(given, str) else list(given) if isinstance(given, list) else []
        if not types:
            kinds = [kind for kind, keywords in _KEYWORDS.items() if not keywords.isdisjoint(schema)]
            if not kinds:
                return None
            said = [self._typed(kind, schema) for kind in kinds]
            if len(kinds) == 1 and kinds[0] == "object":
                return said[0]
            return ", or ".join([*said, "any value of another type"])
        return ", or ".join(self._typed(str(one), schema) for one in types)

    def _typed(self, kind: str, schema: Mapping[str, Any]) -> str:
        noun = _TYPES.get(kind, kind)
        if kind == "string":
            return noun + "".join(_text_conditions(schema))
        if kind in ("integer", "number"):
            return noun + "".join(_number_conditions(schema))
        if kind == "array":
            return noun + "".join(self._list_conditions(schema))
        if kind == "object":
            return noun + "".join(self._object_conditions(schema))
        return noun

    def _list_conditions(self, schema: Mapping[str, Any]) -> Iterator[str]:
        count = _between(schema.get("minItems"), schema.get("maxItems"), "item")
        yield f" of {count}" if count else ""
        first = schema.get("prefixItems") or (schema["items"] if isinstance(schema.get("items"), list) else None)
        if first:
            yield ": " + ", then ".join(self.phrase(one) for one in first)
        rest = schema.get("items") if not isinstance(schema.get("items"), list) else schema.get("additionalItems")
        if rest is False:
            yield ", and nothing more"
        elif rest is not None and rest is not True:
            yield f"{', and further items' if first else ', each item'} {self._short(rest)}"
        if schema.get("uniqueItems"):
            yield ", no two of them equal"
        if "contains" in schema:
            times = _between(schema.get("minContains", 1), schema.get("maxContains"), "item")
            yield f", with {times} that is {self.phrase(schema['contains'])}"

    def _object_conditions(self, schema: Mapping[str, Any]) -> Iterator[str]:
        names = list(schema.get("properties", {}))
        if names:
            yield f" with the field{'s' if len(names) > 1 else ''} {', '.join(names)}"
        undeclared = [name for name in schema.get("required", []) if name not in names]
        if undeclared:
            yield f", which must have {', '.join(undeclared)}"
        for pattern, one in schema.get("patternProperties", {}).items():
            yield f", fields whose name matches /{pattern}/ being {self._short(one)}"
        others = schema.get("additionalProperties", True)
        if others is False:
            yield " and no others" if names or "patternProperties" in schema else " without any field"
        elif others is not True and others != {}:
            yield f", and any other field being {self._short(others)}"
        elif names:
            yield ", and any others"
        count = _between(schema.get("minProperties"), schema.get("maxProperties"), "field")
        yield f", {count} in all" if count else ""
        if "propertyNames" in schema:
            yield f", each name being {self.phrase(schema['propertyNames'])}"
        for name, needed in schema.get("dependentRequired", {}).items():
            yield f"; with {name} there must be {', '.join(needed)}"

    def _short(self, schema: Any) -> str:
        """Phrase that names a nested object without its fields, which have rows of their own."""
        target, _ = self.resolved(schema)
        if isinstance(target, Mapping) and "properties" in target:
            return "an object, see below"
        return self.phrase(schema)

    def _rows(self, schema: Any, depth: int, above: tuple[str, ...]) -> Iterator[FieldRow]:
        schema, passed = self.resolved(schema)
        if not isinstance(schema, Mapping) or set(passed) & set(above):
            return
        given, above = cast("Mapping[str, Any]", schema), (*above, *passed)
        required = set(given.get("required", []))
        for name, one in given.get("properties", {}).items():
            yield self._row(name, one, depth, "required" if name in required else "optional")
            yield from self._rows(one, depth + 1, above)
        items = given.get("items")
        if isinstance(items, Mapping) and any(True for _ in self._rows(items, depth + 1, above)):
            target, _ = self.resolved(items)
            yield self._row("item", target, depth, "each")
            yield from self._rows(items, depth + 1, above)
        for keyword in ("allOf", "anyOf", "oneOf"):
            for number, one in enumerate(given.get(keyword, []), 1):
                below = list(self._rows(one, depth + 1, above))
                if below and keyword == "allOf":
                    yield from self._rows(one, depth, above)
                elif below:
                    yield self._row(f"alternative {number}", self.resolved(one)[0], depth, "one of these")
                    yield from below

    def _row(
        self, name: str, schema: Any, depth: int, presence: Literal["required", "optional", "each", "one of these"]
    ) -> FieldRow:
        target, passed = self.resolved(schema)
        described = (one.get("description") for one in (schema, target) if isinstance(one, Mapping))
        return FieldRow(
            depth=depth,
            name=name,
            presence=presence,
            phrase=self.phrase(target, above=passed),
            description=str(next((one for one in described if one), "")),
        )


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"


def _one_of(values: list[Any]) -> str:
    shown = [_shown(value) for value in values[:_MOST_LISTED]]
    if len(values) > _MOST_LISTED:
        return f"one of {', '.join(shown)}, … ({len(values):,} values in all)"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _between(least: Any, most: Any, noun: str) -> str:
    """Number of things in words; "" without bounds.

    >>> _between(1, None, "item"), _between(2, 5, "item"), _between(None, 1, "item"), _between(3, 3, "item")
    ('at least 1 item', '2 to 5 items', 'at most 1 item', 'exactly 3 items')
    """
    if not least and most is None:
        return ""
    if most is None:
        return f"at least {_counted(least, noun)}"
    if not least:
        return f"at most {_counted(most, noun)}"
    return f"exactly {_counted(least, noun)}" if least == most else f"{least:,} to {_counted(most, noun)}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _text_conditions(schema: Mapping[str, Any]) -> Iterator[str]:
    count = _between(schema.get("minLength"), schema.get("maxLength"), "character")
    yield f" of {count}" if count else ""
    if "pattern" in schema:
        pattern = str(schema["pattern"])
        is_whole = pattern.startswith("^") and pattern.endswith("$")
        yield f" {'that matches' if is_whole else 'in which something matches'} /{pattern}/"
    if "format" in schema:
        yield f" in the format {schema['format']}"


def _number_conditions(schema: Mapping[str, Any]) -> Iterator[str]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        yield f" from {low} to {high}"
    elif low is not None:
        yield f" of at least {low}"
    elif high is not None:
        yield f" of at most {high}"
    for keyword, words in (("exclusiveMinimum", "more than"), ("exclusiveMaximum", "less than")):
        if isinstance(schema.get(keyword), int | float) and schema[keyword] is not True:
            yield f", {words} {schema[keyword]}"
    if "multipleOf" in schema:
        yield f", a multiple of {schema['multipleOf']}"
