"""Manner in which a model reads a prefix: through an adapter, and after a source that its encoder has read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

__all__ = ["EncodedSource", "RowReading"]


@dataclass(slots=True, eq=False)
class EncodedSource:
    """Source of an encoder-decoder model, with what the model computes of it once. Equal to itself alone.

    Attributes:
        tokens: what the encoder reads.
        adapter: adapter with which it reads, None for none.
        hidden: output of the encoder: float, (length, width); None before it ran.
        layers: keys and values of the cross attention of each decoder layer: float, (heads, length, key width) and
            (heads, length, value width); None before they are needed.
    """

    tokens: tuple[int, ...]
    adapter: str | None
    hidden: Tensor | None = None
    layers: list[tuple[Tensor, Tensor]] | None = None

    @property
    def bytes(self) -> int:
        """Memory held."""
        hidden = 0 if self.hidden is None else self.hidden.nbytes
        return hidden + sum(keys.nbytes + values.nbytes for keys, values in self.layers or ())


class RowReading(NamedTuple):
    """Manner in which a model reads a prefix. What was computed in one is of no use in another.

    Attributes:
        adapter: adapter on the model; None for none.
        source: source that the decoder attends to; None for models without an encoder.
    """

    adapter: str | None = None
    source: EncodedSource | None = None
