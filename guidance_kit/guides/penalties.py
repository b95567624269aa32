"""Penalties on repeated tokens: presence, frequency, and the repetition penalty of CTRL."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import torch
from torch import Tensor

from guidance_kit.errors import OptionError
from guidance_kit.guides.guide import GREATEST, Stage

__all__ = ["Penalties"]

_MOST_REPETITION = 1e6


@dataclass(frozen=True, slots=True)
class _TokenCounts:
    """Tokens of one row: those of its prompt, and the counts of generated ones."""

    prompt: frozenset[int]
    counts: tuple[tuple[int, int], ...]


PenaltyState = tuple[_TokenCounts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalties:
    """Lower the logits of repeated tokens, in this order:

    1. `repetition` r divides positive logits by r and multiplies negative ones by r, for tokens of the prompt and
       generated ones. It is not invariant under a constant added to the logits: those of a formula are sums of
       log-probabilities, with another zero than a model's own logits.
    2. `frequency` is subtracted once for each generated occurrence of a token, `presence` once in all; tokens of the
       prompt do not count.

    Args:
        presence, frequency: nats; 0 for none, below 0 to encourage.
        repetition: greater than 0, from 1e-6 to 1e6; 1 for none.
    Raises:
        OptionError: a value out of range.
    Source: Keskar et al. 2019, CTRL, in the form that transformers gave it for negative logits; OpenAI,
        API reference, frequency and presence penalties.
    """

    presence: float = 0.0
    frequency: float = 0.0
    repetition: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("presence", self.presence), ("frequency", self.frequency)):
            if not isinstance(value, Real) or isinstance(value, bool) or not abs(value) <= GREATEST:
                raise OptionError(f"{name} must be a finite number, at most {GREATEST:g} in size, not {value!r}")
        number = self.repetition
        is_number = isinstance(number, Real) and not isinstance(number, bool)
        if not is_number or not 1 / _MOST_REPETITION <= number <= _MOST_REPETITION:
            raise OptionError(
                f"repetition must be a number greater than 0, from {1 / _MOST_REPETITION:g} to {_MOST_REPETITION:g}, "
                f"not {number!r}"
            )

    @property
    def stage(self) -> Stage:
        """See `Guide`."""
        return Stage.BIAS

    def start(self, prompts: Sequence[Sequence[int]]) -> PenaltyState:
        """See `Guide.start`."""
        return tuple(_TokenCounts(frozenset(prompt), ()) for prompt in prompts)

    def adjust(self, logits: Tensor, state: PenaltyState) -> Tensor:
        """See `Guide.adjust`."""
        adjusted = logits.clone()
        for row, seen in zip(adjusted, state, strict=True):
            if self.repetition != 1:
                tokens = torch.tensor(sorted(seen.prompt | dict(seen.counts).keys()), device=row.device)
                values = row[tokens]
                row[tokens] = torch.where(values > 0, values / self.repetition, values * self.repetition)
            if seen.counts and (self.presence or self.frequency):
                tokens, counts = torch.tensor(seen.counts, device=row.device).unbind(1)
                row[tokens] -= self.presence + self.frequency * counts.to(row.dtype)
        return adjusted

    def advance(self, state: PenaltyState, tokens: Sequence[Sequence[int]]) -> PenaltyState:
        """See `Guide.advance`."""
        return tuple(
            _TokenCounts(seen.prompt, tuple((Counter(dict(seen.counts)) + Counter(new)).items())) if new else seen
            for seen, new in zip(state, tokens, strict=True)
        )

    def may_forbid(self, state: PenaltyState, tokens: Sequence[Sequence[int]]) -> bool:
        """See `Guide`: penalties are finite."""
        return False

    def select(self, state: PenaltyState, rows: Sequence[int]) -> PenaltyState:
        """See `Guide.select`."""
        return tuple(state[row] for row in rows)

    def join(self, states: Sequence[PenaltyState]) -> PenaltyState:
        """See `Guide.join`."""
        return tuple(itertools.chain.from_iterable(states))
