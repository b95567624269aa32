"""Grammars in the interpretation of an LALR parser with a contextual lexer, as rules.

Behind each terminal, lark's contextual lexer looks for the terminals that the parser accepts in its state. A rule that
begins in a given state always passes through the same states: so each rule has a copy for each state in which it may
begin, and the state behind each terminal is known. Equivalent states are merged.

On a conflict lark shifts rather than reduces, and prefers the reduction of the highest priority. The rule that is not
reduced is then not followed by that terminal: `Unless`. With that, a text has at most one derivation, that of the
parser.

Source: DeRemer and Pennello, "Efficient computation of LALR(1) look-ahead sets", 1982.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.lalr_table import END, Begin, ParseTable, Part
from guidance_kit.grammars.context_free.maximal_munch import MaximalMunch
from guidance_kit.grammars.context_free.pattern_nfa import PatternNfa
from guidance_kit.grammars.context_free.scanner import Scanner
from guidance_kit.grammars.context_free.tree import (
    Choice,
    Node,
    RuleReference,
    Sequence,
    Terminal,
    Unless,
)
from guidance_kit.grammars.regular.equivalent_states import refined

__all__ = ["LexedGrammar"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LexedGrammar:
    """A grammar with a lexer.

    Args:
        start: the rule of whole texts.
        rules: with a copy for each state that makes a difference.
        terminals: names of the used terminals.
        maximal_munch: conditions of the lexer.
        unused: rules that are defined and cannot be reached.
        fingerprint: equal for equal grammars, within one process.
        patterns: patterns of `re` of terminals.
        embedded: embedded constraints in use, which terminals stand for; see `Lexeme.embedded`.
    """

    start: str
    rules: Mapping[str, Node]
    terminals: frozenset[str]
    maximal_munch: MaximalMunch
    unused: tuple[str, ...]
    fingerprint: int
    patterns: Mapping[str, str]
    embedded: tuple[EmbeddedConstraint, ...]

    @property
    def terminals_with_texts(self) -> AbstractSet[str]:
        """The terminals that have a text, which are all, by the names that `rules` have for them."""
        return self.maximal_munch.names

    @classmethod
    def of(
        cls,
        table: ParseTable,
        places: Mapping[str, PatternNfa | str],
        ignored: frozenset[str],
        scanner_of: Callable[[frozenset[str]], Scanner],
        *,
        unused: tuple[str, ...],
        fingerprint: int,
        patterns: Mapping[str, str],
        embedded: Iterable[EmbeddedConstraint],
    ) -> LexedGrammar:
        """The grammar that a parser reads.

        Args:
            table: of the parser.
            places, ignored, scanner_of: see `MaximalMunch`.
            unused: rules that are defined and cannot be reached.
            fingerprint: a number for all that.
            patterns: see `LexedGrammar`.
            embedded: constraints that terminals of their names stand for.
        """
        expected = [table.expected(state) - {END} for state in range(len(table.ends))]
        terminals = frozenset().union(*expected)
        embedded = tuple(constraint for constraint in embedded if constraint.name in terminals)
        maximal_munch = MaximalMunch(places, ignored, scanner_of, expected, END, embedded)
        rules, start = _rules_of(table, lambda terminal, state: maximal_munch.name(terminal, expected[state]))
        return cls(
            start=start,
            rules=rules,
            terminals=terminals,
            maximal_munch=maximal_munch,
            unused=unused,
            fingerprint=fingerprint,
            patterns=patterns,
            embedded=embedded,
        )


_Symbol = str | Begin
"""A terminal with the lexer behind it, or a rule and its start state."""

_Way = tuple[tuple[_Symbol, ...], frozenset[str]]
"""Symbols of a rule, and the terminals that must not follow it then."""


def _rules_of(table: ParseTable, lexer_behind: Callable[[str, int], str]) -> tuple[dict[str, Node], str]:
    """Rules with the derivations of the parser, and the start rule.

    Args:
        table: of the parser.
        lexer_behind: name of a terminal and the state behind it; equal where the lexer makes no difference.
    """
    transitions = table.transitions
    symbols: dict[Part, _Symbol] = {}

    def shown(part: Part) -> _Symbol:
        found = symbols.get(part)
        if found is None:
            symbol, state = part
            if symbol in transitions.rules:
                found = transitions.alike(state, symbol)
            else:
                found = lexer_behind(symbol, transitions.shifts[state][symbol])
            symbols[part] = found
        return found

    rests = [tuple(map(shown, rest.parts)) for rest in transitions.rests]
    ways: dict[Begin, list[_Way]] = {}
    for begin, numbers in transitions.ways.items():
        found = ways[begin] = []
        for number in numbers:
            first = transitions.first(begin[0], transitions.rests[number].production)
            parts = rests[number] if first is None else (shown(first), *rests[number])
            found.append((parts, table.lost(begin, number)))
    names = _names(ways)
    nodes = {
        symbol: Terminal(symbol) if isinstance(symbol, str) else RuleReference(names[symbol])
        for symbol in symbols.values()
    }
    rules: dict[str, Node] = {}
    for begin, found in ways.items():
        if names[begin] not in rules:
            rules[names[begin]] = Choice(tuple([_sequence(parts, lost, nodes) for parts, lost in found]))
    return rules, names[transitions.alike(0, transitions.root)]


def _sequence(parts: tuple[_Symbol, ...], lost: frozenset[str], nodes: Mapping[_Symbol, Node]) -> Node:
    found = tuple([nodes[part] for part in parts])
    return Sequence((*found, Unless(lost)) if lost else found)


def _names(ways: Mapping[Begin, list[_Way]]) -> dict[Begin, str]:
    """Name of each rule and start state; equal names for equivalent ones (Moore 1956)."""
    places = {begin: place for place, begin in enumerate(ways)}
    called: list[list[int]] = []
    alike: dict[Hashable, list[int]] = {}
    for begin, found in ways.items():
        read = tuple(
            [(tuple([part if isinstance(part, str) else None for part in parts]), lost) for parts, lost in found]
        )
        alike.setdefault((begin[1], read), []).append(places[begin])
        called.append([places[part] for parts, _ in found for part in parts if not isinstance(part, str)])
    block = refined(alike.values(), called)
    names: dict[Hashable, str] = {}
    used: dict[str, int] = {}
    for begin, number in zip(ways, block, strict=True):
        if number not in names:
            rule = begin[1]
            used[rule] = used.get(rule, 0) + 1
            names[number] = rule if used[rule] == 1 else f"{rule} #{used[rule]}"
    return {begin: names[number] for begin, number in zip(ways, block, strict=True)}
