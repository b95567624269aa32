"""EBNF in the notation of the W3C: https://www.w3.org/TR/xml/#sec-notation."""

from __future__ import annotations

import re
from collections.abc import Sequence as Items

from guidance_kit.grammars.context_free.difference import with_differences
from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.source import GrammarScanner
from guidance_kit.grammars.context_free.tree import Choice, Grammar, Node, RuleReference, Sequence
from guidance_kit.grammars.regular.charset import CharSet

__all__ = ["read_ebnf"]

_SPACE = re.compile(r"(?:\s|/\*(?s:.*?)\*/|\[\s*(?:wfc|vc|WFC|VC)\s*:[^\]]*\])*")
_NUMBER = re.compile(r"\[\d+[a-z]?\]\s*")
_NAME = re.compile(r"[^\W\d][\w.-]*")
_HEADER = re.compile(rf"(?:{_NUMBER.pattern})?{_NAME.pattern}\s*::=")
_POINT = re.compile(r"#x([0-9a-fA-F]{1,6})")


def read_ebnf(
    text: str, *, start: str | None = None, path: str = "", embedded: Items[EmbeddedConstraint] = ()
) -> Grammar:
    """The grammar in a text. A difference `A - B` is that of two regular languages: neither may be recursive.

    Args:
        text: the grammar.
        start: the rule that the whole text must match; the first one if None.
        path: its file, for messages.
        embedded: constraints for undefined names.
    Raises:
        GrammarError: malformed; a rule is used that is not defined, or defined twice.
        UnsupportedFeature: a difference of recursive rules.
        LimitError: too many groups in each other.
    """
    reader = _RuleReader(GrammarScanner(text, path))
    source = reader.source
    source.match(_SPACE)
    while not source.is_at_end:
        reader.rule()
    if not source.rules:
        raise source.error("there are no rules")
    found = source.grammar(start or next(name for name in source.rules if name not in reader.differences), embedded)
    return with_differences(found, reader.differences)


class _RuleReader:
    """Reads the rules of a source."""

    def __init__(self, source: GrammarScanner) -> None:
        self.source = source
        self.differences: dict[str, tuple[Node, Node]] = {}

    def rule(self) -> None:
        """Read one rule."""
        source = self.source
        source.match(_NUMBER)
        place = source.place
        name = source.rule_name(_NAME)
        source.match(_SPACE)
        source.expect("::=", f"::= after the name {name!r}")
        source.match(_SPACE)
        node = self._choice()
        source.define(name, place, node)
        if not source.is_at_end and not _HEADER.match(source.text, source.place):
            raise source.error("expected a part of the rule, or the next rule")

    def _choice(self) -> Node:
        ways = [self._sequence()]
        while self.source.take("|"):
            self.source.match(_SPACE)
            ways.append(self._sequence())
        return ways[0] if len(ways) == 1 else Choice(tuple(ways))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while (part := self._repeated()) is not None:
            place = self.source.place
            if self.source.take("-"):
                self.source.match(_SPACE)
                excluded = self._repeated()
                if excluded is None:
                    raise self.source.error("expected what is excluded")
                name = f"the difference at {place}"
                self.differences[name] = part, excluded
                self.source.rules[name] = Choice((part, excluded))
                part = RuleReference(name)
            parts.append(part)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeated(self) -> Node | None:
        source = self.source
        part = self._item()
        while part is not None:
            source.match(_SPACE)
            turns = source.operator()
            if turns is None:
                break
            part = source.repeated(part, *turns)
        return part

    def _item(self) -> Node | None:
        source, place = self.source, self.source.place
        if _HEADER.match(source.text, place):
            return None
        for quote in ("'", '"'):
            if source.take(quote):
                end = source.text.find(quote, source.place)
                if end < 0:
                    raise source.error("the text has no end", place)
                text = source.text[source.place : end]
                source.place = end + 1
                return source.literal([CharSet.single(ord(character)) for character in text], repr(text))
        if source.next == "#":
            point = self._character()
            return source.literal([CharSet.single(point)], f"#x{point:X}")
        if source.next == "[":
            found = source.characters(self._character, "")
            return source.literal([found], source.text[place : source.place])
        if source.take("("):
            with source.group(_SPACE):
                return self._choice()
        name = source.match(_NAME)
        if name is None:
            return None
        source.use(name[0], place)
        return RuleReference(name[0])

    def _character(self) -> int:
        """The code point of the next character, which may be written #xN."""
        source = self.source
        written = source.match(_POINT)
        return source.character() if written is None else source.point(written[1], written.start())
