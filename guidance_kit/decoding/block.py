"""Logits of a block of positions: those before and after each proposed token of all rows of a walk."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Decomposable, PartialSum
from guidance_kit.decoding.drafts.draft import Proposal
from guidance_kit.decoding.sampling import shape
from guidance_kit.errors import FormulaError

if TYPE_CHECKING:
    from guidance_kit.decoding.walk import Walk

__all__ = ["Block", "block_of", "joined", "staged"]


@dataclass(slots=True)
class Block:
    """Logits of a block of positions of all rows after each stage: float32, (count, rows), nats.

    Attributes:
        walk: guides and constraint in the states of the positions.
        base: of the distribution.
        steered: after the guides of Stage.BIAS.
        masked: after the mask.
        shaped: after temperature, truncation and watermark.
        partial_sums: of the base, if it was decomposed; their logits and weights are those of the positions.
        firsts: place of the first position of each row.
        counts: number of positions of each row, at least 1.
        tokens: drawn tokens of each row.
    """

    walk: Walk
    base: Tensor
    steered: Tensor
    masked: Tensor
    shaped: Tensor
    partial_sums: list[PartialSum]
    firsts: list[int]
    counts: list[int]
    tokens: list[list[int]] = field(default_factory=list)

    def at(self, places: Sequence[Sequence[int]]) -> Block:
        """Block of some positions of each row, at least one."""
        chosen = list(itertools.chain.from_iterable(places))
        counts = list(map(len, places))
        walk = copy.copy(self.walk)
        walk._select(chosen)
        return Block(
            walk,
            self.base[chosen],
            self.steered[chosen],
            self.masked[chosen],
            self.shaped[chosen],
            [partial_sum.at(chosen) for partial_sum in self.partial_sums],
            [end - count for end, count in zip(itertools.accumulate(counts), counts, strict=True)],
            counts,
        )


def block_of(walk: Walk, proposals: Sequence[Proposal], *, is_decomposed: bool) -> Block:
    """Logits at the positions before the proposals and after each of their tokens that a position can follow.

    Args:
        proposals: of each row.
        is_decomposed: with the partial sums of a formula.
    Raises:
        FormulaError: as the distribution; a note has the step and the prompt.
    """
    passed = _passed(walk, proposals)
    counts = [len(tokens) + 1 for tokens in passed]
    firsts = [end - count for end, count in zip(itertools.accumulate(counts), counts, strict=True)]
    states = walk
    if max(counts) > 1:
        states = copy.copy(walk)
        states._select([place for place, count in enumerate(counts) for _ in range(count)])
        states._advance([tokens[:end] for tokens in passed for end in range(len(tokens) + 1)])
    base, partial_sums = _base(walk, states, passed, proposals, is_decomposed=is_decomposed)
    if is_decomposed and not partial_sums:
        partial_sums = [PartialSum(term="", weight=base.new_ones(len(base)), own=base, logits=base)]
    return staged(states, base, partial_sums, firsts, counts)


def staged(states: Walk, base: Tensor, partial_sums: list[PartialSum], firsts: list[int], counts: list[int]) -> Block:
    """Block with the logits after each stage, from those of the distribution; see `Block`."""
    steered = states._steered(base)
    masked = states._masked(steered)
    shaped = masked if states._sampling.is_greedy else shape(masked, states._sampling)
    return Block(states, base, steered, masked, states._watermarked(shaped), partial_sums, firsts, counts)


def _passed(walk: Walk, proposals: Sequence[Proposal]) -> list[Sequence[int]]:
    """Proposed tokens of each row that another position follows.

    They end before the first token that ends the text, or that the row cannot take. That one is still verified, but
    nothing after it.
    """
    passed: list[Sequence[int]] = [()] * len(walk.rows)
    if not any(proposals):
        return passed
    for place, (row, proposal) in enumerate(zip(walk.rows, proposals, strict=True)):
        tokens = proposal.tokens
        end = next((place for place, token in enumerate(tokens) if token in walk.vocabulary.eos), len(tokens))
        passed[place] = tokens[: min(end, row.left - 1, len(tokens) - proposal.is_end)]
    return passed if walk._constraint is None else walk._constraint.allowed_proposals(walk._matchers, passed)


def _base(
    walk: Walk, states: Walk, passed: Sequence[Sequence[int]], proposals: Sequence[Proposal], *, is_decomposed: bool
) -> tuple[Tensor, list[PartialSum]]:
    """Logits of the distribution at all positions, float32, and their partial sums; none of what has no parts.

    One call has equally many positions of each row. If a prefix is shorter than that, there is a call for each number
    of positions, so that no row depends on the others.
    """
    prefixes = [[*row.prefix, *tokens] if tokens else row.prefix for row, tokens in zip(walk.rows, passed, strict=True)]
    counts = [len(tokens) + 1 for tokens in passed]
    groups = [list(range(len(counts)))]
    if min(map(len, prefixes)) < max(counts):
        groups = [[place for place, own in enumerate(counts) if own == count] for count in dict.fromkeys(counts)]
    ends = list(itertools.accumulate(counts))
    positions = [range(end - count, end) for end, count in zip(ends, counts, strict=True)]
    left: list[Tensor] = []

    def mask(device: torch.device, group: Sequence[int]) -> Tensor:
        if not left:
            left.append(states._masked(torch.zeros(ends[-1], walk._distribution.rows, device=device)) == 0)
        whole = left[0].to(device)
        return whole if len(groups) == 1 else whole[[at for place in group for at in positions[place]]]

    parts = [
        _asked(
            walk,
            group,
            [prefixes[place] for place in group],
            [counts[place] for place in group],
            partial(mask, group=group),
            _known(proposals, group, counts),
            is_decomposed=is_decomposed,
        )
        for group in groups
    ]
    if len(parts) == 1:
        return parts[0]
    order = [at for group in groups for place in group for at in positions[place]]
    index = torch.tensor(order).argsort()
    several = zip(*(sums for _, sums in parts), strict=True)
    return torch.cat([base for base, _ in parts])[index], [joined(sums).at(index) for sums in several]


def _known(proposals: Sequence[Proposal], group: Sequence[int], counts: Sequence[int]) -> Mapping[Hashable, Tensor]:
    """Logits of terms that the drafts have computed at all positions of a group, (batch, positions, rows), by term."""
    term = proposals[group[0]].term
    own: list[Tensor] = []
    width = max(counts[place] for place in group)
    for place in group:
        proposal, count = proposals[place], counts[place]
        if proposal.known is None or proposal.term != term or len(proposal.known) < count:
            return {}
        own.append(torch.nn.functional.pad(proposal.known[:count], (0, 0, width - count, 0)))
    return {term: torch.stack(own)}


def _asked(
    walk: Walk,
    group: Sequence[int],
    prefixes: Sequence[Sequence[int]],
    counts: Sequence[int],
    mask: Callable[[torch.device], Tensor],
    known: Mapping[Hashable, Tensor],
    *,
    is_decomposed: bool,
) -> tuple[Tensor, list[PartialSum]]:
    """Logits of some rows at all their positions, by one call of the distribution.

    Args:
        mask: tokens that the constraint allows at these positions: bool, (sum of counts, rows).
    """
    width = max(counts)
    places = [place for place, count in enumerate(counts) for _ in range(count)]
    offsets = [width - count + position for count in counts for position in range(count)]
    index = (slice(None), -1) if width == 1 else (places, offsets)

    def allowed(device: torch.device) -> Tensor:
        blocks = torch.ones(len(counts), width, walk._distribution.rows, dtype=torch.bool, device=device)
        blocks[places, offsets] = mask(device)
        return blocks

    options: dict[str, Any] = {"starts": [walk.rows[place].prompt_tokens for place in group], "allowed": allowed}
    if known:
        options["known"] = known
    distribution = walk._distribution
    try:
        if not is_decomposed or not isinstance(distribution, Decomposable):
            return distribution.logits(prefixes, width, **options)[index].float(), []
        whole, partial_sums = distribution.partial_sums(prefixes, width, **options)
    except FormulaError as error:
        error.add_note(f"step {walk._step}, prompt {walk.rows[group[error.row]].number}")
        raise
    base = whole[index].float()
    sums = [partial_sum.at(index) for partial_sum in partial_sums]
    if partial_sums[-1].logits is whole:
        sums[-1] = replace(sums[-1], logits=base)
    return base, sums


def joined(partial_sums: Sequence[PartialSum]) -> PartialSum:
    """Partial sum of the positions of several rows."""
    has_own = any(one.own is not None for one in partial_sums)
    own = [torch.zeros_like(one.logits) if one.own is None else one.own for one in partial_sums]
    return PartialSum(
        term=partial_sums[0].term,
        weight=torch.cat([one.weight for one in partial_sums]),
        own=torch.cat(own) if has_own else None,
        logits=torch.cat([one.logits for one in partial_sums]),
    )
