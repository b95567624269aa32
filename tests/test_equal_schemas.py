"""Equal schemas of a document, which are looked at once."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import Judge

import guidance_kit as gk
from guidance_kit.grammars.json_schema.documents import document as document_module
from guidance_kit.grammars.json_schema.documents import equal_schemas as equal_schemas_module
from guidance_kit.grammars.json_schema.documents import interning as interning_module
from guidance_kit.grammars.json_schema.documents.document import SchemaDocument
from guidance_kit.grammars.json_schema.documents.equal_schemas import equal_schemas
from guidance_kit.grammars.json_schema.documents.interning import InternedSchemas
from guidance_kit.grammars.json_schema.documents.survey import Survey
from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion

SCALARS = st.sampled_from([None, True, False, 0, 1, 2, 0.0, -0.0, 1.0, "", "1", Decimal(1), Decimal("1.0")])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)

SHARED: dict[str, Any] = {"minimum": 1}

EQUAL: list[tuple[Any, Any]] = [
    ({"type": "string"}, {"type": "string"}),
    ({"type": "string"}, {"title": "a", "type": "string", "default": [], "x-any": 1}),
    ({"properties": {"a": {"items": {"enum": ["x"]}}}}, {"properties": {"a": {"items": {"enum": ["x"]}, "title": ""}}}),
    ({"not": True}, {"not": True}),
    ({"anyOf": [SHARED, {"not": SHARED}]}, {"anyOf": [SHARED, {"not": SHARED}]}),
    ({"dependentRequired": {"a": ["b"], "c": []}}, {"dependentRequired": {"a": ["b"], "c": []}}),
]

DIFFERENT: list[tuple[Any, Any]] = [
    ({"const": 1}, {"const": 1.0}),
    ({"const": 1}, {"const": True}),
    ({"const": 1}, {"const": "1"}),
    ({"enum": [[1]]}, {"enum": [1]}),
    ({"properties": {"a": True, "b": True}}, {"properties": {"b": True, "a": True}}),
    ({"properties": {"a": {"title": "x"}}}, {"properties": {"b": {"title": "x"}}}),
    ({"not": True}, {"not": False}),
    ({"anyOf": [{"minimum": 1}, {"minimum": 2}]}, {"anyOf": [{"minimum": 2}, {"minimum": 1}]}),
    ({"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["c"]}}),
    ({"$id": "one", "$ref": "#/$defs/x", "$defs": {"x": {}}}, {"$id": "two", "$ref": "#/$defs/x", "$defs": {"x": {}}}),
]


def are_equal(left: Any, right: Any) -> bool:
    document = SchemaDocument({"properties": {"left": left, "right": right}})
    Survey(document)
    first, second = (document.below(document.root, one) for one in (left, right))
    return equal_schemas(document.located).get(second) is first


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal_schemas_are_found(left, right):
    assert are_equal(left, right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different_schemas_are_told_apart(left, right):
    assert not are_equal(left, right)


@pytest.mark.parametrize(("left", "right"), [pair for pair in EQUAL if pair[0] == pair[1]])
def test_a_schema_is_found_by_one_that_is_written_alike(left, right):
    interned = InternedSchemas()
    assert interned.first(left) is left
    assert interned.first(deepcopy(right)) is left
    assert interned.has_equal


@pytest.mark.parametrize(("left", "right"), [*DIFFERENT, ({"const": Decimal("1.0")}, {"const": Decimal("1.00")})])
def test_a_schema_is_not_found_by_one_that_is_written_differently(left, right):
    interned = InternedSchemas()
    assert interned.first(left) is left
    assert interned.first(right) is right
    assert interned.first(right) is right
    assert not interned.has_equal


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"items": schema}
    return schema


def test_schemas_that_are_nested_too_deep_or_have_other_values_than_json_are_not_compared():
    interned = InternedSchemas()
    for schema in (nested(100_000), nested(100_000), {"default": {1}}, {"default": {1}}):
        assert interned.first(schema) is schema


@given(st.lists(VALUES, min_size=2, max_size=12))
def test_schemas_are_found_exactly_by_those_that_are_written_alike(values):
    interned = InternedSchemas()
    known: dict[str, Any] = {}
    for value in values:
        schema = {"const": deepcopy(value)}
        assert interned.first(schema) is known.setdefault(repr(schema), schema)


def test_equal_parts_of_a_large_schema_are_surveyed_once(monkeypatch):
    visits = 0
    visit = Survey._visit

    def counting(self, location, schema, is_reached):
        nonlocal visits
        visits += 1
        return visit(self, location, schema, is_reached)

    monkeypatch.setattr(Survey, "_visit", counting)
    part = {"properties": {f"k{k}": {"enum": [k]} for k in range(100)}}
    gk.json_schema({"type": "array", "prefixItems": [deepcopy(part) for _ in range(300)]})
    assert visits < 500  # of 30,301 if each is


def test_schemas_are_equal_whose_parts_are_and_stand_before_and_behind_them(monkeypatch):
    """A schema has a number although a part of it was met elsewhere."""
    monkeypatch.setattr(document_module, "LEAST_COMPARED", 0)
    part = {"oneOf": [{"const": 1}, {"const": 2}]}
    schema = {
        "properties": {
            "a": {"items": deepcopy(part)},
            "b": {"title": "b", "items": deepcopy(part)},
            "c": {"properties": {"d": {"title": "d", "items": deepcopy(part)}}},
        }
    }
    for keys in ("abc", "cba", "bca"):
        document = SchemaDocument({"properties": {key: schema["properties"][key] for key in keys}}, joins_equal=True)
        Survey(document)
        equal = equal_schemas(document.located)
        found = [location for _, location in document.located if "items" in location.schema]
        assert len({equal.get(location, location) for location in found}) == 1


def test_a_report_of_equal_schemas_has_all_places(monkeypatch):
    schema = repeated(30)
    schema["properties"] |= {f"n{k}": {"type": "string", "not": {}, "x-any": 1} for k in range(30)}
    apart = gk.json_schema(schema).report
    monkeypatch.setattr(document_module, "LEAST_COMPARED", 0)
    assert gk.json_schema(schema).report.as_dict() == apart.as_dict()
    assert apart.enforced["not"] == 30
    assert len(apart.impossible) == 30


def repeated(count: int) -> dict[str, Any]:
    """An object with so many equal values, each with exclusive branches and a title of its own."""

    def value(number: int) -> dict[str, Any]:
        branches = [{"const": f"v{k}"} for k in range(10)]
        return {"title": f"{number}", "oneOf": [*branches, {"type": "string", "pattern": "^[A-Z]+$"}]}

    return {"type": "object", "properties": {f"k{number}": value(number) for number in range(count)}}


def test_each_of_many_equal_schemas_is_expanded_once(monkeypatch):
    expanded = 0
    expand = Expansion._expand

    def counting(self, location):
        nonlocal expanded
        expanded += 1
        return expand(self, location)

    monkeypatch.setattr(Expansion, "_expand", counting)
    gk.json_schema(repeated(100))
    assert expanded < 20  # of 1,100 if each is


def test_a_wrong_comparison_changes_what_is_valid(monkeypatch):
    """Negative control: schemas that are taken for equal have the same instances."""
    schema = {"type": "object", "properties": {"a": {"not": {"const": 1}}, "b": {"not": {"const": 2}}}}
    monkeypatch.setattr(document_module, "LEAST_COMPARED", 0)
    assert Judge(gk.json_schema(schema)).accepts_value({"a": 2, "b": 1})
    monkeypatch.setattr(equal_schemas_module._Numbering, "_key", lambda *_: 0)
    assert not Judge(gk.json_schema(schema)).accepts_value({"a": 2, "b": 1})


def test_a_comparison_without_types_changes_what_is_valid(monkeypatch):
    """Negative control: a table that took `1` for `true` would change the instances."""
    schema = {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": True}}}
    monkeypatch.setattr(document_module, "LEAST_COMPARED", 0)
    assert Judge(gk.json_schema(schema)).accepts_value({"a": 1, "b": True})
    monkeypatch.setattr(interning_module, "_written", lambda _: None)
    assert not Judge(gk.json_schema(schema)).accepts_value({"a": 1, "b": True})
