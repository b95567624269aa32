"""JSON Schemas: objects, arrays, combinations, references and the report."""

from __future__ import annotations

import json

import pytest
from json_texts import judge

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.formats.table import FORMATS, NUMBER_FORMATS, RULE_FORMATS, format_table
from guidance_kit.grammars.json_schema.keywords.table import KEYWORDS, support_table
from tools.document_json_schema import PAGE, with_tables

DRAFT_4 = {"$schema": "http://json-schema.org/draft-04/schema#"}
DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#"}

# (schema, accepted, rejected); texts in the style that the default takes.
TEXTS = [
    # Booleans and types
    (True, ["1", '"a"', "null", "[]", '{"a":[1,{}]}'], ["", "nul", "[1,]", "{a:1}"]),
    ({}, ["1", "false"], ["tru"]),
    ({"type": "null"}, ["null"], ["0", '"null"']),
    ({"type": ["boolean", "null"]}, ["true", "false", "null"], ["1", '"true"', "True"]),
    ({"type": "object"}, ["{}", '{"":0}'], ["[]", "1"]),
    ({"type": "array"}, ["[]", "[1,[2]]"], ["{}"]),
    # Objects
    ({"properties": {"a": {"type": "integer"}}}, ["{}", '{"a":1}', '{"b":"x"}', '{"a":1,"b":2}', "[]"], ['{"a":"x"}']),
    (
        {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "required": ["b"], "additionalProperties": False},
        ['{"b":1}', '{"a":1,"b":2}', '{"b":1,"c":2}', '{"a":1,"b":2,"c":3}'],
        ["{}", '{"a":1}', '{"b":1,"a":2}', '{"b":1,"b":2}', '{"b":1,"d":2}', '{"b":1,}', '{,"b":1}'],
    ),
    (
        {"type": "object", "properties": {"ab": {"const": 1}}, "additionalProperties": {"const": 2}},
        ['{"ab":1}', '{"a":2}', '{"abc":2}', '{"ab":1,"b":2}', '{"":2}', '{"\\u0061b":1}', '{"aB":2}'],
        ['{"ab":2}', '{"a":1}', '{"\\u0061b":2}', '{"a\\u0062":2}', '{"\\u0061\\u0062":2}', '{"abc":1}'],
    ),
    ({"type": "object", "required": ["x"]}, ['{"x":1}', '{"a":1,"x":2}', '{"x":1,"b":2}'], ["{}", '{"a":1}', "1"]),
    (
        {"type": "object", "properties": {"p": {}}, "required": ["y", "x"], "additionalProperties": {"type": "null"}},
        ['{"x":null,"y":null}', '{"y":null,"z":null,"x":null}', '{"p":1,"x":null,"y":null}'],
        ['{"x":null}', '{"x":1,"y":null}', '{"x":null,"y":null,"x":null}'],
    ),
    ({"type": "object", "additionalProperties": False}, ["{}"], ['{"a":1}']),
    (
        {"type": "object", "properties": {"a": False, "b": {}}},
        ["{}", '{"b":1}', '{"c":1}'],
        ['{"a":1}', '{"a":null,"b":1}'],
    ),
    (
        {"type": "object", "patternProperties": {"^a": {"type": "integer"}, "b$": {"minimum": 5}}},
        ['{"a":1}', '{"b":5}', '{"ab":5}', '{"c":"x"}', '{"ab":7,"a":1}'],
        ['{"a":"x"}', '{"b":1}', '{"ab":1}', '{"ab":7.5}'],
    ),
    (
        {
            "properties": {"ax": {"maximum": 9}},
            "patternProperties": {"^a": {"type": "integer"}},
            "additionalProperties": False,
        },
        ['{"ax":9}', '{"ay":10}', '{"ax":1,"a":2}'],
        ['{"ax":10}', '{"ax":"s"}', '{"b":1}', '{"ay":1.5}'],
    ),
    ({"type": "object", "propertyNames": {"maxLength": 2}}, ["{}", '{"ab":1}', '{"é\\n":1}'], ['{"abc":1}']),
    (
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}, "required": ["a"]},
        ['{"a":1}'],
        ["{}", '{"a":1,"c":1}'],
    ),
    ({"type": "object", "minProperties": 1}, ['{"a":1}', '{"a":1,"b":2}'], ["{}"]),
    ({"type": "object", "maxProperties": 1}, ["{}", '{"a":1}'], ['{"a":1,"b":2}']),
    (
        {
            "properties": {"a": {}, "b": {}, "c": {}},
            "additionalProperties": False,
            "minProperties": 2,
            "maxProperties": 2,
        },
        ['{"a":1,"b":1}', '{"a":1,"c":1}', '{"b":1,"c":1}'],
        ["{}", '{"a":1}', '{"a":1,"b":1,"c":1}'],
    ),
    (
        {"properties": {"a": {}, "b": {}}, "required": ["b"], "minProperties": 2, "maxProperties": 3},
        ['{"a":1,"b":1}', '{"b":1,"x":1}', '{"b":1,"x":1,"y":2}'],
        ['{"b":1}', '{"a":1}', '{"a":1,"b":1,"x":1,"y":1}'],
    ),
    # Arrays
    ({"items": {"type": "integer"}}, ["[]", "[1]", "[1,2,3]", '"x"'], ['["x"]', "[1,null]"]),
    ({"type": "array", "minItems": 2}, ["[1,2]", "[1,2,3]"], ["[]", "[1]"]),
    ({"type": "array", "maxItems": 2}, ["[]", "[1]", "[1,2]"], ["[1,2,3]"]),
    ({"type": "array", "maxItems": 0}, ["[]"], ["[1]"]),
    (
        {"type": "array", "minItems": 7, "maxItems": 9, "items": {"const": 1}},
        [f"[{','.join('1' * n)}]" for n in (7, 8, 9)],
        [f"[{','.join('1' * n)}]" for n in (0, 1, 6, 10)],
    ),
    (
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        ["[]", "[1]", '[1,"a"]', '[1,"a",null]'],
        ['["a"]', "[1,2]"],
    ),
    (
        {"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": False},
        ["[]", "[1]", "[1,2]"],
        ["[1,2,3]", "[2]"],
    ),
    (
        {"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 0}, "minItems": 3},
        ["[1,0,0]", "[1,0,0,0]"],
        ["[1]", "[1,0]", "[0,0,0]"],
    ),
    ({"type": "array", "prefixItems": [{}, False]}, ["[]", "[1]"], ["[1,1]"]),
    ({"type": "array", "items": False}, ["[]"], ["[1]"]),
    ({"type": "array", "maxItems": 1, "uniqueItems": True}, ["[]", "[1]"], ["[1,2]"]),
    ({**DRAFT_7, "items": [{"const": 1}], "additionalItems": {"const": 2}}, ["[]", "[1]", "[1,2,2]"], ["[2]", "[1,1]"]),
    ({**DRAFT_7, "items": {"const": 1}, "additionalItems": False}, ["[]", "[1,1]"], ["[2]"]),
    # Values
    (
        {"const": {"a": [1, "x", None]}},
        ['{"a":[1,"x",null]}', '{ "a" : [ 1.0, "\\u0078", null ] }'],
        ['{"a":[1,"x"]}', "{}"],
    ),
    ({"enum": ["a", 1, None, [], {}, True]}, ['"a"', "1", "null", "[]", "{}", "true"], ["false", '"b"', "[1]"]),
    (
        {"enum": [{"k": 1}, {"k": 2}, 3], "type": "object", "properties": {"k": {"minimum": 2}}},
        ['{"k":2}'],
        ['{"k":1}', "3"],
    ),
    ({"enum": [[1, 2], [3]], "minItems": 2}, ["[1,2]"], ["[3]"]),
    ({"enum": [0, False], "type": "boolean"}, ["false"], ["0"]),
    # Combinations with siblings
    ({"anyOf": [{"type": "integer"}, {"type": "string"}], "maxLength": 1}, ["5", '"a"'], ['"ab"', "null"]),
    (
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        ['{"a":1}', '{"b":"x"}', '{"a":1,"b":2}'],
        ["{}", '{"a":"x","b":1}', '{"c":1}'],
    ),
    ({"allOf": [{"minimum": 1}, {"maximum": 3}], "type": "integer"}, ["1", "3"], ["0", "4", "1.5"]),
    (
        {
            "allOf": [
                {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
                {"properties": {"b": {"type": "string"}, "a": {"minimum": 5}}, "additionalProperties": False},
            ],
            "type": "object",
        },
        ['{"a":5}', '{"a":7,"b":"x"}'],
        ['{"a":4}', "{}", '{"a":5,"c":1}', '{"a":5.5}'],
    ),
    ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, ["1", '"a"'], ["null", "1.5"]),
    (
        {
            "oneOf": [
                {"properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
                {"properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["kind"]},
            ],
            "type": "object",
        },
        ['{"kind":"a","x":1}', '{"kind":"b"}', '{"kind":"b","y":"","x":null}'],
        ['{"kind":"a"}', '{"kind":"c"}', '{"kind":"b","y":1}'],
    ),
    ({"oneOf": [{"minimum": 5}, {"maximum": 4}], "type": "integer"}, ["4", "5"], ["4.5"]),
    ({"oneOf": [{"minimum": 5}, {"maximum": 7}], "type": "integer"}, ["4", "8"], ["5", "6", "7"]),
    ({"oneOf": [{"type": "object", "minProperties": 2}, {"minimum": 5}]}, ["{}", '{"a": 1}'], ['{"a": 1, "b": 2}']),
    (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object", "properties": {"a": {}, "b": {}}},
        ['{"a":1}', '{"b":1}', '{"b":1,"c":2}'],
        ["{}", '{"a":1,"b":1}', '{"c":1}'],
    ),
    (
        {
            "oneOf": [{"properties": {"a": {"type": kind}}} for kind in ("integer", "number", "string")],
            "type": "object",
        },
        ['{"a":1.5}', '{"a":"x"}', '{"a":1.5,"b":1}'],
        ["{}", '{"a":1}', '{"a":null}', '{"b":1}'],
    ),
    # Negation
    ({"not": {"type": ["string", "object", "array"]}}, ["1", "null", "true"], ['"a"', "{}", "[]"]),
    ({"not": {"type": "integer"}, "type": "number"}, ["1.5", "-0.25", "0.10"], ["1", "1.0", "0", "15e-1", "-0"]),
    ({"not": {"multipleOf": 3}, "multipleOf": 2, "type": "integer"}, ["2", "-4", "8"], ["0", "6", "3", "-12"]),
    ({"not": {"minimum": 2, "maximum": 4}, "type": "number"}, ["1.99", "4.01", "-3", "1e9"], ["2", "3.5", "4.0"]),
    (
        {"not": {"enum": [1, "a", None, 2.5]}},
        ["2", '"b"', "1.5", "-1", '""', "false"],
        ["1", '"a"', '"\\u0061"', "2.50"],
    ),
    ({"not": {"pattern": "^a", "maxLength": 2}, "type": "string"}, ['"b"', '"abc"', '""'], ['"a"', '"ab"']),
    ({"not": {"items": {"type": "integer"}}, "type": "array"}, ["[null]", "[1,null,2]"], ["[]", "[1,2]"]),
    (
        {"not": {"prefixItems": [{"const": 1}], "minItems": 1}, "type": "array"},
        ["[]", "[2]", "[2,1]"],
        ["[1]", "[1,2]"],
    ),
    ({"not": {"required": ["a"]}, "type": "object"}, ["{}", '{"b":1}'], ['{"a":1}', '{"b":1,"a":1}', '{"\\u0061":1}']),
    (
        {"not": {"properties": {"a": {"const": 1}, "b": {"const": 2}}}, "type": "object"},
        ['{"a":2}', '{"a":1,"b":1}', '{"a":2,"b":2,"c":0}'],
        ["{}", '{"a":1}', '{"a":1,"b":2}', '{"c":1}'],
    ),
    (
        {"not": {"additionalProperties": {"type": "integer"}}, "type": "object"},
        ['{"a":null}', '{"a":1,"b":null}', '{"b":null,"a":""}'],
        ["{}", '{"a":1}', '{"a":null,"a":1}'],
    ),
    (
        {"not": {"patternProperties": {"^a": {"const": 1}}, "additionalProperties": False}, "type": "object"},
        ['{"b":1}', '{"a":2}', '{"a":1,"b":1}'],
        ["{}", '{"a":1,"ab":1}'],
    ),
    ({"not": {"propertyNames": {"maxLength": 1}}, "type": "object"}, ['{"ab":1}', '{"a":1,"bb":1}'], ["{}", '{"a":1}']),
    ({"not": {"minProperties": 2}, "type": "object"}, ["{}", '{"a":1}'], ['{"a":1,"b":1}']),
    ({"not": {"not": {"const": [1]}}}, ["[1]"], ["[]", "[2]", "1"]),
    ({"not": {"anyOf": [{"type": "object"}, {"const": [1]}]}}, ["[]", "[1,1]", "[2]", "1"], ["{}", "[1]"]),
    # Conditions
    (
        {
            "type": "object",
            "properties": {"kind": {"enum": ["a", "b"]}, "x": {}},
            "required": ["kind"],
            "if": {"properties": {"kind": {"const": "a"}}},
            "then": {"required": ["x"]},
            "else": {"properties": {"x": False}},
        },
        ['{"kind":"a","x":1}', '{"kind":"b"}', '{"kind":"b","y":1}'],
        ['{"kind":"a"}', '{"kind":"b","x":1}', "{}"],
    ),
    ({"if": {"type": "integer"}, "then": {"minimum": 3}}, ["3", "2.5", '"x"'], ["2"]),
    ({"if": {"type": "integer"}, "else": {"type": "string"}}, ["3", '"x"'], ["2.5", "null"]),
    (
        {"dependentRequired": {"a": ["b"], "c": ["a"]}, "type": "object", "properties": {"a": {}, "b": {}, "c": {}}},
        ["{}", '{"b":1}', '{"a":1,"b":1}', '{"a":1,"b":1,"c":1}'],
        ['{"a":1}', '{"c":1}', '{"b":1,"c":1}'],
    ),
    (
        {"dependentSchemas": {"a": {"properties": {"b": {"type": "integer"}}, "minProperties": 2}}, "type": "object"},
        ["{}", '{"b":"x"}', '{"b":1,"a":1}'],
        ['{"a":1}', '{"b":"x","a":1}'],
    ),
    (
        {"type": ["array", "object"], "dependentSchemas": {"a": {"items": True}}, "unevaluatedItems": False},
        ["[]", '{"a":1}'],
        ["[1]"],
    ),
    (
        {"type": "array", "dependentSchemas": {"a": {"prefixItems": [{}]}}, "unevaluatedItems": {"type": "string"}},
        ["[]", '["x"]'],
        ["[1]", '["x",1]'],
    ),
    (
        {**DRAFT_7, "dependencies": {"a": ["b"], "b": {"properties": {"b": {"const": 1}}}}, "type": "object"},
        ["{}", '{"b":1,"a":2}', '{"b":1}'],
        ['{"a":1}', '{"b":2}'],
    ),
    # Items that are counted
    ({"contains": {"type": "integer"}}, ["[1]", '["a",1]', "[1,2]", "3"], ["[]", '["a"]', "[1.5]"]),
    ({"contains": {"const": 1}, "maxContains": 2, "type": "array"}, ["[1]", "[1,0,1]"], ["[]", "[0]", "[1,1,0,1]"]),
    (
        {"contains": {"const": 1}, "minContains": 2, "maxItems": 3},
        ["[1,1]", "[0,1,1]"],
        ["[1]", "[0,0,1]", "[1,1,1,1]"],
    ),
    ({"contains": {"const": 1}, "minContains": 0, "maxContains": 0, "type": "array"}, ["[]", "[0]"], ["[1]", "[0,1]"]),
    ({"contains": {}, "minContains": 2, "maxContains": 3, "type": "array"}, ["[1,2]", "[1,2,3]"], ["[1]", "[1,1,1,1]"]),
    (
        {"allOf": [{"contains": {"multipleOf": 2}}, {"contains": {"multipleOf": 3}}], "maxItems": 2, "type": "array"},
        ["[6]", "[2,3]", "[3,4]"],
        ["[2]", "[3]", "[2,4]", "[1,2,3]"],
    ),
    # What nothing else has looked at
    (
        {
            "type": "object",
            "properties": {"a": {}},
            "anyOf": [
                {"properties": {"b": {"const": 1}}, "required": ["b"]},
                {"properties": {"c": {}}, "required": ["c"]},
            ],
            "unevaluatedProperties": False,
        },
        ['{"a":0,"b":1}', '{"c":2}', '{"a":0,"b":1,"c":2}'],
        ["{}", '{"a":0}', '{"b":2,"c":1}', '{"b":1,"d":1}'],
    ),
    (
        {
            "type": "object",
            "if": {"patternProperties": {"^x": {"type": "integer"}}, "required": ["x"]},
            "then": {"properties": {"t": {}}},
            "unevaluatedProperties": {"const": 0},
        },
        ['{"t":1,"x":5}', '{"t":0}', '{"y":0}', '{"x":7,"y":0}'],
        ['{"t":1}', '{"x":"s"}', '{"x":5,"y":1}'],
    ),
    (
        {"allOf": [{"properties": {"a": {}}, "unevaluatedProperties": True}], "unevaluatedProperties": False},
        ['{"a":1}', '{"b":1}', "1"],
        [],
    ),
    (
        {"type": "object", "not": {"properties": {"a": {"const": 1}}, "unevaluatedProperties": False}},
        ['{"a":2}', '{"b":1}'],
        ["{}", '{"a":1}'],
    ),
    (
        {"prefixItems": [{}], "contains": {"const": 1}, "unevaluatedItems": {"const": 2}, "type": "array"},
        ["[0,1]", "[0,2,1]", "[1,1,2]"],
        ["[0]", "[0,1,3]", "[0,2]"],
    ),
    (
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "items": [{}], "unevaluatedItems": False},
        ["[]", "[1]"],
        ["[1,2]"],
    ),
    # Dynamic references
    (
        {
            "$id": "https://example.org/strict",
            "$ref": "tree",
            "$dynamicAnchor": "node",
            "unevaluatedProperties": False,
            "$defs": {
                "tree": {
                    "$id": "https://example.org/tree",
                    "$dynamicAnchor": "node",
                    "type": "object",
                    "properties": {"v": {"type": "integer"}, "c": {"items": {"$dynamicRef": "#node"}, "type": "array"}},
                }
            },
        },
        ['{"v":1,"c":[{"v":2},{"c":[]}]}', "{}"],
        ['{"w":1}', '{"c":[{"w":1}]}', '{"c":[1]}'],
    ),
    (
        {
            "$schema": "https://json-schema.org/draft/2019-09/schema",
            "$id": "https://example.org/strict",
            "$recursiveAnchor": True,
            "$ref": "tree",
            "required": ["v"],
            "$defs": {
                "tree": {
                    "$id": "https://example.org/tree",
                    "$recursiveAnchor": True,
                    "type": "object",
                    "properties": {"c": {"$recursiveRef": "#"}},
                }
            },
        },
        ['{"v":1}', '{"c":{"v":1},"v":1}'],
        ['{"c":{},"v":1}', "{}"],
    ),
    # References
    ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "integer"}}}, ["1"], ['"x"']),
    ({"$ref": "#/$defs/a", "minimum": 3, "$defs": {"a": {"type": "integer"}}}, ["3"], ["2", "3.5"]),
    ({**DRAFT_7, "$ref": "#/definitions/a", "minimum": 3, "definitions": {"a": {"type": "integer"}}}, ["2"], ['"x"']),
    ({"properties": {"a%b": {"const": 1}, "c": {"$ref": "#/properties/a%25b"}}}, ['{"c":1}'], ['{"c":2}']),
    (
        {"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"const": 1}}, "additionalProperties": False},
        ["{}", '{"next":{"next":{}}}', '{"next":{"v":1},"v":1}'],
        ['{"next":1}', '{"next":{"w":1}}'],
    ),
    (
        {"$ref": "#list", "$defs": {"l": {"$anchor": "list", "type": "array", "items": {"$ref": "#list"}}}},
        ["[]", "[[],[[]]]"],
        ["[1]"],
    ),
    (
        {
            "$id": "https://example.org/root.json",
            "$ref": "item.json#/$defs/n",
            "$defs": {"i": {"$id": "item.json", "$defs": {"n": {"$ref": "#m"}, "m": {"$anchor": "m", "const": 1}}}},
        },
        ["1"],
        ["2"],
    ),
    (  # two recursive schemas at once: trees that are both
        {
            "allOf": [{"$ref": "#/$defs/wide"}, {"$ref": "#/$defs/named"}],
            "$defs": {
                "wide": {"type": "object", "properties": {"c": {"type": "array", "items": {"$ref": "#/$defs/wide"}}}},
                "named": {
                    "required": ["n"],
                    "properties": {"n": {"type": "integer"}, "c": {"items": {"$ref": "#/$defs/named"}}},
                },
            },
        },
        ['{"n":1}', '{"c":[],"n":1}', '{"c":[{"n":2},{"c":[{"n":4}],"n":3}],"n":1}'],
        ["{}", '{"c":[{}],"n":1}', '{"c":[1],"n":1}', '{"c":[{"c":[{}],"n":3}],"n":1}'],
    ),
]


