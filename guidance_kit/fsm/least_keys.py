"""The least number of bytes from a state of a keyed rule to its end, with any of its keys left."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from guidance_kit.fsm.kernels.codes import MOST_COST
from guidance_kit.fsm.least import LeastBytes
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL, FRESH, JUMP, NONE_LEFT, TAKE

__all__ = ["KeyCosts", "LeastKeys", "Reach"]


class Reach(NamedTuple):
    """The properties that a state of a keyed rule is in front of, or within the keys of.

    Args:
        first, end: bounds of the numbers of their keys; the number of keys stands for all names that are no keys.
        read: bytes of these properties that have been read, without separators before them; less than 0 before these.
    """

    first: int
    end: int
    read: int


@dataclass(frozen=True, slots=True)
class KeyCosts:
    """Costs of the properties of a keyed rule.

    The least number of bytes from a state to the end of the rule is the sum of the weights of the keys left, plus the
    least cost of those that the state can reach, less the bytes that have been read.

    Attributes:
        weights: for each key 0; or, if it is required, the bytes of its property and of the separator before it.
        costs: for each key, and at last for names that are no keys, the bytes of its property and of the end of the
            rule, less its weight; MOST_COST if there are no such names.
    """

    weights: list[int]
    costs: list[int]


@dataclass(slots=True)
class _Search:
    """States up to the ends of the next keys.

    Attributes:
        lasts: for each key the bytes to the end of the rule, if its property is the last one.
        states: those before the ends of the keys.
        colons: those behind keys.
        after: the one between two properties; -1 if it was not reached.
    """

    lasts: dict[int, int] = field(default_factory=dict)
    states: set[int] = field(default_factory=set)
    colons: list[int] = field(default_factory=list)
    after: int = -1


class LeastKeys:
    """Shortest texts of keyed rules: a property has the same bytes whichever others are left.

    Args:
        least: of the same network.
    """

    def __init__(self, network: Network, least: LeastBytes) -> None:
        self._network = network
        self._least = least
        self._lasts: dict[int, list[int]] = {}
        self._rules: dict[int, int] = {}

    def costs(self, rule: int) -> KeyCosts:
        """Costs of the properties of a built keyed rule."""
        keys = self._network.rules[rule].key_set
        assert keys is not None
        first = self._search(self._network.rules[rule].start, keys.count)
        after = self._search(first.colons[0], keys.count).after
        further = self._search(after, keys.count)
        self._rules.update(dict.fromkeys(first.states | further.states - {after}, rule))
        lasts = self._lasts[rule] = [first.lasts.get(key, MOST_COST) for key in range(keys.count + 1)]
        close = self._least.of(after)
        weights = [further.lasts[key] - close if keys.required >> key & 1 else 0 for key in range(keys.count)]
        costs = [last - weight for last, weight in zip(lasts, [*weights, 0], strict=True)]
        return KeyCosts(weights, costs)

    def reach(self, state: int) -> Reach | None:
        """The properties that a state can reach; None if it is behind a key, or in a rule without known costs."""
        rule = self._rules.get(state)
        if rule is None:
            return None
        lasts = self._lasts[rule]
        ahead = self._search(state, len(lasts) - 1).lasts
        first = min(ahead)
        return Reach(first, max(ahead) + 1, lasts[first] - ahead[first])

    def _search(self, source: int, count: int) -> _Search:
        """Search the states from one of a keyed rule with `count` keys, by Dijkstra's algorithm."""
        network, least = self._network, self._least
        found = _Search()
        todo = [(0, source)]
        while todo:
            distance, state = heappop(todo)
            if state in found.states or state == found.after:
                continue
            if state != source and any(op == NONE_LEFT for op, _, _ in network.edges[state]):
                found.after = state
                continue
            found.states.add(state)
            for op, a, b in network.edges[state]:
                if op in (TAKE, FRESH):
                    key = b if op == TAKE else count
                    last = distance + least.of(a)
                    found.lasts[key] = min(last, found.lasts.get(key, last))
                    found.colons.append(a)
                elif op == CALL:
                    heappush(todo, (distance + least.of_call(a, b), b))
                elif op == JUMP:
                    heappush(todo, (distance, network.ensure_built(a) + b))
                elif op != NONE_LEFT:
                    heappush(todo, (distance + (op >= 0), a))
        return found
