"""From objects to rules of a network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol, TypeVar

from guidance_kit.fsm.fragment import joint_rule
from guidance_kit.fsm.key_set import KeySet
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.facts.satisfaction import PlanState
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.layout import Layout
from guidance_kit.grammars.json_schema.normal_forms.records import Objects
from guidance_kit.grammars.json_schema.normal_forms.shapes import ANY
from guidance_kit.grammars.json_schema.objects.live_plan import LivePlan
from guidance_kit.grammars.json_schema.objects.members import is_finite
from guidance_kit.grammars.json_schema.objects.plan import ObjectPlan
from guidance_kit.grammars.json_schema.objects.written_keys import ObjectKeyTracker
from guidance_kit.grammars.json_schema.strings.encoding import JsonString, TextRules
from guidance_kit.grammars.json_schema.strings.languages import listed
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.lower import add

__all__ = ["ObjectWriter"]

_QUOTE = 0x22

PlaceType = TypeVar("PlaceType", bound=Hashable)


class Plan(Protocol[PlaceType]):
    """Automaton over whole properties, by which rules are written."""

    start: PlaceType
    keys: list[str]
    others: tuple[tuple[Expression | None, Node], ...]
    has_nearly_all: bool
    taken: tuple[str, ...]

    def may_end(self, place: PlaceType, /) -> bool:
        """Test whether the object may end in a state."""
        ...

    def may_go_on(self, place: PlaceType, /) -> bool:
        """Test whether another property may follow in an object that can still be completed."""
        ...

    def choices(self, place: PlaceType, /) -> Iterator[tuple[str | int, Node, PlaceType]]:
        """Transitions from a state: (key, node of its value, next state); for other keys the number of their kind."""
        ...

    def skip(self, place: PlaceType, /) -> PlaceType | None:
        """State after skipping the next ordered key; None if it may not be left out, and maybe if nothing follows."""
        ...


class ObjectWriter(ABC):
    """Writer of the network rules of objects; a subclass writes those of the values in them.

    Args:
        network: where to write.
        facts: what is satisfiable, and all about shapes.
        layout: white space.
        encoding: how strings are spelt.
        any_value: declares the rule of all values in a network; None if these depend on more than layout and encoding.
    """

    def __init__(
        self,
        network: Network,
        facts: SchemaFacts,
        layout: Layout,
        encoding: JsonString,
        any_value: Callable[[Network], int] | None,
    ) -> None:
        self.network = network
        self.facts = facts
        self.layout = layout
        self.encoding = encoding
        self._texts = TextRules(network, encoding)
        self._any_value = any_value
        self._objects: dict[tuple[Objects, int], int] = {}
        self._keys: dict[Expression, int] = {}
        self._followings: dict[tuple[Plan[Any], Hashable, int], int] = {}
        self._endings: dict[tuple[Node, int], int] = {}
        self._plans: dict[Objects, ObjectPlan] = {}
        self._has_begun = False

    @abstractmethod
    def value(self, node: Node, depth: int = 0) -> int:
        """Rule of the JSON texts of the values of a satisfiable node.

        Args:
            depth: number of arrays and objects around the value.
        """

    def _is_possible_object(self, objects: Objects) -> bool:
        """Test whether an object record is satisfiable."""
        if objects.witnesses:
            plan = self.facts.witness_plan(objects)
            return self.facts.is_satisfiable(PlanState(plan, plan.start))
        if not objects.required and not objects.minimum:
            return True
        return self._plan(objects).is_possible

    def _plan(self, objects: Objects) -> ObjectPlan:
        plan = self._plans.get(objects)
        if plan is None:
            plan = self._plans[objects] = ObjectPlan(self.facts, objects)
        return plan

    def _object(self, objects: Objects, depth: int) -> int:
        """Rule of a satisfiable object record."""
        rule = self._objects.get((objects, depth))
        if rule is None:
            rule = self._objects[objects, depth] = self.network.rule(
                lambda: self._build_object(objects, depth), nullable=False, name="object"
            )
        return rule

    def _several_objects(self, several: Iterable[Objects], depth: int) -> list[int]:
        """Rules of satisfiable object records; those with a common, discriminating first property share one.

        So of many objects, as calls of functions are, only that is written whose name stands in the text.
        """
        rules: list[int] = []
        alike: dict[str, list[Objects]] = {}
        for objects in several:
            key = self._telling_key(objects)
            if key is None:
                rules.append(self._object(objects, depth))
            else:
                alike.setdefault(key, []).append(objects)
        for key, group in alike.items():
            if len(group) == 1:
                rules.append(self._object(group[0], depth))
            else:
                build = partial(self._build_told_apart, key, group, depth)
                rules.append(self.network.rule(build, nullable=False, name="objects"))
        return rules

    def _telling_key(self, objects: Objects) -> str | None:
        """Discriminator of an object record: its first key, if that is always first and has an enumeration of strings
        for its value."""
        if objects.witnesses or not objects.required:
            return None
        plan = self._plan(objects)
        is_first = plan.is_straight and plan.is_required(0)
        return plan.keys[0] if is_first and self._first_texts(plan) is not None else None

    def _first_texts(self, plan: ObjectPlan) -> dict[str, None] | None:
        """Strings of the first property, if its values are an enumeration of strings."""
        shape = self.facts.shape(plan.nodes[plan.keys[0]])
        is_text = not (shape.nulls or shape.booleans or shape.numbers or shape.arrays or shape.objects)
        if not is_text or any(strings.values is None for strings in shape.strings):
            return None
        return {text: None for strings in shape.strings for text in listed(strings)}

    def _build_told_apart(self, key: str, group: list[Objects], depth: int) -> int:
        """Write objects with a common discriminator; the properties after it are rules of their own, built lazily."""
        network = self.network
        start, first, inside, colon, before, value = network.states(6)
        self.layout.open(network, start, first, "{", depth)
        network.byte(first, _QUOTE, _QUOTE, inside)
        self.encoding.closed(network, [(inside, key, colon)])
        self.layout.colon(network, colon, before)
        network.byte(before, _QUOTE, _QUOTE, value)
        ways: dict[str, int] = {}
        for objects in group:
            plan = self._plan(objects)
            rest = network.rule(partial(self._build_from, plan, depth, 1), nullable=False, name="properties")
            for text in self._first_texts(plan) or ():
                if text not in ways:
                    ways[text] = network.state()
                behind = network.state()
                network.epsilon(ways[text], behind)
                network.jump(behind, rest)
        self.encoding.one_of(network, value, ways)
        return start

    def _build_object(self, objects: Objects, depth: int) -> int:
        if objects.witnesses:
            return self._write_planned(LivePlan(self.facts, objects), depth)
        plan = self._plan(objects)
        if plan.is_straight:
            return self._write_straight(plan, depth)
        return self._write_free(plan, depth) if plan.is_free else self._write_planned(plan, depth)

    def _opened(self, plan: Plan[PlaceType], depth: int) -> tuple[int, int, int]:
        """States before an object, before its first property, and after it."""
        network = self.network
        start, first, end = network.states(3)
        network.final(end)
        if plan.may_end(plan.start):
            self.layout.empty(network, start, end, "{}")
        if plan.may_go_on(plan.start):
            self.layout.open(network, start, first, "{", depth)
        return start, first, end

    def _write_planned(self, plan: Plan[PlaceType], depth: int) -> int:
        """Write an object with one lazy rule for each state of its plan: these can be as many as sets of keys."""
        start, first, _ = self._opened(plan, depth)
        if plan.may_go_on(plan.start):
            self._write_next(plan, plan.start, first, depth)
        return start

    def _write_free(self, plan: ObjectPlan, depth: int) -> int:
        """Write an object whose keys come in any order, its properties as a keyed rule."""
        start, first, end = self._opened(plan, depth)
        self._build_ahead(plan, depth)
        rule = self._properties(plan, depth)
        self.network.call(first, rule, end)
        self.network.build_soon(rule)
        return start

    def _properties(self, plan: ObjectPlan, depth: int) -> int:
        """Keyed rule of the properties of an object and its end; the keys are numbered as they are sorted."""
        network = self.network
        keys = sorted(plan.keys)
        number_of = {key: number for number, key in enumerate(keys)}
        required = sum(1 << number_of[key] for number, key in enumerate(plan.keys) if plan.is_required(number))

        def write_in_order() -> int:
            first = network.state()
            self._open_first(first, lambda: self._build_from(plan.shortest(), depth, 0))
            return first

        def write_plainly() -> int:
            first = network.state()
            self._write_next(plan, plan.start, first, depth)
            return first

        in_order = network.rule(write_in_order, nullable=False, name="properties") if required else None
        key_set = KeySet(count=len(keys), required=required, in_order=in_order, write_plainly=write_plainly)

        def write() -> int:
            first = network.state()
            self._open_first(first, lambda: self._build_free(plan, keys, depth))
            return first

        return network.keyed(write, key_set, name="properties")

    def _build_free(self, plan: ObjectPlan, keys: list[str], depth: int) -> int:
        """Write the properties of an object whose keys, sorted, come in any order, from behind the first quote on."""
        network = self.network
        inside, after, more, before, last, end = network.states(6)
        network.final(end)
        behind, colons = network.states(len(keys)), network.states(len(keys))
        self.encoding.one_of_left(network, inside, keys, behind)
        for number, key in enumerate(keys):
            network.take(behind[number], number, colons[number])
            network.call(colons[number], self._ending(plan.nodes[key], depth), after)
        self._write_others_inside(plan, inside, plan.others, after, depth, is_whole=plan.has_nearly_all)
        network.none_left(after, last)
        self.layout.close(network, last, end, "}", depth)
        if plan.others:
            network.epsilon(after, more)
        else:
            network.some_left(after, range(len(keys)), more)
        self.layout.separate(network, more, before, depth)
        network.byte(before, _QUOTE, _QUOTE, inside)
        return inside

    def _following(self, plan: Plan[PlaceType], place: PlaceType, depth: int) -> int:
        """Rule of the rest of an object after a property."""
        rule = self._followings.get((plan, place, depth))
        if rule is None:

            def build() -> int:
                network, layout = self.network, self.layout
                after = network.state()
                if plan.may_end(place):
                    end = network.state()
                    network.final(end)
                    layout.close(network, after, end, "}", depth)
                if plan.may_go_on(place):
                    before = network.state()
                    layout.separate(network, after, before, depth)
                    self._write_next(plan, place, before, depth)
                return after

            rule = self._followings[plan, place, depth] = self.network.rule(build, nullable=False, name="properties")
        return rule

    def _write_next(self, plan: Plan[PlaceType], place: PlaceType, before: int, depth: int) -> None:
        """Write the first quote of the next property, and a rule for the rest, which is built when a text gets there.

        All keys share their first quote: where white space is read, there are few states to keep. Of alternatives that
        one value tells apart, few are left there.
        """
        self._open_first(before, lambda: self._build_next(plan, place, depth))

    def _build_next(self, plan: Plan[PlaceType], place: PlaceType, depth: int) -> int:
        """Write the next property, from behind its first quote on, and the rest of the object."""
        network = self.network
        inside = network.state()
        behind: dict[PlaceType, int] = {}
        here: PlaceType | None = place
        while here is not None:
            choices = list(plan.choices(here))
            kinds = {key for key, _, _ in choices if isinstance(key, int)}
            is_whole = plan.has_nearly_all and len(kinds) == len(plan.others)
            for key, node, then in choices:
                after = behind.get(then, -1)
                if after < 0:
                    after = behind[then] = network.state()
                    network.jump(after, self._following(plan, then, depth))
                if isinstance(key, int):
                    others = [(plan.others[key][0], node)]
                    self._write_others_inside(plan, inside, others, after, depth, is_whole=is_whole)
                else:
                    colon = network.state()
                    network.call(inside, self._texts.rule(key, plan.keys), colon)
                    network.call(colon, self._ending(node, depth), after)
            here = plan.skip(here)
        return inside

    def _write_straight(self, plan: ObjectPlan, depth: int) -> int:
        """Write an object whose keys have one position each.

        What follows its first quote is written when a text gets there: most tokens that open an object end with it.
        """
        start, first, _ = self._opened(plan, depth)
        self._build_ahead(plan, depth)
        if plan.may_go_on(plan.start):
            self._open_first(first, lambda: self._build_from(plan, depth, 0))
        return start

    def _build_ahead(self, plan: ObjectPlan, depth: int) -> None:
        """Have the longest value of the first object of a network written with it.

        The first mask of a text can wait for it better than one within it: it is computed while a prompt is read. A
        second value would make first masks slower by more than it makes the slowest of the others faster.
        """
        if not self._has_begun:
            self._has_begun = True
            node = plan.longest(self.facts)
            if node is not None:
                self.network.build_soon(self._ending(node, depth))

    def _open_first(self, first: int, build: Callable[[], int]) -> None:
        """Write the first quote of an object, and go on where a rule begins that is built when a text gets there."""
        network = self.network
        inside = network.state()
        network.byte(first, _QUOTE, _QUOTE, inside)
        network.jump(inside, network.rule(build, nullable=False, name="properties"))

    def _build_from(self, plan: ObjectPlan, depth: int, begun: int) -> int:
        """Write the properties of an object from a key on, and its end."""
        here, end = self.network.states(2)
        self.network.final(end)
        self._write_from(plan, depth, begun, here, end)
        return here

    def _write_from(self, plan: ObjectPlan, depth: int, begun: int, here: int, end: int) -> None:
        """Write the properties of such an object from a key on.

        All keys that can come next share their first quote: where white space is read, there are few states to keep.

        Args:
            begun: the number of the key.
            here: the state behind the property before; that behind the first quote if there is none.
            end: the state after the object.
        """
        network = self.network
        others = bool(plan.others)
        count = len(plan.keys)
        numbers = range(begun, count)
        inside = dict(zip(numbers, network.states(len(numbers)), strict=True))
        after = dict(zip(range(begun + 1, count + 1), network.states(len(numbers)), strict=True))
        after[begun] = here if begun else network.state()
        other = network.state() if others else -1
        self._write_others_inside(plan, other, plan.others, after[count], depth, is_whole=plan.has_nearly_all)
        keys: list[tuple[int, str, int]] = []
        for index in numbers:
            key = plan.keys[index]
            colon = network.state()
            keys.append((inside[index], key, colon))
            network.call(colon, self._ending(plan.nodes[key], depth), after[index + 1])
            if not plan.is_required(index) and index + 1 < count:
                network.epsilon(inside[index], inside[index + 1])
        self.encoding.closed(network, keys)
        for index in range(begun, count + 1):
            entered = [inside[index]] if index < count else []
            if plan.is_last(index):
                entered += [other] if others else []
                if index > 0 or count == 0:
                    self.layout.close(network, after[index], end, "}", depth)
            before = network.state() if index > 0 else here
            for state in entered:
                if index > 0:
                    network.byte(before, _QUOTE, _QUOTE, state)
                else:
                    network.epsilon(before, state)
            if index > 0 and entered:
                self.layout.separate(network, after[index], before, depth)
            elif count == 0:
                again = network.state()
                self.layout.separate(network, after[0], again, depth)
                network.byte(again, _QUOTE, _QUOTE, other)

    def _ending(self, node: Node, depth: int) -> int:
        """Rule of the text after a key: colon and value."""
        depth = depth if self.layout.has_depth else 0
        rule = self._endings.get((node, depth))
        if rule is None:
            rule = self._endings[node, depth] = self._declare_ending(node, depth)
        return rule

    def _declare_ending(self, node: Node, depth: int) -> int:
        network, layout, any_value, name = self.network, self.layout, self._any_value, "value after a key"

        def write(other: Network, value: Callable[[], int]) -> int:
            start, before, end = other.states(3)
            layout.colon(other, start, before)
            rule = value()
            other.call(before, rule, end)
            other.build_soon(rule)  # a token may have the colon and the first byte of the value
            other.final(end)
            return start

        if any_value is not None and self.facts.shape(node) is ANY:
            key = "any value after a key", layout, self.encoding.escapes
            return joint_rule(network, "value", key, lambda other: write(other, partial(any_value, other)), name=name)
        return network.rule(lambda: write(network, partial(self.value, node, depth + 1)), nullable=False, name=name)

    def _write_others_inside(
        self,
        plan: Plan[Any],
        inside: int,
        others: Iterable[tuple[Expression | None, Node]],
        target: int,
        depth: int,
        *,
        is_whole: bool,
    ) -> None:
        """Write undeclared properties of some kinds, after the opening quotes of their keys.

        Args:
            is_whole: whether all keys but finitely many are among those that are written from `inside`.
        """
        network = self.network
        for keys, node in others:
            last, colon = network.states(2)
            if keys is None:
                rule = self._texts.others(plan.taken)
                network.build_soon(rule)  # a token may have the brace and the quote
            else:
                rule = self._key_of(keys)
                self._note_exhaustible(plan, keys)
                if is_whole and self.encoding.writes_slice:
                    network.ends_part(last)
            network.call(inside, rule, last)
            network.fresh(last, colon)
            network.call(colon, self._ending(node, depth), target)

    def _note_exhaustible(self, plan: Plan[Any], keys: Expression) -> None:
        """Note that the keys of a kind, or those with some prefix, may be used up."""
        network = self.network
        network.has_exhaustible_keys = True
        if isinstance(network.key_tracker, ObjectKeyTracker) and keys not in network.key_tracker.kinds:
            network.key_tracker.kinds.append(keys)
            if all(is_finite(each) for each, _ in plan.others):
                network.key_tracker.limits.append(keys)

    def _key_of(self, keys: Expression) -> int:
        """Rule of the keys of a language, closing quote included."""
        rule = self._keys.get(keys)
        if rule is None:

            def build() -> int:
                start, last, end = self.network.states(3)
                add(self.network, start, keys, last, self.encoding)
                self.network.byte(last, _QUOTE, _QUOTE, end)
                self.network.final(end)
                return start

            rule = self._keys[keys] = self.network.rule(build, nullable=False, name="key")
        return rule
