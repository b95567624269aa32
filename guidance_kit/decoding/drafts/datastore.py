"""Draft by a datastore: what most often followed the last tokens in a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.decoding.drafts.draft import NOTHING, Proposal
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["Datastore"]

_SEEN = 256
"""Maximum number of occurrences whose continuations are counted, spread over all of them."""


class Datastore:
    """Propose the most frequent continuation of the last tokens in a corpus: retrieval-based speculation.

    The corpus is one array of tokens with its suffix array, so that all occurrences of an n-gram are found by binary
    search. A proposal is a function of the prefix, so texts are those without it.

    Args:
        texts: token ids of each text of the corpus; not all of them empty.
        longest, shortest: lengths of the n-grams that are looked up, the longest that occurs counts.
    Raises:
        OptionError: a value out of range; no tokens.
    Source: He et al. 2024, REST: Retrieval-Based Speculative Decoding. Their tree of candidates is here its most
        frequent branch, token by token.
    """

    def __init__(self, texts: Iterable[Sequence[int]], *, longest: int = 16, shortest: int = 2) -> None:
        require_integer("shortest", shortest, least=1)
        require_integer("longest", longest, least=1)
        if longest < shortest:
            raise OptionError(f"longest is {longest}, less than shortest, {shortest}")
        self.longest, self.shortest = longest, shortest
        ends = [np.asarray([*text, -1], dtype=np.int64) for text in texts]  # -1 parts the texts
        self._tokens = np.concatenate(ends) if ends else np.empty(0, dtype=np.int64)
        if not (self._tokens >= 0).any():
            raise OptionError("a datastore is made of texts with tokens, and there are none")
        self._suffixes = _suffix_array(self._tokens, longest)

    @property
    def name(self) -> str:
        """See `Draft`."""
        return "datastore"

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: every row can be looked up."""

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`."""
        pairs = zip(walk.rows, counts, strict=True)
        found = (self.continuation(row.prefix, count) if count else [] for row, count in pairs)
        return [Proposal(tokens=tokens, draft=self.name) if tokens else NOTHING for tokens in found]

    def continuation(self, prefix: Sequence[int], count: int) -> list[int]:
        """Most frequent continuation of the longest n-gram at the end of a prefix that occurs: up to `count` tokens.

        >>> Datastore([[1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 9]], shortest=1).continuation([7, 1, 2], 2)
        [3, 4]
        """
        for length in range(min(self.longest, len(prefix)), self.shortest - 1, -1):
            places = self._occurrences(prefix[len(prefix) - length :])
            if len(places):
                found = self._most_frequent(places + length, count)
                if found:
                    return found
        return []

    def _occurrences(self, ngram: Sequence[int]) -> np.ndarray:
        """Places of an n-gram of at most `longest` tokens: int64, ascending in no order, at most `_SEEN`."""
        first, last = 0, len(self._suffixes)
        for offset, token in enumerate(ngram):  # the suffixes between first and last agree up to the offset
            keys = _Column(self._tokens, self._suffixes, offset)
            first, last = keys.find(token, first, last), keys.find(token + 1, first, last)
            if first == last:
                return np.empty(0, dtype=np.int64)
        step = -(-(last - first) // _SEEN)
        return self._suffixes[first:last:step]

    def _most_frequent(self, places: np.ndarray, count: int) -> list[int]:
        """Token by token the most frequent one among the continuations that agree so far, of equal ones the lowest."""
        found: list[int] = []
        while len(found) < count:
            tokens = self._tokens[places]
            known = tokens[tokens >= 0]
            if not len(known):
                break
            values, frequencies = np.unique(known, return_counts=True)
            token = int(values[frequencies.argmax()])
            found.append(token)
            places = places[tokens == token] + 1
        return found


class _Column:
    """Tokens at an offset from the suffixes, in their order; beyond the end -1."""

    def __init__(self, tokens: np.ndarray, suffixes: np.ndarray, offset: int) -> None:
        self._tokens, self._suffixes, self._offset = tokens, suffixes, offset

    def find(self, token: int, first: int, last: int) -> int:
        """First place from `first` to `last`, where tokens ascend, whose token is not below the given one."""
        while first < last:
            middle = (first + last) // 2
            place = int(self._suffixes[middle]) + self._offset
            if place < len(self._tokens) and self._tokens[place] >= token:
                last = middle
            else:
                first = middle + 1
        return first


def _suffix_array(tokens: np.ndarray, length: int) -> np.ndarray:
    """Places of the suffixes sorted by their first `length` tokens, at least: int64.

    Prefix doubling: ranks of pairs of ranks, log2(length) sorts.
    Source: Manber and Myers 1993, Suffix Arrays: A New Method for On-Line String Searches.
    """
    ranks = np.unique(tokens, return_inverse=True)[1].astype(np.int64) + 1
    width = 1
    while width < length:
        second = np.zeros_like(ranks)
        second[:-width] = ranks[width:]
        ranks = np.unique(ranks * (len(ranks) + 2) + second, return_inverse=True)[1].astype(np.int64) + 1
        width *= 2
    return np.argsort(ranks, kind="stable")
