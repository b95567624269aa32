"""Network rules of nodes, built lazily."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.fragment import constant_rule, joint_rule, shared_rule
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.fsm.written import ITEM
from guidance_kit.grammars.json_schema.arrays.distinct_automaton import DistinctWriter
from guidance_kit.grammars.json_schema.arrays.plan import ArrayPlace
from guidance_kit.grammars.json_schema.arrays.written_items import ArrayItemTracker
from guidance_kit.grammars.json_schema.documents.document import Node, SchemaDocument
from guidance_kit.grammars.json_schema.facts.satisfaction import PlanState
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.formats.table import NUMBER_FORMATS
from guidance_kit.grammars.json_schema.keywords.readers import numbers_of_format
from guidance_kit.grammars.json_schema.layout import Layout
from guidance_kit.grammars.json_schema.normal_forms.records import (
    ANY_ARRAY,
    ANY_NUMBER,
    ANY_OBJECT,
    Arrays,
    Numbers,
    Strings,
)
from guidance_kit.grammars.json_schema.normal_forms.shapes import ANY
from guidance_kit.grammars.json_schema.numbers.automaton import write_number
from guidance_kit.grammars.json_schema.objects.automaton import ObjectWriter
from guidance_kit.grammars.json_schema.strings.encoding import JsonString
from guidance_kit.grammars.json_schema.strings.languages import listed, rule_format, string_expression
from guidance_kit.grammars.json_schema.strings.listed_strings import MOST_AT_ONCE, ListedStrings
from guidance_kit.grammars.regular.derived_rules import declare_derived
from guidance_kit.grammars.regular.lower import add

__all__ = ["ValueWriter"]

_QUOTE = 0x22

_ANY_INTEGER = replace(ANY_NUMBER, is_integer=True)

_COMMON_NUMBERS = (
    *(
        replace(numbers, lower=lower, lower_open=is_open)
        for numbers in (ANY_NUMBER, _ANY_INTEGER)
        for lower, is_open in ((None, False), (0, False), (0, True), (1, False))
    ),
    *(numbers_of_format(found) for found in NUMBER_FORMATS.values()),
)
"""Numbers without bounds, from 0, above 0 and from 1 on, and those of formats, which no schema has to itself: their
rules are constant."""

UNROLLED = 3
"""Greatest number of items that are unrolled; more are counted."""


class ValueWriter(ObjectWriter):
    """Writer of the network rules of nodes. A rule is declared only for a satisfiable node.

    Args:
        network: where to write.
        facts: what is satisfiable, and all about shapes.
        layout: white space.
        encoding: how strings are spelt.
    """

    def __init__(self, network: Network, facts: SchemaFacts, layout: Layout, encoding: JsonString) -> None:
        has_constants = facts.digits is None and facts.max_digits is None and not layout.has_depth
        any_value = partial(any_value_rule, layout=layout, encoding=encoding) if has_constants else None
        super().__init__(network, facts, layout, encoding, any_value)
        self._values: dict[tuple[Node, int], int] = {}
        self._arrays: dict[tuple[Arrays, int], int] = {}
        self._any_string = -1

    def value(self, node: Node, depth: int = 0) -> int:
        """See `ObjectWriter.value`."""
        depth = depth if self.layout.has_depth else 0
        rule = self._values.get((node, depth))
        if rule is None:
            rule = self._values[node, depth] = self._declare(node, depth)
        return rule

    def _declare(self, node: Node, depth: int) -> int:
        if self._any_value is not None and self.facts.shape(node) is ANY:
            return self._any_value(self.network)
        kinds = self._kinds(node, depth)
        return kinds[0] if len(kinds) == 1 else self.network.rule(lambda: self._either(kinds), nullable=False)

    def _kinds(self, node: Node, depth: int) -> list[int]:
        """Rules of the values of each type."""
        facts = self.facts
        shape = facts.shape(node)
        rules = [self._word("null")] if shape.nulls else []
        rules += (self._word("true" if value else "false") for value in shape.booleans)
        rules += map(self._number, shape.numbers)
        rules += map(self._string, filter(facts.has_string, shape.strings))
        rules += (self._array(arrays, depth) for arrays in shape.arrays if self._is_possible_array(arrays))
        rules += self._several_objects(filter(self._is_possible_object, shape.objects), depth)
        return rules

    def _either(self, rules: list[int]) -> int:
        """Union of rules."""
        start, end = self.network.states(2)
        for rule in rules:
            self.network.call(start, rule, end)
            self.network.build_soon(rule)
        self.network.final(end)
        return start

    def write_any_value(self) -> int:
        """Write all JSON texts, numbers of any length; return the start."""
        network = self.network
        start, end = network.states(2)
        network.final(end)
        for text in (b"null", b"true", b"false"):
            network.literal(start, text, end)
        write_number(network, ANY_NUMBER, start, end)
        for rule in (self._free_string(), self._array(ANY_ARRAY, 0), self._object(ANY_OBJECT, 0)):
            network.call(start, rule, end)
        return start

    # Scalars ------------------------------------------------------------------------------------------------------

    def _word(self, text: str) -> int:
        def write(network: Network) -> int:
            start, end = network.states(2)
            network.literal(start, text.encode(), end)
            network.final(end)
            return start

        return constant_rule(self.network, ("word", text), write, name=text)

    def _number(self, numbers: Numbers) -> int:
        digits, most = self.facts.digits, self.facts.max_digits

        def write(network: Network) -> int:
            start, end = network.states(2)
            network.final(end)
            write_number(network, numbers, start, end, digits, most)
            return start

        is_constant = digits is None and most is None and numbers in _COMMON_NUMBERS
        declare = constant_rule if is_constant else shared_rule
        return declare(self.network, ("number", digits, most, numbers), write, name="number")

    def _string(self, strings: Strings) -> int:
        encoding = self.encoding
        if strings == Strings():
            return self._free_string()
        if strings == Strings(excluded=strings.excluded):
            return self._other_string(strings.excluded)

        facts = self.facts
        is_long = strings.values is not None and len(strings.values) > MOST_AT_ONCE

        def write(network: Network) -> int:
            start, inside, end = network.states(3)
            network.byte(start, _QUOTE, _QUOTE, inside)
            network.final(end)
            if is_long:
                network.call(inside, ListedStrings(network, encoding, sorted(listed(strings))).rule(), end)
            elif strings.values is not None:
                encoding.one_of(network, inside, dict.fromkeys(listed(strings), end))
            else:
                last = network.state()
                network.byte(last, _QUOTE, _QUOTE, end)
                found = rule_format(strings)
                if found is not None:
                    network.call(inside, found.rule(network, encoding), last)
                else:
                    expression, searched = string_expression(strings), facts.take_search(strings)
                    if searched is None:
                        add(network, inside, expression, last, encoding)
                    else:
                        rule = declare_derived(network, expression, encoding, searched=searched)
                        network.call(inside, rule, last)
            return start

        key = "string", encoding.escapes, strings
        is_list = strings.values is not None and not is_long
        if is_list or facts.has_search(strings):  # which are hardly ever the same in two schemas
            if key not in self.network.shared:
                build = partial(write, self.network)
                self.network.shared[key] = self.network.rule(build, nullable=False, name="string")
            return self.network.shared[key]
        own = rule_format(strings)
        if is_long or strings.is_of_one_text or (own is not None and own.recalls):
            return self.network.rule(lambda: write(self.network), nullable=False, name="string")
        declare = constant_rule if strings.is_of_one_format else shared_rule
        return declare(self.network, key, write, name="string")

    def _free_string(self) -> int:
        """The rule of all strings."""
        if self._any_string < 0:

            def build() -> int:
                start = self.network.state()
                free, _ = self.encoding.anything(self.network)
                self.network.byte(start, _QUOTE, _QUOTE, free)
                return start

            self._any_string = self.network.rule(build, nullable=False, name="string")
        return self._any_string

    def _other_string(self, excluded: tuple[str, ...]) -> int:
        """The rule of all strings but some."""

        def build() -> int:
            start, inside, end = self.network.states(3)
            self.network.byte(start, _QUOTE, _QUOTE, inside)
            self.network.call(inside, self._texts.others(excluded), end)
            self.network.final(end)
            return start

        return self.network.rule(build, nullable=False, name="string")

    # Arrays -------------------------------------------------------------------------------------------------------

    def _is_possible_array(self, arrays: Arrays) -> bool:
        """Test whether an array record is satisfiable."""
        if arrays.repeated:
            return any(map(self._is_possible_array, self.facts.without_repetition(arrays)))
        if arrays.contains:
            plan = self.facts.array_plan(arrays)
            return self.facts.is_satisfiable(PlanState(plan, plan.start))
        least, most = self.facts.length(arrays)
        if most is not None and least > most:
            return False
        plan = self.facts.distinct_plan(arrays)
        return plan is None or plan.completes(frozenset(), 0)

    def _array(self, arrays: Arrays, depth: int) -> int:
        rule = self._arrays.get((arrays, depth))
        if rule is None:
            rule = self._arrays[arrays, depth] = self.network.rule(
                lambda: self._build_any_array(arrays, depth), nullable=False, name="array"
            )
        return rule

    def _build_any_array(self, arrays: Arrays, depth: int) -> int:
        if arrays.repeated:
            return self._either([self._array(one, depth) for one in self._repeated(arrays)])
        plan = self.facts.distinct_plan(arrays)
        if plan is not None:
            tracker = self.network.item_tracker
            if isinstance(tracker, ArrayItemTracker):
                tracker.has_few = tracker.has_few or plan.has_few
                tracker.has_containers = tracker.has_containers or plan.has_containers
                tracker.has_short_strings = tracker.has_short_strings or plan.has_short_strings
                tracker.has_short_numbers = tracker.has_short_numbers or plan.has_short_numbers
            if not plan.lists_none:
                writer = DistinctWriter(self.network, self.layout, self.encoding, self._texts, self.value, plan, depth)
                return writer.build()
        return self._build_planned_array(arrays, depth) if arrays.contains else self._build_array(arrays, depth)

    def _repeated(self, arrays: Arrays) -> Iterator[Arrays]:
        """Examples of arrays with two equal items: at each two positions a shortest value that fits both.

        Raises:
            UnsupportedFeature: there is no such value, as items of the items must differ or be equal.
        """
        from guidance_kit.fsm.shortest import shortest_text  # brings the matcher, which networks do not need

        document = self.facts.document
        is_empty = True
        for first, second, one in self.facts.repetitions(arrays):
            if not self._is_possible_array(one):
                continue
            network = Network()
            network.root = ValueWriter(network, self.facts, self.layout, self.encoding).value(one.item(first))
            text = shortest_text(network)
            if text is not None:
                value = document.constant(document.root, json.loads(text))
                prefix = list(one.prefix)
                prefix[first] = prefix[second] = value
                yield replace(one, prefix=tuple(prefix))
                is_empty = False
        if is_empty:
            raise UnsupportedFeature("equal items without a short value", where="")

    def _build_array(self, arrays: Arrays, depth: int) -> int:
        network, layout = self.network, self.layout
        least, most = self.facts.length(arrays)
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
            self._write_item(arrays, count, depth, before, after)
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

    def _write_item(self, arrays: Arrays, index: int, depth: int, before: int, after: int) -> None:
        """Write an item from `before` to `after`, where it is new if items have to differ."""
        network = self.network
        last = after
        if self.facts.distinct_plan(arrays) is not None:
            last = network.state()
            network.fresh(last, after, ITEM)
        network.call(before, self.value(arrays.item(index), depth + 1), last)

    def _build_planned_array(self, arrays: Arrays, depth: int) -> int:
        """Write an array with `contains`: a state before and one after an item for each state of its `ArrayPlan`."""
        network, layout, holds = self.network, self.layout, self.facts.is_satisfiable
        plan = self.facts.array_plan(arrays)
        start, end = network.states(2)
        network.final(end)
        if plan.may_end(plan.start):
            layout.empty(network, start, end, "[]")
        after: dict[ArrayPlace, int] = {}
        todo = [plan.start]
        while todo:
            place = todo.pop()
            steps = [step for step in plan.steps(place) if holds(step.node) and holds(PlanState(plan, step.then))]
            if place in after and plan.may_end(place):
                layout.close(network, after[place], end, "]", depth)
            if not steps:
                continue
            before = network.state()
            if place in after:
                layout.separate(network, after[place], before, depth)
            else:
                layout.open(network, start, before, "[", depth)
            for node, then in steps:
                if then not in after:
                    after[then] = network.state()
                    todo.append(then)
                network.call(before, self.value(node, depth + 1), after[then])
        return start

    def _write_tail(self, arrays: Arrays, depth: int, source: int, end: int, least: int, most: int) -> None:
        """Write `least` to `most` further items of the same node, and the closing bracket."""
        network, layout = self.network, self.layout

        def further(here: int, there: int) -> None:
            before = network.state()
            layout.separate(network, here, before, depth)
            self._write_item(arrays, len(arrays.prefix), depth, before, there)

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


def any_value_rule(network: Network, *, layout: Layout, encoding: JsonString) -> int:
    """Declare the rule of all JSON texts.

    Args:
        layout: white space, which must not depend on the depth.
        encoding: how strings are spelt.
    """

    def write(other: Network) -> int:
        return ValueWriter(other, SchemaFacts(SchemaDocument(True)), layout, encoding).write_any_value()

    return joint_rule(network, "value", ("any value", layout, encoding.escapes), write, name="value")
