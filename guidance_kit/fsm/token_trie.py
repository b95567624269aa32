"""The tokens of one vocabulary as tries, whole and without slices, for walking them against an automaton."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from guidance_kit.errors import VocabularyError
from guidance_kit.fsm import bitmask, trie_cache
from guidance_kit.fsm.byte_kinds import KINDS, kinds_below
from guidance_kit.fsm.kernels import codes, handles
from guidance_kit.fsm.kernels.arrays import TrieArrays
from guidance_kit.fsm.kernels.columns import TWIN, width
from guidance_kit.fsm.kernels.tries import build_trie, slice_lengths
from guidance_kit.fsm.network import MARK, marked
from guidance_kit.fsm.slices import MOST_CHARACTERS, SLICES, TEXT
from guidance_kit.fsm.spelling import unfinishable

if TYPE_CHECKING:
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["TokenTrie"]


class TokenTrie:
    """The tokens of one vocabulary, laid out for the kernels.

    Attributes:
        texts: what each token spells; empty if it spells none.
        arrays: the arrays.
        handle: what kernels take for them.
        overlong: tokens of more than `codes.MOST_BYTES` bytes, which are in no trie (real vocabularies have none).
        longest: number of bytes of the longest token.
        words: length of a mask.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.words = bitmask.words(vocabulary.rows)
        silent = vocabulary.special | unfinishable(vocabulary)
        if vocabulary.rows >= 2**24 - 32:
            raise VocabularyError(f"{vocabulary.rows} rows of logits are more than a trie can number")
        texts = [b"" if token in silent or MARK in text else text for token, text in enumerate(vocabulary.token_bytes)]
        for token, name in vocabulary.special_names.items():
            if token < len(texts):
                texts[token] = marked(name)
        self.overlong = [token for token, text in enumerate(texts) if len(text) > codes.MOST_BYTES]
        self.longest = max(map(len, texts), default=0)
        is_large = len(texts) >= _LARGE
        arrays = trie_cache.load(vocabulary.fingerprint) if is_large else None
        if arrays is None or arrays.keys() != set(_BUILT):
            arrays = _built(texts, 32 * self.words)
            if is_large:
                trie_cache.save(vocabulary.fingerprint, arrays)
        self.arrays = TrieArrays(
            **arrays,
            kinds=KINDS,
            characters=SLICES[TEXT],
            ends=np.array(sorted(vocabulary.eos), dtype=np.int32),
            text=np.frombuffer(b"".join(texts), dtype=np.uint8),
            offsets=np.concatenate([[0], np.cumsum(list(map(len, texts)), dtype=np.int64)]),
        )
        self.handle = handles.handle_of(self.arrays)
        self.texts = texts
        self.size = sum(array.nbytes for array in self.arrays)
        """Bytes of the arrays."""


_LARGE = 8192
"""Number of tokens from which on tries are kept on disk."""

_BUILT = (
    "whole", "whole_roots", "whole_branches", "below", "counts", "heights", "before", "listed", "lengths", "rest",
    "rest_roots", "rest_branches", "bases", "extras", "extra_begins", "tails", "tail_roots", "tail_begins", "groups",
    "members", "twins",
)  # fmt: skip
"""Result of `_built`."""


def _built(texts: list[bytes], spare: int) -> dict[str, np.ndarray]:
    """The arrays of a `TrieArrays` that take long to make."""
    tokens = _Tokens(texts, spare=spare)
    parts = [tokens.split(characters) for characters in SLICES]
    bounded, is_inside = tokens.by_length(parts[TEXT].lengths)
    whole, twins = tokens.trie(np.ones(len(is_inside), dtype=bool))
    rest, _ = tokens.trie(~is_inside)
    bases = np.stack([*bounded, *(tokens.mask(part.lengths >= 0) for part in parts)])
    beyond = bitmask.unpack(bases[-len(parts) :] & ~bases[-len(parts) - 1], spare)
    extras = np.flatnonzero(beyond.ravel()) % spare
    begins = np.cumsum([0, *beyond.sum(axis=1)])
    arrays = whole, *_roots_and_branches(whole), *_in_order(whole, spare), rest, *_roots_and_branches(rest), bases
    arrays = *arrays, extras.astype(np.int32), begins.astype(np.int32), *tokens.tails(parts), twins
    return dict(zip(_BUILT, arrays, strict=True))


class _Split(NamedTuple):
    """Length of each token within a slice: see `slice_lengths`."""

    lengths: np.ndarray
    heads: np.ndarray


