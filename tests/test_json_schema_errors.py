"""What is wrong with JSON Schemas, what is not supported and what cannot be satisfied: errors by name and place."""

from __future__ import annotations

import json

import pytest
from json_texts import judge

from guidance_kit.errors import LimitError, SchemaError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.grammars.json_schema import json_schema

DRAFT_4 = {"$schema": "http://json-schema.org/draft-04/schema#"}
DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#"}

INVALID = [
    ({"type": "strin"}, "/type"),
    ({"properties": {"a": {"minLength": -1}}}, "/properties/a/minLength"),
    ({"$schema": "https://json-schema.org/draft/2020-12/schema", "items": [{"type": "integer"}]}, "/items"),
    ({**DRAFT_4, "required": []}, "/required"),
    ({**DRAFT_4, "properties": {"a": True}}, "/properties/a"),
    ({"required": "a"}, "/required"),
    ({"enum": "a"}, "/enum"),
    ({"properties": []}, "/properties"),
    ({"allOf": []}, "/allOf"),
    ({"$defs": {"unused": {"type": 3}}}, "/$defs/unused/type"),
    ({"$ref": "#/$defs/missing"}, "/$ref"),
    ({"properties": {"a": {"$ref": "#nowhere"}}}, "/properties/a/$ref"),
    ({"properties": {"a": {"$ref": "https://example.org/other.json"}}}, "/properties/a/$ref"),
    ({"$ref": "#"}, ""),
    ({"properties": {"a": {"anyOf": [{"type": "null"}, {"$ref": "#/properties/a"}]}}}, "/properties/a/anyOf/1"),
    (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}},
        "/$defs/b/allOf/0",
    ),
    ({"properties": {"a": {"$ref": "#/title"}}, "title": "x"}, "/properties/a/$ref"),
    ({**DRAFT_4, "$ref": 3}, "/$ref"),
    ({"items": {"const": float("nan")}}, "/items"),
    ({"items": {"enum": [{"a": {1, 2}}]}}, "/items"),
    ({"properties": {1: {}}}, "/properties"),
    (3, ""),
    ("{", ""),
]


@pytest.mark.parametrize(("schema", "pointer"), INVALID, ids=lambda x: json.dumps(x, default=str)[:60])
def test_an_invalid_schema_is_refused_with_its_place(schema, pointer):
    with pytest.raises(SchemaError) as caught:
        json_schema("3" if schema == 3 else schema)
    assert caught.value.pointer == pointer


UNSUPPORTED = [
    (
        {"items": {"not": {"uniqueItems": True}}},
        "uniqueItems under not, if, or in branches of oneOf that overlap",
        "/items",
    ),
    ({"minProperties": 6000}, "minProperties 6000 with undeclared keys", "/minProperties"),
    ({"maxProperties": 10**6}, "maxProperties 1000000 with undeclared keys", "/maxProperties"),
    ({"items": {"not": {"maxProperties": 5000}}}, "at least 5001 properties with undeclared keys", "/items"),
    (
        {"$schema": "http://json-schema.org/draft-03/schema#"},
        "$schema 'http://json-schema.org/draft-03/schema#'",
        "/$schema",
    ),
    (
        {"$ref": "#/$defs/a", "$defs": {"a": {"maxProperties": 10**6}}},
        "maxProperties 1000000 with undeclared keys",
        "/$defs/a/maxProperties",
    ),
    (
        {"properties": {"a": {"format": "regex", "minLength": 1}}},
        'format "regex" with other conditions on the same string',
        "/properties/a",
    ),
    (
        {"allOf": [{"not": {"additionalProperties": {"maximum": k}}} for k in range(2)]},
        "several conditions that some undeclared property must have some value",
        "an object",
    ),
]


@pytest.mark.parametrize(("schema", "feature", "where"), UNSUPPORTED, ids=lambda x: json.dumps(x, default=str)[:60])
def test_what_is_not_enforced_is_refused_by_name_and_place(schema, feature, where):
    with pytest.raises(UnsupportedFeature) as caught:
        json_schema(schema)
    assert (caught.value.feature, caught.value.where) == (feature, where)


