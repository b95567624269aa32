"""Models that share their weights: they are asked as rows of one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from torch import Tensor

    from guidance_kit.steering.atoms import Source

__all__ = ["SharedWeights", "Sharing", "batched_logits", "sharing_key"]


class SharedWeights(Protocol):
    """What several models have in common."""

    def logits(
        self, prefixes: Sequence[Sequence[int]], positions: int = 1, *, adapters: Sequence[str | None] = ()
    ) -> Tensor:
        """As `Distribution.logits`, for each prefix from the model with that adapter."""
        ...


@runtime_checkable
class Sharing(Protocol):
    """A source whose weights others may use too."""

    @property
    def weights(self) -> SharedWeights:
        """The same object for all that share them."""
        ...

    @property
    def adapter(self) -> str | None:
        """What tells it from the others."""
        ...


def sharing_key(source: Source) -> object:
    """What a source has in common with those that are asked together with it."""
    return source.weights if isinstance(source, Sharing) else source


def batched_logits(
    sources: Sequence[Source], prefixes: Sequence[Sequence[int]], positions: int, starts: Sequence[int]
) -> Tensor:
    """What each source says after its prefix, in one batch; see `Distribution.logits`.

    Args:
        sources: one a prefix; all of them one source, or sources that share their weights.
    """
    first = sources[0]
    if any(source is not first for source in sources) and isinstance(first, Sharing):
        adapters = [source.adapter for source in sources if isinstance(source, Sharing)]
        return first.weights.logits(prefixes, positions, adapters=adapters)
    return first.logits(prefixes, positions, starts=starts)
