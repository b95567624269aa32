"""Sequential importance sampling of texts under a constraint, with resampling: `alignment="importance"`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from guidance_kit.decoding.alignment import Aligned, Candidate, Importance
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.free_walk import FreeWalk
from guidance_kit.decoding.loop import Piece, room_for
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Uniforms, choose, row_seeds
from guidance_kit.errors import ConstraintError
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide
from guidance_kit.vocabulary import Vocabulary

__all__ = ["counts_of", "generate_by_importance"]


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
    """One text a prompt, out of several that run at once; all texts of all prompts are one batch.

    Every text is drawn as the mask has it, and its weight is multiplied by the mass that the mask kept: that is the
    ratio of the model's probability of the token to the one with which it was drawn. Weights stay unnormalised, and
    resampling keeps their expectation, so the mean of the final ones is an unbiased estimate of the probability of the
    constraint, and so is that of weights times any function of the texts.

    Args:
        As `decoding.loop.generate`; `options.alignment` is an `Importance`.
    Yields:
        One piece a prompt, the whole of its text.
    Raises:
        As `decoding.loop.generate`; and ConstraintError, if truncation leaves none of the texts of a prompt a token
            that the constraint allows.
    """
    how = options.alignment
    assert isinstance(how, Importance)
    populations = [
        _Population(number, prompt, seed, room_for(distribution, prompt, options.max_tokens), how)
        for number, prompt, seed in zip(numbers, prompts, seeds, strict=True)
    ]
    walk = FreeWalk(
        distribution,
        vocabulary,
        prompts,
        sampling=options.sampling,
        constraint=constraint,
        guides=guides,
        numbers=numbers,
        copies=how.particles,
    )
    running = [(population, slot) for population in populations for slot in range(how.particles)]
    while running:
        particles = [population.particles[slot] for population, slot in running]
        allowed = walk.ask([particle.prefix for particle in particles])
        kept = allowed.logsumexp(-1).tolist()
        uniforms = [population.uniforms[slot][population.length] for population, slot in running]
        tokens, _ = choose(allowed, uniforms)
        going: list[int] = []
        for place, (particle, mass, token) in enumerate(zip(particles, kept, tokens, strict=True)):
            particle.log_weight += mass
            particle.is_running = mass > -math.inf and token not in vocabulary.eos
            if mass > -math.inf:
                particle.prefix.append(token)
            if particle.is_running:
                going.append(place)
        walk.select(going)
        walk.advance([tokens[place] for place in going])
        place_of = {(id(running[place][0]), running[place][1]): after for after, place in enumerate(going)}
        running, places = [], []
        for population in populations:
            for slot, parent in enumerate(population.go_on()):
                if population.particles[slot].is_running:
                    running.append((population, slot))
                    places.append(place_of[id(population), parent])
        walk.select(places)
        for population in [one for one in populations if one.is_done]:
            populations.remove(population)
            completion = population.completion(vocabulary)
            yield Piece(population.number, completion.text, completion)


@dataclass(slots=True)
class _Particle:
    """One text.

    Attributes:
        prefix: the prompt and what was generated.
        log_weight: ln of its unnormalised weight.
        is_running: whether it goes on.
        is_cut: whether it would have, if there were room.
    """

    prefix: list[int]
    log_weight: float = 0.0
    is_running: bool = True
    is_cut: bool = False


class _Population:
    """The texts of one prompt. Those that run have the same length."""

    def __init__(self, number: int, prompt: Sequence[int], seed: int, room: int | None, how: Importance) -> None:
        self.number = number
        self.length = 0
        self.particles = [_Particle(list(prompt)) for _ in range(how.particles)]
        own, *others = (Uniforms(one) for one in row_seeds(seed, how.particles + 1))
        self.uniforms = others
        self._chances = own
        self._prompt_tokens = len(prompt)
        self._seed = seed
        self._room = room
        self._how = how

    @property
    def is_done(self) -> bool:
        """Whether no text goes on."""
        return not any(particle.is_running for particle in self.particles)

    def go_on(self) -> Sequence[int]:
        """After each text took a token: end those that have no room for more, and resample if it is time.

        Returns:
            For each place the one whose text stands there now.
        """
        self.length += 1
        if self.length == self._room:
            for particle in self.particles:
                particle.is_cut = particle.is_running
                particle.is_running = False
        count = len(self.particles)
        weights = _shares([particle.log_weight for particle in self.particles])
        if self.is_done or weights is None or _effective(weights) >= self._how.resample_below * count:
            return range(count)
        total = _log_mean([particle.log_weight for particle in self.particles])
        counts = counts_of(weights, self._chances[self.length], is_residual=self._how.resampling == "residual")
        parents = np.repeat(np.arange(count), counts).tolist()
        self.particles = [
            _Particle(list(self.particles[parent].prefix), total, self.particles[parent].is_running)
            for parent in parents
        ]
        return parents

    def completion(self, vocabulary: Vocabulary) -> Completion:
        """The text that is taken.

        Raises:
            ConstraintError: truncation left none of them an allowed token.
        """
        ended = [particle for particle in self.particles if not particle.is_cut]
        weights = _shares([particle.log_weight for particle in ended])
        taken_from = ended
        if weights is None:
            taken_from = [particle for particle in self.particles if particle.is_cut]
            chances = _shares([particle.log_weight for particle in taken_from])
            if chances is None:
                raise ConstraintError(
                    f"prompt {self.number}: all {len(self.particles)} texts came to where the model gives what the "
                    "constraint allows no probability; truncate less (top_k, top_p, min_p), or take more particles"
                )
        else:
            chances = weights
        sums = np.cumsum(chances)
        taken = taken_from[int(np.searchsorted(sums, self._chances[0] * sums[-1], side="right"))]
        found = [] if weights is None else list(zip(ended, weights.tolist(), strict=True))
        return Completion(
            text=self._text(taken, vocabulary),
            tokens=tuple(taken.prefix[self._prompt_tokens :]),
            finish_reason="length" if weights is None else "complete",
            prompt_tokens=self._prompt_tokens,
            seed=self._seed,
            aligned=Aligned(
                log_probability=_log_mean([-math.inf if one.is_cut else one.log_weight for one in self.particles]),
                effective_size=0.0 if weights is None else _effective(weights),
                candidates=tuple(
                    Candidate(
                        text=self._text(one, vocabulary), tokens=tuple(one.prefix[self._prompt_tokens :]), weight=weight
                    )
                    for one, weight in found
                    if weight > 0
                ),
            ),
        )

    def _text(self, particle: _Particle, vocabulary: Vocabulary) -> str:
        return vocabulary.text_of(particle.prefix[self._prompt_tokens :]).decode("utf-8", "replace")


def counts_of(weights: np.ndarray, uniform: float, *, is_residual: bool) -> np.ndarray:
    """How often each of N texts is drawn again, N in all; N times its weight on average.

    Args:
        weights: float64, (N,); they sum to 1.
        uniform: in [0, 1).
    Source:
        Douc, Cappe and Moulines 2005, Comparison of Resampling Schemes for Particle Filtering, sections 2.2 and 2.4.
    """
    count = len(weights)
    expected = weights * count
    whole = np.floor(expected).astype(np.int64) if is_residual else np.zeros(count, dtype=np.int64)
    left = count - int(whole.sum())
    if left:
        rest = np.cumsum(expected - whole)
        points = (np.arange(left) + uniform) * (rest[-1] / left)
        drawn = np.minimum(np.searchsorted(rest, points, side="right"), count - 1)
        whole += np.bincount(drawn, minlength=count)
    return whole


def _shares(log_weights: Sequence[float]) -> np.ndarray | None:
    """Weights that sum to 1: float64; None if they are all 0, or there are none."""
    logs = np.array(log_weights)
    if not len(logs) or logs.max() == -np.inf:
        return None
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def _effective(weights: np.ndarray) -> float:
    """As how many texts of equal weight these count: (sum w)^2 / sum w^2."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def _log_mean(log_weights: Sequence[float]) -> float:
    """ln of the mean of weights."""
    return float(np.logaddexp.reduce(log_weights) - math.log(len(log_weights)))
