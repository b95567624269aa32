"""Log-probabilities of given texts under a model, its guides and a constraint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from guidance_kit.decoding.walk import Walk

__all__ = ["TextScore", "score_texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScore:
    """Log-probabilities of the tokens of a text, at temperature 1 without truncation.

    Attributes:
        tokens: its tokens. An end-of-sequence token stands for all of them.
        logprobs: of each token under the formula with the guides, nats; not renormalised by the constraint.
        log_kept: ln of the probability that the mask leaves at each step, nats; 0 without a constraint, -inf after a
            token that the constraint forbids.
        is_allowed: for each token, whether the constraint allows it after the tokens before it.
    """

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    log_kept: tuple[float, ...]
    is_allowed: tuple[bool, ...]

    @property
    def log_probability(self) -> float:
        """Log-probability of the text under the formula, nats; the score of `Beam`."""
        return sum(self.logprobs)

    @property
    def guided_log_probability(self) -> float:
        """Log-probability with which the text is drawn under the constraint, renormalised at each step, nats."""
        return self.log_probability - sum(self.log_kept) if all(self.is_allowed) else -math.inf

    @property
    def perplexity(self) -> float:
        """Exponential of the mean negative log-probability of a token; NaN of no token."""
        return math.exp(-self.log_probability / len(self.tokens)) if self.tokens else math.nan


def score_texts(walk: Walk, texts: Sequence[Sequence[int]]) -> list[TextScore]:
    """Score one text after each prompt.

    Args:
        walk: one row a prompt, without generated tokens.
        texts: tokens of the texts.
    """
    return [
        TextScore(tokens=tuple(tokens), logprobs=logprobs, log_kept=kept, is_allowed=allowed)
        for tokens, (logprobs, kept, allowed) in zip(texts, walk.scores_of(texts), strict=True)
    ]
