"""The least number of bytes from a state of a network to the end of its rule."""

from __future__ import annotations

from heapq import heappop, heappush

from guidance_kit.fsm.kernels.codes import MOST_COST
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL, EPSILON, FRESH, JUMP, NONE_LEFT, SOME_LEFT, TAKE, TURN, WITHIN
from guidance_kit.fsm.written import KEY

__all__ = ["LeastBytes"]


class LeastBytes:
    """Shortest texts by Knuth's generalisation of Dijkstra's algorithm to grammars (Inf. Process. Lett. 6, 1977).

    A rule is built when the search gets there.

    Args:
        network: it grows while it is searched. If several names may be needed, each that is not begun counts SPARE
            more, so that there is room to make it a new one.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._known: dict[int, int] = {}

    def of(self, state: int) -> int:
        """Bytes from `state` to the end of its rule, or of the turn if the rule is a repetition; at most MOST_COST.

        In a counted rule, it is the shortest text of those with the fewest turns, which are always within the maximum.
        In a keyed rule, all keys are left, but none is required; see `least_keys.LeastKeys`.
        """
        if state not in self._known:
            self._search(state)
        return min(MOST_COST, self._known[state] % _TURN)

    def of_call(self, rule: int, target: int) -> int:
        """Bytes that a call of a plain rule reads, which returns to `target`."""
        if self._network.rules[rule].nullable:
            return 0
        return min(MOST_COST, self._spare(target) + self.of(self._network.ensure_built(rule)))

    def _spare(self, target: int) -> int:
        """Bytes that a call counts for its text to become a new name."""
        edges = self._network.edges[target] if self._network.needs_names else ()
        return SPARE if edges and edges[0][::2] == (FRESH, KEY) else 0

    def _search(self, source: int) -> None:
        """Find the cost of `source`, and of all states on the ways that are found meanwhile.

        A way begins at a *root*: the source, or the start of a rule that a way calls. The places of all ways are
        visited in the order of their distances from their own roots. A rule that is called when ways have come some
        distance begins at 0, and catches up before any way goes farther: so each first visit is by a shortest way.
        A counted rule, whose distances are of another kind, is searched on its own.
        """
        network, known = self._network, self._known
        visited: dict[tuple[int, int], tuple[int, int]] = {}  # (root, state): distance, state before
        callers: dict[int, list[tuple[int, int, int, int, int]]] = {source: []}
        todo: list[tuple[int, int, int, int]] = []  # distance, root, state (END: the end of the rule), state before

        def settle(state: int, cost: int) -> None:
            known[state] = cost
            for distance, root, target, before, times in callers.get(state, ()):
                heappush(todo, (distance + min(MOST_COST, times * cost), root, target, before))

        heappush(todo, (0, source, source, END))
        while source not in known:
            distance, root, state, before = heappop(todo)
            if root in known or (root, state) in visited:
                continue
            visited[root, state] = distance, before
            if state == END:
                while before != END:
                    along, previous = visited[root, before]
                    if before not in known:
                        settle(before, distance - along)
                    before = previous
                continue
            if state in known:
                heappush(todo, (distance + known[state], root, END, state))
                continue
            for op, a, b in network.edges[state]:
                if op >= 0:
                    heappush(todo, (distance + 1, root, a, state))
                elif op in _EMPTY:
                    heappush(todo, (distance, root, a, state))
                elif op == TURN:
                    heappush(todo, (distance + _TURN, root, a, state))
                elif op == JUMP:
                    heappush(todo, (distance, root, network.ensure_built(a), state))
                elif op != CALL:
                    heappush(todo, (distance, root, END, state))
                elif network.rules[a].nullable:
                    heappush(todo, (distance, root, b, state))
                else:
                    distance += self._spare(b)
                    keys = network.rules[a].key_set
                    if keys is not None and keys.in_order is not None:
                        a = keys.in_order
                    start, times = network.ensure_built(a), network.rules[a].minimum
                    if network.rules[a].slack >= 0:
                        times = 1
                        if start not in known:
                            self._search(start)
                    if start in known:
                        cost = min(MOST_COST, times * (known[start] % _TURN))
                        heappush(todo, (distance + cost, root, b, state))
                        continue
                    if start not in callers:
                        callers[start] = []
                        heappush(todo, (0, start, start, END))
                    callers[start].append((distance, root, b, state, times))


SPARE = 4
"""Bytes; there are millions of texts of so many."""

_EMPTY = {EPSILON, FRESH, WITHIN, SOME_LEFT, TAKE, NONE_LEFT}
"""Edges that lead to a state and read nothing."""

_TURN = 1 << 64
"""In distances, what one turn of a counted rule counts: more than all bytes of a way."""

END = -1
"""Instead of a state: the end of a rule, or the place before its start."""
