"""Texts with a given beginning, as far as it is plain to see of them, against enumeration by `re`."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guidance_kit.grammars.regular import Expression, beginnings, complement, intersect, parse, parse_search
from guidance_kit.grammars.regular.beginnings import Beginning, Beginnings, least_number
from guidance_kit.grammars.regular.charset import ALL, CharSet

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


def beginning(expression: Expression, text: str) -> Beginning:
    return Beginnings(expression).of(text)


@given(patterns, patterns, st.sampled_from(BEGINNINGS))
@example(r"a[\s\S]*", "ab|ac", "a")
@example(r"(?=a)[\s\S]*", "b", "b")
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


plain_patterns = patterns.filter(lambda pattern: "(?=" not in pattern)


@given(plain_patterns, st.lists(st.sampled_from(BEGINNINGS), min_size=1))
def test_a_walk_finds_the_same_after_others(pattern, texts):
    expression = parse(pattern)
    walks = Beginnings(expression)
    for text in texts:
        assert walks.of(text)[:3] == beginning(expression, text)[:3]


@given(st.sampled_from(["a", "b", "[ab]"]), plain_patterns, st.sampled_from(BEGINNINGS), st.sampled_from(["ab", "bc"]))
@example("a", "(?:a|aa){2}", "", "ab")
@example("a", "(?:a|bb){2}a{3,5}(?:|c)", "a", "ab")
def test_there_are_as_many_texts_as_is_said(first, pattern, text, free):
    pattern = f"(?:{first})?(?:{pattern})".replace(r"[\s\S]", "[abc]").replace("[^a]", "[bc]").replace("*", "{0,2}")
    longest = 6
    many = ("".join(letters) for size in range(longest + 1) for letters in product(ALPHABET, repeat=size))
    whole = re.compile(pattern)
    members = [one for one in many if whole.fullmatch(one)]
    expression = parse(pattern)
    if 0 <= expression.most <= longest:
        assert least_number(expression) <= len(members)
        among = sum(one.startswith(text) and one[len(text) : len(text) + 1] in free for one in members if one != text)
        found = beginning(expression, text)
        assert not any(found.has_more(number, CharSet.characters(free)) for number in range(among, 2 * among + 2))


@pytest.mark.parametrize(
    ("pattern", "number"),
    [("[a-f]{3}x", 6**3), ("[a-f]{3}x{2,5}", 6**3 * 4), ("a|[bc]{2}|d{0,9}", 10), ("(?:ab|c)*", 1 << 30), ("", 1)],
)
def test_least_numbers_of_texts(pattern, number):
    assert least_number(parse(pattern)) == number


@given(plain_patterns, st.sampled_from(BEGINNINGS))
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
    assert found == (None, ALL & ~ALL, ALL & ~ALL, [])


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


def test_a_language_is_looked_at_once_for_all_texts(monkeypatch):
    """Each key of a text was walked along anew, in all languages."""
    made = []
    steps = beginnings._steps
    monkeypatch.setattr(beginnings, "_steps", lambda expression: made.append(expression) or steps(expression))
    language = Beginnings(parse("[a-z]{2,3}(?:-[a-z]{4}){0,1}"))
    for text in ("ab", "maximum", "ab-abcd", "zz", "abcd"):
        language.of(text)
    count = len(made)
    for text in ("cd", "minimum", "cd-efgh", "abcde"):
        language.of(text)
    assert len(made) == count
