"""Joint automata of several languages against `re` and enumeration."""

from __future__ import annotations

import random
import re
from itertools import product

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
    found = [*map(tuple, joint.combinations(100)[0].tolist())]
    assert set(of_text.values()) <= set(found)
    assert found == sorted(set(found), reverse=True)


@pytest.mark.parametrize("seed", range(20))
def test_texts_of_combinations_are_counted(seed):
    patterns = random.Random(seed).sample(PATTERNS, 3)
    finite = parse_search("^[abcé]{0,4}$", dialect="ecma")
    languages = [intersect(finite, parse_search(pattern, dialect="ecma")) for pattern in patterns]
    vectors, numbers = joint_automaton(languages, Work(10_000)).combinations(10**6)
    of_text = [tuple(bool(re.search(pattern, text)) for pattern in patterns) for text in TEXTS]
    for vector, number in zip(vectors.tolist(), numbers.tolist(), strict=True):
        assert number == (of_text.count(tuple(vector)) if any(vector) else 10**6)


def test_empty_and_full_languages_are_no_exceptions():
    joint = joint_automaton([NOTHING, ANYTHING, NOTHING], Work(100))
    assert joint.languages_of("ab").tolist() == [False, True, False]
    assert joint.combinations(5)[0].tolist() == [[False, True, False]]
    assert joint.combinations(5)[1].tolist() == [5]


def test_large_automata_are_not_made(monkeypatch):
    languages = [parse_search(f"{letter}.*x", dialect="ecma") for letter in "abcdefgh"]
    assert len(joint_automaton(languages, Work(10_000)).combinations(5)[0]) == 2**8
    with pytest.raises(LimitError):
        joint_automaton(languages, Work(100))
    monkeypatch.setattr(module, "_MOST_STATES", 100)
    assert joint_automaton(languages, Work(10_000)) is None
    monkeypatch.setattr(module, "_MOST_PAIRS", 10)
    assert joint_automaton(languages, Work(10_000)) is None
    many = parse_search("^(?:[ab]*a[ab]{12})$", dialect="ecma")
    assert joint_automaton([many], Work(10_000)) is None
