"""Automaton over the items of an array with `uniqueItems`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.facts.values import MAX_VALUES, Value, thawed
from guidance_kit.grammars.json_schema.normal_forms.records import Arrays, Numbers, Strings, join_nodes

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
    from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape

__all__ = ["DistinctPlan"]

MAX_ARRAYS = 3
"""Greatest number of listed arrays that an item must differ from: two arrays can differ at several positions."""

MAX_SETS = 20_000
"""Greatest number of sets of items in a search for the shortest array; budgets are refused above it."""

_MOST_COMPARED = 32
"""Greatest length of arrays whose items are compared pairwise to prove them different."""


class DistinctPlan:
    """Automaton over whole items of an array with `uniqueItems`; a state is the set of the listed items so far.

    The next item is one of the values that are *listed*, since some item has no others, or any *other* one. It may come
    if it is not among those so far, and enough values are left for the items that have to follow. Others, which have
    more than MAX_VALUES values, are compared with the text while it is written: see `written_items.ItemTracker`.

    Args:
        facts: of the document.
        arrays: the kind of arrays, with no `contains`.
    Raises:
        UnsupportedFeature: it cannot be told how many values the items have, or those listed are too many.
    """

    def __init__(self, facts: SchemaFacts, arrays: Arrays) -> None:
        self._facts = facts
        self._arrays = arrays
        self._least, self._most = facts.length(arrays)
        self._constants: dict[tuple[Node, Value], Node] = {}
        self._listed_in: dict[Node, frozenset[Value]] = {}

    @cached_property
    def is_plain(self) -> bool:
        """True if `uniqueItems` is implied, as no two items can be equal."""
        most = self._most
        if most is None or most > _MOST_COMPARED:
            return False
        items = [self._arrays.item(index) for index in range(most)]
        holds = self._facts.is_satisfiable
        return not any(holds(join_nodes(a, b)) for index, a in enumerate(items) for b in items[:index])

    @cached_property
    def has_others(self) -> bool:
        """True if some item may have values besides the listed ones.

        Raises:
            UnsupportedFeature: so many items have to be written that none could be completed.
        """
        has_others = any(self._domain(index) is None for index in range(self._places))
        if has_others and self._least + len(self._listed) >= MAX_VALUES:
            raise UnsupportedFeature(f"uniqueItems with at least {self._least} items", where="")
        if has_others and self._listed:
            for index in range(self._places):
                if self._domain(index) is None and _has_many_arrays(self._listed_of_types(self._arrays.item(index))):
                    raise UnsupportedFeature("uniqueItems where items are different arrays", where="")
        return has_others

    @cached_property
    def lists_none(self) -> bool:
        """True if no value is listed: the items are compared with the text alone."""
        return self.has_others and not self._listed

    @cached_property
    def selected(self) -> list[str] | None:
        """Sorted strings, where the items are any of them in any order; else None."""
        values = None if self._arrays.prefix or self._least > 1 else self._domain(0)
        if values is None or not all(kind == "string" for kind, _ in values):
            return None
        return sorted(text for _, text in values) if self._most is None or self._most >= len(values) else None

    @cached_property
    def has_few(self) -> bool:
        """True if some item that is not listed has few strings, arrays or objects."""
        domains, item = self._facts.domains, self._arrays.item
        return any(
            self._domain(index) is None and domains.has_few_of_a_type(item(index)) for index in range(self._places)
        )

    @cached_property
    def has_many_sets(self) -> bool:
        """True if an array that is too short to end may have more than MAX_SETS sets of listed values."""
        values, sets, total = len(self._listed), 1, 0
        for count in range(min(self._least, values)):
            total += sets
            if total > MAX_SETS:
                return True
            sets = sets * (values - count) // (count + 1)
        return False

    def next_count(self, count: int) -> int:
        """Number of items after one more, as far as it matters."""
        last = max(self._least, len(self._arrays.prefix)) if self._most is None else self._most
        return min(count + 1, last)

    def may_end(self, count: int) -> bool:
        """Test whether the array may end after `count` items."""
        return count >= self._least

    def listed(self, seen: frozenset[Value], count: int) -> list[tuple[Value, Node]]:
        """Listed values that may follow `count` items, each with its node.

        Args:
            seen: the items so far, but for others that do not matter.
        """
        if self._most is not None and count >= self._most:
            return []
        node, domain = self._arrays.item(count), self._domain(count)
        values = self._listed_of(node) if domain is None else domain
        left = sorted(values - seen, key=repr)
        return [(v, self._constant(node, v)) for v in left if self.completes(seen | {v}, count + 1)]

    def other(self, seen: frozenset[Value], count: int) -> Node | None:
        """Node of the unlisted values that may follow the `count` items in `seen`; None if there are none."""
        if not self.has_other(seen, count):
            return None
        node = self._arrays.item(count)
        excluded = self._listed_of_types(node)
        if not excluded:
            return node
        document = self._facts.document
        values = [thawed(value) for value in sorted(excluded, key=repr)]
        return join_nodes(node, document.negation((document.beside(document.root, {"enum": values}),)))

    def _listed_of_types(self, node: Node) -> list[Value]:
        """Listed values of the types that a node allows."""
        shape = self._facts.shape(node)
        of_kind = {
            "null": shape.nulls,
            "boolean": shape.booleans,
            "number": shape.numbers,
            "string": shape.strings,
            "array": shape.arrays,
            "object": shape.objects,
        }
        return [value for value in self._listed if of_kind[value[0]]]

    def has_other(self, seen: frozenset[Value], count: int) -> bool:
        """Test whether an unlisted value may follow `count` items."""
        is_full = self._most is not None and count >= self._most
        return not is_full and self._domain(count) is None and self.completes(seen, count + 1)

    def completes(self, seen: frozenset[Value], count: int) -> bool:
        """Test whether the required items after `count` ones can be pairwise different, by bipartite matching with
        their values.

        Where all of them have the same values, these are counted.

        Source: Kuhn 1955.
        """
        if count >= self._least:
            return True
        first = len(self._arrays.prefix)
        tail = self._domain(first)
        if count >= first:
            return tail is None or len(tail) - len(tail & seen) >= self._least - count
        taken: dict[Value, tuple[int, frozenset[Value]]] = {}
        end = self._least if self._least <= first or tail is not None else first
        listed = ((index, values) for index in range(count, end) if (values := self._domain(index)) is not None)
        return all(_finds_value(index, values - seen, taken, set()) for index, values in listed)

    @cached_property
    def has_containers(self) -> bool:
        """True if some item that is not listed may be an array or object."""
        return any(shape.arrays or shape.objects for shape in self._other_shapes())

    @cached_property
    def has_short_strings(self) -> bool:
        """True if some item that is not listed may be a string with conditions, which may bound its length."""
        return any(strings != Strings() for shape in self._other_shapes() for strings in shape.strings)

    @cached_property
    def has_short_numbers(self) -> bool:
        """True if some item that is not listed may be a number with conditions, which may bound its length."""
        if self._facts.digits is not None or self._facts.max_digits is not None:
            return True
        free = Numbers(), Numbers(is_integer=True)
        return any(numbers not in free for shape in self._other_shapes() for numbers in shape.numbers)

    def _other_shapes(self) -> Iterator[Shape]:
        """Shapes of the items that are not listed."""
        for index in range(self._places):
            if self._domain(index) is None:
                yield self._facts.shape(self._arrays.item(index))

    @property
    def _places(self) -> int:
        """Number of first positions that have all different item nodes among them."""
        count = len(self._arrays.prefix) + 1
        return count if self._most is None else min(count, self._most)

    @cached_property
    def _listed(self) -> frozenset[Value]:
        """Values of all items that have at most MAX_VALUES."""
        found: set[Value] = set()
        for index in range(self._places):
            found |= self._domain(index) or frozenset()
        if len(found) > MAX_VALUES // 2:
            raise UnsupportedFeature("uniqueItems where items have so many values", where="")
        return frozenset(found)

    def _listed_of(self, node: Node) -> frozenset[Value]:
        """Listed values that satisfy a node."""
        found = self._listed_in.get(node)
        if found is None:
            holds = self._facts.is_satisfiable
            found = frozenset(value for value in self._listed if holds(self._constant(node, value)))
            self._listed_in[node] = found
        return found

    @cached_property
    def _lists(self) -> bool:
        """True if values are listed; arrays that may end after one item can do without."""
        if self._least > 1:
            return True
        found: set[Value] = set()
        try:
            for index in range(self._places):
                found |= self._facts.domains.of(self._arrays.item(index)) or frozenset()
        except UnsupportedFeature:
            return False
        return len(found) <= MAX_VALUES // 2

    def _domain(self, index: int) -> frozenset[Value] | None:
        """All values of an item, if they are to be listed; else None."""
        return self._facts.domains.of(self._arrays.item(index)) if self._lists else None

    def _constant(self, node: Node, value: Value) -> Node:
        """Node of one value of `node`, in the spellings that `node` allows."""
        found = self._constants.get((node, value))
        if found is None:
            document = self._facts.document
            only = document.beside(document.root, {"enum": [thawed(value)]})
            found = self._constants[node, value] = join_nodes(node, (only,))
        return found


def _finds_value(
    index: int, values: frozenset[Value], taken: dict[Value, tuple[int, frozenset[Value]]], tried: set[Value]
) -> bool:
    """Match an item with one of its values along an augmenting path."""
    for value in values:
        if value in tried:
            continue
        tried.add(value)
        if value not in taken or _finds_value(*taken[value], taken, tried):
            taken[value] = index, values
            return True
    return False


def _has_many_arrays(values: list[Value]) -> bool:
    return sum(kind == "array" for kind, _ in values) > MAX_ARRAYS
