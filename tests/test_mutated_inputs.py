"""Grammars and patterns with characters deleted, inserted and swapped: a constraint, or an error of the library."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import guidance_kit as gk
from guidance_kit.errors import GuidanceKitError

LARK = (
    'start: a ("," a)* -> x\na: "if"i NAME | /[0-9]+(?=x)/\nNAME: /[a-z]\\w*/ | "a".."f"\n'
    "%ignore /\\s+/\n%import common.INT\nt{x}: x+ INT~2..3\n"
)
GBNF = 'root ::= "a" [a-z]{2,3} (x | "\\n")*\nx ::= root? # c\n'
REGEX = r"(?P<a>a|b{2,5}?)(?i:x)[^\d-z]*(?<=a)\b\p{L}\1?(?(1)a|b)$"
CHARACTERS = '(){}[]|*+?.^$\\"/:~%-,<>!=a0\n &\ud800é_#pPuxN'
MAKERS = {
    "regex": (REGEX, gk.regex),
    "gbnf": (GBNF, lambda text: gk.grammar(text, dialect="gbnf")),
    **{lexer: (LARK, lambda text, lexer=lexer: gk.grammar(text, lexer=lexer)) for lexer in ("dynamic", "longest")},
}


@pytest.mark.parametrize("name", MAKERS)
@given(draw=st.data())
@settings(max_examples=settings.default.max_examples // 3)
def test_mutated_sources(name, draw):
    source, make = MAKERS[name]
    text = list(source)
    for _ in range(draw.draw(st.integers(1, 4))):
        place = draw.draw(st.integers(0, len(text) - 1))
        match draw.draw(st.sampled_from(["delete", "insert", "swap"])):
            case "delete":
                del text[place]
            case "insert":
                text.insert(place, draw.draw(st.sampled_from(CHARACTERS)))
            case _:
                other = draw.draw(st.integers(0, len(text) - 1))
                text[place], text[other] = text[other], text[place]
    with contextlib.suppress(GuidanceKitError):
        make("".join(text))
