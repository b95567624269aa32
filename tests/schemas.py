"""JSON Schemas: random ones, with values for them, and those of MaskBench. Tests only."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["maskbench", "random_value", "whole_schema"]

KEYS = ["a", "b", "ab", "c"]
# Where ECMA-262 and Python's `re`, which jsonschema uses, agree: no `.`, no `$` before a line break, no \\s
PATTERNS = ["^a", "b(?![^b]|b)", "^[ab]+(?![^b]|b)", "a[^c]*b", "^[^c]{2}(?![^b]|b)", "c"]
TEXTS = ["", "a", "b", "ab", "ba", "aab", "c", "é", "\U0001f600b", '"', "\\"]
NUMBERS = [-12, -3, -1, 0, 1, 2, 3, 7, 10, 99, 100, -0.5, 0.5, 1.5, 2.25, 10.125]


def random_value(chance: random.Random, depth: int = 2) -> Any:
    """A small JSON value out of the same stock as the schemas."""
    kind = chance.randrange(7 if depth else 5)
    if kind == 0:
        return chance.choice([None, True, False])
    if kind in (1, 2):
        return chance.choice(NUMBERS)
    if kind in (3, 4):
        return chance.choice(TEXTS)
    if kind == 5:
        return [random_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {key: random_value(chance, depth - 1) for key in chance.sample(KEYS, chance.randrange(4))}


def random_schema(chance: random.Random, depth: int = 3) -> Any:
    """A small schema with keywords of all sorts beside each other."""
    if depth == 0 or chance.random() < 0.08:
        return chance.choice([True, {}, {"type": "integer"}, {"type": "string"}, {"const": 1}, {"type": "null"}, False])

    def inner() -> Any:
        return random_schema(chance, depth - 1)

    def strings() -> dict[str, Any]:
        return {
            "minLength": chance.randrange(3),
            "maxLength": chance.randrange(1, 4),
            "pattern": chance.choice(PATTERNS),
        }

    def numbers() -> dict[str, Any]:
        return {
            "minimum": chance.choice(NUMBERS),
            "maximum": chance.choice(NUMBERS),
            "exclusiveMinimum": chance.choice(NUMBERS),
            "exclusiveMaximum": chance.choice(NUMBERS),
            "multipleOf": chance.choice([1, 2, 3, 7, 0.5, 0.25]),
        }

    def arrays() -> dict[str, Any]:
        return {
            "items": inner(),
            "prefixItems": [inner() for _ in range(chance.randrange(1, 3))],
            "minItems": chance.randrange(3),
            "maxItems": chance.randrange(4),
            "contains": inner(),
            "minContains": chance.randrange(3),
            "maxContains": chance.randrange(3),
            "unevaluatedItems": chance.choice([False, inner()]),
        }

    def objects() -> dict[str, Any]:
        return {
            "properties": {key: inner() for key in chance.sample(KEYS, chance.randrange(1, 4))},
            "required": chance.sample(KEYS, chance.randrange(1, 3)),
            "additionalProperties": chance.choice([False, inner()]),
            "patternProperties": {pattern: inner() for pattern in chance.sample(PATTERNS, chance.randrange(1, 3))},
            "propertyNames": {"pattern": chance.choice(PATTERNS)},
            "minProperties": chance.randrange(3),
            "maxProperties": chance.randrange(4),
            "dependentRequired": {chance.choice(KEYS): chance.sample(KEYS, chance.randrange(1, 3))},
            "dependentSchemas": {chance.choice(KEYS): inner()},
            "unevaluatedProperties": chance.choice([False, inner()]),
        }

    def any_type() -> dict[str, Any]:
        return {
            "type": chance.choice(["object", "array", "string", "number", "integer", ["object", "null"], "boolean"]),
            "enum": [random_value(chance, 1) for _ in range(chance.randrange(1, 5))],
            "const": random_value(chance, 2),
            "allOf": [inner(), inner()],
            "anyOf": [inner(), inner()],
            "oneOf": [inner(), inner()],
            "$ref": chance.choice(["#/$defs/x", "#/$defs/y"]),
            "not": inner(),
        }

    def conditions() -> dict[str, Any]:
        return {"if": inner(), "then": inner()} | ({"else": inner()} if chance.random() < 0.6 else {})

    groups = [
        (strings, "string"),
        (numbers, "number"),
        (arrays, "array"),
        (objects, "object"),
        (any_type, None),
        (conditions, None),
    ]
    schema: dict[str, Any] = {}
    for make, kind in chance.sample(groups, chance.choice([1, 1, 2])):
        keywords = make()
        if kind is not None and chance.random() < 0.7:
            schema["type"] = kind
        count = len(keywords) if make is conditions else chance.randrange(1, 4)
        for keyword in chance.sample(list(keywords), min(count, len(keywords))):
            schema[keyword] = keywords[keyword]
    return schema


def whole_schema(chance: random.Random) -> Any:
    """A schema with others that it may refer to."""
    schema = random_schema(chance)
    if isinstance(schema, dict):
        schema["$defs"] = {"x": random_schema(chance, 2), "y": random_schema(chance, 1)}
    return schema


def maskbench(folder: Path) -> Iterator[dict[str, Any]]:
    """The schemas of MaskBench: "file", "schema", and "tests" with the "data" of an instance and whether it is "valid".

    Args:
        folder: of real data, see the fixture `shared_data`.
    """
    with lzma.open(folder / "maskbench/development.jsonl.xz", "rt") as lines:
        yield from map(json.loads, lines)
