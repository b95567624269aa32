"""Removal of tokens from a mask that would repeat an item, or after which no new item could be written.

Configurations treat all items alike: a `fresh` edge after an item reads nothing, and masks are cached as if items could
repeat. Items are read from the text of each matcher. While the item that is being written may still be equal to an
earlier one, the few tokens along the earlier ones are looked at; that is over after some bytes.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from guidance_kit.fsm.bitmask import clear, members
from guidance_kit.fsm.item_tracker import Items, ItemTracker, Levels
from guidance_kit.fsm.kernels import codes, steps
from guidance_kit.fsm.token_texts import SortedTexts, TokenTexts
from guidance_kit.fsm.written import Written

if TYPE_CHECKING:
    from guidance_kit.fsm.token_index import TokenIndex
    from guidance_kit.fsm.token_trie import TokenTrie

__all__ = ["DuplicateItemFilter"]

_MOST_KNOWN = 1_024
"""Configurations for which it is remembered which tokens cross the end of an item."""


class DuplicateItemFilter:
    """Filter of masks for tokens that would repeat an item: in configurations all items are alike.

    Args:
        index: of the network.
        tracker: of the network.
    """

    def __init__(self, index: TokenIndex, tracker: ItemTracker) -> None:
        self._index: TokenIndex = weakref.proxy(index)  # which has this: both go as soon as the index is not used
        self._automaton = index.automaton
        self._tracker = tracker
        self._tokens = _ItemTokens.of(index.trie)
        self._crossing: dict[tuple[int, int], list[int]] = {}
        self._known: tuple[Items, bytes, Levels] = None, b"", ()

    def exclude(self, config: int, text: Callable[[], bytes], written: Written | None, mask: np.ndarray) -> list[int]:
        """Forbid the tokens within which an item ends that is not new, or after which no new one could be written.

        Args:
            text: gives the whole text that leads to `config`.
            written: which items it has.
            mask: of `config`; int32, (words,), changed in place.
        Returns:
            The tokens that were forbidden.
        """
        index, tracker, said = self._index, self._tracker, text()
        items = None if written is None else written.items
        levels = self._levels(items, said)
        self._known = items, said, levels
        tried = self._crossings(config, may_run_out=tracker.may_run_out(items))
        excluded: list[int] = []
        if levels:
            closing, opening = self._walk(config, levels)
            excluded += self._unreadable(config, members(mask, closing), said, written)
            clear(mask, excluded)
            tried = tried + opening
        for token in members(mask, tried):
            after, then = index.advance(config, token, text, written)
            here = said + index.trie.texts[token]
            if not after or not self.suffices(after, lambda here=here: here, then):
                excluded.append(token)
        clear(mask, excluded)
        return excluded

    def suffices(self, config: int, text: Callable[[], bytes], written: Written | None) -> bool:
        """Test whether a text whose configuration leaves it ways to be completed has one with new items."""
        if written is None or written.items is None:
            return True
        tracker, automaton, said = self._tracker, self._automaton, text()
        found: tuple[int, bytes, Written, Levels] | None = (config, said, written, self._levels(written.items, said))
        todo: list[tuple[int, bytes, Written, int, Levels | None]] = []  # with a byte that has not been read yet
        seen = set[tuple[int, Levels]]()
        while found is not None or todo:
            if found is None:
                found = self._read(*todo.pop())
                continue
            config, said, written, levels = found
            found = None
            if not levels or tracker.are_endless(levels):
                return True
            if (config, levels) in seen:
                continue
            seen.add((config, levels))
            for byte in np.flatnonzero(automaton.live_bytes(config)).tolist():
                after = tracker.read(levels, byte)
                if after is not None and not after:
                    return True
                todo.append((config, said, written, byte, after))
        return False

    def _read(
        self, config: int, said: bytes, written: Written, byte: int, after: Levels | None
    ) -> tuple[int, bytes, Written, Levels] | None:
        """Configuration, text, items and open arrays after one more byte; None if it leads nowhere.

        Args:
            after: the open arrays; None: an old item ends, and an array of another kind may go on.
        """
        path, then = self._automaton.read(config, bytes([byte]), said, written)
        if not len(path):
            return None
        assert then is not None
        here = said + bytes([byte])
        is_same = after is not None and then.items is written.items
        return int(path[0]), here, then, after if is_same else self._tracker.levels(then.items, here)

    def _levels(self, items: Items, text: bytes) -> Levels:
        """Open arrays at the end of a text, which mostly continues the text of the last filtered mask."""
        known, before, levels = self._known
        if items is None:
            return ()
        if known is not items or not text.startswith(before):
            return self._tracker.levels(items, text)
        for byte in text[len(before) :]:
            if not levels:
                break
            after = self._tracker.read(levels, byte)
            if after is None:
                return self._tracker.levels(items, text)
            levels = after
        return levels

    def _crossings(self, config: int, *, may_run_out: bool) -> list[int]:
        """Tokens within which an item ends and another one begins that may not be new, maybe with others."""
        part = 0 if may_run_out else 2 if self._tracker.has_endless_strings else 1
        known = self._crossing.get((config, part))
        if known is None:
            if len(self._crossing) >= _MOST_KNOWN:
                self._crossing.clear()
            automaton, handle, tokens = self._automaton, self._index.trie.handle, self._tokens.crossing[part]
            alive = tokens[automaton.advance_tokens(handle, config, tokens) > codes.DEAD].tolist()
            passing = (automaton.run(steps.advance_named, handle, config, token) for token in alive)
            known = [token for token, after in zip(alive, passing, strict=True) if after >= codes.PASSED]
            self._crossing[config, part] = known
        return known

    def _walk(self, config: int, levels: Levels) -> tuple[list[int], list[int]]:
        """Find the tokens along the earlier items.

        Returns:
            Tokens within which an item may end that is not new; and those after which it may have to.
        """
        automaton, tracker = self._automaton, self._tracker
        closing: list[int] = []
        opening: list[int] = []
        todo = [(b"", config, levels)]
        while todo:
            prefix, here, before = todo.pop()
            texts = self._tokens.texts
            if tracker.are_endless_strings(before):  # until their closing quotes
                texts = self._tokens.quoted_twice if b'"' in prefix else self._tokens.quoted
            for byte in tracker.following(before):
                longer = prefix + bytes([byte])
                if not texts.has_beginning(longer):
                    continue
                path = automaton.advance(here, longer[-1:])
                if not len(path):
                    continue
                after = tracker.read(before, byte)
                if after is None:
                    closing += texts.beginning_with(longer)
                elif after:
                    if not tracker.are_endless(after):
                        opening += texts.equal_to(longer)
                    todo.append((longer, int(path[0]), after))
        return closing, opening

    def _unreadable(self, config: int, tokens: Iterable[int], text: bytes, written: Written | None) -> list[int]:
        """Tokens that cannot be read; of tokens with a common prefix one is tried."""
        index, found = self._index, list[int]()
        dead = None
        for spelt, token in sorted((index.trie.texts[token], token) for token in tokens):
            if dead is None or not spelt.startswith(dead):
                path, _ = index.automaton.read(config, spelt, text, written)
                if len(path) == len(spelt):
                    continue
                dead = spelt[: len(path) + 1]
            found.append(token)
        return found


_CROSSING = re.compile(rb'["\]}0-9el][ \t\r\n]*,[ \t\r\n]*([-"\[{0-9tfn].*)?\Z', re.DOTALL)
"""Text of a token with the end of an item and the beginning of another one."""

_LITTLE = re.compile(rb'"|\[|\{[ \t\r\n]*"?')
"""Beginning of an item that few others can have only if there are few of its type."""


_BEGUN = re.compile(rb'"[^"\\]*')
"""Beginning of a string."""


class _ItemTokens:
    """Tokens of a vocabulary within which items end and begin, indexed once.

    Attributes:
        texts: of all tokens.
        quoted, quoted_twice: of those with a quote, and with two.
        crossing: tokens with the end of an item and the comma behind it; those of them with more than a little of the
            next item; and those of these in which it is no string, or ends; int64 each.
    """

    def __init__(self, trie: TokenTrie) -> None:
        self.texts = TokenTexts(trie)
        self.quoted = SortedTexts.containing(trie, ord('"'))
        self.quoted_twice = SortedTexts(pair for pair in self.quoted.pairs if pair[0].count(b'"') > 1)
        crossing: tuple[list[int], list[int], list[int]] = [], [], []
        for spelt, token in SortedTexts.containing(trie, ord(",")).pairs:
            if match := _CROSSING.search(spelt):
                item = match[1]
                crossing[0].append(token)
                if item and not _LITTLE.fullmatch(item):
                    crossing[1].append(token)
                    if not _BEGUN.fullmatch(item):
                        crossing[2].append(token)
        self.crossing = tuple(np.array(tokens, dtype=np.int64) for tokens in crossing)

    @classmethod
    def of(cls, trie: TokenTrie) -> _ItemTokens:
        """Index of a vocabulary, cached."""
        found = _KNOWN.get(trie)
        if found is None:
            found = _KNOWN[trie] = cls(trie)
        return found


_KNOWN: WeakKeyDictionary[TokenTrie, _ItemTokens] = WeakKeyDictionary()
