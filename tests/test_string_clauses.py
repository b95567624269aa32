"""Conjunctions of many alternatives of strings, which are kept as clauses instead of being multiplied out."""

from __future__ import annotations

import json
import random
from itertools import product
from typing import Any

import jsonschema
import pytest
from marks import slow
from vocabularies import gpt2_like_vocabulary

import guidance_kit as gk
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.json_schema.normal_forms import shapes
from guidance_kit.grammars.json_schema.normal_forms.records import Strings
from guidance_kit.grammars.json_schema.normal_forms.shapes import string_products

TEXTS = ["".join(letters) for n in range(5) for letters in product("ab1", repeat=n)]

PATTERNS = ["^a", "b$", "ab", "1", "a.*b", "^..$", "[ab]1", "^(a|b)*$", "bb", "11", "^b.?1", "a{2}"]


def random_condition(rng: random.Random, depth: int = 3) -> dict[str, Any]:
    kind = rng.random()
    if depth == 0 or kind < 0.2:
        if kind < 0.02:
            return {rng.choice(["minLength", "maxLength"]): rng.randint(1, 4)}
        if kind < 0.04:
            return {"enum": rng.sample(TEXTS, 3)}
        return {"pattern": rng.choice(PATTERNS)}
    if kind < 0.4:
        return {"not": random_condition(rng, depth - 1)}
    keyword = "allOf" if kind < 0.65 else "anyOf" if kind < 0.95 else "oneOf"
    return {keyword: [random_condition(rng, depth - 1) for _ in range(rng.randint(2, 4))]}


@pytest.mark.parametrize("count", [15, *slow(1500)])
def test_they_accept_what_jsonschema_accepts(monkeypatch, count):
    made = []
    real = shapes._as_clauses

    def counting(left, right):
        result = real(left, right)
        if result is not None:
            made.append(result)
        return result

    monkeypatch.setattr(shapes, "_as_clauses", counting)
    rng = random.Random(19)
    accepted = with_clauses = refused = 0
    for _ in range(count):
        schema = {"type": "string", "allOf": [random_condition(rng) for _ in range(2)]}
        made.clear()
        validator = jsonschema.Draft202012Validator(schema)
        expected = {text for text in TEXTS if validator.is_valid(text)}
        try:
            automaton = Automaton(gk.json_schema(schema).network())
        except gk.UnsatisfiableError:
            assert not expected, schema
            continue
        except gk.LimitError as error:  # of a union that is long already
            refused += error.limit == "max_alternatives"
            continue
        for text in TEXTS:
            data = json.dumps(text).encode()
            path = automaton.advance(automaton.start, data)
            is_accepted = len(path) == len(data) and automaton.is_complete(int(path[-1]))
            assert is_accepted == (text in expected), (schema, text)
        accepted += len(expected)
        with_clauses += bool(made)
    assert with_clauses > count // 10
    assert accepted > 10 * count
    assert refused <= count // 100


def ways(*patterns: str) -> tuple[Strings, ...]:
    return tuple(Strings(conditions=(("pattern", pattern),)) for pattern in patterns)


def test_few_products_are_alternatives_and_many_are_one_record():
    few = string_products(ways("a", "b"), ways("c", "d", "e"))
    assert len(few) == 6
    assert not any(one.clauses for one in few)
    (many,) = string_products(ways("a", "b", "c"), ways("d", "e", "f"))
    assert many == Strings(clauses=(ways("a", "b", "c"), ways("d", "e", "f")))
    (more,) = string_products((many,), ways("g", "h"))
    assert more.clauses == (*many.clauses, ways("g", "h"))


def test_lists_of_values_are_multiplied_out():
    listed = tuple(Strings(values=(text,), conditions=(("pattern", text),)) for text in TEXTS[:4])
    assert all(not one.clauses for one in string_products(listed, ways("c", "d", "e", "f")))


NINE = ["^....$", "ab1", "b12", "bc1", "c12", "ca1", "a12", "d1", "e.f"]
FIVE = [r"^\w*$", r"\d\d", "[a|b]", "[b|c]", "[c|a]"]
OTHERS = [r"^\w+", "1.*2", "ac", "a2", "a1"]


def conjunction(**lengths: int) -> dict[str, Any]:
    """Alternatives whose products are 225, and a bounded length."""
    lists = [{"anyOf": [{"pattern": pattern} for pattern in patterns]} for patterns in (NINE, FIVE, OTHERS)]
    return {"type": "string", "allOf": [*lists, {"pattern": "[aA][12].*[zZ]"}], **lengths}


def test_many_products_cost_no_derivatives_inside_a_text():
    """Counted: with an automaton of each product the second mask reached max_work."""
    matcher = gk.Matcher(gk.json_schema(conjunction(minLength=10, maxLength=20)).compile(gpt2_like_vocabulary()))
    automaton = matcher.index.automaton
    states = []
    for byte in b'"x a1 ab1 22 z"':
        assert len(matcher.allowed_tokens())
        assert automaton.work.left == automaton.work.limit
        matcher.advance_bytes(bytes([byte]))
        states.append(automaton.statistics()["states"])
    assert matcher.is_complete
    assert states[0] < 2_000
    assert states[-1] < 15_000


def test_a_greatest_length_adds_no_states():
    sizes = []
    for most in (20, 2_000):
        matcher = gk.Matcher(gk.json_schema(conjunction(maxLength=most)).compile(gpt2_like_vocabulary()))
        for byte in b'"x a1 ab1 22 z':
            matcher.allowed_tokens()
            matcher.advance_bytes(bytes([byte]))
        sizes.append(matcher.index.automaton.statistics()["states"])
    assert sizes[1] <= sizes[0]
