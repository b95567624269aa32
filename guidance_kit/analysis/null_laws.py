"""Exact tails of sums of independent scores under the null hypothesis."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

__all__ = ["gamma_tail", "lattice_tail"]


def gamma_tail(count: int, total: float) -> float:
    """Probability that `count` standard exponential numbers sum to `total` or more.

    It is that of fewer than `count` events of a Poisson process in the time `total`.
    """
    if total <= 0:
        return 1.0
    events = np.arange(count)
    logs = events * math.log(total) - total - np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count)))])
    greatest = float(logs.max())
    return min(1.0, math.exp(greatest) * float(np.exp(logs - greatest).sum()))


def lattice_tail(law: np.ndarray, counts: Mapping[int, int], total: int) -> float:
    """Probability that a weighted sum of independent integer scores is `total` or more.

    The laws are tilted exponentially until the mean is `total`, convolved by Fourier transform, and tilted back: so the
    result has a small relative error even where it is tiny. `math.fsum` of a direct convolution is its twin in tests.

    Args:
        law: probabilities of the scores 0, 1, ... of one token.
        counts: for each weight, an integer above 0, the number of tokens with it.
        total: the weighted sum.
    """
    counts = {weight: number for weight, number in counts.items() if number}
    top = len(law) - 1
    greatest = sum(weight * number * top for weight, number in counts.items())
    if total <= 0:
        return 1.0
    if total > greatest:
        return 0.0
    scores = np.arange(len(law))
    with np.errstate(divide="ignore"):
        logs = np.log(law)
    if total == greatest:
        return math.exp(sum(number * logs[-1] for number in counts.values()))
    tilt = _tilt(logs, scores, counts, total)
    cumulant = sum(number * _log_mean(logs + tilt * weight * scores) for weight, number in counts.items())
    size = 1 << greatest.bit_length()
    transform: np.ndarray | float = 1.0
    for weight, number in counts.items():
        tilted = logs + tilt * weight * scores
        stretched = np.zeros(weight * top + 1)
        stretched[::weight] = np.exp(tilted - _log_mean(tilted))
        transform = transform * np.fft.rfft(stretched, size) ** number
    probabilities = np.fft.irfft(transform, size)[total : greatest + 1].clip(0)
    return min(1.0, float((probabilities * np.exp(cumulant - tilt * np.arange(total, greatest + 1))).sum()))


def _log_mean(logs: np.ndarray) -> float:
    greatest = float(logs.max())
    return greatest + math.log(float(np.exp(logs - greatest).sum()))


def _tilt(logs: np.ndarray, scores: np.ndarray, counts: Mapping[int, int], total: int) -> float:
    """Exponential tilt, at least 0, with which the sum has the mean `total`; 0 if its mean is greater."""

    def mean(tilt: float) -> float:
        found = 0.0
        for weight, number in counts.items():
            tilted = logs + tilt * weight * scores
            p = np.exp(tilted - tilted.max())
            found += number * weight * float((p * scores).sum() / p.sum())
        return found

    low, high = 0.0, 1.0
    if mean(0.0) >= total:
        return 0.0
    while mean(high) < total and high < 64:
        high *= 2
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < total else (low, middle)
    return high
