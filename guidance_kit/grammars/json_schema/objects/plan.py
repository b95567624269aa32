"""Automaton over the properties of an object: their order and number."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import islice
from typing import NamedTuple

from guidance_kit.fsm.key_set import MOST_KEYS
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.normal_forms.records import Objects
from guidance_kit.grammars.json_schema.objects.members import ordered_keys
from guidance_kit.grammars.regular.charset import is_spellable

__all__ = ["LENGTHS", "KeyState", "ObjectPlan"]


_MOST_COMPARED = 32
"""Keys whose values are compared in length."""

LENGTHS = {"object": (1, 0), "array": (1, 0)} | dict.fromkeys(("string", "number", "integer"), (0, 1))
"""Kinds of values to write for plain types, as their shapes have them; none for the others."""


class KeyState(NamedTuple):
    """State of an object after some properties.

    Args:
        left: bit i if the i-th key may still come: it was neither written nor left out.
        least: number of properties so far, as far as it matters for `minProperties`.
        most: number of properties so far, if there is a bound on it.
    """

    left: int
    least: int
    most: int


class ObjectPlan:
    """Automaton over whole properties: ordered keys in their order, then free and undeclared ones in any order.

    Each key comes at most once: those that are declared, required or listed by what is left of them, the others since a
    text says which of them it has (see `written_keys`). Of these there are always more, as `dry_run` has seen to.

    Attributes:
        nodes: key -> node of its value, for the keys that can be written.
        others: (keys, node) for the other keys; see `Members`.
        has_nearly_all: whether all keys but finitely many are among them.
        taken: keys that are not among the others.
        keys: the keys that can be written: the ordered ones in their order, then the free ones.
    """

    def __init__(self, facts: SchemaFacts, objects: Objects) -> None:
        members = facts.members.of(objects)
        holds = facts.is_satisfiable
        required = set(objects.required)
        self.nodes = {key: node for key, node in members.properties.items() if holds(node)}
        self.others = tuple((keys, node) for keys, node in members.others if holds(node))
        self.has_nearly_all = members.has_nearly_all and len(self.others) == len(members.others)
        self.taken = tuple(filter(is_spellable, members.properties))
        self._is_contradictory = any(key not in self.nodes for key in required)
        ordered, free = ordered_keys(members, facts.order)
        self.keys = [key for key in (*ordered, *free) if key in self.nodes]
        self._in_order = (1 << sum(key in self.nodes for key in ordered)) - 1
        self._required = sum((key in required) << number for number, key in enumerate(self.keys))
        self._minimum = objects.minimum if objects.minimum > len(required) else 0
        self._maximum = objects.maximum
        if self._maximum is not None and not self.others and self._maximum >= len(self.nodes):
            self._maximum = None
        self.start = KeyState((1 << len(self.keys)) - 1, 0, 0)

    @property
    def is_straight(self) -> bool:
        """True if each key has one position: all keys are ordered and their number is unbounded."""
        return not self._minimum and self._maximum is None and self.start.left == self._in_order

    @property
    def is_free(self) -> bool:
        """True if no key is ordered, there are several, and the number of properties is unbounded."""
        is_bounded = self._minimum or self._maximum is not None
        return not is_bounded and not self._in_order and 1 < len(self.keys) <= MOST_KEYS

    @property
    def required(self) -> int:
        """Bits of the required keys."""
        return self._required

    def shortest(self) -> ObjectPlan:
        """Plan of the required keys alone, in one order."""
        plan = copy(self)
        plan.keys = [key for number, key in enumerate(self.keys) if self.is_required(number)]
        plan._required = plan._in_order = (1 << len(plan.keys)) - 1
        plan.others = ()
        plan.start = KeyState(plan._in_order, 0, 0)
        return plan

    def longest(self, facts: SchemaFacts) -> Node | None:
        """Node among the first keys whose values take most to write, about: one with arrays and objects.

        Returns:
            None if there are no keys.
        """

        def length(node: Node) -> tuple[int, int]:
            kind = facts.plain_type(node)
            if kind:
                return LENGTHS.get(kind, (0, 0))
            shape = facts.shape(node)
            conditions = sum(bool(strings.conditions) for strings in shape.strings)
            return len(shape.objects) + len(shape.arrays), len(shape.numbers) + len(shape.strings) + conditions

        return max(dict.fromkeys(islice(self.nodes.values(), _MOST_COMPARED)), key=length, default=None)

    @property
    def is_possible(self) -> bool:
        """True if the record is satisfiable."""
        return not self._is_contradictory and self._can_finish(self.start)

    def is_required(self, number: int) -> bool:
        """Test whether a key is required, by its number."""
        return bool(self._required >> number & 1)

    def is_last(self, number: int) -> bool:
        """Test whether all keys from `number` on are optional."""
        return not self._required >> number

    def may_end(self, place: KeyState) -> bool:
        """Test whether the object may end in a state."""
        return not self._required & place.left and place.least >= self._minimum

    def may_go_on(self, place: KeyState) -> bool:
        """Test whether another property may follow in an object that can still be completed."""
        if not self._can_finish(place) or place.most == self._maximum:
            return False
        return bool(place.left) or bool(self.others)

    def choices(self, place: KeyState) -> Iterator[tuple[str | int, Node, KeyState]]:
        """Transitions from a state: (key, node of its value, next state); for other keys the number of their kind."""
        left = place.left
        is_in_order = bool(left & self._in_order)
        while left:
            first = left & -left
            then = self._counted(place._replace(left=place.left ^ first))
            if self._can_finish(then):
                key = self.keys[first.bit_length() - 1]
                yield key, self.nodes[key], then
            left = 0 if is_in_order else left ^ first
        if self.others and not is_in_order:
            then = self._counted(place)
            if self._can_finish(then):
                for number, (_, node) in enumerate(self.others):
                    yield number, node, then

    def skip(self, place: KeyState) -> KeyState | None:
        """State after skipping the next ordered key, if a property may follow; else None."""
        first = place.left & -place.left
        if not first & self._in_order or first & self._required:
            return None
        then = place._replace(left=place.left ^ first)
        return then if self.may_go_on(then) else None

    def _counted(self, place: KeyState) -> KeyState:
        most = place.most + 1 if self._maximum is not None else 0
        return KeyState(place.left, min(place.least + 1, self._minimum), most)

    def _can_finish(self, place: KeyState) -> bool:
        possible = self._minimum if self.others else place.left.bit_count()
        if self._maximum is not None:
            if (place.left & self._required).bit_count() > self._maximum - place.most:
                return False
            possible = min(possible, self._maximum - place.most)
        return place.least + possible >= self._minimum
