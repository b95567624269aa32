"""Mask cache on the device of the logits."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from guidance_kit.fsm import bitmask
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.guides.apply_mask import forbid, forbid_rows, upload

__all__ = ["MaskPool", "pool_for"]

_MEMORY = 64 * 2**20
_MOST_MASKS = 16_384
"""Maximum number of cached masks: with more small ones the bookkeeping on the host would outgrow the masks."""

_FIRST_MASKS = 64
_MOST_KEYS = 65_536
_MOST_POOLS = 8

_Key = tuple[int, int, int]


class MaskPool:
    """LRU cache of masks on a device.

    A step over cached masks copies one index a row to the device, 4 bytes. Missing masks are sent in the same copy, and
    replace the least recently used ones.

    The key of a mask is `Matcher.canonical_mask_key`, three numbers, unique for ever. So the pool keeps no constraint
    alive, and the masks of a deleted constraint cannot be mistaken for those of another.

    Thread-safe by a lock. On a CUDA device all calls must be made on one stream, whose order ensures that a mask is
    replaced only after its readers are done; `pool_for` takes care of that.

    Args:
        words: length of a mask in int32 words.
        device: device of the masks.
        memory: maximum size in bytes, without the empty mask; allocated as needed.

    Attributes:
        masks: int32, (places, words), on the device; place 0 is the empty mask.
    """

    def __init__(self, words: int, device: torch.device, *, memory: int = _MEMORY) -> None:
        self.masks = _zeros(1, words, device)
        self._capacity = min(memory // (4 * words), _MOST_MASKS)
        self._lock = threading.Lock()
        self._place_of: OrderedDict[_Key, int] = OrderedDict()  # the mask that was used last comes last
        self._free: list[int] = []
        self._keys: dict[_Key, _Key | None] = {}  # by `Matcher.mask_key`: the canonical key takes microseconds
        self._hits = self._misses = self._evictions = 0

    def forbid(self, logits: Tensor, matchers: Sequence[Matcher | None]) -> Tensor:
        """Set logits to -inf wherever the matchers do not allow a token.

        Args:
            logits: float, (batch, rows), on the device of the pool; not changed.
            matchers: one a row of the batch; None allows nothing, like a finished one.
        Returns:
            New tensor of the shape and dtype of `logits`.
        Raises:
            ValueError: the number of matchers or the width of their masks differs from the logits.
            LimitError: a limit of a constraint is reached.
        """
        with self._lock:
            keys = [None if matcher is None else self._key(matcher) for matcher in matchers]
            wanted = {key: matcher for key, matcher in zip(keys, matchers, strict=True) if key is not None}
            if len(wanted) > self._capacity:
                self._misses += len(keys)
                return forbid(logits, self._filled(matchers))
            which = self._places(keys, wanted)  # which may replace `masks` by a larger tensor
            return forbid_rows(logits, self.masks, which)

    def statistics(self) -> dict[str, int]:
        """Cached masks, their bytes, hits (rows), misses (copied masks) and evictions."""
        return {
            "masks": len(self._place_of),
            "bytes": self.masks.nbytes,
            "hits": self._hits,
            "misses": self._misses,
            "evictions": self._evictions,
        }

    def _places(self, keys: list[_Key | None], wanted: dict[_Key, Matcher | None]) -> Tensor:
        """Indices of the masks of a batch, after copying the missing ones: int32, (batch,), on the device.

        A copy may fail for lack of memory, so a place stays free until its mask is written.
        """
        missing: list[_Key] = []
        for key in wanted:
            if key in self._place_of:
                self._place_of.move_to_end(key)  # where `_make_room` does not get to
            else:
                missing.append(key)
        fresh = self._filled([wanted[key] for key in missing])
        self._make_room(len(missing))
        taken = dict(zip(missing, reversed(self._free), strict=False))
        places = [0 if key is None else taken.get(key) or self._place_of[key] for key in keys]
        numbers = np.array([*places, *taken.values()], dtype=np.int32)
        sent = upload(np.concatenate([numbers, fresh.ravel()]) if missing else numbers, self.masks.device)
        if missing:
            targets, masks = sent[len(places) :].split([len(missing), fresh.size])
            self.masks[targets.long()] = masks.view(fresh.shape)
            del self._free[-len(missing) :]
            self._place_of |= taken
        self._hits += len(keys) - len(missing)
        self._misses += len(missing)
        return sent[: len(places)]

    def _filled(self, matchers: Sequence[Matcher | None]) -> np.ndarray:
        """Masks of matchers: int32, (matchers, words)."""
        masks = np.zeros((len(matchers), self.masks.shape[1]), dtype=np.int32)
        if matchers:
            for error in fill_masks(matchers, masks).values():
                raise error
        return masks

    def _make_room(self, count: int) -> None:
        """Free `count` places; at least that many must not be in use by the current batch."""
        used = len(self.masks)
        if len(self._free) < count and used <= self._capacity:
            size = min(max(2 * used, used + count, _FIRST_MASKS), self._capacity + 1)
            masks = _zeros(size, self.masks.shape[1], self.masks.device)
            masks[:used] = self.masks
            self.masks = masks
            self._free.extend(range(used, size))
        while len(self._free) < count:
            self._free.append(self._place_of.popitem(last=False)[1])
            self._evictions += 1

    def _key(self, matcher: Matcher) -> _Key | None:
        """Cached `Matcher.canonical_mask_key`."""
        key = matcher.mask_key
        if key not in self._keys:
            if len(self._keys) >= _MOST_KEYS:
                self._keys.clear()
            self._keys[key] = matcher.canonical_mask_key()
        return self._keys[key]


def pool_for(logits: Tensor) -> MaskPool:
    """Mask pool of the device and width of the logits, shared by all guides.

    Each stream of a CUDA device has its own, because work on different streams is unordered.
    """
    stream = torch.cuda.current_stream(logits.device).cuda_stream if logits.is_cuda else 0
    return _pool(bitmask.words(logits.shape[1]), logits.device, stream)


@lru_cache(maxsize=_MOST_POOLS)
def _pool(words: int, device: torch.device, stream: int) -> MaskPool:
    return MaskPool(words, device)


def _zeros(masks: int, words: int, device: torch.device) -> Tensor:
    """Empty masks, writable inside and outside of inference mode."""
    with torch.inference_mode(False):
        return torch.zeros((masks, words), dtype=torch.int32, device=device)
