"""Draft by mask lookup: the token that was taken where the constraint allowed the same few tokens before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from guidance_kit.decoding.drafts.draft import NOTHING, Binding, Proposal
from guidance_kit.decoding.sampling import require_integer

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["BoundMaskLookup", "MaskLookup"]

_KEPT = 4096
"""Maximum number of masks that are remembered."""


@dataclass(frozen=True, slots=True)
class MaskLookup:
    """Propose the token that a row of the call took last where the constraint allowed the same tokens.

    A model writes the punctuation of a record, where whitespace is free, in one manner. Only masks of few tokens are
    remembered; other places are for other drafts. Texts are those without a draft.

    Args:
        most: maximum number of allowed tokens, at least 2.
    Raises:
        OptionError: a number out of range.
    """

    most: int = 256

    def __post_init__(self) -> None:
        require_integer("most", self.most, least=2)

    def bound(self, binding: Binding) -> BoundMaskLookup:
        """Draft of a call, which remembers nothing yet."""
        return BoundMaskLookup(self.most)


@dataclass(slots=True)
class BoundMaskLookup:
    """Mask lookup in one call. What it keeps changes proposals alone, and no text.

    Args:
        most: see `MaskLookup`.
    """

    most: int
    name: str = "mask lookup"
    _taken: dict[bytes, int] = field(default_factory=dict)
    _asked: dict[tuple[int, int], tuple[int, bytes]] = field(default_factory=dict)

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: every row can be looked up."""

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`: one token at most, also noted where none is asked for."""
        proposals: list[Proposal] = []
        for row, mask, count in zip(walk.rows, walk.small_masks(self.most), counts, strict=True):
            known = self._asked.pop((row.place, row.seed), None)
            if known is not None and known[0] < len(row.prefix):
                if len(self._taken) >= _KEPT:
                    self._taken.clear()
                self._taken[known[1]] = row.prefix[known[0]]
            if mask is not None:
                self._asked[row.place, row.seed] = len(row.prefix), mask
            token = None if mask is None or not count else self._taken.get(mask)
            proposals.append(NOTHING if token is None else Proposal(tokens=[token], draft=self.name))
        return proposals
