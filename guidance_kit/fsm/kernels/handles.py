"""Handles: arrays are handed to kernels as the numbers that say where they are.

A handle is int64 (arrays, HANDLE). `row32(handle, ARENA.canon)` is an array of one dimension in it, int32; `rows32` has
two, and so on. In plain Python a handle is the record of arrays itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from guidance_kit.fsm.kernels.arrays import ARENA, CACHE, Arena, Costs, MaskCache, TrieArrays
from guidance_kit.fsm.kernels.codes import BLOCK
from guidance_kit.fsm.kernels.columns import HANDLE, KEPT, width
from guidance_kit.fsm.kernels.compiling import IS_PLAIN, Kernel, subroutine

__all__ = [
    "address_of",
    "addresses",
    "addresses_of",
    "arena_at",
    "cache_at",
    "handle_of",
    "mask_at",
    "row8",
    "row32",
    "row64",
    "rows16",
    "rows32",
    "rows64",
]  # fmt: skip


def handle_of(
    arrays: Arena | TrieArrays | MaskCache | Costs, before: Any = None, changed: Iterable[str] | None = None
) -> Any:
    """Handle of a record of arrays: int64 (arrays, HANDLE), a row for each array.

    It is good as long as the arrays are alive, which is for the caller to see to. For plain Python it is the arrays.

    Args:
        before: the handle of other arrays that differ in those `changed` alone; it is changed.
    """
    if IS_PLAIN:
        return arrays
    handle = np.empty((len(arrays), width(HANDLE)), dtype=np.int64) if before is None else before
    for name in arrays._fields if changed is None else changed:
        array = getattr(arrays, name)
        place = array.__array_interface__["data"][0]
        handle[arrays._fields.index(name)] = place, array.shape[0], array.shape[1] if array.ndim == 2 else 1
    return handle


def _cast(_, address):
    def code(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), code


_pointer: Any = intrinsic(_cast)
"""A number as an address."""


def _arena_at(address):
    """The handle of an arena at an address."""
    return carray(_pointer(address), _ARENA_HANDLE, np.int64)


_ARENA_HANDLE = len(ARENA), width(HANDLE)

arena_at: Kernel = subroutine(_arena_at)


def _field(arrays, which):
    return arrays[which]


def _int32_row(handle, which):
    return carray(_pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows],), np.int32)


def _int32_rows(handle, which):
    return carray(
        _pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows], handle[which, HANDLE.columns]), np.int32
    )


def _int16_rows(handle, which):
    return carray(
        _pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows], handle[which, HANDLE.columns]), np.int16
    )


def _int64_row(handle, which):
    return carray(_pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows],), np.int64)


def _int64_rows(handle, which):
    return carray(
        _pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows], handle[which, HANDLE.columns]), np.int64
    )


def _uint8_row(handle, which):
    return carray(_pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows],), np.uint8)


row32: Kernel = _field if IS_PLAIN else subroutine(_int32_row)
rows32: Kernel = _field if IS_PLAIN else subroutine(_int32_rows)
rows16: Kernel = _field if IS_PLAIN else subroutine(_int16_rows)
row64: Kernel = _field if IS_PLAIN else subroutine(_int64_row)
rows64: Kernel = _field if IS_PLAIN else subroutine(_int64_rows)
row8: Kernel = _field if IS_PLAIN else subroutine(_uint8_row)


def _mask_in_memory(cache, row):
    """A row of the blocks."""
    blocks, width = row64(cache, CACHE.blocks), row64(cache, CACHE.used)[KEPT.words]
    return carray(_pointer(blocks[row // BLOCK] + 4 * width * (row % BLOCK)), (width,), np.int32)


def _mask_in_list(cache, row):
    return cache.blocks[row // BLOCK][row % BLOCK]


def address_of(handle: Any) -> Any:
    """Address of the handle of a cache, for `addresses`; it is good as long as the handle is alive."""
    return handle if IS_PLAIN else handle.__array_interface__["data"][0]


def addresses(caches: list[Any]) -> Any:
    """Addresses of the caches of many rows, for `copy_masks`; 0 stands for none."""
    return caches if IS_PLAIN else np.array(caches, dtype=np.int64)


_CACHE_HANDLE = len(CACHE), width(HANDLE)


def _addressed(caches, which):
    return carray(_pointer(caches[which]), _CACHE_HANDLE, np.int64)


def _member(caches, which):
    return caches[which]


cache_at: Kernel = _member if IS_PLAIN else subroutine(_addressed)
mask_at: Kernel = _mask_in_list if IS_PLAIN else subroutine(_mask_in_memory)


def addresses_of(blocks: list[np.ndarray]) -> Any:
    """Addresses of blocks, which have to live as long: int64 (n,). For plain Python, they are the blocks themselves."""
    places = [block.__array_interface__["data"][0] for block in blocks]
    return list(blocks) if IS_PLAIN else np.array(places, dtype=np.int64)
