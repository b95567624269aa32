"""Minimum length: no end of sequence before n tokens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from guidance_kit.guides.guide import Stage

__all__ = ["MinimumLength"]


@dataclass(frozen=True, slots=True)
class MinimumLength:
    """Forbid end-of-sequence tokens until a text has `tokens` tokens.

    Option `min_tokens` makes it of the end-of-sequence tokens of the vocabulary. A text that its constraint ends, as
    nothing else can follow, may be shorter.

    Args:
        tokens: minimum number of generated tokens besides the end of the sequence.
        eos: end-of-sequence tokens.
    """

    stage = Stage.BIAS

    tokens: int
    eos: Collection[int]

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """See `Guide.start`; the state is the number of generated tokens of each row."""
        return (0,) * len(prompts)

    def adjust(self, logits: Tensor, state: tuple[int, ...]) -> Tensor:
        """See `Guide.adjust`."""
        short = [row for row, length in enumerate(state) if length < self.tokens]
        if not short:
            return logits
        adjusted = logits.clone()
        adjusted[torch.tensor(short)[:, None], torch.tensor(list(self.eos))] = -torch.inf
        return adjusted

    def advance(self, state: tuple[int, ...], tokens: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """See `Guide.advance`."""
        return tuple(length + len(new) for length, new in zip(state, tokens, strict=True))

    def may_forbid(self, state: tuple[int, ...], tokens: Sequence[Sequence[int]]) -> bool:
        """See `Guide`; true for an end of the sequence that comes too early."""
        return any(
            token in self.eos and length + place < self.tokens
            for length, new in zip(state, tokens, strict=True)
            for place, token in enumerate(new)
        )

    def select(self, state: tuple[int, ...], rows: Sequence[int]) -> tuple[int, ...]:
        """See `Guide.select`."""
        return tuple(state[row] for row in rows)

    def join(self, states: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """See `Guide.join`."""
        return tuple(length for state in states for length in state)