HARMLESS = [
    {"uniqueItems": False},
    {"type": "string", "uniqueItems": True, "contains": {}},
    {"if": {"type": "null"}},
    {"then": False, "else": False},
    {"minContains": 3},
    {"unevaluatedProperties": True, "unevaluatedItems": {}},
    {"dependentRequired": {}},
    {"$defs": {"unused": {"not": {}, "if": {}, "then": {}}}},
    {"oneOf": [{"minimum": 1}]},
    {**DRAFT_4, "const": 3, "if": {}, "then": {}, "contains": {}},
    {"dependencies": {"a": ["b"]}},
]


@pytest.mark.parametrize("schema", HARMLESS, ids=json.dumps)
def test_what_says_nothing_is_not_refused(schema):
    assert judge(schema).accepts('"x"')


UNSATISFIABLE = [
    ({"not": {}}, "not {}", ""),
    ({"type": "integer", "not": {"type": "number"}}, 'type "integer" and not {"type": "number"}', ""),
    ({"type": "array", "items": {"type": "null"}, "contains": {"type": "integer"}}, "contains", ""),
    ({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["a"]}]}, "oneOf", ""),
    (False, "the schema `false`", ""),
    ({"type": "object", "required": ["a"], "properties": {"a": False}}, "required", ""),
    ({"type": "string", "const": 1}, 'type "string" and const 1 cannot hold together', ""),
    ({"allOf": [{"type": "string"}, {"type": "integer"}]}, 'type "string" and type "integer"', "/allOf/0"),
    ({"type": "array", "minItems": 3, "maxItems": 2}, "minItems 3 and maxItems 2", ""),
    ({"type": "array", "minItems": 1, "items": False}, "minItems 1", ""),
    ({"type": "array", "minItems": 2, "prefixItems": [{}, {"type": "integer", "minimum": 1, "maximum": 0}]},
     "minimum 1 and maximum 0", "/prefixItems/1"),
    ({"type": "object", "required": ["a", "b"], "maxProperties": 1}, 'required ["a", "b"] and maxProperties 1', ""),
    ({"type": "object", "required": ["a"], "additionalProperties": False}, "required", ""),
    ({"type": "object", "minProperties": 2, "additionalProperties": False, "properties": {"a": {}}}, "minProp", ""),
    ({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}, "without end", "/properties/a"),
    ({"type": "object", "required": ["a"], "propertyNames": {"maxLength": 0}}, "propertyNames", ""),
    ({"properties": {"x": {"type": "array", "items": {"$ref": "#/properties/x"}, "minItems": 1}}, "required": ["x"],
      "type": "object"}, "without end", "/properties/x/items"),
    ({"$ref": "#/$defs/a", "minLength": 3, "$defs": {"a": {"type": "string", "maxLength": 2}}}, "maxLength 2", ""),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "words", "where"), UNSATISFIABLE, ids=lambda x: json.dumps(x, default=str)[:60])
def test_a_contradiction_is_named_with_its_place(schema, words, where):
    with pytest.raises(UnsatisfiableError) as caught:
        json_schema(schema)
    assert words in str(caught.value)
    assert caught.value.where == where


def nested(levels: int, keyword: str) -> dict:
    schema: dict = {"type": "string"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}} if keyword == "properties" else {keyword: [schema]}
    return schema


def test_deep_schemas_end_in_a_named_limit():
    for keyword in ("properties", "allOf"):
        with pytest.raises(LimitError):
            json_schema(nested(10_000, keyword))
    assert judge(nested(100, "properties")).accepts('{"a":{"a":{}}}')
    assert judge(nested(100, "allOf")).accepts('"x"')
    chain = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(1000)} | {"d1000": {}}
    with pytest.raises(LimitError):
        json_schema({"$ref": "#/$defs/d0", "$defs": chain})


