"""Cache of masks: a mask that was found once is copied, from a block or from a list of tokens beyond a base."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA, CACHE
from guidance_kit.fsm.kernels.codes import FINISHED, MOST_NOTED
from guidance_kit.fsm.kernels.columns import KEPT, USED
from guidance_kit.fsm.kernels.compiling import kernel, subroutine
from guidance_kit.fsm.kernels.handles import cache_at, mask_at, row32, row64, rows32

__all__ = ["copy_mask", "copy_masks", "keep_mask"]


@subroutine
def keep_mask(arena, cache, mask):
    """Keep the mask that was found, as a list if that is short; return what `row_of` says of it, 0 for want of room."""
    lists, used, here = row32(cache, CACHE.lists), row64(cache, CACHE.used), row64(arena, ARENA.used)
    noted, count = row32(arena, ARENA.noted), here[USED.noted]
    if here[USED.unlisted] > 0 or count > MOST_NOTED:
        if used[KEPT.rows] >= used[KEPT.room]:
            return 0
        kept = mask_at(cache, used[KEPT.rows])
        for w in range(mask.shape[0]):
            kept[w] = mask[w]
        used[KEPT.rows] += 1
        return used[KEPT.rows] - 1
    first = used[KEPT.places]
    lists[first] = here[USED.base]
    lists[first + 1] = count
    for t in range(count):
        lists[first + 2 + t] = noted[t]
    used[KEPT.places] = first + 2 + count
    used[KEPT.lists] += 1
    return -first


@subroutine
def copy_mask(cache, row, mask_out):
    """Copy the mask that is in a row, or a list."""
    if row > 0:
        mask = mask_at(cache, row)
        for w in range(mask_out.shape[0]):
            mask_out[w] = mask[w]
        return
    bases, lists = rows32(cache, CACHE.bases), row32(cache, CACHE.lists)
    base = lists[-row]
    for w in range(mask_out.shape[0]):
        mask_out[w] = bases[base, w]
    first = 2 - row
    for t in range(first, first + lists[1 - row]):
        mask_out[lists[t] >> 5] |= np.int32(1) << (lists[t] & 31)


@kernel
def copy_masks(caches, configs, rows, masks_out, missing_out):
    """Copy the masks that are known.

    Args:
        caches: `addresses` of the cache of each text.
        configs: int32 (texts,); FINISHED has the empty mask.
        rows: int32 (texts,): where to write the mask of each.
        masks_out: int32 (rows, words).
        missing_out: int32 (texts,): the texts whose masks are not known, in order.
    Returns:
        How many they are.
    """
    missing = 0
    for i in range(len(configs)):
        config = configs[i]
        if config == FINISHED:
            for w in range(masks_out.shape[1]):
                masks_out[rows[i], w] = 0
            continue
        cache = cache_at(caches[i])
        row_of = row32(cache, CACHE.row_of)
        row = 0
        if config < row_of.shape[0]:
            row = row_of[config]
        if row == 0:
            missing_out[missing] = i
            missing += 1
        else:
            copy_mask(cache, row, masks_out[rows[i]])
    return missing
