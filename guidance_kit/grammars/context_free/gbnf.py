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
        name = source.rule_name(_NAME)
        source.match(_SPACE)
        source.expect("::=", f"::= after the name {name!r}")
        source.match(_LINES)
        source.define(name, place, _choice(source))
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
    if source.next == '"':
        text = source.quoted(lambda: source.character(_ESCAPE))
        return source.literal(list(map(CharSet.single, map(ord, text))), source.text[place : source.place])
    if source.next == "[":
        found = source.characters(lambda: source.character(_ESCAPE), "\r\n")
        return source.literal([found], source.text[place : source.place])
    if source.take("."):
        return source.literal([ALL], ".")
    if source.take("("):
        with source.group(_LINES):
            return _choice(source)
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
