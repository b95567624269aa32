"""Handles: arrays are handed to kernels as the numbers that say where they are.

A handle is int64 (arrays, HANDLE). `row32(handle, ARENA.canon)` is an array of one dimension in it, int32; `rows32` has
two, and so on. In plain Python a handle has the arrays themselves.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from guidance_kit.fsm.kernels.arrays import ARENA, CACHE, TRIE, Arena, Costs, MaskCache, TrieArrays
from guidance_kit.fsm.kernels.codes import BLOCK
from guidance_kit.fsm.kernels.columns import HANDLE, KEPT, REQUEST, width
from guidance_kit.fsm.kernels.compiling import IS_PLAIN, Kernel, inlined

__all__ = [
    "address_of",
    "addresses",
    "addresses_of",
    "arena_at",
    "cache_at",
    "handle_of",
    "mask_at",
    "request",
    "row8",
    "row32",
    "row64",
    "rows16",
    "rows32",
    "rows64",
    "rows_from",
    "table32_at",
    "trie_at",
]  # fmt: skip


class _Arrays:
    """A handle in plain Python: one object, whatever arrays it has."""

    def __init__(self, arrays: Any) -> None:
        self.arrays = arrays

    def __getitem__(self, which: int) -> Any:
        return self.arrays[which]


def handle_of(
    arrays: Arena | TrieArrays | MaskCache | Costs, before: Any = None, changed: Iterable[str] | None = None
) -> Any:
    """Handle of a record of arrays: int64 (arrays, HANDLE), a row for each array.

    It is good as long as the arrays are alive, which is for the caller to see to. For plain Python it has them.

    Args:
        before: the handle of other arrays that differ in those `changed` alone; it is changed.
    """
    if IS_PLAIN:
        if before is None:
            return _Arrays(arrays)
        before.arrays = arrays
        return before
    handle = np.empty((len(arrays), width(HANDLE)), dtype=np.int64) if before is None else before
    for name in arrays._fields if changed is None else changed:
        array = getattr(arrays, name)
        place = array.__array_interface__["data"][0]
        handle[arrays._fields.index(name)] = place, array.shape[0], array.shape[1] if array.ndim == 2 else 1
    return handle


def _array_at(context: Any, builder: Any, array: Any, address: Any, shape: list[Any]) -> Any:
    """Code for an array at an address."""
    size = context.get_constant(types.intp, array.dtype.bitwidth // 8)
    strides = [size] if len(shape) == 1 else [builder.mul(shape[1], size), size]
    view = make_array(array)(context, builder)
    data = builder.inttoptr(address, context.get_data_type(array.dtype).as_pointer())
    populate_array(view, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return view._getvalue()


def _view(dtype: Any, dimensions: int) -> Any:
    """Function of kernels that gives an array of a handle."""
    array = types.Array(dtype, dimensions, "C")

    def view(_, handle, which):
        def code(context, builder, signature, arguments):
            rows = make_array(signature.args[0])(context, builder, arguments[0]).data
            place = builder.mul(arguments[1], context.get_constant(types.int64, width(HANDLE)))
            row = builder.gep(rows, [place])
            columns = [builder.load(builder.gep(row, [context.get_constant(types.int64, column)])) for column in HANDLE]
            return _array_at(context, builder, array, columns[HANDLE.address], columns[HANDLE.rows :][:dimensions])

        return array(handle, types.int64), code

    return intrinsic(view)


def _fixed_view(dtype: Any, shape: tuple[int, ...]) -> Any:
    """Function of kernels that gives the array of a shape at an address."""
    array = types.Array(dtype, len(shape), "C")

    def view(_, address):
        def code(context, builder, signature, arguments):
            lengths = [context.get_constant(types.intp, length) for length in shape]
            return _array_at(context, builder, array, arguments[0], lengths)

        return array(types.int64), code

    return intrinsic(view)


def _row_view(dtype: Any) -> Any:
    """Function of kernels that gives the row of a length at an address."""
    array = types.Array(dtype, 1, "C")

    def view(_, address, length):
        def code(context, builder, signature, arguments):
            return _array_at(context, builder, array, arguments[0], [arguments[1]])

        return array(types.int64, types.int64), code

    return intrinsic(view)


def _table_view(dtype: Any) -> Any:
    """Function of kernels that gives so many rows and columns at an address."""
    array = types.Array(dtype, 2, "C")

    def view(_, address, rows, columns):
        def code(context, builder, signature, arguments):
            return _array_at(context, builder, array, arguments[0], list(arguments[1:]))

        return array(types.int64, types.int64, types.int64), code

    return intrinsic(view)


def _field(arrays, which):
    return arrays[which]


def _itself(address):
    return address


def _all_rows(rows, count, columns):
    return rows


def _handle_view(arrays: int) -> Kernel:
    """Function of kernels that gives the handle of so many arrays that is at an address."""
    return _itself if IS_PLAIN else _fixed_view(types.int64, (arrays, width(HANDLE)))


arena_at, trie_at, cache_at = _handle_view(len(ARENA)), _handle_view(len(TRIE)), _handle_view(len(CACHE))

row32: Kernel = _field if IS_PLAIN else _view(types.int32, 1)
rows32: Kernel = _field if IS_PLAIN else _view(types.int32, 2)
rows16: Kernel = _field if IS_PLAIN else _view(types.int16, 2)
row64: Kernel = _field if IS_PLAIN else _view(types.int64, 1)
rows64: Kernel = _field if IS_PLAIN else _view(types.int64, 2)
row8: Kernel = _field if IS_PLAIN else _view(types.uint8, 1)

table32_at: Kernel = _all_rows if IS_PLAIN else _table_view(types.int32)

_row_at = _row_view(types.int32)


def _mask_in_memory(cache, row):
    """A row of the blocks."""
    blocks, width = row64(cache, CACHE.blocks), row64(cache, CACHE.used)[KEPT.words]
    return _row_at(blocks[row // BLOCK] + 4 * width * (row % BLOCK), width)


def _mask_in_list(cache, row):
    return cache[CACHE.blocks][row // BLOCK][row % BLOCK]


mask_at: Kernel = _mask_in_list if IS_PLAIN else inlined(_mask_in_memory)


def address_of(handle: Any) -> Any:
    """Address of a handle, good as long as the handle is alive. For plain Python it is the handle itself."""
    return handle if IS_PLAIN else handle.__array_interface__["data"][0]


def rows_from(numbers: array[int], first: int, columns: int) -> Any:
    """Address of the rows of a growing array, int32, from a first one on, for `table32_at`; good until it grows.

    For plain Python it is those rows.
    """
    if IS_PLAIN:
        return np.array(numbers, dtype=np.int32).reshape(-1, columns)[first:]
    return numbers.buffer_info()[0] + numbers.itemsize * columns * first


def addresses(caches: list[Any]) -> Any:
    """Addresses of the caches of many texts, for `copy_masks`; 0 stands for none."""
    return caches if IS_PLAIN else np.array(caches, dtype=np.int64)


def request(arena: Any, words: Any, cache: Any) -> np.ndarray:
    """A request for masks, (1, REQUEST), which is good as long as these handles are alive; see `find_masks`."""
    request = np.zeros((1, width(REQUEST)), dtype=object if IS_PLAIN else np.int64)
    for column, handle in (REQUEST.arena, arena), (REQUEST.words, words), (REQUEST.cache, cache):
        request[0, column] = address_of(handle)
    return request


def addresses_of(blocks: list[np.ndarray]) -> Any:
    """Addresses of blocks, which have to live as long: int64 (n,). For plain Python, they are the blocks themselves."""
    places = [block.__array_interface__["data"][0] for block in blocks]
    return list(blocks) if IS_PLAIN else np.array(places, dtype=np.int64)
