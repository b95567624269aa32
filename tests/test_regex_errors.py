"""What is refused, by which error and with which place; and patterns that are out to exhaust us."""

from __future__ import annotations

import re

import pytest
from networks import regex_network

from guidance_kit.errors import (
    ConstraintError,
    LimitError,
    OptionError,
    PatternError,
    UnsatisfiableError,
    UnsupportedFeature,
)
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.regular import parse


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        ("(a", 0),
        ("a)", 1),
        ("ab**", 3),
        ("*a", 0),
        ("[a", 0),
        ("[z-a]", 1),
        ("a{3,2}", 2),
        ("(?P<1>a)", 4),
        ("(?<n>a)", 1),
        (r"\q", 0),
        (r"é\x4", 1),
        ("a(?i)b", 1),
        ("(?L)a", 3),
        (r"\p{L}\p{Nd}(", 11),
        (r"a\p", 1),
        (r"a\p{L", 1),
        (r"a\pé", 1),
        (r"x\p{Nonsense}y", 1),
        (r"[\p{L}-z]", 1),
        (r"[a-\P{L}]", 3),
    ],
)
def test_malformed(pattern, position):
    with pytest.raises(PatternError) as caught:
        parse(pattern)
    assert caught.value.pattern == pattern
    assert caught.value.position == position
    if position is not None:
        assert f"position {position}" in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "feature", "where"),
    [
        (r"(a)\1", "backreference", "position 3"),
        (r"(?P<n>a)b(?P=n)", "backreference", "position 9"),
        (r"\\1[\1](\\)\1", "backreference", "position 11"),
        ("(?x) (a) # \\1\n \\1", "backreference", "position 15"),
        (r"\p{L}(a)\1", "backreference", "position 8"),
        (r"(a)?(?(1)b|c)", "conditional group", "position 4"),
        (r"(?>a*b?)c", "atomic group", "position 0"),
        (r"x(?:a?)*+", "possessive quantifier", "position 7"),
    ],
)
def test_not_regular(pattern, feature, where):
    with pytest.raises(UnsupportedFeature) as caught:
        parse(pattern)
    assert caught.value.feature == feature
    assert caught.value.where == where


@pytest.mark.parametrize(
    "pattern",
    [
        "(?!)",
        r"[^\s\S]",
        "a(?!.*)",
        r"a\bb",
        r"(?=a)b",
        r"(?<!^)\A",
        r"a^b",
        r"a$b",
        r"\B",
        "(?=.*x)[a-w]{5,9}",
        r"x(?<!x)",
    ],
)
def test_empty_languages(pattern):
    with pytest.raises(UnsatisfiableError, match=re.escape(repr(pattern))):
        regex_network(pattern)


@pytest.mark.parametrize("arguments", [(b"a",), (3,), ("a", re.LOCALE), ("a", re.DEBUG), ("a", 1 << 20)])
def test_options(arguments):
    with pytest.raises(OptionError):
        parse(*arguments)


SLOW = [
    "a?" * 20_000 + "a" * 20_000,
    "(?=.*x).{60000}",
    ".*(?<=a.{25})(?<=b.{26}).*",
    "(?:" + "|".join(f"{k:05}" for k in range(30_000)) + ")",
    "(?:" + "a" * 65_000 + "x|" + "a" * 65_000 + "y)",
]
HOSTILE = [
    "(" * 30_000 + ")" * 30_000,
    "(" * 250 + "a" + ")" * 250,
    "(?:" * 30_000,
    "(?=" * 250 + "a" + ")" * 250,
    "[" * 100_000,
    "a" * 10_000_000,
    "a{99999999999999999999}",
    "a{4000000000}",
    "a|" * 200_000,
    "(a{1000}){1000}",
    "((a{1000}){1000}){1000}",
    "(((a|b){1000}c|d){1000}e|f){1000}",
    "(((((a?){50}b?){50}c?){50}d?){50}e?){50}",
    "(?:(?:(?:(?:a*)*b*)*c*)*d*)*",
    "(?:(?=a)|b){100000}a",
    "(?=.*a.{12}b)(?=.*b.{13}a)(?=.*c.{14}c).*",
    "(?!.*a.{20}b).*",
    "(?=(?:a{1,50}b?){1,50}c)(?=.*d).*",
    "\\b".join("ab" * 2000),
    "(?i)" + "[a-\U0010ffff]" * 20,
    "".join(f"\\p{{L}}[{chr(0x4E00 + k)}]" for k in range(2000)),
    "(?:" + "|".join(f"{k:05}" for k in range(3_000)) + ")",
    "(?:" + "a" * 6_500 + "x|" + "a" * 6_500 + "y)",
]


@pytest.mark.filterwarnings("ignore:Possible nested set")
@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(pattern, id=f"{pattern[:24]}-{len(pattern)}", marks=marks)
        for patterns, marks in ((HOSTILE, []), (SLOW, [pytest.mark.slow]))
        for pattern in patterns
    ],
)
def test_hostile_patterns_end_soon(pattern):
    """Compiled and some text read, or an error of ours: never a hang (pytest's time limit) or a RecursionError."""
    message = ""
    try:
        automaton = Automaton(regex_network(pattern))
        for text in ["a" * 30, "ab" * 15, "ba" * 15, "abcdef" * 5]:
            automaton.advance(automaton.start, text.encode())
    except ConstraintError as error:
        message = str(error)
    assert len(message) < 1000


def test_a_pattern_that_only_nests_too_deep_is_told_so():
    with pytest.raises(LimitError) as caught:
        parse("(" * 250 + "a" + ")" * 250)
    assert caught.value.limit == "max_nesting"
