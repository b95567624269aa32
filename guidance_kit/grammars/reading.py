"""Division of a text into the parts of its constraint, each of which is then read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from guidance_kit.errors import MatchError, UnsupportedFeature
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.recent import Recent
from guidance_kit.grammars.values import listed_in_common

__all__ = ["Reader", "Span", "Way", "automaton_of"]

Span = tuple[int, int]
"""Span of a part, in bytes of UTF-8."""


_Place = tuple[Hashable, int]
"""Next part, and its place."""


class Way(NamedTuple):
    """One way to go on.

    Attributes:
        part: what is read.
        target: what comes behind it, by any name.
        values: the values that a text of the part brings, given the text and whether it is whole.
    """

    part: Constraint
    target: Hashable
    values: Callable[[str, bool], Iterable[Any]]


class Reader:
    """Reads one text, in which special tokens stand by their names.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self.data = text.encode(errors="surrogatepass")

    def ends(self, part: Constraint, begin: int = 0) -> list[int]:
        """Possible ends of a text of `part` that begins at a place, ascending."""
        return self._followed(part, begin)[0]

    def is_text_of(self, part: Constraint) -> bool:
        """Test whether the whole text is one of `part`."""
        return len(self.data) in self.ends(part)[-1:]

    def is_beginning_of(self, part: Constraint) -> bool:
        """Test whether a text of `part` begins with the whole text."""
        ends, is_open = self._followed(part, 0)
        return is_open or len(self.data) in ends[-1:]

    def value(self, part: Constraint, span: Span | None = None) -> Any:
        """Value of a span, by default the whole text, as a text of `part`."""
        text = self._text(*(span or (0, len(self.data))))
        return text if part.to_value is None else part.to_value(text)

    def plain(self, part: Constraint, span: Span) -> Any:
        """The same, as `Constraint.partial` gives it."""
        text = self._text(*span)
        return text if part.to_partial_value is None else part.to_partial_value(text, True)

    def sequence(self, parts: Sequence[Constraint]) -> list[Span]:
        """The parts one after the other; of several ways that in which earlier ones take as much as possible.

        Raises:
            MatchError: the text is not one of them.
        """
        return self._cut(lambda place: parts[place] if place < len(parts) else None, len(parts))

    def turns(self, part: Constraint, minimum: int, maximum: int | None) -> list[Span]:
        """The same for one part that comes `minimum` to `maximum` (None: any number of) times."""
        return self._cut(lambda place: part if maximum is None or place < maximum else None, minimum)

    def beginning(
        self, start: Hashable, ways: Callable[[Any], Iterable[Way]], is_end: Callable[[Any], bool]
    ) -> list[Any]:
        """The values that there are for certain: those that all texts which begin with this one have in common.

        Args:
            start: what comes first.
            ways: how it goes on from there; one that reads nothing leads elsewhere.
            is_end: whether nothing need follow.
        Raises:
            MatchError: no text begins with this one.
        """
        size = len(self.data)
        places: dict[_Place, list[tuple[list[Any], _Place | None]]] = {(start, 0): []}
        todo = list(places)
        for here in todo:  # grows meanwhile
            node, begin = here
            steps = places[here]
            if begin == size and is_end(node):
                steps.append(([], None))
            for way in ways(node):
                ends, is_open = self._followed(way.part, begin)
                if is_open:
                    steps.append((list(way.values(self._text(begin, size), False)), None))
                for end in ends:
                    there = way.target, end
                    if there != here:
                        steps.append((list(way.values(self._text(begin, end), True)), there))
                        if there not in places:
                            places[there] = []
                            todo.append(there)
        known: dict[_Place, list[Any]] = {}
        order = sorted(reversed(todo), key=lambda place: -place[1])  # noqa: C414, of those at one place the last first
        is_stable = False
        while not is_stable:  # once, and once more to see it, unless parts are empty
            is_stable = True
            for here in order:
                found: list[Any] | None = None
                for values, there in places[here]:
                    if there is None or there in known:
                        following = values + (known[there] if there is not None else [])
                        found = following if found is None else listed_in_common(found, following)
                if found is not None and known.get(here) != found:
                    known[here] = found
                    is_stable = False
        if (start, 0) not in known:
            raise MatchError("no text of the constraint begins so")
        return known[start, 0]

    def _text(self, begin: int, end: int) -> str:
        return self.data[begin:end].decode(errors="surrogatepass")

    def _followed(self, part: Constraint, begin: int) -> tuple[list[int], bool]:
        """Possible ends of a text of `part` that begins at a place, and whether one may go on behind the whole text."""
        automaton = automaton_of(part)
        path = automaton.advance(automaton.start, self.data[begin:])
        found = (begin + 1 + np.flatnonzero(automaton.are_complete(path))).tolist()
        if automaton.is_complete(automaton.start):
            found = [begin, *found]
        if begin + len(path) < len(self.data):
            return found, False
        return found, bool(automaton.live_bytes(int(path[-1]) if len(path) else automaton.start).any())

    def _cut(self, part_of: Callable[[int], Constraint | None], minimum: int) -> list[Span]:
        begins, left = [0], list[list[int]]()
        hopeless = set[Span]()
        while begins:
            place, here = len(begins) - 1, begins[-1]
            if len(left) == place:
                if here == len(self.data) and place >= minimum:
                    return list(pairwise(begins))
                part = None if (place, here) in hopeless else part_of(place)
                ends = [] if part is None else self.ends(part, here)
                left.append(ends[ends[:1] == [here] and place >= minimum :])  # an empty turn more leads nowhere
            if left[-1]:
                begins.append(left[-1].pop())
            else:
                hopeless.add((place, here))
                left.pop()
                begins.pop()
        raise MatchError("the text does not belong to the constraint")


_AUTOMATA: Recent[Constraint, Automaton] = Recent(64, 32 * 2**20, lambda automaton: automaton.size)
"""Automata that read constraints."""


def automaton_of(constraint: Constraint) -> Automaton:
    """Automaton of the texts of a constraint, in which special tokens stand by their names.

    Raises:
        UnsupportedFeature: the constraint has tokens by their numbers.
    """
    return _AUTOMATA.get(constraint, lambda: _automaton(constraint))


def _automaton(constraint: Constraint) -> Automaton:
    network = constraint.network()
    if network.token_sets:
        raise UnsupportedFeature(
            "the value of a text",
            where=f"a constraint with {network.token_sets[0]}",
            hint="a text does not say of which tokens it is made",
        )
    network.as_text = frozenset(network.specials)
    return Automaton(network)
