"""Weighted samples of one prompt, and the choice of one in proportion to the weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from guidance_kit.decoding.alignment import Aligned, Candidate
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.loop import Piece
from guidance_kit.errors import ConstraintError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["WeightedSample", "choose_sample", "effective_size", "log_mean", "normalised_weights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedSample:
    """Sample with its importance weight.

    Attributes:
        tokens: generated tokens.
        log_weight: ln of its unnormalised importance weight.
        has_ended: it satisfies the constraint. Otherwise it was cut at `max_tokens`; or, at weight 0, truncation left
            no allowed token.
    """

    tokens: tuple[int, ...]
    log_weight: float
    has_ended: bool


def choose_sample(
    drawn: Sequence[WeightedSample],
    uniform: float,
    *,
    vocabulary: Vocabulary,
    place: int,
    number: int,
    prompt_tokens: int,
    seed: int,
    upper_bound: float | None = None,
) -> Piece:
    """Choose a sample in proportion to the weights, among those that ended; if none did, among those that were cut.

    Args:
        uniform: random number in [0, 1) that decides the choice.
        place: index of the prompt in the batch.
        number: number of the prompt in the error message.
        upper_bound: see `Aligned`.
    Returns:
        A piece with the completion; with a ConstraintError if all weights are 0, so that other prompts go on.
    """
    ended = [text for text in drawn if text.has_ended and text.log_weight > -math.inf]
    possible = ended or [text for text in drawn if text.log_weight > -math.inf]
    if not possible:
        error = ConstraintError(
            f"prompt {number}: all {len(drawn)} texts came to where the model gives what the constraint allows no "
            "probability; truncate less (top_k, top_p, min_p), or draw more of them"
        )
        return Piece(place, "", error=error)
    shares = normalised_weights([text.log_weight for text in possible])
    sums = shares.cumsum()
    taken = possible[int(np.searchsorted(sums, uniform * sums[-1], side="right"))]
    completion = Completion(
        text=_text(taken, vocabulary),
        tokens=taken.tokens,
        finish_reason="complete" if ended else "length",
        prompt_tokens=prompt_tokens,
        seed=seed,
        vocabulary=vocabulary,
        aligned=Aligned(
            log_probability=log_mean([text.log_weight if text.has_ended else -math.inf for text in drawn]),
            effective_size=effective_size(shares) if ended else 0.0,
            candidates=tuple(
                Candidate(text=_text(text, vocabulary), tokens=text.tokens, weight=share)
                for text, share in zip(ended, shares.tolist(), strict=False)  # none, if none ended
            ),
            upper_bound=upper_bound,
        ),
    )
    return Piece(place, completion.text, completion)


def normalised_weights(log_weights: Sequence[float]) -> np.ndarray:
    """Weights that sum to 1: float64, (N,). At least one log-weight must be above -inf."""
    logs = np.array(log_weights)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def effective_size(shares: np.ndarray) -> float:
    """Effective sample size 1 / sum w^2 of weights that sum to 1."""
    return float(1 / (shares**2).sum())


def log_mean(log_weights: Sequence[float]) -> float:
    """Log of the mean weight."""
    return float(np.logaddexp.reduce(log_weights) - math.log(len(log_weights)))


def _text(text: WeightedSample, vocabulary: Vocabulary) -> str:
    return vocabulary.text_of(text.tokens).decode("utf-8", "replace")
