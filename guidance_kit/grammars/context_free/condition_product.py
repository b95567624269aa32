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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.context_free.diagram import CountedCall, Diagram, Symbol
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import RuleReference, Terminal, Unless

__all__ = ["IGNORED", "ConditionProduct", "Conditions", "Key", "ProductRule", "Repeated"]

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


ProductSymbol = Key | Repeated | Lexeme | None
"""Symbol of an edge; None is epsilon."""


class Conditions(Protocol):
    """Conditions on the following text, by number; 0 at the start of the text."""

    def terminal(self, name: str, pending: int) -> Sequence[tuple[Lexeme, int]]:
        """Texts of a terminal that may follow, without ignored text before them, each with the condition behind it."""
        ...

    def ignored(self, pending: int) -> Sequence[tuple[Lexeme, int]]:
        """Texts of ignored terminals that may follow, each with the condition behind it."""
        ...

    def unless(self, names: frozenset[str], pending: int) -> int:
        """The pending condition with further terminals excluded next."""
        ...

    def may_end(self, pending: int) -> bool:
        """Test whether the text may end."""
        ...


class ProductRule:
    """Automaton of a rule behind which a condition is pending, with a start state for each condition before it.

    Conditions before a rule mostly end with its first terminal, so all but the start states are the same.

    Attributes:
        edges: for each state (symbol, next state).
        finals: final states.
        places: state by state of the diagram and pending condition.
        unread: the same for states that only read terminals, behind ignored text; -1 where there are none.
    """

    def __init__(self) -> None:
        self.edges: list[list[tuple[ProductSymbol, int]]] = []
        self.finals: set[int] = set()
        self.places: dict[tuple[int, int], int] = {}
        self.unread: dict[tuple[int, int], int] = {}
        self._alive: set[int] = set()

    def state(self) -> int:
        """Add a state."""
        self.edges.append([])
        return len(self.edges) - 1

    def trim(self, first: int) -> None:
        """Remove edges to states from which no final state can be reached; those before `first` have been trimmed."""
        before: dict[int, list[int]] = {}
        todo = [state for state in self.finals if state >= first]
        for state in range(first, len(self.edges)):
            for _, target in self.edges[state]:
                before.setdefault(target, []).append(state)
        todo += [target for target in before if target in self._alive]
        self._alive.update(todo)
        while todo:
            for state in before.get(todo.pop(), ()):
                if state not in self._alive:
                    self._alive.add(state)
                    todo.append(state)
        for state in range(first, len(self.edges)):
            self.edges[state] = [step for step in self.edges[state] if step[1] in self._alive]


_Entry = tuple[str, int]
"""A rule with the pending condition before it."""

_Exit = tuple[int, bool]
"""A pending condition within a rule, and whether nothing was read in the rule before it."""


