"""Which items may follow which in an array without equal ones."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.document import Node
from guidance_kit.grammars.json_schema.records import Arrays, join_nodes
from guidance_kit.grammars.json_schema.values import Value, thawed

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.satisfaction import Satisfaction

__all__ = ["DistinctPlan"]

_MOST_COMPARED = 32
"""Items of an array of which any two are compared, to see whether they can be equal."""


class DistinctPlan:
    """The automaton over whole items of an array with `uniqueItems`: the state is the set of the items so far.

    An item may come if it is not among them, and enough values are left for the items that have to follow.

    Args:
        satisfaction: of the document.
        arrays: the kind of arrays, with no `contains`.
    Raises:
        UnsupportedFeature: it cannot be told how many values the items have, or they are too many.
    """

    def __init__(self, satisfaction: Satisfaction, arrays: Arrays) -> None:
        self._satisfaction = satisfaction
        self._arrays = arrays
        self._least, self._most = satisfaction.length(arrays)
        self._constants: dict[tuple[Node, Value], Node] = {}

    @cached_property
    def is_plain(self) -> bool:
        """Whether no two items can be equal anyway."""
        most = self._most
        if most is None or most > _MOST_COMPARED:
            return False
        items = [self._arrays.item(index) for index in range(most)]
        holds = self._satisfaction.is_satisfiable
        return not any(holds(join_nodes(a, b)) for index, a in enumerate(items) for b in items[:index])

    def check(self) -> None:
        """Look at the values of all items, before any text is written.

        Raises:
            UnsupportedFeature: see above.
        """
        count = len(self._arrays.prefix) + 1
        for index in range(count if self._most is None else min(count, self._most)):
            self._values(index)

    def may_end(self, seen: frozenset[Value]) -> bool:
        """Whether the array may end after these items."""
        return len(seen) >= self._least

    def following(self, seen: frozenset[Value]) -> list[tuple[Value, Node]]:
        """The values that the next item may have, each with its node."""
        index = len(seen)
        if self._most is not None and index >= self._most:
            return []
        node = self._arrays.item(index)
        values = sorted(self._values(index) - seen, key=repr)
        return [(value, self._constant(node, value)) for value in values if self.completes(seen | {value})]

    def completes(self, seen: frozenset[Value]) -> bool:
        """Whether the items that have to follow can all be different: a matching of places and values (Kuhn 1955)."""
        taken: dict[Value, int] = {}

        def places(index: int, tried: set[Value]) -> bool:
            for value in self._values(index) - seen:
                if value not in tried:
                    tried.add(value)
                    if value not in taken or places(taken[value], tried):
                        taken[value] = index
                        return True
            return False

        return all(places(index, set()) for index in range(len(seen), self._least))

    def _values(self, index: int) -> frozenset[Value]:
        node = self._arrays.item(index)
        values = self._satisfaction.domains.of(node)
        if values is None:
            raise UnsupportedFeature("uniqueItems where items have many values", where="")
        return values

    def _constant(self, node: Node, value: Value) -> Node:
        """The node of one value of `node`, with the spellings that it has there."""
        found = self._constants.get((node, value))
        if found is None:
            document = self._satisfaction.expansion.document
            only = document.beside(document.root, {"enum": [thawed(value)]})
            found = self._constants[node, value] = join_nodes(node, (only,))
        return found
