"""Statistics of a text that is aligned with the model: weighted samples, and the probability of the constraint."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Aligned", "Candidate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Sample that satisfies the constraint, one of those from which the completion was chosen.

    Attributes:
        text: the text.
        tokens: its tokens, an end-of-sequence token last.
        weight: normalised importance weight, in [0, 1]; those of all candidates sum to 1. A weighted mean over the
            candidates estimates the mean over the target.
    """

    text: str
    tokens: tuple[int, ...]
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """Statistics of an aligned text.

    Attributes:
        log_probability: ln of an unbiased estimate of the probability, under the model, that a text of the same call
            without the constraint ends within `max_tokens` and satisfies it; nats, -inf if no sample ended.
        effective_size: effective sample size (sum w)^2 / sum w^2 of the candidates; 0 without candidates.
        candidates: samples that ended. The same text may be among them several times.
        upper_bound: ln of a certain upper bound of the probability of the constraint, for `Asap`; else None.
    """

    log_probability: float
    effective_size: float
    candidates: tuple[Candidate, ...]
    upper_bound: float | None = None

    @property
    def probability(self) -> float:
        """Unbiased estimate of the probability of the constraint, in [0, inf)."""
        return math.exp(self.log_probability)
