"""Regular languages over code points: parse patterns, combine expressions, lower them to networks."""

from __future__ import annotations

from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.derivative import is_member
from guidance_kit.grammars.regular.encoding import UTF8, Encoding, Utf8
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    NOTHING,
    Expression,
    alternate,
    characters,
    concatenate,
    deferred,
    intersect,
    length,
    literal,
    lookahead,
    lookbehind,
    optional,
    repeat,
)
from guidance_kit.grammars.regular.liveness import is_empty, shortest
from guidance_kit.grammars.regular.lower import add, declare
from guidance_kit.grammars.regular.parse import Dialect, parse, parse_search

__all__ = [
    "ANYTHING",
    "EPSILON",
    "NOTHING",
    "UTF8",
    "CharSet",
    "Dialect",
    "Encoding",
    "Expression",
    "Utf8",
    "add",
    "alternate",
    "characters",
    "complement",
    "concatenate",
    "declare",
    "deferred",
    "intersect",
    "is_empty",
    "is_member",
    "length",
    "literal",
    "lookahead",
    "lookbehind",
    "optional",
    "parse",
    "parse_search",
    "repeat",
    "shortest",
]
