"""Facts about a schema: each part is made when it is first needed, and finds what the others know."""

from __future__ import annotations

from typing import Any

import pytest

from guidance_kit.grammars.json_schema.compiled import CompiledSchema
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

PARTS = {"expansion", "members", "evaluation", "clauses", "domains"}


def made(facts: SchemaFacts) -> set[str]:
    """Names of the parts that were made."""
    return PARTS.intersection(vars(facts))


@pytest.mark.parametrize(
    ("schema", "parts"),
    [
        (True, set()),
        ({"type": "string", "maxLength": 3}, {"expansion"}),
        ({"properties": {"a": {"type": "integer", "minimum": 3}}}, {"expansion"}),
        ({"type": "object", "required": ["a"]}, {"expansion", "clauses", "members"}),
        ({"type": "array", "minItems": 1, "items": {"type": "null"}}, {"expansion", "clauses"}),
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
