"""Arrays that take memory only where they are written."""

from __future__ import annotations

import contextlib
import math
import mmap
from typing import Any

import numpy as np

__all__ = ["Rows", "grown", "reserve"]


_SMALL = 1_048_576
"""Bytes; to clear so many takes less time than to ask the system for pages, each of which it clears when it is written:
of 128 KB a fifth."""

_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
"""Maps of a forked process are its own; by default it would write into those of its parent."""


def reserve(shape: tuple[int, ...], dtype: Any, *, is_dense: bool = False) -> np.ndarray:
    """An array of zeros, however large, that takes memory page by page when it is first written, beyond a megabyte.

    `np.zeros` does so only sometimes: what malloc has at hand it clears, and a kernel that hands out huge pages clears
    two megabytes for the first byte.

    Args:
        is_dense: whether all parts of it are written soon, so that huge pages are right: clearing one takes a fifth of
            the time of its 512 small ones.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    return np.zeros(shape, dtype) if size <= _SMALL else _array(_pages(size, is_dense), shape, dtype)


def grown(array: np.ndarray, rows: int) -> np.ndarray:
    """A copy of `array` with `rows` rows; the new ones are 0."""
    larger = reserve((rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


class Rows:
    """Array of zeros whose rows can be extended without a copy: the system moves its pages to other addresses.

    Args:
        shape: of the array; it takes memory like one of `reserve`.
        dtype: of its elements.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)
        self._memory = _pages(math.prod(shape) * self._dtype.itemsize)

    @property
    def array(self) -> np.ndarray:
        """The array as it is now."""
        return _array(self._memory, self._shape, self._dtype)

    def extend(self, rows: int) -> None:
        """Append rows of zeros, up to `rows`; copies if an `array` from before is alive, which then stays as it is."""
        shape = rows, *self._shape[1:]
        size = math.prod(shape) * self._dtype.itemsize
        try:
            self._memory.resize(size)
        except (BufferError, OSError, SystemError):  # an array is alive; no room; the system cannot move pages
            old = self.array
            self._memory = _pages(size)
            _array(self._memory, shape, self._dtype)[: len(old)] = old
        self._shape = shape


def _pages(size: int, is_dense: bool = False) -> mmap.mmap:
    memory = mmap.mmap(-1, size, **_PRIVATE)
    advice = getattr(mmap, "MADV_HUGEPAGE" if is_dense else "MADV_NOHUGEPAGE", None)
    if advice is not None:
        with contextlib.suppress(OSError):  # a kernel without huge pages
            memory.madvise(advice)
    return memory


def _array(memory: mmap.mmap, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.frombuffer(memory, dtype=dtype, count=math.prod(shape)).reshape(shape)
