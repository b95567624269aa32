"""The constraint of a schema: its texts, its report, documents it refers to, and what is refused."""

from __future__ import annotations

import json
import threading

import pytest
from json_texts import Judge, judge
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from test_json_schema import DRAFT_7, TEXTS

from guidance_kit.errors import OptionError, SchemaError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.grammars.json_schema import Instance, json_schema

# The constraint -------------------------------------------------------------------------------------------------------


def test_the_constraint_reads_its_texts_and_reports():
    schema = {
        **DRAFT_7,
        "title": "T",
        "properties": {
            "a": {"$ref": "#/definitions/n", "description": "ignored beside $ref"},
            "b": {"type": "string", "x-widget": "text", "default": ""},
        },
        "definitions": {"n": {"type": "integer", "const": 1}},
    }
    constraint = json_schema(schema)
    assert constraint.parse('{"a":1}') == {"a": 1}
    report = constraint.report
    assert report.draft == "7"
    assert report.enforced == {"properties": 1, "$ref": 1, "type": 2, "const": 1}
    assert report.annotations == {"title": ("",), "default": ("/properties/b",)}
    assert report.unknown == {"x-widget": ("/properties/b",)}
    assert report.ignored == {"description": ("/properties/a",)}
    assert report.shortest == Instance("0", 0)
    assert json.loads(json.dumps(report.as_dict()))["unknown"] == {"x-widget": ["/properties/b"]}


IMPOSSIBLE_PARTS = [
    ({"properties": {"a": {"minLength": 5, "maxLength": 3, "type": "string"}}}, "/properties/a",
     {"type", "minLength", "maxLength"}),
    ({"anyOf": [{"type": "integer", "allOf": [{"minimum": 5}, {"maximum": 3}]}, True]}, "/anyOf/0",
     {"type", "allOf/0/minimum", "allOf/1/maximum"}),
    ({"items": {"$ref": "#/$defs/e"}, "$defs": {"e": {"enum": [1, "a"], "minimum": 2, "maxLength": 0}}}, "/$defs/e",
     {"enum", "minimum", "maxLength"}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "pointer", "keywords"), IMPOSSIBLE_PARTS)
def test_the_report_says_what_can_never_be_written(schema, pointer, keywords):
    found = json_schema(schema).report.impossible
    assert set(found[pointer].keywords) == {f"{pointer}/{keyword}" for keyword in keywords}
    assert all(keyword.rpartition("/")[2] in found[pointer].message for keyword in keywords)


def test_contradictions_name_their_keywords():
    with pytest.raises(UnsatisfiableError, match="minLength 5 and maxLength 3") as caught:
        schema = {"type": "string", "minLength": 5, "maxLength": 3}
        json_schema({"type": "object", "required": ["a"], "properties": {"a": schema}})
    assert caught.value.keywords == tuple(f"/properties/a/{word}" for word in ("type", "minLength", "maxLength"))


@pytest.mark.parametrize(
    ("schema", "options", "text"),
    [
        ({"type": "string", "minLength": 3}, {}, '"aaa"'),
        ({"type": "object", "required": ["b", "a"], "properties": {"a": {"enum": [100, 22]}}}, {}, '{"a":22,"b":0}'),
        ({"type": "array", "minItems": 2, "items": {"type": "boolean"}}, {"whitespace": "json"}, "[true, true]"),
        ({"type": "integer", "minimum": 12}, {}, "12"),
        ({"const": "é"}, {}, '"é"'),
        ({"type": "string", "minLength": 40_000}, {}, None),
    ],
)
def test_the_report_shows_a_shortest_instance(schema, options, text):
    shortest = json_schema(schema, **options).report.shortest
    assert shortest == (None if text is None else Instance(text, json.loads(text)))


def test_other_documents_come_from_a_registry_alone():
    schema = {"$ref": "https://example.org/count", "maximum": 5}
    with pytest.raises(SchemaError, match="pass a registry"):
        json_schema(schema)
    counts = [{"type": "integer", "minimum": 1}, {"$ref": "other#least", "type": "integer"}]
    other = {"$id": "https://example.org/other", "$defs": {"x": {"$anchor": "least", "minimum": 3}}}
    found = []
    for count in counts:
        resources = [("https://example.org/count", count), ("https://example.org/other", other)]
        registry = Registry().with_contents(resources, default_specification=DRAFT202012)
        found.append(json_schema(schema, registry=registry))
    assert found[0] != found[1]
    assert [Judge(constraint).accepts("2") for constraint in found] == [True, False]
    assert all(Judge(constraint).accepts("3") and not Judge(constraint).accepts("6") for constraint in found)
    with pytest.raises(UnsupportedFeature) as caught:
        json_schema(
            schema,
            registry=Registry().with_contents(
                [("https://example.org/count", {"maxProperties": 10**6})], default_specification=DRAFT202012
            ),
        )
    assert caught.value.where == "/https:~1~1example.org~1count/maxProperties"


def test_equal_schemas_make_equal_constraints():
    assert json_schema({"type": "null"}) == json_schema({"type": "null"})
    assert json_schema({"type": "null"}) == json_schema('{"type": "null"}')
    assert json_schema({"type": "null"}) != json_schema({"type": "null"}, whitespace="compact")
    assert hash(json_schema({"a": 1})) == hash(json_schema({"a": 1}))


def test_networks_of_one_constraint_may_grow_in_several_threads():
    constraint = json_schema(TEXTS[-1][0])
    text = TEXTS[-1][1][-1]
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append(Judge(constraint).accepts(text))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


def test_unknown_options_and_types_are_refused():
    with pytest.raises(TypeError):
        json_schema({}, white_space="compact")
    with pytest.raises(OptionError):
        json_schema({}, whitespace="pretty")
    with pytest.raises(OptionError):
        json_schema({}, formats="ignore")


def test_formats_may_be_annotations():
    schema = {"type": "string", "format": "date"}
    assert not judge(schema).accepts('"x"')
    constraint = json_schema(schema, formats="annotate")
    assert Judge(constraint).accepts('"x"')
    assert constraint.report.weakened == {"format": ("",)}
    assert not constraint.report.annotations
    assert constraint.report.options == ("formats=annotate",)
    assert constraint != json_schema(schema)
