"""Patterns of few strings are read as lists: `^(GET|POST)$` is an enumeration."""

from __future__ import annotations

import re
from itertools import product

import pytest

import guidance_kit as gk
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.json_schema.normal_forms.exclusive_branches import ExclusiveBranches
from guidance_kit.grammars.json_schema.strings.languages import MOST_TEXTS, pattern_texts

SHORT = ["".join(text) for length in range(5) for text in product("abAx", repeat=length)]


@pytest.mark.parametrize(
    "pattern",
    [
        "^ab$", "^(a|b)$", "(^a$)", "(^ab$)|(^b$)", "^[ab]b$", "^a?b$", "^(ab|a)(b|x)?$", "^$", "^(a||b)$", "^x(?=a)a$",
        "^(?:a|(?:b|x))$", "^(?!a)[abx]$", "^a$|^b$",
    ],
)  # fmt: skip
def test_lists_are_those_of_the_pattern(pattern: str) -> None:
    found = pattern_texts(pattern)
    assert found is None or [*found] == sorted(text for text in SHORT if re.search(pattern, text))
    assert found is not None or "?!" in pattern or "|^" in pattern


@pytest.mark.parametrize("pattern", ["^a|b$", "^a*$", "a", "^a", "a$", "^[a-z]$", "^(a|b)*$", "^(a(", "^a.b$", "^\\d$"])
def test_other_patterns_have_no_list(pattern: str) -> None:
    assert pattern_texts(pattern) is None


def test_long_lists_are_left_as_they_are() -> None:
    few = "|".join(map("".join, product("abxy", repeat=4)))
    texts = pattern_texts(f"^({few})$")
    assert texts is not None
    assert len(texts) == MOST_TEXTS
    assert pattern_texts(f"^({few}|b)$") is None
    assert pattern_texts("^" + 8 * "(a|b)" + "$") is not None
    assert pattern_texts("^" + 9 * "(a|b)" + "$") is None


def test_tags_with_patterns_tell_branches_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bool:
        raise AssertionError("a pair of branches is compared")

    monkeypatch.setattr(ExclusiveBranches, "_are_disjoint", refuse)
    branches = [
        {"properties": {"type": {"type": "string", "pattern": f"^{name}$"}}, "required": ["type"], "type": "object"}
        for name in ("Abs", "Add", "(Max|Min)")
    ]
    automaton = Automaton(gk.json_schema({"oneOf": branches}).network())
    for name, is_right in {"Abs": True, "Min": True, "Abc": False}.items():
        text = f'{{"type": "{name}"}}'.encode()
        assert (len(automaton.advance(automaton.start, text)) == len(text)) == is_right
