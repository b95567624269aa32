"""Lowering of schemas: exact where nothing is lost, and what is lost has instances."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import pytest
from command_line import run
from marks import thinned
from schemas import whole_schema

import guidance_kit as gk
from guidance_kit.grammars import lowered_schema
from guidance_kit.grammars.json_schema.lowering.rewriting import Rewriter, modernised
from guidance_kit.grammars.json_schema.lowering.targets import TARGETS

CLOSED = {"type": "object", "additionalProperties": False}

LOWERED: list[tuple[str, Any, Any]] = [
    # target, schema, lowered schema, nothing lost
    ("gemini", {"const": 1}, {"enum": [1]}),
    ("gemini", {"enum": [[1]]},
     {"anyOf": [{"type": "array", "prefixItems": [{"enum": [1]}], "minItems": 1, "maxItems": 1}]}),
    ("gemini", {"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
    ("xgrammar", {"allOf": [{"type": "integer", "minimum": 1}, {"minimum": 2, "maximum": 9}]},
     {"type": "integer", "minimum": 2, "maximum": 9}),
    ("xgrammar", {"oneOf": [{"type": "null"}, {"type": "string"}]}, {"anyOf": [{"type": "null"}, {"type": "string"}]}),
    ("xgrammar", {"type": "object", "properties": {"a": {"type": "null"}}, "anyOf": [{"required": ["a"]}, {}]},
     {"anyOf": [{"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]},
                {"type": "object", "properties": {"a": {"type": "null"}}}]}),
    ("gemini", {"self": 1, "x-note": 2, "type": "null", "default": None}, {"type": "null"}),
    ("llguidance", {"type": "object", "unevaluatedProperties": False, "uniqueItems": False},
     {"type": "object", "additionalProperties": False}),
    ("llguidance", {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}],
                    "additionalItems": False, "type": "array"},
     {"type": "array", "prefixItems": [{"type": "null"}], "items": False}),
    ("anthropic", {"type": "string", "maxLength": 3}, {"type": "string", "pattern": "^[\\s\\S]{0,3}$"}),
    ("anthropic", {**CLOSED, "properties": {"a": {"allOf": [{"$ref": "#/$defs/x"}]}}, "$defs": {"x": {"type": "null"}}},
     {**CLOSED, "properties": {"a": {"type": "null"}}, "$defs": {"x": {"type": "null"}}}),
]  # fmt: skip


@pytest.mark.parametrize(("target", "schema", "expected"), LOWERED)
def test_equivalences(target: str, schema: Any, expected: Any) -> None:
    lowered = gk.lower(schema, target)
    assert lowered.schema == expected
    assert lowered.residue == ()
    assert lowered.is_equivalent
    assert gk.compare(modernised(schema, 9), lowered.schema).relation == "equal" or "items" in schema


LOST = [
    # target, schema, pointer, keyword, let through, never written
    ("gemini", {"type": "string", "maxLength": 2}, "", "maxLength", "aaa", None),
    ("anthropic", {"type": "array", "items": {"type": "null"}, "minItems": 2}, "", "minItems", [None], None),
    ("anthropic", {"type": "string", "pattern": "^(?=a)"}, "", "pattern", "", None),
    ("anthropic", {"type": "object", "properties": {"a": {"type": "null"}}}, "", "additionalProperties", None, {"": 0}),
    ("xgrammar", {"oneOf": [{"type": "integer", "minimum": 2}, {"type": "integer", "maximum": 5}]}, "", "oneOf", 2,
     None),
    ("llguidance", {"type": "string", "pattern": "^(?=a)"}, "", "pattern", "", None),
    ("llguidance", {"properties": {"a": {"not": {"type": "null"}}}}, "/properties/a", "not", None, None),
    ("outlines", {"type": "integer", "minimum": 1}, "", "minimum", 0, None),
    ("openai", {**CLOSED, "properties": {"a": {"minLength": 1}}}, "/properties/a", "type", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("target", "schema", "pointer", "keyword", "through", "never"), LOST)
def test_what_is_lost_has_an_instance(
    target: str, schema: Any, pointer: str, keyword: str, through: Any, never: Any
) -> None:
    lowered = gk.lower(schema, target)
    assert not lowered.is_equivalent
    residue = next(one for one in lowered.residue if (one.pointer, one.keyword) == (pointer, keyword))
    assert residue.is_certain
    assert residue.let_through is not None or residue.never_written is not None
    if through is not None:
        assert residue.let_through is not None
        assert residue.let_through.value == through
        with pytest.raises(gk.MatchError, match="the schema refuses"):
            lowered.parse(json.dumps(through))
    if never is not None:
        assert residue.never_written is not None
        assert residue.never_written.value == never


@pytest.mark.parametrize(
    ("limit", "value", "doubt"),
    [("_STEPS", 1, "gave up after 1 steps"), ("_MOST_COMPARED", 0, "gave up after 0 comparisons")],
)
def test_what_was_not_decided_says_why(monkeypatch: pytest.MonkeyPatch, limit: str, value: int, doubt: str) -> None:
    monkeypatch.setattr(lowered_schema, limit, value)
    schema = {"type": "array", "items": {"type": "string"}, "minItems": 4, "uniqueItems": True}
    residue = next(one for one in gk.lower(schema, "openai").residue if one.keyword == "uniqueItems")
    assert not residue.is_certain
    assert residue.doubt.startswith(doubt)
    assert f"whether that matters is not known: {doubt}" in str(residue)


def test_boolean_schemas() -> None:
    assert gk.lower(True, "llguidance").schema == {}
    assert gk.lower(True, "llguidance").is_equivalent
    refused = gk.lower(False, "llguidance")
    assert [residue.keyword for residue in refused.residue] == ["not"]
    with pytest.raises(gk.MatchError, match="the schema refuses"):
        refused.parse("0")


def check_lowered(schema: Any, target: str) -> bool:
    """Compare a schema with its lowered form; return whether something follows from the residue about the two."""
    try:
        lowered = gk.lower(schema, target)
        result = gk.compare(lowered.schema, schema, steps=50_000)
    except gk.ConstraintError:
        return False
    is_wider = all(one.never_written is None and one.is_certain for one in lowered.residue)
    is_narrower = all(one.let_through is None and one.is_certain for one in lowered.residue)
    if is_wider:
        assert result.right_in_left.holds is not False, (schema, lowered.schema, str(result))
    if is_narrower:
        assert result.left_in_right.holds is not False, (schema, lowered.schema, str(result))
    return is_wider or is_narrower


PLAIN = {
    "type": "object",
    "properties": {
        "a": {"oneOf": [{"type": "string", "maxLength": 3}, {"type": "integer", "exclusiveMinimum": 2}]},
        "b": {"allOf": [{"$ref": "#/$defs/x"}, {"required": ["d"]}]},
        "e": {"enum": [1, "x", [2], {"y": None}]},
        "f": {"type": "array", "items": {"const": 1}, "minItems": 2, "uniqueItems": True},
    },
    "required": ["a"],
    "$defs": {"x": {"type": "object", "properties": {"d": {"format": "ipv4"}}, "minProperties": 1}},
}


@pytest.mark.parametrize("target", thinned(["gemini", "anthropic", "bedrock", "llguidance", "xgrammar", "outlines"], 2))
def test_nothing_is_lost_but_the_residue(target: str) -> None:
    closed = {**PLAIN, "additionalProperties": False}
    check_lowered(PLAIN, target)
    check_lowered(closed, target)


def test_the_residue_tells_which_way_a_schema_differs() -> None:
    assert check_lowered({**PLAIN, "additionalProperties": False}, "llguidance")


@pytest.mark.slow
@pytest.mark.parametrize("target", ["gemini", "anthropic", "llguidance", "xgrammar", "outlines"])
def test_drawn_schemas_lose_nothing_but_the_residue(target: str) -> None:
    assert sum(check_lowered(whole_schema(random.Random(seed)), target) for seed in range(200)) > 10


def test_a_wrong_residue_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guidance_kit.grammars.lowered_schema._residue", lambda changes, definitions: [])
    with pytest.raises(AssertionError):
        check_lowered({"type": "string", "minLength": 3}, "gemini")


def test_keywords_are_those_of_the_target() -> None:
    lowered = 0
    for seed in range(60):
        for rules in TARGETS.values():
            try:
                schema = Rewriter(rules, modernised(whole_schema(random.Random(seed)), 9)).rewritten()
            except (gk.ConstraintError, TypeError):  # a boolean, or references that lead back
                continue
            lowered += 1
            todo: list[tuple[Any, bool]] = [(schema, False)]
            while todo:
                part, is_map = todo.pop()
                if isinstance(part, list):
                    todo += ((inner, False) for inner in part)
                elif isinstance(part, dict) and is_map:
                    todo += ((inner, False) for inner in part.values())
                elif isinstance(part, dict):
                    assert part.keys() <= rules.keywords | {"title", "description"}
                    todo += (
                        (value, key in ("properties", "$defs", "definitions"))
                        for key, value in part.items()
                        if key not in ("enum", "const")
                    )
    assert lowered > 200


def test_optional_properties_are_null_where_all_are_required() -> None:
    node = {**CLOSED, "properties": {"next": {"$ref": "#/$defs/n"}, "m": {"type": "integer"}}}
    schema = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/n"}], "$defs": {"n": node}}
    lowered = gk.lower(schema, "openai")
    assert lowered.is_equivalent
    assert lowered.notes == (
        "the root is the property 'value' of an object, as OpenAI, structured outputs wants an object",
    )
    validator, original = jsonschema.Draft202012Validator(lowered.schema), jsonschema.Draft202012Validator(schema)
    texts = gk.json_schema(lowered.schema).sample(40, seed=0)
    for text in texts:
        assert validator.is_valid(json.loads(text))
        assert original.is_valid(lowered.parse(text))
    assert lowered.parse('{"value": {"next": {"next": null, "m": 3}, "m": null}}') == {"next": {"m": 3}}


def test_a_property_that_may_be_null_already_is_told() -> None:
    lowered = gk.lower({**CLOSED, "properties": {"a": {"type": ["string", "null"]}}}, "openai")
    assert [one.keyword for one in lowered.residue] == ["required"]
    assert lowered.restore({"a": None}) == {"a": None}


def test_limits_are_told() -> None:
    schema = {**CLOSED, "properties": {f"p{number}": {"type": "null"} for number in range(5_001)}}
    (note,) = gk.lower({**schema, "required": [*schema["properties"]]}, "openai").notes
    assert note == "OpenAI, structured outputs takes at most 5,000 declared properties, and the schema has 5,001"


REFUSED = [
    ({}, "opena", gk.OptionError, "unknown target 'opena'; did you mean 'openai'"),
    ({"type": "text"}, "openai", gk.SchemaError, "not a valid schema"),
    ({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}, "anthropic", gk.UnsupportedFeature,
     "without instances of at most 3 levels"),
    ({"not": {"properties": {"a": {"$ref": "#"}}}}, "bedrock", gk.UnsupportedFeature, "refers to itself under not"),
    ({"$ref": "#/$defs/a/$defs/b", "$defs": {"a": {"$defs": {"b": {"type": "null"}}}}}, "gbnf", gk.UnsupportedFeature,
     "into a part that is left out"),
    ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, "gemini", gk.UnsupportedFeature, "put the schema under"),
]  # fmt: skip


NODE = {
    **CLOSED, "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}, "required": ["value"],
}  # fmt: skip
TREE = {
    **CLOSED, "properties": {"left": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "right": {"$ref": "#"}},
    "required": ["left"],
}  # fmt: skip


@pytest.mark.parametrize("target", ["anthropic", "bedrock", "outlines"])
@pytest.mark.parametrize(
    ("schema", "deepest", "deeper"),
    [
        ({"$ref": "#/$defs/node", "$defs": {"node": NODE}}, '{"value":0,"next":{"value":0,"next":{"value":0}}}',
         '{"value":0,"next":{"value":0,"next":{"value":0,"next":{"value":0}}}}'),
        ({**CLOSED, "properties": {"list": {"$ref": "#/$defs/list"}}, "$defs": {"node": NODE,
          "list": {"type": "array", "items": {"$ref": "#/$defs/node"}}}},
         '{"list":[{"value":0,"next":{"value":0,"next":{"value":0}}}]}',
         '{"list":[{"value":0,"next":{"value":0,"next":{"value":0,"next":{"value":0}}}}]}'),
        (TREE, '{"left":{"left":{"left":{"left":null}}}}', '{"left":{"left":{"left":{"left":{"left":null}}}}}'),
    ],
)  # fmt: skip
def test_recursion_is_written_out(schema: Any, deepest: str, deeper: str, target: str) -> None:
    lowered = gk.lower(schema, target)
    assert lowered.residue[0].keyword == "$ref"
    assert lowered.residue[0].let_through is None
    never = lowered.residue[0].never_written
    assert never is not None
    whole, written = map(jsonschema.Draft202012Validator, (schema, lowered.schema))
    assert whole.is_valid(never.value)
    assert not written.is_valid(never.value)
    assert written.is_valid(json.loads(deepest))
    assert not written.is_valid(json.loads(deeper))
    assert whole.is_valid(json.loads(deeper))
    assert all(whole.is_valid(json.loads(text)) for text in gk.json_schema(lowered.schema).sample(8, seed=0))


@pytest.mark.parametrize(("schema", "target", "error", "message"), REFUSED)
def test_bad_input(schema: Any, target: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gk.lower(schema, target)


def test_a_python_type_is_lowered() -> None:
    assert gk.lower(list[int], "xgrammar").schema["items"] == {"type": "integer"}


def test_peers_read_their_schemas() -> None:
    llguidance = pytest.importorskip("llguidance")
    xgrammar = pytest.importorskip("xgrammar")
    outlines = pytest.importorskip("outlines_core.json_schema")
    for schema in (PLAIN, {**PLAIN, "additionalProperties": False}):
        text = json.dumps(gk.lower(schema, "llguidance").schema)
        assert not llguidance.LLMatcher.validate_grammar(llguidance.LLMatcher.grammar_from_json_schema(text))
        xgrammar.Grammar.from_json_schema(json.dumps(gk.lower(schema, "xgrammar").schema))
        outlines.build_regex_from_schema(json.dumps(gk.lower(schema, "outlines").schema))


def test_targets_name_their_sources() -> None:
    for target in TARGETS.values():
        assert target.source.startswith("https://")
        assert target.read >= "2026-01-01"


def test_the_command_writes_the_schema_and_tells_what_is_lost(inbox) -> None:
    (inbox / "bounded.json").write_text('{"type": "integer", "minimum": 1}')
    result = run("lower", "bounded.json", "--for", "anthropic")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {"type": "integer"}
    lost = "Lost: the root: Claude API, structured outputs: minimum is not enforced; lets 0 through"
    assert result.stderr.splitlines()[-1] == lost  # in a new environment kernels are compiled before, with a line
    assert run("lower", "bounded.json", "--for", "llguidance").exit_code == 0
    shown = json.loads(run("lower", "bounded.json", "--for", "anthropic", "--json").stdout)
    assert (shown["equivalent"], shown["residue"][0]["let_through"]) == (False, 0)
    wrong = run("lower", "bounded.json", "--for", "claude")
    assert (wrong.exit_code, "unknown target 'claude'" in wrong.stderr) == (2, True)