class _Tokens:
    """Tokens in the order of their bytes, while tries are made of them."""

    def __init__(self, texts: list[bytes], *, spare: int) -> None:
        self.pairs = sorted((text, token) for token, text in enumerate(texts) if 0 < len(text) <= codes.MOST_BYTES)
        self.spare = spare
        self.numbers = np.fromiter((token for _, token in self.pairs), dtype=np.int32, count=len(self.pairs))
        self.lengths = np.fromiter((len(text) for text, _ in self.pairs), dtype=np.int64, count=len(self.pairs))
        self.text = np.frombuffer(b"".join(text for text, _ in self.pairs), dtype=np.uint8)
        self.offsets = np.concatenate([[0], np.cumsum(self.lengths)])

    def trie(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nodes of a trie of some tokens (bool), and the twins among them: see `TrieArrays`."""
        text = self.text[np.repeat(chosen, self.lengths)]
        return _trie(text, self.lengths[chosen], self.numbers[chosen], self.spare)

    def mask(self, chosen: np.ndarray) -> np.ndarray:
        """Mask of some tokens (bool): int32, (words,)."""
        allowed = np.zeros(self.spare, dtype=bool)
        allowed[self.numbers[chosen]] = True
        return bitmask.pack(allowed)

    def split(self, characters: np.ndarray) -> _Split:
        """Length of each token within a slice."""
        split = _Split(*np.empty((2, len(self.numbers)), dtype=np.int32))
        slice_lengths(self.text, self.offsets, characters, *split)
        return split

    def by_length(self, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Masks of the tokens of at most 0, 1, ... characters, and which tokens (bool) are in the last of them."""
        is_inside = (lengths > 0) & (lengths <= MOST_CHARACTERS)
        most = int(lengths[is_inside].max(initial=0))
        masks = np.zeros((most + 1, self.spare // 32), dtype=np.int32)
        for k in range(1, most + 1):
            masks[k] = masks[k - 1] | self.mask(lengths == k)
        return masks, is_inside

    def tails(self, parts: Iterable[_Split]) -> tuple[np.ndarray, ...]:
        """For each slice what is left of the tokens outside it: `tails` to `members` of `TrieArrays`."""
        tries: list[np.ndarray] = []
        groups: list[list[int]] = []
        roots: list[np.ndarray] = []
        begin = 0
        by_slice: list[dict[bytes, list[int]]] = []
        for part in parts:
            left: dict[bytes, list[int]] = {}
            for place in np.flatnonzero(part.lengths < 0).tolist():
                text, token = self.pairs[place]
                left.setdefault(text[part.heads[place] :], []).append(token)
            by_slice.append(left)
        spare = sum(map(len, by_slice))
        for left in by_slice:
            texts = sorted(left)
            lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
            numbers = np.arange(len(groups), len(groups) + len(texts), dtype=np.int32)
            nodes, _ = _trie(np.frombuffer(bytearray().join(texts), dtype=np.uint8), lengths, numbers, spare)
            groups += [left[text] for text in texts]
            tries.append(nodes)
            roots.append(_roots(nodes) + (begin << 8))
            begin += len(nodes)
        sizes = [0, *map(len, groups), 0]
        members = np.fromiter(itertools.chain.from_iterable(groups), dtype=np.int32, count=sum(sizes))
        begins = np.cumsum([0, *map(len, roots)], dtype=np.int32)
        return np.concatenate(tries), np.concatenate(roots), begins, np.cumsum(sizes, dtype=np.int32), members


def _roots(nodes: np.ndarray) -> np.ndarray:
    """The roots of a trie: see `TrieArrays`."""
    roots: list[int] = []
    place = 0
    while place < len(nodes):
        roots.append(int(nodes[place]) & 255 | place << 8)
        place += int(nodes[place]) >> 40
    return np.array([*roots, place << 8], dtype=np.int64)


def _roots_and_branches(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same, each with the place of its first branch, and the branches."""
    roots = _roots(nodes)
    branches: list[int] = []
    begins: list[int] = []
    for root, following in itertools.pairwise(roots.tolist()):
        begins.append(len(branches))
        place = (root >> 8) + 1
        while place < following >> 8:
            branches.append(int(nodes[place]) & 255 | place << 8)
            place += int(nodes[place]) >> 40
    begins.append(len(branches))
    return np.stack([roots, begins], axis=1), np.array(branches, dtype=np.int64)


def _in_order(nodes: np.ndarray, spare: int) -> tuple[np.ndarray, ...]:
    """`below` to `lengths` of `TrieArrays`."""
    below, counts, heights = kinds_below(nodes)
    tokens = nodes >> 16 & 0xFFFFFF
    is_token = tokens != spare
    before = np.cumsum([0, *is_token], dtype=np.int32)
    return below, counts, heights, before, tokens[is_token].astype(np.int32), counts[is_token]


def _trie(text: np.ndarray, lengths: np.ndarray, numbers: np.ndarray, spare: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and twins of the trie of sorted texts: see `build_trie`."""
    if len(text) >= 2**23:
        raise VocabularyError(f"tokens of {len(text)} bytes are more than a trie can number")
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    nodes = np.empty(len(text), dtype=np.int64)
    twins = np.empty((len(lengths), width(TWIN)), dtype=np.int32)
    open_nodes = np.empty(int(lengths.max(initial=0)) + 1, dtype=np.int32)
    n, t = build_trie(text, offsets, numbers, spare, nodes, twins, open_nodes)
    return nodes[:n].copy(), twins[:t].copy()
