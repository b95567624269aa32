"""The arrays of automata at first, and how they grow."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from guidance_kit.fsm.caches import CacheStatistics, caches
from guidance_kit.fsm.kernels import codes, handles
from guidance_kit.fsm.kernels.arrays import ARENA, Arena
from guidance_kit.fsm.kernels.columns import (
    CALLER,
    CHAIN,
    CONFIG,
    EDGE,
    ENTRY,
    HANDLE,
    ITEM,
    LAYER,
    LITERAL,
    NODE,
    RULE,
    RULE_SLOT,
    SEEN,
    SLOT,
    STATE,
    USED,
    WORK,
    width,
)
from guidance_kit.fsm.kernels.compiling import IS_PLAIN
from guidance_kit.fsm.kernels.loading import fill_table
from guidance_kit.fsm.memory import Rows, grown, reserve
from guidance_kit.fsm.slices import FIRSTS, RUNS

__all__ = [
    "USUAL_BOUNDARIES", "LentArena", "byte_classes", "config_table", "empty_arena", "hash_table", "more_rows",
    "recycle", "scratch", "table_size", "with_room",
]  # fmt: skip

_WORDS = 256
"""Words of key sets at first."""

_CHAIN = 17
"""Rows of a chain: few tokens have more letters in a row."""

_ROWS, _MANY = 4_096, 65_536
"""Rows of the largest arrays at first, and when they grow: memory that is never touched costs nothing, copying does."""

_LISTS = 262_144
"""Length of the memory for lists of masks."""

_ROOM = 4
"""Rows of configurations at first, in multiples of `_ROWS`: their transitions take longest to copy."""


def byte_classes(boundary: np.ndarray) -> np.ndarray:
    """Class of each byte: uint8 (256,), for bool (257,)."""
    return (np.cumsum(boundary[:256]) - 1).astype(np.uint8)


def _usual_boundaries() -> np.ndarray:
    """Boundaries of the byte classes before any edge is known: bool (257,).

    Printable ASCII characters, the kinds of bytes that UTF-8 has, and the bytes of U+2028 and U+2029, which `.` does
    not match: nearly every network tells them apart, so that classes are seldom split while a text is read.
    """
    boundary = np.zeros(257, dtype=bool)
    boundary[[0, *range(0x09, 0x0F), *range(0x20, 0x81), 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xEE]] = True
    boundary[[0xF0, 0xF1, 0xF4, 0xF5, 256]] = True
    boundary[[0x81, 0xA8, 0xAA, 0xE2, 0xE3]] = True
    return boundary


USUAL_BOUNDARIES = _usual_boundaries()
_USUAL_CLASSES = byte_classes(USUAL_BOUNDARIES)


class LentArena(NamedTuple):
    """Arena that an automaton has for as long as it lives, unless its transitions are extended.

    Attributes:
        arena: the arrays at first.
        handle: what kernels take for them.
        transitions: the owner of `arena.transitions`.
        lists: memory for `MaskCache.lists` of an index, of any content.
    """

    arena: Arena
    handle: Any
    transitions: Rows
    lists: np.ndarray


def empty_arena(max_configurations: int) -> LentArena:
    """An arena with nothing in it."""
    configs = min(_ROOM * _ROWS, max_configurations)
    try:
        lent = _SPARE.get(configs, []).pop()
    except IndexError:
        lent = _new_arena(configs)
    arena = lent.arena
    arena.node_table[:] = 0  # the others are written before they are read, or hold stamps of steps long ago
    arena.config_table[:] = 0
    arena.set_table[:] = 0
    arena.canon[0] = 0  # to write a page that was only read before interrupts all threads of the process
    arena.byte_class[:] = _USUAL_CLASSES
    stamp = arena.used[USED.stamp]
    arena.used[:] = 0
    arena.used[USED.stamp] = stamp
    arena.used[USED.nodes] = arena.used[USED.canon] = arena.used[USED.configs] = 1
    return lent


class _Layout:
    """Arrays of an arena that are parts of blocks of memory.

    Args:
        blocks: of each block, the dtype and shape of each array by its name.

    Attributes:
        sizes: bytes of each block.
    """

    def __init__(self, blocks: list[dict[str, tuple[Any, tuple[int, ...]]]]) -> None:
        self.sizes: list[int] = []
        self._parts: list[list[tuple[str, Any, tuple[int, ...], int]]] = []
        self._handle = np.zeros((len(ARENA), width(HANDLE)), np.int64)
        self._block_of = np.full(len(ARENA), len(blocks))
        for number, arrays in enumerate(blocks):
            offset, parts = 0, list[tuple[str, Any, tuple[int, ...], int]]()
            for name, (dtype, shape) in arrays.items():
                parts.append((name, dtype, shape, offset))
                row = Arena._fields.index(name)
                self._handle[row] = offset, shape[0], shape[1] if len(shape) == 2 else 1
                self._block_of[row] = number
                offset += -(-math.prod(shape) * np.dtype(dtype).itemsize // 8) * 8
            self._parts.append(parts)
            self.sizes.append(offset)

    def arrays(self, *blocks: np.ndarray) -> dict[str, np.ndarray]:
        """The arrays in blocks."""
        return {
            name: np.ndarray(shape, dtype, block, offset)
            for parts, block in zip(self._parts, blocks, strict=True)
            for name, dtype, shape, offset in parts
        }

    def handle(self, *blocks: np.ndarray) -> np.ndarray:
        """Handle of an arena with these arrays; it lacks the others."""
        handle = self._handle.copy()
        addresses = np.array([*(block.__array_interface__["data"][0] for block in blocks), 0])
        handle[:, HANDLE.address] += addresses[self._block_of]
        return handle


@cache
def _layout(configs: int) -> _Layout:
    """Layout of a block with the arrays that are written little by little, and one with small ones."""
    reserved = {
        "states": (4 * _ROWS, width(STATE)),
        "edges": (8 * _ROWS, width(EDGE)),
        "rules": (_ROWS // 4, width(RULE)),
        "rule_slot": (_ROWS // 4, width(RULE_SLOT)),
        "nodes": (_ROWS, width(NODE)),
        "hashes": (_ROWS,),
        "canon": (_ROWS,),
        "callers": (2 * _ROWS, width(CALLER)),
        "node_table": (4 * _ROWS,),
        "configs": (configs, width(CONFIG)),
        "items": (4 * _ROOM * _ROWS, width(ITEM)),
        "config_table": (table_size(min(configs, _ROWS)),),
        "layer": (64, width(LAYER)),
        "stack": (codes.MOST_BYTES + 1,),
        "places": (codes.MOST_BYTES + 1,),
        "literals": (codes.MOST_BYTES + 1, width(LITERAL)),
        "needed": (32,),
        "noted": (2 * _ROWS,),
        "set_table": (_WORDS,),
    }
    small = {
        "byte_class": (np.uint8, (256,)),
        "used": (np.int64, (width(USED),)),
        "full_sets": (np.int64, (_WORDS,)),
        "sets": (np.int64, (_WORDS,)),
        "chain": (np.int64, (_CHAIN, width(CHAIN))),
        **_scratch(256),
    }
    return _Layout([{name: (np.int32, shape) for name, shape in reserved.items()}, small])


def _new_arena(configs: int) -> LentArena:
    layout = _layout(configs)
    reserved, small = layout.sizes
    blocks = reserve((reserved,), np.uint8), np.zeros(small, np.uint8)
    transitions = Rows((configs, int(USUAL_BOUNDARIES[:256].sum())), np.int32)
    others = {"transitions": transitions.array, "runs": RUNS, "firsts": FIRSTS}
    arena = Arena(**layout.arrays(*blocks), **others)
    handle = handles.handle_of(arena, None if IS_PLAIN else layout.handle(*blocks), others)
    return LentArena(arena, handle, transitions, reserve((_LISTS,), np.int32))


_SPARE: dict[int, list[LentArena]] = {}
"""Arenas of automata that are gone, by the number of their configurations: new pages would have to be cleared by the
system, one after the other."""


class _Arenas:
    """Arenas of automata that are gone, as a cache."""

    def statistics(self) -> CacheStatistics:
        """See `Cache.statistics`; the bytes are reserved, and take memory where they were written."""
        spare = [lent for each in _SPARE.values() for lent in each]
        arrays = [array for lent in spare for array in (*lent.arena, lent.lists) if isinstance(array, np.ndarray)]
        return CacheStatistics(entries=len(spare), bytes=sum(array.nbytes for array in arrays), bound=None)

    def clear(self) -> None:
        """See `Cache.clear`."""
        _SPARE.clear()

    def set_bound(self, most_bytes: int) -> None:
        """See `Cache.set_bound`; arenas are bounded by their number."""


caches.register("arenas", _Arenas())

_MOST_SPARE = 16

_MOST_STEPS = 1 << 30
"""Stamps of steps are of 32 bits."""


def recycle(lent: LentArena) -> None:
    """Keep an arena, as it was lent, for another automaton."""
    arena = lent.arena
    spare = _SPARE.setdefault(len(arena.configs), [])
    is_small = arena.used[USED.configs] <= 2 * _ROWS  # a spare arena keeps the memory that it has taken
    if is_small and len(spare) < _MOST_SPARE and arena.used[USED.stamp] < _MOST_STEPS:
        spare.append(lent)


def scratch(size: int) -> dict[str, np.ndarray]:
    """The arrays of one step, for closures of up to `size` items."""
    return {name: np.zeros(shape, dtype) for name, (dtype, shape) in _scratch(size).items()}


def _scratch(size: int) -> dict[str, tuple[Any, tuple[int, ...]]]:
    """Dtypes and shapes of these arrays."""
    return {
        "work": (np.int32, (size, width(WORK))),
        "seen": (np.int32, (2 * size, width(SEEN))),
        "slots": (np.int32, (size, width(SLOT))),
        "entries": (np.int32, (4 * size, width(ENTRY))),
        "keys": (np.int64, (4 * size,)),
    }


def hash_table(size: int, numbers: np.ndarray, hashes: np.ndarray) -> np.ndarray:
    """A table with open addressing that holds some numbers, as the kernels have it: int32 (size,), a power of 2."""
    table = reserve((size,), np.int32, is_dense=True)
    fill_table(table, numbers.astype(np.int32), hashes.astype(np.int64))
    return table


def table_size(rows: int) -> int:
    """Size of a hash table of so many rows, at most half of which is taken."""
    return 1 << (2 * rows - 1).bit_length()


def config_table(rows: int, known: np.ndarray, arena: Arena) -> np.ndarray:
    """The table of the `known` configurations, with room for as many as `rows`."""
    return hash_table(table_size(rows), known, arena.configs[known, CONFIG.hash])


def with_room(array: np.ndarray, rows: int) -> np.ndarray:
    """`array`, or a copy that has at least `rows` rows, and many more."""
    return array if rows <= len(array) else grown(array, more_rows(rows))


def more_rows(rows: int) -> int:
    """Number of rows to allocate when `rows` do not suffice."""
    return max(_MANY, 4 * rows)
