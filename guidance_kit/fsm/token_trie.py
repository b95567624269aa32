"""The tokens of one vocabulary as tries, whole and without a slice, for walking them against an automaton."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.errors import VocabularyError
from guidance_kit.fsm import bitmask, kernels
from guidance_kit.fsm.slices import CHARACTERS, MOST_CHARACTERS

if TYPE_CHECKING:
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["TokenTrie"]


class TokenTrie:
    """The tokens of one vocabulary, laid out for the kernels.

    Attributes:
        lexicon: the arrays.
        handle: what kernels take for them.
        overlong: tokens of more than `kernels.MOST_BYTES` bytes, which are in no trie (real vocabularies have none).
        longest: number of bytes of the longest token.
        words: length of a mask without the spare word.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.words = bitmask.words(vocabulary.rows)
        special = vocabulary.special
        if vocabulary.rows >= 2**24 - 32:
            raise VocabularyError(f"{vocabulary.rows} rows of logits are more than a trie can number")
        texts = [b"" if token in special else text for token, text in enumerate(vocabulary.token_bytes)]
        self.overlong = [token for token, text in enumerate(texts) if len(text) > kernels.MOST_BYTES]
        self.longest = max(map(len, texts), default=0)
        tokens = _Tokens(texts, spare=32 * self.words)
        slice_masks, is_inside = tokens.slice(CHARACTERS)
        whole, twins = tokens.trie(np.ones(len(is_inside), dtype=bool))
        self.lexicon = kernels.Lexicon(
            whole=whole,
            rest=tokens.trie(~is_inside)[0],
            characters=CHARACTERS,
            slice_masks=slice_masks,
            twins=twins,
            ends=np.array(sorted(vocabulary.eos), dtype=np.int32),
            text=np.frombuffer(b"".join(texts), dtype=np.uint8),
            offsets=np.concatenate([[0], np.cumsum(list(map(len, texts)), dtype=np.int64)]),
        )
        self.handle = kernels.handle_of(self.lexicon)


class _Tokens:
    """Tokens in the order of their bytes, while tries are made of them."""

    def __init__(self, texts: list[bytes], *, spare: int) -> None:
        pairs = sorted((text, token) for token, text in enumerate(texts) if 0 < len(text) <= kernels.MOST_BYTES)
        self.spare = spare
        self.numbers = np.fromiter((token for _, token in pairs), dtype=np.int32, count=len(pairs))
        self.lengths = np.fromiter((len(text) for text, _ in pairs), dtype=np.int64, count=len(pairs))
        self.text = np.frombuffer(b"".join(text for text, _ in pairs), dtype=np.uint8)
        self.offsets = np.concatenate([[0], np.cumsum(self.lengths)])

    def trie(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nodes of a trie of some tokens (bool), and the twins among them: see `kernels.Lexicon`."""
        lengths = self.lengths[chosen]
        text = self.text[np.repeat(chosen, self.lengths)]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        nodes = np.empty(len(text), dtype=np.int64)
        twins = np.empty((len(lengths), 2), dtype=np.int32)
        scratch = np.empty(int(lengths.max(initial=0)) + 1, dtype=np.int32)
        n, t = kernels.build_trie(text, offsets, self.numbers[chosen], np.int32(self.spare), nodes, twins, scratch)
        return nodes[:n].copy(), twins[:t].copy()

    def slice(self, characters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Masks of the tokens of a slice by number of characters, and which tokens (bool) are in it."""
        lengths = np.empty(len(self.numbers), dtype=np.int32)
        kernels.slice_lengths(self.text, self.offsets, characters, lengths)
        is_inside = (lengths > 0) & (lengths <= MOST_CHARACTERS)
        most = int(lengths[is_inside].max(initial=0))
        masks = np.zeros((most + 1, self.spare // 32 + 1), dtype=np.int32)
        for k in range(1, most + 1):
            allowed = np.zeros(self.spare + 32, dtype=bool)
            allowed[self.numbers[is_inside & (lengths == k)]] = True
            masks[k] = masks[k - 1] | bitmask.pack(allowed)
        return masks, is_inside
