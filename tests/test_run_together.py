"""Keywords that run into the next word, and shorthands beyond ASCII: what reports of grammars and patterns say."""

from __future__ import annotations

import re
import sys

import pytest
from lark import Lark
from lark.exceptions import LarkError
from marks import slow

from guidance_kit.grammars.grammar import grammar
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.regular.shorthands import wide_shorthands

LEXERS = {
    "dynamic_complete": {"parser": "earley", "lexer": "dynamic_complete"},
    "dynamic": {"parser": "earley", "lexer": "dynamic"},
    "longest": {"parser": "lalr", "lexer": "contextual"},
}
TERMINALS = "\nNAME: /[a-z]+/\nNUM: /[0-9]+/\nSTRING: /'[a-z]*'/\n%ignore / +/\n"

ALL = frozenset(LEXERS)
DYNAMIC = ALL - {"longest"}

# rules, a text in which a keyword and the next terminal read as one word, the pair, the lexers that read it so
JOINED = [
    ('start: "select" NAME', "selectsawtoo", ("SELECT", "NAME"), ALL),
    ('start: "select" NUM', "select1", ("SELECT", "NUM"), ALL),
    ('start: "SELECT"i NAME', "sElEcTa", ("SELECT", "NAME"), ALL),
    ('start: "order" "by"', "orderby", ("ORDER", "BY"), ALL),
    ('start: (NAME "=" NUM | "if" NAME "=")*', "ifa =", ("IF", "NAME"), DYNAMIC),
    ('start: ("let" NAME "!")+ | NAME', "let a!letx!", ("LET", "NAME"), ALL),
    ('start: "let" rest\nrest: more NAME\nmore: "!"?', "letx", ("LET", "NAME"), ALL),
    ('start: begin NAME\nbegin: "!" | "!" begin | "def"', "defx", ("DEF", "NAME"), ALL),
    ('start: ("let" | "!")+ NAME', "letletx", ("LET", "NAME"), ALL),
    ('start: "let" ~ 2..80 "for"', "letletfor", ("LET", "FOR"), ALL),
]

APART = [
    'start: "select" STRING',
    'start: "select" "(" NAME ")"',
    'start: "a" NAME',
    'start: "1a" NAME',
    "start: /select\\b/ NAME",
    "start: /select(?!\\w)/ NAME",
    'start: NAME "select" | "select" STRING',
]


def lark_accepts(rules: str, lexer: str, text: str) -> bool:
    try:
        Lark(rules + TERMINALS, **LEXERS[lexer]).parse(text)
    except LarkError:
        return False
    return True


@pytest.mark.parametrize("lexer", LEXERS)
@pytest.mark.parametrize(("rules", "text", "pair", "lexers"), JOINED)
def test_keywords_that_run_into_words(rules, text, pair, lexers, lexer):
    """They are reported exactly where lark accepts the joined text under the same lexer."""
    found = grammar(rules + TERMINALS, lexer=lexer).report.run_together
    assert (pair in found) == (lexer in lexers) == lark_accepts(rules, lexer, text)
    assert pair not in found or re.fullmatch(r"[^\W\d]\w+", found[pair])


@pytest.mark.parametrize("lexer", LEXERS)
@pytest.mark.parametrize("rules", APART)
def test_keywords_that_stand_apart(rules, lexer):
    assert not grammar(rules + TERMINALS, lexer=lexer).report.run_together


@pytest.mark.parametrize("lexer", LEXERS)
def test_the_text_is_what_lark_accepts(lexer):
    for rules, _, pair, _ in JOINED[:4]:
        assert lark_accepts(rules, lexer, grammar(rules + TERMINALS, lexer=lexer).report.run_together[pair])


def test_white_space_that_must_stand_there():
    for space in ("/ +/", '" "+', "WS"):
        source = f'start: "select" {space} NAME\nNAME: /[a-z]+/\nWS: /\\s+/\n'
        for lexer in LEXERS:
            assert not grammar(source, lexer=lexer).report.run_together
    source = 'start: "select" WS? NAME\nNAME: /[a-z]+/\nWS: /\\s+/\n'
    for lexer in LEXERS:
        assert grammar(source, lexer=lexer).report.run_together == {("SELECT", "NAME"): "selecta"}


def test_other_notations():
    assert grammar('root ::= "select" name\nname ::= [a-z]+', dialect="gbnf").report.run_together
    assert not grammar('root ::= "select " name\nname ::= [a-z]+', dialect="gbnf").report.run_together


def matched(shorthand: str) -> int:
    return sum(bool(re.match(shorthand, chr(point))) for point in range(128, sys.maxunicode + 1))


@pytest.mark.parametrize("shorthand", slow(r"\d", r"\w", r"\s"))
def test_shorthands_beyond_ascii(shorthand):
    (found,) = regex(shorthand + "a").report.shorthands
    assert (found.name, found.beyond_ascii) == (shorthand, matched(shorthand))
    assert f"{shorthand} also matches {found.beyond_ascii:,} " in str(found)
    in_ascii = [chr(point) for point in range(128) if re.match(shorthand, chr(point), re.ASCII)]
    assert [chr(point) for point in range(128) if re.match(found.ascii, chr(point))] == in_ascii


@pytest.mark.parametrize(
    ("pattern", "flags", "names"),
    [
        (r"[0-9]+", 0, []),
        (r"\d", re.ASCII, []),
        (r"(?a)\d\w\s", 0, []),
        (r"\D\W\S[^\d\w]", 0, []),
        (r"a(?!\d)\b", 0, []),
        (r"(?a:\d)", 0, []),
        (r"(?a:\d)\d", 0, [r"\d"]),
        (r"(?a)(?u:\w)", 0, [r"\w"]),
        (r"(a|b(?:[x\s]+)?)*\d{3}", 0, [r"\d", r"\s"]),
        (r"(?=\d).(?P<n>\w)(?i:\d)", 0, [r"\d", r"\w"]),
        (r"(?>\d)\w*+", 0, [r"\d", r"\w"]),
        (r"\\d", 0, []),
    ],
)
def test_places_of_shorthands(pattern, flags, names):
    assert [shorthand.name for shorthand in wide_shorthands(pattern, flags)] == names


def test_shorthands_of_terminals():
    for lexer in LEXERS:
        report = grammar("start: NAME NUM\nNAME: /\\w+!/\nNUM: /[0-9]/\n%ignore /\\s+/\n", lexer=lexer).report
        assert [[one.name for one in found] for found in report.shorthands.values()] == [[r"\w"], [r"\s"]]
