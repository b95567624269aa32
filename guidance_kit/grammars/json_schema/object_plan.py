"""In which order the properties of an object may be written, and how many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from guidance_kit.grammars.json_schema.document import Node
from guidance_kit.grammars.json_schema.languages import is_spellable
from guidance_kit.grammars.json_schema.members import ordered_keys
from guidance_kit.grammars.json_schema.records import Objects
from guidance_kit.grammars.json_schema.satisfaction import Satisfaction

__all__ = ["ObjectPlan", "Place"]


class Place(NamedTuple):
    """How far the writing of an object has come.

    Args:
        index: how many of the ordered keys are behind us, written or skipped.
        missing: required keys without an order of their own that are still to come.
        least: number of different keys so far, as far as it matters for `minProperties`.
        most: number of properties so far, if there is a bound on it.
        has_other: whether a key that is not declared was written, if that matters for `least`.
    """

    index: int
    missing: frozenset[str]
    least: int
    most: int
    has_other: bool


class ObjectPlan:
    """The automaton over whole properties: declared keys in their order, each at most once, then the others.

    Different keys are counted for `minProperties`: the declared ones, and one for all others together, as they might
    be equal. This is exact if `minProperties` is at most one more than the number of required keys, or if there
    are no other keys; the survey has seen to that.

    Attributes:
        nodes: key -> node of its value, for the keys that can be written.
        others: (keys, node) for the other keys; see `Members`.
        taken: keys that are not among the others.
        ordered: the keys that come in an order of their own, in that order.
        is_required: for each of these whether it has to come.
    """

    def __init__(self, satisfaction: Satisfaction, objects: Objects) -> None:
        members = satisfaction.expansion.members.of(objects)
        holds = satisfaction.is_satisfiable
        required = set(objects.required)
        self.nodes = {key: node for key, node in members.properties.items() if holds(node)}
        self.others = tuple((keys, node) for keys, node in members.others if holds(node))
        self.taken = tuple(filter(is_spellable, members.properties))
        self._is_contradictory = any(key not in self.nodes for key in required)
        ordered, free = ordered_keys(members)
        self.ordered = [key for key in ordered if key in self.nodes]
        self.is_required = [key in required for key in self.ordered]
        self._left = [0] * (len(self.ordered) + 1)  # required ones from an index on
        for index in reversed(range(len(self.ordered))):
            self._left[index] = self._left[index + 1] + self.is_required[index]
        self._minimum = objects.minimum if objects.minimum > len(required) else 0
        self._maximum = objects.maximum
        if self._maximum is not None and not self.others and self._maximum >= len(self.nodes):
            self._maximum = None
        self.start = Place(0, frozenset(free), 0, 0, False)

    @property
    def is_straight(self) -> bool:
        """Whether each declared key can come at one place only."""
        return not self._minimum and self._maximum is None and not self.start.missing

    @property
    def is_possible(self) -> bool:
        """Whether there is any such object."""
        return not self._is_contradictory and self._can_finish(self.start)

    def is_last(self, index: int) -> bool:
        """Whether no ordered key has to come after the first `index` of them."""
        return not self._left[index]

    def may_end(self, place: Place) -> bool:
        """Whether the object may end here."""
        return not self._left[place.index] and not place.missing and place.least >= self._minimum

    def may_go_on(self, place: Place) -> bool:
        """Whether another property may come, so that the object can still be finished."""
        if not self._can_finish(place) or place.most == self._maximum:
            return False
        return place.index < len(self.ordered) or bool(place.missing) or bool(self.others)

    def choices(self, place: Place) -> Iterator[tuple[str | int, Node, Place]]:
        """What may come exactly here: (key, node of its value, place after it); for other keys the number of a kind."""
        index = place.index
        if index < len(self.ordered):
            found: list[tuple[str, Place]] = [(self.ordered[index], self._after(place, index=index + 1))]
        else:
            found = [(key, self._after(place, missing=place.missing - {key})) for key in sorted(place.missing)]
        for key, then in found:
            if self._can_finish(then):
                yield key, self.nodes[key], then
        if index == len(self.ordered) and self.others:
            then = self._after(place, is_other=True)
            if self._can_finish(then):
                for number, (_, node) in enumerate(self.others):
                    yield number, node, then

    def skip(self, place: Place) -> Place | None:
        """The place after leaving out the next ordered key, if a property may come there."""
        index = place.index
        if index == len(self.ordered) or self.is_required[index]:
            return None
        then = place._replace(index=index + 1)
        return then if self.may_go_on(then) else None

    def _after(
        self, place: Place, *, index: int = -1, missing: frozenset[str] | None = None, is_other: bool = False
    ) -> Place:
        is_new = not (is_other and place.has_other)
        return Place(
            place.index if index < 0 else index,
            place.missing if missing is None else missing,
            min(place.least + is_new, self._minimum),
            place.most + 1 if self._maximum is not None else 0,
            (is_other or place.has_other) and self._minimum > 0,
        )

    def _can_finish(self, place: Place) -> bool:
        needed = self._left[place.index] + len(place.missing)
        possible = len(self.ordered) - place.index + len(place.missing)
        possible += bool(self.others) and not place.has_other
        if self._maximum is not None:
            if needed > self._maximum - place.most:
                return False
            possible = min(possible, self._maximum - place.most)
        return place.least + possible >= self._minimum
