"""Keys and values of a batch, in buffers with room to grow, and the layers through which transformers writes them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import Cache, DynamicLayer

from guidance_kit.models.forward import Forward

__all__ = ["KVBuffers"]

MARGIN = 256
"""Columns beyond the window that sliding layers keep, so that going back this far costs nothing."""


class LayerStore:
    """Keys and values of all rows of a batch.

    Args:
        batch: number of rows.
        capacity: columns to make room for, once the model says how wide they are.
        window: width of the layer's attention window, None for everything that came before.
        start: first column that is kept.

    | name | dtype, shape | meaning |
    |---|---|---|
    | keys | float (batch, heads, capacity - start, key width) | index i is of the token in column start + i |
    | values | float (batch, heads, capacity - start, value width) | the same |

    What was never written is 0: a masked column has weight 0, and 0 times NaN would be NaN.
    """

    __slots__ = ("batch", "capacity", "keys", "start", "values", "window")

    def __init__(self, batch: int, capacity: int, window: int | None, start: int = 0) -> None:
        self.batch = batch
        self.capacity = capacity
        self.window = window
        self.start = start
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    @property
    def bytes(self) -> int:
        """Memory held."""
        return sum(buffer.nbytes for buffer in (self.keys, self.values) if buffer is not None)

    def allocate(self, keys: Tensor, values: Tensor) -> None:
        """Make the buffers, for keys and values like these."""
        size = self.capacity - self.start
        self.keys = keys.new_zeros((self.batch, keys.shape[1], size, keys.shape[3]))
        self.values = values.new_zeros((self.batch, values.shape[1], size, values.shape[3]))

    def resized(self, start: int, end: int, capacity: int) -> LayerStore:
        """A copy with the columns from `start` to `end`, and room up to column `capacity`."""
        made = LayerStore(self.batch, capacity, self.window, start)
        if self.keys is not None and self.values is not None:
            made.allocate(self.keys, self.values)
            span = slice(start - self.start, end - self.start)
            cast(Tensor, made.keys)[:, :, : end - start] = self.keys[:, :, span]
            cast(Tensor, made.values)[:, :, : end - start] = self.values[:, :, span]
        return made

    def rearranged(self, rows: Tensor, shifts: Tensor, start: int, end: int, capacity: int) -> LayerStore:
        """A copy whose row j is row `rows[j]` of this one, moved to the left by `shifts[j]` columns.

        Args:
            rows: int64, (new batch,), on the CPU.
            shifts: int64, (new batch,), on the CPU: the new column c is the old column c + shift. Where there is none,
                the value is finite and without meaning.
            start: first column to keep.
            end: end of the new columns that have a meaning.
            capacity: columns to make room for.
        """
        made = LayerStore(len(rows), capacity, self.window, start)
        if self.keys is not None and self.values is not None:
            made.allocate(self.keys, self.values)
            if end > start:
                pick = _Pick(rows, shifts + (start - self.start), end - start, self.keys.shape[2], self.keys.device)
                cast(Tensor, made.keys)[:, :, : end - start] = pick(self.keys)
                cast(Tensor, made.values)[:, :, : end - start] = pick(self.values)
        return made

    def shift(self, old: Sequence[int], new: Sequence[int], kept: Sequence[int]) -> None:
        """Move the rows in place: the first `kept[b]` tokens of row b from column `old[b]` on to column `new[b]`."""
        for buffer in (self.keys, self.values):
            for row, (source, target, count) in enumerate(zip(old, new, kept, strict=True)):
                if buffer is not None and count and source != target:
                    tokens = buffer[row].narrow(1, source - self.start, count).clone()  # the two may overlap
                    buffer[row].narrow(1, target - self.start, count).copy_(tokens)

    def copy_rows(self, moves: Sequence[tuple[int, int]], end: int) -> None:
        """Copy rows in place up to a column: `(row, source)`, where no source is a row that is written.

        Row by row, which on a CPU takes a fifth of the time of indexing.
        """
        for known in self._known(end):
            for row, source in moves:
                known[row].copy_(known[source])

    def exchange_rows(self, rows: Tensor, sources: Tensor, end: int) -> None:
        """Make row `rows[j]` a copy of row `sources[j]` up to a column, in place; all are read before one is written.

        Args:
            rows, sources: int64, (count,), on the device of the buffers; no row twice in `rows`.
            end: end of the columns that have a meaning.
        """
        for known in self._known(end):
            known[rows] = known[sources]  # indexing by a tensor makes a copy

    def _known(self, end: int) -> list[Tensor]:
        """Keys and values up to a column, as views."""
        if self.keys is None or self.values is None or end <= self.start:
            return []
        return [buffer.narrow(2, 0, end - self.start) for buffer in (self.keys, self.values)]


class _Pick:
    """Takes `size` columns of some rows out of a buffer, from another column on for each."""

    def __init__(self, rows: Tensor, firsts: Tensor, size: int, limit: int, device: torch.device) -> None:
        first = int(firsts[0])
        is_straight = bool((firsts == first).all()) and first >= 0 and first + size <= limit
        self.rows = rows.to(device)
        self.span = slice(first, first + size) if is_straight else None
        if not is_straight:
            self.columns = (firsts[:, None] + torch.arange(size)).clamp_(0, limit - 1).to(device)

    def __call__(self, buffer: Tensor) -> Tensor:
        if self.span is not None:
            return buffer[:, :, self.span].index_select(0, self.rows)
        return buffer.transpose(1, 2)[self.rows[:, None], self.columns].transpose(1, 2)


class LayerView(DynamicLayer):
    """The rows `first` to `last` of a store as the cache layer that transformers expects.

    It writes in place: no copy of what is there, unlike the layers of transformers, which concatenate. Views of
    disjoint rows fill one store. Going back is to set `end`.

    Args:
        store: with room for everything that will be written.
        end: number of columns so far.
    """

    def __init__(self, store: LayerStore, first: int, last: int, end: int) -> None:
        super().__init__()
        self.is_sliding = store.window is not None
        self.end = end
        self._store = store
        self._rows = slice(first, last)
        self._window = store.window or 0
        self._buffers: tuple[Tensor, Tensor] | None = None
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        """Write new columns; return those that the new tokens may look at."""
        if self._buffers is None:
            if self._store.keys is None:
                self._store.allocate(key_states, value_states)
            self._buffers = cast(Tensor, self._store.keys)[self._rows], cast(Tensor, self._store.values)[self._rows]
        new = key_states.shape[2]
        at = self.end - self._store.start
        keys, values = self._buffers
        keys.narrow(2, at, new).copy_(key_states)
        values.narrow(2, at, new).copy_(value_states)
        first = at - min(self.end, self._window - 1) if self._window else 0
        self.end += new
        self.keys = keys.narrow(2, first, at + new - first)
        self.values = values.narrow(2, first, at + new - first)
        return self.keys, self.values

    def get_seq_length(self) -> int:
        """Number of columns so far."""
        return self.end

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Number of columns that `update` will return for a number of new ones, and the first of them."""
        first = self.end - min(self.end, self._window - 1) if self._window else 0
        return self.end + query_length - first, first

    def get_max_length(self) -> int:
        """No limit but memory."""
        return -1


