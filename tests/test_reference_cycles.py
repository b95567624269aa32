"""Constraints that are dropped are freed by reference counts at once, not by a collection within a later mask."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator

import pytest

import guidance_kit as gk
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.vocabulary import Vocabulary

OBJECT = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 40},
        "kind": {"enum": ["one", "two", 3]},
        "sizes": {"type": "array", "items": {"type": "number", "minimum": 0.5}, "minItems": 2, "maxItems": 9},
        "any": True,
    },
    "required": ["kind"],
}
CASES: dict[str, tuple[Constraint, str]] = {
    "declared": (gk.json_schema(OBJECT), '{"name": "ab", "kind": 3, "sizes": [1, 2.5], "more": {"a": [null]}}'),
    "any order": (gk.json_schema(OBJECT, order="any"), '{"x": 1, "kind": 3, "sizes": [1, 2.5], "y": {"a": [null]}}'),
    "branches": (
        gk.json_schema({"oneOf": [{"required": ["a"]}, {"properties": {"b": {"minimum": 3}}, "required": ["b"]}]}),
        '{"b": 7, "c": 1}',
    ),
    "witnesses": (
        gk.json_schema({"type": "object", "minProperties": 1, "not": {"additionalProperties": {"type": "string"}}}),
        '{"c": "d", "b": 7}',
    ),
    "conditions on keys": (
        gk.json_schema({"type": "object", "patternProperties": {"^[ab]$": {"type": "integer"}}, "propertyNames": {}}),
        '{"a": 1, "b": 2, "c": "d"}',
    ),
    "items that differ": (gk.json_schema({"type": "array", "uniqueItems": True}), '[1, "a", {"b": 1}]'),
    "listed items that differ": (
        gk.json_schema({"type": "array", "items": {"enum": ["a", "b", 3]}, "uniqueItems": True}),
        '["a", 3]',
    ),
    "contains": (gk.json_schema({"type": "array", "contains": {"const": 1}, "items": {"type": "integer"}}), "[2, 1]"),
    "regex": (gk.regex("(a|b){2,60}c?"), "ababc"),
    "condition": (gk.regex("(?!if$)[a-z]{1,9}"), "elsewhere"),
    "grammar": (gk.grammar('start: "(" start ")" | WORD\nWORD: /[a-z]+/'), "((word))"),
}


@pytest.fixture
def collected() -> Iterator[None]:
    gk.caches.clear()  # so that nothing of other constraints is dropped meanwhile
    gc.collect()
    gc.freeze()  # what other tests left is not gone through again
    gc.disable()
    yield
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@pytest.mark.usefixtures("collected")
@pytest.mark.parametrize("case", CASES)
def test_nothing_is_left_for_the_garbage_collector(case: str) -> None:
    vocabulary = Vocabulary.from_bytes()
    constraint, text = CASES[case]

    def follow() -> None:
        matcher = Matcher(TokenIndex.build(constraint.network(), vocabulary))
        for byte in text.encode():
            matcher.allowed()
            matcher.advance(byte)
        assert matcher.is_complete

    follow()  # what is kept for good, as modules and templates, is made now
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    follow()
    gc.collect()
    left = Counter(type(one).__name__ for one in gc.garbage if type(one).__module__.startswith("guidance_kit."))
    assert not left
