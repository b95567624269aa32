"""Joint automata of several languages against `re` and enumeration."""

from __future__ import annotations

import random
import re
from itertools import product

import numpy as np
import pytest

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import Work
from guidance_kit.grammars.regular import joint_automaton as module
from guidance_kit.grammars.regular import parse_search
from guidance_kit.grammars.regular.expression import ANYTHING, NOTHING, intersect
from guidance_kit.grammars.regular.joint_automaton import joint_automaton

PATTERNS = [
    "^a",
    "b$",
    "ab",
    "^[ab]*$",
    "^.{2,3}$",
    "^(a|b|ab)$",
    "a.*b",
    "^(?!a)",
    "é",
    "^$",
    "^[^a]*$",
    "(?=.*a)(?=.*b)",
]
TEXTS = ["".join(letters) for size in range(5) for letters in product("abcé", repeat=size)]


@pytest.mark.parametrize("seed", range(20))
def test_states_know_the_languages_of_texts(seed):
    patterns = random.Random(seed).sample(PATTERNS, 4)
    joint = joint_automaton([parse_search(pattern, dialect="ecma") for pattern in patterns], Work(10_000))
    of_text = {text: tuple(bool(re.search(pattern, text)) for pattern in patterns) for text in TEXTS}
    assert {text: tuple(joint.languages_of(text).tolist()) for text in TEXTS} == of_text
    found = [*map(tuple, joint.combinations.tolist())]
    assert set(of_text.values()) <= set(found)
    assert found == sorted(set(found), reverse=True)


@pytest.mark.parametrize("seed", range(20))
def test_texts_of_combinations_are_counted(seed):
    patterns = random.Random(seed).sample(PATTERNS, 3)
    finite = parse_search("^[abcé]{0,4}$", dialect="ecma")
    languages = [intersect(finite, parse_search(pattern, dialect="ecma")) for pattern in patterns]
    joint = joint_automaton(languages, Work(10_000))
    numbers = joint.numbers(np.ones(len(joint.combinations), dtype=bool), 10**6)
    of_text = [tuple(bool(re.search(pattern, text)) for pattern in patterns) for text in TEXTS]
    for vector, number in zip(joint.combinations.tolist(), numbers.tolist(), strict=True):
        assert number == (of_text.count(tuple(vector)) if any(vector) else 10**6)


def test_empty_and_full_languages_are_no_exceptions():
    joint = joint_automaton([NOTHING, ANYTHING, NOTHING], Work(100))
    assert joint.languages_of("ab").tolist() == [False, True, False]
    assert joint.combinations.tolist() == [[False, True, False]]
    assert joint.numbers(np.ones(1, dtype=bool), 5).tolist() == [5]


def test_texts_are_counted_only_as_far_as_asked():
    """Of `^.{3,20}$` there are many texts of three characters, and of its complement only from 21 on."""
    joint = joint_automaton([parse_search("^.{3,20}$", dialect="ecma")], Work(100))
    inside, outside = joint.combinations[:, 0], ~joint.combinations[:, 0]
    numbers = joint.numbers(inside, 10**14)
    assert numbers[inside] == 10**14
    assert numbers[outside] < 10**14
    assert joint.numbers(outside, 10**14).tolist() == [10**14, 10**14]
    assert joint.numbers(~(inside | outside), 10**14).tolist() == [1, 1]


def test_few_pairs_of_states_are_looked_at(monkeypatch):
    """The largest automaton is joined last, wherever it stands."""
    pairs = 0
    reached = module._reached

    def counting(steps, table):
        nonlocal pairs
        found = reached(steps, table)
        pairs += len(found)
        return found

    monkeypatch.setattr(module, "_reached", counting)
    large = parse_search(r"^[a-z]{1,63}(\.[a-z]{1,63})*$", dialect="ecma")
    small = [parse_search(pattern, dialect="ecma") for pattern in ("_id$", "[0-9]", "s$", "^x-")]
    joint = joint_automaton([large, *small], Work(10_000))
    assert pairs < 1.3 * len(joint.steps)  # 3.3 of them if it is first
    assert joint.languages_of("a.s").tolist() == [True, False, False, True, False]


def test_large_automata_are_not_made(monkeypatch):
    languages = [parse_search(f"{letter}.*x", dialect="ecma") for letter in "abcdefgh"]
    assert len(joint_automaton(languages, Work(10_000)).combinations) == 2**8
    with pytest.raises(LimitError):
        joint_automaton(languages, Work(100))
    monkeypatch.setattr(module, "_MOST_STATES", 100)
    assert joint_automaton(languages, Work(10_000)) is None
    monkeypatch.setattr(module, "_MOST_PAIRS", 10)
    assert joint_automaton(languages, Work(10_000)) is None
    many = parse_search("^(?:[ab]*a[ab]{12})$", dialect="ecma")
    assert joint_automaton([many], Work(10_000)) is None
