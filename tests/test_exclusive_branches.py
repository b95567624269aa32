"""`oneOf` beside required properties that tell its branches apart, against `jsonschema`."""

from __future__ import annotations

import json
import random
from itertools import product
from typing import Any

import jsonschema
import pytest
from marks import thinned
from vocabularies import texts_of

import guidance_kit as gk
from guidance_kit.grammars.json_schema.compiled import CompiledSchema
from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion

ABSENT = object()
VALUES = [ABSENT, 1, 2, "x", "y", None]
OBJECTS = [
    {key: value for key, value in zip("tab", values, strict=True) if value is not ABSENT}
    for values in product(VALUES, repeat=3)
]
INSTANCES: list[Any] = [*OBJECTS, 1, "x", [], None]


def drawn_schema(chance: random.Random) -> dict[str, Any]:
    """A `oneOf` in an `allOf` whose schema requires properties, mostly the one that tells branches apart."""

    def branch(number: int) -> dict[str, Any]:
        tag = chance.choice([{"const": number}, {"enum": [number, number + 1]}, {"type": "string"}, {"const": "x"}])
        properties = {
            "t": tag,
            chance.choice("ab"): chance.choice([{"type": "integer"}, {"enum": [1, "x"]}, {"const": 2}]),
        }
        found: dict[str, Any] = {"properties": properties}
        if chance.random() < 0.7:
            found["type"] = "object"
        if chance.random() < 0.3:
            found["required"] = [chance.choice("tab")]
        return found

    exclusive: dict[str, Any] = {"oneOf": [branch(number) for number in range(chance.randrange(2, 5))]}
    exclusive |= chance.choice([{}, {}, {"title": "a"}, {"minProperties": 2}])
    inner: dict[str, Any] = {"required": chance.choice([["t"], ["a"], ["t", "b"]]), "allOf": [exclusive]}
    if chance.random() < 0.3:
        inner["type"] = "object"
    kind = chance.randrange(4)
    if kind == 0:
        return inner
    if kind == 1:
        return {"not": inner}
    if kind == 2:
        return {"anyOf": [inner, {"$ref": "#/anyOf/0/allOf/0", "type": "object", "maxProperties": 1}]}
    return {"if": inner, "then": {"maxProperties": 2}, "else": {"minProperties": 1}}


@pytest.mark.parametrize("seed", thinned(range(40), 4))
def test_objects_are_judged_as_by_the_reference_implementation(seed):
    schema = drawn_schema(random.Random(seed))
    texts = {json.dumps(value): value for value in INSTANCES}
    validator = jsonschema.Draft202012Validator(schema)
    expected = {text for text, value in texts.items() if validator.is_valid(value)}
    constraint = gk.json_schema(schema, order="any", whitespace="json")
    assert texts_of(constraint, texts) == expected


def tagged(count: int, **more: Any) -> dict[str, Any]:
    branches = [
        {
            "type": "object",
            "properties": {"type": {"enum": [f"t{k}"]}, "inner": {"type": "object", "required": [f"k{k}"]}},
        }
        for k in range(count)
    ]
    return {"type": "object", "allOf": [{"oneOf": branches}], **more}


def test_branches_told_apart_by_a_required_property_take_no_negations(monkeypatch):
    """The branches do not require it, but the schema beside them does."""
    joined = []
    conjoined = Expansion._conjoined
    monkeypatch.setattr(Expansion, "_conjoined", lambda *args: (joined.append(args), conjoined(*args))[1])
    compiled = CompiledSchema(tagged(40, required=["type", "inner"]))
    assert not compiled.document._denials
    assert len(joined) <= 2 * 40  # of 40 branches and two keys
    with pytest.raises(AssertionError):  # without that property they take all
        assert not CompiledSchema(tagged(6)).document._denials


def test_branches_with_a_common_value_of_another_type_are_not_conjoined():
    """Branches without `type` all allow null."""

    def conjoined(branches: list[dict[str, Any]]) -> int:
        compiled = CompiledSchema({"oneOf": branches})
        nodes = [compiled.document.node(compiled.document.root, branch) for branch in branches]
        return sum(first + second in compiled.facts.expansion._joined for first in nodes for second in nodes)

    assert conjoined([{"required": ["t"], "properties": {"t": {"const": number}}} for number in range(12)]) == 0
    assert conjoined([{"type": "object", "maxProperties": 2 + number} for number in range(12)]) == 66


@pytest.mark.slow
def test_objects_told_apart_take_no_negations_where_branches_overlap_in_other_types():
    """Branches without `type` all allow numbers; 40 of them had more alternatives than are allowed."""
    branches = [
        {"properties": {"type": {"const": f"t{k}"}, f"k{k}": {"type": "integer"}}, "required": ["type"]}
        for k in range(40)
    ]
    branches += [
        {"properties": {"type": {"pattern": "^[+]"}}, "required": ["type"]},
        {"type": "object", "maxProperties": 1},
    ]
    compiled = CompiledSchema({"oneOf": branches})
    shape = compiled.facts.shape(compiled.root)
    assert not any((shape.nulls, shape.booleans, shape.numbers, shape.strings, shape.arrays))
    assert len(shape.objects) <= 3 * len(branches)
    validator = jsonschema.Draft202012Validator({"oneOf": branches})
    values = [
        {"type": "t3", "k3": 1}, {"type": "t3", "k3": "a"}, {"type": "t3"}, {"type": "+", "k3": "a"},
        {"type": 1, "a": 1}, {}, {"k3": 1}, 1, "a", None, [],
    ]  # fmt: skip
    texts = {json.dumps(value): value for value in values}
    expected = {text for text, value in texts.items() if validator.is_valid(value)}
    assert texts_of(gk.json_schema({"oneOf": branches}, order="any", whitespace="json"), texts) == expected
    assert 0 < len(expected) < len(texts)


def test_what_other_schemas_refer_to_has_no_required_properties():
    schema = tagged(3, required=["type"])
    schema = {"properties": {"a": schema, "b": {"$ref": "#/properties/a/allOf/0"}}}
    texts = {'{"b": {"inner": {"k0": 1}}}', '{"b": {"inner": {"k0": 1, "k1": 1}}}', '{"a": {"inner": {"k0": 1}}}'}
    assert texts_of(gk.json_schema(schema), texts) == {'{"b": {"inner": {"k0": 1}}}'}
