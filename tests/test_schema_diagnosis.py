"""Diagnosis of schemas: findings, mends, and what the mends change."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from command_line import TICKET, run
from marks import slow

import guidance_kit as gk
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.vocabulary import Vocabulary

LISTED = ["b", *(f"a{number}" for number in range(5_001))]
KEYS = {f"k{number}": {"type": "null"} for number in range(200)}

CASES: list[tuple[dict[str, Any], str, str, Any, Any, Any]] = [
    # schema, problem, pointer, mended part, valid before the mend alone, valid after it alone
    ({"type": "integer", "minLength": 3}, "idle", "/minLength", {"type": "integer"}, None, None),
    ({"enum": ["a", "bb"], "maxLength": 2}, "idle", "/maxLength", {"enum": ["a", "bb"]}, None, None),
    ({"items": {"minimum": 1, "exclusiveMinimum": 0, "type": "integer"}}, "idle", "/items/minimum",
     {"exclusiveMinimum": 0, "type": "integer"}, None, None),
    ({"type": "string", "minLenght": 2}, "misspelt", "/minLenght", {"type": "string", "minLength": 2}, "", None),
    ({"properties": {"a": {"type": "object", "properties": {"b": {}}}}}, "open object", "/properties/a",
     {"type": "object", "properties": {"b": {}}, "additionalProperties": False}, {"": 0}, None),
    ({"type": "string", "pattern": "[0-9]{3}"}, "unanchored pattern", "/pattern",
     {"type": "string", "pattern": "^(?:[0-9]{3})$"}, "0000", None),
    ({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 1}]}, "overlapping oneOf", "/oneOf",
     {"anyOf": [{"type": "integer"}, {"type": "number", "minimum": 1}]}, None, 1),
    ({"properties": {"a": {"type": "string", "minLength": 2, "maxLength": 1}}}, "impossible", "/properties/a", None,
     None, None),
    ({"enum": [*range(5_001)]}, "large enumeration", "/enum", None, None, None),
    ({"enum": LISTED, "pattern": "^a", "type": "string"}, "large enumeration", "/enum",
     {"enum": LISTED[1:], "type": "string"}, None, None),
    ({"properties": KEYS, "minProperties": 1}, "counted properties", "/minProperties", {"properties": KEYS}, None, {}),
    ({"properties": KEYS, "maxProperties": 0}, "counted properties", "/maxProperties", {"properties": KEYS}, None,
     {"": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "problem", "pointer", "mended", "before", "after"), CASES)
def test_findings(schema: Any, problem: str, pointer: str, mended: Any, before: Any, after: Any) -> None:
    (finding,) = [one for one in gk.diagnose(schema) if (one.problem, one.pointer) == (problem, pointer)]
    assert finding.mended == mended
    if mended is None:
        assert finding.change is None
        return
    assert finding.change is not None
    assert finding.change.is_equal is (before is None and after is None)
    for inclusion, value in ((finding.change.left_in_right, before), (finding.change.right_in_left, after)):
        found = inclusion.counterexample
        assert (None if found is None else len(json.dumps(found.value))) == (
            None if value is None else len(json.dumps(value))
        )


def test_idle_keywords_may_be_left_out_for_all_the_validator_sees() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 0, "exclusiveMinimum": -1}, "s": {"minimum": 3}},
        "additionalProperties": False,
    }
    idle = [finding for finding in gk.diagnose(schema) if finding.problem == "idle"]
    assert {finding.pointer for finding in idle} == {"/properties/n/minimum", "/properties/n/exclusiveMinimum"}
    values = [{}, {"n": -1}, {"n": 0}, {"n": 0.5}, {"n": 1}]
    original = jsonschema.Draft202012Validator(schema)
    for finding in idle:
        mended = jsonschema.Draft202012Validator({**schema, "properties": {"n": finding.mended, "s": {"minimum": 3}}})
        assert [mended.is_valid(value) for value in values] == [original.is_valid(value) for value in values]


HEALTHY = [
    {},
    {"type": "string", "enum": ["a"]},
    {"oneOf": [{"type": "string"}, {"type": "null"}]},
    {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": True, "required": []},
    {"type": "string", "pattern": "^a|b"},
    {"allOf": [{"properties": {"a": {"type": "null"}}}], "unevaluatedProperties": False},
    {"x-note": 1, "$comment": "a", "title": "b"},
    {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}], "additionalItems": False},
    {"enum": LISTED},
    {"enum": [*range(5_000)]},
    *slow({"properties": dict([*KEYS.items()][1:]), "additionalProperties": False, "minProperties": 1}),
]


@pytest.mark.parametrize("schema", HEALTHY)
def test_healthy_schemas_have_no_findings(schema: Any) -> None:
    assert gk.diagnose(schema) == ()


def rules_of(schema: dict[str, Any], text: str) -> int:
    """Rules that are written while a text is read in any order of keys."""
    matcher = Matcher(gk.json_schema(schema, order="any").compile(Vocabulary.from_bytes()))
    built = matcher.index.automaton.statistics()["rules"]
    for byte in text.encode():
        matcher.advance(byte)
    return matcher.index.automaton.statistics()["rules"] - built


def test_counted_properties_take_a_rule_for_each_key_that_may_follow() -> None:
    """The finding names a cost that there is, and an order alone has none."""
    schema = {"type": "object", "properties": KEYS, "additionalProperties": False}
    text = json.dumps(dict.fromkeys([*KEYS][100::-1][:10]))
    assert rules_of(schema, text) < 250  # one for each value
    assert rules_of({**schema, "required": [*KEYS][90:101]}, text[:-1]) < 250
    assert rules_of({**schema, "minProperties": 1}, text) > 10 * 180
    assert rules_of({**schema, "maxProperties": 150}, text) > 10 * 180


def test_a_schema_without_instances_is_one_finding() -> None:
    (finding, *_) = gk.diagnose({"type": "string", "minLength": 2, "maxLength": 1})
    assert finding.problem == "impossible"
    with pytest.raises(gk.SchemaError, match="not a valid schema"):
        gk.diagnose({"type": "strng"})


def test_a_finding_is_told_in_a_line() -> None:
    (finding,) = gk.diagnose({"type": "string", "pattern": "a"})
    assert str(finding).startswith(
        "/pattern: the pattern is looked for anywhere in the string; put it between ^ and $ (no longer valid: "
    )


def test_check_gives_advice_on_demand(inbox, llama) -> None:
    (inbox / "s.json").write_text(json.dumps({**TICKET, "minLength": 3, "type": "object"}))
    result = run("check", "s.json", "-m", llama, "--doctor")
    assert result.exit_code == 0, result.stderr
    assert "advice          /minLength: minLength has no effect; leave it out (equal)" in result.stdout
    assert "advice" not in run("check", "s.json", "-m", llama).stdout


def test_check_gives_advice_on_grammars(inbox, llama) -> None:
    (inbox / "g.lark").write_text('start: NAME | WORD\nNAME: /[a-z]+/\nWORD: "ab"\nother: "x"')
    shown = run("check", "g.lark", "-m", llama, "--doctor").stdout
    assert "advice          other: nothing reaches it; delete it" in shown
    assert "or give one a higher priority" in shown
