"""From arrays without equal items to rules of a network."""

from __future__ import annotations

from collections.abc import Callable

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.distinct_plan import DistinctPlan
from guidance_kit.grammars.json_schema.document import Node
from guidance_kit.grammars.json_schema.layout import Layout
from guidance_kit.grammars.json_schema.text_rules import TextRules
from guidance_kit.grammars.json_schema.values import Value

__all__ = ["DistinctWriter"]

_QUOTE = 0x22


class DistinctWriter:
    """Writes one kind of arrays with `uniqueItems`.

    What follows an item is a rule for each set of items, written when a text gets there.

    Args:
        network, layout: as of the `Writer`.
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

    def build(self) -> int:
        """Where the array begins."""
        network, nothing = self._network, frozenset[Value]()
        start, end = network.states(2)
        network.final(end)
        if self._plan.may_end(nothing):
            self._layout.empty(network, start, end, "[]")
        following = self._plan.following(nothing)
        if following:
            before = network.state()
            self._layout.open(network, start, before, "[", self._depth)
            self._write_next(before, nothing, following)
        return start

    def _rule(self, seen: frozenset[Value]) -> int:
        """The rule of what comes after some items."""
        rule = self._rules.get(seen)
        if rule is None:
            rule = self._rules[seen] = self._network.rule(lambda: self._build(seen), nullable=False, name="items")
        return rule

    def _build(self, seen: frozenset[Value]) -> int:
        network, layout = self._network, self._layout
        after = network.state()
        if self._plan.may_end(seen):
            end = network.state()
            network.final(end)
            layout.close(network, after, end, "]", self._depth)
        following = self._plan.following(seen)
        if following:
            before = network.state()
            layout.separate(network, after, before, self._depth)
            self._write_next(before, seen, following)
        return after

    def _write_next(self, before: int, seen: frozenset[Value], following: list[tuple[Value, Node]]) -> None:
        """The next item; all strings share their first quote."""
        network = self._network
        texts = [value[1] for value, _ in following if value[0] == "string"]
        inside = network.state() if texts else -1
        if texts:
            network.byte(before, _QUOTE, _QUOTE, inside)
        for value, node in following:
            after = network.state()
            network.jump(after, self._rule(seen | {value}))
            if value[0] == "string":
                network.call(inside, self._texts.rule(value[1], texts), after)
            else:
                network.call(before, self._value(node, self._depth + 1), after)
