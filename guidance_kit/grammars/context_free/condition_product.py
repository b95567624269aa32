"""Product of the diagrams of a grammar with conditions on the following text, ignored terminals included.

The next terminal may depend on the last one: certain characters must not follow a name, and the last terminal
determines the lexer for the next one. So each state of a diagram is paired with each *condition* that may be pending
there. A rule starts under one condition and leaves another: a rule of the network is a rule of the grammar with two
conditions, as in the intersection of a grammar and an automaton. In most grammars without a lexer only ignored
terminals have conditions, which end before the next rule; then each rule has one copy.

Ignored text precedes terminals, so a call in last position stays there.

Source: Bar-Hillel, Perles and Shamir, "On formal properties of simple phrase structure grammars", 1961.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import NamedTuple, Protocol

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.context_free.diagram import CountedCall, Diagram, Symbol
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import RuleReference, Terminal, Unless
from guidance_kit.grammars.regular.partition import bits_of

__all__ = ["IGNORED", "ConditionProduct", "Conditions", "Key", "Piece", "ProductRule", "Repeated"]

MAX_PLACES = 500_000
"""Pairs of a state of a diagram and a condition."""

IGNORED = "%ignore"
"""Name of the rule of ignored text."""

_ROOT = ""

Key = tuple[str, int, int]
"""A rule with the pending conditions before and behind it."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A rule between `minimum`, at least 1, and `maximum` times."""

    key: Key
    minimum: int
    maximum: int


Piece = Lexeme | tuple[int, int]
"""Texts of a terminal: their automaton, or start and end states (a mask) of a larger one; see `Conditions.lexeme`."""

ProductSymbol = Key | Repeated | Lexeme | None
"""Symbol of an edge; None is epsilon."""


class Conditions(Protocol):
    """Conditions on the following text, by number; 0 at the start of the text."""

    def terminal(self, name: str, pending: int) -> Sequence[tuple[Piece, int]]:
        """Texts of a terminal that may follow, without ignored text before them, each with the condition behind it."""
        ...

    def ignored(self, pending: int) -> Sequence[tuple[Piece, int]]:
        """Texts of ignored terminals that may follow, each with the condition behind it."""
        ...

    def lexeme(self, piece: Piece) -> Lexeme:
        """Automaton of some texts of a terminal, made when it is first needed."""
        ...

    def unless(self, names: frozenset[str], pending: int) -> int:
        """The pending condition with further terminals excluded next."""
        ...

    def may_end(self, pending: int) -> bool:
        """Test whether the text may end."""
        ...


class ProductRule:
    """Automaton of a rule, with a start state for each condition before it, and final states for each one behind it.

    Conditions before a rule mostly end with its first terminal, so all but the start states are the same.

    Attributes:
        edges: for each state (symbol, next state).
        exits: for each state the conditions (a mask) that may be pending at the end of a text of the rule.
        ends: for each state the condition that is pending behind the rule if it ends there; -1 if it cannot.
        places: state by state of the diagram and pending condition.
        unread: the same for states that only read terminals, behind ignored text; -1 where there are none.
    """

    def __init__(self) -> None:
        self.edges: list[list[tuple[ProductSymbol, int]]] = []
        self.exits: list[int] = []
        self.ends: list[int] = []
        self.places: dict[tuple[int, int], int] = {}
        self.unread: dict[tuple[int, int], int] = {}

    def state(self, exits: int, end: int = -1) -> int:
        """Add a state."""
        self.edges.append([])
        self.exits.append(exits)
        self.ends.append(end)
        return len(self.edges) - 1


_Node = tuple[str, int, int]
"""A rule, a state of its diagram, and the pending condition; a text of the rule begins in state 0."""

_Exits = tuple[int, int]
"""The conditions that may be pending at the end of a rule, and those that may behind the empty text (masks)."""


class _CallSite(NamedTuple):
    """A call of a rule: where it is, and the state of the diagram behind it."""

    node: _Node
    target: int
    is_counted: bool


