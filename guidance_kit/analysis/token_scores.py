"""Scores of single tokens under a watermark: their law without it, and their gain with it."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import torch
from torch import Tensor

from guidance_kit.analysis.null_laws import lattice_tail
from guidance_kit.decoding.watermark import Watermark

__all__ = [
    "MOST_WEIGHT", "choices_weight", "expected_gain", "exponentials", "null_law", "tokens_needed", "unit_scores",
]  # fmt: skip

MOST_WEIGHT = 8
"""Greatest weight of a token; weights are integers."""

_REFERENCE_CHOICES = 20
"""Number of equally likely tokens at which a token has the greatest weight, and by which a test counts its needs."""

_PER_NAT, _MOST_NATS = 8, 16
"""Grid of the scores of Gumbel watermarks."""

_MOST_TOKENS = 1 << 17


def unit_scores(watermark: Watermark, words: np.ndarray) -> np.ndarray:
    """Integer score of tokens by their words: int64, of the same shape.

    "green": 1 for a green token. "gumbel": -ln(1 - u) on a grid, cut off at 16 nats. "tournament": sum of the bits
    weighted by layer, from 10 for the first to 1 for the last, for a layer uses up entropy for the next ones.
    """
    if watermark.kind == "green":
        return watermark.is_green(words).astype(np.int64)
    if watermark.kind == "gumbel":
        return np.minimum(exponentials(watermark, words) * _PER_NAT, _PER_NAT * _MOST_NATS - 1).astype(np.int64)
    return (watermark.bits(words) * _layer_weights(watermark)).sum(-1)


def exponentials(watermark: Watermark, words: np.ndarray) -> np.ndarray:
    """-ln(1 - u) of words under a Gumbel watermark: float64; standard exponential without the watermark."""
    return -np.log1p(-watermark.uniforms(words))


def null_law(watermark: Watermark) -> np.ndarray:
    """Probabilities of the scores 0, 1, ... of a token that does not depend on the key."""
    if watermark.kind == "green":
        share = cast(float, watermark.green_share)
        return np.array([1 - share, share])
    if watermark.kind == "gumbel":
        scores = np.arange(_PER_NAT * _MOST_NATS)
        law = np.exp(-scores / _PER_NAT) * -math.expm1(-1 / _PER_NAT)
        law[-1] = math.exp(-scores[-1] / _PER_NAT)
        return law
    law = np.ones(1)
    for weight in _layer_weights(watermark):
        law = np.convolve(law, np.bincount([0, weight]) / 2)
    return law


def expected_gain(watermark: Watermark, p: Tensor) -> Tensor:
    """Expected gain of a token's score by the mark, given the law of the token: float64, (count,), at least 0.

    It depends on no key, so that scores weighted by it keep their law without the mark. Of a token that is certain it
    is 0.

    Args:
        p: float64, (count, rows), probabilities.
    Source: Kirchenbauer et al. 2023, lemma E.1 (green); the harmonic numbers H(1/p) are the means of -ln(1 - u) given
        a token of probability p (gumbel); for tournaments the collision probability C gives (1 - C) / 4 a layer, and
        C (1 + (1 - C) / 4) is taken for that of the next one.
    """
    if watermark.kind == "green":
        share, factor = cast(float, watermark.green_share), math.exp(min(cast(float, watermark.bias), 30.0))
        modulus = (1 - share) * (factor - 1) / (1 + (factor - 1) * share)
        spikes = (p / (1 + modulus * p)).sum(-1)
        return (share * factor * spikes / (1 + (factor - 1) * share) - share).clamp(min=0)
    if watermark.kind == "gumbel":
        harmonic = torch.digamma(1 / p.clamp(min=1e-12) + 1) + np.euler_gamma
        return ((p * harmonic).sum(-1) - 1).clamp(min=0)
    collision = (p * p).sum(-1)
    gain = torch.zeros_like(collision)
    for weight in _layer_weights(watermark):
        gain += float(weight) * (1 - collision) / 4
        collision = collision * (1 + (1 - collision) / 4)
    return gain.clamp(min=0)


def choices_weight(watermark: Watermark, p: Tensor) -> list[int]:
    """Weights of tokens, 0 to `MOST_WEIGHT`, proportional to the expected gain up to that of 20 equally likely tokens.

    Args:
        p: float64, (count, rows), probabilities.
    """
    relative = expected_gain(watermark, p) / _reference_gain(watermark)
    return (relative * MOST_WEIGHT).round().clamp(max=MOST_WEIGHT).long().tolist()


def tokens_needed(watermark: Watermark, significance: float) -> int:
    """Number of tokens, each of 20 equally likely ones, with which a marked text reaches a p-value on average."""
    law = null_law(watermark)
    per_nat = _PER_NAT if watermark.kind == "gumbel" else 1
    mean = float((law * np.arange(len(law))).sum()) + per_nat * _reference_gain(watermark)
    low, high = 0, 1
    while high < _MOST_TOKENS and lattice_tail(law, {1: high}, math.floor(mean * high)) > significance:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = lattice_tail(law, {1: middle}, math.floor(mean * middle)) <= significance
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def _reference_gain(watermark: Watermark) -> float:
    p = torch.full((1, _REFERENCE_CHOICES), 1 / _REFERENCE_CHOICES, dtype=torch.float64)
    return float(expected_gain(watermark, p))


def _layer_weights(watermark: Watermark) -> list[int]:
    """Weight of each layer of a tournament, from 10 to 1."""
    layers = cast(int, watermark.layers)
    return [round(10 - 9 * layer / max(1, layers - 1)) for layer in range(layers)]
