"""The token index: which tokens of a vocabulary an automaton allows, remembered."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.spelling import Spelling, restrict, spelling_of
from guidance_kit.fsm.token_trie import TokenTrie

if TYPE_CHECKING:
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["TokenIndex"]


class TokenIndex:
    """Masks over one vocabulary for the configurations of one automaton.

    Args:
        automaton: what is allowed, byte by byte; its horizon must not be less than the longest token.
        vocabulary: the tokens.
    """

    def __init__(self, automaton: Automaton, vocabulary: Vocabulary) -> None:
        self.automaton = automaton
        self.vocabulary = vocabulary
        self.trie, _ = _prepared(vocabulary)
        if automaton.horizon is not None and automaton.horizon < self.trie.longest:
            raise ValueError(f"horizon {automaton.horizon} is less than the longest token, {self.trie.longest} bytes")
        self.words = self.trie.words
        self._masks: OrderedDict[int, np.ndarray] = OrderedDict()
        self._capacity = max(1, automaton.limits.mask_cache_bytes // (4 * self.words))
        self._hits = 0
        self._misses = 0

    @classmethod
    def build(cls, network: Network, vocabulary: Vocabulary, *, limits: Limits | None = None) -> TokenIndex:
        """Index a network, restricted to what the vocabulary can spell.

        Raises:
            UnspellableError: if the vocabulary cannot spell any text of the network.
        """
        limits = limits or Limits()
        network.max_states = limits.max_states
        trie, spelling = _prepared(vocabulary)
        if spelling is not None:
            network = restrict(network, spelling)
        return cls(Automaton(network, horizon=trie.longest, limits=limits), vocabulary)

    def mask(self, config: int) -> np.ndarray:
        """Tokens allowed in `config`, with the end-of-sequence tokens where the text is complete.

        Returns:
            int32, (words,), read-only; rows beyond the vocabulary are 0.
        """
        with self.automaton.lock:
            mask = self._masks.get(config)
            if mask is not None:
                self._hits += 1
                self._masks.move_to_end(config)
                return mask
            same = self.automaton.canonical(config)
            mask = self._masks.get(same)
            if mask is None:
                self._misses += 1
                mask = self._compute(same)
                mask.flags.writeable = False
                self._keep(same, mask)
            else:
                self._hits += 1
            if same != config:
                self._keep(config, mask)
            return mask

    def _keep(self, config: int, mask: np.ndarray) -> None:
        self._masks[config] = mask
        if len(self._masks) > self._capacity:
            self._masks.popitem(last=False)

    def statistics(self) -> dict[str, int]:
        """Masks kept, their bytes, hits and misses."""
        return {
            "masks": len({id(mask) for mask in self._masks.values()}),
            "bytes": sum({id(mask): mask.nbytes for mask in self._masks.values()}.values()),
            "hits": self._hits,
            "misses": self._misses,
        }

    def advance(self, config: int, token: int) -> int:
        """The configuration after a token, 0 if it is not allowed or spells no text."""
        return self.automaton.advance_token(self.trie.handle, config, token)

    def _compute(self, config: int) -> np.ndarray:
        mask = np.empty(self.words + 1, dtype=np.int32)
        self.automaton.fill_mask(self.trie.handle, config, mask)
        for token in self.trie.overlong:
            if self.advance(config, token):
                mask[token >> 5] |= np.int32(1) << np.int32(token & 31)
        return mask[:-1]


_PREPARED: OrderedDict[str, tuple[TokenTrie, Spelling | None]] = OrderedDict()
_PREPARED_LOCK = threading.Lock()
_MOST_VOCABULARIES = 8


def _prepared(vocabulary: Vocabulary) -> tuple[TokenTrie, Spelling | None]:
    """What all indexes over one vocabulary share, kept for the vocabularies used last."""
    with _PREPARED_LOCK:
        entry = _PREPARED.pop(vocabulary.fingerprint, None)
        if entry is None:
            entry = TokenTrie(vocabulary), spelling_of(vocabulary)
        _PREPARED[vocabulary.fingerprint] = entry
        if len(_PREPARED) > _MOST_VOCABULARIES:
            _PREPARED.popitem(last=False)
        return entry
