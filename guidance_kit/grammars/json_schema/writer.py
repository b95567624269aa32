"""From nodes to rules of a network, each written when a text gets there."""

from __future__ import annotations

from guidance_kit.fsm.fragment import shared_rule
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.json_schema.document import Node
from guidance_kit.grammars.json_schema.languages import listed, string_expression
from guidance_kit.grammars.json_schema.layout import Layout
from guidance_kit.grammars.json_schema.numbers import write_number
from guidance_kit.grammars.json_schema.object_plan import ObjectPlan
from guidance_kit.grammars.json_schema.satisfaction import Satisfaction
from guidance_kit.grammars.json_schema.shapes import Arrays, Numbers, Objects, Strings
from guidance_kit.grammars.json_schema.string_encoding import JsonString
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.lower import add

__all__ = ["Writer"]

_QUOTE = 0x22

UNROLLED = 3
"""Arrays of up to so many items are written out, longer ones counted."""


class Writer:
    """Writes rules for the values of nodes. A rule is declared only for a node that some value satisfies.

    Args:
        network: where to write.
        satisfaction: what is satisfiable, and all about shapes.
        layout: white space.
        encoding: how strings are spelt.
    """

    def __init__(self, network: Network, satisfaction: Satisfaction, layout: Layout, encoding: JsonString) -> None:
        self.network = network
        self.satisfaction = satisfaction
        self.layout = layout
        self.encoding = encoding
        self._values: dict[tuple[Node, int], int] = {}
        self._keys: dict[Expression, int] = {}
        self._containers: dict[tuple[Arrays | Objects, int], int] = {}
        self._properties: dict[tuple[str, Node, int], int] = {}
        self._endings: dict[tuple[Node, int], int] = {}
        self._plans: dict[Objects, ObjectPlan] = {}
        self._rests: dict[tuple[tuple[str, ...], int], int] = {}

    def value(self, node: Node, depth: int = 0) -> int:
        """The rule of the texts of all values that satisfy `node`, which must be satisfiable.

        Args:
            depth: number of arrays and objects around the value.
        """
        depth = depth if self.layout.has_depth else 0
        rule = self._values.get((node, depth))
        if rule is None:
            kinds = self._kinds(node, depth)
            rule = kinds[0] if len(kinds) == 1 else self.network.rule(lambda: self._either(kinds), nullable=False)
            self._values[node, depth] = rule
        return rule

    def _kinds(self, node: Node, depth: int) -> list[int]:
        """The rules of the values of each kind."""
        satisfaction = self.satisfaction
        shape = satisfaction.expansion.shape(node)
        rules = [self._word("null")] if shape.nulls else []
        rules += (self._word("true" if value else "false") for value in shape.booleans)
        rules += map(self._number, shape.numbers)
        rules += map(self._string, filter(satisfaction.has_string, shape.strings))
        for arrays in shape.arrays:
            least, most = satisfaction.length(arrays)
            if most is None or least <= most:
                rules.append(self._array(arrays, depth))
        rules += (self._object(objects, depth) for objects in shape.objects if self._is_possible(objects))
        return rules

    def _either(self, rules: list[int]) -> int:
        """The texts of one of some rules."""
        start, end = self.network.states(2)
        for rule in rules:
            self.network.call(start, rule, end)
        self.network.final(end)
        return start

    # Scalars ------------------------------------------------------------------------------------------------------

    def _word(self, text: str) -> int:
        def write(network: Network) -> int:
            start, end = network.states(2)
            network.literal(start, text.encode(), end)
            network.final(end)
            return start

        return shared_rule(self.network, ("word", text), write, name=text)

    def _number(self, numbers: Numbers) -> int:
        def write(network: Network) -> int:
            start, end = network.states(2)
            network.final(end)
            write_number(network, numbers, start, end)
            return start

        return shared_rule(self.network, ("number", numbers), write, name="number")

    def _string(self, strings: Strings) -> int:
        encoding = self.encoding
        if strings == Strings():
            return self._any_string()

        def write(network: Network) -> int:
            start, inside, end = network.states(3)
            network.byte(start, _QUOTE, _QUOTE, inside)
            network.final(end)
            if strings.values is not None:
                encoding.one_of(network, inside, listed(strings), end)
            else:
                last = network.state()
                network.byte(last, _QUOTE, _QUOTE, end)
                add(network, inside, string_expression(strings), last, encoding)
            return start

        return shared_rule(self.network, ("string", encoding.escapes, strings), write, name="string")

    def _any_string(self) -> int:
        """The rule of all strings."""
        rule = self._rests.get(((), -1))
        if rule is None:

            def build() -> int:
                start = self.network.state()
                free, _ = self.encoding.anything(self.network)
                self.network.byte(start, _QUOTE, _QUOTE, free)
                return start

            rule = self._rests[(), -1] = self.network.rule(build, nullable=False, name="string")
        return rule

    def _key_of(self, keys: Expression) -> int:
        """The rule of the keys in a language, with the quote behind them."""
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

    # Arrays -------------------------------------------------------------------------------------------------------

    def _array(self, arrays: Arrays, depth: int) -> int:
        rule = self._containers.get((arrays, depth))
        if rule is None:
            rule = self._containers[arrays, depth] = self.network.rule(
                lambda: self._build_array(arrays, depth), nullable=False, name="array"
            )
        return rule

    def _build_array(self, arrays: Arrays, depth: int) -> int:
        network, layout = self.network, self.layout
        least, most = self.satisfaction.length(arrays)
        start, end = network.states(2)
        network.final(end)
        if least == 0:
            layout.empty(network, start, end, "[]")
        if most == 0:
            return start
        before = network.state()
        layout.open(network, start, before, "[", depth)
        prefix = len(arrays.prefix) if most is None else min(len(arrays.prefix), most)
        count = 0
        while True:
            after = network.state()
            network.call(before, self.value(arrays.item(count), depth + 1), after)
            count += 1
            is_tail = count >= max(prefix, 1)
            if count >= least and not is_tail:
                layout.close(network, after, end, "]", depth)
            if is_tail:
                break
            before = network.state()
            layout.separate(network, after, before, depth)
        self._write_tail(arrays, depth, after, end, max(least - count, 0), UNBOUNDED if most is None else most - count)
        return start

    def _write_tail(self, arrays: Arrays, depth: int, source: int, end: int, least: int, most: int) -> None:
        """After an item: between `least` and `most` further ones of the same kind, and the closing bracket."""
        network, layout = self.network, self.layout

        def further(here: int, there: int) -> None:
            before = network.state()
            layout.separate(network, here, before, depth)
            network.call(before, self.value(arrays.items, depth + 1), there)

        if most == UNBOUNDED and least <= UNROLLED:
            for _ in range(least):
                after = network.state()
                further(source, after)
                source = after
            loop = network.state()
            network.epsilon(source, loop)
            further(loop, loop)
            source = loop
        elif most != UNBOUNDED and most <= UNROLLED:
            for turn in range(most):
                if turn >= least:
                    layout.close(network, source, end, "]", depth)
                after = network.state()
                further(source, after)
                source = after
        else:

            def build(turn_end: int) -> int:
                turn = network.state()
                further(turn, turn_end)
                return turn

            after = network.state()
            network.call(source, network.repeat(build, least, most, name="items"), after)
            source = after
        layout.close(network, source, end, "]", depth)

    # Objects ------------------------------------------------------------------------------------------------------

    def _is_possible(self, objects: Objects) -> bool:
        """Whether there is any such object."""
        if not objects.required and not objects.minimum:
            return True
        return self._plan(objects).is_possible

    def _plan(self, objects: Objects) -> ObjectPlan:
        plan = self._plans.get(objects)
        if plan is None:
            plan = self._plans[objects] = ObjectPlan(self.satisfaction, objects)
        return plan

    def _object(self, objects: Objects, depth: int) -> int:
        rule = self._containers.get((objects, depth))
        if rule is None:
            rule = self._containers[objects, depth] = self.network.rule(
                lambda: self._build_object(objects, depth), nullable=False, name="object"
            )
        return rule

    def _build_object(self, objects: Objects, depth: int) -> int:
        """States stand before a property (something must come) and after one; see `ObjectPlan` for the rest."""
        network, layout = self.network, self.layout
        plan = self._plan(objects)
        start, end = network.states(2)
        network.final(end)
        if plan.may_end(plan.start):
            layout.empty(network, start, end, "{}")
        if not plan.may_go_on(plan.start):
            return start
        first = network.state()
        layout.open(network, start, first, "{", depth)
        if plan.is_straight:
            self._write_straight(plan, first, end, depth)
            return start
        before: dict[tuple, int] = {plan.start: first}
        after: dict[tuple, int] = {}
        todo = [plan.start]
        others = self._others(plan, depth)
        while todo:
            place = todo.pop()
            here = before[place]
            following = []
            for key, then in plan.choices(place):
                if then not in after:
                    after[then] = network.state()
                    following.append(then)
                if key is None:
                    self._write_others(here, others, after[then])
                else:
                    network.call(here, self._property(key, plan.nodes[key], depth), after[then])
            skipped = plan.skip(place)
            if skipped is not None:
                if skipped not in before:
                    before[skipped] = network.state()
                    todo.append(skipped)
                network.epsilon(here, before[skipped])
            for then in following:
                if plan.may_end(then):
                    layout.close(network, after[then], end, "}", depth)
                if plan.may_go_on(then):
                    if then not in before:
                        before[then] = network.state()
                        todo.append(then)
                    layout.separate(network, after[then], before[then], depth)
        return start

    def _write_straight(self, plan: ObjectPlan, first: int, end: int, depth: int) -> None:
        """The properties of an object in which each declared key has one place, from the first one to the bracket.

        All keys that can come next share their first quote: where white space is read, there are few states to keep.
        """
        network = self.network
        others = self._others(plan, depth)
        count = len(plan.ordered)
        inside, after = network.states(count), network.states(count + 1)
        other = network.state() if others else -1
        self._write_others_inside(other, others, after[count])
        keys: list[tuple[int, str, int]] = []
        for index, key in enumerate(plan.ordered):
            colon = network.state()
            keys.append((inside[index], key, colon))
            network.call(colon, self._ending(plan.nodes[key], depth), after[index + 1])
            if not plan.is_required[index] and index + 1 < count:
                network.epsilon(inside[index], inside[index + 1])
        self.encoding.closed(network, keys)
        for index in range(count + 1):
            before = first if index == 0 else network.state()
            if index < count:
                network.byte(before, _QUOTE, _QUOTE, inside[index])
            if plan.is_last(index):
                if others:
                    network.byte(before, _QUOTE, _QUOTE, other)
                if index > 0 or count == 0:
                    self.layout.close(network, after[index], end, "}", depth)
            if index < count or others:
                if index > 0:
                    self.layout.separate(network, after[index], before, depth)
                elif count == 0:
                    again = network.state()
                    self.layout.separate(network, after[0], again, depth)
                    network.byte(again, _QUOTE, _QUOTE, other)

    def _property(self, key: str, node: Node, depth: int) -> int:
        """The rule of one declared property: key, colon, value."""
        depth = depth if self.layout.has_depth else 0
        rule = self._properties.get((key, node, depth))
        if rule is None:

            def build() -> int:
                network = self.network
                start, inside, colon, end = network.states(4)
                network.byte(start, _QUOTE, _QUOTE, inside)
                self.encoding.closed(network, [(inside, key, colon)])
                network.call(colon, self._ending(node, depth), end)
                network.final(end)
                return start

            rule = self._properties[key, node, depth] = self.network.rule(build, nullable=False, name=f"property {key}")
        return rule

    def _ending(self, node: Node, depth: int) -> int:
        """The rule of what follows a key: colon, value."""
        depth = depth if self.layout.has_depth else 0
        rule = self._endings.get((node, depth))
        if rule is None:

            def build() -> int:
                network = self.network
                start, before, end = network.states(3)
                self.layout.colon(network, start, before)
                network.call(before, self.value(node, depth + 1), end)
                network.final(end)
                return start

            rule = self._endings[node, depth] = self.network.rule(build, nullable=False, name="value after a key")
        return rule

    def _others(self, plan: ObjectPlan, depth: int) -> list[tuple[int, int]]:
        """The properties that are not declared, for each kind of keys: the rule of the key but for its first quote, and
        the rule of what follows."""
        return [
            (self._rest_but(plan.taken, 0) if keys is None else self._key_of(keys), self._ending(node, depth))
            for keys, node in plan.others
        ]

    def _write_others(self, source: int, others: list[tuple[int, int]], target: int) -> None:
        """Add paths that read a property that is not declared."""
        if others:
            inside = self.network.state()
            self.network.byte(source, _QUOTE, _QUOTE, inside)
            self._write_others_inside(inside, others, target)

    def _write_others_inside(self, inside: int, others: list[tuple[int, int]], target: int) -> None:
        for key, ending in others:
            colon = self.network.state()
            self.network.call(inside, key, colon)
            self.network.call(colon, ending, target)

    def _rest_but(self, taken: tuple[str, ...], read: int) -> int:
        """The rule of what can follow the first `read` characters of a key, which all of `taken` share."""
        rule = self._rests.get((taken, read))
        if rule is None:

            def build() -> int:
                if not taken:
                    return self.encoding.anything(self.network)[0]
                start = self.network.state()
                self._write_rest_but(start, taken, read)
                return start

            rule = self.network.rule(build, nullable=False, is_free=True, name="undeclared key")
            self._rests[taken, read] = rule
        return rule

    def _write_rest_but(self, source: int, taken: tuple[str, ...], read: int) -> None:
        """All ways on that end in none of the keys in `taken`, closing quote included."""
        network = self.network
        if len(taken) == 1:
            self.encoding.all_but(network, source, taken[0][read:])
            return
        _, end = self.encoding.anything(network)
        branches: dict[str, list[str]] = {}
        for key in taken:
            branches.setdefault(key[read : read + 1], []).append(key)
        if branches.pop("", None) is None:
            network.byte(source, _QUOTE, _QUOTE, end)
        ways: dict[str, int] = {}
        for character, keys in branches.items():
            ways[character] = network.state()
            network.call(ways[character], self._rest_but(tuple(keys), read + 1), end)
        self.encoding.fork(network, source, ways)
