"""Sequence of drafts: for each row the first one that proposes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from guidance_kit.decoding.drafts.draft import NOTHING, Draft, Proposal
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk
    from guidance_kit.models.token_tree import TokenTree

__all__ = ["DraftSequence"]


@dataclass(frozen=True, slots=True)
class DraftSequence:
    """Ask several drafts in turn, for each row until one of them proposes a token.

    Cheap drafts that propose seldom come first: `DraftSequence((ForcedTokens(), PromptLookup(), small))`. A draft is
    chosen by the tokens before the proposed ones, so each proposal keeps its law.

    Args:
        drafts: drafts, or what `draft=` takes for them, one or more.
    Raises:
        OptionError: there is none.
    """

    drafts: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.drafts, tuple) or not self.drafts:
            raise OptionError(f"a sequence of drafts is a tuple with at least one of them, not {self.drafts!r}")

    @property
    def name(self) -> str:
        """See `Draft`."""
        return " or ".join(draft.name for draft in self.drafts)

    def bound(self, bind: Callable[[Any], Draft]) -> Self:
        """The sequence with its drafts bound to a target."""
        return replace(self, drafts=tuple(map(bind, self.drafts)))

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: of each draft."""
        for draft in self.drafts:
            draft.check(rows)

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`."""
        found = [NOTHING] * len(counts)
        for draft in self.drafts:
            left = [0 if proposal else count for proposal, count in zip(found, counts, strict=True)]
            if not any(left):
                break
            proposals = draft.propose(walk, left)
            found = [one or other for one, other in zip(found, proposals, strict=True)]
        return found

    def observe(self, row: Row, tree: TokenTree, answers: Sequence[int | None]) -> None:
        """Pass the answers of the target on to the drafts that learn from them."""
        for draft in self.drafts:
            observe = getattr(draft, "observe", None)
            if observe is not None:
                observe(row, tree, answers)
