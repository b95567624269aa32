"""Facts about a schema: each part is made when it is first needed, and finds what the others know."""

from __future__ import annotations

import random
from typing import Any

import pytest
from schemas import whole_schema

from guidance_kit.errors import GuidanceKitError
from guidance_kit.grammars.json_schema.compiled import CompiledSchema
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

PARTS = {"expansion", "members", "evaluation", "clauses", "domains"}


def made(facts: SchemaFacts) -> set[str]:
    """Names of the parts that were made."""
    return PARTS.intersection(vars(facts))


@pytest.mark.parametrize(
    ("schema", "parts"),
    [
        (True, {"expansion"}),
        ({"type": "string", "maxLength": 3}, {"expansion"}),
        ({"properties": {"a": {"type": "integer", "minimum": 3}}}, {"expansion"}),
        ({"type": "object", "required": ["a"]}, {"expansion"}),
        ({"type": "object", "required": ["a"], "minProperties": 2}, {"expansion", "clauses", "members"}),
        ({"type": "array", "minItems": 1, "items": {"type": "null"}}, {"expansion"}),
        ({"type": "array", "minItems": 2, "items": {"type": "null"}}, {"expansion", "clauses"}),
        ({"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True}, {"expansion", "domains"}),
        (
            {"anyOf": [{"properties": {"a": True}}, {"minProperties": 0}], "unevaluatedProperties": False},
            {"expansion", "evaluation", "members"},
        ),
        (
            {"oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "properties": {"a": False}}]},
            {"expansion", "clauses", "members"},
        ),
    ],
)
def test_parts_are_made_when_they_are_needed(schema: Any, parts: set[str]):
    assert made(CompiledSchema(schema).facts) == parts


def test_parts_that_were_made_are_kept():
    facts = CompiledSchema({"type": "object", "required": ["a"]}).facts
    before = {name: getattr(facts, name) for name in PARTS}
    assert facts.is_satisfiable((facts.document.root,))
    assert all(getattr(facts, name) is part for name, part in before.items())


def test_values_of_required_keys_are_those_of_all_members():
    compared = apart = 0
    for seed in range(600):
        try:
            facts = CompiledSchema(whole_schema(random.Random(seed))).facts
        except GuidanceKitError:
            continue
        for shape in [*facts.expansion._shapes.values(), *facts.expansion._joined.values()]:
            for objects in shape.objects:
                apart += objects not in facts.members._members
                needed = facts.members.required(objects)
                properties = facts.members.of(objects).properties
                assert needed == [properties[key] for key in objects.required], seed
                compared += len(needed)
    assert compared > 300
    assert apart > 100


def test_values_of_other_keys_are_not_resolved_to_see_whether_an_object_is_possible():
    many = {f"k{number}": {"type": "integer"} for number in range(40)}
    layers = [{"type": "object", "properties": many}, {"type": "object", "properties": many, "required": ["k3"]}]
    facts = CompiledSchema({"allOf": layers}).facts
    assert not facts.members._members
