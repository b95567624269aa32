"""Constrained adaptive rejection sampling: exact texts, with a trie of dead prefixes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.draw import Uniforms, choose
from guidance_kit.decoding.expected_futures import AsapMemory, AsapSample
from guidance_kit.decoding.potential import CachedPotential, PotentialFunction, partial_text, require_potential
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.walk import Walk
from guidance_kit.decoding.weighted_rows import MOST_TEXTS, check_weighted, choose_sample, log_mean, take_possible
from guidance_kit.errors import ConstraintError, OptionError, PotentialError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["Cars"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cars:
    """Constrained adaptive rejection sampling: exact samples of the model given the constraint and a predicate.

    An attempt draws tokens from the masked distribution times upper bounds of what each prefix can still come to, as
    `Asap`, and is accepted with the ratio of its importance weight to the bound of the whole. Every attempt tightens
    the bounds: a prefix that is dead, by the constraint or the predicate, is never tried again. So the share of
    accepted attempts rises, and the law of an accepted text is exact in every attempt.

    `Completion.aligned` has the text as its only candidate; its `probability` is the mean importance weight of the
    first round of attempts, unbiased, and its upper bound is certain.

    Args:
        attempts: maximum number of attempts for a prompt, from 1 to `MOST_TEXTS`; then the prompt has a
            ConstraintError, for an inexact text would be another one than asked for.
        at_once: number of attempts that run as one batch, a round, at least 1.
        predicate: function from a list of generated texts, see `Particles`, to True or False for each. False means that
            no continuation of the text is good.
        memory: learnt bounds to use and extend, as for `Asap`; None starts afresh in each call.
    Raises:
        OptionError: a value is out of range.
    Source: Parys et al. 2025, Constrained Adaptive Rejection Sampling. There an attempt ends at its first dead token;
        here masks leave such tokens out and the acceptance makes up for it, which learns more from an attempt.
    """

    attempts: int = 1000
    at_once: int = 8
    predicate: PotentialFunction | None = None
    memory: AsapMemory | None = None

    def __post_init__(self) -> None:
        require_integer("attempts", self.attempts, least=1, most=MOST_TEXTS)
        require_integer("at_once", self.at_once, least=1, most=self.attempts)
        require_potential("predicate", self.predicate)
        if self.memory is not None and not isinstance(self.memory, AsapMemory):
            raise OptionError(f"memory must be an AsapMemory, not {self.memory!r}")

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.at_once

    @property
    def needs_constraint(self) -> bool:
        """See `Decoder`."""
        return self.predicate is None

    def check(self, options: Options) -> None:
        """See `Decoder.check`."""
        check_weighted(options)

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`. The attempts of a round of all prompts are one batch.

        Yields:
            One piece a prompt, the whole of its text; or its error: a ConstraintError if no attempt was accepted, a
            PotentialError of the first text on which the predicate failed. Other prompts go on.
        Raises:
            OptionError: the memory comes from another model.
        """
        keys = walk.mask_keys() or [None] * len(walk.rows)
        sampling = replace(options.sampling, seed=None)
        predicate = self.predicate
        cached = None if predicate is None else CachedPotential(predicate, "predicate", is_predicate=True)
        prompts = {
            row.place: _Prompt(row, self, (key, sampling, predicate)) for row, key in zip(walk.rows, keys, strict=True)
        }
        while prompts:
            running = walk.fork()
            running.keep([row for one in running.rows if one.place in prompts for row in prompts[one.place].begin(one)])
            while running.rows:
                self._step(running, prompts, cached)
            for prompt in list(prompts.values()):
                piece = prompt.end_round(walk)
                if piece is not None:
                    del prompts[prompt.row.place]
                    yield piece

    def _step(self, walk: Walk, prompts: dict[int, _Prompt], predicate: CachedPotential | None) -> None:
        """Draw a token of each attempt, and end those that are whole or dead."""
        rows, allowed = walk.rows, walk.log_probabilities()
        states: list[_Attempt] = [row.draw_state for row in rows]
        weighted = torch.stack([state.sample.weighted(one) for state, one in zip(states, allowed, strict=True)])
        totals = weighted.logsumexp(-1).tolist()
        tokens, _ = choose(weighted, [state.uniforms[1 + row.length] for state, row in zip(states, rows, strict=True)])
        for row, total, token, one, other in zip(rows, totals, tokens, allowed, weighted, strict=True):
            if row.length == 0:
                row.log_potential = total  # the bound of the whole text at the start of the attempt
            if total > -math.inf:
                row.draw_state.sample.take(token, one, other)
            else:
                row.log_weight = -math.inf
        take_possible(walk, tokens)
        self._drop_dead(walk, prompts, predicate)
        for row in rows:
            row.settle(is_over=False)
            if not row.is_running and prompts[row.place].error is None:
                is_whole = row.reason == "complete" or not walk.is_constrained
                is_whole = is_whole and row.log_weight > -math.inf
                row.draw_state.sample.end(is_complete=is_whole)
                row.log_weight = row.draw_state.sample.log_weight if is_whole else -math.inf
        walk.keep([row for row in walk.rows if row.is_running])

    def _drop_dead(self, walk: Walk, prompts: dict[int, _Prompt], predicate: CachedPotential | None) -> None:
        """End the attempts whose text the predicate rejects, and those of prompts on which it fails."""
        if predicate is None:
            return
        ends = [row.reason == "complete" for row in walk.rows]
        texts = [
            partial_text(walk.vocabulary, row.tokens, is_end=end) for row, end in zip(walk.rows, ends, strict=True)
        ]
        for row, value in zip(walk.rows, predicate.values(texts), strict=True):
            if isinstance(value, PotentialError):
                prompts[row.place].error = prompts[row.place].error or value
            if isinstance(value, PotentialError) or value == -math.inf:
                row.reason, row.log_weight = "length", -math.inf


