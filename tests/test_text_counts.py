"""Numbers of texts of languages, membership and disjointness, against enumeration by `re`."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import Work
from guidance_kit.grammars.regular import complement, intersect, parse
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.language_automaton import LanguageAutomaton, are_disjoint, language_automaton
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.grammars.regular.text_counts import TextCounts

ALPHABET = "abc"
LONGEST = 4
TEXTS = ["".join(letters) for size in range(LONGEST + 1) for letters in product(ALPHABET, repeat=size)]
WITHIN = f"[{ALPHABET}]{{0,{LONGEST}}}"


def joined(parts: list[str]) -> str:
    return "".join(f"(?:{part})" for part in parts)


patterns = st.recursive(
    st.sampled_from(["a", "b", "c", "[ab]", "[^a]", ".", "ab", "(?=a)", "(?!.*b)", "(?<=a)", "(?<!c)", ""]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(joined),
        st.lists(inner, min_size=2, max_size=3).map("|".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}"])).map(lambda two: f"(?:{two[0]}){two[1]}"),
    ),
    max_leaves=6,
)


def counts_of(expression) -> TextCounts:
    derivatives = Derivatives(expression)
    return TextCounts(derivatives, Liveness(derivatives))


def root_of(counts: TextCounts) -> int:
    return counts._derivatives.root


@given(patterns, patterns, st.lists(st.sampled_from([0, 1, 2, 5, 40, 1000]), min_size=1), st.sampled_from(TEXTS))
def test_counts_are_those_of_enumerated_texts(pattern, other, bounds, text):
    first, second = re.compile(pattern), re.compile(other)
    members = [one for one in TEXTS if first.fullmatch(one) and not second.fullmatch(one)]
    counts = counts_of(intersect(parse(pattern), complement(parse(other)), parse(WITHIN)))
    root = root_of(counts)
    for most in bounds:  # in any order: what is known of small numbers is no answer for large ones
        assert counts.up_to(root, most) == min(len(members), most)
    for most in (*filter(None, bounds), 1000):
        expected = [sum(one.startswith(text[:size]) for one in members) for size in range(len(text) + 1)]
        found = counts.along(text, most)
        assert found == [min(number, most) for number in expected[::-1]][: len(found)]
        assert all(number < most for number in found[:-1])
        assert found[-1] == most or len(found) == len(expected)


@pytest.mark.parametrize(
    ("pattern", "most", "expected"),
    [
        ("a*", 1000, 1000),
        ("(aa)+|b", 7, 7),
        ("[a-z]{255}", 10**9, 10**9),
        ("[ab]{3}|c*x", 10**4, 10**4),
        (r"[0-9]{2}", 1000, 100),
        ("a|ab|abc|b.", 10**9, 3 + 0x110000 - 2048 - 1),  # `.` is all scalar values but the end of a line
        ("(?!a)[a-d]{1,2}", 100, 3 + 3 * 4),
        ("a(?=b)c", 5, 0),
        ("", 5, 1),
    ],
)
def test_counts_of_large_languages(pattern, most, expected):
    counts = counts_of(parse(pattern))
    assert counts.up_to(root_of(counts), most) == expected


def test_the_counts_along_a_long_text_take_few_derivatives():
    """A thousand prefixes of one text each are counted once, not each by a search of its own."""
    counts = counts_of(parse("a{0,1000}b"))
    counts._derivatives.work = Work(10_000)
    assert counts.along("a" * 1000 + "b", 2000) == [1, *range(1, 1002)]


@given(patterns, patterns)
def test_disjoint_languages_have_no_common_text(pattern, other):
    expressions = [intersect(parse(one), parse(WITHIN)) for one in (pattern, other)]
    members = [{text for text in TEXTS if re.fullmatch(one, text)} for one in (pattern, other)]
    assert are_disjoint(expressions[0], expressions[1]) == members[0].isdisjoint(members[1])
    automaton = LanguageAutomaton(expressions[0])
    assert [text for text in TEXTS if automaton.contains(text)] == [text for text in TEXTS if text in members[0]]


@pytest.mark.parametrize(("other", "expected"), [("a{300}", True), ("a{0,299}b", True), ("a{200,}", False)])
def test_languages_of_long_texts_are_told_apart_by_their_conjunction(other, expected):
    assert are_disjoint(parse("a{299}"), parse(other)) is expected
    if expected and "b" not in other:
        with pytest.raises(LimitError):
            are_disjoint(parse("a{299}"), parse(other), Work(10))


def test_the_automaton_of_an_expression_is_kept():
    expression = parse("[ab]{1,2}")
    automaton = language_automaton(expression)
    assert language_automaton(expression) is automaton
    assert [automaton.has_more(number) for number in range(8)] == [number < 6 for number in range(8)]
    assert automaton.counts_along("abc", 9) == [0, 1, 3, 6]
    assert automaton.counts_along("abc", 3) == [0, 1, 3]
