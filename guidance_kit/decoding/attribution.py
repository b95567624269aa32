"""Attribution of generated tokens: log-probabilities under the base, after each term, and after the mask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from guidance_kit.decoding.completion import Alternative, TermLogprob, TokenLogprob
from guidance_kit.decoding.distribution import PartialSum

__all__ = ["records"]


def records(
    partial_sums: Sequence[PartialSum], free: Tensor, left: Tensor, masked: Tensor, tokens: Sequence[int], count: int
) -> Iterator[TokenLogprob]:
    """Yield the record of the generated token of each row.

    Args:
        partial_sums: of the formula, its base alone first; the model alone where there is no formula.
        free: float, (batch, rows), nats: logits after the guides without the mask.
        left: `free` after the mask.
        masked: sampled logits before temperature and truncation. They differ from `left` where a formula truncates
            among the allowed tokens.
        tokens: generated tokens.
        count: number of listed alternatives.
    """
    model = partial_sums[0].logits.double().log_softmax(-1)
    guided = masked.double().log_softmax(-1)
    kept = (left.double().logsumexp(-1) - free.double().logsumexp(-1)).clamp(max=0).tolist()
    choices = (masked > -torch.inf).sum(-1).tolist()
    top = model.topk(min(count, model.shape[-1]), dim=-1)
    moved = _divergence(guided, model)
    by_sum = [_after(partial_sum, model, tokens) for partial_sum in partial_sums] if len(partial_sums) > 1 else []
    terms = list(zip(*by_sum, strict=True))
    for row, token in enumerate(tokens):
        alternatives = zip(top.indices[row].tolist(), top.values[row].tolist(), strict=True)
        yield TokenLogprob(
            token=token,
            logprob=float(model[row, token]),
            guided_logprob=float(guided[row, token]),
            log_kept=kept[row],
            choices=choices[row],
            divergence=moved[row],
            terms=terms[row] if terms else (),
            top=tuple(
                Alternative(token=other, logprob=logprob, is_allowed=bool(masked[row, other] > -torch.inf))
                for other, logprob in alternatives
            ),
        )


def _after(partial_sum: PartialSum, model: Tensor, tokens: Sequence[int]) -> list[TermLogprob]:
    """Records of the tokens under one partial sum, one a row."""
    logprobs = partial_sum.logits.double().log_softmax(-1)
    moved = _divergence(logprobs, model)
    weights = partial_sum.weight.tolist()
    return [
        TermLogprob(
            term=partial_sum.term,
            weight=weights[row],
            own_logprob=None if partial_sum.own is None or weights[row] == 0 else float(partial_sum.own[row, token]),
            logprob=float(logprobs[row, token]),
            divergence=moved[row],
        )
        for row, token in enumerate(tokens)
    ]


def _divergence(changed: Tensor, model: Tensor) -> list[float]:
    """KL(changed || model) of each row, nats, from log-probabilities (batch, rows)."""
    chance = changed.exp()
    return torch.where(chance > 0, chance * (changed - model), chance).sum(-1).tolist()
