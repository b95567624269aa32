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
from dataclasses import dataclass

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
    terminals_in,
)

__all__ = ["END", "LexedGrammar", "ParseTable"]

END = "$END"
"""The terminal at the end of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseTable:
    """Table of an LALR parser.

    Args:
        productions: (rule, its symbols).
        shifts: for each state, symbol -> next state.
        ends: for each state, next terminal -> number of the production to reduce.
        start: start state.
        root: the rule of whole texts.
    """

    productions: tuple[tuple[str, tuple[str, ...]], ...]
    shifts: Mapping[int, Mapping[str, int]]
    ends: Mapping[int, Mapping[str, int]]
    start: int
    root: str

    def expected(self, state: int) -> frozenset[str]:
        """Terminals with an action in a state."""
        rules = {rule for rule, _ in self.productions}
        return frozenset({*self.shifts[state], *self.ends[state]} - rules)


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
    """

    start: str
    rules: Mapping[str, Node]
    terminals: frozenset[str]
    maximal_munch: MaximalMunch
    unused: tuple[str, ...]
    fingerprint: int
    patterns: Mapping[str, str]

    @property
    def terminals_with_texts(self) -> set[str]:
        """The terminals that have a text, which are all."""
        return {name for node in self.rules.values() for name in terminals_in(node)}

    @classmethod
    def of(
        cls,
        table: ParseTable,
        places: Mapping[str, PatternNfa],
        ignored: frozenset[str],
        scanner_of: Callable[[frozenset[str]], Scanner],
        *,
        unused: tuple[str, ...],
        fingerprint: int,
        patterns: Mapping[str, str],
    ) -> LexedGrammar:
        """The grammar that a parser reads.

        Args:
            table: of the parser.
            places, ignored, scanner_of: see `MaximalMunch`.
            unused: rules that are defined and cannot be reached.
            fingerprint: a number for all that.
            patterns: see `LexedGrammar`.
        """
        expected = {state: table.expected(state).intersection(places) for state in (table.start, *table.shifts)}
        maximal_munch = MaximalMunch(places, ignored, scanner_of, list(expected.values()), END)
        rules, start = _rules_of(table, lambda terminal, state: maximal_munch.name(terminal, expected[state]))
        return cls(
            start=start,
            rules=rules,
            terminals=frozenset().union(*expected.values()),
            maximal_munch=maximal_munch,
            unused=unused,
            fingerprint=fingerprint,
            patterns=patterns,
        )


_Begin = tuple[int, str]
"""A state, and a rule that may begin there."""

_Part = tuple[str, int]
"""A terminal or rule, and the state in which it is read."""


class _Walks:
    """Paths of the parser through the productions of rules, from all states in which they may begin.

    Attributes:
        rules: numbers of the productions of each rule.
        ways: for each rule and start state: number of a production, its parts, its end state.
        bits: mask of each terminal.
    """

    def __init__(self, table: ParseTable) -> None:
        self.table = table
        self.rules: dict[str, list[int]] = {}
        for number, (rule, _) in enumerate(table.productions):
            self.rules.setdefault(rule, []).append(number)
        self._names: dict[int, frozenset[str]] = {}
        self.bits = {END: 1}
        for steps in table.shifts.values():
            for symbol in steps:
                if symbol not in self.rules:
                    self.bits.setdefault(symbol, 1 << len(self.bits))
        self.ways: dict[_Begin, list[tuple[int, list[_Part], int]]] = {}
        todo: list[_Begin] = [(table.start, table.root)]
        for begin in todo:  # grows meanwhile
            if begin in self.ways:
                continue
            self.ways[begin] = []
            for number in self.rules[begin[1]]:
                state, parts = begin[0], list[_Part]()
                for symbol in table.productions[number][1]:
                    parts.append((symbol, state))
                    if symbol in self.rules:
                        todo.append((state, symbol))
                    state = table.shifts[state][symbol]
                self.ways[begin].append((number, parts, state))

    def following(self) -> dict[_Begin, int]:
        """The terminals (a mask) that may follow a rule that began in a state."""
        shifts, rules = self.table.shifts, self.rules
        empty = set[str]()
        known = -1
        while known < len(empty):
            known = len(empty)
            empty |= {rule for rule, parts in self.table.productions if empty.issuperset(parts)}
        found = dict.fromkeys(self.ways, 0)
        found[self.table.start, self.table.root] = self.bits[END]
        behind: dict[_Begin, list[_Begin]] = {begin: [] for begin in self.ways}  # rules that may be followed by none
        last: dict[_Begin, list[_Begin]] = {begin: [] for begin in self.ways}  # rules that end where another one does
        for state, rule in self.ways:
            there = shifts[state][rule]
            for symbol in shifts[there]:
                if symbol not in rules:
                    found[state, rule] |= self.bits[symbol]
                elif symbol in empty:
                    behind[there, symbol].append((state, rule))
        for begin, ways in self.ways.items():
            for _, parts, _ in ways:
                for symbol, state in reversed(parts):
                    if symbol in rules:
                        last[begin].append((state, symbol))
                    if symbol not in empty:
                        break
        _pass_on(found, behind)
        _pass_on(found, last)
        return found

    def lost(self, following: int, state: int, production: int) -> frozenset[str]:
        """Follow terminals of a state before which the parser does not reduce a production."""
        ended = 0
        for name, number in self.table.ends[state].items():
            if number == production:
                ended |= self.bits.get(name, 0)
        left = following & ~ended
        if left not in self._names:
            self._names[left] = frozenset(name for name, bit in self.bits.items() if left & bit)
        return self._names[left]


