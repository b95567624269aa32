"""Tokens that are taken by their numbers, where a network reads sets of tokens."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from guidance_kit.fsm import bitmask
from guidance_kit.fsm.kernels.codes import DEAD
from guidance_kit.fsm.network import MARK, numbered

if TYPE_CHECKING:
    from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["TokenIdSets"]

_MOST_KNOWN = 4_096
"""Configurations for which it is remembered which sets can come, ..."""

_MOST_LISTED = 64
"""... and for which it is remembered where the tokens lead that can be taken in several ways: they may be many."""


class _Taken(NamedTuple):
    """Some tokens, int64, and where they lead, int32."""

    tokens: np.ndarray
    ends: np.ndarray


class TokenIdSets:
    """Tokens allowed by id rather than by text, which masks over texts lack.

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
        self._ambiguous: dict[int, _Taken] = {}

    def ends(self, config: int) -> list[tuple[int, int]]:
        """The sets of which a token can come: the number of each, and the configuration after one of its tokens."""
        found = self._ends.get(config)
        if found is None:
            found = self._ends[config] = self._find_ends(config)
            if len(self._ends) > _MOST_KNOWN:
                self._ends.clear()
        return found

    def after(self, config: int, token: int) -> int:
        """The configuration after a token that is taken by its number, 0 if it cannot be."""
        after = DEAD
        for number, end in self.ends(config):
            if self._members[number, token]:
                after = self._both(after, end)
        return after

    def add(self, config: int, left: int | None, mask: np.ndarray) -> None:
        """Allow the tokens of the sets that can come, but for those after which a text could not be completed.

        Args:
            left: how many tokens may still be taken, None for any number.
            mask: of `config` and `left`; int32, (words,), changed in place.
        """
        suffices = self._index.suffices
        for number, end in self.ends(config):
            if left is None or suffices(end, left - 1):
                mask |= self._masks[number]
        if left is None:
            return
        several = self._in_several_ways(config)
        if len(several.tokens):
            allowed = bitmask.unpack(mask, len(self._members[0]))
            enough = [end for end in np.unique(several.ends).tolist() if suffices(end, left - 1)]
            allowed[several.tokens] = np.isin(several.ends, enough)
            mask[:] = bitmask.pack(allowed)

    def ambiguous(self, config: int) -> list[int]:
        """The tokens that can be taken in several ways."""
        return self._in_several_ways(config).tokens.tolist()

    def all_ends(self, config: int, by_text: np.ndarray, *, is_rough: bool) -> np.ndarray:
        """Configurations after tokens, taken by id or by text.

        Args:
            by_text: where they lead by their texts; int32.
            is_rough: whether these will do for ambiguous tokens, which leave no more to be read.
        """
        if not is_rough and len(self._in_several_ways(config).tokens):
            allowed = self._index.mask(config)
            self.add(config, None, allowed)
            by_text = np.unique(self._leads(config, bitmask.tokens_of(allowed)))
            return by_text[by_text > DEAD]  # an end of the sequence leads nowhere
        return np.union1d(by_text, np.array([end for _, end in self.ends(config)], dtype=np.int32))

    def _in_several_ways(self, config: int) -> _Taken:
        """The ambiguous tokens, and where they lead."""
        found = self._ambiguous.get(config)
        if found is None:
            ways = bitmask.unpack(self._index.mask(config), len(self._members[0])).astype(np.int32)
            for number, _ in self.ends(config):
                ways += self._members[number]
            tokens = np.flatnonzero(ways > 1)
            if len(self._ambiguous) >= _MOST_LISTED:
                self._ambiguous.clear()
            found = self._ambiguous[config] = _Taken(tokens, self._leads(config, tokens))
        return found

    def _leads(self, config: int, tokens: np.ndarray) -> np.ndarray:
        """Configurations after tokens by id, DEAD for those that cannot be taken: int32."""
        by_text = np.full(len(tokens), DEAD, dtype=np.int32)
        is_known = tokens < len(self._index.vocabulary)
        by_text[is_known] = self._automaton.advance_tokens(self._index.trie.handle, config, tokens[is_known])
        alike = by_text  # the same number for tokens that can be taken in the same ways
        for number, _ in self.ends(config):
            alike = np.unique(2 * alike.astype(np.int64) + self._members[number][tokens], return_inverse=True)[1]
        _, first, alike = np.unique(alike, return_index=True, return_inverse=True)
        ends = [self._both(int(by_text[place]), self.after(config, int(tokens[place]))) for place in first.tolist()]
        return np.array(ends, dtype=np.int32)[alike]

    def _both(self, end: int, other: int) -> int:
        """The configuration of two ends, of which there may be none."""
        return self._automaton.united(end, other) if end and other else end or other

    def _find_ends(self, config: int) -> list[tuple[int, int]]:
        """See `ends`."""
        found: list[tuple[int, int]] = []
        if len(self._automaton.advance(config, bytes([MARK, MARK]))) == 2:
            for number in range(len(self._masks)):
                path = self._automaton.advance(config, spelling := numbered(number))
                if len(path) == len(spelling):
                    found.append((number, int(path[-1])))
        return found
