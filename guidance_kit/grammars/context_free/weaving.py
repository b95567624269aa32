"""Weaving of ignored terminals, and of conditions on following texts, into the diagrams of a grammar.

What is read next may depend on what was read before: certain characters must not follow a name, and which terminals a
lexer looks for depends on the last one. So every state of a diagram is taken once for each such *condition* that may be
pending there, and a rule is read under one condition and leaves another one: a rule of the network is a rule of the
grammar with two conditions, as Bar-Hillel, Perles and Shamir (1961) intersect a grammar with an automaton. In most
grammars without a lexer only what is ignored has conditions, which are over before the next rule, and then there is one
rule for each.

What is ignored stands before terminals, not behind them: so a rule that ends with a call still ends with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.context_free.diagram import Counted, Diagram
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import Rule, Terminal, Unless

__all__ = ["IGNORED", "Conditions", "Key", "Repeated", "Weaver", "Woven"]

MAX_PLACES = 500_000
"""States of diagrams, each with a condition."""

IGNORED = "%ignore"
"""The name of the rule of what is ignored."""

_ROOT = ""

Key = tuple[str, int, int]
"""A rule with the condition that is pending before it, and the one behind it."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A rule between `minimum`, at least 1, and `maximum` times."""

    key: Key
    minimum: int
    maximum: int


WovenSymbol = Key | Repeated | Lexeme | None
"""Symbol that is read; None reads nothing."""


class Conditions(Protocol):
    """Conditions on the next text, by number; 0 at the beginning of the text."""

    def terminal(self, name: str, pending: int) -> Sequence[tuple[Lexeme, int]]:
        """The texts of a terminal that may come next, with nothing ignored before them, apart by what they leave."""
        ...

    def ignored(self, pending: int) -> Sequence[tuple[Lexeme, int]]:
        """The same of what is ignored."""
        ...

    def unless(self, names: frozenset[str], pending: int) -> int:
        """The condition under which, in addition, none of some terminals comes next."""
        ...

    def may_end(self, pending: int) -> bool:
        """Test whether the text may end."""
        ...


class Woven:
    """One rule.

    Attributes:
        edges: of each state, (symbol, next state); state 0 is the start.
        finals: the states in which it may end.
    """

    def __init__(self) -> None:
        self.edges: list[list[tuple[WovenSymbol, int]]] = []
        self.finals: set[int] = set()

    def state(self) -> int:
        """Add a state."""
        self.edges.append([])
        return len(self.edges) - 1

    def trimmed(self) -> None:
        """Drop the edges that lead to states from which it cannot end."""
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
"""A rule with the condition that is pending before it."""

_Exit = tuple[int, bool]
"""The condition that is pending somewhere, and whether nothing was read before it in the rule."""


class _Caller(NamedTuple):
    """A place where a rule is read: in which rule, where it goes on, and whether nothing was read before it there."""

    entry: _Entry
    target: int
    is_empty: bool
    is_counted: bool


