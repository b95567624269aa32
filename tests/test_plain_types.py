"""A schema that its type alone calls satisfiable has a value without conditions in its normal form."""

from __future__ import annotations

import itertools

import pytest

from guidance_kit.errors import GuidanceKitError
from guidance_kit.grammars.json_schema.compiled import CompiledSchema
from guidance_kit.grammars.json_schema.facts.plain_satisfaction import plain_type
from guidance_kit.grammars.json_schema.objects.plan import LENGTHS

TYPES = "string", "number", "integer", "boolean", "null", "array", "object"
NOTHING = {"not": {}}
KEYWORDS = [
    {"title": "t", "description": "d", "default": 3, "x-order": 1},
    {"minLength": 3}, {"maxLength": 2}, {"pattern": "a"}, {"format": "date"},
    {"minimum": 3}, {"multipleOf": 2}, {"maximum": 2},
    {"items": NOTHING}, {"items": {"type": "string"}}, {"minItems": 1}, {"maxItems": 0}, {"uniqueItems": True},
    {"properties": {"a": NOTHING}}, {"additionalProperties": False}, {"patternProperties": {"a": NOTHING}},
    {"required": ["a"]}, {"minProperties": 2}, {"maxProperties": 1}, {"definitions": {"a": NOTHING}},
    {"enum": [1, "a", None, [], {}]}, {"not": {"type": "string"}}, {"allOf": [{"minimum": 2}]},
    {"oneOf": [{"minLength": 2}, {"required": ["b"]}]}, {"anyOf": [{"type": "array"}]}, {"$ref": "#/definitions/a"},
]  # fmt: skip
LATER = [
    {"const": "a"}, {"contains": True}, {"propertyNames": {"maxLength": 1}}, {"if": {"type": "string"}, "then": False},
    {"dependentRequired": {"a": ["b"]}}, {"dependentSchemas": {"a": False}}, {"unevaluatedProperties": False},
    {"unevaluatedItems": False}, {"prefixItems": [False]}, {"minContains": 2}, {"$anchor": "a"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("draft", "keywords"),
    [
        ("http://json-schema.org/draft-04/schema#", KEYWORDS),
        ("http://json-schema.org/draft-07/schema#", KEYWORDS),
        ("https://json-schema.org/draft/2020-12/schema", KEYWORDS + LATER),
    ],
)
def test_a_plain_type_has_a_plain_value(draft: str, keywords: list[dict]):
    agreed = undecided = 0
    pairs = [(one, other) for k, one in enumerate(keywords) for other in ({}, keywords[k - 1], keywords[k - 6])]
    for kind, (one, other) in itertools.product(TYPES, pairs):
        inner = {"type": kind, "definitions": {"a": {"type": kind}}} if "$ref" in (one | other) else {"type": kind}
        try:
            facts = CompiledSchema({"$schema": draft, **inner, **one, **other}).facts
        except GuidanceKitError:  # refused, or without values
            continue
        location = facts.document.root
        shape = facts.shape((location,))
        is_plain = facts.has_plain_value(shape)
        found = plain_type(location)
        if found:
            assert found == kind
            assert is_plain, (kind, one, other)
            known = len(shape.objects) + len(shape.arrays), len(shape.numbers) + len(shape.strings)
            assert known == LENGTHS.get(kind, (0, 0)), (kind, one, other)
            assert not any(strings.conditions for strings in shape.strings)
            agreed += 1
        else:
            undecided += is_plain
    assert agreed > 200
    assert undecided < 4 * agreed


def test_a_type_among_others_is_undecided():
    for schema in ({"type": ["string", "null"]}, {}, True, {"type": "string", "minLength": 1}):
        assert not plain_type(CompiledSchema(schema).facts.document.root)
