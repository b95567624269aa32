"""Likelihood of sampled tokens under temperature, truncations and penalties, given the logits of the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

__all__ = ["TRUNCATION_NAMES", "DrawnTokens", "Fit", "fit_at", "fit_temperature", "golden_section"]

TRUNCATION_NAMES = ("top_k", "top_p", "min_p")
"""Truncations that are inferred, in the order in which a sampler applies them."""

_TEMPERATURES = (0.05, 5.0)
_GRID, _REFINEMENTS = 20, 10
_RATIO = (math.sqrt(5) - 1) / 2
_FACTORS = (1.0, 1.05, 1.1, 1.2, 1.35, 1.5, 2.0)
"""Multiples of the least top-k that are tried beside other truncations: those see what top-k leaves, and may be tighter
where it is looser."""

_SLACK = 1e-6
"""Relative slack of bounds, for the rounding of another machine."""


@dataclass(frozen=True, slots=True)
class DrawnTokens:
    """Tokens drawn from known logits, sorted by logit.

    Attributes:
        logits: float64, (count, rows), nats, each row in descending order.
        ranks: int64, (count,): place of the drawn token in its row.
    """

    logits: np.ndarray
    ranks: np.ndarray

    @classmethod
    def of(cls, logits: np.ndarray, tokens: Sequence[int]) -> DrawnTokens:
        """Drawn tokens from logits in the order of token ids; -inf for forbidden ones."""
        order = np.argsort(-logits, axis=1, kind="stable")
        ordered = np.take_along_axis(logits, order, axis=1)
        return cls(ordered, (order == np.asarray(tokens)[:, None]).argmax(1))

    def __len__(self) -> int:
        return len(self.ranks)


@dataclass(frozen=True, slots=True)
class Fit:
    """Maximum-likelihood fit.

    Attributes:
        log_likelihood: of the tokens, nats.
        temperature: of the sampler.
        bounds: the tightest value of each truncation with which all tokens are possible, which is its estimate.
    """

    log_likelihood: float
    temperature: float
    bounds: Mapping[str, float] = field(default_factory=dict[str, float])


def fit_at(
    drawn: DrawnTokens, temperature: float, names: Sequence[str], given: Mapping[str, float] | None = None
) -> Fit:
    """Fit of the truncations at a temperature.

    Fewer possible tokens make the drawn ones more likely, so the estimate of a truncation is its tightest value.

    Args:
        names: truncations of the sampler.
        given: values of some of them; of the others the tightest are taken.
    """
    given = given or {}
    if "top_k" in names and len(names) > 1 and "top_k" not in given:
        least = int(drawn.ranks.max()) + 1
        sizes = sorted({min(drawn.logits.shape[1], round(least * factor)) for factor in _FACTORS})
        fits = [fit_at(drawn, temperature, names, {**given, "top_k": size}) for size in sizes]
        return max(fits, key=lambda fit: fit.log_likelihood)
    scaled = (drawn.logits - drawn.logits[:, :1]) / temperature
    weights = np.exp(scaled)
    sums = np.cumsum(weights, axis=1)
    rows = np.arange(len(drawn))
    own = weights[rows, drawn.ranks]
    kept = np.full(len(drawn), weights.shape[1])
    bounds: dict[str, float] = {}
    if "top_k" in names:
        bounds["top_k"] = given.get("top_k", int(drawn.ranks.max()) + 1)
        kept = np.minimum(kept, int(bounds["top_k"]))
    if "top_p" in names:
        total = sums[rows, kept - 1]
        before = (sums[rows, drawn.ranks] - own) / total
        bounds["top_p"] = given.get("top_p", min(1.0, float(before.max()) * (1 + _SLACK) + 1e-12))
        below = (sums - weights) / total[:, None] < bounds["top_p"]
        kept = np.minimum(kept, below.sum(1).clip(1))
    if "min_p" in names:
        bounds["min_p"] = given.get("min_p", float(own.min()) * (1 - _SLACK))
        kept = np.minimum(kept, (weights >= bounds["min_p"]).sum(1).clip(1))
    if bool((drawn.ranks >= kept).any()):
        return Fit(-math.inf, temperature, bounds)
    logs = scaled[rows, drawn.ranks] - np.log(sums[rows, kept - 1])
    return Fit(float(logs.sum()), temperature, bounds)


def fit_temperature(
    drawn: DrawnTokens,
    names: Sequence[str],
    given: Mapping[str, float] | None = None,
    near: float | None = None,
) -> Fit:
    """Fit of the temperature and the truncations.

    With truncations the likelihood has several maxima, for tightest values jump: a grid finds the greatest.

    Args:
        given: values of some truncations.
        near: temperature near which to search, by a factor of 1.5; by default anywhere from 0.05 to 5.
    """
    low, high = map(math.log, _TEMPERATURES if near is None else (near / 1.5, near * 1.5))
    grid = np.linspace(low, high, _GRID if near is None else _GRID // 2)

    def likelihood(log: float) -> float:
        return fit_at(drawn, math.exp(log), names, given).log_likelihood

    best = float(grid[int(np.argmax([likelihood(log) for log in grid]))])
    step = float(grid[1] - grid[0])
    refined = golden_section(likelihood, best - step, best + step, _REFINEMENTS)
    return fit_at(drawn, math.exp(max((best, refined), key=likelihood)), names, given)


def golden_section(function: Callable[[float], float], low: float, high: float, steps: int) -> float:
    """Argument at which a function with one maximum is greatest."""
    left, right = high - _RATIO * (high - low), low + _RATIO * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(steps):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + _RATIO * (high - low)
            at_right = function(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - _RATIO * (high - low)
            at_left = function(left)
    return (low + high) / 2
