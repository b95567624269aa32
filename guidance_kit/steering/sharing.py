"""Batching of models that share weights: a model and its adapters run as rows of one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from torch import Tensor

    from guidance_kit.steering.atoms import Source

__all__ = ["SharedWeights", "Sharing", "batched_logits", "sharing_key"]


class SharedWeights(Protocol):
    """Weights of several models that differ in their adapters."""

    def logits(
        self, prefixes: Sequence[Sequence[int]], positions: int = 1, *, adapters: Sequence[str | None] = ()
    ) -> Tensor:
        """See `Distribution.logits`; each prefix runs with its adapter, None for the model without one."""
        ...


@runtime_checkable
class Sharing(Protocol):
    """Source whose weights other sources may share."""

    @property
    def weights(self) -> SharedWeights:
        """Shared weights: one object for all sources that share them."""
        ...

    @property
    def adapter(self) -> str | None:
        """Name of the adapter; None for the model without one."""
        ...


def sharing_key(source: Source) -> object:
    """Batching key of a source: sources with equal keys run in one batch."""
    return source.weights if isinstance(source, Sharing) else source


def batched_logits(
    sources: Sequence[Source], prefixes: Sequence[Sequence[int]], positions: int, starts: Sequence[int]
) -> Tensor:
    """Logits of each source after its prefix, in one batch; see `Distribution.logits`.

    Args:
        sources: one a prefix, with equal `sharing_key`.
    """
    first = sources[0]
    if any(source is not first for source in sources) and isinstance(first, Sharing):
        adapters = [source.adapter for source in sources if isinstance(source, Sharing)]
        return first.weights.logits(prefixes, positions, adapters=adapters)
    return first.logits(prefixes, positions, starts=starts)
