"""Segmentation of a text into the parts of its constraint, which are then parsed one by one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from guidance_kit.errors import MatchError, UnsupportedFeature
from guidance_kit.fsm.caches import BoundedCache, caches
from guidance_kit.grammars.common_prefix import common_items
from guidance_kit.grammars.constraint import Constraint

if TYPE_CHECKING:
    from guidance_kit.fsm.automaton import Automaton

__all__ = ["Segmenter", "Span", "Transition", "automaton_of", "transition"]

Span = tuple[int, int]
"""Start and end of a part, in bytes of UTF-8."""

_Node = tuple[Hashable, int]
"""State of `Segmenter.prefix_values`, and the byte position of the state."""


class Transition(NamedTuple):
    """Transition by a text of a part.

    Attributes:
        part: the part.
        target: state behind it, under any name.
        values: values of a text of the part, or of a prefix of one, given the text and whether it is whole.
    """

    part: Constraint
    target: Hashable
    values: Callable[[str, bool], Iterable[Any]]


def transition(part: Constraint, target: Hashable) -> Transition:
    """Transition by a part, with its value once there is one."""

    def values(text: str, is_whole: bool) -> list[Any]:
        found = part.partial_value_of(text, is_whole) if text or is_whole else None
        return [found] if is_whole or found is not None else []

    return Transition(part, target, values)


class Segmenter:
    """Segmentation of one text, in which special tokens are spelled as their names.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self.data = text.encode(errors="surrogatepass")

    def ends(self, part: Constraint, begin: int = 0) -> list[int]:
        """Ends of the texts of `part` that start at `begin`, ascending."""
        return self._ends_from(part, begin)[0]

    def matches(self, part: Constraint) -> bool:
        """Test whether the whole text is one of `part`."""
        return len(self.data) in self.ends(part)[-1:]

    def is_prefix_of(self, part: Constraint) -> bool:
        """Test whether the whole text is a prefix of a text of `part`."""
        ends, is_open = self._ends_from(part, 0)
        return is_open or len(self.data) in ends[-1:]

    def value(self, part: Constraint, span: Span) -> Any:
        """Value of a span as a text of `part`."""
        return part.value_of(self._text(*span))

    def plain_value(self, part: Constraint, span: Span) -> Any:
        """Value of a span as a text of `part`, without Python types; see `Constraint.partial`."""
        return part.partial_value_of(self._text(*span), True)

    def sequence(self, parts: Sequence[Constraint]) -> list[Span]:
        """Spans of parts one after the other; earlier spans as long as possible.

        Raises:
            MatchError: there is no such segmentation.
        """
        return self._segmented(lambda place: parts[place] if place < len(parts) else None, len(parts))

    def repetition(self, part: Constraint, minimum: int, maximum: int | None) -> list[Span]:
        """Spans of `minimum` to `maximum` (None: any number of) texts of a part; earlier spans as long as possible.

        Raises:
            MatchError: there is no such segmentation.
        """
        return self._segmented(lambda place: part if maximum is None or place < maximum else None, minimum)

    def prefix_values(
        self,
        start: Hashable,
        transitions: Callable[[Any], Iterable[Transition]],
        is_final: Callable[[Any], bool],
    ) -> list[Any]:
        """Values on which all texts with this prefix agree.

        Args:
            start: the first state.
            transitions: those from a state; one by an empty part leads to another state.
            is_final: whether the text may end in a state.
        Raises:
            MatchError: no text has this prefix.
        """
        size = len(self.data)
        nodes: dict[_Node, list[tuple[list[Any], _Node | None]]] = {(start, 0): []}
        todo = list(nodes)
        for here in todo:  # grows meanwhile
            state, begin = here
            steps = nodes[here]
            if begin == size and is_final(state):
                steps.append(([], None))
            for part, target, values in transitions(state):
                ends, is_open = self._ends_from(part, begin)
                if is_open:
                    steps.append((list(values(self._text(begin, size), False)), None))
                for end in ends:
                    there = target, end
                    if there != here:
                        steps.append((list(values(self._text(begin, end), True)), there))
                        if there not in nodes:
                            nodes[there] = []
                            todo.append(there)
        return self._common_values(nodes, todo, (start, 0))

    @staticmethod
    def _common_values(
        nodes: dict[_Node, list[tuple[list[Any], _Node | None]]], order: list[_Node], start: _Node
    ) -> list[Any]:
        """Common prefix of the values along all paths from `start` to an end, as a fixed point."""
        known: dict[_Node, list[Any]] = {}
        order = sorted(reversed(order), key=lambda node: -node[1])  # noqa: C414, of those at one byte the last first
        is_stable = False
        while not is_stable:  # once, and once more to see it, unless parts are empty
            is_stable = True
            for here in order:
                found: list[Any] | None = None
                for values, there in nodes[here]:
                    if there is None or there in known:
                        following = values + (known[there] if there is not None else [])
                        found = following if found is None else common_items(found, following)
                if found is not None and known.get(here) != found:
                    known[here] = found
                    is_stable = False
        if start not in known:
            raise MatchError("no text of the constraint begins so")
        return known[start]

    def _text(self, begin: int, end: int) -> str:
        return self.data[begin:end].decode(errors="surrogatepass")

    def _ends_from(self, part: Constraint, begin: int) -> tuple[list[int], bool]:
        """Ends of the texts of `part` that start at `begin`, and whether one may continue beyond the whole text."""
        automaton = automaton_of(part)
        path = automaton.advance(automaton.start, self.data[begin:])
        found = (begin + 1 + np.flatnonzero(automaton.are_complete(path))).tolist()
        if automaton.is_complete(automaton.start):
            found = [begin, *found]
        if begin + len(path) < len(self.data):
            return found, False
        return found, bool(automaton.live_bytes(int(path[-1]) if len(path) else automaton.start).any())

    def _segmented(self, part_of: Callable[[int], Constraint | None], minimum: int) -> list[Span]:
        begins, untried = [0], list[list[int]]()
        failed = set[Span]()
        while begins:
            place, here = len(begins) - 1, begins[-1]
            if len(untried) == place:
                if here == len(self.data) and place >= minimum:
                    return list(pairwise(begins))
                part = None if (place, here) in failed else part_of(place)
                ends = [] if part is None else self.ends(part, here)
                untried.append(ends[ends[:1] == [here] and place >= minimum :])  # one more empty turn changes nothing
            if untried[-1]:
                begins.append(untried[-1].pop())
            else:
                failed.add((place, here))
                untried.pop()
                begins.pop()
        raise MatchError("the text does not belong to the constraint")


_AUTOMATA: BoundedCache[Constraint, Automaton] = caches.register(
    "automata", BoundedCache(64, 32 * 2**20, lambda automaton: automaton.size)
)
"""Automata of parsed constraints; the least recently used ones are dropped."""


def automaton_of(constraint: Constraint) -> Automaton:
    """Automaton of the texts of a constraint, in which special tokens are spelled as their names.

    Raises:
        UnsupportedFeature: the constraint has tokens by their numbers.
    """
    return _AUTOMATA.get(constraint, lambda: _automaton(constraint))


def _automaton(constraint: Constraint) -> Automaton:
    from guidance_kit.fsm.automaton import Automaton  # brings numba, which a constraint alone does not need

    network = constraint.network()
    if network.token_sets:
        raise UnsupportedFeature(
            "the value of a text",
            where=f"a constraint with {network.token_sets[0]}",
            hint="a text does not say of which tokens it is made",
        )
    network.as_text = frozenset(network.specials)
    return Automaton(network)
