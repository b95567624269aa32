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
    """Automaton of a rule between two conditions.

    Attributes:
        edges: for each state (symbol, next state); state 0 is the start.
        finals: final states.
    """

    def __init__(self) -> None:
        self.edges: list[list[tuple[ProductSymbol, int]]] = []
        self.finals: set[int] = set()

    def state(self) -> int:
        """Add a state."""
        self.edges.append([])
        return len(self.edges) - 1

    def trimmed(self) -> None:
        """Remove edges to states from which no final state can be reached."""
        before: dict[int, list[int]] = {}
        for state, steps in enumerate(self.edges):
            for _, target in steps:
                before.setdefault(target, []).append(state)
        todo = list(self.finals)
        alive = set(todo)
        while todo:
            for state in before.get(todo.pop(), ()):
                if state not in alive:
                    alive.add(state)
                    todo.append(state)
        self.edges = [[step for step in steps if step[1] in alive] for steps in self.edges]


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
        self.has_texts = bool(self._root().finals)

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

    def _root(self) -> ProductRule:
        """The start rule with ignored text behind it."""
        rule = ProductRule()
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
        rule.trimmed()
        return rule

    def rule(self, key: Key) -> ProductRule:
        """One rule under its conditions."""
        name, before, behind = key
        if name == _ROOT:
            return self._root()
        rule = self._ignored(before, behind) if name == IGNORED else self._rule(name, before, behind)
        rule.trimmed()
        return rule

    def _left_by(self, entry: _Entry) -> list[int]:
        """Conditions that may be pending behind a rule."""
        return list(dict.fromkeys(after for after, _ in self._exits[entry]))

    def _ignored(self, before: int, behind: int) -> ProductRule:
        rule = ProductRule()
        start = rule.state()
        numbers = {condition: rule.state() for condition in self._after_ignored(before)}
        for source, pending in [(start, before), *((number, condition) for condition, number in numbers.items())]:
            for piece, after in self._conditions.ignored(pending):
                rule.edges[source].append((piece, numbers[after]))
        rule.finals.add(numbers[behind])
        return rule

    def _rule(self, name: str, before: int, behind: int) -> ProductRule:
        diagram = self._diagrams[name]
        rule = ProductRule()
        numbers = {(0, before): rule.state()}
        todo = [(0, before)]

        def number_of(state: int, pending: int) -> int:
            if (state, pending) not in numbers:
                numbers[state, pending] = rule.state()
                todo.append((state, pending))
            return numbers[state, pending]

        terminals: dict[tuple[int, int], int] = {}

        def terminal(state: int, condition: int) -> int:
            """State with the terminals of a state of the diagram alone; -1 if there are none."""
            if (state, condition) not in terminals:
                steps: list[tuple[ProductSymbol, int]] = [
                    (piece, number_of(target, after))
                    for symbol, target in diagram.edges[state].items()
                    if isinstance(symbol, Terminal)
                    for piece, after in self._conditions.terminal(symbol.name, condition)
                ]
                terminals[state, condition] = rule.state() if steps else -1
                if steps:
                    rule.edges[-1] = steps
            return terminals[state, condition]

        for state, pending in todo:  # grows meanwhile
            here = numbers[state, pending]
            if state in diagram.finals and pending == behind:
                rule.finals.add(here)
            if any(isinstance(symbol, Terminal) for symbol in diagram.edges[state]):
                for condition in self._after_ignored(pending):
                    begin = terminal(state, condition)
                    if begin >= 0:
                        rule.edges[here].append(((IGNORED, pending, condition), begin))
            for symbol, target in diagram.edges[state].items():
                if isinstance(symbol, Terminal):
                    for piece, after in self._conditions.terminal(symbol.name, pending):
                        rule.edges[here].append((piece, number_of(target, after)))
                elif isinstance(symbol, Unless):
                    after = self._conditions.unless(symbol.names, pending)
                    rule.edges[here].append((None, number_of(target, after)))
                elif isinstance(symbol, RuleReference):
                    for after in self._left_by((symbol.name, pending)):
                        rule.edges[here].append(((symbol.name, pending, after), number_of(target, after)))
                else:
                    for after in self._left_by((symbol.name, pending)):
                        repeated = Repeated((symbol.name, pending, after), symbol.minimum, symbol.maximum)
                        rule.edges[here].append((repeated, number_of(target, after)))
        return rule
