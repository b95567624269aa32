"""Population of particles: weighted texts of one prompt that run together, resampled by weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from guidance_kit.decoding.draw import Uniforms
from guidance_kit.decoding.row import Row
from guidance_kit.decoding.sampling import TIE, require_integer, require_number, row_seeds
from guidance_kit.decoding.weighted_rows import MOST_TEXTS, effective_size, log_mean, normalised_weights
from guidance_kit.errors import OptionError

__all__ = ["Population", "Resampling", "ResamplingName", "check_resampling", "is_degenerate", "resampling_counts"]

ResamplingName = Literal["systematic", "residual"]
RESAMPLINGS = ("systematic", "residual")


class Resampling(Protocol):
    """Settings of a population; see `Importance`."""

    @property
    def particles(self) -> int: ...

    @property
    def resample_below(self) -> float: ...

    @property
    def resampling(self) -> ResamplingName: ...


def check_resampling(how: Resampling) -> None:
    """Check the settings of a population.

    Raises:
        OptionError: a value is out of range.
    """
    require_integer("particles", how.particles, least=1, most=MOST_TEXTS)
    require_number("resample_below", how.resample_below, "a number between 0 and 1", lambda share: 0 <= share <= 1)
    if how.resampling not in RESAMPLINGS:
        raise OptionError.unknown(str(how.resampling), RESAMPLINGS, "resampling")


class Population:
    """Particles of one prompt. Running particles have equal lengths."""

    def __init__(self, row: Row, how: Resampling) -> None:
        self.uniforms, *self._draw_states = (Uniforms(seed) for seed in row_seeds(row.seed, how.particles + 1))
        self._how = how
        self._length = 0
        self._place([row.fork() for _ in range(how.particles)])

    @property
    def is_running(self) -> bool:
        """Test for a particle that has not ended."""
        return any(row.is_running for row in self.rows)

    def finish_step(self) -> None:
        """Cut the particles at their token limit, and resample if the weights are degenerate."""
        self._length += 1
        for row in self.rows:
            row.settle(is_over=False)
        if not self.is_running:
            return
        logs = [row.log_weight for row in self.rows]
        weights = normalised_weights(logs)
        if not is_degenerate(weights, self._how.resample_below):
            return
        uniform = self.uniforms[self._length]
        counts = resampling_counts(weights, uniform, is_residual=self._how.resampling == "residual").tolist()
        weight = log_mean(logs)
        self._place([row.fork() for row, count in zip(self.rows, counts, strict=True) for _ in range(count)])
        for row in self.rows:
            row.log_weight = weight

    def _place(self, rows: Sequence[Row]) -> None:
        """Put rows into the places of the particles, each of which has random numbers of its own."""
        self.rows = list(rows)
        for row, uniforms in zip(self.rows, self._draw_states, strict=True):
            row.draw_state = uniforms


def is_degenerate(weights: np.ndarray, share: float) -> bool:
    """Test for an effective sample size below a share of N; less by at most `TIE` of it is not below.

    The tolerance keeps rounding from deciding where k of N particles have equal weights and the others none: there the
    effective size is exactly k.

    Args:
        weights: float64, (N,); they sum to 1.
    """
    return effective_size(weights) < (1 - TIE) * share * len(weights)


def resampling_counts(weights: np.ndarray, uniform: float, *, is_residual: bool) -> np.ndarray:
    """Resampling counts: copies of each of N particles, N in all, with the expectation N times its weight up to `TIE`.

    A weight of k / N, up to rounding, gives k copies for every random number.

    Args:
        weights: float64, (N,); they sum to 1.
        uniform: random number in [0, 1).
    Returns:
        Int64, (N,).
    Source:
        Douc, Cappe and Moulines 2005, Comparison of Resampling Schemes for Particle Filtering, sections 2.2 and 2.4.
    """
    count = len(weights)
    expected = weights * count
    whole = np.floor(expected + TIE).astype(np.int64) if is_residual else np.zeros(count, dtype=np.int64)
    left = count - int(whole.sum())
    if left:
        rest = np.cumsum(np.maximum(expected - whole, 0))
        points = (np.arange(left) + np.clip(uniform, TIE, 1 - TIE)) * (rest[-1] / left)
        drawn = np.minimum(np.searchsorted(rest, points, side="right"), count - 1)
        whole += np.bincount(drawn, minlength=count)
    return whole
