"""Token index: masks of a vocabulary over an automaton, cached by configuration.

Masks are not shared between configurations that differ only in frames that no token can pop, or in counters that only
the longest tokens can exhaust. Of 24,000 masks for 300 schemas of MaskBench, 2.5 % equalled an earlier one up to frames
more than three deep, and took 1.3 % of the time; 0.5 % and 7 % up to counters more than 16 bytes from their bounds.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from guidance_kit.errors import UnsupportedFeature, VocabularyError
from guidance_kit.fsm import mask_store
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.budget import IMPOSSIBLE, Budget
from guidance_kit.fsm.caches import BoundedCache, caches
from guidance_kit.fsm.completion_weights import CompletionWeights, Measure
from guidance_kit.fsm.duplicate_filter import DuplicateFilter
from guidance_kit.fsm.duplicate_item_filter import DuplicateItemFilter
from guidance_kit.fsm.duplicate_key_filter import DuplicateKeyFilter
from guidance_kit.fsm.kernels import codes, handles, steps
from guidance_kit.fsm.kernels.arrays import MaskCache
from guidance_kit.fsm.kernels.codes import BLOCK
from guidance_kit.fsm.kernels.columns import FOUND, KEPT, REQUEST, USED, width
from guidance_kit.fsm.kernels.masks import find_masks
from guidance_kit.fsm.kernels.walks import walk_recalling
from guidance_kit.fsm.limits import DEFAULT_LIMITS, Limits
from guidance_kit.fsm.memory import grown
from guidance_kit.fsm.network import RECALLING, Network, Work, numbered
from guidance_kit.fsm.spelling import Spelling, restrict, spelling_of
from guidance_kit.fsm.token_id_sets import TokenIdSets
from guidance_kit.fsm.token_trie import TokenTrie
from guidance_kit.fsm.written import Written

if TYPE_CHECKING:
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["TokenIndex"]

_CLOCK = itertools.count(1)

_AT_ONCE = ", which is built as a whole since the vocabulary has no token for some bytes"
"""Reason for which no rule is built lazily, in messages."""

_LEAST_LISTS = 1_024
"""Least length of `MaskCache.lists`, and that of an index beside another one of its automaton."""

_FIRST_ROWS = 4_096
"""Length of `MaskCache.row_of` at first: more configurations than most texts reach."""

_MOST_TEXTS = 1_024
"""Texts on which masks depend that are remembered, and configurations for which it is where they do."""


class TokenIndex:
    """Masks over one vocabulary for the configurations of one automaton, kept while there is memory for them.

    An index keeps at most `Limits.mask_cache_bytes` of masks and begins anew when these are full. Most masks differ in
    few tokens from one that is the same for all constraints, and are kept as lists of these; the others are in blocks,
    of which all indexes of a process together have at most their share of `caches.limit()`: beyond that, those used
    least recently forget theirs.

    Args:
        automaton: what is allowed, byte by byte; its horizon must not be less than the longest token.
        vocabulary: the tokens.

    Attributes:
        words: length of a mask.
        has_recalls: whether what may follow can depend on the text before, see `Network.recalls`.
        names: filter of masks for names and items that may not come twice, if the network has any.
        token_id_sets: the tokens that are taken by their numbers, if the network reads any; masks are without them.
        adapts_masks: whether the mask of a text may differ from that of its configuration even where it has no budget,
            and no names yet that may not come twice.
        blocks, used_at: see `mask_store.Holder`.
        cache_address: where kernels find the masks that are known already, which needs the automaton's lock.
        request: a request for a mask, see `kernels.masks.find_masks`; to be used under the automaton's lock.
    """

    def __init__(self, automaton: Automaton, vocabulary: Vocabulary) -> None:
        self.automaton = automaton
        self.vocabulary = vocabulary
        self.trie, _ = _prepared(vocabulary)
        if automaton.horizon is not None and automaton.horizon < self.trie.longest:
            raise ValueError(f"horizon {automaton.horizon} is less than the longest token, {self.trie.longest} bytes")
        self.words = self.trie.words
        self.has_recalls = automaton.network.has_recalls
        self.number = next(_CLOCK)
        self.used_at = 0
        self.blocks: list[np.ndarray] = []
        self._misses = self._forgotten = 0
        self._numbers: dict[bytes, int] = {}
        self._crossings: dict[int, list[tuple[int, int, bytes]]] = {}
        self.names = self._filter()
        self.token_id_sets = TokenIdSets(self) if automaton.network.token_sets else None
        self._weights: dict[Measure, CompletionWeights] = {}
        has_names = self.names is not None and self.names.are_in_tokens
        self.adapts_masks = self.has_recalls or has_names or self.token_id_sets is not None
        self._handle: Any = None
        lists = automaton.take_lists()
        most = max(_LEAST_LISTS, automaton.limits.mask_cache_bytes // 4)
        self._set_cache(np.empty(_LEAST_LISTS, dtype=np.int32) if lists is None else lists[:most])
        self.cache_address = handles.address_of(self._handle)
        self.request = handles.request(automaton.handle, self.trie.handle, self._handle)

    @classmethod
    def build(cls, network: Network, vocabulary: Vocabulary, *, limits: Limits | None = None) -> TokenIndex:
        """Index a network, restricted to what the vocabulary can spell.

        Raises:
            UnspellableError: if the vocabulary cannot spell any text of the network.
            UnsupportedFeature: if it cannot spell all texts, and the network recalls texts.
            VocabularyError: if it does not have a special token, or a number of a token, that the network reads.
        """
        limits = limits or DEFAULT_LIMITS
        network.as_text |= _missing_specials(network, vocabulary)
        network.max_states = limits.max_states
        trie, spelling = _prepared(vocabulary)
        if spelling is not None:
            if network.depends_on_texts:
                raise UnsupportedFeature(
                    RECALLING,
                    where="a vocabulary that has no token for some bytes",
                    hint="list the items by enum, or use a tokenizer with byte fallback",
                )
            network.work = Work(limits.max_work, reason=_AT_ONCE)
            network = restrict(network, spelling.with_sets(len(network.token_sets)))
        horizon = max(trie.longest, len(numbered(len(network.token_sets))))
        return cls(Automaton(network, horizon=horizon, limits=limits), vocabulary)

    def _filter(self) -> DuplicateKeyFilter | DuplicateFilter | None:
        """Filter of names and items that may not come twice, if the network has any."""
        network = self.automaton.network
        keys = None if network.key_tracker is None else DuplicateKeyFilter(self, network.key_tracker)
        if network.item_tracker is None:
            return keys
        return DuplicateFilter(keys, DuplicateItemFilter(self, network.item_tracker))

    def completion_weights(self, measure: Measure) -> CompletionWeights:
        """Measures of the completions of configurations, computed once; the automaton's lock must be held.

        Raises:
            UnsupportedFeature: see `CompletionWeights`.
        """
        if measure not in self._weights:
            self._weights[measure] = CompletionWeights(self, measure)
        return self._weights[measure]

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
            How the mask was found, see `find_masks`.
        """
        request = self.request
        with self.automaton.lock:
            self.used_at = next(_CLOCK)
            request[0, REQUEST.config] = config
            request[0, REQUEST.answer] = codes.PENDING
            is_new = True
            while (answer := find_masks(request, mask_out, codes.ALONE)) < 0:
                self.make_room(answer, is_new=is_new)
                is_new = False
            if answer > 0:
                self.note_found()
                if self.trie.overlong:
                    self._add_overlong(config, mask_out)
            return answer

    def make_room(self, code: int, *, is_new: bool) -> None:
        """Do what a request for a mask needs, by its answer; the automaton's lock must be held.

        Args:
            is_new: whether this is the first that it needs.
        Raises:
            LimitError: there is no room, or too much work.
        """
        if is_new:
            self.automaton.work.renew()
        if code == codes.FULL_CACHE:
            self._make_room()
        else:
            self.automaton.make_room(code)

    def note_found(self) -> None:
        """Count a mask that was not known."""
        self._misses += 1

    def add_recalling(self, config: int, text: bytes, mask: np.ndarray) -> None:
        """Add the tokens within which something depends on the text: `find_masks` knows those without alone.

        Args:
            text: the whole text that leads to `config`.
            mask: of `config`; int32, (words,), changed in place.
        """
        automaton = self.automaton
        with automaton.lock:
            todo = [(waiting, node, text + said) for node, waiting, said in self._waiting(config)]
            while todo:
                waiting, node, before = todo.pop()
                here = automaton.recalled(waiting, before)
                todo += ((other, at, before + said) for at, other, said in self._walk(here, node, mask))
            for token in self.trie.overlong:
                if self._advance_text(config, token, lambda: text, None)[0]:
                    mask[token >> 5] |= np.int32(1) << np.int32(token & 31)

    def number_of(self, text: bytes) -> int:
        """A number that no other text ever gets."""
        number = self._numbers.get(text)
        if number is None:
            if len(self._numbers) >= _MOST_TEXTS:
                self._numbers.clear()
            number = self._numbers[text] = next(_CLOCK)
        return number

    def recalls(self, config: int) -> bool:
        """Test whether the mask of a configuration depends on the text before it."""
        with self.automaton.lock:
            return bool(self._waiting(config)) or bool(self.trie.overlong)

    def _waiting(self, config: int) -> list[tuple[int, int, bytes]]:
        """Waits within tokens: node of the trie, configuration there, bytes up to there."""
        found = self._crossings.get(config)
        if found is None:
            if len(self._crossings) >= _MOST_TEXTS:
                self._crossings.clear()
            found = self._crossings[config] = self._walk(config, -1, np.empty(self.words, dtype=np.int32))
        return found

    def _walk(self, config: int, root: int, mask: np.ndarray) -> list[tuple[int, int, bytes]]:
        """Add the tokens of a part of the trie within which nothing waits; return where something does."""
        rows = 64
        while True:
            places = np.empty((rows, width(FOUND)), dtype=np.int32)
            said = np.empty((rows, codes.MOST_BYTES + 1), dtype=np.uint8)
            args = self.trie.handle, config, root, mask, places, said
            count = self.automaton.run(walk_recalling, *args)
            if count < rows:
                break
            rows *= 8
        ends = zip(places[:count].tolist(), said[:count], strict=True)
        return [(node, waiting, text[1 : 1 + text[0]].tobytes()) for (node, waiting), text in ends]

    def restrict(self, config: int, left: int, mask: np.ndarray) -> None:
        """Forbid the tokens after which a text could not be completed within `left` tokens, these included.

        Args:
            left: at least 1.
            mask: of `config`; int32, (words,), changed in place.
        """
        with self.automaton.lock:
            self._budget.restrict(config, left, mask)

    def restricts(self, config: int, left: int) -> bool:
        """Test whether `left` tokens are too few for one of those that are allowed in `config`."""
        if left == 0:
            return bool(self.automaton.live_bytes(config).any())
        with self.automaton.lock:
            return bool(self._budget.too_far(config, left))

    def suffices(self, config: int, left: int) -> bool:
        """Test whether `left` tokens lead from `config` to a complete text."""
        with self.automaton.lock:
            return self._budget.suffices(config, left)

    def most_needed(self, config: int) -> int:
        """No token that is allowed in `config` needs more tokens after it for the text to be completed."""
        with self.automaton.lock:
            return self._budget.bound(config)

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
            self._set_cache(self._cache.lists)

    def try_forget(self) -> bool:
        """See `mask_store.Holder`."""
        if self.automaton.is_shared:
            return False
        is_free = self.automaton.lock.acquire(blocking=False)  # to wait for one that may be waiting for us is for ever
        if is_free:
            try:
                self.forget()
            finally:
                self.automaton.lock.release()
        return is_free

    def statistics(self) -> dict[str, int]:
        """Masks kept, bytes that they take, masks computed so far, how many of these were dropped to save memory."""
        return {"masks": self._kept, "bytes": self._size, "misses": self._misses, "forgotten": self._forgotten}

    def advance(
        self, config: int, token: int, text: Callable[[], bytes] | None = None, written: Written | None = None
    ) -> tuple[int, Written | None]:
        """The configuration after a token, 0 if it is not allowed or spells no text; and the names in the text then.

        Args:
            text: gives the whole text that leads to `config`; it matters only if the network recalls texts, or has
                names that may not come twice. None: what follows from it is left open.
            written: which names the text has, see `KeyTracker`.
        """
        if self.token_id_sets is None:
            if self.names is None and not self.has_recalls:
                return self.automaton.advance_token(self.trie.handle, config, token), written
            return self._advance_text(config, token, text, written)
        after, then = self._advance_text(config, token, text, written)
        other = self.token_id_sets.after(config, token)
        if other:
            return (self.automaton.united(after, other), then) if after else (other, written)
        return after, then

    def _advance_text(
        self, config: int, token: int, text: Callable[[], bytes] | None, written: Written | None
    ) -> tuple[int, Written | None]:
        """The same, if the token is taken by its text, or as a special token by its name."""
        automaton, handle = self.automaton, self.trie.handle
        if not self.has_recalls:
            if self.names is None or text is None:
                return automaton.advance_token(handle, config, token), written
            after = automaton.run(steps.advance_named, handle, config, token)
            if after < codes.PASSED:
                return after, written
        spelt = self.trie.texts[token]
        path, written = automaton.read(config, spelt, text() if text is not None else b"", written)
        return (int(path[-1]) if spelt and len(path) == len(spelt) else 0), written

    @property
    def _budget(self) -> Budget:
        """The budget, to be asked one question."""
        self.automaton.work.renew()
        return self._known_budget

    @cached_property
    def _known_budget(self) -> Budget:
        return Budget(self)

    @property
    def _kept(self) -> int:
        return int(self._cache.used[KEPT.rows] - 1 + self._cache.used[KEPT.lists])

    @property
    def _size(self) -> int:
        return sum(block.nbytes for block in self.blocks) + 4 * int(self._cache.used[KEPT.places])

    def _set_cache(self, lists: np.ndarray) -> None:
        """Begin with no mask, and with memory for lists."""
        self._replace_cache(
            MaskCache(
                bases=self.trie.arrays.bases,
                blocks=handles.addresses_of(self.blocks),
                lists=lists,
                row_of=np.zeros(_FIRST_ROWS, dtype=np.int32),
                used=np.array(KEPT._replace(rows=1, room=0, words=self.words, places=1, lists=0), dtype=np.int64),
            )
        )

    def _replace_cache(self, cache: MaskCache) -> None:
        self._cache = cache
        self._handle = handles.handle_of(cache, self._handle)

    def _make_room(self) -> None:
        """Let one more mask be kept."""
        cache, arena = self._cache, self.automaton.arena
        if arena.used[USED.configs] > len(cache.row_of):
            self._replace_cache(cache._replace(row_of=grown(cache.row_of, len(arena.configs))))
        elif cache.used[KEPT.places] + codes.MOST_NOTED + 2 > len(cache.lists):
            if self._size + 12 * len(cache.lists) > self.automaton.limits.mask_cache_bytes:
                self.forget()
            else:
                self._replace_cache(cache._replace(lists=grown(cache.lists, 4 * len(cache.lists))))
        else:
            size = self._size + 4 * BLOCK * self.words
            block = None
            if not self.blocks or size <= self.automaton.limits.mask_cache_bytes:
                block = mask_store.take(self, self.words)
            if block is None:
                self.forget()
                return
            self.blocks.append(block)
            cache.used[KEPT.room] = BLOCK * len(self.blocks)
            self._replace_cache(cache._replace(blocks=handles.addresses_of(self.blocks)))

    def _add_overlong(self, config: int, mask_out: np.ndarray) -> None:
        """Add the tokens that are too long for the tries to the mask that was found last."""
        tokens = [token for token in self.trie.overlong if self._advance_text(config, token, None, None)[0]]
        cache = self._cache
        row = int(cache.row_of[config])
        masks = [mask_out]
        if row > 0:
            masks.append(self.blocks[row // BLOCK][row % BLOCK])
        else:
            end = int(cache.used[KEPT.places])
            if end + len(tokens) > len(cache.lists):
                cache = cache._replace(lists=grown(cache.lists, 2 * (end + len(tokens))))
                self._replace_cache(cache)
            cache.lists[end : end + len(tokens)] = tokens
            cache.lists[1 - row] += len(tokens)
            cache.used[KEPT.places] += len(tokens)
        for token in tokens:
            for mask in masks:
                mask[token >> 5] |= np.int32(1) << np.int32(token & 31)


def _missing_specials(network: Network, vocabulary: Vocabulary) -> frozenset[str]:
    """The special tokens of a network that a vocabulary does not have, all of which may be read as text."""
    known = set(vocabulary.special_names.values())
    missing = network.specials.keys() - known - network.as_text
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


_PREPARED: BoundedCache[str, tuple[TokenTrie, Spelling | None]] = caches.register(
    "vocabularies", BoundedCache(8, 160 * 2**20, lambda entry: entry[0].size, has_fixed_sizes=True)
)


def _prepared(vocabulary: Vocabulary) -> tuple[TokenTrie, Spelling | None]:
    """Data shared by all indexes over one vocabulary, kept for the vocabularies used last."""
    return _PREPARED.get(vocabulary.fingerprint, lambda: (TokenTrie(vocabulary), spelling_of(vocabulary)))
