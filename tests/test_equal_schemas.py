"""Equal schemas of a document, which are looked at once."""

from __future__ import annotations

from typing import Any

import pytest
from json_texts import Judge

import guidance_kit as gk
from guidance_kit.grammars.json_schema import compiled as compiled_module
from guidance_kit.grammars.json_schema.documents import equal_schemas as equal_schemas_module
from guidance_kit.grammars.json_schema.documents.document import SchemaDocument
from guidance_kit.grammars.json_schema.documents.equal_schemas import equal_schemas
from guidance_kit.grammars.json_schema.documents.survey import Survey
from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion

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
    monkeypatch.setattr(compiled_module, "LEAST_COMPARED", 0)
    assert Judge(gk.json_schema(schema)).accepts_value({"a": 2, "b": 1})
    monkeypatch.setattr(equal_schemas_module._Numbering, "_key", lambda *_: 0)
    assert not Judge(gk.json_schema(schema)).accepts_value({"a": 2, "b": 1})
