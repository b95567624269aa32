"""Speculation: drafts propose blocks of tokens, and the target verifies a block in one call."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from guidance_kit.decoding.draft_length import DraftLength
from guidance_kit.decoding.drafts.draft import NOTHING, Draft, Proposal
from guidance_kit.models.token_tree import ROOT

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["Acceptance", "Speculation", "Speculator"]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Verified tokens of a draft: those after a rejected one are not verified, and do not count.

    Attributes:
        accepted, rejected: numbers of tokens.
    """

    accepted: int = 0
    rejected: int = 0

    @property
    def rate(self) -> float:
        """Share of accepted tokens, in [0, 1]; 0 without verified ones."""
        return self.accepted / max(1, self.accepted + self.rejected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speculation:
    """Statistics of the drafts of a text.

    Attributes:
        blocks: number of calls of the target, with a proposal or without.
        tokens: number of tokens that they gave. Tokens forced by the constraint need no call and are not among them.
        drafts: acceptance of each draft, by its name.
        timed_tokens: number of tokens of the blocks whose time is known: of all but the first one, which reads the
            prompt.
        seconds: time of these blocks, their drafts included; of a batch, that of all rows.
        step_seconds: time of a call for one token a row; None if there was none.
    """

    blocks: int = 0
    tokens: int = 0
    drafts: Mapping[str, Acceptance] = field(default_factory=dict)
    timed_tokens: int = 0
    seconds: float = 0.0
    step_seconds: float | None = None

    @property
    def seconds_saved(self) -> float | None:
        """Time of a call for each token, less that of the blocks; None if no call for one token was measured."""
        return None if self.step_seconds is None else self.step_seconds * self.timed_tokens - self.seconds

    @property
    def accepted(self) -> int:
        """Number of accepted tokens of all drafts."""
        return sum(one.accepted for one in self.drafts.values())

    @property
    def rejected(self) -> int:
        """Number of rejected tokens of all drafts."""
        return sum(one.rejected for one in self.drafts.values())

    @property
    def tokens_per_call(self) -> float:
        """Mean number of tokens of a call of the target."""
        return self.tokens / max(1, self.blocks)

    def with_block(self, tokens: int, draft: str, accepted: int, rejected: int) -> Speculation:
        """Statistics with one more block."""
        drafts = dict(self.drafts)
        if accepted or rejected:
            before = drafts.get(draft, Acceptance())
            drafts[draft] = Acceptance(before.accepted + accepted, before.rejected + rejected)
        return replace(self, blocks=self.blocks + 1, tokens=self.tokens + tokens, drafts=drafts)

    def with_times(self, tokens: int, seconds: float, step_seconds: float | None) -> Speculation:
        """Statistics with the time of a block of so many tokens."""
        return replace(
            self,
            timed_tokens=self.timed_tokens + tokens,
            seconds=self.seconds + seconds,
            step_seconds=step_seconds,
        )


class Speculator:
    """Speculation of one batch: asks a draft for tokens before each call of the target, and measures what they gain.

    Args:
        draft: the draft.
        ahead: number of tokens to propose in a block, at least 0; None to choose it by measured times, see
            `DraftLength`. The text of a seed then depends on these times where tokens are drawn from a draft; its law
            does not.
        clock: seconds.
    """

    def __init__(
        self, draft: Draft, ahead: int | None = None, *, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.draft = draft
        self.ahead = ahead
        self.length = DraftLength(getattr(draft, "nodes", None), getattr(draft, "depth", None))
        self._clock = clock
        self._began = self._proposed = 0.0
        self._has_moved = False

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`."""
        self.draft.check(rows)

    def propose(self, walk: Walk) -> list[Proposal]:
        """Proposals for the next block of each row; the last token of a row is never proposed, so that one is drawn."""
        self._began = self._clock()
        ahead = self.length.choose(len(walk.rows)) if self.ahead is None else self.ahead
        counts = [min(ahead, row.left - 1) for row in walk.rows]
        proposals = self.draft.propose(walk, counts) if any(counts) else [NOTHING] * len(counts)
        self._proposed = self._clock()
        return proposals

    def note(
        self, walk: Walk, proposals: Sequence[Proposal], taken: Sequence[Sequence[int]], widths: Sequence[int]
    ) -> None:
        """Note what the rows took, before they take it.

        Args:
            proposals: of each row.
            taken: tokens of each row.
            widths: number of positions of each row.
        """
        now = self._clock()
        pairs = [_verified(proposal, tokens) for proposal, tokens in zip(proposals, taken, strict=True)]
        is_timed = all(row.length for row in walk.rows)  # the prompts are known
        if is_timed:
            self.length.note(
                width=max(widths),
                proposed=max(map(_depth, proposals)),
                draft_seconds=self._proposed - self._began,
                target_seconds=now - self._proposed,
                accepted=sum(accepted for accepted, _ in pairs),
                rejected=sum(rejected for _, rejected in pairs),
                is_moved=self._has_moved,
            )
        self._has_moved = len(set(map(len, taken))) > 1
        for row, proposal, tokens, (accepted, rejected) in zip(walk.rows, proposals, taken, pairs, strict=True):
            found = (row.speculation or Speculation()).with_block(len(tokens), proposal.draft, accepted, rejected)
            if is_timed:
                found = found.with_times(len(tokens), now - self._began, self.length.step_seconds)
            row.speculation = found


def _depth(proposal: Proposal) -> int:
    """Number of proposed tokens, of a tree that of its longest path."""
    return len(proposal.tokens) if proposal.tree is None else max(proposal.tree.depths, default=0)


def _verified(proposal: Proposal, taken: Sequence[int]) -> tuple[int, int]:
    """Numbers of accepted and of rejected tokens of a proposal; tokens that a tree has for one place count as one."""
    if proposal.tree is not None:
        nodes = proposal.tree.descend(taken)
        return len(nodes), int(len(nodes) < len(taken) and bool(proposal.tree.children(nodes[-1] if nodes else ROOT)))
    pairs = zip(proposal.tokens, taken, strict=False)
    accepted = next((place for place, (one, other) in enumerate(pairs) if one != other), None)
    if accepted is not None:
        return accepted, 1
    return min(len(proposal.tokens), len(taken)), 0
