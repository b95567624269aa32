"""Verification of proposed tokens: speculative sampling, and equality with what the target draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NoReturn

import torch
from torch import Tensor

from guidance_kit.decoding.drafts.draft import Proposal
from guidance_kit.decoding.draw import ACCEPTANCE, Draw
from guidance_kit.decoding.row import Row

__all__ = ["acceptance", "residual", "verify"]

Fail = Callable[[int, int], NoReturn]
"""Function that raises the error of a row without a possible token, from its place and the position in its block."""


def verify(
    logits: Tensor,
    firsts: Sequence[int],
    counts: Sequence[int],
    proposals: Sequence[Proposal],
    rows: Sequence[Row],
    draw: Draw,
    fail: Fail,
) -> list[list[int]]:
    """Tokens that each row takes: proposed ones that the target accepts, and one that it draws itself.

    Tokens that were drawn from logits of the draft are accepted with probability min(1, p / q), and the first other one
    is drawn from max(p - q, 0) normalised, so that each token has the law p (speculative sampling). All others are
    compared with what the draw of the target gives at their position, with its random number: then the text is the one
    without a draft.

    Args:
        logits: float, (sum of counts, rows), nats: processed logits of the target at all positions.
        firsts: first position of each row in `logits`.
        counts: number of positions of each row, at least 1 and at most one more than proposed tokens.
        proposals: of each row. Tokens beyond its positions are ignored.
        rows: their draw states are changed to those after the tokens.
        draw: draw of the target.
        fail: raises for a position without a possible token.
    Returns:
        At least one token a row.
    Source: Leviathan et al. 2023, Fast Inference from Transformers via Speculative Decoding, algorithm 1 and
        appendix A.1; Chen et al. 2023, Accelerating Large Language Model Decoding with Speculative Sampling.
    """
    taken: list[list[int]] = [[] for _ in rows]
    sampled = [place for place, proposal in enumerate(proposals) if proposal.logits is not None]
    if sampled:
        _accept(sampled, logits, firsts, counts, proposals, rows, draw, fail, taken)
    compared = [place for place, proposal in enumerate(proposals) if proposal.logits is None]
    position = 0
    while compared:
        places = [firsts[place] + position for place in compared]
        given = logits if len(places) == len(logits) else logits[places]
        _draw_next(compared, given, taken, rows, draw, fail)
        position += 1
        compared = [
            place
            for place in compared
            if position < counts[place] and taken[place] == list(proposals[place].tokens[:position])
        ]
    return taken


def acceptance(target: Tensor, draft: Tensor, tokens: Tensor) -> Tensor:
    """Ratio p / q of proposed tokens, by which they are accepted.

    Args:
        target, draft: float, (count, rows), nats, unnormalised.
        tokens: int64, (count,), none of probability 0 in the draft.
    Returns:
        Float64, (count,); NaN where the target is no distribution.
    """
    index = tokens[:, None]
    p, q = (logits.gather(-1, index)[:, 0] - logits.logsumexp(-1) for logits in (target, draft))
    return (p.double() - q.double()).exp()


def residual(target: Tensor, draft: Tensor) -> Tensor:
    """Logits of max(p - q, 0): the law of a token in the place of a rejected one.

    Args:
        target, draft: float, (count, rows), nats, unnormalised.
    Returns:
        Float32, (count, rows), nats, unnormalised; where p and q are equal up to rounding, those of p.
    """
    rest = (target.double().softmax(-1) - draft.double().softmax(-1)).clamp_(min=0)
    return torch.where(rest.sum(-1, keepdim=True) > 0, rest.log().float(), target)


def _accept(
    places: Sequence[int],
    logits: Tensor,
    firsts: Sequence[int],
    counts: Sequence[int],
    proposals: Sequence[Proposal],
    rows: Sequence[Row],
    draw: Draw,
    fail: Fail,
    taken: list[list[int]],
) -> None:
    """Take accepted tokens of some rows, and the next one of each whose text does not end with them."""
    tokens = [proposals[place].tokens[: counts[place]] for place in places]
    drafts = [_logits_of(proposals[place])[: counts[place]] for place in places]
    index = [firsts[place] + step for place, some in zip(places, tokens, strict=True) for step in range(len(some))]
    own, other = logits[index], torch.cat(drafts).to(logits.device)
    flat = torch.tensor([token for some in tokens for token in some], device=logits.device)
    ratios = acceptance(own, other, flat).tolist()
    rejected: dict[int, int] = {}
    begin = 0
    for place, some in zip(places, tokens, strict=True):
        uniforms, length = rows[place].draw_state.stream(ACCEPTANCE), rows[place].length
        for step, token in enumerate(some):
            if math.isnan(ratios[begin + step]):
                fail(place, step)
            if not uniforms[length + step] < ratios[begin + step]:
                rejected[place] = begin + step
                break
            taken[place].append(token)
        begin += len(some)
    further = [place for place in places if place not in rejected and len(taken[place]) < counts[place]]
    if rejected:
        at = list(rejected.values())
        _draw_next(list(rejected), residual(own[at], other[at]), taken, rows, draw, fail)
    if further:
        _draw_next(further, logits[[firsts[place] + len(taken[place]) for place in further]], taken, rows, draw, fail)


def _logits_of(proposal: Proposal) -> Tensor:
    assert proposal.logits is not None
    return proposal.logits


def _draw_next(
    places: Sequence[int], logits: Tensor, taken: list[list[int]], rows: Sequence[Row], draw: Draw, fail: Fail
) -> None:
    """Append the next token of some rows, drawn by the target."""
    found = draw.draw(
        logits,
        [rows[place].draw_state for place in places],
        [[*rows[place].prefix, *taken[place]] if taken[place] else rows[place].prefix for place in places],
        [rows[place].prompt_tokens for place in places],
    )
    for place, check in zip(places, found.checks, strict=True):
        if not check > -math.inf:  # NaN compares false
            fail(place, len(taken[place]))
    for place, token, state in zip(places, found.tokens, found.states, strict=True):
        taken[place].append(token)
        rows[place].draw_state = state
