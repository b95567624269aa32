"""Arrays that take memory only where they are written."""

from __future__ import annotations

import contextlib
import math
import mmap
from typing import Any

import numpy as np

__all__ = ["grown", "reserve"]


_SMALL = 65_536
"""Bytes; to clear fewer takes less time than to ask the system for pages."""

_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
"""Maps of a forked process are its own; by default it would write into those of its parent."""


def reserve(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array of zeros, however large, that takes memory page by page when it is first written.

    `np.zeros` does so only sometimes: what malloc has at hand it clears, and a kernel that hands out huge pages clears
    two megabytes for the first byte.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < _SMALL:
        return np.zeros(shape, dtype)
    memory = mmap.mmap(-1, size, **_PRIVATE)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without huge pages
            memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, dtype=dtype, count=math.prod(shape)).reshape(shape)


def grown(array: np.ndarray, rows: int) -> np.ndarray:
    """A copy of `array` with `rows` rows; the new ones are 0."""
    larger = reserve((rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
