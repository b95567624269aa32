"""Network rules of arrays with `uniqueItems` of which some items are listed."""

from __future__ import annotations

from collections.abc import Callable

from guidance_kit.fsm.key_set import KeySet
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.written import ITEM
from guidance_kit.grammars.json_schema.arrays.distinct_plan import DistinctPlan
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.facts.values import Value
from guidance_kit.grammars.json_schema.layout import Layout
from guidance_kit.grammars.json_schema.strings.encoding import JsonString, TextRules

__all__ = ["DistinctWriter"]

_QUOTE = 0x22

_State = tuple[frozenset[Value], int]
"""Listed values among the items so far, and the number of items as far as it matters."""


class DistinctWriter:
    """Writer of the rules of one array record with `uniqueItems`.

    There is a rule for the items that may follow each set of listed items, written when a text gets there. Where there
    are others, each item ends at a `fresh` edge. A selection of strings is a keyed rule instead.

    Args:
        network, layout: as of the `ValueWriter`.
        encoding, texts: how strings are spelt, and rules for them.
        value: gives the rule of the values of a satisfiable node at a depth.
        plan: what may follow what.
        depth: number of arrays and objects around the array.
    """

    def __init__(
        self,
        network: Network,
        layout: Layout,
        encoding: JsonString,
        texts: TextRules,
        value: Callable[[Node, int], int],
        plan: DistinctPlan,
        depth: int,
    ) -> None:
        self._network = network
        self._layout = layout
        self._encoding = encoding
        self._texts = texts
        self._value = value
        self._plan = plan
        self._depth = depth
        self._rules: dict[_State, int] = {}
        self._endings: dict[_State, int] = {}

    def build(self) -> int:
        """Rule of the array, from its first item on."""
        network, nothing = self._network, (frozenset[Value](), 0)
        start, end = network.states(2)
        network.final(end)
        if self._plan.may_end(0):
            self._layout.empty(network, start, end, "[]")
        if self._goes_on(nothing):
            before = network.state()
            self._layout.open(network, start, before, "[", self._depth)
            if self._plan.selected:
                network.call(before, self._selection(self._plan.selected), end)
            else:
                network.jump(before, self._rule(nothing))
        return start

    def _selection(self, texts: list[str]) -> int:
        """Keyed rule of strings in any order, each at most once, and the end of the array."""
        keys = KeySet(
            count=len(texts), required=0, in_order=None, write_plainly=lambda: self._build((frozenset[Value](), 0))
        )
        return self._network.keyed(lambda: self._write_selection(texts), keys, name="items")

    def _write_selection(self, texts: list[str]) -> int:
        network, layout = self._network, self._layout
        before, inside, behind, after, last, more, end = network.states(7)
        network.final(end)
        network.byte(before, _QUOTE, _QUOTE, inside)
        closed = network.states(len(texts))
        self._encoding.one_of_left(network, inside, texts, closed)
        for number, state in enumerate(closed):
            network.take(state, number, behind)
        network.epsilon(behind, after)
        network.none_left(after, last)
        layout.close(network, last, end, "]", self._depth)
        network.some_left(after, range(len(texts)), more)
        layout.separate(network, more, before, self._depth)
        return before

    def _goes_on(self, state: _State) -> bool:
        """Test whether another item may follow."""
        return self._plan.has_other(*state) or bool(self._plan.listed(*state))

    def _rule(self, state: _State) -> int:
        """Rule of the next item and the rest of the array."""
        rule = self._rules.get(state)
        if rule is None:
            rule = self._rules[state] = self._network.rule(lambda: self._build(state), nullable=False, name="items")
        return rule

    def _build(self, state: _State) -> int:
        network, plan = self._network, self._plan
        seen, count = state
        before, end = network.states(2)
        network.final(end)
        listed = plan.listed(seen, count)
        texts = [value[1] for value, _ in listed if value[0] == "string"]
        inside = network.state() if texts else -1
        if texts:  # strings share their first quote: where white space is read, there are few states to keep
            network.byte(before, _QUOTE, _QUOTE, inside)
        for value, node in listed:
            after = self._after((seen | {value}, plan.next_count(count)))
            if value[0] == "string":
                network.call(inside, self._texts.rule(value[1], texts), after)
            else:
                network.call(before, self._value(node, self._depth + 1), after)
        other = plan.other(seen, count)
        if other is not None:
            after = self._after((seen, plan.next_count(count)))
            network.call(before, self._value(other, self._depth + 1), after)
        return before

    def _after(self, state: _State) -> int:
        """State behind an item."""
        network = self._network
        after = network.state()
        if self._plan.has_others:
            whole = network.state()
            network.fresh(after, whole, ITEM)
            network.jump(whole, self._ending(state))
        else:
            network.jump(after, self._ending(state))
        return after

    def _ending(self, state: _State) -> int:
        """Rule of the rest of the array after some items."""
        rule = self._endings.get(state)
        if rule is None:

            def build() -> int:
                after, end = self._network.states(2)
                self._network.final(end)
                if self._plan.may_end(state[1]):
                    self._layout.close(self._network, after, end, "]", self._depth)
                if self._goes_on(state):
                    following = self._network.state()
                    self._layout.separate(self._network, after, following, self._depth)
                    self._network.jump(following, self._rule(state))
                return after

            rule = self._endings[state] = self._network.rule(build, nullable=False, name="after an item")
        return rule
