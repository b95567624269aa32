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
from collections.abc import Sequence as Items
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from guidance_kit.grammars.context_free.diagram import diagram_of_ways
from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.lalr_table import END, ParseTable, Part
from guidance_kit.grammars.context_free.maximal_munch import MaximalMunch
from guidance_kit.grammars.context_free.pattern_nfa import PatternNfa
from guidance_kit.grammars.context_free.reduction import NumberedRules
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


@dataclass(frozen=True, kw_only=True)
class LexedGrammar:
    """A grammar with a lexer.

    Args:
        start: the rule of whole texts.
        ways: for each rule the sequences of symbols that it reads, by number; a rule has a copy for each state that
            makes a difference.
        symbols: by number, the rules first.
        terminals: names of the used terminals.
        maximal_munch: conditions of the lexer.
        unused: rules that are defined and cannot be reached.
        fingerprint: equal for equal grammars, within one process.
        patterns: patterns of `re` of terminals.
        embedded: embedded constraints in use, which terminals stand for; see `Lexeme.embedded`.
    """

    start: str
    ways: Mapping[str, Items[tuple[int, ...]]]
    symbols: Items[RuleReference | Terminal | Unless]
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

    @property
    def numbered_rules(self) -> NumberedRules:
        """The rules as diagrams."""
        diagrams = {number: diagram_of_ways(ways) for number, ways in enumerate(self.ways.values())}
        return NumberedRules(self.symbols, dict(enumerate(self.ways)), diagrams)

    @cached_property
    def rules(self) -> Mapping[str, Node]:
        """The rules by name."""
        return {
            name: Choice(tuple([Sequence(tuple([self.symbols[number] for number in way])) for way in ways]))
            for name, ways in self.ways.items()
        }

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
        reached: dict[str, set[int]] = {}
        for shifts in table.transitions.shifts:
            for symbol, state in shifts.items():
                reached.setdefault(symbol, set()).add(state)
        behind = {name: frozenset().union(*map(expected.__getitem__, reached.get(name, ()))) for name in terminals}
        maximal_munch = MaximalMunch(places, ignored, scanner_of, expected, behind, END, embedded)
        symbols, ways = _rules_of(table, lambda terminal, state: maximal_munch.name(terminal, expected[state]))
        return cls(
            start=table.transitions.root,
            ways=ways,
            symbols=symbols,
            terminals=terminals,
            maximal_munch=maximal_munch,
            unused=unused,
            fingerprint=fingerprint,
            patterns=patterns,
            embedded=embedded,
        )


_Way = tuple[int, ...]
"""Symbols of a rule, by number."""


def _rules_of(
    table: ParseTable, lexer_behind: Callable[[str, int], str]
) -> tuple[list[RuleReference | Terminal | Unless], dict[str, list[_Way]]]:
    """Symbols of the rules that have the derivations of the parser, and the ways of each rule; the start rule is first.

    Args:
        table: of the parser.
        lexer_behind: name of a terminal and the state behind it; equal where the lexer makes no difference.
    """
    transitions = table.transitions
    begins = {begin: number for number, begin in enumerate(transitions.ways)}
    others: dict[str | frozenset[str], int] = {}  # terminals, and sets of those that must not follow
    numbers: dict[Part, int] = {}

    def number_of(part: Part) -> int:
        found = numbers.get(part)
        if found is None:
            symbol, state = part
            if symbol in transitions.rules:
                found = begins[transitions.alike(state, symbol)]
            else:
                name = lexer_behind(symbol, transitions.shifts[state][symbol])
                found = others.setdefault(name, len(begins) + len(others))
            numbers[part] = found
        return found

    rests = [tuple([number_of(part) for part in rest.parts]) for rest in transitions.rests]
    ways: list[list[_Way]] = []
    for begin, found in transitions.ways.items():
        ways.append([])
        for number in found:
            first = transitions.first(begin[0], transitions.rests[number].production)
            parts = rests[number] if first is None else (number_of(first), *rests[number])
            lost = table.lost(begin, number)
            if lost:
                parts = (*parts, others.setdefault(lost, len(begins) + len(others)))
            ways[-1].append(parts)
    block = _equivalent([rule for _, rule in begins], ways)
    names, members = _names([rule for _, rule in begins], block)
    symbols: list[RuleReference | Terminal | Unless] = [RuleReference(name) for name in names]
    symbols += [Terminal(one) if isinstance(one, str) else Unless(one) for one in others]
    kept = [*block, *range(len(names), len(symbols))]
    return symbols, {
        name: [tuple([kept[part] for part in parts]) for parts in ways[member]]
        for name, member in zip(names, members, strict=True)
    }


def _equivalent(rules: Items[str], ways: Items[Items[_Way]]) -> list[int]:
    """Numbers of the classes of equivalent rules and start states, in the order of their first ones (Moore 1956).

    Args:
        rules: name of the rule of each.
        ways: of each; numbers below the number of rules are calls.
    """
    count = len(rules)
    alike: dict[Hashable, list[int]] = {}
    called: list[list[int]] = []
    for number, (rule, found) in enumerate(zip(rules, ways, strict=True)):
        read = tuple([tuple([part if part >= count else -1 for part in parts]) for parts in found])
        alike.setdefault((rule, read), []).append(number)
        called.append([part for parts in found for part in parts if part < count])
    places: dict[int, int] = {}
    return [places.setdefault(block, len(places)) for block in refined(alike.values(), called)]


def _names(rules: Items[str], block: Items[int]) -> tuple[list[str], list[int]]:
    """Names of the classes of rules, and the first rule of each."""
    names: list[str] = []
    members: list[int] = []
    used: dict[str, int] = {}
    for member, (rule, number) in enumerate(zip(rules, block, strict=True)):
        if number == len(names):
            used[rule] = used.get(rule, 0) + 1
            names.append(rule if used[rule] == 1 else f"{rule} #{used[rule]}")
            members.append(member)
    return names, members
