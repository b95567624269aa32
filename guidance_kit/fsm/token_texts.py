"""Texts of tokens, sorted for prefix search."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.fsm.kernels.columns import TWIN

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
    """All tokens of a vocabulary, which its trie has in the order of their bytes; twins and overlong tokens beside."""

    def __init__(self, trie: TokenTrie) -> None:
        self._texts = trie.texts
        self._tokens = trie.arrays.listed.data
        beside = [*trie.arrays.twins[:, TWIN.token].tolist(), *trie.overlong]
        self._beside = SortedTexts((trie.texts[token], token) for token in beside)

    def has_beginning(self, prefix: bytes) -> bool:
        """Test whether the text of a token begins with the non-empty `prefix`."""
        texts, tokens = self._texts, self._tokens
        place = bisect_left(tokens, prefix, key=texts.__getitem__)
        is_found = place < len(tokens) and texts[tokens[place]].startswith(prefix)
        return is_found or self._beside.has_beginning(prefix)

    def beginning_with(self, prefix: bytes) -> Iterator[int]:
        """Tokens whose texts begin with the non-empty `prefix`."""
        texts, tokens = self._texts, self._tokens
        for place in range(bisect_left(tokens, prefix, key=texts.__getitem__), len(tokens)):
            if not texts[tokens[place]].startswith(prefix):
                break
            yield tokens[place]
        yield from self._beside.beginning_with(prefix)

    def equal_to(self, text: bytes) -> Iterator[int]:
        """Tokens of a given non-empty text."""
        texts, tokens = self._texts, self._tokens
        place = bisect_left(tokens, text, key=texts.__getitem__)
        if place < len(tokens) and texts[tokens[place]] == text:
            yield tokens[place]
        yield from self._beside.equal_to(text)
