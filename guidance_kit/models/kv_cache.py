"""The key-value cache of a batch: which tokens each row holds, and how rows are kept, cut, copied and moved.

Layout: rows lie side by side, aligned at their ends, so that what is missing in the shorter ones is a pad on the left
which attention never sees. Sliding windows stay right in this layout, because the distance of two tokens of a row is
the distance of their columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

__all__ = ["KVCache"]


class KVCache:
    """Keys and values of the tokens that a batch of rows has read. One of the few mutable things.

    Layers of sliding-window attention keep all their tokens too: what is out of sight is masked by the model, and any
    part can be taken back exactly.

    Attributes:
        prefixes: the tokens of each row.
        layers: the cache that the model reads and extends, (batch, heads, columns, size) a layer; it holds as many
            columns as the longest row has tokens, or more.
    """

    def __init__(self) -> None:
        self.prefixes: list[list[int]] = []
        self.layers: Any = DynamicCache()  # its layers are typed as ones that may have no keys

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.prefixes)

    @property
    def columns(self) -> int:
        """Number of columns, pads included."""
        return int(self.layers.get_seq_length())

    @property
    def bytes(self) -> int:
        """Memory of all keys and values."""
        return sum(tensor.nbytes for layer in self.layers.layers for tensor in (layer.keys, layer.values))

    def clear(self) -> None:
        """Forget everything."""
        self.prefixes = []
        self.layers = DynamicCache()

    def fork(self) -> KVCache:
        """An independent copy."""
        twin = KVCache()
        twin.prefixes = [list(prefix) for prefix in self.prefixes]
        twin.layers = DynamicCache()
        for number, layer in enumerate(self.layers.layers):
            twin.layers.update(layer.keys.clone(), layer.values.clone(), number)
        return twin

    def arrange(self, rows: Sequence[int], keep: Sequence[int]) -> None:
        """Become a batch in which row i holds the first keep[i] tokens of what row rows[i] holds now.

        Args:
            rows: rows of the present batch, in any order, with repetitions or without some.
            keep: number of tokens, at most what the row holds.
        """
        held = [len(prefix) for prefix in self.prefixes]
        columns = self.columns
        width = max(keep, default=0)
        if width == 0:
            self.prefixes = [[] for _ in rows]
            self.layers = DynamicCache()
            return
        cuts = [held[row] - kept for row, kept in zip(rows, keep, strict=True)]
        if list(rows) != list(range(len(held))):
            self._index(0, rows)
        if len(set(cuts)) == 1 or (len(set(held)) == 1 and all(k in (0, width) for k in keep)):
            last = columns - cuts[max(range(len(keep)), key=keep.__getitem__)]
            if last < columns or last > width:
                for layer in self.layers.layers:
                    layer.keys = layer.keys[:, :, last - width : last]
                    layer.values = layer.values[:, :, last - width : last]
        else:
            self._shift([columns - cut - width for cut in cuts], width)
        self.prefixes = [self.prefixes[row][:kept] for row, kept in zip(rows, keep, strict=True)]

    def _index(self, dimension: int, rows: Sequence[int]) -> None:
        for layer in self.layers.layers:
            index = torch.tensor(rows, device=layer.keys.device)
            layer.keys = layer.keys.index_select(dimension, index)
            layer.values = layer.values.index_select(dimension, index)

    def _shift(self, first: Sequence[int], width: int) -> None:
        """Keep `width` columns of each row, from its own first one on; columns before the beginning become pads."""
        for layer in self.layers.layers:
            places = (
                torch.arange(width, device=layer.keys.device) + torch.tensor(first, device=layer.keys.device)[:, None]
            )
            places = places.clamp_min(0)[:, None, :, None]
            layer.keys = _taken(layer.keys, places)
            layer.values = _taken(layer.values, places)


def _taken(tensor: Tensor, places: Tensor) -> Tensor:
    """tensor[b, :, places[b], :] for each row b."""
    return tensor.gather(2, places.expand(-1, tensor.shape[1], -1, tensor.shape[3]))
