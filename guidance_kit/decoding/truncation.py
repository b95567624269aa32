"""Truncations: from logits to the set of tokens that may be drawn.

A truncation keeps the tokens on one side of a threshold, of their logit or of another score, and all that reach the
threshold up to `TIE`. So the result does not depend on the order in which a sort leaves equal values, nor on the
rounding of a processor. One that is no threshold is a `TruncationRule`. A truncation sees the tokens that the mask
allows, and keeps at least one. Logits are float32, (..., rows), nats; -inf forbids a token and stays; NaN propagates.
"""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from guidance_kit.errors import OptionError

__all__ = [
    "TIE", "TruncationRule", "entropies", "keep_by", "keep_epsilon", "keep_eta", "keep_min_p", "keep_top_a",
    "keep_top_k", "keep_top_n_sigma", "keep_top_p", "keep_typical",
]  # fmt: skip

TIE = 1e-5
"""Relative difference of probabilities up to which a decision treats them as equal.

CPUs sum float32 in different orders, so logits differ by about 3e-6 between machines. A decision between numbers that
are equal in exact arithmetic must not depend on that.
"""

_HEAD = 256
"""Number of best tokens that a truncation sorts at first: nearly always enough, and far cheaper than to sort all."""


@runtime_checkable
class TruncationRule(Protocol):
    """TruncationRule of one's own, a frozen value: any set of tokens as a function of the logits."""

    def keep(self, logits: Tensor) -> Tensor:
        """Tokens that may be drawn.

        Args:
            logits: float, (..., rows), nats, after the mask, the temperature and the other truncations; -inf for
                removed tokens. Not to be changed.
        Returns:
            Bool, (..., rows): True for tokens that stay, at least one possible one in each row that has any. A row
            must not depend on the others.
        """
        ...


def keep_by(logits: Tensor, truncation: TruncationRule) -> Tensor:
    """Remove the tokens that a truncation does not keep.

    Raises:
        OptionError: it returns something else than such a set, or an empty one.
    """
    kept: object = truncation.keep(logits)
    name = type(truncation).__name__
    if not isinstance(kept, Tensor) or kept.dtype != torch.bool or kept.shape != logits.shape:
        shown = f"{kept.dtype} {tuple(kept.shape)}" if isinstance(kept, Tensor) else repr(kept)
        raise OptionError(f"truncation: {name}.keep returned {shown}; it returns bool {tuple(logits.shape)}")
    left = logits.masked_fill(~kept & ~logits.isnan(), -torch.inf)
    if bool(((left == -torch.inf).all(-1) & (logits > -torch.inf).any(-1)).any()):
        raise OptionError(f"truncation: {name}.keep keeps none of the possible tokens of a row; it keeps at least one")
    return left


def keep_top_n_sigma(logits: Tensor, n: float) -> Tensor:
    """Top-n-sigma: remove tokens whose logit is more than n standard deviations below the greatest one.

    A temperature makes no difference to it. The standard deviation is that of the population, as in llama.cpp, of the
    tokens that are not forbidden.

    Source: Tang et al. 2024, Top-n-sigma: Not All Logits Are You Need, section 3.
    """
    greatest = logits.amax(-1, keepdim=True)
    is_allowed = logits > -torch.inf
    below = (logits - greatest).masked_fill(~is_allowed, 0).double()  # shifted, so that squares cannot overflow
    count = is_allowed.sum(-1, keepdim=True)
    mean = below.sum(-1, keepdim=True) / count
    squares = ((below - mean) ** 2).masked_fill(~is_allowed, 0).sum(-1, keepdim=True)
    threshold = greatest - n * (squares / count).sqrt() - TIE * (1 + n)
    return logits.masked_fill(logits < threshold, -torch.inf)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """Remove all but the k most likely tokens (and ties with the last of them)."""
    if k >= logits.shape[-1]:
        return logits
    threshold = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < threshold, -torch.inf)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """Nucleus sampling: remove all but the smallest set of most likely tokens whose probabilities sum to at least p.

    Source: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration, section 3.1; ties as above.
    """
    if p >= 1:
        return logits
    threshold = _least_of_mass(logits, logits, p)
    return logits.masked_fill(logits < threshold, -torch.inf)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    """Remove tokens with less than p times the top probability.

    Source: Nguyen et al. 2024, Turning Up the Heat: Min-p Sampling, section 3.
    """
    if p <= 0:
        return logits
    return logits.masked_fill(logits < logits.amax(-1, keepdim=True) + (math.log(p) - TIE), -torch.inf)


