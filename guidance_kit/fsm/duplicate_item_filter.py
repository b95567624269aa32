"""Removal of tokens from a mask that would repeat an item, or after which no new item could be written.

Configurations treat all items alike: a `fresh` edge after an item reads nothing, and masks are cached as if items could
repeat. Items are read from the text of each matcher. While the item that is being written may still be equal to an
earlier one, the few tokens along the earlier ones are looked at; that is over after some bytes.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple
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
"""Configurations for which it is remembered which tokens cross the end of an item, and how new items are reached."""

_LONGEST_REST = 64
"""Bytes of a way to new items that is remembered."""


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
        self._rests: dict[int, bytes] = {}

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
        heads = self._tokens.heads if index.token_id_sets is None else {}
        places: dict[bytes, _SharedHead | None] = {}
        for token in members(mask, tried):
            spelt, head = index.trie.texts[token], heads.get(token)
            if head is None:
                after, then = index.advance(config, token, text, written)
                is_followed = bool(after) and self.suffices(after, lambda spelt=spelt: said + spelt, then)
            else:
                if head not in places:
                    places[head] = self._place(config, head, said, written)
                place = places[head]
                is_followed = place is not None and self._is_followed(place, spelt[len(head) :])
            if not is_followed:
                excluded.append(token)
        clear(mask, excluded)
        return excluded

    def _place(self, config: int, head: bytes, text: bytes, written: Written | None) -> _SharedHead | None:
        """State behind the beginning that several tokens share; None if it cannot be read."""
        path, then = self._automaton.read(config, head, text, written)
        if len(path) < len(head):
            return None
        here = text + head
        levels = self._levels(None if then is None else then.items, here)
        return _SharedHead(int(path[-1]), here, then, levels, {})

    def _is_followed(self, place: _SharedHead, rest: bytes) -> bool:
        """Test whether the rest of a token can be read, so that its text can be completed with new items."""
        config, before, written, levels, known = place
        then = written
        if rest:
            path, then = self._automaton.read(config, rest, before, written)
            if len(path) < len(rest):
                return False
            config = int(path[-1])
        text = before + rest
        for byte in rest if then is written else b"":
            after = self._tracker.read(levels, byte)
            if after is None:
                return self.suffices(config, lambda: text, then)
            levels = after
        if then is not written:
            return self.suffices(config, lambda: text, then)
        if then is None or not levels:
            return True
        key = config, levels
        if key not in known:
            known[key] = self._has_new(config, text, then, levels)
        return known[key]

    def suffices(self, config: int, text: Callable[[], bytes], written: Written | None) -> bool:
        """Test whether a text whose configuration leaves it ways to be completed has one with new items."""
        if written is None or written.items is None:
            return True
        said = text()
        return self._has_new(config, said, written, self._levels(written.items, said))

    def _has_new(self, config: int, said: bytes, written: Written, levels: Levels) -> bool:
        """The same, where the open arrays are known."""
        tracker, automaton = self._tracker, self._automaton
        found: _LongerText | None = _LongerText(config, said, written, levels)
        todo: list[tuple[_LongerText, int, Levels | None]] = []  # with a byte that has not been read yet
        seen = set[tuple[int, Levels]]()
        while found is not None or todo:
            if found is None:
                found = self._read(*todo.pop())
                continue
            here, found = found, None
            if not here.levels or tracker.are_endless(here.levels):
                if here.origin is not None:
                    self._remember(here.origin, here.text[-1:])
                return True
            key = here.config, here.levels
            if key in seen:
                continue
            seen.add(key)
            rest = self._rests.get(here.config, b"")
            if rest and self._is_new_after(here, rest):
                self._remember(here, rest)
                return True
            for byte in np.flatnonzero(automaton.live_bytes(here.config)).tolist():
                after = tracker.read(here.levels, byte)
                if after is not None and not after:
                    self._remember(here, bytes([byte]))
                    return True
                todo.append((here, byte, after))
        return False

    def _is_new_after(self, here: _LongerText, rest: bytes) -> bool:
        """Test whether one way to go on, which was found for another text, leads to new items."""
        levels, last = here.levels, -1  # the byte after which there are none that are not new
        for place, byte in enumerate(rest):
            after = self._tracker.read(levels, byte)
            if after is None:
                return False
            if not after:
                rest, last = rest[:place], byte
                break
            levels = after
        if last < 0 and not self._tracker.are_endless(levels):
            return False
        path, then = self._automaton.read(here.config, rest, here.text, here.written)
        if len(path) < len(rest) or then is None or then.items is not here.written.items:
            return False
        return last < 0 or bool(self._automaton.live_bytes(int(path[-1]) if rest else here.config)[last])

    def _remember(self, here: _LongerText, rest: bytes) -> None:
        """Keep, of each configuration on the way to new items, the bytes behind it: they are the first to be tried."""
        if len(self._rests) >= _MOST_KNOWN:
            self._rests.clear()
        place: _LongerText | None = here
        while place is not None and place.written.items is here.written.items and len(rest) <= _LONGEST_REST:
            self._rests[place.config] = rest
            rest = place.text[-1:] + rest
            place = place.origin

    def _read(self, here: _LongerText, byte: int, after: Levels | None) -> _LongerText | None:
        """State after one more byte; None if it leads nowhere.

        Args:
            after: the open arrays; None: an old item ends, and an array of another kind may go on.
        """
        path, then = self._automaton.read(here.config, bytes([byte]), here.text, here.written)
        if not len(path):
            return None
        assert then is not None
        text = here.text + bytes([byte])
        is_same = after is not None and then.items is here.written.items
        return _LongerText(int(path[0]), text, then, after if is_same else self._tracker.levels(then.items, text), here)

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


class _LongerText(NamedTuple):
    """A text, where it leads, names and items that it has, its open arrays, and what it was one byte before."""

    config: int
    text: bytes
    written: Written
    levels: Levels
    origin: _LongerText | None = None


class _SharedHead(NamedTuple):
    """A text behind a mask's, and what is known of it.

    Attributes:
        config: where it leads.
        text: the whole text.
        written: names and items that it has.
        levels: its open arrays.
        known: of configurations and open arrays behind it with the same items, whether new ones suffice.
    """

    config: int
    text: bytes
    written: Written | None
    levels: Levels
    known: dict[tuple[int, Levels], bool]


class _ItemTokens:
    """Tokens of a vocabulary within which items end and begin, indexed once.

    Attributes:
        texts: of all tokens.
        quoted, quoted_twice: of those with a quote, and with two.
        crossing: tokens with the end of an item and the comma behind it; those of them with more than a little of the
            next item; and those of these in which it is no string, or ends; int64 each.
        heads: the text of each crossing token up to that comma.
    """

    def __init__(self, trie: TokenTrie) -> None:
        self.texts = TokenTexts(trie)
        self.quoted = SortedTexts.containing(trie, ord('"'))
        self.quoted_twice = SortedTexts(pair for pair in self.quoted.pairs if pair[0].count(b'"') > 1)
        self.heads: dict[int, bytes] = {}
        crossing: tuple[list[int], list[int], list[int]] = [], [], []
        for spelt, token in SortedTexts.containing(trie, ord(",")).pairs:
            if match := _CROSSING.search(spelt):
                item = match[1]
                self.heads[token] = spelt[: spelt.index(b",", match.start()) + 1]
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
