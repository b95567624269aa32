"""Texts of a constraint without a model: each is in the language, whoever judges it, and each walk ends."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction

import jsonschema
import pytest
from grammars import lark_accepts, lark_of, random_grammar
from marks import slow
from patterns import random_pattern
from pydantic import BaseModel, field_validator
from schemas import whole_schema

from guidance_kit.errors import ConstraintError, GrammarError, OptionError, SchemaError, UnsupportedFeature
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.composition import sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.grammar import bundled_grammar, grammar
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.special_token import special_token


def drawn(constraint: Constraint, number: int) -> list[str]:
    """A few texts, some of them with little room: just enough for the shortest that was found, and a little more."""
    texts = constraint.sample(3, seed=number)
    assert 1 <= len(texts) == len(set(texts)) <= 3
    shortest = min(len(text.encode()) for text in texts)
    for room in (shortest, shortest + 5):
        narrow = constraint.sample(2, seed=number, max_length=room)
        assert all(len(text.encode()) <= room for text in narrow)
        texts += narrow
    return texts


def test_special_tokens_are_shown_by_their_names():
    call = sequence(special_token("<call>"), json_schema({"type": "integer"}), special_token("</call>", or_text=True))
    for text in drawn(call, 1):
        begin, number, end = call.parse(text)
        assert (begin, end) == ("<call>", "</call>")
        assert number == int(number)


@pytest.mark.parametrize("count", [30, *slow(100)])
def test_random_patterns_match(count):
    rng = random.Random(1)
    compared = 0
    while compared < count:
        pattern = random_pattern(rng)
        try:
            constraint = regex(pattern)
        except ConstraintError:
            continue
        compared += 1
        for text in drawn(constraint, compared):
            assert re.fullmatch(pattern, text), (pattern, text)


@pytest.mark.parametrize("count", [15, *slow(50)])
def test_random_schemas_accept(count):
    rng = random.Random(2)
    compared = 0
    while compared < count:
        schema = whole_schema(rng)
        try:
            constraint = json_schema(schema)
        except (ConstraintError, SchemaError):
            continue
        compared += 1
        judge = jsonschema.Draft202012Validator(json.loads(json.dumps(schema), parse_float=Fraction))
        for text in drawn(constraint, compared):
            assert judge.is_valid(json.loads(text, parse_float=Fraction)), (schema, text)


@pytest.mark.parametrize("count", [12, *slow(40)])
def test_random_grammars_accept(count):
    """Grammars with left recursion, rules without text, and several ways to read a text."""
    rng = random.Random(3)
    compared = 0
    while compared < count:
        source = random_grammar(rng)
        lark = lark_of(source)
        try:
            constraint = grammar(source)
        except (ConstraintError, GrammarError):
            continue
        assert lark is not None
        compared += 1
        for text in drawn(constraint, compared):
            assert lark_accepts(lark, text), (source, text)


@pytest.mark.parametrize("name", ["arithmetic", "csv", "dates", "json"])
def test_bundled_grammars(name):
    texts = bundled_grammar(name).sample(10, seed=1)
    assert len(texts) == 10
    assert max(map(len, texts)) < 1000
    if name == "json":
        for text in texts:
            json.loads(text)


def test_endless_recursion_ends():
    nested = grammar('start: "(" start start ")" | "x"')
    assert max(map(len, nested.sample(30, seed=2))) < 1000
    assert set(nested.sample(30, seed=2, max_length=6)) == {"x", "(xx)"}
    assert json_schema(True).sample(50, seed=1, max_length=1)


def test_all_texts_of_a_small_language_come_up():
    assert sorted(choice(["yes", "no", "maybe", ""]).sample(9, seed=0)) == ["", "maybe", "no", "yes"]
    assert sorted(regex("[ab]{2}").sample(4, seed=0)) == ["aa", "ab", "ba", "bb"]


def test_seeds():
    constraint = regex(r"\w+@\w+\.org")
    assert constraint.sample(5, seed=7) == constraint.sample(5, seed=7)
    assert constraint.sample(2, seed=7) == constraint.sample(5, seed=7)[:2]
    assert constraint.sample(5, seed=7) != constraint.sample(5, seed=8)
    assert constraint.sample(5) != constraint.sample(5)


class Even(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def is_even(cls, number: int) -> int:
        if number % 2:
            raise ValueError("odd")
        return number


def test_conditions_of_a_type_hold():
    constraint = json_schema(Even)
    texts = constraint.sample(10, seed=0)
    assert len(texts) == 10
    assert all(constraint.parse(text).number % 2 == 0 for text in texts)


REFUSED = [
    ({"count": 0}, "count must be an integer, at least 1"),
    ({"max_length": -1}, "max_length must be an integer, at least 0"),
    ({"seed": -1}, "seed must be an integer, at least 0"),
    ({"max_length": 4}, "the shortest text has 10 bytes, more than max_length=4"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_cannot_be_drawn(options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        regex(r"\d{4}-\d\d-\d\d").sample(**options)


def test_texts_with_items_that_the_automaton_does_not_list():
    schema = {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 30}
    constraint = json_schema(schema)
    for text in constraint.sample(6, seed=5):
        assert len(set(json.loads(text))) == len(json.loads(text)) >= 30
    with pytest.raises(UnsupportedFeature, match="uniqueItems"):
        constraint.sample(1, seed=5, max_length=1000)
