"""Sequential importance sampling of texts under a constraint, with resampling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from guidance_kit.decoding.draw import choose
from guidance_kit.decoding.population import Population, ResamplingName, check_resampling
from guidance_kit.decoding.row import Piece
from guidance_kit.decoding.walk import Walk
from guidance_kit.decoding.weighted_rows import check_weighted, choose_sample, take_possible

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["Importance"]


@dataclass(frozen=True, slots=True)
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

    needs_constraint: ClassVar[bool] = True

    particles: int = 16
    resample_below: float = 0.5
    resampling: ResamplingName = "systematic"

    def __post_init__(self) -> None:
        check_resampling(self)

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.particles

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
        populations = [Population(row, self) for row in walk.rows]
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
