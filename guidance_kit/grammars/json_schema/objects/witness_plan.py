"""Automaton over the properties of an object with existential conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.normal_forms.records import Objects, Strings, Witness, join_nodes
from guidance_kit.grammars.json_schema.objects.members import ordered_keys
from guidance_kit.grammars.json_schema.strings.languages import allows, none_of, string_expression
from guidance_kit.grammars.regular.charset import is_spellable
from guidance_kit.grammars.regular.expression import Expression, alternate

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

__all__ = ["Step", "WitnessPlace", "WitnessPlan"]


class WitnessPlace(NamedTuple):
    """State of an object after some properties; the first three fields as in `KeyState`.

    Args:
        met: bit i if the object is sure of the i-th witness.
    """

    left: int
    least: int
    most: int
    met: int


class Step(NamedTuple):
    """Transition by one property, or by the omission of one.

    Args:
        key: a declared key, the number of a kind of other keys, or None if the next key is left out.
        node: what its value must satisfy.
        then: the place after it.
    """

    key: str | int | None
    node: Node
    then: WitnessPlace


class WitnessPlan:
    """Automaton over whole properties, as `ObjectPlan`, of an object with witnesses.

    At most one witness may look at the values of each kind of other keys; more are refused. A step may lead where no
    object can be completed any more; see `PlanState`.

    Attributes:
        keys: the ordered keys in their order, then the free ones.
        others: (keys, node) for the other keys, split so that all keys of a kind are alike for each witness.
        has_nearly_all: whether all keys but finitely many are among the others.
        taken: keys that are not among the others.

    Raises:
        UnsupportedFeature: several witnesses look at the values of undeclared properties.
    """

    def __init__(self, facts: SchemaFacts, objects: Objects) -> None:
        members = facts.members.of(objects)
        facts.spend(len(members.properties) * len(objects.witnesses))
        nothing = facts.document.nothing
        self._facts = facts
        self._nodes = members.properties
        self.has_nearly_all = members.has_nearly_all
        self.taken = tuple(filter(is_spellable, members.properties))
        required = frozenset(objects.required)
        ordered, free = ordered_keys(members, facts.order)
        ordered = [key for key in ordered if nothing not in members.properties[key]]
        self.keys = [*ordered, *(key for key in free if nothing not in members.properties[key])]
        self._in_order = (1 << len(ordered)) - 1
        self._required = sum((key in required) << number for number, key in enumerate(self.keys))
        self._minimum = objects.minimum if objects.minimum > len(required) else 0
        self._maximum = objects.maximum
        self._is_contradictory = any(nothing in members.properties[key] for key in required)
        self._asked, certain = self._ask(objects)
        self._asked_bits = list(map(_mask, self._asked))
        witnesses = objects.witnesses
        self._spared = [_mask(n for n, witness in enumerate(witnesses) if key in witness.absent) for key in self.keys]
        kinds, self._kinds = self._split(members.others, objects)
        self.others = tuple(kinds)
        self._all = (1 << len(witnesses)) - 1
        self._check_values()
        self._asked_of_others = reduce(or_, map(_mask, self._kinds), 0)
        # witnesses that each key can meet, or its absence
        self._helped = list(map(or_, self._asked_bits, self._spared))
        self._lost, self._due = self._last_chances()
        self._optional = self._optional_keys()
        self._essential: dict[WitnessPlace, WitnessPlace] = {}
        self._known_services: dict[tuple[int, int, bool], list[tuple[Node, int]]] = {}
        without = _mask(n for n, witness in enumerate(witnesses) if not set(witness.absent).issubset(self.keys))
        self.start = WitnessPlace((1 << len(self.keys)) - 1, 0, 0, without | certain)

    @property
    def may_need_others(self) -> bool:
        """True if a new, undeclared key may be required after another one."""
        return any(map(bool, self._kinds)) or (self._minimum > 0 and bool(self.others))

    def nodes(self) -> Iterator[Node]:
        """Nodes of the values on all transitions.

        Raises:
            LimitError: there is too much of that for one property.
        """
        for number in range(len(self.keys)):
            is_in_order = bool(self._in_order >> number & 1)
            for node, _ in self._services(number, self.start.met, is_in_order=is_in_order):
                yield node
        for (_, node), asked in zip(self.others, self._kinds, strict=True):
            yield node
            for wanted in asked.values():
                yield join_nodes(node, wanted)

    def may_end(self, place: WitnessPlace) -> bool:
        """Test whether the object may end in a state."""
        if place.left & self._required or place.least < self._minimum or self._is_contradictory:
            return False
        met = place.met
        for number in _bits(place.left):
            met |= self._spared[number]
        return met == self._all

    def essential(self, place: WitnessPlace) -> WitnessPlace:
        """State without the keys that need not come: there is a completion from it if there is one from `place`.

        It leaves out each key whose absence meets all witnesses that its value could meet.
        """
        if place.least < self._minimum:
            return place
        known = self._essential.get(place)
        if known is None:
            left, met, before = place.left, place.met, -1
            while left != before:
                before = left
                for keys, only_present, absent in self._optional:
                    if left & keys and not only_present & ~met:
                        left &= ~keys
                        met |= absent
            known = self._essential[place] = WitnessPlace(left, place.least, place.most, met)
        return known

    def _optional_keys(self) -> list[tuple[int, int, int]]:
        """Bits of the keys that need not come and are alike; the witnesses that only their values may meet; and those
        that their absence meets."""
        found: dict[tuple[int, int], int] = {}
        for key, (asked, spared) in enumerate(zip(self._asked_bits, self._spared, strict=True)):
            if self._is_optional(key):
                alike = asked & ~spared, spared
                found[alike] = found.get(alike, 0) | 1 << key
        return [(keys, *alike) for alike, keys in found.items()]

    def steps(self, place: WitnessPlace) -> Iterator[Step]:
        """Transitions from a state, with the free keys in a fixed order too.

        An object that can be completed at all can be completed in this manner, which has fewer places.
        """
        if place.most == self._maximum:
            return
        if not place.left:
            yield from self._of_others(place)
            return
        number = next(_bits(place.left))
        then = WitnessPlace(place.left ^ 1 << number, place.least, place.most, place.met)
        yield from self._of_key(number, then, self._lost[number], is_in_order=True)
        without = self._without_next(place)
        if without is not None:
            yield Step(None, (), without)

    def left_out(self, place: WitnessPlace) -> WitnessPlace | None:
        """State after the omission of the next ordered key; None if there is none, or an object needs it."""
        return self._without_next(place) if place.left & self._in_order and place.most != self._maximum else None

    def _without_next(self, place: WitnessPlace) -> WitnessPlace | None:
        number = next(_bits(place.left))
        met = place.met | self._spared[number]
        if self._required >> number & 1 or self._lost[number] & ~met:
            return None
        return WitnessPlace(place.left ^ 1 << number, place.least, place.most, met)

    def choices(self, place: WitnessPlace) -> Iterator[Step]:
        """Transitions from a state."""
        if place.left & self._in_order:
            yield from self.steps(place)
        elif place.most != self._maximum:
            once = self._asked_of_others  # witnesses that some key can still meet, and those that several can
            several = once
            for number in _bits(place.left):
                several |= once & self._helped[number]
                once |= self._helped[number]
            for number in _bits(place.left):
                then = WitnessPlace(place.left ^ 1 << number, place.least, place.most, place.met)
                lost = self._all & ~(several | once & ~self._helped[number])
                yield from self._of_key(number, then, lost, is_in_order=False)
            yield from self._of_others(place)

    def _of_others(self, place: WitnessPlace) -> Iterator[Step]:
        after = self._counted(place)
        for kind, (_, node) in enumerate(self.others):
            asked = self._kinds[kind]
            met = after.met | _mask(number for number, wanted in asked.items() if not wanted)
            yield Step(kind, node, after._replace(met=met))
            for number, wanted in asked.items():
                if wanted and not met >> number & 1:
                    yield Step(kind, join_nodes(node, wanted), after._replace(met=met | 1 << number))

    def _of_key(self, key: int, then: WitnessPlace, lost: int, *, is_in_order: bool) -> Iterator[Step]:
        """Transitions by a key, without those that miss a witness of which it was the last chance: one of `lost`."""
        then = self._counted(then)
        for node, served in self._services(key, then.met, is_in_order=is_in_order):
            met = then.met | served
            if not lost & ~met:
                yield Step(self.keys[key], node, WitnessPlace(then.left, then.least, then.most, met))

    def _services(self, key: int, met: int, *, is_in_order: bool) -> list[tuple[Node, int]]:
        """Nodes for the value of a key, each with the witnesses that it satisfies."""
        question = key, met & self._asked_bits[key], is_in_order
        found = self._known_services.get(question)
        if found is None:
            found = self._known_services[question] = self._find_services(key, met, is_in_order=is_in_order)
        return found

    def _find_services(self, key: int, met: int, *, is_in_order: bool) -> list[tuple[Node, int]]:
        services, name, node = self._facts.services, self.keys[key], self._nodes[self.keys[key]]
        asking: dict[Node, int] = {}  # distinct conditions of unmet witnesses, each with its witnesses
        for number, wanted in self._asked[key].items():
            if not met >> number & 1:
                wanted = services.alike(wanted)
                asking[wanted] = asking.get(wanted, 0) | 1 << number
        if not asking:
            return [(node, 0)]
        due = self._due[key] if is_in_order else 0
        conditions = tuple((wanted, bool(numbers & due)) for wanted, numbers in asking.items())
        served = list(asking.values())
        return [
            (value, sum(served[place] for place in places)) for value, places in services.of(node, conditions, name)
        ]

    def _last_chances(self) -> tuple[list[int], list[int]]:
        """Witnesses that no key behind each one can satisfy, in the fixed order; those of them that it can itself."""
        after = self._asked_of_others
        lost, due = [0] * len(self.keys), [0] * len(self.keys)
        for key in reversed(range(len(self.keys))):
            lost[key], due[key] = self._all & ~after, self._helped[key] & ~after
            after |= self._helped[key]
        return lost, due

    def _ask(self, objects: Objects) -> tuple[list[dict[int, Node]], int]:
        """Witnesses that each key may satisfy -> their condition on its value; those that every object satisfies.

        The latter, which every value of some required property satisfies, are not asked of further keys.
        """
        is_nothing, negation = self._facts.expansion.is_surely_nothing, self._facts.document.negation
        found: list[dict[int, Node]] = [{} for _ in self.keys]
        certain = 0
        in_turn = {self.keys[number]: number for number in sorted(range(len(self.keys)), key=self._is_optional)}
        for number, witness in enumerate(objects.witnesses):
            named = {name for name, _ in witness.present}
            for name, key in in_turn.items():
                wanted = self._wanted(witness, name) if witness.others or name in named else None
                node = self._nodes[name]
                if wanted is None or is_nothing(join_nodes(node, wanted)):
                    continue
                found[key][number] = wanted
                if not self._is_optional(key) and is_nothing(join_nodes(node, negation(wanted))):
                    certain |= 1 << number
                    break
        return found, certain

    def _is_optional(self, key: int) -> bool:
        return not self._required >> key & 1

    def _wanted(self, witness: Witness, key: str) -> Node | None:
        """Condition of a witness on the value of a key; None if it has none."""
        asked = [node for name, node in witness.present if name == key]
        asked += [node for keys, node in witness.others if any(allows(strings, key) for strings in keys)]
        return self._facts.document.choice(tuple(asked)) if asked else None

    def _split(
        self, others: tuple[tuple[Expression | None, Node], ...], objects: Objects
    ) -> tuple[list[tuple[Expression | None, Node]], list[dict[int, Node]]]:
        """Kinds of other keys, split by the witnesses, and for each its conditions on the value."""
        kinds: list[tuple[Expression | None, Node, dict[int, Node]]] = [(keys, node, {}) for keys, node in others]
        for number, witness in enumerate(objects.witnesses):
            for wanted, node in witness.others:
                kinds = [part for kind in kinds for part in self._parts(kind, number, wanted, node)]
        return [(keys, node) for keys, node, _ in kinds], [asked for _, _, asked in kinds]

    def _parts(
        self,
        kind: tuple[Expression | None, Node, dict[int, Node]],
        number: int,
        wanted: tuple[Strings, ...],
        node: Node,
    ) -> Iterator[tuple[Expression | None, Node, dict[int, Node]]]:
        keys, value, asked = kind
        joined = self._facts.document.choice((asked[number], node)) if number in asked else node
        if keys is None and any(map(self._is_rest, wanted)):
            yield keys, value, {**asked, number: joined}
            return
        whole = none_of(self.taken) if keys is None else keys
        inside, outside = self._facts.members.parts(whole, alternate(map(string_expression, wanted)))
        if inside is not None:
            yield keys if outside is None else inside, value, {**asked, number: joined}
        if outside is not None:
            yield outside, value, asked

    def _is_rest(self, strings: Strings) -> bool:
        """Test whether a language is that of all keys except taken ones; cheaper than a comparison of languages."""
        return strings == Strings(excluded=strings.excluded) and set(self.taken).issuperset(strings.excluded)

    def _counted(self, place: WitnessPlace) -> WitnessPlace:
        if not self._minimum and self._maximum is None:
            return place
        most = place.most + 1 if self._maximum is not None else 0
        return place._replace(least=min(place.least + 1, self._minimum), most=most)

    def _check_values(self) -> None:
        for asked in self._kinds:
            if sum(map(bool, asked.values())) > 1:
                raise UnsupportedFeature(
                    "several conditions that some undeclared property must have some value",
                    where="an object",
                    hint="declare the properties, or set additionalProperties to false",
                )


def _bits(left: int) -> Iterator[int]:
    """Positions of the set bits, ascending."""
    while left:
        first = left & -left
        yield first.bit_length() - 1
        left ^= first


def _mask(numbers: Iterable[int]) -> int:
    """Bits at distinct positions."""
    return sum(1 << number for number in numbers)
