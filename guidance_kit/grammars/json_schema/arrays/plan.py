"""Automaton over the items of an array with `contains`: numbers of items, and of matching items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import product
from math import prod
from typing import NamedTuple

from guidance_kit.errors import LimitError
from guidance_kit.grammars.json_schema.documents.document import Node, SchemaDocument
from guidance_kit.grammars.json_schema.normal_forms.records import Arrays, Contains, join_nodes

__all__ = ["ArrayPlace", "ArrayPlan", "ArrayStep"]

MAX_ARRAY_PLACES = 5_000
"""Greatest number of states of an array: item counts times counts of matching items."""


class ArrayPlace(NamedTuple):
    """State of an array after some items.

    Args:
        count: number of items, as far as it matters.
        counted: for each `Contains` how many of its items there were for certain, or at most if it has a maximum.
    """

    count: int
    counted: tuple[int, ...]


class ArrayStep(NamedTuple):
    """Transition by one item: the node that it must satisfy, and the state after it."""

    node: Node
    then: ArrayPlace


class ArrayPlan:
    """Automaton over whole items of an array with `contains`.

    An item is taken for one that counts only if it must satisfy what is asked of these, and for one that does not count
    only if it must not satisfy that; the latter is not needed if nothing limits their number. A step may lead where no
    array can be completed any more; see `PlanState`.

    Args:
        document: gives negations.
        arrays: the kind of arrays.
    Raises:
        LimitError: too many numbers would have to be told apart.
    """

    def __init__(self, document: SchemaDocument, arrays: Arrays) -> None:
        self.arrays = arrays
        self._document = document
        starts = (counted.start for counted in arrays.contains)
        self._far = max(len(arrays.prefix), arrays.minimum, arrays.maximum or 0, *starts)
        sizes = ((counted.minimum if counted.maximum is None else counted.maximum) + 1 for counted in arrays.contains)
        if (self._far + 1) * prod(sizes) > MAX_ARRAY_PLACES:
            raise LimitError("max_array_places", MAX_ARRAY_PLACES, where="contains")
        self.start = ArrayPlace(0, (0,) * len(arrays.contains))

    def nodes(self) -> Iterator[Node]:
        """Nodes of the items on all transitions that can be reached.

        The counts do not depend on each other, so all combinations of those reached by as many items are reached.
        """
        index, counts = 0, [{0} for _ in self.arrays.contains]
        while index != self.arrays.maximum:
            ways = [
                [way for n in sorted(reached) for way in self._ways(n, one, index)]
                for reached, one in zip(counts, self.arrays.contains, strict=True)
            ]
            for asked in product(*(dict.fromkeys(node for node, _ in found) for found in ways)):
                yield self._item(index, asked)
            following = min(index + 1, self._far)
            later = [{n for _, n in found} for found in ways]
            if following == index:  # all further items
                later = [reached | new for reached, new in zip(counts, later, strict=True)]
                if later == counts:
                    return
            index, counts = following, later

    def may_end(self, place: ArrayPlace) -> bool:
        """Test whether the array may end in a state."""
        enough = (n >= counted.minimum for n, counted in zip(place.counted, self.arrays.contains, strict=True))
        return place.count >= self.arrays.minimum and all(enough)

    def steps(self, place: ArrayPlace) -> Iterator[ArrayStep]:
        """Transitions from a state."""
        arrays = self.arrays
        if place.count == arrays.maximum:
            return
        following = min(place.count + 1, self._far)
        ways = (self._ways(n, one, place.count) for n, one in zip(place.counted, arrays.contains, strict=True))
        for way in product(*ways):
            node = self._item(place.count, (asked for asked, _ in way))
            yield ArrayStep(node, ArrayPlace(following, tuple(n for _, n in way)))

    def _item(self, index: int, asked: Iterable[Node]) -> Node:
        return reduce(join_nodes, asked, self.arrays.item(index))

    def _ways(self, n: int, counted: Contains, index: int) -> list[tuple[Node, int]]:
        """Choices for the next item under one `Contains`: its node, and the count after it."""
        if index < counted.start:
            return [((), n)]
        if counted.maximum is None:
            return [((), n), (counted.node, n + 1)] if n < counted.minimum else [((), n)]
        without = self._document.negation(counted.node), n
        if n == counted.maximum:
            return [without]
        return [without, (counted.node if counted.minimum else (), n + 1)]