def _pass_on(found: dict[_Begin, int], to: Mapping[_Begin, Iterable[_Begin]]) -> None:
    """Propagate masks along a relation, up to a fixed point."""
    todo = [begin for begin, mask in found.items() if mask]
    while todo:
        begin = todo.pop()
        for other in to[begin]:
            if found[begin] & ~found[other]:
                found[other] |= found[begin]
                todo.append(other)


_Way = tuple[tuple[str | _Begin, ...], frozenset[str]]
"""Symbols of a rule, terminals with the lexer behind them, and the terminals that must not follow it then."""


def _rules_of(table: ParseTable, lexer_behind: Callable[[str, int], str]) -> tuple[dict[str, Node], str]:
    """Rules with the derivations of the parser, and the start rule.

    Args:
        table: of the parser.
        lexer_behind: name of a terminal and the state behind it; equal where the lexer makes no difference.
    """
    walks = _Walks(table)
    following = walks.following()
    ways: dict[_Begin, list[_Way]] = {}
    for begin, found in walks.ways.items():
        ways[begin] = []
        for number, parts, last in found:
            shown = (
                (state, symbol) if symbol in walks.rules else lexer_behind(symbol, table.shifts[state][symbol])
                for symbol, state in parts
            )
            ways[begin].append((tuple(shown), walks.lost(following[begin], last, number)))
    names = _names(ways)
    rules: dict[str, Node] = {}
    for begin, found in ways.items():
        if names[begin] not in rules:
            rules[names[begin]] = Choice(tuple(_sequence(parts, lost, names) for parts, lost in found))
    return rules, names[table.start, table.root]


def _sequence(parts: tuple[str | _Begin, ...], lost: frozenset[str], names: Mapping[_Begin, str]) -> Node:
    nodes = (Terminal(part) if isinstance(part, str) else RuleReference(names[part]) for part in parts)
    return Sequence((*nodes, Unless(lost)) if lost else tuple(nodes))


def _names(ways: Mapping[_Begin, list[_Way]]) -> dict[_Begin, str]:
    """Name of each rule and start state; equal names for equivalent ones (Moore 1956)."""
    block: dict[_Begin, Hashable] = {begin: begin[1] for begin in ways}
    count = len(set(block.values()))
    while True:
        numbers: dict[Hashable, int] = {}
        keys = (
            (
                block[begin],
                tuple(
                    (tuple(part if isinstance(part, str) else block[part] for part in parts), lost)
                    for parts, lost in found
                ),
            )
            for begin, found in ways.items()
        )
        block = dict(zip(ways, [numbers.setdefault(key, len(numbers)) for key in keys], strict=True))
        if len(numbers) == count:
            break
        count = len(numbers)
    names: dict[Hashable, str] = {}
    used: dict[str, int] = {}
    for begin, number in block.items():
        if number not in names:
            rule = begin[1]
            used[rule] = used.get(rule, 0) + 1
            names[number] = rule if used[rule] == 1 else f"{rule} #{used[rule]}"
    return {begin: names[number] for begin, number in block.items()}
