"""Tokens that are taken by their numbers, where a network reads sets of tokens."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.fsm import bitmask
from guidance_kit.fsm.kernels import DEAD
from guidance_kit.fsm.network import MARK, numbered

if TYPE_CHECKING:
    from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["ByNumber"]

_MOST_KNOWN = 4_096
"""Configurations for which it is remembered where tokens lead."""


class ByNumber:
    """What the masks of an index lack: tokens that are in a set which the network reads.

    In a network a set of tokens has a spelling of its own, which is in no trie. So the automaton knows, as for a
    special token, whether one of the set can come and what follows then, and the masks of the tries know nothing of it;
    the sets that can come are added to a mask whenever it is asked for.

    A token may be *ambiguous*: it is in several of these sets, or in one and its text can be read, too. It leads to the
    configuration of all that can follow then. Only where tokens run out, each of these is looked at for itself, since
    what is left to be read after it may be less than after any other token.

    Args:
        index: of the network.
    """

    def __init__(self, index: TokenIndex) -> None:
        self._index: TokenIndex = weakref.proxy(index)  # which has this: both go as soon as the index is not used
        self._automaton = index.automaton
        self._members = np.stack([chosen.of(index.vocabulary) for chosen in index.automaton.network.token_sets])
        self._masks = [bitmask.pack(members) for members in self._members]
        self._ends: dict[int, list[tuple[int, int]]] = {}
        self._ambiguous: dict[int, list[int]] = {}
        self._all_ends: dict[int, np.ndarray] = {}

    def ends(self, config: int) -> list[tuple[int, int]]:
        """The sets of which a token can come: the number of each, and the configuration after one of its tokens."""
        found = self._ends.get(config)
        if found is None:
            found = self._ends[config] = self._find_ends(config)
            if len(self._ends) > _MOST_KNOWN:
                for known in (self._ends, self._ambiguous, self._all_ends):
                    known.clear()
        return found

    def after(self, config: int, token: int) -> int:
        """The configuration after a token that is taken by its number, 0 if it cannot be."""
        after = DEAD
        for number, end in self.ends(config):
            if self._members[number, token]:
                after = self._automaton.united(after, end) if after else end
        return after

    def add(self, config: int, left: int | None, mask: np.ndarray) -> None:
        """Allow the sets that can come, but for those after which a text could not be completed.

        Args:
            left: how many tokens may still be taken, None for any number.
            mask: of `config` and `left`; int32, (words,), changed in place. Where there is a bound, `ambiguous` tokens
                are left to the caller.
        """
        for number, end in self.ends(config):
            if left is None or self._index.suffices(end, left - 1):
                mask |= self._masks[number]

    def ambiguous(self, config: int) -> list[int]:
        """The tokens that can be taken in several ways."""
        found = self._ambiguous.get(config)
        if found is None:
            ways = sum(self._members[number].astype(np.int8) for number, _ in self.ends(config))
            by_text = bitmask.unpack(self._index.mask(config), len(self._members[0]))
            found = self._ambiguous[config] = np.flatnonzero((ways > 0) & (ways + by_text > 1)).tolist()
        return found

    def all_ends(self, config: int, by_text: np.ndarray, *, is_rough: bool) -> np.ndarray:
        """Where tokens lead, if they are taken by number or by text.

        Args:
            by_text: where they lead by their texts; int32.
            is_rough: whether these will do for ambiguous tokens, which leave no more to be read.
        """
        if is_rough or not self.ambiguous(config):
            return np.union1d(by_text, np.array([end for _, end in self.ends(config)], dtype=np.int32))
        found = self._all_ends.get(config)
        if found is None:
            allowed = self._index.mask(config)
            self.add(config, None, allowed)
            advance = self._index.advance
            ends = {advance(config, token)[0] for token in bitmask.tokens_of(allowed).tolist()} - {DEAD}
            found = self._all_ends[config] = np.array(sorted(ends), dtype=np.int32)
        return found

    def _find_ends(self, config: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        if len(self._automaton.advance(config, bytes([MARK, MARK]))) == 2:
            for number in range(len(self._masks)):
                path = self._automaton.advance(config, spelling := numbered(number))
                if len(path) == len(spelling):
                    found.append((number, int(path[-1])))
        return found
