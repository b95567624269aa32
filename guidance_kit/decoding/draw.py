"""Draw of a token from the processed logits of a row: greedy, or by inverse transform sampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

__all__ = ["ACCEPTANCE", "PROPOSAL", "Draw", "Drawn", "Greedy", "InverseTransform", "Uniforms", "choose", "greedy"]

PROPOSAL, ACCEPTANCE = 0, 1
"""Streams of random numbers by which a draft draws tokens, and the target accepts them; see `Uniforms.stream`."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Drawn tokens of a batch.

    Attributes:
        tokens: token ids, one a row.
        checks: a number above -inf for each row that has a token; NaN or -inf for one without, as its logits are NaN or
            all -inf. The token of such a row is undefined, and the caller raises an error.
        states: states after the draw, one a row.
    """

    tokens: list[int]
    checks: list[float]
    states: list[Any]


class Draw(Protocol):
    """Draw one token a row. It sees logits after guides, mask, temperature, truncation and watermark.

    Contract, checked for every draw in tests/test_draws.py:

    * A state is a value: `draw` returns new ones and leaves the old ones valid, so that a decoder can roll back, branch
      or repeat. Forced tokens, the only ones allowed, are taken without a draw and leave the state as it is.
    * Rows are independent: a batch gives the tokens of its rows alone, and equal seeds give equal texts.
    * A token with the logit -inf is never drawn.

    A draw whose state depends on the tokens drawn before, so that the law of the next token is no function of the
    prefix, declares it by an attribute `depends_on_history = True`.
    """

    def start(self, seed: int) -> Any:
        """Initial state of a text.

        Args:
            seed: seed of the text, at least 0.
        """
        ...

    def draw(
        self, logits: Tensor, states: Sequence[Any], prefixes: Sequence[Sequence[int]], starts: Sequence[int]
    ) -> Drawn:
        """Draw the next token of each row.

        Args:
            logits: float, (batch, rows), nats, unnormalised; not changed.
            states: states of the rows.
            prefixes: token ids of the prompt and the generated tokens of each row.
            starts: lengths of the prompts.
        """
        ...


@dataclass(frozen=True, slots=True)
class Greedy:
    """Most likely token of each row, of equally likely ones the lowest id. There is no state."""

    def start(self, seed: int) -> None:
        """See `Draw.start`."""

    def draw(
        self, logits: Tensor, states: Sequence[None], prefixes: Sequence[Sequence[int]], starts: Sequence[int]
    ) -> Drawn:
        """See `Draw.draw`."""
        tokens, values = greedy(logits)
        return Drawn(tokens, values, list(states))


@dataclass(frozen=True, slots=True)
class InverseTransform:
    """Inverse transform sampling with one uniform random number a position.

    The state is the stream of numbers, which never changes: the token of a position depends on the seed, the position
    and the logits alone, in whatever order positions are computed.
    """

    def start(self, seed: int) -> Uniforms:
        """See `Draw.start`."""
        return Uniforms(seed)

    def draw(
        self, logits: Tensor, states: Sequence[Uniforms], prefixes: Sequence[Sequence[int]], starts: Sequence[int]
    ) -> Drawn:
        """See `Draw.draw`."""
        places = zip(states, prefixes, starts, strict=True)
        tokens, sums = choose(logits, [uniforms[len(prefix) - start] for uniforms, prefix, start in places])
        return Drawn(tokens, sums, list(states))


def greedy(logits: Tensor) -> tuple[list[int], list[float]]:
    """Take the most likely token of each row, of equally likely ones the lowest id.

    Returns:
        Tokens and their logits: NaN if the row contains NaN, -inf if every token is forbidden.
    """
    values, tokens = logits.max(-1)
    return tokens.tolist(), values.tolist()


def choose(logits: Tensor, uniforms: Sequence[float]) -> tuple[list[int], list[float]]:
    """Draw one token a row from softmax(logits) by inverse transform sampling.

    Args:
        uniforms: one number in [0, 1) a row; equal numbers and logits give equal tokens, in any batch, on any device
            up to float rounding.
    Returns:
        Tokens, never one of probability 0; and the sum of each row's probabilities, 1 up to rounding, or NaN if the row
        contains NaN or every token is forbidden (then its token is undefined).
    """
    probabilities = logits.softmax(-1)
    sums = probabilities.double().cumsum_(-1)  # with dtype=torch.float64 torch takes 5 times as long
    uniform = torch.tensor(uniforms, dtype=torch.float64, device=logits.device).unsqueeze(-1)
    find = _find_in_exact if logits.device.type == "cpu" else _find_in_rounded
    tokens, total = find(probabilities, sums, uniform)
    return tokens.squeeze(-1).tolist(), total.squeeze(-1).tolist()


def _find_in_exact(probabilities: Tensor, sums: Tensor, uniform: Tensor) -> tuple[Tensor, Tensor]:
    """First token whose cumulative sum exceeds uniform * total, for sums accumulated in sequence.

    Such sums are non-decreasing, and a token of probability 0 has the sum of the one before it: it is never the first.
    """
    total = sums[:, -1:]
    return torch.searchsorted(sums, uniform * total, right=True), total


def _find_in_rounded(probabilities: Tensor, sums: Tensor, uniform: Tensor) -> tuple[Tensor, Tensor]:
    """First such token for sums of a parallel scan, whose rounding may give a token of probability 0 its own sum."""
    sums = sums.masked_fill(probabilities == 0, 0)
    total = sums.amax(-1, keepdim=True)
    return (sums > uniform * total).int().argmax(-1, keepdim=True), total


class Uniforms:
    """Uniform random numbers of one row as a function of its seed and the position in the text.

    They do not depend on the positions read before: a forced token consumes none, and a position that is decoded again
    after a rollback gets the same number.

    Args:
        seed: seed of the text.
        path: numbers of the streams that lead to this one; see `stream`.
    """

    __slots__ = ("_generator", "_numbers", "_path", "_seed", "_streams")

    def __init__(self, seed: int, path: tuple[int, ...] = ()) -> None:
        self._seed = seed
        self._path = path
        self._generator: np.random.Generator | None = None
        self._numbers: list[float] = []
        self._streams: dict[int, Uniforms] = {}

    def __getitem__(self, position: int) -> float:
        """Random number of a position, in [0, 1)."""
        while position >= len(self._numbers):
            if self._generator is None:
                spawn_key = (_STREAMS, *self._path) if self._path else ()
                source = np.random.SeedSequence(self._seed, spawn_key=spawn_key)
                self._generator = np.random.Generator(np.random.PCG64(source))
            self._numbers.extend(self._generator.random(64).tolist())
        return self._numbers[position]

    def stream(self, number: int) -> Uniforms:
        """Independent random numbers of the same text."""
        if number not in self._streams:
            self._streams[number] = Uniforms(self._seed, (*self._path, number))
        return self._streams[number]


_STREAMS = 2**32 - 1
"""First number of the spawn keys of streams; those of `row_seeds` are numbers of prompts."""
