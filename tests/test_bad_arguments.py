"""Constraints that are given something else than what they take: errors of ours that name the argument."""

from __future__ import annotations

import numpy as np
import pytest

import guidance_kit as gk
from guidance_kit.errors import GrammarError, LimitError, OptionError

TAG = gk.tag("<", None, ">")
HUGE = "9" * 5000

BAD = [
    (lambda: gk.regex(["a"]), "a pattern must be a str, not list .*'a'"),
    (lambda: gk.regex(None), "a pattern must be a str, not NoneType"),
    (lambda: gk.regex("a", "i"), "flags must be an integer, not str"),
    (lambda: gk.choice(None), r"choice\(\) takes several texts or constraints, not NoneType"),
    (lambda: gk.choice(5), "not int .5."),
    (lambda: gk.choice("abc"), "several texts, not one str"),
    (lambda: gk.grammar(3), "a grammar is a str, or the path of its file, not int"),
    (lambda: gk.grammar(b'start: "a"'), "not bytes"),
    (lambda: gk.grammar('start: "a"', start=["start"]), "start must be a str, not list"),
    (lambda: gk.grammar('start: "a"', rules=5), "rules= takes constraints"),
    (lambda: gk.grammar('start: "a"', folders=5), "folders takes several paths"),
    (lambda: gk.bundled_grammar(None), "unknown grammar"),
    (lambda: gk.text(without=5), "without takes several strings"),
    (lambda: gk.text(until=None), "until takes several strings"),
    (lambda: gk.text(min_length="a"), "min_length must be an integer"),
    (lambda: gk.text(max_length=2.5), r"max_length must be an integer, not float .2\.5"),
    (lambda: gk.repeat("a", "x"), "minimum must be an integer"),
    (lambda: gk.repeat("a", 1, 1.5), "maximum must be an integer"),
    (lambda: gk.any_token(5), r"any_token\(\) takes several tokens"),
    (lambda: gk.any_token(without=5), "without takes several tokens"),
    (lambda: gk.tag(None, None, "b"), "the beginning of a tag takes several parts"),
    (lambda: gk.tag("a", None, 5), "the end of a tag takes several parts"),
    (lambda: gk.tag("a", None, "b", name=5), "the name of a tag must be a str"),
    (lambda: gk.tags(TAG), r"tags\(\) takes several of what tag\(\) makes, not Tag"),
    (lambda: gk.tags([TAG], minimum="a"), "minimum must be an integer"),
    (lambda: gk.tags([TAG], triggers=5), "triggers takes several strings"),
    (lambda: gk.tool_calls(None, "hermes"), r"tool_calls\(\) takes several tools"),
    (lambda: gk.tool_calls([], ["hermes"]), "unknown style"),
]


@pytest.mark.parametrize(("make", "said"), BAD)
def test_arguments_of_other_types_are_named(make, said):
    with pytest.raises(OptionError, match=said):
        make()


def test_integers_of_numpy_are_numbers():
    assert set(gk.repeat("ab", np.int64(1), np.int64(2)).sample(5, seed=0)) == {"ab", "abab"}


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (
            lambda: gk.grammar("start: a\na: /x\\u{1F600}+/"),
            GrammarError,
            r"\\u\{1F600\} is no escape of Python's re; write \\U0001F600 \(at line 2, column 6\)",
        ),
        (lambda: gk.grammar('start: "\\u{41}"'), GrammarError, r"write \\U00000041 \(at line 1, column 9\)"),
        (lambda: gk.grammar('root ::= "a"{' + HUGE + "}", dialect="gbnf"), LimitError, "max_turns"),
        (lambda: gk.structural_tag('{"format": ' + HUGE + "}"), LimitError, "max_digits"),
        (lambda: gk.regex("(" * 5000), LimitError, "max_nesting"),
        (lambda: gk.grammar("start: " + "(" * 3000 + '"a"' + ")" * 3000), LimitError, "max_nesting"),
        (lambda: gk.grammar("a ::= " + "(" * 3000 + "'a'" + ")" * 3000, dialect="ebnf"), LimitError, "max_nesting"),
        (
            lambda: gk.grammar(
                "a ::= b0 - 'x' " + " ".join(f"b{k} ::= 'c' b{k + 1}" for k in range(3000)) + " b3000 ::= 'x'",
                dialect="ebnf",
            ),
            LimitError,
            "max_nesting",
        ),
    ],
)
def test_what_is_written_badly_or_too_large_is_told(make, error, said):
    with pytest.raises(error, match=said):
        make()
