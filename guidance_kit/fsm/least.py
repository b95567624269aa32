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

    A rule is built when the search gets there. What a search learns of states off its shortest ways, a bound on their
    costs, leads the next ones, as in Adaptive A* (Koenig and Likhachev, AAMAS 2006).

    Args:
        network: it grows while it is searched. If several names may be needed, each that is not begun counts SPARE
            more, so that there is room to make it a new one.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._known: dict[int, int] = {}
        self._bounds: dict[int, int] = {}  # least costs of states as far as searches that are over have seen
        self._learnt: dict[int, int] = {}

    def of(self, state: int) -> int:
        """Bytes from `state` to the end of its rule, or of the turn if the rule is a repetition; at most MOST_COST.

        In a counted rule, it is the shortest text of those with the fewest turns, which are always within the maximum.
        In a keyed rule, all keys are left, but none is required; see `least_keys.LeastKeys`.
        """
        if state not in self._known:
            self._search(state)
            self._bounds |= self._learnt
            self._learnt.clear()
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
        visited in the order of their ranks: the distance from their own root, and the bound on what follows. A rule
        that is called when ways have come some distance begins at its bound, and catches up before any way goes
        farther: so each first visit is by a shortest way. This needs that no edge is shorter than the difference of the
        bounds at its ends, so what is learnt counts for the next search only. A counted rule, whose distances are of
        another kind, is searched on its own.
        """
        network, known, bounds = self._network, self._known, self._bounds
        visited: dict[tuple[int, int], tuple[int, int]] = {}  # (root, state): distance, state before
        callers: dict[int, list[tuple[int, int, int, int, int]]] = {source: []}
        todo: list[tuple[int, int, int, int, int]] = []  # rank, -distance, root, state (END: of the rule), state before

        def push(distance: int, root: int, state: int, before: int) -> None:
            heappush(todo, (distance + bounds.get(state, 0), -distance, root, state, before))

        ended: dict[int, int] = {}  # root: rank up to which its ways were followed

        def settle(state: int, cost: int) -> None:
            known[state], ended[state] = cost, rank
            for distance, root, target, before, times in callers.get(state, ()):
                push(distance + min(MOST_COST, times * cost), root, target, before)

        rank = 0
        push(0, source, source, END)
        while source not in known:
            rank, minus, root, state, before = heappop(todo)
            if root in known or (root, state) in visited:
                continue
            distance = -minus
            visited[root, state] = distance, before
            if state == END:
                while before != END:
                    along, previous = visited[root, before]
                    if before not in known:
                        settle(before, distance - along)
                    before = previous
                continue
            if state in known:
                push(distance + known[state], root, END, state)
                continue
            for op, a, b in network.edges[state]:
                if op >= 0:
                    push(distance + 1, root, a, state)
                elif op in _EMPTY:
                    push(distance, root, a, state)
                elif op == TURN:
                    push(distance + _TURN, root, a, state)
                elif op == JUMP:
                    push(distance, root, network.ensure_built(a) + b, state)
                elif op != CALL:
                    push(distance, root, END, state)
                elif network.rules[a].nullable:
                    push(distance, root, b, state)
                else:
                    along = distance + self._spare(b)
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
                        push(along + cost, root, b, state)
                        continue
                    if start not in callers:
                        callers[start] = []
                        push(0, start, start, END)
                    callers[start].append((along, root, b, state, times))
        for (root, state), (distance, _) in visited.items():
            bound = known[state] if state in known else ended.get(root, rank) - distance
            self._learnt[state] = max(bound, self._learnt.get(state, 0), bounds.get(state, 0))


SPARE = 4
"""Bytes; there are millions of texts of so many."""

_EMPTY = {EPSILON, FRESH, WITHIN, SOME_LEFT, TAKE, NONE_LEFT}
"""Edges that lead to a state and read nothing."""

_TURN = 1 << 64
"""In distances, what one turn of a counted rule counts: more than all bytes of a way."""

END = -1
"""Instead of a state: the end of a rule, or the place before its start."""
