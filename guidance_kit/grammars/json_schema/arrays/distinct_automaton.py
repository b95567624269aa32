"""Network rules of arrays with `uniqueItems`."""

from __future__ import annotations

from collections.abc import Callable

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.arrays.distinct_plan import DistinctPlan
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.facts.values import Value, frozen
from guidance_kit.grammars.json_schema.layout import Layout
from guidance_kit.grammars.json_schema.strings.encoding import TextRules
from guidance_kit.grammars.json_schema.strings.last_value import last_value

__all__ = ["DistinctWriter"]

_QUOTE = 0x22


class DistinctWriter:
    """Writer of the rules of one array record with `uniqueItems`.

    There is a rule for the items that may follow each set of items, written when a text gets there. After an item that
    is one of a list, the set is known; after another one, the text says what it was.

    Args:
        network, layout: as of the `ValueWriter`.
        texts: rules for strings.
        value: gives the rule of the values of a satisfiable node at a depth.
        plan: what may follow what.
        depth: number of arrays and objects around the array.
    """

    def __init__(
        self,
        network: Network,
        layout: Layout,
        texts: TextRules,
        value: Callable[[Node, int], int],
        plan: DistinctPlan,
        depth: int,
    ) -> None:
        self._network = network
        self._layout = layout
        self._texts = texts
        self._value = value
        self._plan = plan
        self._depth = depth
        self._rules: dict[frozenset[Value], int] = {}
        self._endings: dict[frozenset[Value], int] = {}

    def build(self) -> int:
        """Rule of the array, from its first item on."""
        network, nothing = self._network, frozenset[Value]()
        start, end = network.states(2)
        network.final(end)
        if self._plan.may_end(0):
            self._layout.empty(network, start, end, "[]")
        if self._goes_on(nothing, 0):
            before = network.state()
            self._layout.open(network, start, before, "[", self._depth)
            network.jump(before, self._rule(nothing))
        return start

    def _goes_on(self, seen: frozenset[Value], count: int) -> bool:
        """Test whether another item may follow."""
        return self._plan.has_other(seen, count) or bool(self._plan.listed(seen, count))

    def _rule(self, seen: frozenset[Value]) -> int:
        """Rule of the next item and the rest of the array."""
        rule = self._rules.get(seen)
        if rule is None:
            rule = self._rules[seen] = self._network.rule(lambda: self._build(seen), nullable=False, name="items")
        return rule

    def _build(self, seen: frozenset[Value]) -> int:
        network, plan = self._network, self._plan
        before, end = network.states(2)
        network.final(end)
        listed = plan.listed(seen, len(seen))
        texts = [value[1] for value, _ in listed if value[0] == "string"]
        inside = network.state() if texts else -1
        if texts:  # strings share their first quote: where white space is read, there are few states to keep
            network.byte(before, _QUOTE, _QUOTE, inside)
        for value, node in listed:
            after = network.state()
            network.jump(after, self._ending(seen | {value}))
            if value[0] == "string":
                network.call(inside, self._texts.rule(value[1], texts), after)
            else:
                network.call(before, self._value(node, self._depth + 1), after)
        other = plan.other(seen, len(seen))
        if other is not None:
            after = network.state()
            network.call(before, self._value(other, self._depth + 1), after)
            following = self._end_or_separate(after, end, seen, len(seen) + 1)
            if following >= 0:
                network.recall(following, lambda text: self._rule(seen | {frozen(last_value(text))}))
        return before

    def _ending(self, seen: frozenset[Value]) -> int:
        """Rule of the rest of the array after known items."""
        rule = self._endings.get(seen)
        if rule is None:

            def build() -> int:
                after, end = self._network.states(2)
                self._network.final(end)
                following = self._end_or_separate(after, end, seen, len(seen))
                if following >= 0:
                    self._network.jump(following, self._rule(seen))
                return after

            rule = self._endings[seen] = self._network.rule(build, nullable=False, name="after an item")
        return rule

    def _end_or_separate(self, after: int, end: int, seen: frozenset[Value], count: int) -> int:
        """Let the array end, or go on, after `count` items; return the state before the next one, or -1."""
        if self._plan.may_end(count):
            self._layout.close(self._network, after, end, "]", self._depth)
        if not self._goes_on(seen, count):
            return -1
        following = self._network.state()
        self._layout.separate(self._network, after, following, self._depth)
        return following