def keep_top_a(logits: Tensor, a: float) -> Tensor:
    """Top-a: remove tokens with less than a times the square of the top probability.

    Source: the samplers of KoboldAI, which made it for RWKV.
    """
    if a <= 0:
        return logits
    greatest = logits.amax(-1, keepdim=True)
    threshold = 2 * greatest - logits.logsumexp(-1, keepdim=True) + (math.log(a) - TIE)
    return logits.masked_fill(logits < threshold, -torch.inf)


def keep_typical(logits: Tensor, p: float) -> Tensor:
    """Locally typical sampling: remove all but the smallest set of tokens of mass p whose surprise is nearest to H.

    H is the entropy, the expected surprise. The set may lack the most likely token, so it is no threshold on logits,
    but one on |surprise - H|.

    Source: Meister et al. 2023, Locally Typical Sampling, section 4.
    """
    if p >= 1:
        return logits
    logprobs = logits.log_softmax(-1)
    nearness = -(logprobs + entropies(logprobs)).abs()
    threshold = _least_of_mass(nearness, logits, p) - TIE
    return logits.masked_fill(nearness < threshold, -torch.inf)


def keep_epsilon(logits: Tensor, epsilon: float) -> Tensor:
    """Epsilon sampling: remove tokens with a probability below epsilon, but for the most likely ones.

    Source: Hewitt, Manning and Liang 2022, TruncationRule Sampling as Language Model Desmoothing, section 4.2.
    """
    return _keep_likely(logits, math.log(epsilon))


def keep_eta(logits: Tensor, epsilon: float) -> Tensor:
    """Eta sampling: remove tokens with a probability below min(epsilon, sqrt(epsilon) e^-H), H the entropy in nats.

    The most likely ones always stay.

    Source: Hewitt, Manning and Liang 2022, TruncationRule Sampling as Language Model Desmoothing, section 4.3, with the
        paper's alpha = sqrt(epsilon).
    """
    least = 0.5 * math.log(epsilon) - entropies(logits.log_softmax(-1))
    return _keep_likely(logits, least.clamp(max=math.log(epsilon)))


def entropies(logprobs: Tensor) -> Tensor:
    """Entropy of each row: float32, (..., 1), nats.

    Args:
        logprobs: float, (..., rows), nats; normalised.
    """
    return torch.special.entr(logprobs.exp()).sum(-1, keepdim=True, dtype=torch.float64).to(logprobs.dtype)


def _keep_likely(logits: Tensor, least: float | Tensor) -> Tensor:
    """Remove tokens below a log-probability, but for the most likely ones."""
    greatest = logits.amax(-1, keepdim=True)
    threshold = torch.minimum(logits.logsumexp(-1, keepdim=True) + least, greatest) - TIE
    return logits.masked_fill(logits < threshold, -torch.inf)


def _least_of_mass(scores: Tensor, logits: Tensor, p: float) -> Tensor:
    """Score of the last token of the smallest set of highest scores that has the mass p: (..., 1).

    Args:
        scores: float, (..., rows); -inf for forbidden tokens.
        p: in (0, 1); a mass less by at most `TIE * p * (1 - p)` counts as equal, for logits that move by e move a sum p
            of probabilities by at most e p (1 - p).
    """
    enough = p - TIE * p * (1 - p)
    greatest = logits.amax(-1, keepdim=True)
    total = (logits - greatest).exp().sum(-1, keepdim=True, dtype=torch.float64)
    rows = logits.shape[-1]
    head = min(rows, _HEAD)
    while True:
        values, places = scores.topk(head, dim=-1)
        taken = values if scores is logits else logits.gather(-1, places)
        mass = (taken.double() - greatest).exp() / total
        is_kept = mass.cumsum(-1) - mass < enough
        if head == rows or not bool(is_kept[..., -1].any()):
            break
        head = rows
    return values.gather(-1, is_kept.sum(-1, keepdim=True).clamp_(min=1) - 1)
