"""Sequential importance sampling of texts under a constraint, with resampling: `alignment="importance"`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from guidance_kit.decoding.alignment import Importance
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.loop import Piece, room_for
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import TIE, Uniforms, choose, row_seeds
from guidance_kit.decoding.unmasked_steps import UnmaskedSteps
from guidance_kit.decoding.weighted_sample import (
    WeightedSample,
    choose_sample,
    effective_size,
    log_mean,
    normalised_weights,
)
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide
from guidance_kit.vocabulary import Vocabulary

__all__ = ["generate_by_importance", "is_degenerate", "resampling_counts"]


def generate_by_importance(
    distribution: Distribution,
    vocabulary: Vocabulary,
    prompts: Sequence[Sequence[int]],
    *,
    options: Options,
    constraint: ConstraintGuide,
    guides: Sequence[Guide[Any]],
    seeds: Sequence[int],
    numbers: Sequence[int],
) -> Iterator[Piece]:
    """Generate one text a prompt, chosen from particles that run at once; all particles of all prompts are one batch.

    The proposal is the masked distribution. Each step multiplies the weight of a particle by the mass that the mask
    keeps: the ratio of the model's probability of the token to that under the proposal. Weights stay unnormalised, and
    resampling keeps their expectation, so the mean final weight is an unbiased estimate of the probability of the
    constraint, and the mean of weight times f(text) one of the expectation of f over valid texts times that
    probability.

    Args:
        As `decoding.loop.generate`; `options.alignment` is an `Importance`.
    Yields:
        One piece a prompt, the whole of its text; or a ConstraintError if truncation removes every allowed token in
        all particles of the prompt.
    Raises:
        As `decoding.loop.generate`.
    """
    how = options.alignment
    assert isinstance(how, Importance)
    populations: list[_Population] = []
    for place, (number, prompt, seed) in enumerate(zip(numbers, prompts, seeds, strict=True)):
        room = room_for(distribution, prompt, options.max_tokens)
        populations.append(_Population(place, number, prompt, seed, room, how))
    steps = UnmaskedSteps(
        distribution,
        vocabulary,
        prompts,
        sampling=options.sampling,
        constraint=constraint,
        guides=guides,
        numbers=numbers,
        copies=how.particles,
    )
    while populations:
        running = [(one, slot) for one in populations for slot, text in enumerate(one.particles) if text.is_running]
        particles = [population.particles[slot] for population, slot in running]
        steps.select([particle.row for particle in particles])
        allowed = steps.log_probabilities([particle.prefix for particle in particles])
        kept = allowed.logsumexp(-1).tolist()
        tokens, _ = choose(allowed, [population.uniforms[slot][population.length] for population, slot in running])
        going: list[int] = []
        for row, (particle, mass, token) in enumerate(zip(particles, kept, tokens, strict=True)):
            particle.log_weight += mass
            particle.is_running = mass > -math.inf and token not in vocabulary.eos
            if mass > -math.inf:
                particle.prefix.append(token)
            if particle.is_running:
                particle.row = len(going)
                going.append(row)
        if going:
            steps.select(going)
            steps.advance([tokens[row] for row in going])
        for population in populations:
            population.go_on()
            if population.is_done:
                yield population.piece(vocabulary)
        populations = [population for population in populations if not population.is_done]


@dataclass(slots=True)
class _Particle:
    """Particle: one text with its weight.

    Attributes:
        prefix: prompt and generated tokens.
        row: row of the batch.
        log_weight: ln of its unnormalised weight.
        is_running: it has not ended.
        is_cut: it ended at the token limit.
    """

    prefix: list[int]
    row: int
    log_weight: float = 0.0
    is_running: bool = True
    is_cut: bool = False


class _Population:
    """Particles of one prompt. Running particles have equal lengths."""

    def __init__(
        self, place: int, number: int, prompt: Sequence[int], seed: int, room: int | None, how: Importance
    ) -> None:
        self.place = place
        self.number = number
        self.length = 0
        self.particles = [_Particle(list(prompt), place * how.particles + slot) for slot in range(how.particles)]
        own, *others = (Uniforms(one) for one in row_seeds(seed, how.particles + 1))
        self.uniforms = others
        self._chances = own
        self._prompt_tokens = len(prompt)
        self._seed = seed
        self._room = room
        self._how = how

    @property
    def is_done(self) -> bool:
        """Test for the end of all particles."""
        return not any(particle.is_running for particle in self.particles)

    def go_on(self) -> None:
        """Finish a step: cut the particles at their token limit, and resample if the weights are degenerate."""
        self.length += 1
        if self.length == self._room:
            for particle in self.particles:
                particle.is_cut = particle.is_running
                particle.is_running = False
        if self.is_done:
            return
        logs = [particle.log_weight for particle in self.particles]
        weights = normalised_weights(logs)
        if not is_degenerate(weights, self._how.resample_below):
            return
        weight = log_mean(logs)
        counts = resampling_counts(weights, self._chances[self.length], is_residual=self._how.resampling == "residual")
        self.particles = [
            replace(particle, prefix=list(particle.prefix), log_weight=weight)
            for particle, count in zip(self.particles, counts.tolist(), strict=True)
            for _ in range(count)
        ]

    def piece(self, vocabulary: Vocabulary) -> Piece:
        """Chosen text of the prompt; see `choose_sample`."""
        drawn = [
            WeightedSample(
                tokens=tuple(particle.prefix[self._prompt_tokens :]),
                log_weight=particle.log_weight,
                has_ended=not particle.is_cut,
            )
            for particle in self.particles
        ]
        return choose_sample(
            drawn,
            self._chances[0],
            vocabulary=vocabulary,
            place=self.place,
            number=self.number,
            prompt_tokens=self._prompt_tokens,
            seed=self._seed,
        )


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
