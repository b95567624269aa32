"""Adaptive sampling with approximate expected futures: `alignment="asap"`."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from guidance_kit.decoding.alignment import Asap
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.expected_futures import AsapMemory, AsapSample
from guidance_kit.decoding.loop import Piece, room_for
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Uniforms, choose, row_seeds
from guidance_kit.decoding.unmasked_steps import UnmaskedSteps
from guidance_kit.decoding.weighted_sample import WeightedSample, choose_sample
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide
from guidance_kit.vocabulary import Vocabulary

__all__ = ["generate_by_asap"]


def generate_by_asap(
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
    """Generate one text a prompt, chosen from samples that are drawn one after the other.

    Args:
        As `decoding.loop.generate`; `options.alignment` is an `Asap`.
    Yields:
        One piece a prompt, the whole of its text; or a ConstraintError if truncation removes every allowed token in
        all samples of the prompt.
    Raises:
        As `decoding.loop.generate`; OptionError, if the memory comes from another model.
    """
    how = options.alignment
    assert isinstance(how, Asap)
    rows = [
        _Row(place, number, prompt, seed, room_for(distribution, prompt, options.max_tokens), how)
        for place, (number, prompt, seed) in enumerate(zip(numbers, prompts, seeds, strict=True))
    ]
    for sample in range(how.samples):
        steps = UnmaskedSteps(
            distribution,
            vocabulary,
            prompts,
            sampling=options.sampling,
            constraint=constraint,
            guides=guides,
            numbers=numbers,
        )
        for row, situation in zip(rows, steps.situations(), strict=True):
            row.begin(sample, (situation, replace(options.sampling, seed=None)))
        running = rows
        while running:
            allowed = steps.log_probabilities([row.prefix for row in running])
            weighted = torch.stack([row.sample.weighted(one) for row, one in zip(running, allowed, strict=True)])
            tokens, _ = choose(weighted, [row.uniforms[row.length] for row in running])
            is_alive = (weighted.amax(-1) > -torch.inf).tolist()
            for row, alive, token, one, other in zip(running, is_alive, tokens, allowed, weighted, strict=True):
                row.is_dead = not alive
                row.has_ended = alive and token in vocabulary.eos
                if alive:
                    row.prefix.append(token)
                    row.sample.take(token, one, other)
            going = [place for place, row in enumerate(running) if row.is_going]
            for place, row in enumerate(running):
                if place not in going:
                    row.learn()
            running = [running[place] for place in going]
            if going:
                steps.select(going)
                steps.advance([tokens[place] for place in going])
    for row in rows:
        yield row.piece(vocabulary)


class _Row:
    """Samples of one prompt."""

    def __init__(self, place: int, number: int, prompt: Sequence[int], seed: int, room: int | None, how: Asap) -> None:
        self.place = place
        self.number = number
        self.has_ended = self.is_dead = False
        self._prompt = list(prompt)
        self._seed = seed
        chance, *self._seeds = row_seeds(seed, how.samples + 1)
        self._chance = Uniforms(chance)[0]
        self._room = room
        self._memory = AsapMemory() if how.memory is None else how.memory
        self._samples: list[WeightedSample] = []

    def begin(self, sample: int, situation: Hashable) -> None:
        """Start a sample."""
        self.prefix = list(self._prompt)
        self.uniforms = Uniforms(self._seeds[sample])
        self.sample: AsapSample = self._memory.draw((tuple(self._prompt), self._room, situation))

    @property
    def is_going(self) -> bool:
        """Test for a sample that continues: neither ended nor dead, and below its token limit."""
        return not self.has_ended and not self.is_dead and self.length != self._room

    @property
    def length(self) -> int:
        """Number of generated tokens."""
        return len(self.prefix) - len(self._prompt)

    def learn(self) -> None:
        """Record the finished sample and update the bounds."""
        self.sample.end(is_complete=self.has_ended)
        self._samples.append(
            WeightedSample(
                tokens=tuple(self.prefix[len(self._prompt) :]),
                log_weight=-math.inf if self.is_dead else self.sample.log_weight,
                has_ended=self.has_ended,
            )
        )

    def piece(self, vocabulary: Vocabulary) -> Piece:
        """Chosen text of the prompt; see `choose_sample`."""
        return choose_sample(
            self._samples,
            self._chance,
            vocabulary=vocabulary,
            place=self.place,
            number=self.number,
            prompt_tokens=len(self._prompt),
            seed=self._seed,
            upper_bound=self.sample.log_bound,
        )
