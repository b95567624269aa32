"""The token index: which tokens of a vocabulary an automaton allows, remembered."""

from __future__ import annotations

import difflib
import itertools
from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.errors import VocabularyError
from guidance_kit.fsm import kernels, mask_store
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.budget import IMPOSSIBLE, Budget
from guidance_kit.fsm.forks import ForkSafeLock
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.memory import grown, reserve
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.spelling import Spelling, restrict, spelling_of
from guidance_kit.fsm.token_trie import TokenTrie

if TYPE_CHECKING:
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["TokenIndex"]

_CLOCK = itertools.count(1)


class TokenIndex:
    """Masks over one vocabulary for the configurations of one automaton, kept while there is memory for them.

    An index keeps at most `Limits.mask_cache_bytes` of masks and begins anew when these are full; all indexes of a
    process together keep at most `mask_store.memory_for_masks` bytes: beyond that, those used least recently forget
    theirs.

    Args:
        automaton: what is allowed, byte by byte; its horizon must not be less than the longest token.
        vocabulary: the tokens.

    Attributes:
        words: length of a mask.
        blocks, used_at: see `mask_store.Holder`.
        shelf_address: where kernels find the masks that are known already; to be read under the automaton's lock.
    """

    def __init__(self, automaton: Automaton, vocabulary: Vocabulary) -> None:
        self.automaton = automaton
        self.vocabulary = vocabulary
        self.trie, _ = _prepared(vocabulary)
        if automaton.horizon is not None and automaton.horizon < self.trie.longest:
            raise ValueError(f"horizon {automaton.horizon} is less than the longest token, {self.trie.longest} bytes")
        self.words = self.trie.words
        self.number = next(_CLOCK)
        self.used_at = 0
        self.blocks: list[np.ndarray] = []
        self._misses = self._forgotten = 0
        self._set_shelf()
        mask_store.register(self)

    @classmethod
    def build(cls, network: Network, vocabulary: Vocabulary, *, limits: Limits | None = None) -> TokenIndex:
        """Index a network, restricted to what the vocabulary can spell.

        Raises:
            UnspellableError: if the vocabulary cannot spell any text of the network.
            VocabularyError: if it does not have a special token that the network reads.
        """
        limits = limits or Limits()
        network.as_text = _missing_specials(network, vocabulary)
        network.max_states = limits.max_states
        trie, spelling = _prepared(vocabulary)
        if spelling is not None:
            network = restrict(network, spelling)
        return cls(Automaton(network, horizon=trie.longest, limits=limits), vocabulary)

    def mask(self, config: int) -> np.ndarray:
        """Tokens allowed in `config`, with the end-of-sequence tokens where the text is complete.

        Returns:
            int32, (words,); rows beyond the vocabulary are 0.
        """
        mask = np.empty(self.words, dtype=np.int32)
        self.fill_mask(config, mask)
        return mask

    def fill_mask(self, config: int, mask_out: np.ndarray) -> int:
        """The same into int32 (words,).

        Returns:
            How the mask was found, see `kernels.fill_mask`.
        """
        automaton = self.automaton
        with automaton.lock:
            self.touch()
            far, again = automaton.far, False
            while True:
                code = kernels.fill_mask(automaton.handle, self.trie.handle, self._handle, config, far, again, mask_out)
                if code >= 0:
                    break
                if code == kernels.FULL_SHELF:
                    self._make_room()
                else:
                    automaton.make_room(code)
                    again = True
            if code > 0:
                self._misses += 1
                if self.trie.overlong:
                    self._add_overlong(config, mask_out)
            return code

    def restrict(self, config: int, left: int, mask: np.ndarray) -> None:
        """Forbid the tokens after which a text could not be completed within `left` tokens, these included.

        Args:
            left: at least 1.
            mask: of `config`; int32, (words,), changed in place.
        """
        with self.automaton.lock:
            self._budget.restrict(config, left, mask)

    def restricts(self, config: int, left: int) -> bool:
        """Whether `left` tokens are too few for one of those that are allowed in `config`."""
        if left == 0:
            return bool(self.automaton.live_bytes(config).any())
        with self.automaton.lock:
            return bool(self._budget.too_far(config, left))

    def suffices(self, config: int, left: int) -> bool:
        """Whether `left` tokens lead from `config` to a complete text."""
        with self.automaton.lock:
            return self._budget.suffices(config, left)

    def min_tokens_to_complete(self, config: int) -> int | None:
        """Tokens from `config` to a complete text, see `Budget`; None if no tokens lead there."""
        with self.automaton.lock:
            fewest = self._budget.fewest(config)
        return None if fewest == IMPOSSIBLE else fewest

    def touch(self) -> None:
        """Note that the masks are in use."""
        self.used_at = next(_CLOCK)

    def forget(self) -> None:
        """Drop all masks that are kept."""
        with self.automaton.lock:
            self._forgotten += self._kept
            mask_store.give_back(self.blocks)
            self._set_shelf()

    def try_forget(self) -> bool:
        """See `mask_store.Holder`."""
        is_free = self.automaton.lock.acquire(blocking=False)  # to wait for one that may be waiting for us is for ever
        if is_free:
            try:
                self.forget()
            finally:
                self.automaton.lock.release()
        return is_free

    def statistics(self) -> dict[str, int]:
        """Masks kept, bytes of their blocks, masks computed so far, how many of these were dropped to save memory."""
        size = sum(block.nbytes for block in self.blocks)
        return {"masks": self._kept, "bytes": size, "misses": self._misses, "forgotten": self._forgotten}

    def advance(self, config: int, token: int) -> int:
        """The configuration after a token, 0 if it is not allowed or spells no text."""
        return self.automaton.advance_token(self.trie.handle, config, token)

    @cached_property
    def _budget(self) -> Budget:
        return Budget(self)

    @property
    def _kept(self) -> int:
        return max(0, int(self._shelf.used[0]) - 1)

    def _set_shelf(self) -> None:
        """Begin with no mask."""
        self._replace_shelf(
            kernels.shelf_of(
                self.blocks,
                row_of=reserve((len(self.automaton.arena.configs),), np.int32),
                used=np.array([1, 0, self.words + 1], dtype=np.int64),
            )
        )

    def _replace_shelf(self, shelf: kernels.Shelf) -> None:
        self._shelf = shelf
        self._handle = kernels.handle_of(shelf)
        self.shelf_address = kernels.address_of(self._handle)

    def _make_room(self) -> None:
        """Let one more mask be kept."""
        shelf = self._shelf
        missing = len(self.automaton.arena.configs) - len(shelf.row_of)
        if missing > 0:
            self._replace_shelf(shelf._replace(row_of=grown(shelf.row_of, len(shelf.row_of) + missing)))
            return
        size = 4 * mask_store.BLOCK * (self.words + 1) * (len(self.blocks) + 1)
        block = None
        if not self.blocks or size <= self.automaton.limits.mask_cache_bytes:
            block = mask_store.take(self, self.words + 1)
        if block is None:
            self.forget()
            return
        self.blocks.append(block)
        used = shelf.used.copy()
        used[1] = mask_store.BLOCK * len(self.blocks)
        self._replace_shelf(kernels.shelf_of(self.blocks, row_of=shelf.row_of, used=used))

    def _add_overlong(self, config: int, mask_out: np.ndarray) -> None:
        """Add the tokens that are too long for the tries."""
        row = int(self._shelf.row_of[config])
        kept = self.blocks[row // mask_store.BLOCK][row % mask_store.BLOCK]
        for token in self.trie.overlong:
            if self.advance(config, token):
                for mask in (kept, mask_out):
                    mask[token >> 5] |= np.int32(1) << np.int32(token & 31)


def _missing_specials(network: Network, vocabulary: Vocabulary) -> frozenset[str]:
    """The special tokens of a network that a vocabulary does not have, all of which may be read as text."""
    known = set(vocabulary.special_names.values())
    missing = network.specials.keys() - known
    for name in sorted(missing):
        if not network.specials[name]:
            is_text = name.encode() in vocabulary.token_bytes
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            raise VocabularyError(
                f"the vocabulary has no special token {name!r}; "
                + ("it has a token of text that is written so: " if is_text else "")
                + (f"did you mean {near[0]!r}? " if near and not is_text else "")
                + f"special_token({name!r}, or_text=True) takes the text where there is no such token"
            )
    return frozenset(missing)


_PREPARED: OrderedDict[str, tuple[TokenTrie, Spelling | None]] = OrderedDict()
_PREPARED_LOCK = ForkSafeLock()
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
