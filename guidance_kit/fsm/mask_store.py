"""Memory for the masks that indexes keep: in blocks that go from one index to the next, within one bound for all."""

from __future__ import annotations

import weakref
from typing import Protocol

import numpy as np

from guidance_kit.fsm.caches import CacheStatistics, ForkSafeLock, caches
from guidance_kit.fsm.kernels.codes import BLOCK

__all__ = ["give_back", "memory_for_masks", "take"]


class Holder(Protocol):
    """One that keeps masks in blocks.

    Attributes:
        blocks: the blocks that it holds.
        used_at: when it was used last; only compared.
    """

    blocks: list[np.ndarray]
    used_at: int

    def try_forget(self) -> bool:
        """Give all blocks back, unless another thread is at work there just now; say whether that was done."""
        ...


_lock = ForkSafeLock()  # a holder may vanish, and give back its blocks, while this thread holds it
_memory = 192 * 2**20
_held = 0  # bytes in the hands of holders
_spare: list[np.ndarray] = []
_holders: weakref.WeakSet[Holder] = weakref.WeakSet()


def memory_for_masks(limit: int | None = None) -> int:
    """Bytes of mask blocks that all indexes of this process may keep together; 192 MiB by default.

    Masks that are kept as lists are not in blocks: they are bounded for each index, by `Limits.mask_cache_bytes`.

    Args:
        limit: the new bound; None: leave it as it is.
    """
    global _memory
    if limit is not None:
        if limit < 0:
            raise ValueError(f"{limit} bytes of memory make no sense")
        with _lock:
            _memory = limit
            _spare.clear()
    return _memory


def take(holder: Holder, words: int) -> np.ndarray | None:
    """A block of masks, of any content: int32 (BLOCK, words); None if there is no memory for one.

    The least recently used holders forget their masks if need be. The first block of a holder is always granted. The
    blocks of a holder that is gone are taken back.
    """
    global _held
    size = 4 * BLOCK * words
    with _lock:
        if holder not in _holders:
            _holders.add(holder)
            weakref.finalize(holder, give_back, holder.blocks).atexit = False
        if _held + size > _memory:
            for other in sorted(_holders, key=lambda other: other.used_at):
                if _held + size > _memory and other is not holder and other.blocks:
                    other.try_forget()
            if _held + size > _memory and holder.blocks:
                return None
        _held += size
        for place, block in enumerate(_spare):
            if block.shape[1] == words:
                return _spare.pop(place)
        while _spare and _held + sum(block.nbytes for block in _spare) > _memory:
            _spare.pop()
    return np.empty((BLOCK, words), dtype=np.int32)


def give_back(blocks: list[np.ndarray]) -> None:
    """Take blocks back; the list is empty afterwards."""
    global _held
    with _lock:
        _held -= sum(block.nbytes for block in blocks)
        _spare.extend(blocks)
        blocks.clear()


class _Masks:
    """Mask blocks of all holders, as a cache."""

    def statistics(self) -> CacheStatistics:
        """See `Cache.statistics`; an entry is a block."""
        with _lock:
            return CacheStatistics(entries=sum(len(one.blocks) for one in _holders), bytes=_held, bound=_memory)

    def clear(self) -> None:
        """See `Cache.clear`; a holder at which another thread is at work keeps its masks."""
        with _lock:
            for holder in list(_holders):
                if holder.blocks:
                    holder.try_forget()
            _spare.clear()

    def set_bound(self, most_bytes: int) -> None:
        """See `Cache.set_bound`."""
        memory_for_masks(most_bytes)
        with _lock:
            for holder in sorted(_holders, key=lambda holder: holder.used_at):
                if _held > _memory and holder.blocks:
                    holder.try_forget()
            _spare.clear()


caches.register("masks", _Masks())
