"""Constraints that stand in grammars as rules, against the same grammars with these rules written out."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from marks import slow
from vocabularies import TOOL, special_vocabulary, texts_of

import guidance_kit as gk
from guidance_kit.errors import ConstraintError, GrammarError, OptionError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.fsm.matcher import Matcher

INTEGER = gk.json_schema({"type": "integer"}, whitespace="compact")

LEAVES = {
    "one": ('"a"', gk.regex("a")),
    "some": ('("a" | "bb")*', gk.regex("(a|bb)*")),
    "named": ('"ab"+', gk.grammar('root ::= "ab" root | "ab"', dialect="gbnf")),
    "quoted": ('"(" ("b" | "(")? ")"', gk.sequence("(", gk.optional(gk.choice(["b", "("])), ")")),
}
"""Rules as they are written in GBNF, and as constraints."""

WORDS = ["".join(word) for length in range(6) for word in itertools.product("ab(", repeat=length)]


def random_rules(rng: random.Random) -> str:
    """A grammar in GBNF that uses some of the leaves, recursive on any side."""

    def item() -> str:
        name = rng.choice(["root", "other", *LEAVES, '"a"', '"("'])
        return name + rng.choice(["", "", "?", "*", "{1,2}"])

    ways = (" ".join(item() for _ in range(rng.randint(1, 3))) for _ in range(5))
    root, more, other, *_ = ways
    return f'root ::= {root} | {more} | "b"\nother ::= {other} | "b"\n'


@pytest.mark.parametrize("seed", [*range(15), *slow(*range(15, 40))])
def test_random_grammars(seed):
    """364 words each."""
    source = random_rules(random.Random(seed))
    used = {name: leaf for name, leaf in LEAVES.items() if re.search(rf"\b{name}\b", source)}
    whole = source + "".join(f"{name} ::= {body}\n" for name, (body, _) in used.items())
    rules = {name: constraint for name, (_, constraint) in used.items()}
    assert texts_of(gk.grammar(source, dialect="gbnf", rules=rules), WORDS) == texts_of(
        gk.grammar(whole, dialect="gbnf"), WORDS
    )


@pytest.mark.parametrize("lexer", ["dynamic", "dynamic_complete"])
def test_what_is_ignored_stands_before_a_rule_and_not_within_it(lexer):
    source = 'start: "x" NUMBER ("," NUMBER)* [WORD]\n%declare NUMBER WORD\n%ignore /[ ]+/'
    constraint = gk.grammar(source, lexer=lexer, rules={"NUMBER": INTEGER, "WORD": gk.regex("[a-z][a-z ]*z")})
    matches = lambda text: _matches(constraint, text)  # noqa: E731
    assert all(map(matches, ["x1", "  x  1 , 23", "x1 ", "x-1az", "x1 a  az "]))
    assert not any(map(matches, ["x1 2", "x- 1", "x", "x1,z"]))


def _matches(constraint: gk.Constraint, text: str) -> bool:
    matcher = Matcher(constraint.compile(special_vocabulary()))
    try:
        matcher.advance_bytes(text.encode())
    except gk.MatchError:
        return False
    return matcher.is_complete


@pytest.mark.parametrize(
    ("source", "dialect"),
    [
        ('start: "a" TOOL INNER\n%declare TOOL INNER', "lark"),
        ('root ::= "a" TOOL INNER', "gbnf"),
        ("start ::= 'a' TOOL INNER", "ebnf"),
    ],
)
def test_special_tokens_and_other_grammars_in_rules(source, dialect):
    inner = gk.grammar('start: "(" [start] N ")"\n%declare N', rules={"N": INTEGER})
    constraint = gk.grammar(source, dialect=dialect, rules={"TOOL": gk.special_token("<tool>"), "INNER": inner})
    matcher = Matcher(constraint.compile(special_vocabulary()))
    assert matcher.min_tokens_to_complete() == 5
    matcher.advance_all([ord("a"), TOOL, *b"((1)23)"])
    assert matcher.is_over


def test_a_rule_that_is_not_reached():
    assert gk.grammar('root ::= "a"\nother ::= n', dialect="gbnf", rules={"n": "1"}).report.unused == ("other", "n")
    assert gk.grammar('start: "a"\n%declare N', rules={"N": "1"}).report.unused == ("N",)


@pytest.mark.parametrize(
    ("source", "dialect", "rules", "error", "said"),
    [
        ("start: N\n%declare N\n%ignore /[0-9 ]+/", "lark", {"N": INTEGER}, UnsupportedFeature, "the rule N"),
        ("start: N\n%declare N\n%ignore /[é ]+/", "lark", {"N": gk.regex("é")}, UnsupportedFeature, "the rule N"),
        ("start: N\n%declare N\n%ignore /[é ]+/", "lark", {"N": gk.regex("1?")}, UnsupportedFeature, "the rule N"),
        ("start: N\n%declare N", "lark", {}, UnsupportedFeature, "rules="),
        ('start: N\nN: "x"', "lark", {"N": INTEGER}, GrammarError, "'N'"),
        ("start: n\n%declare N n", "lark", {"n": INTEGER}, GrammarError, "upper case; 'n' is none .*line 2, column 12"),
        ('root ::= n\nn ::= "x"', "gbnf", {"n": INTEGER}, GrammarError, "'n'"),
        ('root ::= "x"', "gbnf", {"n": INTEGER}, OptionError, re.escape("rules['n']")),
        ('start: "x"', "lark", {"N": INTEGER}, OptionError, "%declare N"),
        ("root ::= n", "gbnf", {"n": 5}, OptionError, re.escape("rules['n']")),
        ("a ::= b - 'x'", "ebnf", {"b": INTEGER}, UnsupportedFeature, "difference"),
        ("root ::= n m", "gbnf", {"n": INTEGER}, GrammarError, "'m' is used but not defined"),
        ("root ::= n root", "gbnf", {"n": INTEGER}, UnsatisfiableError, "root"),
    ],
)
def test_what_is_refused(source, dialect, rules, error, said):
    with pytest.raises(error, match=said):
        gk.grammar(source, dialect=dialect, rules=rules)


def test_equal_rules_make_equal_grammars():
    one, other = (gk.grammar("root ::= n", dialect="gbnf", rules={"n": gk.regex("a")}) for _ in range(2))
    assert one == other != gk.grammar("root ::= n", dialect="gbnf", rules={"n": gk.regex("b")})
    assert isinstance(one, gk.Constraint)
    with pytest.raises(ConstraintError):
        gk.grammar("root ::= n", dialect="gbnf")


def test_intersection_and_complement():
    either = gk.regex(r"(?=[ab]*(?:ab|\()$)(?!(?:ab|bab)$)[ab]+\(?")
    constraint = gk.grammar("start: NAME\n%declare NAME", rules={"NAME": either})
    names = {word for word in WORDS if re.fullmatch(r"[ab]+\(?", word) and word.endswith(("ab", "("))}
    assert texts_of(constraint, WORDS) == names - {"ab", "bab"}
