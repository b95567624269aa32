"""The least number of bytes from a state of a network to the end of its rule."""

from __future__ import annotations

from heapq import heappop, heappush

from guidance_kit.fsm.kernels import MOST_COST
from guidance_kit.fsm.network import CALL, EPSILON, Network

__all__ = ["LeastBytes"]


class LeastBytes:
    """Shortest texts by Knuth's generalisation of Dijkstra's algorithm to grammars (Inf. Process. Lett. 6, 1977).

    A rule is built when the search gets there.

    Args:
        network: it grows while it is searched.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._known: dict[int, int] = {}

    def of(self, state: int) -> int:
        """Bytes from `state` to the end of its rule, or of the turn if the rule is a repetition; at most MOST_COST."""
        if state not in self._known:
            self._search(state)
        return self._known[state]

    def _search(self, source: int) -> None:
        """Find the cost of `source`, and of all states on the ways that are found meanwhile.

        A way begins at a *root*: the source, or the start of a rule that a way calls. The places of all ways are
        visited in the order of their distances from their own roots. A rule that is called when ways have come some
        distance begins at 0, and catches up before any way goes farther: so each first visit is by a shortest way.
        """
        network, known = self._network, self._known
        visited: dict[tuple[int, int], tuple[int, int]] = {}  # (root, state): distance, state before
        callers: dict[int, list[tuple[int, int, int, int, int]]] = {source: []}
        todo: list[tuple[int, int, int, int]] = []  # distance, root, state (END: the end of the rule), state before

        def settle(state: int, cost: int) -> None:
            known[state] = cost
            for distance, root, target, before, turns in callers.get(state, ()):
                heappush(todo, (min(MOST_COST, distance + turns * cost), root, target, before))

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
                        settle(before, min(MOST_COST, distance - along))
                    before = previous
                continue
            if state in known:
                heappush(todo, (min(MOST_COST, distance + known[state]), root, END, state))
                continue
            for op, a, b in network.edges[state]:
                if op >= 0:
                    heappush(todo, (min(MOST_COST, distance + 1), root, a, state))
                elif op == EPSILON:
                    heappush(todo, (distance, root, a, state))
                elif op != CALL:
                    heappush(todo, (distance, root, END, state))
                elif network.rules[a].nullable:
                    heappush(todo, (distance, root, b, state))
                else:
                    start, turns = network.ensure_built(a), network.rules[a].minimum
                    if start in known:
                        heappush(todo, (min(MOST_COST, distance + turns * known[start]), root, b, state))
                        continue
                    if start not in callers:
                        callers[start] = []
                        heappush(todo, (0, start, start, END))
                    callers[start].append((distance, root, b, state, turns))


END = -1
"""Instead of a state: the end of a rule, or the place before its start."""
