"""Atomic access to numbers in an array, by which kernels on several threads share out work."""

from __future__ import annotations

import threading
from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from guidance_kit.fsm.kernels.compiling import IS_PLAIN, Kernel

__all__ = ["atomic_load", "atomic_replace", "atomic_store"]

_BYTES = 8
"""Size of a number, to which it is aligned."""

_ROWS = types.Array(types.int64, 2, "C")


def _place(context: Any, builder: Any, rows: Any, row: Any, column: Any) -> Any:
    """Code for the address of a number."""
    array = make_array(_ROWS)(context, builder, rows)
    columns = cgutils.unpack_tuple(builder, array.shape, 2)[1]
    return builder.gep(array.data, [builder.add(builder.mul(row, columns), column)])


def _load(_, rows, row, column):
    """Read a number, and see all that was written before it was stored."""

    def code(context, builder, signature, arguments):
        return builder.load_atomic(_place(context, builder, *arguments), "acquire", _BYTES)

    return types.int64(_ROWS, types.int64, types.int64), code


def _store(_, rows, row, column, value):
    """Write a number, after all that is written before."""

    def code(context, builder, signature, arguments):
        *place, value = arguments
        builder.store_atomic(value, _place(context, builder, *place), "release", _BYTES)
        return context.get_dummy_value()

    return types.void(_ROWS, types.int64, types.int64, types.int64), code


def _replace(_, rows, row, column, expected, value):
    """Replace a number by a value if it is the one expected; return 1 if it was, else 0."""

    def code(context, builder, signature, arguments):
        *place, expected, value = arguments
        found = builder.cmpxchg(_place(context, builder, *place), expected, value, "acquire", "monotonic")
        return builder.zext(builder.extract_value(found, 1), arguments[1].type)

    return types.int64(_ROWS, *[types.int64] * 4), code


_lock = threading.Lock()


def _load_plainly(rows, row, column):
    return rows[row, column]


def _store_plainly(rows, row, column, value):
    rows[row, column] = value


def _replace_plainly(rows, row, column, expected, value):
    with _lock:
        is_expected = rows[row, column] == expected
        if is_expected:
            rows[row, column] = value
    return int(is_expected)


atomic_load: Kernel = _load_plainly if IS_PLAIN else intrinsic(_load)
atomic_store: Kernel = _store_plainly if IS_PLAIN else intrinsic(_store)
atomic_replace: Kernel = _replace_plainly if IS_PLAIN else intrinsic(_replace)
