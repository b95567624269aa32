"""Grammars as an LALR parser reads them: rules that know which lexer looks for the next terminal.

lark's contextual lexer looks, behind each terminal, for those that the parser can go on with; which these are depends
on the state in which the parser is then. A rule that begins in a state always goes through the same states: so a rule
is taken once for each state in which it may begin, as for the lookaheads of DeRemer and Pennello (1982), and each
terminal in it is followed by a known state. States that make no difference are one.

Where a parser can do several things, lark lets it read a terminal rather than end a rule, and prefers the rule of the
highest priority. The rule that would have ended is then not followed by that terminal: `Unless`. With that, the ways of
reading a text by the rules are those of the parser: one or none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from guidance_kit.grammars.context_free.munch import Munch, Scanner
from guidance_kit.grammars.context_free.places import Places
from guidance_kit.grammars.context_free.tree import Choice, Node, Rule, Sequence, Terminal, Unless, terminals_in

__all__ = ["END", "LexedGrammar", "ParseTable"]

END = "$END"
"""The terminal at the end of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseTable:
    """What an LALR parser does.

    Args:
        productions: (rule, what it consists of).
        shifts: of each state, for a terminal or a rule that was read the next state.
        ends: of each state, for a terminal that comes next the production that ends there, by number.
        start: the state at the beginning of the text.
        root: the rule that the whole text must match.
    """

    productions: tuple[tuple[str, tuple[str, ...]], ...]
    shifts: Mapping[int, Mapping[str, int]]
    ends: Mapping[int, Mapping[str, int]]
    start: int
    root: str

    def expected(self, state: int) -> frozenset[str]:
        """The terminals that a state knows what to do with."""
        rules = {rule for rule, _ in self.productions}
        return frozenset({*self.shifts[state], *self.ends[state]} - rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class LexedGrammar:
    """A grammar with a lexer.

    Args:
        start: the rule that the whole text must match.
        rules: each once for every state that makes a difference.
        terminals: the names of the terminals that rules use.
        munch: what lexers find.
        unused: rules that are defined and cannot be reached.
        fingerprint: the same number for equal grammars, within one process.
    """

    start: str
    rules: Mapping[str, Node]
    terminals: frozenset[str]
    munch: Munch
    unused: tuple[str, ...]
    fingerprint: int

    @property
    def terminals_with_texts(self) -> set[str]:
        """The terminals that have a text, which are all."""
        return {name for node in self.rules.values() for name in terminals_in(node)}

    @classmethod
    def of(
        cls,
        table: ParseTable,
        patterns: Mapping[str, Places],
        ignored: frozenset[str],
        scanner_of: Callable[[frozenset[str]], Scanner],
        *,
        unused: tuple[str, ...],
        fingerprint: int,
    ) -> LexedGrammar:
        """The grammar that a parser reads.

        Args:
            table: of the parser.
            patterns, ignored, scanner_of: see `Munch`.
            unused: rules that are defined and cannot be reached.
            fingerprint: a number for all that.
        """
        expected = {state: table.expected(state).intersection(patterns) for state in (table.start, *table.shifts)}
        munch = Munch(patterns, ignored, scanner_of, list(expected.values()), END)
        rules, start = _rules_of(table, lambda terminal, state: munch.name(terminal, expected[state]))
        return cls(
            start=start,
            rules=rules,
            terminals=frozenset().union(*expected.values()),
            munch=munch,
            unused=unused,
            fingerprint=fingerprint,
        )


_Begin = tuple[int, str]
"""A state, and a rule that may begin there."""

_Part = tuple[str, int]
"""A terminal or rule, and the state in which it is read."""


class _Walks:
    """The ways of the parser through the productions of rules, from all states in which they may begin."""

    def __init__(self, table: ParseTable) -> None:
        self.table = table
        self.ways: dict[str, list[int]] = {}
        for number, (rule, _) in enumerate(table.productions):
            self.ways.setdefault(rule, []).append(number)
        self.walks: dict[_Begin, list[tuple[int, list[_Part], int]]] = {}
        todo: list[_Begin] = [(table.start, table.root)]
        for begin in todo:  # grows meanwhile
            if begin in self.walks:
                continue
            self.walks[begin] = []
            for number in self.ways.get(begin[1], ()):
                state, parts = begin[0], list[_Part]()
                for symbol in table.productions[number][1]:
                    parts.append((symbol, state))
                    if symbol in self.ways:
                        todo.append((state, symbol))
                    state = table.shifts[state][symbol]
                self.walks[begin].append((number, parts, state))

    def following(self) -> dict[_Begin, int]:
        """The terminals (a mask, see `bits`) that may follow a rule that began in a state."""
        shifts, rules = self.table.shifts, self.ways
        self.bits = {END: 1}
        for steps in shifts.values():
            for symbol in steps:
                if symbol not in rules:
                    self.bits.setdefault(symbol, 1 << len(self.bits))
        empty = set[str]()
        known = -1
        while known < len(empty):
            known = len(empty)
            empty |= {rule for rule, parts in self.table.productions if all(part in empty for part in parts)}
        found = dict.fromkeys(self.walks, 0)
        users: dict[_Begin, set[_Begin]] = {begin: set() for begin in self.walks}  # to whom what follows is passed on
        reads: dict[_Begin, set[_Begin]] = {begin: set() for begin in self.walks}
        for state, rule in self.walks:
            there = shifts[state][rule]
            for symbol in shifts[there]:
                if symbol not in rules:
                    found[state, rule] |= self.bits[symbol]
                elif symbol in empty:
                    reads[there, symbol].add((state, rule))
        found[self.table.start, self.table.root] |= self.bits[END]
        _pass_on(found, reads)
        for begin, walks in self.walks.items():
            for _, parts, _ in walks:
                for symbol, state in reversed(parts):
                    if symbol in rules:
                        users[begin].add((state, symbol))
                    if symbol not in empty:
                        break
        _pass_on(found, users)
        return found


def _pass_on(found: dict[_Begin, int], to: Mapping[_Begin, set[_Begin]]) -> None:
    """Let everything that is found somewhere be found where it leads to."""
    todo = [begin for begin, mask in found.items() if mask]
    while todo:
        begin = todo.pop()
        for other in to[begin]:
            if found[begin] & ~found[other]:
                found[other] |= found[begin]
                todo.append(other)


def _rules_of(table: ParseTable, lexer_behind: Callable[[str, int], str]) -> tuple[dict[str, Node], str]:
    """The rules under which a text is read as the parser does it, and the first of them.

    Args:
        table: of the parser.
        lexer_behind: a name for a terminal and the state that it leads to, the same where that makes no difference.
    """
    walks = _Walks(table)
    following = walks.following()
    fixed: dict[_Begin, list[tuple[list[tuple[Hashable, _Begin | None]], frozenset[str]]]] = {}
    for begin, ways in walks.walks.items():
        fixed[begin] = []
        for number, parts, last in ways:
            lost = frozenset(
                name
                for name, bit in walks.bits.items()
                if following[begin] & bit and not _ends_with(table, last, name, number)
            )
            shown: list[tuple[Hashable, _Begin | None]] = []
            for symbol, state in parts:
                if symbol in walks.ways:
                    shown.append((symbol, (state, symbol)))
                else:
                    shown.append((lexer_behind(symbol, table.shifts[state][symbol]), None))
            fixed[begin].append((shown, lost))
    block: dict[_Begin, int] = {}
    count = -1
    numbers: dict[Hashable, int] = {}
    for begin in fixed:
        block[begin] = numbers.setdefault(begin[1], len(numbers))
    while count != len(numbers):
        count = len(numbers)
        numbers = {}
        block = {
            begin: numbers.setdefault(
                (
                    block[begin],
                    tuple(
                        (tuple(what if there is None else block[there] for what, there in shown), lost)
                        for shown, lost in ways
                    ),
                ),
                len(numbers),
            )
            for begin, ways in fixed.items()
        }
    names: dict[int, str] = {}
    used: dict[str, int] = {}
    for begin, number in block.items():
        if number not in names:
            used[begin[1]] = used.get(begin[1], 0) + 1
            names[number] = begin[1] if used[begin[1]] == 1 else f"{begin[1]} #{used[begin[1]]}"
    rules: dict[str, Node] = {}
    for begin, ways in fixed.items():
        name = names[block[begin]]
        if name in rules:
            continue
        alternatives: list[Node] = []
        for shown, lost in ways:
            parts = [Terminal(str(what)) if there is None else Rule(names[block[there]]) for what, there in shown]
            alternatives.append(Sequence((*parts, Unless(lost)) if lost else tuple(parts)))
        rules[name] = Choice(tuple(alternatives))
    return rules, names[block[table.start, table.root]]


def _ends_with(table: ParseTable, state: int, terminal: str, production: int) -> bool:
    """Whether a production ends in a state if a terminal comes next."""
    return terminal not in table.shifts[state] and table.ends[state].get(terminal) == production
