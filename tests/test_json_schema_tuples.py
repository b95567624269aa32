"""Arrays as `items` in schemas that name no draft: read as drafts up to 2019-09 have them."""

from __future__ import annotations

import itertools
import json

import jsonschema
import pytest
from json_texts import dumps, judge

from guidance_kit.errors import SchemaError
from guidance_kit.grammars.json_schema import json_schema

PAIR = [{"type": "integer"}, {"type": "string"}]
SCHEMAS = [
    {"items": PAIR},
    {"items": PAIR, "additionalItems": False},
    {"items": PAIR, "additionalItems": {"type": "null"}, "minItems": 2},
    {"properties": {"a": {"type": "array", "items": PAIR}}, "required": ["a"]},
    {"anyOf": [{"type": "null"}, {"items": PAIR, "additionalItems": False, "maxItems": 1}]},
    {"$ref": "#/$defs/pair", "$defs": {"pair": {"items": PAIR, "additionalItems": False}}, "minItems": 1},
    {"items": {"items": PAIR, "additionalItems": False}},
]
ITEMS = [1, "x", None, 0.5]
ARRAYS = [list(items) for count in range(4) for items in itertools.product(ITEMS, repeat=count)]
VALUES = [None, *ARRAYS, *({"a": items} for items in ARRAYS), *([items, [1]] for items in ARRAYS)]


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_values_are_those_of_the_older_drafts(schema):
    texts = judge(schema, whitespace="json")
    for draft in (jsonschema.Draft7Validator, jsonschema.Draft201909Validator):
        if draft is jsonschema.Draft7Validator and "$ref" in schema:
            continue  # keywords beside $ref say nothing there
        for value in VALUES:
            assert texts.accepts(dumps(value)) == draft(schema).is_valid(value), value


def test_the_report_says_which_draft_it_is_and_why():
    schema = {"properties": {"a": {"items": PAIR}}}
    report = json_schema(schema).report
    assert (report.draft, report.draft_from) == ("2019-09", "/properties/a/items")
    assert report.as_dict()["draft_from"] == "/properties/a/items"
    assert json_schema({"items": True}).report.draft_from == ""
    named = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    assert (json_schema(named).report.draft, json_schema(named).report.draft_from) == ("7", "$schema")


def test_arrays_that_are_no_items_say_nothing():
    for schema in ({"const": {"items": [1]}}, {"default": {"items": []}}, {"properties": {"items": {"enum": [[1]]}}}):
        assert json_schema(schema).report.draft == "2020-12"


@pytest.mark.parametrize(
    "schema",
    [
        {"items": PAIR, "prefixItems": PAIR},
        {"properties": {"a": {"items": PAIR}, "b": {"prefixItems": PAIR}}},
        {"items": PAIR, "$dynamicAnchor": "a"},
    ],
)
def test_both_ways_to_list_items_are_refused(schema):
    with pytest.raises(SchemaError, match="drafts up to 2019-09") as caught:
        json_schema(schema)
    assert caught.value.pointer.endswith("/items")


def test_the_draft_that_is_named_decides():
    with pytest.raises(SchemaError):
        json_schema({"$schema": "https://json-schema.org/draft/2020-12/schema", "items": PAIR})
    with pytest.raises(SchemaError):
        json_schema({"items": [{"type": "integer"}, 3]})