class _Attempt(NamedTuple):
    """State of the draws of one attempt: the random number 0 decides about its acceptance."""

    uniforms: Uniforms
    sample: AsapSample


class _Prompt:
    """Attempts of one prompt."""

    def __init__(self, row: Row, how: Cars, key: object) -> None:
        self.row = row
        self.error: PotentialError | None = None
        self._how = how
        self._memory = AsapMemory() if how.memory is None else how.memory
        self._key = (tuple(row.prefix), row.room, key)
        self._left = how.attempts
        self._round: list[Row] = []
        self._log_probability: float | None = None

    def begin(self, row: Row) -> Sequence[Row]:
        """Rows of the next round of attempts."""
        self._round = [row.fork() for _ in range(min(self._how.at_once, self._left))]
        for number, one in enumerate(self._round, self._how.attempts - self._left):
            state = np.random.SeedSequence(self.row.seed, spawn_key=(number,)).generate_state(1, np.uint64)
            one.draw_state = _Attempt(Uniforms(int(state[0])), self._memory.draw(self._key))
        self._left -= len(self._round)
        return self._round

    def end_round(self, walk: Walk) -> Piece | None:
        """Piece of the first accepted attempt, or the error if there are no more attempts; else None.

        The first in the order of the seeds, not of time, for short texts end earlier.
        """
        if self.error is not None:
            return Piece(self.row.place, "", error=self.error)
        if self._log_probability is None:
            self._log_probability = log_mean([row.log_weight for row in self._round])
        for row in self._round:
            ratio = math.exp(min(0.0, row.log_weight - row.log_potential)) if row.log_weight > -math.inf else 0.0
            if row.draw_state.uniforms[0] < ratio:
                return self._accepted(row, walk)
        if self._left:
            return None
        bound = math.exp(self._bound)
        error = ConstraintError(
            f"prompt {self.row.number}: none of {self._how.attempts} attempts was accepted; the model gives valid "
            f"texts a probability of at most {bound:.3g}. Allow more attempts or max_tokens, or take Particles, which "
            "approximate"
        )
        return Piece(self.row.place, "", error=error)

    @property
    def _bound(self) -> float:
        """Upper bound of the probability of valid texts: its ln."""
        return self._round[0].draw_state.sample.log_bound

    def _accepted(self, row: Row, walk: Walk) -> Piece:
        """Piece of an accepted attempt."""
        piece = choose_sample(
            [row], 0.0, vocabulary=walk.vocabulary, upper_bound=self._bound, is_constrained=walk.is_constrained
        )
        completion: Completion | None = piece.completion
        if completion is None or completion.aligned is None or self._log_probability is None:
            return piece
        aligned = replace(completion.aligned, log_probability=self._log_probability)
        return replace(piece, completion=replace(completion, seed=self.row.seed, aligned=aligned))
