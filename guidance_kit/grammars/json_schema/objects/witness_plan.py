"""Automaton over the properties of an object with existential conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.normal_forms.records import Objects, Strings, Witness, join_nodes
from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape
from guidance_kit.grammars.json_schema.objects.members import ordered_keys
from guidance_kit.grammars.json_schema.strings.languages import allows, none_of, string_expression
from guidance_kit.grammars.regular.charset import is_spellable
from guidance_kit.grammars.regular.expression import Expression, alternate

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

__all__ = ["Step", "WitnessPlace", "WitnessPlan"]

MAX_SERVICES = 256
"""Greatest number of combinations of conditions that the value of one property may satisfy or violate."""


class WitnessPlace(NamedTuple):
    """State of an object after some properties; the first three fields as in `KeyState`.

    Args:
        met: numbers of the witnesses of which the object is sure.
    """

    left: int
    least: int
    most: int
    met: frozenset[int]


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
        self._spared = [_numbers(key in witness.absent for witness in objects.witnesses) for key in self.keys]
        kinds, self._kinds = self._split(members.others, objects)
        self.others = tuple(kinds)
        self._all = frozenset(range(len(objects.witnesses)))
        self._check_values()
        self._last = self._last_places()
        self._optional = self._optional_keys()
        self._essential: dict[WitnessPlace, WitnessPlace] = {}
        self._known_services: dict[tuple[int, frozenset[int], bool], list[tuple[Node, frozenset[int]]]] = {}
        without = _numbers(not set(witness.absent).issubset(self.keys) for witness in objects.witnesses)
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
        left = (self._spared[number] for number in _bits(place.left))
        return place.met.union(*left) == self._all

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
                    if left & keys and only_present <= met:
                        left &= ~keys
                        met |= absent
            known = self._essential[place] = WitnessPlace(left, place.least, place.most, met)
        return known

    def _optional_keys(self) -> list[tuple[int, frozenset[int], frozenset[int]]]:
        """Bits of the keys that need not come and are alike; the witnesses that only their values may meet; and those
        that their absence meets."""
        found: dict[tuple[frozenset[int], frozenset[int]], int] = {}
        for key, (asked, spared) in enumerate(zip(self._asked, self._spared, strict=True)):
            if not self._required >> key & 1:
                alike = frozenset(asked) - spared, spared
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
        yield from self._of_key(number, place._replace(left=place.left ^ 1 << number), is_in_order=True)
        without = self._without_next(place)
        if without is not None:
            yield Step(None, (), without)

    def left_out(self, place: WitnessPlace) -> WitnessPlace | None:
        """State after the omission of the next ordered key; None if there is none, or an object needs it."""
        return self._without_next(place) if place.left & self._in_order and place.most != self._maximum else None

    def _without_next(self, place: WitnessPlace) -> WitnessPlace | None:
        number = next(_bits(place.left))
        met = place.met | self._spared[number]
        if self._required >> number & 1 or not self._has_hope(met, number):
            return None
        return place._replace(left=place.left ^ 1 << number, met=met)

    def choices(self, place: WitnessPlace) -> Iterator[Step]:
        """Transitions from a state."""
        if place.left & self._in_order:
            yield from self.steps(place)
        elif place.most != self._maximum:
            for number in _bits(place.left):
                then = WitnessPlace(place.left ^ 1 << number, place.least, place.most, place.met)
                yield from self._of_key(number, then, is_in_order=False)
            yield from self._of_others(place)

    def _of_others(self, place: WitnessPlace) -> Iterator[Step]:
        after = self._counted(place)
        for kind, (_, node) in enumerate(self.others):
            asked = self._kinds[kind]
            met = after.met | {number for number, wanted in asked.items() if not wanted}
            yield Step(kind, node, after._replace(met=met))
            for number, wanted in asked.items():
                if wanted and number not in met:
                    yield Step(kind, join_nodes(node, wanted), after._replace(met=met | {number}))

    def _of_key(self, key: int, then: WitnessPlace, *, is_in_order: bool) -> Iterator[Step]:
        then = self._counted(then)
        for node, served in self._services(key, then.met, is_in_order=is_in_order):
            met = then.met | served
            if not is_in_order or self._has_hope(met, key):
                yield Step(self.keys[key], node, WitnessPlace(then.left, then.least, then.most, met))

    def _services(self, key: int, met: frozenset[int], *, is_in_order: bool) -> list[tuple[Node, frozenset[int]]]:
        """Nodes for the value of a key, each with the witnesses that it satisfies."""
        question = key, met.intersection(self._asked[key]), is_in_order
        found = self._known_services.get(question)
        if found is None:
            found = self._known_services[question] = self._find_services(key, met, is_in_order=is_in_order)
        return found

    def _find_services(self, key: int, met: frozenset[int], *, is_in_order: bool) -> list[tuple[Node, frozenset[int]]]:
        is_nothing, negation = self._facts.expansion.is_plainly_nothing, self._facts.document.negation
        node = self._nodes[self.keys[key]]
        ways: list[tuple[Node, frozenset[int], Node]] = [(node, frozenset(), node)]  # the last: what serves for no more
        for wanted, numbers in self._alike(key, met):
            is_certain = set(node).issuperset(wanted) or is_nothing(join_nodes(node, negation(wanted)))
            if is_certain:
                ways = [(asked, served | numbers, least) for asked, served, least in ways]
                continue
            serving = [(join_nodes(asked, wanted), served | numbers, least) for asked, served, least in ways]
            serving = [way for way in serving if not is_nothing(way[0])]
            is_due = is_in_order and any(self._last[number] == key for number in numbers)
            if not is_due:
                denied = [(asked, served, join_nodes(least, negation(wanted))) for asked, served, least in ways]
                serving = [*(way for way in denied if not is_nothing(way[2])), *serving]
            ways = serving
            if len(ways) > MAX_SERVICES:
                raise LimitError("max_services", MAX_SERVICES, where=f"the property {self.keys[key]!r}")
        return [(asked, served) for asked, served, _ in ways]

    def _alike(self, key: int, met: frozenset[int]) -> list[tuple[Node, frozenset[int]]]:
        """Distinct conditions of unmet witnesses on the value of a key, each with its witnesses."""
        found: dict[Shape | Node, tuple[Node, frozenset[int]]] = {}
        for number, wanted in self._asked[key].items():
            if number not in met:
                same = self._facts.expansion.peek(wanted) or wanted
                first, numbers = found.get(same, (wanted, frozenset[int]()))
                found[same] = first, numbers | {number}
        return list(found.values())

    def _has_hope(self, met: frozenset[int], key: int) -> bool:
        """Test whether each witness is met or can be met by keys after `key`, in the fixed order."""
        return all(self._last[number] > key for number in self._all - met)

    def _last_places(self) -> list[int]:
        """Last key that can satisfy each witness; the number of keys for undeclared properties."""
        last = [-1] * len(self._all)
        for key, asked in enumerate(self._asked):
            for number in (*asked, *self._spared[key]):
                last[number] = key
        for asked in self._kinds:
            for number in asked:
                last[number] = len(self.keys)
        return last

    def _ask(self, objects: Objects) -> tuple[list[dict[int, Node]], frozenset[int]]:
        """Witnesses that each key may satisfy -> their condition on its value; those that every object satisfies.

        The latter, which every value of some required property satisfies, are not asked of further keys.
        """
        is_nothing, negation = self._facts.expansion.is_surely_nothing, self._facts.document.negation
        found: list[dict[int, Node]] = [{} for _ in self.keys]
        left = dict(enumerate(objects.witnesses))
        certain: set[int] = set()
        for key in sorted(range(len(self.keys)), key=lambda key: not self._required >> key & 1):
            node = self._nodes[self.keys[key]]
            for number, witness in left.items():
                wanted = self._wanted(witness, self.keys[key])
                if wanted is None or is_nothing(join_nodes(node, wanted)):
                    continue
                found[key][number] = wanted
                if self._required >> key & 1 and is_nothing(join_nodes(node, negation(wanted))):
                    certain.add(number)
            left = {number: witness for number, witness in left.items() if number not in certain}
        return found, frozenset(certain)

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


def _numbers(are_so: Iterator[bool]) -> frozenset[int]:
    return frozenset(number for number, is_so in enumerate(are_so) if is_so)
