"""Keys and values of one layer, in buffers with room to grow, and the door through which transformers writes them."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor
from transformers.cache_utils import DynamicLayer

__all__ = ["LayerStore", "LayerView"]


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
