"""Masks computed ahead for vLLM: the same masks, fewer of them left for the text; and likely instances of schemas."""

from __future__ import annotations

import json
import threading

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guidance_kit as gk
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.json_schema.likely_instance import likely_instance
from guidance_kit.integrations.vllm.masks_ahead import MasksAhead

VOCABULARY = gk.Vocabulary.from_bytes()

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "kind": {"enum": ["small", "large"]},
        "sizes": {"type": "array", "items": {"type": "integer", "minimum": 3}},
        "place": {"$ref": "#/$defs/place"},
    },
    "required": ["name", "kind", "sizes", "place"],
    "additionalProperties": False,
    "$defs": {"place": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "boolean"}}}},
}
RECORD = {"name": "Ada", "kind": "large", "sizes": [5, 6], "place": {"x": 1.5, "y": False}}


def started() -> Matcher:
    """State at the start of a text of SCHEMA, with nothing known."""
    gk.caches.clear()
    return Matcher(gk.json_schema(SCHEMA).compile(VOCABULARY))


def masks_along(matcher: Matcher) -> list[list[int]]:
    """Masks before each byte of the record, and at its end."""
    matcher, found = matcher.fork(), []
    for byte in json.dumps(RECORD).encode():
        found.append(matcher.allowed().tolist())
        matcher.advance(byte)
    return [*found, matcher.allowed().tolist()]


def computed(matcher: Matcher) -> int:
    """Number of masks that were computed so far."""
    return matcher.index.statistics()["misses"]


def test_masks_are_the_same_and_most_are_known_before():
    alone = started()
    wanted = masks_along(alone)
    matcher, ahead = started(), MasksAhead(str.encode)
    ahead.follow(matcher, json.dumps(SCHEMA))
    ahead.close(wait=True)
    before = computed(matcher)
    assert len(matcher) == 0
    assert masks_along(matcher) == wanted
    assert computed(matcher) - before < computed(alone) / 3
    again = MasksAhead(str.encode)
    again.follow(matcher, json.dumps(SCHEMA))
    again.follow(matcher, json.dumps(SCHEMA | {"required": []}))  # known already: not looked at
    again.close(wait=True)
    assert masks_along(matcher) == wanted


def test_compact_texts():
    gk.caches.clear()
    matcher = Matcher(gk.json_schema(SCHEMA, whitespace="compact").compile(VOCABULARY))
    read: list[str] = []
    ahead = MasksAhead(lambda text: read.append(text) or text.encode())
    ahead.follow(matcher, json.dumps(SCHEMA), is_compact=True)
    ahead.close(wait=True)
    assert read[0].startswith('{"name":"a text","kind":"small","sizes":[3]')
    assert computed(matcher) > 30


@pytest.mark.parametrize(
    ("schema", "least"),
    [
        ({"type": "string", "pattern": "^[0-9]+$"}, 1),  # the guess is refused after its quote
        ({"type": "object", "properties": {"a": {"type": "string", "not": {"const": "a text"}}}}, 5),
    ],
)
def test_a_wrong_guess_ends_there(schema, least):
    gk.caches.clear()
    matcher, ahead = Matcher(gk.json_schema(schema).compile(VOCABULARY)), MasksAhead(str.encode)
    ahead.follow(matcher, json.dumps(schema))
    ahead.close(wait=True)
    assert computed(matcher) >= least
    assert len(matcher) == 0


def test_a_failure_stays_in_the_thread():
    def fails(text: str) -> list[int]:
        raise RuntimeError("no tokenizer")

    matcher, ahead = started(), MasksAhead(fails)
    ahead.follow(matcher, json.dumps(SCHEMA))
    ahead.close(wait=True)
    assert masks_along(matcher)


def test_a_long_instance_is_followed_in_part():
    properties = {f"name {number}": {"type": "string"} for number in range(200)}
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    gk.caches.clear()
    matcher, ahead = Matcher(gk.json_schema(schema).compile(VOCABULARY)), MasksAhead(str.encode)
    ahead.follow(matcher, json.dumps(schema))
    ahead.close(wait=True)
    assert computed(matcher) <= 256


def test_what_has_not_begun_is_dropped_at_the_end():
    begun, goes_on = threading.Event(), threading.Event()

    def waits(text: str) -> bytes:
        begun.set()
        assert goes_on.wait(60)
        return b""

    first, ahead = started(), MasksAhead(waits)
    ahead.follow(first, json.dumps(SCHEMA))
    second = Matcher(gk.regex("a").compile(VOCABULARY))
    ahead.follow(second, "{}")
    assert begun.wait(60)
    ahead.close()
    goes_on.set()
    assert computed(second) == 0


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        (SCHEMA, {"name": "a text", "kind": "small", "sizes": [3], "place": {"x": 12, "y": True}}),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, None),
        ({"type": ["integer", "null"], "exclusiveMaximum": 4}, 3),
        ({"prefixItems": [{"const": 1}, {"type": "boolean"}]}, [1, True]),
        ({"type": "string", "format": "date", "maxLength": 20}, "2024-01-01"),
        ({"type": "string", "minLength": 8}, "a textaa"),
        ({"type": "array", "items": {"type": "string", "maxLength": 3}, "minItems": 2}, ["a t", "a t"]),
        ({"items": {"$ref": "#"}, "type": "array", "maxItems": 0}, []),
    ],
)
def test_likely_instances(schema, instance):
    assert likely_instance(schema) == instance
    jsonschema.validate(instance, schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)


def test_recursion_ends():
    schema = {"type": "object", "properties": {name: {"$ref": "#"} for name in "abcdefghij"}}
    assert 100 < json.dumps(likely_instance(schema)).count("{") < 1_100


KEYWORDS = st.sampled_from(
    ["$ref", "allOf", "anyOf", "const", "enum", "format", "items", "maxItems", "maxLength", "minItems", "minLength",
     "minimum", "oneOf", "prefixItems", "properties", "type"]
)  # fmt: skip


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-3, 300)
        | st.text(max_size=3)
        | st.sampled_from(["#", "object", "array"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=4),
        max_leaves=20,
    )
)
def test_anything_has_a_likely_instance(schema):
    json.dumps(likely_instance(schema))
