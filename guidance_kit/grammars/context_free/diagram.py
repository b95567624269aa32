"""Syntax diagrams: a rule as a deterministic automaton that reads terminals and other rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.tree import Choice, Node, RuleReference, Sequence, Terminal, Unless

__all__ = ["CountedCall", "Diagram", "Symbol", "diagram_of"]

MAX_STATES = 20_000
"""States of one diagram."""

_MOST_MERGED = 1_000
"""States of diagrams that are made as small as possible; of larger ones equal states are kept apart."""

_MOST_COPIES = 64
"""Turns of a repetition that are written out; more of them are counted while a text is read."""


@dataclass(frozen=True, slots=True)
class CountedCall:
    """Between `minimum`, at least 1, and `maximum` texts of a rule, counted while a text is read."""

    name: str
    minimum: int
    maximum: int


Symbol = RuleReference | Terminal | CountedCall | Unless


@dataclass(frozen=True)
class Diagram:
    """A deterministic automaton over symbols; state 0 is the start.

    Attributes:
        edges: for each state {symbol: next state}.
        finals: final states.
    """

    edges: tuple[Mapping[Symbol, int], ...]
    finals: frozenset[int]

    @cached_property
    def size(self) -> int:
        """Number of edges."""
        return sum(map(len, self.edges))

    @cached_property
    def symbols(self) -> frozenset[Symbol]:
        """All symbols that are read."""
        return frozenset(symbol for steps in self.edges for symbol in steps)

    def steps(self, state: int) -> Iterable[tuple[Symbol, int]]:
        """The edges of a state."""
        return self.edges[state].items()

    @cached_property
    def uses(self) -> Counter[str]:
        """Number of edges that read each rule."""
        return Counter(symbol.name for steps in self.edges for symbol in steps if isinstance(symbol, RuleReference))

    def with_rule(self, name: str, body: Diagram) -> Diagram:
        """The diagram with calls of a rule replaced by another diagram."""
        draft = _Draft()
        draft.copy(self, except_for=name)
        for state, steps in enumerate(self.edges):
            if RuleReference(name) in steps:
                first = draft.copy(body)
                draft.skip(state, first)
                for final in body.finals:
                    draft.skip(first + final, steps[RuleReference(name)])
        return draft.diagram(0, self.finals)

    def without_own_recursion(self, name: str) -> Diagram:
        """The diagram of the rule `name` without calls of itself in first or last position.

        If S is S Y or Z, it is Z followed by any number of Y. Let R be any number of Y: if that begins or ends with S
        followed by R, the two together are S, since S followed by R is S.
        """
        this = RuleReference(name)
        if this not in self.symbols:
            return self
        draft = _Draft()
        draft.copy(self)
        start, rest = draft.state(), draft.state()
        for symbol, target in self.edges[0].items():
            if symbol != this:
                draft.read(start, symbol, target)
        finals = {*self.finals, rest} | ({start} if 0 in self.finals else set())
        if this in self.edges[0]:
            for final in finals:
                draft.skip(final, self.edges[0][this])
        looped, entry = draft.diagram_and_entry(start, finals, rest)
        if entry is None or not any(steps.get(this) == entry for steps in looped.edges):
            return looped
        draft = _Draft()
        draft.copy(looped)
        for state, steps in enumerate(looped.edges):
            if steps.get(this) == entry:
                del draft.edges[state][this]
                draft.skip(state, 0)
        return draft.diagram(0, looped.finals)

    def restricted(self, usable: Iterable[Symbol]) -> Diagram:
        """Diagram without the edges that read other symbols than some."""
        kept = set(usable)
        if self.symbols <= kept:
            return self
        draft = _Draft()
        draft.copy(self)
        for state, steps in enumerate(self.edges):
            draft.edges[state] = {symbol: [target] for symbol, target in steps.items() if symbol in kept}
        return draft.diagram(0, self.finals)


class _Draft:
    """An automaton over symbols that is being written, nondeterministic."""

    def __init__(self) -> None:
        self.edges: list[dict[Symbol, list[int]]] = []
        self.skips: list[list[int]] = []

    def state(self) -> int:
        if len(self.edges) >= MAX_STATES:
            raise LimitError("max_states", MAX_STATES, where="a rule of a grammar")
        self.edges.append({})
        self.skips.append([])
        return len(self.edges) - 1

    def read(self, source: int, symbol: Symbol, target: int) -> None:
        self.edges[source].setdefault(symbol, []).append(target)

    def skip(self, source: int, target: int) -> None:
        self.skips[source].append(target)

    def copy(self, other: Diagram, *, except_for: str | None = None) -> int:
        """Copy a diagram, without the edges that read a rule; return its first state."""
        first = len(self.edges)
        for _ in other.edges:
            self.state()
        for state, steps in enumerate(other.edges):
            for symbol, target in steps.items():
                if except_for is None or symbol != RuleReference(except_for):
                    self.read(first + state, symbol, first + target)
        return first

    def diagram(self, start: int, finals: Iterable[int]) -> Diagram:
        """Its minimal deterministic automaton."""
        return self.diagram_and_entry(start, finals, start)[0]

    def diagram_and_entry(self, start: int, finals: Iterable[int], other: int) -> tuple[Diagram, int | None]:
        """Its minimal deterministic automaton, and the state equivalent to the state `other`, if there is one."""
        finals = set(finals)
        sets = [self._closed([start]), self._closed([other])]
        numbers = {sets[0]: 0}
        if sets[1] in numbers:
            sets.pop()
        else:
            numbers[sets[1]] = 1
        rows: list[dict[Symbol, int]] = []
        for members in sets:  # grows meanwhile
            targets: dict[Symbol, list[int]] = {}
            for state in sorted(members):
                for symbol, following in self.edges[state].items():
                    targets.setdefault(symbol, []).extend(following)
            row: dict[Symbol, int] = {}
            for symbol, following in targets.items():
                reached = self._closed(following)
                if reached not in numbers:
                    if len(sets) >= MAX_STATES:
                        raise LimitError("max_states", MAX_STATES, where="a rule of a grammar")
                    numbers[reached] = len(sets)
                    sets.append(reached)
                row[symbol] = numbers[reached]
            rows.append(row)
        ends = [not finals.isdisjoint(members) for members in sets]
        return _smallest(rows, ends, numbers[self._closed([other])])

    def _closed(self, states: Iterable[int]) -> frozenset[int]:
        todo = list(states)
        seen = set(todo)
        while todo:
            for target in self.skips[todo.pop()]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return frozenset(seen)


def _smallest(rows: list[dict[Symbol, int]], ends: list[bool], other: int) -> tuple[Diagram, int | None]:
    """Merge equivalent states, and drop dead ones (Moore 1956)."""
    before: list[list[int]] = [[] for _ in rows]
    for state, row in enumerate(rows):
        for target in row.values():
            before[target].append(state)
    todo = [state for state, is_end in enumerate(ends) if is_end]
    alive = set(todo)
    while todo:
        for state in before[todo.pop()]:
            if state not in alive:
                alive.add(state)
                todo.append(state)
    rows = [{symbol: target for symbol, target in row.items() if target in alive} for row in rows]
    block, count = [int(is_end) for is_end in ends], 0
    if len(rows) > _MOST_MERGED:
        block, count = list(range(len(rows))), len(rows)
    while True:
        numbers: dict[Hashable, int] = {}
        keys = (
            (block[state], frozenset((symbol, block[target]) for symbol, target in row.items()))
            for state, row in enumerate(rows)
        )
        block = [numbers.setdefault(key, len(numbers)) for key in keys]
        if len(numbers) == count:
            break
        count = len(numbers)
    place, members = {block[0]: 0}, [0]
    edges: list[dict[Symbol, int]] = []
    for state in members:  # grows meanwhile
        for target in rows[state].values():
            if block[target] not in place:
                place[block[target]] = len(members)
                members.append(target)
        edges.append({symbol: place[block[target]] for symbol, target in rows[state].items()})
    diagram = Diagram(tuple(edges), frozenset(k for k, state in enumerate(members) if ends[state]))
    return diagram, place.get(block[other])


def diagram_of(node: Node, extra: dict[str, Node], name: str) -> Diagram:
    """The diagram of a node.

    Args:
        extra: receives the bodies of repetitions that are counted while a text is read, as rules.
        name: of the rule, for their names.
    """
    draft = _Draft()
    start, end = draft.state(), draft.state()
    todo: list[tuple[int, Node, int]] = [(start, node, end)]
    while todo:
        source, part, target = todo.pop()
        if isinstance(part, RuleReference | Terminal | Unless):
            draft.read(source, part, target)
        elif isinstance(part, Choice):
            todo += [(source, way, target) for way in part.ways]
        elif isinstance(part, Sequence):
            for k, inner in enumerate(part.parts):
                following = target if k == len(part.parts) - 1 else draft.state()
                todo.append((source, inner, following))
                source = following
            if not part.parts:
                draft.skip(source, target)
        elif max(part.minimum, part.maximum) > _MOST_COPIES:
            inner_name = f"{name} #{len(extra)}"
            extra[inner_name] = part.body
            draft.read(source, CountedCall(inner_name, max(1, part.minimum), part.maximum), target)
            if part.minimum == 0:
                draft.skip(source, target)
        else:
            for _ in range(part.minimum):
                following = draft.state()
                todo.append((source, part.body, following))
                source = following
            if part.maximum == UNBOUNDED:
                loop = draft.state()
                draft.skip(source, loop)
                draft.skip(loop, target)
                todo.append((loop, part.body, loop))
            else:
                for _ in range(part.maximum - part.minimum):
                    draft.skip(source, target)
                    following = draft.state()
                    todo.append((source, part.body, following))
                    source = following
                draft.skip(source, target)
    return draft.diagram(start, [end])
