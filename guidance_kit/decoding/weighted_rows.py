"""Weighted rows of one prompt, and the choice of one in proportion to the weights.

A mask renormalises every step on its own: a likely prefix stays likely even if the model would hardly ever complete it
as the constraint asks. The target of `Importance` and `Asap` is the conditional distribution: that of the same call
without a constraint, with its guides, temperature and truncation, given that the text ends within `max_tokens` and
satisfies the constraint. Park et al. 2024 call it grammar-aligned decoding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.decoding.aligned import Aligned, Candidate
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import ConstraintError, OptionError
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = [
    "MOST_TEXTS", "check_weighted", "choose_sample", "effective_size", "log_mean", "normalised_weights",
    "take_possible",
]  # fmt: skip

MOST_TEXTS = 1_000_000
"""Maximum number of particles or samples of one prompt."""


def check_weighted(options: Options) -> None:
    """Check options that exclude a decoder with weighted rows.

    Raises:
        OptionError: temperature 0, or an option that such a decoder would ignore or break.
    """
    name = type(options.decoder).__name__.lower()
    if options.sampling.is_greedy:
        raise OptionError(f"decoder={name!r} draws texts, so it needs a temperature above 0")
    if options.draw is not None:
        raise OptionError(f"draw and decoder={name!r} exclude each other: weights need the draws of the proposal")
    if options.complete:
        raise OptionError(
            f"complete=True and decoder={name!r} exclude each other: texts that are aligned with the model end within "
            "max_tokens, those that would not are left out"
        )
    if options.max_field_tokens is not None:
        raise OptionError(
            f"max_field_tokens and decoder={name!r} exclude each other: texts that are aligned with the model are "
            "bounded by max_tokens"
        )
    if options.stop:
        raise OptionError(f"stop and decoder={name!r} exclude each other: a text ends where the model ends it")
    if options.logprobs is not None:
        raise OptionError(
            f"logprobs and decoder={name!r} exclude each other: Completion.aligned has the weights of the texts"
        )


def take_possible(walk: Walk, tokens: Sequence[int]) -> None:
    """Append a token to each row with a weight above 0, and go on with these rows; the others end."""
    possible: list[tuple[Row, int]] = []
    for row, token in zip(walk.rows, tokens, strict=True):
        if row.log_weight > -math.inf:
            possible.append((row, token))
        else:
            row.reason = "length"
    walk.keep([row for row, _ in possible])
    if possible:
        walk.take([[token] for _, token in possible])


def choose_sample(
    rows: Sequence[Row],
    uniform: float,
    *,
    vocabulary: Vocabulary,
    upper_bound: float | None = None,
    is_constrained: bool = True,
) -> Piece:
    """Choose a row in proportion to the weights, among those that ended; if none did, among those that were cut.

    Without a constraint a text that was cut counts as one that ended.

    Args:
        rows: rows of one prompt. Those with the reason "complete" satisfy the constraint; the others were cut at
            `max_tokens`, or, at weight 0, truncation left no allowed token.
        uniform: random number in [0, 1) that decides the choice.
        upper_bound: see `Aligned`.
        is_constrained: there is a constraint.
    Returns:
        A piece with the completion; with a ConstraintError if all weights are 0, so that other prompts go on.
    """
    valid = [row.log_weight if row.reason == "complete" or not is_constrained else -math.inf for row in rows]
    ended = [row for row, log_weight in zip(rows, valid, strict=True) if log_weight > -math.inf]
    possible = ended or [row for row in rows if row.log_weight > -math.inf]
    first = rows[0]
    if not possible:
        error = ConstraintError(
            f"prompt {first.number}: all {len(rows)} texts came to where the model, or the potential, gives what the "
            "constraint allows no probability; truncate less (top_k, top_p, min_p), or draw more of them"
        )
        return Piece(first.place, "", error=error)
    shares = normalised_weights([row.log_weight for row in possible])
    sums = shares.cumsum()
    taken = possible[int(np.searchsorted(sums, uniform * sums[-1], side="right"))]
    completion = Completion(
        text=_text(taken, vocabulary),
        tokens=taken.tokens,
        finish_reason=taken.reason or "length",
        prompt_tokens=first.prompt_tokens,
        seed=first.seed,
        vocabulary=vocabulary,
        constraint=first.evaluator,
        prefix=tuple(first.prefix[: first.prompt_tokens]),
        aligned=Aligned(
            log_probability=log_mean(valid),
            effective_size=effective_size(shares) if ended else 0.0,
            candidates=tuple(
                Candidate(text=_text(row, vocabulary), tokens=row.tokens, weight=share)
                for row, share in zip(ended, shares.tolist(), strict=False)  # none, if none ended
            ),
            upper_bound=upper_bound,
        ),
    )
    return Piece(first.place, completion.text, completion)


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


def _text(row: Row, vocabulary: Vocabulary) -> str:
    return vocabulary.text_of(row.tokens).decode("utf-8", "replace")