class ConditionProduct:
    """Product of the rules of a grammar with conditions; reachable pairs are found once, from the start rule.

    Args:
        start: the rule of whole texts.
        diagrams: of the rules.
        conditions: conditions on the following text.
    Raises:
        UnsupportedFeature: a counted repetition changes the condition.
        LimitError: there are too many pairs of states and conditions.

    Attributes:
        root: the rule of whole texts, with ignored text behind it.
        has_texts: whether there is a text.
    """

    def __init__(self, start: str, diagrams: Mapping[str, Diagram[Symbol]], conditions: Conditions) -> None:
        self._start = start
        self._diagrams = diagrams
        self._conditions = conditions
        self._ignorable: dict[int, list[int]] = {}
        self._behind: dict[tuple[str, int], tuple[int, ...]] = {}
        self._exits: dict[_Node, _Exits] = {}
        self._before: dict[_Node, dict[_Node, bool]] = {}  # and whether nothing is read from there
        self._callers: dict[_Node, list[_CallSite]] = {}
        self._todo: list[_Node] = []
        self._new: dict[_Node, _Exits] = {}  # which the nodes before have yet to take up
        self._follow()
        self.root: Key = (_ROOT, 0, 0)
        whole = ProductRule()
        self.has_texts = bool(whole.exits[self.add(_ROOT, 0, whole)])

    @property
    def count(self) -> int:
        """Number of pairs of a state and a condition."""
        return len(self._exits)

    def _follow(self) -> None:
        """Find all nodes, and the exits of each: those of the nodes behind it."""
        self._visit((self._start, 0, 0))
        while self._todo or self._new:
            if self._new:
                node, (exits, empty) = self._new.popitem()
                for before, reads_nothing in self._before[node].items():
                    self._leave(before, exits, empty if reads_nothing else 0)
                for caller in self._callers.get(node, ()):
                    self._return(node, exits, empty, caller)
            else:
                self._expand(self._todo.pop())

    def _expand(self, node: _Node) -> None:
        name, state, pending = node
        diagram = self._diagrams[name]
        if state in diagram.finals:
            self._leave(node, 1 << pending, 1 << pending)
        for symbol, target in diagram.edges[state].items():
            if isinstance(symbol, Terminal):
                for after in self._behind_terminal(symbol.name, pending):
                    self._link(node, (name, target, after), reads_nothing=False)
            elif isinstance(symbol, Unless):
                after = self._conditions.unless(symbol.names, pending)
                self._link(node, (name, target, after), reads_nothing=True)
            else:
                called = symbol.name, 0, pending
                caller = _CallSite(node, target, isinstance(symbol, CountedCall))
                self._visit(called)
                self._callers.setdefault(called, []).append(caller)
                self._return(called, *self._exits[called], caller)

    def _visit(self, node: _Node) -> None:
        if node not in self._exits:
            if len(self._exits) >= MAX_PLACES:
                raise LimitError("max_places", MAX_PLACES, where="what may follow what in a grammar")
            self._exits[node], self._before[node] = (0, 0), {}
            self._todo.append(node)

    def _link(self, node: _Node, following: _Node, *, reads_nothing: bool) -> None:
        """Note that a node follows another one."""
        self._visit(following)
        links = self._before[following]
        known = links.get(node)
        if known is None or reads_nothing > known:
            links[node] = reads_nothing
            exits, empty = self._exits[following]
            self._leave(node, exits, empty if reads_nothing else 0)

    def _leave(self, node: _Node, exits: int, empty: int) -> None:
        """Note exits of a node."""
        known, known_empty = self._exits[node]
        exits, empty = exits & ~known, empty & ~known_empty
        if exits or empty:
            self._exits[node] = known | exits, known_empty | empty
            waiting, waiting_empty = self._new.get(node, (0, 0))
            self._new[node] = waiting | exits, waiting_empty | empty

    def _return(self, called: _Node, exits: int, empty: int, caller: _CallSite) -> None:
        """Go on behind a call of a rule, at some exits."""
        name, _, pending = called
        for after in bits_of(exits | empty):
            is_empty = bool(empty >> after & 1)
            if caller.is_counted and is_empty:
                raise UnsupportedFeature(
                    "a counted repetition of what may be empty",
                    where=f"the rule {name}",
                    hint="leave the empty text out of it, and count from 0",
                )
            if caller.is_counted and after != pending:
                raise UnsupportedFeature("a counted repetition of terminals that look ahead", where=f"the rule {name}")
            self._link(caller.node, (caller.node[0], caller.target, after), reads_nothing=is_empty)

    def _behind_terminal(self, name: str, pending: int) -> tuple[int, ...]:
        """Conditions that may be pending behind a terminal, with ignored text before it or without."""
        found = self._behind.get((name, pending))
        if found is None:
            conditions = pending, *self._after_ignored(pending)
            behind = (after for one in conditions for _, after in self._conditions.terminal(name, one))
            found = self._behind[name, pending] = tuple(dict.fromkeys(behind))
        return found

    def _after_ignored(self, pending: int) -> list[int]:
        """Conditions that may be pending behind one or more ignored terminals."""
        found = self._ignorable.get(pending)
        if found is None:
            found = list(dict.fromkeys(after for _, after in self._conditions.ignored(pending)))
            for condition in found:  # grows meanwhile
                found += [after for _, after in self._conditions.ignored(condition) if after not in found]
            found = self._ignorable[pending] = list(dict.fromkeys(found))
        return found

    def is_nullable(self, key: Key) -> bool:
        """Test whether a rule has the empty text under its conditions."""
        name, before, behind = key
        if name == _ROOT:
            _, empty = self._exits[self._start, 0, 0]
            return any(map(self._conditions.may_end, bits_of(empty)))
        return name != IGNORED and bool(self._exits[name, 0, before][1] >> behind & 1)

    def add(self, name: str, before: int, rule: ProductRule) -> int:
        """Add what a rule reads behind a condition to its automaton.

        Returns:
            The start state.
        """
        if name == _ROOT:
            return self._add_root(rule)
        return self._add_ignored(before, rule) if name == IGNORED else self._add_rule(name, before, rule)

    def _add_root(self, rule: ProductRule) -> int:
        """Add the start rule with ignored text behind it."""
        exits = 1  # one condition, 0
        steps: list[tuple[ProductSymbol, int]] = []
        for behind in self._left_by(self._start, 0):
            last = [condition for condition in self._after_ignored(behind) if self._conditions.may_end(condition)]
            may_end = self._conditions.may_end(behind)
            if may_end or last:
                end = rule.state(exits, 0 if may_end else -1)
                steps.append(((self._start, 0, behind), end))
                rule.edges[end] += [((IGNORED, behind, condition), rule.state(exits, 0)) for condition in last]
        start = rule.state(exits if steps else 0)
        rule.edges[start] = steps
        return start

    def _add_ignored(self, before: int, rule: ProductRule) -> int:
        todo: list[tuple[int, int]] = []

        def behind(condition: int) -> int:
            found = rule.places.get((0, condition))
            if found is None:
                exits = 1 << condition | _mask(self._after_ignored(condition))
                found = rule.places[0, condition] = rule.state(exits, condition)
                todo.append((found, condition))
            return found

        start = rule.state(_mask(self._after_ignored(before)))
        todo.append((start, before))
        for state, pending in todo:  # grows meanwhile
            for piece, after in self._conditions.ignored(pending):
                rule.edges[state].append((self._conditions.lexeme(piece), behind(after)))
        return start

    def _add_rule(self, name: str, before: int, rule: ProductRule) -> int:
        diagram = self._diagrams[name]
        todo: list[tuple[int, int]] = []

        def place(state: int, pending: int) -> int:
            found = rule.places.get((state, pending))
            if found is None:
                end = pending if state in diagram.finals else -1
                found = rule.places[state, pending] = rule.state(self._exits[name, state, pending][0], end)
                todo.append((state, pending))
            return found

        def unread(state: int, condition: int) -> int:
            """State with the terminals of a state of the diagram alone; -1 if there are none."""
            found = rule.unread.get((state, condition))
            if found is None:
                steps = read(state, condition)
                found = -1
                if steps:
                    found = rule.state(reduce(or_, [rule.exits[target] for _, target in steps]))
                    rule.edges[found] = steps
                rule.unread[state, condition] = found
            return found

        def read(state: int, condition: int) -> list[tuple[ProductSymbol, int]]:
            """Edges that read terminals."""
            return [
                (self._conditions.lexeme(piece), place(target, after))
                for symbol, target in diagram.edges[state].items()
                if isinstance(symbol, Terminal)
                for piece, after in self._conditions.terminal(symbol.name, condition)
            ]

        start = place(0, before)
        for state, pending in todo:  # grows meanwhile
            edges = rule.edges[rule.places[state, pending]]
            symbols = diagram.edges[state]
            if any(isinstance(symbol, Terminal) for symbol in symbols):
                for condition in self._after_ignored(pending):
                    begin = unread(state, condition)
                    if begin >= 0:
                        edges.append(((IGNORED, pending, condition), begin))
                edges += read(state, pending)
            for symbol, target in symbols.items():
                if isinstance(symbol, Unless):
                    edges.append((None, place(target, self._conditions.unless(symbol.names, pending))))
                elif isinstance(symbol, RuleReference):
                    for after in self._left_by(symbol.name, pending):
                        edges.append(((symbol.name, pending, after), place(target, after)))
                elif isinstance(symbol, CountedCall):
                    for after in self._left_by(symbol.name, pending):
                        repeated = Repeated((symbol.name, pending, after), symbol.minimum, symbol.maximum)
                        edges.append((repeated, place(target, after)))
        return start

    def _left_by(self, name: str, before: int) -> Iterable[int]:
        """Conditions that may be pending behind a rule."""
        return bits_of(self._exits[name, 0, before][0])


def _mask(conditions: Iterable[int]) -> int:
    return sum(1 << condition for condition in conditions)