@pytest.mark.parametrize(("schema", "accepted", "rejected"), TEXTS, ids=lambda x: json.dumps(x, default=str)[:60])
def test_texts(schema, accepted, rejected):
    constraint = judge(schema)
    for text in accepted:
        assert constraint.accepts(text), text
    for text in rejected:
        assert not constraint.accepts(text), text


def test_properties_come_in_declared_order_through_all_of_and_references():
    base = {"properties": {"b": {}, "a": {}}}
    schema = {"$defs": {"base": base}, "allOf": [{"$ref": "#/$defs/base"}], "properties": {"d": {}, "c": {}}}
    constraint = judge({"type": "object", "required": ["a", "b", "c", "d"], **schema})
    assert constraint.accepts('{"d":1,"c":1,"b":1,"a":1}')
    assert not constraint.accepts('{"b":1,"a":1,"d":1,"c":1}')
    later = judge({"allOf": [base], "properties": {"d": {}, "c": {}}, "required": ["a", "b", "c", "d"]})
    assert later.accepts('{"b":1,"a":1,"d":1,"c":1}')


def test_an_optional_property_without_values_is_not_offered():
    constraint = judge(
        {"properties": {"ab": {"minimum": 2, "maximum": 1, "type": "integer"}, "ac": {}}, "type": "object"}
    )
    assert constraint.reads('{"ab"') < 5
    assert constraint.accepts('{"ac":1}')


def test_lone_surrogates_cannot_be_written():
    constraint = judge({"properties": {"\ud800": {}, "a": {"enum": ["\udfff", "x\ud800", "y"]}}, "type": "object"})
    assert constraint.accepts('{"a":"y","b":1}')
    assert not constraint.accepts('{"\\ud800":1}')
    assert not constraint.accepts('{"a":"\\udfff"}')
    with pytest.raises(UnsatisfiableError):
        json_schema({"const": "\ud800"})
    with pytest.raises(UnsatisfiableError):
        json_schema({"type": "object", "required": ["\ud800"]})
    assert judge({"const": "\U0001f600"}).accepts('"\\ud83d\\ude00"')


def test_the_tables_cover_everything():
    table, formats = support_table(), format_table()
    assert {row.name for row in KEYWORDS} == {line.split("`")[1] for line in table.splitlines()[2:]}
    assert {*FORMATS, *NUMBER_FORMATS, *RULE_FORMATS} == {line.split("`")[1] for line in formats.splitlines()[2:]}


def test_the_documentation_shows_the_tables():
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_tables(page), "run: python tools/document_json_schema.py"
