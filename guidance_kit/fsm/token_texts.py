"""Texts of tokens, sorted for prefix search."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from guidance_kit.fsm.token_trie import TokenTrie

__all__ = ["SortedTexts", "TokenTexts"]


class SortedTexts:
    """Tokens sorted by text.

    Args:
        pairs: text and number of each token.
    """

    def __init__(self, pairs: Iterable[tuple[bytes, int]]) -> None:
        self.pairs = sorted(pairs)
        self._texts = [text for text, _ in self.pairs]

    @classmethod
    def containing(cls, trie: TokenTrie, byte: int) -> SortedTexts:
        """Tokens with a byte."""
        places = np.flatnonzero(trie.arrays.text == byte)
        tokens = np.searchsorted(trie.arrays.offsets, places, side="right") - 1  # in their order
        return cls((trie.texts[token], token) for token in dict.fromkeys(tokens.tolist()))

    def has_beginning(self, prefix: bytes) -> bool:
        """Test whether the text of a token begins with `prefix`."""
        place = bisect_left(self._texts, prefix)
        return place < len(self._texts) and self._texts[place].startswith(prefix)

    def beginning_with(self, prefix: bytes) -> Iterator[int]:
        """Tokens whose texts begin with `prefix`."""
        place = bisect_left(self._texts, prefix)
        while place < len(self._texts) and self._texts[place].startswith(prefix):
            yield self.pairs[place][1]
            place += 1

    def equal_to(self, text: bytes) -> Iterator[int]:
        """Tokens of a given text."""
        place = bisect_left(self._texts, text)
        while place < len(self._texts) and self._texts[place] == text:
            yield self.pairs[place][1]
            place += 1


class TokenTexts:
    """All tokens of a vocabulary, partitioned by their first two bytes and sorted lazily: sorting them all is slow."""

    def __init__(self, trie: TokenTrie) -> None:
        offsets, text = trie.arrays.offsets, trie.arrays.text
        lengths = np.diff(offsets)
        self._texts = trie.texts
        self._tokens = np.flatnonzero(lengths)
        begins = offsets[self._tokens]
        self._firsts = text[begins]
        self._begun = frozenset(np.flatnonzero(np.bincount(self._firsts)).tolist())
        self._seconds = text[np.minimum(begins + 1, len(text) - 1)].astype(np.int16)
        self._seconds[lengths[self._tokens] == 1] = _NONE
        self._known: dict[tuple[int, int], SortedTexts] = {}

    def has_beginning(self, prefix: bytes) -> bool:
        """Test whether the text of a token begins with the non-empty `prefix`."""
        if len(prefix) == 1:
            return prefix[0] in self._begun
        return self._of(prefix[0], prefix[1]).has_beginning(prefix)

    def beginning_with(self, prefix: bytes) -> Iterator[int]:
        """Tokens whose texts begin with the non-empty `prefix`."""
        if len(prefix) == 1:
            return iter(self._tokens[self._firsts == prefix[0]].tolist())
        return self._of(prefix[0], prefix[1]).beginning_with(prefix)

    def equal_to(self, text: bytes) -> Iterator[int]:
        """Tokens of a given non-empty text."""
        return self._of(text[0], text[1] if len(text) > 1 else _NONE).equal_to(text)

    def _of(self, first: int, second: int) -> SortedTexts:
        found = self._known.get((first, second))
        if found is None:
            tokens = self._tokens[(self._firsts == first) & (self._seconds == second)].tolist()
            found = self._known[first, second] = SortedTexts((self._texts[token], token) for token in tokens)
        return found


_NONE = -1
"""In the place of the second byte of a text of one byte."""
