"""GBNF, the notation of llama.cpp."""

from __future__ import annotations

import re
from collections.abc import Sequence as Items
from dataclasses import replace

from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.source import GrammarScanner
from guidance_kit.grammars.context_free.token_notation import TOKENS, token_set
from guidance_kit.grammars.context_free.tree import Choice, Grammar, Node, RuleReference, Sequence
from guidance_kit.grammars.regular.charset import ALL, CharSet

__all__ = ["read_gbnf"]

_SPACE = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_LINES = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_ESCAPE = re.compile(
    r"""\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([tnrbfave0\\"\[\]'/?^$.*+(){}|-]))"""
)
_BOUNDS = re.compile(r"\{[ \t]*(\d+)[ \t]*(?:(,)[ \t]*(\d+)?[ \t]*)?\}")
_PLAIN = re.compile(r'[^"\\\r\n]+')
_CONTROL = {"0": 0x00, "a": 0x07, "b": 0x08, "t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D, "e": 0x1B}


def read_gbnf(text: str, *, start: str = "root", path: str = "", embedded: Items[EmbeddedConstraint] = ()) -> Grammar:
    r"""The grammar of a text in llama.cpp's notation. Left recursion, which llama.cpp refuses, is supported.

    The escapes of XGrammar, as `\-` in a class, are read too; they have no meaning in llama.cpp.

    Args:
        text: the grammar.
        start: the rule of whole texts.
        path: its file, for messages.
        embedded: constraints for undefined names.
    Raises:
        GrammarError: malformed; a rule is undefined, or defined twice.
        LimitError: groups are nested too deep, or a number of repetitions is too large.
    """
    source = GrammarScanner(text, path)
    source.match(_LINES)
    while not source.is_at_end:
        place = source.place
        name = source.match(_NAME)
        if name is None:
            raise source.error("expected the name of a rule")
        source.match(_SPACE)
        source.expect("::=", f"::= after the name {name[0]!r}")
        source.match(_LINES)
        source.define(name[0], place, _choice(source))
        if not source.is_at_end and source.next not in "\r\n":
            raise source.error("expected the end of the rule")
        source.match(_LINES)
    return source.grammar(start, embedded)


def _choice(source: GrammarScanner) -> Node:
    ways = [_sequence(source)]
    while source.take("|"):
        source.match(_LINES)
        ways.append(_sequence(source))
    return ways[0] if len(ways) == 1 else Choice(tuple(ways))


def _sequence(source: GrammarScanner) -> Node:
    parts: list[Node] = []
    while True:
        part = _item(source)
        if part is None:
            return Sequence(tuple(parts))
        source.match(_LINES if source.depth else _SPACE)
        parts.append(_repeated(source, part))


def _repeated(source: GrammarScanner, part: Node) -> Node:
    """A part with the repetition operators behind it."""
    while (found := source.with_operator(part, _BOUNDS)) is not None:
        part = found
        source.match(_LINES if source.depth else _SPACE)
    return part


def _item(source: GrammarScanner) -> Node | None:
    place = source.place
    if source.take('"'):
        points: list[int] = []
        while not source.take('"'):
            if source.is_at_end or source.next in "\r\n":
                raise source.error("the text has no end", place)
            plain = source.match(_PLAIN)
            points += [_character(source)] if plain is None else map(ord, plain[0])
        return source.literal(list(map(CharSet.single, points)), source.text[place : source.place])
    if source.next == "[":
        return source.literal([_class(source)], source.text[place : source.place])
    if source.take("."):
        return source.literal([ALL], ".")
    if source.take("("):
        source.opened()
        source.match(_LINES)
        inner = _choice(source)
        source.expect(")", "a closing parenthesis")
        source.depth -= 1
        return inner
    if source.next in ("<", "!"):
        return _token(source)
    name = source.match(_NAME)
    if name is None:
        return None
    source.use(name[0], place)
    return RuleReference(name[0])


def _token(source: GrammarScanner) -> Node:
    """A token of the vocabulary, as `<[5]>` or `<think>`; `!` before it: any other one."""
    is_negated, place = source.take("!"), source.place
    found = source.match(TOKENS)
    if found is None:
        raise source.error("expected a token, as <[5]> or <think>")
    tokens = token_set(found[0], lambda message, offset: source.error(message, place + offset))
    if is_negated:
        tokens = replace(tokens, is_negated=not tokens.is_negated)
    return source.embed(EmbeddedConstraint.of_tokens(str(tokens), tokens), place)


def _class(source: GrammarScanner) -> CharSet:
    place = source.place
    source.take("[")
    is_negated = source.take("^")
    ranges: list[tuple[int, int]] = []
    while not source.take("]"):
        if source.is_at_end or source.next in "\r\n":
            raise source.error("the class has no end", place)
        first = last = _character(source)
        if source.next == "-" and source.text[source.place + 1 : source.place + 2] != "]":
            source.take("-")
            last = _character(source)
            if last < first:
                raise source.error(f"a range from {chr(first)!r} to {chr(last)!r}")
        ranges.append((first, last))
    found = CharSet.of(ranges)
    return ~found if is_negated else found


def _character(source: GrammarScanner) -> int:
    """The code point of the next character, which may be escaped."""
    if source.next != "\\":
        source.place += 1
        return ord(source.text[source.place - 1])
    escape = source.match(_ESCAPE)
    if escape is None:
        raise source.error("unknown escape")
    digits = escape[1] or escape[2] or escape[3]
    point = int(digits, 16) if digits else _CONTROL.get(escape[4], ord(escape[4]))
    if point > 0x10FFFF or 0xD800 <= point < 0xE000:
        raise source.error(f"U+{point:X} is no character", escape.start())
    return point
