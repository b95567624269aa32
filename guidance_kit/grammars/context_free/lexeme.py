"""DFA of one terminal over characters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import Any, TypeVar, overload

from guidance_kit.grammars.regular.charset import NONE, CharSet, union
from guidance_kit.grammars.regular.encoding import is_shared
from guidance_kit.grammars.regular.equivalent_states import equivalent_by_order, equivalent_states
from guidance_kit.grammars.regular.partition import Partition

__all__ = ["Lexeme"]

_BEYOND = 0x110000
"""The first number that is no character."""

_LARGE = 8
"""States from which on an automaton is written once for all rules."""

_Label = TypeVar("_Label", bound=Hashable)

_Edges = Sequence[Sequence[tuple[CharSet, int]]]


class _Path(Sequence[tuple[tuple[CharSet, int], ...]]):
    """Edges of an automaton that reads a sequence of character sets, created on access.

    All edges of this form have this type, so that equal lexemes are equal. A grammar of long literals has millions of
    edges, which would take 150 bytes each as objects and slow down the garbage collector.
    """

    __slots__ = ("characters",)

    def __init__(self, characters: Sequence[CharSet]) -> None:
        self.characters = tuple(characters)

    def __len__(self) -> int:
        return len(self.characters) + 1

    @overload
    def __getitem__(self, state: int) -> tuple[tuple[CharSet, int], ...]: ...
    @overload
    def __getitem__(self, state: slice) -> tuple[tuple[tuple[CharSet, int], ...], ...]: ...
    def __getitem__(self, state: int | slice) -> tuple[Any, ...]:
        if isinstance(state, slice):
            return tuple(self[each] for each in range(*state.indices(len(self))))
        state = range(len(self))[state]
        return ((self.characters[state], state + 1),) if state < len(self.characters) else ()

    def __iter__(self) -> Iterator[tuple[tuple[CharSet, int], ...]]:
        for state, characters in enumerate(self.characters, 1):
            yield ((characters, state),)
        yield ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Path) and self.characters == other.characters

    def __hash__(self) -> int:
        return hash(self.characters)


@dataclass(frozen=True)
class Lexeme:
    """DFA of the texts of a terminal. State 0 is the start; unless there is no text, no state is dead.

    Attributes:
        edges: for each state (characters, next state); the sets of one state are disjoint.
        endings: for each state the characters that must not follow if the terminal ends there; None if it is not final.
    """

    edges: Sequence[tuple[tuple[CharSet, int], ...]]
    endings: tuple[CharSet | None, ...]

    @classmethod
    def of_literal(cls, characters: Sequence[CharSet]) -> Lexeme:
        """One character of each of some sets."""
        if not all(characters):
            return cls(_Path(()), (None,))
        return cls(_Path(characters), (*[None] * len(characters), NONE))

    @classmethod
    def of_embedded(cls, number: int) -> Lexeme:
        """Private character that stands for an embedded constraint, by its number."""
        return cls.of_literal([CharSet.single(_BEYOND + number)])

    @cached_property
    def embedded(self) -> int | None:
        """Number of the embedded constraint that it stands for, if any."""
        point = self.edges[0][0][0].bounds[0] if self.edges[0] else 0
        return point - _BEYOND if point >= _BEYOND else None

    @classmethod
    def smallest(cls, edges: _Edges, endings: Sequence[CharSet | None]) -> Lexeme:
        """Minimal automaton equivalent to one with start state 0, with canonical numbers."""
        alive = _among_live(edges, endings)
        merged, members, start = _merged(alive, equivalent_states(alive, endings, union), union)
        return cls._ordered(merged, [endings[member] for member in members], start)

    @classmethod
    def of_classes(
        cls, edges: Sequence[Sequence[tuple[int, int]]], endings: Sequence[CharSet | None], partition: Partition
    ) -> Lexeme:
        """Minimal automaton equivalent to one over classes of characters (masks), with canonical numbers."""
        is_path = not edges[-1] and all(_targets(steps) == [k] for k, steps in enumerate(edges[:-1], 1))
        if is_path and [*endings] == [*[None] * (len(edges) - 1), NONE]:
            return cls.of_literal([partition.charset(steps[0][0]) for steps in edges[:-1]])
        alive = _among_live(edges, endings)
        block = equivalent_by_order(alive, endings) or equivalent_states(alive, endings, _either)
        merged, members, start = _merged(alive, block, _either)
        named = [[(partition.charset(mask), target) for mask, target in steps] for steps in merged]
        return cls._ordered(named, [endings[member] for member in members], start)

    @classmethod
    def _numbered(cls, edges: _Edges, endings: Sequence[CharSet | None], start: int) -> Lexeme:
        """An automaton without the states that lead to no end or are not reached, numbered from its start."""
        return cls._ordered(_among_live(edges, endings), endings, start)

    @classmethod
    def _ordered(cls, edges: _Edges, endings: Sequence[CharSet | None], start: int) -> Lexeme:
        """An automaton of live states without those that are not reached, numbered from its start."""
        numbers, members = {start: 0}, [start]
        ordered: list[tuple[tuple[CharSet, int], ...]] = []
        for state in members:  # grows meanwhile
            steps = sorted(edges[state], key=lambda step: step[0].bounds)
            for _, target in steps:
                if target not in numbers:
                    numbers[target] = len(members)
                    members.append(target)
            ordered.append(tuple((chars, numbers[target]) for chars, target in steps))
        is_path = all(_targets(steps) == [k] for k, steps in enumerate(ordered[:-1], 1))
        edges = _Path([steps[0][0] for steps in ordered[:-1]]) if is_path and not ordered[-1] else tuple(ordered)
        return cls(edges, tuple(endings[state] for state in members))

    @cached_property
    def _hash(self) -> int:
        return hash((self.edges, self.endings))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def path(self) -> Sequence[CharSet] | None:
        """The sets of characters along a single path that ends in the only final state; None if it is no such path."""
        if isinstance(self.edges, _Path) and self.endings.count(None) == len(self.edges) - 1:
            return self.edges.characters
        return None

    @property
    def is_empty(self) -> bool:
        """True if there is no text."""
        return len(self.edges) == 1 and not self.edges[0] and self.endings[0] is None

    @property
    def is_nullable(self) -> bool:
        """True if it has the empty text."""
        return self.endings[0] is not None

    @cached_property
    def is_small(self) -> bool:
        """True if its automaton over bytes is written anew in each rule that reads it."""
        return len(self.edges) < _LARGE and not any(is_shared(chars) for steps in self.edges for chars, _ in steps)

    @cached_property
    def first(self) -> CharSet:
        """First characters of its texts."""
        return union(chars for chars, _ in self.edges[0])

    @cached_property
    def tail(self) -> int:
        """The first state from which the automaton is a single path."""
        edges, endings = self.edges, self.endings
        state = len(edges) - 1
        if edges[state]:
            return state + 1
        is_path = isinstance(edges, _Path)
        while state and endings[state - 1] is None and (is_path or _targets(edges[state - 1]) == [state]):
            state -= 1
        return max((target for steps in edges[:state] for target in _targets(steps)), default=state)

    def after(self, state: int, point: int) -> int:
        """The state after a character; -1 if it cannot be read."""
        return next((target for chars, target in self.edges[state] if point in chars), -1)

    def accepts(self, text: str) -> bool:
        """Test whether it has a text."""
        state = 0
        for character in text:
            state = self.after(state, ord(character))
            if state < 0:
                return False
        return self.endings[state] is not None

    def from_state(self, state: int) -> Lexeme:
        """Edges of a state."""
        return self._numbered(self.edges, self.endings, state)

    def without_first(self, excluded: CharSet) -> Lexeme:
        """The texts that do not begin with some characters, the empty text being none of them."""
        if not (self.first & excluded):
            return self
        start = [(left, target) for chars, target in self.edges[0] if (left := chars - excluded)]
        if not start and not self.is_nullable:
            return self.of_literal([NONE])
        return self._numbered([*self.edges, start], [*self.endings, self.endings[0]], len(self.edges))

    def without_empty(self) -> Lexeme:
        """The texts but the empty one."""
        return self._numbered([*self.edges, self.edges[0]], [*self.endings, None], len(self.edges))

    def ending_at(self, states: Iterable[int]) -> Lexeme:
        """The texts that end in some states."""
        ends = set(states)
        endings = tuple(ending if state in ends else None for state, ending in enumerate(self.endings))
        return self if endings == self.endings else self._numbered(self.edges, endings, 0)


def _among_live(
    edges: Sequence[Sequence[tuple[_Label, int]]], endings: Sequence[CharSet | None]
) -> list[list[tuple[_Label, int]]]:
    """Edges to states from which a final one can be reached."""
    alive = _alive(edges, endings)
    return [[step for step in steps if step[1] in alive] for steps in edges]


def _merged(
    edges: Sequence[Sequence[tuple[_Label, int]]], block: Sequence[int], union: Callable[[Iterable[_Label]], _Label]
) -> tuple[list[list[tuple[_Label, int]]], list[int], int]:
    """States of each class as one: the edges of each class, a member of it, and the class of state 0."""
    found = dict(zip(reversed(block), range(len(block) - 1, -1, -1), strict=True))
    members = [found[number] for number in range(len(found))]
    merged: list[list[tuple[_Label, int]]] = []
    for member in members:
        targets: dict[int, list[_Label]] = {}
        for label, target in edges[member]:
            targets.setdefault(block[target], []).append(label)
        merged.append([(union(labels), target) for target, labels in targets.items()])
    return merged, members, block[0]


def _either(masks: Iterable[int]) -> int:
    return reduce(or_, masks)


def _targets(steps: Iterable[tuple[object, int]]) -> list[int]:
    return [target for _, target in steps]


def _alive(edges: Sequence[Sequence[tuple[object, int]]], endings: Sequence[CharSet | None]) -> set[int]:
    """States from which a final state can be reached."""
    before: list[list[int]] = [[] for _ in edges]
    for state, steps in enumerate(edges):
        for label, target in steps:
            if label:
                before[target].append(state)
    alive = {state for state, ending in enumerate(endings) if ending is not None}
    todo = list(alive)
    while todo:
        for state in before[todo.pop()]:
            if state not in alive:
                alive.add(state)
                todo.append(state)
    return alive
