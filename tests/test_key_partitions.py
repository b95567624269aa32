"""Keys under patterns and outside of them, which together are nearly all keys, so that ready masks can be used."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guidance_kit as gk
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.kernels.columns import USED
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex

PATTERNS = "^x-", "a.*b", "^[a-c]+$", "é", "^.{3}$", "d$", "^(ab|ba)*$", "[^a-d]", "^$"
PIECES = (
    "a",
    "b",
    "ab",
    "x-",
    "é",
    "d",
    "xx",
    "a b",
    "日",
    '"',
    'a"',
    'd":',
    '":',
    "\\",
    "\\u",
    "00",
    "\\n",
    "e9",
    "\\ud8",
)
VOCABULARY = gk.Vocabulary(
    token_bytes=(*(bytes([byte]) for byte in range(256)), *map(str.encode, PIECES), b"a\xc3", b"\xa9b", b""),
    special=frozenset({258 + len(PIECES)}),
    eos=(258 + len(PIECES),),
    rows=288,
)

values = st.sampled_from([True, {"type": "integer"}, {"const": "a"}, {"type": "null"}])


@st.composite
def schemas(draw):
    """Objects with patterns of keys, of which most leave none out."""
    wanted = st.one_of(values, st.just(False)) if draw(st.booleans()) else values
    patterns = draw(st.dictionaries(st.sampled_from(PATTERNS), wanted, min_size=1, max_size=3))
    declared = draw(st.dictionaries(st.sampled_from(["a", "ab", "x-d", "é", "zz"]), values, max_size=2))
    schema = {"type": "object", "patternProperties": patterns, "properties": declared}
    others = draw(st.one_of(values, st.just(False), st.none()))
    if others is not None:
        schema["additionalProperties"] = others
    if draw(st.integers(0, 4)) == 0:
        schema["propertyNames"] = {"maxLength": 4}
    if draw(st.integers(0, 4)) == 0:
        schema["maxProperties"] = 2
    if draw(st.integers(0, 2)) == 0:
        broken = draw(st.sampled_from(["^x-", "b", "^[ad]+$"]))
        schema["not"] = draw(
            st.sampled_from([{"patternProperties": {broken: False}}, {"additionalProperties": {"minimum": 3}}])
        )
    return schema


def tried(matcher: gk.Matcher) -> np.ndarray:
    """Mask by the steps of each token on its own."""
    return np.array([matcher.can_advance(token) for token in range(VOCABULARY.rows)])


@given(
    schema=schemas(),
    order=st.sampled_from(["declared", "any"]),
    escapes=st.sampled_from(["minimal", "ascii", "all"]),
    seed=st.integers(0, 2**32),
)
def test_masks_within_keys_are_those_of_steps(schema, order, escapes, seed):
    rng = random.Random(seed)
    try:
        index = gk.json_schema(schema, order=order, escapes=escapes).compile(VOCABULARY)
        matcher = gk.Matcher(index)
        matcher.advance_bytes(b'{"')
    except gk.GuidanceKitError:  # no object, or none with properties
        return
    for _ in range(8):
        expected = tried(matcher)
        np.testing.assert_array_equal(bitmask.unpack(matcher.allowed(), VOCABULARY.rows), expected)
        usual = [token for token in np.flatnonzero(expected).tolist() if token >= 256 or 97 <= token <= 101]
        matcher.advance(rng.choice(usual or np.flatnonzero(expected).tolist()))
        if matcher.is_finished:
            return


def steps(schema: dict, **options: Any) -> int:
    """Number of steps for the mask at the beginning of a key."""
    network = gk.json_schema(schema, order="any", **options).network()
    matcher = gk.Matcher(TokenIndex.build(network, VOCABULARY))
    matcher.advance_bytes(b'{"')
    matcher.allowed()
    return int(matcher.index.automaton.arena.used[USED.steps])


@pytest.mark.parametrize(
    "patterns", [("^_",), ("^/", "^[^/]"), ("^[a-z_-]{1,255}$",), ("^x-", "^[a-d]+-", "^..x")], ids=" ".join
)
def test_a_key_in_a_partition_needs_fewer_steps(monkeypatch, patterns):
    names = "name", "version", "keywords", "homepage", "author", "x-name"
    rules = {pattern: {"minimum": number} for number, pattern in enumerate(patterns)}
    schema = {"type": "object", "properties": {name: {} for name in names}, "patternProperties": rules}
    few = steps(schema)
    monkeypatch.setattr(Network, "ends_part", lambda *_: None)
    assert few < steps(schema)


SMALL, LARGE = {"type": "integer", "maximum": 2}, {"type": "integer", "minimum": 5}


@pytest.mark.parametrize(
    ("schema", "promises"),
    [
        ({"patternProperties": {"b": SMALL}}, 2),
        ({"patternProperties": {"b": SMALL}, "properties": {"b": SMALL, "ab": LARGE}}, 2),
        ({"patternProperties": {"b": SMALL}, "additionalProperties": False}, 0),
        ({"patternProperties": {"b": SMALL}, "propertyNames": {"pattern": "^[a-z]+$"}}, 0),
        ({"patternProperties": {"b": SMALL, "a": LARGE}}, 0),  # none with both
        ({"patternProperties": {"b": SMALL}, "not": {"additionalProperties": {"maximum": 9}}}, 3),
        ({"patternProperties": {"b": SMALL}, "not": {"additionalProperties": {"maximum": 9}}, "maxProperties": 1}, 0),
    ],
)
def test_a_promise_is_made_where_nearly_all_keys_can_come(monkeypatch, schema, promises):
    told: list[int] = []
    monkeypatch.setattr(Network, "ends_part", lambda _, state: told.append(state))
    steps({"type": "object", **schema})
    assert len(told) == promises
    steps({"type": "object", **schema}, escapes="ascii")  # which writes few characters as themselves
    assert len(told) == promises
