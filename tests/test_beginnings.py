"""Texts with a given beginning, as far as it is plain to see of them, against enumeration by `re`."""

from __future__ import annotations

import re
from itertools import product

from hypothesis import example, given
from hypothesis import strategies as st

from guidance_kit.grammars.regular import beginnings, complement, intersect, parse, parse_search
from guidance_kit.grammars.regular.beginnings import beginning
from guidance_kit.grammars.regular.charset import ALL

ALPHABET = "abc"
TEXTS = ["".join(letters) for size in range(4) for letters in product(ALPHABET, repeat=size)]
BEGINNINGS = ["", *ALPHABET, "ab", "ca", "abc", "bbb"]

patterns = st.recursive(
    st.sampled_from(["a", "b", "[ab]", "[^a]", r"[\s\S]", r"[\s\S]*", "ab", "(?=a)", ""]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: "".join(f"(?:{part})" for part in parts)),
        st.lists(inner, min_size=2, max_size=3).map("|".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}"])).map(lambda two: f"(?:{two[0]}){two[1]}"),
    ),
    max_leaves=6,
)


@given(patterns, patterns, st.sampled_from(BEGINNINGS))
@example(r"a[\s\S]*", "ab|ac", "a")
def test_what_is_said_of_a_beginning_holds_for_all_texts(pattern, other, text):
    first, second = re.compile(pattern), re.compile(other)
    found = beginning(intersect(parse(pattern), complement(parse(other))), text)

    def belongs(whole: str) -> bool:
        return bool(first.fullmatch(whole)) and not second.fullmatch(whole)

    assert found.is_member in (None, belongs(text))
    for character in "abcx":
        longer = [belongs(text + character + rest) for rest in TEXTS]
        assert ord(character) not in found.inside or all(longer)
        assert ord(character) not in found.outside or not any(longer)


@given(patterns.filter(lambda pattern: "(?=" not in pattern), st.sampled_from(BEGINNINGS))
def test_members_of_plain_expressions_are_known(pattern, text):
    found = beginning(parse(pattern), text)
    assert found.is_member is None or found.is_member == bool(re.fullmatch(pattern, text))


def test_names_that_are_not_listed_go_on_with_all_other_characters():
    others = complement(parse("|".join(f"name{number}" for number in range(50))))
    assert beginning(others, "title").inside == ALL
    assert beginning(others, "name").inside == ALL - parse("[0-9]").charset
    assert beginning(others, "name7").is_member is False
    assert beginning(others, "name4").inside == ALL - parse("[0-9]").charset
    assert beginning(others, "name5").inside == ALL
    assert beginning(others, "name77").inside == ALL


def test_a_language_of_literals_is_outside_everything_else():
    found = beginning(intersect(parse("sdk:.*"), complement(parse("sdk:x"))), "name")
    assert (found.is_member, found.inside, found.outside) == (False, ALL & ~ALL, ALL)


def test_walks_with_many_ways_are_given_up():
    found = beginning(parse("(?:a|aa|aaa)*(?:a|aa|aaa)*(?:a|aa|aaa)*b"), "a" * 30)
    assert found == (None, ALL & ~ALL, ALL & ~ALL)


def test_the_rests_of_a_pattern_that_is_sought_are_found_once(monkeypatch):
    """Each character of a key asked anew for the rests of all 31 occurrences that may have begun: 1,700 of them."""
    made = []
    concatenate = beginnings.concatenate
    monkeypatch.setattr(beginnings, "concatenate", lambda parts: made.append(parts) or concatenate(parts))
    found = beginning(parse_search("[0-9a-f]{32}"), 2 * "0123456789abcdef" + "g")
    assert found.is_member
    found = beginning(parse_search("[0-9a-f]{32}"), 3 * "0123456789abcdefgabcdef")
    assert found.is_member is False
    assert len(made) < 150