def test_long_chains_of_required_properties_are_no_problem():
    chain = {
        f"d{n}": {"type": "object", "required": ["a"], "properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}}}
        for n in range(2000)  # twice as many as calls can be nested
    }
    assert judge({"$ref": "#/$defs/d0", "$defs": {**chain, "d2000": {}}}).reads('{"a":{"a":{') == 11
    with pytest.raises(UnsatisfiableError):
        json_schema({"$ref": "#/$defs/d0", "$defs": {**chain, "d2000": False}})


HUGE = [
    ({"type": "string", "minLength": 10**30}, "max_count"),
    ({"items": {"minItems": 2**31}}, "max_count"),
    ({"properties": {"a": {"minProperties": 10**30}}}, "max_count"),
    ('{"type": "number", "maximum": 1e999999999}', "max_exponent"),
    ({"oneOf": [{"properties": {f"p{i}": {"type": "string"}}, "type": "object"} for i in range(200)]}, "max_overlaps"),
    ({"oneOf": [{"required": [f"p{i}"], "type": "object"} for i in range(3000)]}, "max_alternatives"),
    ({"anyOf": [{"required": [f"p{i}"], "type": "object"} for i in range(9000)]}, "max_alternatives"),
    ({"$ref": "#/$defs/0", "$defs": {str(i): {"$ref": f"#/$defs/{(i + 1) % 5000}"} for i in range(5000)}}, None),
]


LONG = 10**9_999
LONG_INTEGERS = [
    ({"type": "integer", "maximum": LONG}, "/maximum"),
    ({"properties": {"a/b": {"type": "number", "exclusiveMinimum": -LONG}}}, "/properties/a~1b/exclusiveMinimum"),
    ({"type": "number", "multipleOf": LONG}, "/multipleOf"),
    ({"const": LONG}, "/const"),
    ({"enum": [1, LONG]}, "/enum"),
    ({"const": [{"a": LONG}]}, "/const"),
    ({"type": "array", "maxItems": LONG}, "/maxItems"),
    ({"type": "string", "default": LONG}, "/default"),
]


@pytest.mark.parametrize(("schema", "pointer"), LONG_INTEGERS)
def test_long_integers_meet_a_limit_that_names_their_place(schema, pointer):
    with pytest.raises(LimitError) as caught:
        json_schema(schema)
    assert (caught.value.limit, caught.value.value) == ("max_digits", 4000)
    assert f"(at {pointer})" in str(caught.value)


def test_long_integers_in_the_text_of_a_schema_meet_a_limit():
    with pytest.raises(LimitError, match="at /properties/a/maximum"):
        json_schema('{"properties": {"a": {"maximum": ' + "9" * 10_000 + "}}}")
    json_schema('{"type": "string", "default": ' + "9" * 10_000 + "}")
    longest = "9" * 3_999
    assert judge('{"type": "integer", "minimum": ' + longest + "}").accepts(longest)
    assert judge({"const": 10**3_999}).accepts("1" + "0" * 3_999)


@pytest.mark.parametrize(("schema", "limit"), HUGE)
def test_huge_schemas_and_numbers_meet_a_limit(schema, limit):
    with pytest.raises(LimitError if limit else SchemaError) as caught:
        json_schema(schema)
    if limit:
        assert caught.value.limit == limit


def test_numbers_that_no_float_holds_are_numbers():
    assert judge('{"type": "number", "minimum": 1e400, "maximum": 1e401}').accepts("1" + 400 * "0")
    assert not judge('{"type": "number", "minimum": 1e400}').accepts("9" + 399 * "0")


def test_a_greatest_count_that_no_text_comes_to_is_none():
    assert judge({"type": "string", "maxLength": 2**53}).accepts('"a"')
    assert judge({"type": "array", "maxItems": 10**30}).accepts("[1,2]")


def test_a_schema_that_contains_itself_is_refused():
    schema: dict = {"type": "array"}
    schema["items"] = schema
    with pytest.raises(SchemaError, match="contains itself"):
        json_schema(schema)
