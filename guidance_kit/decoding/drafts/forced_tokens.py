"""Draft by the constraint: runs of tokens that are the only ones allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guidance_kit.decoding.drafts.draft import NOTHING, Proposal

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["ForcedTokens"]


@dataclass(frozen=True, slots=True)
class ForcedTokens:
    """Propose the tokens that are the only ones which the constraint allows, row by row. They are always accepted.

    Without a draft, forced tokens need no call of the model where all rows of a batch are forced. This draft is for
    the other batches, and for log-probabilities, for which every token goes through the model.
    """

    @property
    def name(self) -> str:
        """See `Draft`."""
        return "forced"

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: there is no condition."""

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`."""
        return [
            Proposal(tokens=tokens, draft=self.name) if tokens else NOTHING for tokens in walk.forced_tokens(counts)
        ]