class Weaver:
    """Knows which conditions each rule can leave: found by following all rules from the start, each entry once.

    Args:
        start: the rule that the whole text must match.
        diagrams: of the rules.
        conditions: what may follow what.
    Raises:
        UnsupportedFeature: what must not follow something depends on more than can be said.
        LimitError: there are too many conditions.

    Attributes:
        root: the rule that the whole text must match, with what is ignored behind it.
        has_texts: whether there is a text.
    """

    def __init__(self, start: str, diagrams: Mapping[str, Diagram], conditions: Conditions) -> None:
        self._start = start
        self._diagrams = diagrams
        self._conditions = conditions
        self._ignorable: dict[int, list[int]] = {}
        self._exits: dict[_Entry, dict[_Exit, None]] = {}
        self._callers: dict[_Entry, list[_Caller]] = {}
        self._seen: dict[_Entry, set[tuple[int, _Exit]]] = {}
        self._todo: list[tuple[_Entry, int, _Exit]] = []
        self._count = 0
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
                    caller = _Caller(entry, target, is_empty, isinstance(symbol, Counted))
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
            self._count += 1
            if self._count > MAX_PLACES:
                raise LimitError("max_places", MAX_PLACES, where="what may follow what in a grammar")
            self._seen[entry].add((state, here))
            self._todo.append((entry, state, here))

    def _left(self, called: _Entry, there: _Exit, caller: _Caller) -> None:
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
        """The conditions that can be pending behind what is ignored, one or more."""
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

    def _root(self) -> Woven:
        """The start rule, and what is ignored behind it."""
        woven = Woven()
        start = woven.state()
        for behind in self._left_by((self._start, 0)):
            end = woven.state()
            woven.edges[start].append(((self._start, 0, behind), end))
            if self._conditions.may_end(behind):
                woven.finals.add(end)
            for last in self._after_ignored(behind):
                if self._conditions.may_end(last):
                    final = woven.state()
                    woven.finals.add(final)
                    woven.edges[end].append(((IGNORED, behind, last), final))
        woven.trimmed()
        return woven

    def rule(self, key: Key) -> Woven:
        """One rule under its conditions."""
        name, before, behind = key
        if name == _ROOT:
            return self._root()
        woven = self._ignored(before, behind) if name == IGNORED else self._rule(name, before, behind)
        woven.trimmed()
        return woven

    def _left_by(self, entry: _Entry) -> list[int]:
        """The conditions that a rule can leave."""
        return list(dict.fromkeys(after for after, _ in self._exits[entry]))

    def _ignored(self, before: int, behind: int) -> Woven:
        woven = Woven()
        start = woven.state()
        places = {condition: woven.state() for condition in self._after_ignored(before)}
        for source, pending in [(start, before), *((place, condition) for condition, place in places.items())]:
            for piece, after in self._conditions.ignored(pending):
                woven.edges[source].append((piece, places[after]))
        woven.finals.add(places[behind])
        return woven

    def _rule(self, name: str, before: int, behind: int) -> Woven:
        diagram = self._diagrams[name]
        woven = Woven()
        places = {(0, before): woven.state()}
        todo = [(0, before)]

        def place(state: int, pending: int) -> int:
            if (state, pending) not in places:
                places[state, pending] = woven.state()
                todo.append((state, pending))
            return places[state, pending]

        terminals: dict[tuple[int, int], int] = {}

        def terminal(state: int, condition: int) -> int:
            """The place from which the terminals of a state are read, and nothing else; -1 if there are none."""
            if (state, condition) not in terminals:
                steps: list[tuple[WovenSymbol, int]] = [
                    (piece, place(target, after))
                    for symbol, target in diagram.edges[state].items()
                    if isinstance(symbol, Terminal)
                    for piece, after in self._conditions.terminal(symbol.name, condition)
                ]
                terminals[state, condition] = woven.state() if steps else -1
                if steps:
                    woven.edges[-1] = steps
            return terminals[state, condition]

        for state, pending in todo:  # grows meanwhile
            here = places[state, pending]
            if state in diagram.finals and pending == behind:
                woven.finals.add(here)
            if any(isinstance(symbol, Terminal) for symbol in diagram.edges[state]):
                for condition in self._after_ignored(pending):
                    begin = terminal(state, condition)
                    if begin >= 0:
                        woven.edges[here].append(((IGNORED, pending, condition), begin))
            for symbol, target in diagram.edges[state].items():
                if isinstance(symbol, Terminal):
                    for piece, after in self._conditions.terminal(symbol.name, pending):
                        woven.edges[here].append((piece, place(target, after)))
                elif isinstance(symbol, Unless):
                    after = self._conditions.unless(symbol.names, pending)
                    woven.edges[here].append((None, place(target, after)))
                elif isinstance(symbol, Rule):
                    for after in self._left_by((symbol.name, pending)):
                        woven.edges[here].append(((symbol.name, pending, after), place(target, after)))
                else:
                    for after in self._left_by((symbol.name, pending)):
                        repeated = Repeated((symbol.name, pending, after), symbol.minimum, symbol.maximum)
                        woven.edges[here].append((repeated, place(target, after)))
        return woven
