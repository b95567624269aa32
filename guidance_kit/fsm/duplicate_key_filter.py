"""Removal of tokens from a mask that would repeat a name, such as the key of a JSON object.

Configurations treat all names alike: a `fresh` edge after a name reads nothing, and masks are cached as if names could
repeat. Names are read from the text of each matcher, and tokens that would complete an old one are removed from its
mask.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.fsm.bitmask import clear, members
from guidance_kit.fsm.kernels.columns import CONFIG, EDGE, ITEM, NODE, STATE
from guidance_kit.fsm.key_tracker import Keys, KeyTracker, Prefixes
from guidance_kit.fsm.opcodes import FRESH
from guidance_kit.fsm.written import KEY, Written

if TYPE_CHECKING:
    from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["DuplicateKeyFilter"]

_MOST_KNOWN = 256
"""Sets of tokens, with configurations, for which it is remembered which of them are forbidden."""

_ROOM = 16
"""Tokens; with so many more left than any token needs, a name can always be prolonged until it is new."""

_BLANKS = b" \t\r\n"
"""Bytes that may stand before a name."""

_MOST_BLANKS = 256
"""Number of them that have to, at most."""


class DuplicateKeyFilter:
    """Filter of masks for tokens that would repeat a name: in configurations all names are alike.

    Nothing has to be looked at before a text has a name that ends at a `fresh` edge, and then hardly a token: the
    tracker knows those that might matter, and each of them is tried on the text. So masks are those of the
    configuration, made and kept without a look at names, and the few tokens are taken out of them.

    A text whose name may still become an old one (which is *open*) must be able to go on otherwise. The tracker knows
    the prefixes with which no new name may begin, if there are any. Where a token leads to one of them, and where
    tokens or characters are running out, the masks that follow are searched for a token with which the name is new.

    Args:
        index: of the network.
        tracker: of the network.
    """

    def __init__(self, index: TokenIndex, tracker: KeyTracker) -> None:
        self._index: TokenIndex = weakref.proxy(index)  # which has this: both go as soon as the index is not used
        self._automaton = index.automaton
        self._tracker = tracker
        self._inside: dict[int, bool] = {}
        self._frames: dict[int, bool] = {}
        self._awaiting: dict[int, bool] = {}
        self.are_in_tokens = bool(
            tracker.candidates(None, bytes, index.trie, is_inside=False)[1]
            or tracker.openings(None, bytes, index.trie, "exhausted", is_inside=False)
        )
        self._quiet: Keys = None  # with which names no token matters outside of names
        self._closed: dict[tuple[int, tuple[int, ...]], tuple[list[int], np.ndarray]] = {}

    def matter(self, written: Written | None, left: int | None) -> bool:
        """Test whether a mask may have too many tokens, as far as it is known without a look at the text."""
        return _keys(written) is not None or (self.are_in_tokens if left is None else self._are_in_budgets)

    def exclude(
        self, config: int, left: int | None, text: Callable[[], bytes], written: Written | None, mask: np.ndarray
    ) -> list[int]:
        """Forbid the tokens within which a name ends that is not new, or after which a text could not be completed.

        Args:
            left: how many tokens may still be taken, None for any number.
            text: gives the whole text that leads to `config`.
            written: which names it has.
            mask: of `config` and `left`; int32, (words,), changed in place.
        Returns:
            The tokens that were forbidden.
        """
        keys = _keys(written)
        is_inside = keys is not None and self.is_inside(config)
        is_quiet = keys is not None and keys is self._quiet and not is_inside
        excluded = [] if is_quiet else self._exclude_candidates(config, text, written, mask, is_inside=is_inside)
        prefixes = self._prefixes(config, left)
        if prefixes is None:
            return excluded
        index, tracker = self._index, self._tracker
        looked_at = members(mask, tracker.openings(keys, text, index.trie, prefixes, is_inside=is_inside))
        blanks: list[int] = []
        if left is not None and self._is_short(config, left):
            before, others = tracker.separators(index.trie)
            looked_at = [*dict.fromkeys([*looked_at, *members(mask, others)])]
            if keys is not None and self._awaits_name(config):
                blanks = members(mask, before)
        excluded += [token for token in looked_at if not self._goes_on_after(token, config, left, text, written)]
        known: dict[int, bool] = {}  # of configurations after blanks: these are no part of a name
        for token in blanks:
            after, _ = index.advance(config, token, text, written)
            if after not in known:
                known[after] = self._goes_on_after(token, config, left, text, written)
            if not known[after]:
                excluded.append(token)
        clear(mask, excluded)
        return excluded

    def _goes_on_after(
        self, token: int, config: int, left: int | None, text: Callable[[], bytes], written: Written | None
    ) -> bool:
        """`suffices` of a text and a token after it."""
        after, then = self._index.advance(config, token, text, written)
        here = text() + self._index.trie.texts[token]
        return self.suffices(after, None if left is None else left - 1, lambda: here, then)

    def _exclude_candidates(
        self, config: int, text: Callable[[], bytes], written: Written | None, mask: np.ndarray, *, is_inside: bool
    ) -> list[int]:
        """Forbid the tokens within which a name ends that is not new; return them, and maybe others."""
        index = self._index
        closing, others = self._tracker.candidates(_keys(written), text, index.trie, is_inside=is_inside)
        if not (closing or others):
            if not is_inside:
                self._quiet = _keys(written)
            return []
        excluded: list[int] = []
        if closing:
            known = self._closed.get((config, closing))
            if known is None:
                dead = self._dead(config, closing, text, written)
                keep = np.full(len(mask), -1, dtype=np.int32)
                clear(keep, dead)
                known = dead, keep
                if not self._automaton.network.has_recalls:  # else it may depend on the text too
                    if len(self._closed) >= _MOST_KNOWN:
                        self._closed.clear()
                    self._closed[config, closing] = known
            excluded += known[0]
            mask &= known[1]
        more = [token for token in members(mask, others) if not index.advance(config, token, text, written)[0]]
        clear(mask, more)
        return excluded + more

    def _dead(
        self, config: int, tokens: Iterable[int], text: Callable[[], bytes], written: Written | None
    ) -> list[int]:
        """Tokens that cannot be read, of some in the order of their texts; of a common prefix one is tried."""
        index, texts, found = self._index, self._index.trie.texts, list[int]()
        before, dead = text(), None
        for token in tokens:
            spelt = texts[token]
            if dead is None or not spelt.startswith(dead):
                path, _ = index.automaton.read(config, spelt, before, written)
                if len(path) == len(spelt):
                    continue
                dead = spelt[: len(path) + 1]
            found.append(token)
        return found

    def suffices(self, config: int, left: int | None, text: Callable[[], bytes], written: Written | None) -> bool:
        """Test whether a text whose configuration leaves it ways to be completed has one with names that are new.

        Args:
            left: how many tokens may be taken, None for any number; they suffice if names do not matter.
        """
        keys = _keys(written)
        if keys is None:
            return True
        prefixes = "any" if left is not None else self._prefixes_without_budget
        if not self.is_inside(config):
            if left is None or not self._awaits_name(config):
                return True
        elif prefixes is None or not self._tracker.is_open(keys, text(), prefixes):
            return True
        assert prefixes is not None
        return self._goes_on(config, left, text, written, prefixes)

    def _goes_on(
        self, config: int, left: int | None, text: Callable[[], bytes], written: Written | None, prefixes: Prefixes
    ) -> bool:
        """The same for an open text, and for one that a name has to follow."""
        index, is_inside = self._index, self.is_inside(config)
        if left == 0:
            return False
        mask = index.mask(config)
        if self._automaton.network.has_recalls:
            index.add_recalling(config, text(), mask)
        if left is not None:
            index.restrict(config, left, mask)
        self._exclude_candidates(config, text, written, mask, is_inside=is_inside)
        openings = members(
            mask, self._tracker.openings(_keys(written), text, index.trie, prefixes, is_inside=is_inside)
        )
        rest = mask.copy()
        if not is_inside:
            blanks = self._tracker.separators(index.trie)[0]
            clear(rest, blanks)
            if not rest.any():  # elsewhere blanks are no help
                openings += members(mask, blanks)
        clear(rest, openings)
        if rest.any():
            return True
        return any(self._goes_on_after(token, config, left, text, written) for token in openings)

    def _prefixes(self, config: int, left: int | None) -> Prefixes | None:
        """Prefixes of old names after which a text may have no continuation; None if there is always one."""
        if left is None:
            return self._prefixes_without_budget
        return "any" if self._automaton.network.has_exhaustible_keys or self._is_short(config, left) else None

    def _is_short(self, config: int, left: int) -> bool:
        """Test whether so few tokens are left that a name cannot be prolonged at will."""
        return left <= self._index.most_needed(config) + _ROOM

    @cached_property
    def _are_in_budgets(self) -> bool:
        """True if there are tokens that matter before a text has a name, where tokens are running out."""
        return self.are_in_tokens or self._tracker.are_followed_in_tokens(self._index.trie)

    @property
    def _prefixes_without_budget(self) -> Prefixes | None:
        """The same where any number of tokens may be taken."""
        network = self._automaton.network
        if not network.has_exhaustible_keys:
            return None
        return "any" if network.lacks_characters else "exhausted"

    def is_inside(self, config: int) -> bool:
        """Test whether a text that leads to `config` may end within a name."""
        known = self._inside.get(config)
        if known is None:
            automaton = self._automaton
            with automaton.lock:
                first, end = automaton.arena.configs[config, CONFIG.first : CONFIG.end + 1].tolist()
                nodes = set(automaton.arena.items[first:end, ITEM.node].tolist())
                known = self._inside[config] = any(map(self._is_named, nodes))
        return known

    def _awaits_name(self, config: int) -> bool:
        """Test whether a name begins with the next byte, or behind blanks."""
        known = self._awaiting.get(config)
        if known is None:
            known = self._awaiting[config] = self._is_before_names(config)
        return known

    def _is_before_names(self, config: int) -> bool:
        """`_awaits_name` by the bytes that can be read; blanks are read if there are no others."""
        automaton = self._automaton
        for _ in range(_MOST_BLANKS):
            live = np.flatnonzero(automaton.live_bytes(config)).tolist()
            others = [byte for byte in live if byte not in _BLANKS]
            if others or not live:
                ends = (automaton.advance(config, bytes((byte,))).tolist() for byte in others)
                return bool(others) and all(self.is_inside(after) for end in ends for after in end)
            (config,) = automaton.advance(config, bytes(live[:1])).tolist()
        return False

    def _is_named(self, node: int) -> bool:
        """Test whether a frame, or one below it, returns to where a name ends."""
        arena, frames = self._automaton.arena, self._frames
        todo, seen = [node], {node}
        while todo:
            first, end = arena.nodes[todo.pop(), NODE.first : NODE.end + 1].tolist()
            for state, below in arena.callers[first:end].tolist():
                known = frames.get(below)
                if known or (state >= 0 and self._ends_name(state)):
                    frames[node] = True
                    return True
                if known is None and below not in seen:
                    seen.add(below)
                    todo.append(below)
        frames.update(dict.fromkeys(seen, False))
        return False

    def _ends_name(self, state: int) -> bool:
        """Test whether a name ends in a state."""
        arena = self._automaton.arena
        op, kind = arena.edges[arena.states[state, STATE.first], [EDGE.op, EDGE.after]].tolist()
        return op == FRESH and kind == KEY


def _keys(written: Written | None) -> Keys:
    return None if written is None else written.keys
