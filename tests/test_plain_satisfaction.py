"""A schema whose keywords say that it has values is satisfiable by the clauses of its normal forms."""

from __future__ import annotations

import random

import pytest
from schemas import random_schema

from guidance_kit.errors import GuidanceKitError
from guidance_kit.grammars.json_schema.documents.document import SchemaDocument
from guidance_kit.grammars.json_schema.facts.plain_satisfaction import PlainSatisfaction
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.objects.plan import ObjectPlan

TEXT = {"type": "string"}
NOTHING = {"allOf": [{"type": "string"}, {"type": "null"}]}
TO_A = {"$ref": "#/$defs/a"}
OF_A = {"type": "object", "required": ["a"]}
HELD = [
    {}, TEXT, {"title": "t", "type": ["string", "integer"], "minimum": 3}, {"minLength": 2}, {"enum": [1, "a"]},
    {"minLength": 2, "maxLength": 2, **TEXT}, {"const": None}, {"type": "boolean", "enum": [0, False]},
    {"type": "object", "properties": {"a": TEXT}, "required": ["a", "b"]}, {**OF_A, "additionalProperties": TEXT},
    {**OF_A, "properties": {"a": TO_A}, "$defs": {"a": {"enum": ["x"], **TEXT}}}, {**TO_A, "$defs": {"a": TEXT}},
    {"anyOf": [NOTHING, TEXT]}, {"type": "array", "minItems": 1, "items": TEXT},
    {"type": "array", "maxItems": 0, "items": False}, {"type": ["array", "object"], "minItems": 3, "items": TEXT},
]  # fmt: skip
LEFT_OPEN = [
    False, NOTHING, {"enum": [1]}, {"type": "string", "enum": [1, None]}, {"type": "string", "pattern": "a"},
    {"type": "string", "minLength": 3, "maxLength": 2}, {"type": "array", "minItems": 1, "items": NOTHING},
    {**OF_A, "properties": {"a": NOTHING}}, {"type": "array", "minItems": 2, "maxItems": 1}, {"const": "\ud800"},
    {**OF_A, "additionalProperties": False}, {"oneOf": [TEXT, {"minLength": 1}]}, {**TO_A, "$defs": {"a": NOTHING}},
    {**OF_A, "properties": {"a": {"$ref": "#"}}}, {**OF_A, "patternProperties": {"a": NOTHING}},
    {"anyOf": [TEXT], "type": "null"}, {"type": "array", "minItems": 1, "prefixItems": [False]},
    {"type": "object", "required": ["\ud800"]},
]  # fmt: skip


def both(schema, patch: pytest.MonkeyPatch) -> tuple[bool, bool]:
    """Satisfiability by keywords alone, and by normal forms alone."""
    document = SchemaDocument(schema)
    by_keywords = PlainSatisfaction(document).holds(document.root)
    with patch.context() as without:
        without.setattr(PlainSatisfaction, "holds", lambda *_: False)
        return by_keywords, SchemaFacts(document).is_satisfiable((document.root,))


@pytest.mark.parametrize("schema", HELD)
def test_what_keywords_decide(schema, monkeypatch):
    assert both(schema, monkeypatch) == (True, True)


@pytest.mark.parametrize("schema", LEFT_OPEN)
def test_what_keywords_leave_open(schema, monkeypatch):
    assert not both(schema, monkeypatch)[0]


@pytest.mark.parametrize("draft", ["draft-04/schema#", "draft-07/schema#", "draft/2020-12/schema"])
def test_keywords_agree_with_normal_forms(draft, monkeypatch):
    scheme = "https" if "2020" in draft else "http"
    decided = checked = 0
    for seed in range(600):
        schema = random_schema(random.Random(seed))
        if isinstance(schema, dict):
            schema = {"$schema": f"{scheme}://json-schema.org/{draft}", **schema}
        try:
            by_keywords, by_forms = both(schema, monkeypatch)
        except GuidanceKitError:
            continue
        assert by_forms or not by_keywords, schema
        checked += 1
        decided += by_keywords
    assert checked > 400
    assert 5 * decided > checked


def test_properties_are_not_normalised():
    """Values of properties that are required, named by a reference or of several types take no shape of their own."""
    inner = {"type": "object", "properties": {"k": {"type": ["string", "null"]}}, "required": ["k"]}
    properties = {f"p{number}": {"$ref": f"#/$defs/{number}"} for number in range(50)}
    schema = {"type": "object", "properties": properties, "$defs": {str(number): inner for number in range(50)}}
    document = SchemaDocument({**schema, "required": ["p0", "p1"]})
    facts = SchemaFacts(document)
    (objects,) = facts.shape((document.root,)).objects
    assert ObjectPlan(facts, objects).is_possible
    assert len(facts.expansion._shapes) == 1
