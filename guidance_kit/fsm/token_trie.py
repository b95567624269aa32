"""The tokens of one vocabulary as tries, whole and sliced, for walking them against an automaton."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.errors import VocabularyError
from guidance_kit.fsm import bitmask, kernels

if TYPE_CHECKING:
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["Slice", "TokenTrie"]

MOST_CHARACTERS = 64
"""Longer tokens of a slice (rare: runs of spaces, dashes) are left to the walk."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Slice:
    """The tokens that lie wholly within texts over some characters, and the trie of all the others.

    In free text nearly every token is allowed: one OR of a ready mask and a walk over the few others is as exact as
    the walk over all of them, and many times faster.

    Attributes:
        characters: int16 (states, 256): the characters byte by byte, see `kernels.slice_reach`.
        most: number of characters of the longest token in the slice.
        masks: int32 (most + 1, words): tokens of the slice of at most k characters.
        rest: trie of the tokens outside the slice.
    """

    characters: np.ndarray
    most: int
    masks: np.ndarray
    rest: kernels.Trie


class TokenTrie:
    """All tokens of a vocabulary that spell text.

    Special tokens and tokens without bytes are in no trie: they never match text.

    Attributes:
        whole: trie of all tokens but the overlong ones.
        overlong: tokens of more than `kernels.MOST_BYTES` bytes (real vocabularies have none).
        twins: int32 (n, 2): a token and another one with the same bytes, which is the one in the tries.
        slices: the slices, most useful first.
        longest: number of bytes of the longest token.
        rows: number of logit rows, which is also the spare bit (see `kernels.Trie`).
        mask_words: length of a mask with the spare bit.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.rows = vocabulary.rows
        self.mask_words = bitmask.words(vocabulary.rows + 1)
        special = vocabulary.special
        if vocabulary.rows >= 2**24:
            raise VocabularyError(f"{vocabulary.rows} rows of logits are more than a trie can number")
        texts = vocabulary.token_bytes
        self.overlong = [i for i, b in enumerate(texts) if len(b) > kernels.MOST_BYTES and i not in special]
        pairs = sorted((b, i) for i, b in enumerate(texts) if 0 < len(b) <= kernels.MOST_BYTES and i not in special)
        self._texts = [b for b, _ in pairs]
        self._ids = np.fromiter((i for _, i in pairs), dtype=np.int32, count=len(pairs))
        self._lengths = np.fromiter(map(len, self._texts), dtype=np.int64, count=len(pairs))
        self._text = np.frombuffer(b"".join(self._texts), dtype=np.uint8)
        self._offsets = np.concatenate([[0], np.cumsum(self._lengths)])
        self.longest = max(map(len, texts), default=0)
        self.whole, self.twins = self._trie(np.ones(len(pairs), dtype=bool))
        self.slices = (self._slice(_json_text_characters()),)
        del self._texts, self._text, self._offsets, self._lengths, self._ids

    def _trie(self, chosen: np.ndarray) -> tuple[kernels.Trie, np.ndarray]:
        """Lay out the chosen tokens (bool, in sorted order)."""
        lengths = self._lengths[chosen]
        text = self._text[np.repeat(chosen, self._lengths)]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        longest = int(lengths.max(initial=0))
        size = len(text)
        nodes = np.empty(size, dtype=np.int64)
        twins = np.empty((len(lengths), 2), dtype=np.int32)
        scratch = np.empty(longest + 1, dtype=np.int32)
        n, t = kernels.build_trie(text, offsets, self._ids[chosen], np.int32(self.rows), nodes, twins, scratch)
        return kernels.Trie(nodes=nodes[:n].copy(), stack=np.zeros(longest + 2, dtype=np.int32)), twins[:t].copy()

    def _slice(self, characters: np.ndarray) -> Slice:
        lengths = np.empty(len(self._ids), dtype=np.int32)
        kernels.slice_lengths(self._text, self._offsets, characters, lengths)
        inside = (lengths > 0) & (lengths <= MOST_CHARACTERS)
        most = int(lengths[inside].max(initial=0))
        masks = np.zeros((most + 1, self.mask_words), dtype=np.int32)
        for k in range(1, most + 1):
            allowed = np.zeros(self.mask_words * 32, dtype=bool)
            allowed[self._ids[inside & (lengths == k)]] = True
            masks[k] = masks[k - 1] | bitmask.pack(allowed)
        rest, _ = self._trie(~inside)
        return Slice(characters=characters, most=most, masks=masks, rest=rest)


@lru_cache(maxsize=1)
def _json_text_characters() -> np.ndarray:
    """Characters that stand for themselves in a JSON string: all scalar values but controls, `"` and backslash.

    States: 0 at a boundary; 1, 2, 3: so many continuation bytes to come; 4..7: after E0, ED, F0, F4, whose next byte
    is restricted (RFC 3629, section 4).
    """
    table = np.full((8, 256), -1, dtype=np.int16)
    table[0, 0x20:0x80] = 0
    table[0, [0x22, 0x5C]] = -1
    table[0, 0xC2:0xE0] = 1
    table[0, 0xE1:0xF0] = 2
    table[0, 0xF1:0xF4] = 3
    table[0, [0xE0, 0xED, 0xF0, 0xF4]] = [4, 5, 6, 7]
    for state in (1, 2, 3):
        table[state, 0x80:0xC0] = state - 1
    table[4, 0xA0:0xC0] = 1
    table[5, 0x80:0xA0] = 1
    table[6, 0x90:0xC0] = 2
    table[7, 0x80:0x90] = 2
    return table
