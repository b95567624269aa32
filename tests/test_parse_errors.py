"""One error class for texts that have no value: `parse`, `partial` and `captures` of every kind of constraint."""

from __future__ import annotations

import pickle
import random
import re
from typing import Annotated

import pytest
from pydantic import AfterValidator, ValidationError

import guidance_kit as gk
from guidance_kit.errors import LimitError, MatchError, OptionError, UnsupportedFeature

ANY = gk.json_schema({}, whitespace="compact")
OBJECT = gk.json_schema({"properties": {"n": {"type": "integer"}}, "type": "object", "additionalProperties": False})
SUMS = gk.grammar('start: "(" start ")" | "x"')


def _even(number: int) -> int:
    if number % 2:
        raise ValueError("odd")
    return number


def _broken(number: int) -> int:
    return number // 0


EVENS = gk.json_schema(dict[str, list[Annotated[int, AfterValidator(_even)]]])

# constraint, text, the first position that does not match, what could follow there
MISMATCHES = [
    (gk.regex("a+b"), "aac", 2, "'a' to 'b'"),
    (gk.regex("a+b"), "aa", 2, "'a' to 'b'"),
    (gk.regex("ab?"), "abb", 2, "the end of the text"),
    (gk.regex("ab?"), "ac", 1, "'b' or the end of the text"),
    (gk.regex("é[αβ]"), "éγ", 1, "others"),
    (gk.regex("[a-cx]é?"), "", 0, "'a' to 'c' or 'x'"),
    (gk.regex("(?s:.)x"), "\ud800x", 0, None),
    (gk.choice(["yes", "no"]), "yea", 2, "'s'"),
    (ANY, "{", 1, "'\"' or '}'"),
    (ANY, '"a', 2, None),
    (ANY, "[1,é]", 3, None),
    (ANY, '{"a":1} ', 7, "the end of the text"),
    (ANY, "[" * 50_000, 50_000, None),
    (OBJECT, '{"m":1}', 2, "'n'"),
    (OBJECT, '{"n":"1"}', 5, None),
    (EVENS, '{"a": ["1"]}', 7, None),
    (SUMS, "((x)", 4, "')'"),
    (gk.sequence("n = ", ANY, ";"), "n = [1;", 6, None),
    (gk.optional(OBJECT), "x", 0, "'{' or the end of the text"),
    (gk.repeat(OBJECT, 1, 2), "{}{}{}", 4, "the end of the text"),
    (gk.tags([gk.tag("<a>", ANY, "</a>")]), "x<a>[", 5, None),
]


@pytest.mark.parametrize(("constraint", "text", "position", "expected"), MISMATCHES)
def test_a_text_that_does_not_match(constraint, text, position, expected):
    with pytest.raises(MatchError, match=f"position {position} it ") as caught:
        constraint.parse(text)
    assert caught.value.position == position
    assert expected in (None, caught.value.expected)
    assert caught.value.expected
    assert len(str(caught.value)) < 400
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.position) == (str(caught.value), position)


@pytest.mark.parametrize(("constraint", "text", "position", "expected"), MISMATCHES)
def test_a_prefix_that_does_not_match(constraint, text, position, expected):
    for is_whole in (False, True):
        if position == len(text) and not is_whole:
            continue
        with pytest.raises(MatchError) as caught:
            constraint.partial(text, is_whole=is_whole)
        assert caught.value.position == position


def test_captures_of_a_text_that_does_not_match():
    for constraint in (gk.regex("(?P<x>a+)b"), gk.grammar("start: A b\nA: /a+/\nb: /b/", lexer="longest")):
        with pytest.raises(MatchError, match="'b' could follow") as caught:
            constraint.captures("aac")
        assert caught.value.position == 2


def test_a_text_nested_too_deep_for_a_value():
    for depth in (2_000, 50_000):
        with pytest.raises(MatchError, match=r"nested too deep") as caught:
            ANY.parse("[" * depth + "]" * depth)
        assert isinstance(caught.value.__cause__, RecursionError)
        with pytest.raises(MatchError, match=r"no value"):
            ANY.partial("[" * depth)
    with pytest.raises(MatchError, match=r"4300 digits"):
        gk.sequence("=", ANY).parse("=" + "9" * 5_000)


def test_a_text_that_the_type_refuses():
    assert EVENS.parse('{"a/b": [2, 4]}') == {"a/b": [2, 4]}
    with pytest.raises(MatchError, match="/a~1b/1: Value error, odd") as caught:
        EVENS.parse('{"a/b": [2, 3]}')
    assert isinstance(caught.value.__cause__, ValidationError)
    assert caught.value.position is None
    many = ", ".join(["1"] * 9)
    with pytest.raises(MatchError, match=r"/c/4: Value error, odd; and 4 more"):
        EVENS.parse(f'{{"c": [{many}]}}')


def test_a_validator_with_a_fault_of_its_own_is_told_as_such():
    with pytest.raises(ZeroDivisionError):
        gk.json_schema(Annotated[int, AfterValidator(_broken)]).parse("1")


def test_what_is_no_text():
    for call in (ANY.parse, ANY.partial, SUMS.captures, gk.regex("a").parse, gk.sequence("a").parse):
        for given in (None, b"a", 1, ["a"]):
            with pytest.raises(OptionError, match="a text must be a str"):
                call(given)


def test_tokens_by_number_say_nothing_of_texts():
    with pytest.raises(UnsupportedFeature):
        gk.any_token().parse("x")


def test_constraints_nested_too_deep():
    def nested(make):
        constraint = gk.regex("a")
        for _ in range(3_000):
            constraint = make(constraint)

    for make in (gk.optional, gk.sequence, lambda part: gk.repeat(part, 0, 3), lambda part: gk.choice([part, "b"])):
        with pytest.raises(LimitError, match="max_nesting=100"):
            nested(make)


def test_random_texts_match_or_are_refused_as_re_has_it():
    draw = random.Random(5)
    for pattern in ("(a|bc)*d?", "(?:ab|a)(?:c|bcd)", "[^a]{2,3}é|b+"):
        constraint = gk.regex(pattern)
        for _ in range(200):
            text = "".join(draw.choices("abcdé", k=draw.randrange(6)))
            if re.fullmatch(pattern, text):
                assert constraint.parse(text) == text
            else:
                with pytest.raises(MatchError) as caught:
                    constraint.parse(text)
                position = caught.value.position
                assert position is not None
                constraint.partial(text[:position])
                if position < len(text):
                    with pytest.raises(MatchError):
                        constraint.partial(text[: position + 1])
