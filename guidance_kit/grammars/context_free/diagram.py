"""Syntax diagrams: a rule as a deterministic automaton that reads terminals and other rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from collections.abc import Sequence as Items
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.tree import Choice, Node, RuleReference, Sequence, Terminal, Unless
from guidance_kit.grammars.regular.equivalent_states import refined
from guidance_kit.grammars.regular.partition import bits_of

__all__ = ["CountedCall", "Diagram", "Symbol", "diagram_of", "diagram_of_ways"]

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
"""Label of an edge in the diagram of a rule."""


_Label = TypeVar("_Label", bound=Hashable)
_Other = TypeVar("_Other", bound=Hashable)


@dataclass(frozen=True)
class Diagram(Generic[_Label]):
    """A deterministic automaton over labels, which are symbols or their numbers; state 0 is the start.

    Attributes:
        edges: for each state {label: next state}.
        finals: final states.
    """

    edges: tuple[Mapping[_Label, int], ...]
    finals: frozenset[int]

    @cached_property
    def size(self) -> int:
        """Number of edges."""
        return sum(map(len, self.edges))

    @cached_property
    def uses(self) -> Counter[_Label]:
        """Number of edges that read each label."""
        return Counter(label for steps in self.edges for label in steps)

    def steps(self, state: int) -> Iterable[tuple[_Label, int]]:
        """The edges of a state."""
        return self.edges[state].items()

    def relabelled(self, label_of: Callable[[_Label], _Other]) -> Diagram[_Other]:
        """The diagram with other labels."""
        edges = ({label_of(label): target for label, target in steps.items()} for steps in self.edges)
        return Diagram(tuple(edges), self.finals)

    def with_rule(self, this: _Label, called: _Label, body: Diagram[_Label]) -> Diagram[_Label]:
        """The diagram of the rule `this` with the diagram of another rule in place of its calls.

        Calls of `this` in first or last position are replaced, too; see `without_own_recursion`.
        """
        draft: _Draft[_Label] = _Draft()
        draft.copy(self)
        copies: dict[int, int] = {}  # calls that go on at the same state have one in common
        for state, steps in enumerate(self.edges):
            if called in steps:
                del draft.edges[state][called]
                target = steps[called]
                first = copies.get(target)
                if first is None:
                    first = copies[target] = draft.copy(body)
                    for final in body.finals:
                        draft.skip(first + final, target)
                draft.skip(state, first)
        is_recursive = this in self.uses or this in body.uses
        return draft.without_own_recursion(this, self.finals) if is_recursive else draft.diagram(0, self.finals)

    def without_own_recursion(self, this: _Label) -> Diagram[_Label]:
        """The diagram of the rule `this` without calls of itself in first or last position.

        If S is S Y or Z, it is Z followed by any number of Y. Let R be any number of Y: if that begins or ends with S
        followed by R, the two together are S, since S followed by R is S.
        """
        if this not in self.uses:
            return self
        if this not in self.edges[0]:  # then only a call in last position matters
            last = {state for state in self.finals if not self.edges[state]}
            if not any(steps.get(this) in last for steps in self.edges):
                return self
        draft: _Draft[_Label] = _Draft()
        draft.copy(self)
        return draft.without_own_recursion(this, self.finals)

    def restricted(self, usable: AbstractSet[_Label]) -> Diagram[_Label]:
        """Diagram without the edges that read other labels than some."""
        if self.uses.keys() <= usable:
            return self
        draft: _Draft[_Label] = _Draft()
        draft.copy(self)
        draft.edges = [{label: mask for label, mask in steps.items() if label in usable} for steps in draft.edges]
        return draft.diagram(0, self.finals)


class _Draft(Generic[_Label]):
    """An automaton that is being written, nondeterministic. Sets of states are masks.

    Attributes:
        edges: for each state {label: next states}.
        skips: for each state the next states without reading.
    """

    def __init__(self) -> None:
        self.edges: list[dict[_Label, int]] = []
        self.skips: list[int] = []

    def state(self) -> int:
        self._check(1)
        self.edges.append({})
        self.skips.append(0)
        return len(self.edges) - 1

    def read(self, source: int, label: _Label, target: int) -> None:
        self.edges[source][label] = self.edges[source].get(label, 0) | 1 << target

    def skip(self, source: int, target: int) -> None:
        self.skips[source] |= 1 << target

    def copy(self, other: Diagram[_Label]) -> int:
        """Copy a diagram; return its first state."""
        first = len(self.edges)
        self._check(len(other.edges))
        self.edges += [{label: 1 << first + target for label, target in steps.items()} for steps in other.edges]
        self.skips += [0] * len(other.edges)
        return first

    def _check(self, states: int) -> None:
        if len(self.edges) + states > MAX_STATES:
            raise LimitError("max_states", MAX_STATES, where="a rule of a grammar")

    def without_own_recursion(self, this: _Label, finals: AbstractSet[int]) -> Diagram[_Label]:
        """The diagram of a rule that starts in state 0; see `Diagram.without_own_recursion`."""
        start, rest = self.state(), self.state()
        starts = self._closed(1)
        first = self._targets(starts)
        behind = first.get(this, 0)
        self.edges[start] = {label: targets for label, targets in first.items() if label != this}
        ends = {*finals, rest} | ({start} if any(starts >> final & 1 for final in finals) else set())
        for end in ends:
            self.skips[end] |= behind
        looped, entry = self.diagram_and_entry(start, ends, rest)
        if entry is None or not any(steps.get(this) == entry for steps in looped.edges):
            return looped
        draft: _Draft[_Label] = _Draft()
        draft.copy(looped)
        for state, steps in enumerate(looped.edges):
            if steps.get(this) == entry:
                del draft.edges[state][this]
                draft.skip(state, 0)
        return draft.diagram(0, looped.finals)

    def diagram(self, start: int, finals: Iterable[int]) -> Diagram[_Label]:
        """Its minimal deterministic automaton."""
        return self.diagram_and_entry(start, finals, start)[0]

    def diagram_and_entry(self, start: int, finals: Iterable[int], other: int) -> tuple[Diagram[_Label], int | None]:
        """Its minimal deterministic automaton, and the state equivalent to the state `other`, if there is one."""
        sets = list(dict.fromkeys((self._closed(1 << start), self._closed(1 << other))))
        entry = len(sets) - 1
        numbers = {members: number for number, members in enumerate(sets)}
        rows: list[dict[_Label, int]] = []
        known: dict[int, int] = {}  # the same for sets that are not closed
        for members in sets:  # grows meanwhile
            row: dict[_Label, int] = {}
            for label, following in self._targets(members).items():
                number = known.get(following)
                if number is None:
                    reached = self._closed(following)
                    number = known[following] = numbers.setdefault(reached, len(sets))
                    if number == len(sets):
                        if number >= MAX_STATES:
                            raise LimitError("max_states", MAX_STATES, where="a rule of a grammar")
                        sets.append(reached)
                row[label] = number
            rows.append(row)
        ends = sum(1 << final for final in set(finals))
        return _smallest(rows, [bool(members & ends) for members in sets], entry)

    def _targets(self, states: int) -> Mapping[_Label, int]:
        """Next states of some states, which are closed."""
        if not states & (states - 1):
            return self.edges[states.bit_length() - 1]
        targets: dict[_Label, int] = {}
        for state in bits_of(states):
            for label, following in self.edges[state].items():
                targets[label] = targets.get(label, 0) | following
        return targets

    def _closed(self, states: int) -> int:
        todo = states
        while todo:
            state = todo.bit_length() - 1
            reached = self.skips[state] & ~states
            states |= reached
            todo = todo & ~(1 << state) | reached
        return states


def _smallest(rows: list[dict[_Label, int]], ends: list[bool], other: int) -> tuple[Diagram[_Label], int | None]:
    """Merge equivalent states, and drop dead ones (Moore 1956)."""
    alive = {state for state, is_end in enumerate(ends) if is_end}
    count = -1
    while count < len(alive) < len(rows):
        count = len(alive)
        for state in reversed(range(len(rows))):  # most edges lead on to later states
            if state not in alive and not alive.isdisjoint(rows[state].values()):
                alive.add(state)
    if len(alive) < len(rows):
        rows = [{label: target for label, target in row.items() if target in alive} for row in rows]
    block = _blocks(rows, ends) if len(rows) <= _MOST_MERGED else list(range(len(rows)))
    place, members = {block[0]: 0}, [0]
    edges: list[dict[_Label, int]] = []
    for state in members:  # grows meanwhile
        steps: dict[_Label, int] = {}
        for label, target in rows[state].items():
            steps[label] = place.setdefault(block[target], len(members))
            if steps[label] == len(members):
                members.append(target)
        edges.append(steps)
    diagram = Diagram(tuple(edges), frozenset(k for k, state in enumerate(members) if ends[state]))
    return diagram, place.get(block[other])


def _blocks(rows: list[dict[_Label, int]], ends: list[bool]) -> list[int]:
    """Number of the equivalence class of each state."""
    block = [0] * len(rows)
    known: dict[Hashable, int] = {}
    for state in reversed(range(len(rows))):
        row = rows[state]
        if row and min(row.values()) <= state:  # there may be a circle
            break
        key = ends[state], frozenset([(label, block[target]) for label, target in row.items()])
        block[state] = known.setdefault(key, len(known))
    else:
        return block
    alike: dict[Hashable, list[int]] = {}
    for state, row in enumerate(rows):
        alike.setdefault((ends[state], frozenset(row)), []).append(state)
    targets: list[Items[int]] = [()] * len(rows)
    for members in alike.values():
        labels = tuple(rows[members[0]])
        for state in members if len(members) > 1 else ():
            row = rows[state]
            targets[state] = [row[label] for label in labels]
    return refined(alike.values(), targets)


def diagram_of(node: Node, extra: dict[str, Node], name: str, numbers: dict[Symbol, int]) -> Diagram[int]:
    """The diagram of a node, over numbers of symbols.

    Args:
        node: the node.
        extra: receives the bodies of repetitions that are counted while a text is read, as rules.
        name: of the rule, for their names.
        numbers: of symbols so far; receives those of others.
    """
    if isinstance(node, Choice) and (ways := _plain_ways(node)) is not None:
        return diagram_of_ways([numbers.setdefault(symbol, len(numbers)) for symbol in way] for way in ways)
    draft: _Draft[int] = _Draft()
    start, end = draft.state(), draft.state()
    todo: list[tuple[int, Node, int]] = [(start, node, end)]
    while todo:
        source, part, target = todo.pop()
        if isinstance(part, (RuleReference, Terminal, Unless)):
            draft.read(source, numbers.setdefault(part, len(numbers)), target)
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
            call = CountedCall(inner_name, max(1, part.minimum), part.maximum)
            draft.read(source, numbers.setdefault(call, len(numbers)), target)
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


def _plain_ways(node: Choice) -> list[list[Symbol]] | None:
    """The symbols of a choice among sequences of them; None if it is another one."""
    ways: list[list[Symbol]] = []
    for way in node.ways:
        if not isinstance(way, Sequence):
            return None
        symbols = [part for part in way.parts if isinstance(part, (RuleReference, Terminal, Unless))]
        if len(symbols) < len(way.parts):
            return None
        ways.append([*symbols])
    return ways


def diagram_of_ways(ways: Iterable[Iterable[int]]) -> Diagram[int]:
    """The diagram of a choice among sequences of symbols, over their numbers."""
    rows: list[dict[int, int]] = [{}]
    finals: set[int] = set()
    for symbols in ways:
        state = 0
        for symbol in symbols:
            row = rows[state]
            following = row.get(symbol)
            if following is None:
                following = row[symbol] = len(rows)
                if following >= MAX_STATES:
                    raise LimitError("max_states", MAX_STATES, where="a rule of a grammar")
                rows.append({})
            state = following
        finals.add(state)
    return _smallest(rows, [state in finals for state in range(len(rows))], 0)[0]