class _CallSite(NamedTuple):
    """A call of a rule: the calling rule, its state behind the call, and whether nothing was read before the call."""

    entry: _Entry
    target: int
    is_empty: bool
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
        count: number of pairs of a state and a condition.
        root: the rule of whole texts, with ignored text behind it.
        has_texts: whether there is a text.
    """

    def __init__(self, start: str, diagrams: Mapping[str, Diagram[Symbol]], conditions: Conditions) -> None:
        self._start = start
        self._diagrams = diagrams
        self._conditions = conditions
        self._ignorable: dict[int, list[int]] = {}
        self._exits: dict[_Entry, dict[_Exit, None]] = {}
        self._callers: dict[_Entry, list[_CallSite]] = {}
        self._seen: dict[_Entry, set[tuple[int, _Exit]]] = {}
        self._todo: list[tuple[_Entry, int, _Exit]] = []
        self.count = 0
        self._follow()
        self.root: Key = (_ROOT, 0, 0)
        self.has_texts = bool(self.rule(self.root).finals)

    def _follow(self) -> None:
        self._enter((self._start, 0))
        while self._todo:
            entry, state, here = self._todo.pop()
            pending, is_empty = here
            diagram = self._diagrams[entry[0]]
            if state in diagram.finals and here not in self._exits[entry]:
                self._exits[entry][here] = None
                for caller in self._callers[entry]:
                    self._left(entry, here, caller)
            for symbol, target in diagram.edges[state].items():
                if isinstance(symbol, Terminal):
                    for condition in (pending, *self._after_ignored(pending)):
                        for _, after in self._conditions.terminal(symbol.name, condition):
                            self._visit(entry, target, (after, False))
                elif isinstance(symbol, Unless):
                    self._visit(entry, target, (self._conditions.unless(symbol.names, pending), is_empty))
                else:
                    called = symbol.name, pending
                    caller = _CallSite(entry, target, is_empty, isinstance(symbol, CountedCall))
                    self._enter(called)
                    self._callers[called].append(caller)
                    for there in list(self._exits[called]):
                        self._left(called, there, caller)

    def _enter(self, entry: _Entry) -> None:
        if entry not in self._seen:
            self._seen[entry], self._exits[entry], self._callers[entry] = set(), {}, []
            self._visit(entry, 0, (entry[1], True))

    def _visit(self, entry: _Entry, state: int, here: _Exit) -> None:
        if (state, here) not in self._seen[entry]:
            self.count += 1
            if self.count > MAX_PLACES:
                raise LimitError("max_places", MAX_PLACES, where="what may follow what in a grammar")
            self._seen[entry].add((state, here))
            self._todo.append((entry, state, here))

    def _left(self, called: _Entry, there: _Exit, caller: _CallSite) -> None:
        after, is_empty = there
        if caller.is_counted and is_empty:
            raise UnsupportedFeature(
                "a counted repetition of what may be empty",
                where=f"the rule {called[0]}",
                hint="leave the empty text out of it, and count from 0",
            )
        if caller.is_counted and after != called[1]:
            raise UnsupportedFeature("a counted repetition of terminals that look ahead", where=f"the rule {called[0]}")
        self._visit(caller.entry, caller.target, (after, is_empty and caller.is_empty))

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
            return any(is_empty and self._conditions.may_end(after) for after, is_empty in self._exits[self._start, 0])
        return name != IGNORED and (behind, True) in self._exits[name, before]

    def rule(self, key: Key) -> ProductRule:
        """One rule under its conditions; state 0 is the start."""
        rule = ProductRule()
        self.add(key, rule)
        return rule

    def add(self, key: Key, rule: ProductRule) -> int:
        """Add a rule under its conditions to the automaton of the same rule with the same condition behind it.

        Returns:
            The start state.
        """
        name, before, behind = key
        first = len(rule.edges)
        if name == _ROOT:
            start = self._add_root(rule)
        elif name == IGNORED:
            start = self._add_ignored(before, behind, rule)
        else:
            start = self._add_rule(name, before, behind, rule)
        rule.trim(first)
        return start

    def _add_root(self, rule: ProductRule) -> int:
        """Add the start rule with ignored text behind it."""
        start = rule.state()
        for behind in self._left_by((self._start, 0)):
            end = rule.state()
            rule.edges[start].append(((self._start, 0, behind), end))
            if self._conditions.may_end(behind):
                rule.finals.add(end)
            for last in self._after_ignored(behind):
                if self._conditions.may_end(last):
                    final = rule.state()
                    rule.finals.add(final)
                    rule.edges[end].append(((IGNORED, behind, last), final))
        return start

    def _add_ignored(self, before: int, behind: int, rule: ProductRule) -> int:
        start = rule.state()
        numbers = {condition: rule.state() for condition in self._after_ignored(before)}
        for source, pending in [(start, before), *((number, condition) for condition, number in numbers.items())]:
            for piece, after in self._conditions.ignored(pending):
                rule.edges[source].append((piece, numbers[after]))
        rule.finals.add(numbers[behind])
        return start

    def _add_rule(self, name: str, before: int, behind: int, rule: ProductRule) -> int:
        diagram = self._diagrams[name]
        todo: list[tuple[int, int]] = []

        def place(state: int, pending: int) -> int:
            found = rule.places.get((state, pending))
            if found is None:
                found = rule.places[state, pending] = rule.state()
                todo.append((state, pending))
            return found

        def unread(state: int, condition: int) -> int:
            """State with the terminals of a state of the diagram alone; -1 if there are none."""
            if (state, condition) not in rule.unread:
                steps: list[tuple[ProductSymbol, int]] = [
                    (piece, place(target, after))
                    for symbol, target in diagram.edges[state].items()
                    if isinstance(symbol, Terminal)
                    for piece, after in self._conditions.terminal(symbol.name, condition)
                ]
                rule.unread[state, condition] = rule.state() if steps else -1
                if steps:
                    rule.edges[-1] = steps
            return rule.unread[state, condition]

        start = place(0, before)
        for state, pending in todo:  # grows meanwhile
            edges = rule.edges[rule.places[state, pending]]
            if state in diagram.finals and pending == behind:
                rule.finals.add(rule.places[state, pending])
            if any(isinstance(symbol, Terminal) for symbol in diagram.edges[state]):
                for condition in self._after_ignored(pending):
                    begin = unread(state, condition)
                    if begin >= 0:
                        edges.append(((IGNORED, pending, condition), begin))
            for symbol, target in diagram.edges[state].items():
                if isinstance(symbol, Terminal):
                    for piece, after in self._conditions.terminal(symbol.name, pending):
                        edges.append((piece, place(target, after)))
                elif isinstance(symbol, Unless):
                    edges.append((None, place(target, self._conditions.unless(symbol.names, pending))))
                elif isinstance(symbol, RuleReference):
                    for after in self._left_by((symbol.name, pending)):
                        edges.append(((symbol.name, pending, after), place(target, after)))
                else:
                    for after in self._left_by((symbol.name, pending)):
                        repeated = Repeated((symbol.name, pending, after), symbol.minimum, symbol.maximum)
                        edges.append((repeated, place(target, after)))
        return start

    def _left_by(self, entry: _Entry) -> list[int]:
        """Conditions that may be pending behind a rule."""
        return list(dict.fromkeys(after for after, _ in self._exits[entry]))
