"""Token budgets: number of tokens to a complete text, and tokens that leave enough of them."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from guidance_kit.fsm.kernels import codes, handles
from guidance_kit.fsm.kernels.arrays import Costs
from guidance_kit.fsm.kernels.columns import KEY_COST, KNOWN, REACH, USED, width
from guidance_kit.fsm.kernels.costs import find_costs
from guidance_kit.fsm.kernels.ends import find_ends
from guidance_kit.fsm.kernels.walks import drop_tokens
from guidance_kit.fsm.least import LeastBytes
from guidance_kit.fsm.least_keys import LeastKeys
from guidance_kit.fsm.memory import grown
from guidance_kit.fsm.slices import LONGEST_CHARACTER

if TYPE_CHECKING:
    from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["Budget"]

IMPOSSIBLE = 1 << 30
"""Instead of a number of tokens: there are no tokens that would do."""

MOST_PLACES = 128
"""Configurations; where tokens lead through more of them along the shortest texts, not all of these are tried."""


class Budget:
    """Numbers of tokens that lead from the configurations of an index to a complete text.

    A configuration's number is that of the fewest tokens into which one of its *shortest texts in bytes* can be cut
    (in a counted rule, of those with the fewest turns, which are within the maximum).
    While tokens lead through more than MOST_PLACES configurations along these texts, one token alone is looked at: that
    which leaves the fewest bytes, the first of several in the order of their bytes. A longer text may have fewer
    tokens, so a token may be forbidden that would have left just enough. But a token that is allowed always leaves
    enough, and if the number is within the budget, there is such a token: it is the least number of those to which
    tokens lead, plus one. What was asked before makes no difference.

    Where a text may need several names that are new, bytes count as tokens, those included with which names can be made
    new (see `LeastBytes`).

    All methods must be called with the automaton's lock held.
    """

    def __init__(self, index: TokenIndex) -> None:
        self._automaton = index.automaton
        self._trie = index.trie
        self._token_id_sets = index.token_id_sets
        self._least = LeastBytes(index.automaton.network)
        self._least_keys = LeastKeys(index.automaton.network, self._least)
        self._fewest: dict[int, int] = {}
        self._ahead: dict[int, list[int]] = {}
        self._bounds: dict[int, int] = {}
        nothing = np.zeros(1, dtype=np.int32)
        used = np.array(KNOWN._replace(nodes=1, ends=0, search=0), dtype=np.int64)
        reach, keys = np.zeros((1, width(REACH)), dtype=np.int32), np.zeros((1, width(KEY_COST)), dtype=np.int32)
        self._costs = Costs(nothing, nothing, nothing, nothing, nothing, reach, keys, used)
        self._handle: Any = None

    def fewest(self, config: int) -> int:
        """Tokens from `config` to a complete text, without the end-of-sequence token; IMPOSSIBLE if there are none."""
        fewest = self._fewest
        if self._automaton.network.needs_names or (self._trie.longest == 1 and self._token_id_sets is None):
            least = int(self._bytes(np.array([config], dtype=np.int32))[0])
            return least if least < codes.MOST_COST else IMPOSSIBLE
        if not self._search(config):
            way = [config]
            while way[-1] not in fewest and (nearer := self._nearer(way[-1])):
                way.append(nearer[0])
            first = bisect_left(way, True, lo=1, key=self._search)  # ever fewer configurations lie ahead
            for here, there in reversed(list(pairwise(way[: first + 1]))):
                fewest[here] = min(IMPOSSIBLE, 1 + fewest[there])
        return fewest[config]

    def suffices(self, config: int, left: int) -> bool:
        """Test whether `left` tokens lead from `config` to a complete text."""
        return int(self._bytes(np.array([config], dtype=np.int32))[0]) <= left or self.fewest(config) <= left

    def too_far(self, config: int, left: int) -> list[int]:
        """Configurations after allowed tokens of `config` that could not be completed in the budget.

        Args:
            left: how many tokens may still be taken, the one that leads there among them; at least 1.
        """
        if self.bound(config) < left:
            return []
        ends = self._ends(config, codes.ALL)
        distant = ends[self._bytes(ends) >= left]  # a byte takes one token at most
        return [end for end in distant.tolist() if self.fewest(end) >= left]

    def restrict(self, config: int, left: int, mask: np.ndarray) -> None:
        """Forbid the tokens that lead `too_far`.

        Args:
            mask: of `config`; int32, (words,), changed in place.
        """
        bad = self.too_far(config, left)
        if not bad:
            return
        self._costs.marks[bad] = -1
        drop_tokens(self._automaton.handle, self._trie.handle, self._handle, config, mask)
        self._costs.marks[bad] = 0
        for token in self._trie.overlong:
            if self._automaton.advance_token(self._trie.handle, config, token) in bad:
                mask[token >> 5] &= ~(np.uint32(1) << np.uint32(token & 31)).view(np.int32)

    def bound(self, config: int) -> int:
        """No token that is allowed in `config` leaves more bytes than this to a complete text."""
        bound = self._bounds.get(config)
        if bound is None:
            ends = self._ends(config, codes.ROUGHLY)
            bound = self._bounds[config] = int(self._bytes(ends).max(initial=0)) + LONGEST_CHARACTER - 1
        return bound

    def _search(self, config: int) -> bool:
        """Find the numbers of a configuration and of all those ahead, unless these are too many.

        Returns:
            Whether they are known now.
        """
        fewest = self._fewest
        if config in fewest:
            return True
        places, found = [config], {config}
        for here in places:
            for there in self._nearer(here):
                if there not in found:
                    found.add(there)
                    places.append(there)
            if len(places) > MOST_PLACES:
                return False
        ordered = np.array(places, dtype=np.int32)
        for here in ordered[np.argsort(self._bytes(ordered))].tolist():
            if self._automaton.is_complete(here):
                fewest[here] = 0
            else:
                least = min((fewest[there] for there in self._nearer(here)), default=IMPOSSIBLE)
                fewest[here] = min(IMPOSSIBLE, 1 + least)
        return True

    def _nearer(self, config: int) -> list[int]:
        """Configurations after tokens along the shortest texts, the nearest to the end first."""
        nearer = self._ahead.get(config)
        if nearer is None:
            ends = self._ends(config, codes.SHORTEST)
            nearer = self._ahead[config] = ends[np.argsort(self._bytes(ends), kind="stable")].tolist()
        return nearer

    def _ends(self, config: int, which: int) -> np.ndarray:
        """Configurations after the tokens that are allowed in `config`, see `find_ends`: int32."""
        begin = 0
        while True:
            self._reach()
            code = find_ends(self._automaton.handle, self._trie.handle, self._handle, config, which, begin)
            if code >= 0:
                break
            begin = int(self._automaton.arena.used[USED.resume])
            self._supply(code)
        ends = self._costs.ends[: self._costs.used[KNOWN.ends]].copy()
        if self._trie.overlong and which != codes.SHORTEST:
            advance = self._automaton.advance_token
            more = {advance(self._trie.handle, config, token) for token in self._trie.overlong} - {codes.DEAD}
            ends = np.union1d(ends, np.array(sorted(more), dtype=np.int32))
        if self._token_id_sets is not None and self._token_id_sets.ends(config):
            more = self._token_id_sets.all_ends(config, ends, is_rough=which == codes.ROUGHLY)
            if which == codes.SHORTEST:
                more = more[self._bytes(more) < self._bytes(np.array([config], dtype=np.int32))]
            ends = more
        return ends

    def _bytes(self, configs: np.ndarray) -> np.ndarray:
        """The least number of bytes from some configurations to a complete text: int32."""
        costs = np.empty(len(configs), dtype=np.int32)
        while True:
            self._reach()
            code = find_costs(self._automaton.handle, self._handle, configs, costs)
            if code >= 0:
                return costs
            self._supply(code)

    def _supply(self, code: int) -> None:
        """Do what a kernel asked for by a negative code."""
        if code != codes.NEED_COSTS:
            self._automaton.make_room(code)
            return
        used = self._automaton.arena.used
        for state in self._automaton.arena.needed[: used[USED.needed]].tolist():
            self._costs.states[state] = 1 + self._least.of(state)
            rule = self._automaton.network.keyed_starts.get(state)  # asked for before all other states of the rule
            if rule is not None:
                self._enter_keys(rule)
            reach = self._least_keys.reach(state)
            if reach is not None:
                self._costs.reach[state] = reach

    def _enter_keys(self, rule: int) -> None:
        """Enter the costs of the keys of a keyed rule."""
        costs = self._least_keys.costs(rule)
        base = 64 * self._automaton.network.rules[rule].full
        self._costs.keys[base : base + len(costs.weights), KEY_COST.weight] = costs.weights
        self._costs.keys[base : base + len(costs.costs), KEY_COST.cost] = costs.costs

    def _reach(self) -> None:
        """Have room for all states, nodes and configurations for which the automaton has room."""
        arena, costs = self._automaton.arena, self._costs
        states, nodes, configs = len(arena.states), len(arena.nodes), len(arena.configs)
        keys = 64 * len(arena.full_sets)
        if (len(costs.states), len(costs.nodes), len(costs.configs), len(costs.keys)) != (states, nodes, configs, keys):
            self._costs = Costs(
                states=grown(costs.states, states),
                nodes=grown(costs.nodes, nodes),
                configs=grown(costs.configs, configs),
                marks=grown(costs.marks, configs),
                ends=grown(costs.ends, configs),
                reach=grown(costs.reach, states),
                keys=grown(costs.keys, keys),
                used=costs.used,
            )
            self._handle = handles.handle_of(self._costs)
