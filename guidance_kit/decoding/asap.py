"""Adaptive sampling with approximate expected futures: `alignment="asap"`."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import torch

from guidance_kit.decoding.alignment import Aligned, Asap, Candidate
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.free_walk import FreeWalk
from guidance_kit.decoding.future_mass import AsapMemory, Draw
from guidance_kit.decoding.loop import Piece, room_for
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Uniforms, choose, row_seeds
from guidance_kit.errors import ConstraintError
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
    """One text a prompt, the last one that ended of several that are drawn one after the other.

    Args:
        As `decoding.loop.generate`; `options.alignment` is an `Asap`.
    Yields:
        One piece a prompt, the whole of its text.
    Raises:
        As `decoding.loop.generate`; OptionError, if the memory comes from another model; ConstraintError, if the
            constraint turns out to have no probability after a prompt.
    """
    how = options.alignment
    assert isinstance(how, Asap)
    rows = [
        _Row(number, prompt, seed, room_for(distribution, prompt, options.max_tokens), how)
        for number, prompt, seed in zip(numbers, prompts, seeds, strict=True)
    ]
    for sample in range(how.samples):
        walk = FreeWalk(
            distribution,
            vocabulary,
            prompts,
            sampling=options.sampling,
            constraint=constraint,
            guides=guides,
            numbers=numbers,
        )
        for row, situation in zip(rows, walk.situations(), strict=True):
            row.begin(sample, (situation, replace(options.sampling, seed=None)))
        running = rows
        while running:
            allowed = walk.ask([row.prefix for row in running])
            weighted = torch.stack([row.draw.weighted(one) for row, one in zip(running, allowed, strict=True)])
            tokens, _ = choose(weighted, [row.uniforms[row.length] for row in running])
            is_alive = (weighted.amax(-1) > -torch.inf).tolist()
            for row, alive, token, one, other in zip(running, is_alive, tokens, allowed, weighted, strict=True):
                row.end = "dead" if not alive else "complete" if token in vocabulary.eos else None
                if alive:
                    row.prefix.append(token)
                    row.draw.take(token, one, other)
            going = [place for place, row in enumerate(running) if row.end is None and row.has_room]
            for place, row in enumerate(running):
                if place not in going:
                    row.learn()
            running = [running[place] for place in going]
            walk.select(going)
            walk.advance([tokens[place] for place in going])
    for row in rows:
        completion = row.completion(vocabulary)
        yield Piece(row.number, completion.text, completion)


@dataclass(frozen=True, slots=True)
class _Sample:
    """A text that was drawn.

    Attributes:
        log_weight: ln of the model's probability of it over that with which it was drawn.
        end: "complete"; "dead" where nothing was left that can be completed, None for lack of room.
    """

    tokens: tuple[int, ...]
    log_weight: float
    end: str | None


class _Row:
    """The samples of one prompt."""

    def __init__(self, number: int, prompt: Sequence[int], seed: int, room: int | None, how: Asap) -> None:
        self.number = number
        self.end: Literal["complete", "dead"] | None = None
        self._prompt = list(prompt)
        self._seed = seed
        self._seeds = row_seeds(seed, how.samples)
        self._room = room
        self._memory = AsapMemory() if how.memory is None else how.memory
        self._samples: list[_Sample] = []

    def begin(self, sample: int, situation: Hashable) -> None:
        """Start to draw a sample."""
        self.prefix = list(self._prompt)
        self.uniforms = Uniforms(self._seeds[sample])
        self.draw: Draw = self._memory.draw((tuple(self._prompt), self._room, situation))

    @property
    def has_room(self) -> bool:
        """Whether a token may follow."""
        return self.length != self._room

    @property
    def length(self) -> int:
        """Number of tokens that were generated."""
        return len(self.prefix) - len(self._prompt)

    def learn(self) -> None:
        """Learn from the sample, which is over."""
        self.draw.end(is_complete=self.end == "complete")
        tokens = tuple(self.prefix[len(self._prompt) :])
        self._samples.append(_Sample(tokens, self.draw.log_weight, self.end))

    def completion(self, vocabulary: Vocabulary) -> Completion:
        """The last sample that ended; if none did, the last one that was cut.

        Raises:
            ConstraintError: truncation left none of them an allowed token.
        """
        ended = [sample for sample in self._samples if sample.end == "complete"]
        cut = [sample for sample in self._samples if sample.end is None]
        if not ended and not cut:
            raise ConstraintError(
                f"prompt {self.number}: all {len(self._samples)} texts came to where the model gives what the "
                "constraint allows no probability; truncate less (top_k, top_p, min_p), or draw more samples"
            )
        taken = (ended or cut)[-1]
        logs = np.array([sample.log_weight for sample in ended])
        total = float(np.logaddexp.reduce(logs)) if ended else -math.inf
        shares = np.exp(logs - total) if ended else logs
        return Completion(
            text=vocabulary.text_of(taken.tokens).decode("utf-8", "replace"),
            tokens=taken.tokens,
            finish_reason="complete" if ended else "length",
            prompt_tokens=len(self._prompt),
            seed=self._seed,
            aligned=Aligned(
                log_probability=total - math.log(len(self._samples)),
                effective_size=float(1 / (shares**2).sum()) if ended else 0.0,
                candidates=tuple(
                    Candidate(
                        text=vocabulary.text_of(sample.tokens).decode("utf-8", "replace"),
                        tokens=sample.tokens,
                        weight=share,
                    )
                    for sample, share in zip(ended, shares.tolist(), strict=True)
                ),
                upper_bound=self.draw.log_bound,
            ),
        )
