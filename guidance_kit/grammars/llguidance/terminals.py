"""Terminals of llguidance's dialect: regular expressions with `&` and `~`, and their automata.

llguidance's lexer reads a terminal as long as any text of it can go on, and never goes back; a lazy one ends as soon as
it can. So each automaton here ends where the next character does not continue it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from guidance_kit.errors import PatternError, UnsupportedFeature
from guidance_kit.grammars.context_free.chunk_runs import chunk_runs
from guidance_kit.grammars.context_free.expression_lexeme import lexeme_of
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.rust_pattern import translate_rust
from guidance_kit.grammars.context_free.source import GrammarScanner
from guidance_kit.grammars.llguidance.syntax import (
    Alternatives,
    CharacterRange,
    ConditionalAlternative,
    Definition,
    Excerpts,
    Item,
    Literal,
    NameUse,
    Negation,
    Pattern,
    Turns,
)
from guidance_kit.grammars.regular.charset import CharSet, union
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.expression import (
    Expression,
    alternate,
    characters,
    concatenate,
    intersect,
    literal,
    repeat,
)
from guidance_kit.grammars.regular.parse import parse

__all__ = ["TerminalReader", "greedy_lexeme"]


class TerminalReader:
    """Expressions of the terminals of a grammar.

    Args:
        definitions: rules and terminals by name.
        source: text of the grammar, for messages.
    """

    def __init__(self, definitions: Mapping[str, Definition], source: GrammarScanner) -> None:
        self._definitions = definitions
        self._source = source
        self._known: dict[str, Expression] = {}
        self._open: list[str] = []

    def expression(self, item: Item) -> Expression:
        """The texts of an item.

        Raises:
            GrammarError: it is no terminal, or a pattern is malformed.
            UnsupportedFeature: `&` or `~` within a sequence, or a pattern that is not regular.
        """
        if isinstance(item, Literal):
            return parse(re.escape(item.text), re.IGNORECASE) if item.ignores_case else literal(item.text)
        if isinstance(item, Pattern):
            return self._pattern(item)
        if isinstance(item, CharacterRange):
            return characters(CharSet.of([(ord(item.first), ord(item.last))]))
        if isinstance(item, Excerpts):
            return chunk_runs(item.chunks)
        if isinstance(item, NameUse) and item.parameter is None:
            return self._named(item)
        if isinstance(item, Negation):
            return complement(self.expression(item.body))
        if isinstance(item, Turns):
            body = self.expression(item.body)
            if body.is_whole and (item.minimum, item.maximum) not in ((0, 1), (1, 1)):
                raise self._inside(item.place)
            return repeat(body, item.minimum, item.maximum)
        if isinstance(item, Alternatives):
            return alternate([self._way(way) for way in item.ways])
        raise self._source.error("a terminal has no rules, tokens, grammars or schemas in it", item.place)

    def _way(self, way: ConditionalAlternative) -> Expression:
        if way.condition is not None:
            raise self._source.error("%if is for rules", way.place)
        parts: list[Expression] = []
        for sequence in way.conjuncts:
            items = [self.expression(item) for item in sequence]
            if len(items) > 1 and any(item.is_whole for item in items):
                raise self._inside(way.place)
            parts.append(items[0] if len(items) == 1 else concatenate(items))
        return parts[0] if len(parts) == 1 else intersect(*parts)

    def _inside(self, place: int) -> UnsupportedFeature:
        return UnsupportedFeature(
            "& or ~ as a part of a longer terminal",
            where=self._source.where(place),
            hint="let them join whole terminals, as in A: B & ~C",
        )

    def _pattern(self, item: Pattern) -> Expression:
        flags = re.NOFLAG
        for flag in item.flags:
            flags |= re.RegexFlag[flag.upper()]
        try:
            found = parse(translate_rust(item.pattern), int(flags))
        except PatternError as error:
            raise self._source.error(f"the pattern is malformed: {error}", item.place) from None
        if not found.is_plain:
            raise UnsupportedFeature(
                "an anchor, or \\b, within a pattern",
                where=self._source.where(item.place),
                hint="join terminals by & and ~",
            )
        return found

    def _named(self, item: NameUse) -> Expression:
        name = item.name
        if name not in self._known:
            if name not in self._definitions or not name.lstrip("_")[:1].isupper():
                reason = "is not defined" if name not in self._definitions else "is a rule, which no terminal may have"
                raise self._source.error(f"{name!r} {reason}", item.place)
            if name in self._open:
                raise self._source.error(f"the terminal {name!r} contains itself", item.place)
            self._open.append(name)
            self._known[name] = self.expression(self._definitions[name].body)
            self._open.pop()
        return self._known[name]


def greedy_lexeme(expression: Expression, where: str) -> Lexeme:
    """Automaton of a terminal that ends where it cannot go on.

    Args:
        expression: its texts.
        where: the terminal, for messages.
    Raises:
        LimitError: it has too many states.
    """
    found = lexeme_of(expression, where=where)
    longest = [
        None if ending is None else union(chars for chars, _ in steps)
        for ending, steps in zip(found.endings, found.edges, strict=True)
    ]
    return Lexeme(found.edges, tuple(longest))
