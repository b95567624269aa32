"""Sequential importance sampling of texts under a constraint, with resampling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from guidance_kit.decoding.draw import Uniforms, choose
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import TIE, require_integer, require_number, row_seeds
from guidance_kit.decoding.walk import Walk
from guidance_kit.decoding.weighted_rows import (
    MOST_TEXTS,
    check_weighted,
    choose_sample,
    effective_size,
    log_mean,
    normalised_weights,
    take_possible,
)
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["Importance", "is_degenerate", "resampling_counts"]

RESAMPLINGS = ("systematic", "residual")


@dataclass(frozen=True, slots=True, kw_only=True)
class Importance:
    """Sequential Monte Carlo: particles weighted by the mass that the mask keeps, and resampled by weight.

    One particle is chosen at the end, in proportion to the weights: exact in the limit of many particles; a single
    particle is masked sampling, as `Sample`.

    Args:
        particles: number of texts that run at once, from 1 to `MOST_TEXTS`.
        resample_below: relative effective sample size, (sum w)^2 / (N sum w^2), below which particles are resampled, in
            [0, 1]; less by at most `decoding.sampling.TIE` of it is not below. 0 never resamples: plain
            self-normalised importance sampling.
        resampling: "systematic" (one random number, evenly spaced points) or "residual" (the expected number of copies
            rounded down, the rest systematically).
    Raises:
        OptionError: a value is out of range.
    Source:
        Del Moral, Doucet and Jasra 2006, Sequential Monte Carlo samplers, section 3; Lew et al. 2023, Sequential Monte
        Carlo Steering of Large Language Models using Probabilistic Programs.
    """

    particles: int = 16
    resample_below: float = 0.5
    resampling: Literal["systematic", "residual"] = "systematic"

    def __post_init__(self) -> None:
        require_integer("particles", self.particles, least=1, most=MOST_TEXTS)
        require_number("resample_below", self.resample_below, "a number between 0 and 1", lambda share: 0 <= share <= 1)
        if self.resampling not in RESAMPLINGS:
            raise OptionError.unknown(str(self.resampling), RESAMPLINGS, "resampling")

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.particles

    @property
    def needs_constraint(self) -> bool:
        """See `Decoder`."""
        return True

    @property
    def is_incremental(self) -> bool:
        """See `Decoder`."""
        return False

    def check(self, options: Options) -> None:
        """See `Decoder.check`."""
        check_weighted(options)

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`. All particles of all prompts are one batch.

        The proposal is the masked distribution. Each step multiplies the weight of a particle by the mass that the mask
        keeps: the ratio of the model's probability of the token to that under the proposal. Weights stay unnormalised,
        and resampling keeps their expectation, so the mean final weight is an unbiased estimate of the probability of
        the constraint, and the mean of weight times f(text) one of the expectation of f over valid texts times that
        probability.

        Yields:
            One piece a prompt, the whole of its text; or a ConstraintError if truncation removes every allowed token in
            all particles of the prompt.
        """
        populations = [_Population(row, self) for row in walk.rows]
        while populations:
            walk.keep([row for population in populations for row in population.rows if row.is_running])
            allowed = walk.log_probabilities()
            tokens, _ = choose(allowed, [row.draw_state[row.length] for row in walk.rows])
            for row, mass in zip(walk.rows, allowed.logsumexp(-1).tolist(), strict=True):
                row.log_weight += mass
            take_possible(walk, tokens)
            for population in populations:
                population.finish_step()
                if not population.is_running:
                    yield choose_sample(population.rows, population.uniforms[0], vocabulary=walk.vocabulary)
            populations = [population for population in populations if population.is_running]


class _Population:
    """Particles of one prompt. Running particles have equal lengths."""

    def __init__(self, row: Row, how: Importance) -> None:
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