class KVBuffers:
    """Buffers of all layers of a model, for the rows of a batch, which are aligned at their ends.

    With C columns, a row of n tokens is in the last n of them, and left of it is padding.

    Args:
        forward: the model.
        windows: see `Forward.windows`.

    Attributes:
        window: greatest width of an attention window, 1 without any.
        columns: number of columns in use.
        padding: columns of padding of each row; `offsets` is the same, int64 (batch, 1).
        mask: int64 (batch, capacity), 1 for a token and 0 for padding; None without padding.
        whole: view of all rows up to the last column, if every layer has taken the same tokens through it.
    """

    def __init__(self, forward: Forward, windows: Sequence[int | None]) -> None:
        self.window = max((window for window in windows if window), default=1)
        self._forward = forward
        self._windows = windows
        self._limit = forward.context_length or 0
        self._templates = forward.new_layers() or []
        self.clear()

    def clear(self) -> None:
        """Drop all rows."""
        self.columns = 0
        self.padding: list[int] = []
        self.mask: Tensor | None = None
        self.whole: Cache | None = None
        self._capacity = 0
        self._known: list[int] = []  # the first column that sliding layers know of each row
        self._start = 0  # first column that sliding layers keep
        self._stores: list[LayerStore | None] = []

    @property
    def bytes(self) -> int:
        """Memory held, including the room for more."""
        return sum(store.bytes for store in self._stores if store is not None)

    @property
    def sliding_sizes(self) -> set[int]:
        """Numbers of columns for which sliding layers have buffers."""
        return {store.keys.shape[2] for store in self._stores if store and store.window and store.keys is not None}

    def first_token(self, row: int) -> int:
        """Index of the first token of a row that sliding layers keep; 0 or less for all."""
        return self._known[row] - self.padding[row]

    def fork(self) -> KVBuffers:
        """An independent copy."""
        other = copy.copy(self)
        other.padding, other._known = list(self.padding), list(self._known)
        other._stores = list(self._stores)
        other._resize(self._start, self._capacity)
        return other

    def arrange(self, parents: list[int], kept: list[int], lengths: list[int], begin: int) -> None:
        """Make row j the first `kept[j]` tokens of row `parents[j]`, with room for `lengths[j]` tokens.

        Args:
            begin: first column that is new in some row.
        """
        end = max(lengths, default=0)
        padding = [end - length for length in lengths]
        needed = max(0, begin - (self.window - 1))
        self.whole = None
        if padding == self.padding and self._start <= needed and self._are_aligned(parents, kept):
            self._overwrite(parents, kept)
            self.make_room(end, begin)
        else:
            self._rearrange(parents, kept, padding, max(0, needed - MARGIN), end)
        self.columns = begin

    def _are_aligned(self, parents: list[int], kept: list[int]) -> bool:
        """Test for rows of which something is kept only in the columns where it is."""
        pairs = zip(self.padding, parents, kept, strict=True)
        return all(not count or self.padding[parent] == padding for padding, parent, count in pairs)

    def _overwrite(self, parents: list[int], kept: list[int]) -> None:
        """Make row j the first `kept[j]` tokens of row `parents[j]`, in the same columns, for free where it stays."""
        moved = [row for row, (parent, count) in enumerate(zip(parents, kept, strict=True)) if count and parent != row]
        if moved:
            end = max(self.padding[row] + kept[row] for row in moved)
            sources = [parents[row] for row in moved]
            stores = [store for store in self._stores if store is not None]
            if self._forward.device.type == "cpu" and not set(moved) & set(sources):
                moves = list(zip(moved, sources, strict=True))
                for store in stores:
                    store.copy_rows(moves, end)
            else:
                rows, places = (torch.tensor(some, device=self._forward.device) for some in (moved, sources))
                for store in stores:
                    store.exchange_rows(rows, places, end)
        self._known = [self._known[p] if count else self._start for p, count in zip(parents, kept, strict=True)]

    def _rearrange(self, parents: list[int], kept: list[int], padding: list[int], start: int, end: int) -> None:
        """Copy rows to new buffers, which sliding layers keep from column `start` on; or move them in place."""
        shifts = [self.padding[p] - pad if n else 0 for p, n, pad in zip(parents, kept, padding, strict=True)]
        known = [
            max(start, self._known[p] - shift) if n else start
            for p, n, shift in zip(parents, kept, shifts, strict=True)
        ]
        filled = max((pad + n for pad, n in zip(padding, kept, strict=True) if n), default=0)
        if parents == list(range(len(self.padding))) and end <= self._capacity and not any(self._windows):
            for store in self._stores:
                if store is not None:
                    store.shift(self.padding, padding, kept)
            self._known = [max(0, known - shift) for known, shift in zip(self._known, shifts, strict=True)]
            self.padding = padding
            self._pad()
            return
        self._capacity = self._room(end)
        rows, moves = torch.tensor(parents), torch.tensor(shifts)
        old, self._stores = self._stores, []
        for layer, window in enumerate(self._windows):
            first = start if window else 0
            store = old[layer] if old else None
            if window == 0:
                self._stores.append(None)
            elif store is None or not filled:
                self._stores.append(LayerStore(len(parents), self._capacity, window, first))
            else:
                self._stores.append(store.rearranged(rows, moves, first, max(first, filled), self._capacity))
            if old:
                old[layer] = None  # layer by layer, so that two whole caches never exist
        self._start, self._known, self.padding = start, known, padding
        self._pad()

    def take_paths(self, paths: Sequence[Sequence[int]]) -> None:
        """Append columns to the rows from behind the last one: `paths[b]` are offsets, in ascending order, of row b.

        Rows with fewer of them end before the last column, as after a rollback. There are no sliding layers.
        """
        for row, path in enumerate(paths):
            if list(path) == list(range(len(path))):
                continue
            places = self.columns + torch.tensor(path, device=self._forward.device)
            for store in self._stores:
                for buffer in () if store is None else (store.keys, store.values):
                    if buffer is not None:
                        buffer[row, :, self.columns : self.columns + len(path)] = buffer[row, :, places]
        self.columns += max(map(len, paths), default=0)
        self.whole = None

    def view(self, first: int, last: int, end: int) -> Cache:
        """Some rows up to a column, as transformers takes them."""
        cache: Any = DynamicCache()
        cache.layer_class_to_replicate = None
        cache.layers = [
            silent if store is None else LayerView(store, first, last, end)
            for store, silent in zip(self._stores, self._templates, strict=True)
        ]
        return cache

    def _room(self, end: int) -> int:
        """Number of columns to allocate for a number in use."""
        room = end + min(max(64, end // 4), 1024)
        return max(end, min(room, self._limit)) if self._limit else room

    def make_room(self, end: int, begin: int) -> None:
        """Make room for columns up to `end`; let sliding layers forget what is far behind column `begin`."""
        if end > self._capacity:
            start = max(self._start, begin - (self.window - 1) - MARGIN)
            self._resize(start, self._room(end))

    def _resize(self, start: int, capacity: int) -> None:
        """Copy all stores to ones that reach to `capacity`."""
        self.whole = None
        for layer, store in enumerate(self._stores):
            if store is not None:
                self._stores[layer] = store.resized(start if store.window else 0, self.columns, capacity)
        self._start, self._capacity = start, capacity
        self._known = [max(known, start) for known in self._known]
        self._pad()

    def _pad(self) -> None:
        """Tell padding from tokens: int64 (batch, capacity) and (batch, 1)."""
        self.offsets = torch.tensor(self.padding, device=self._forward.device)[:, None]
        self.mask = None
        if any(self.padding):
            self.mask = (torch.arange(self._capacity, device=self._forward.device) >= self.offsets).long()
