"""A bias on chosen tokens, or on what completes chosen sequences of tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import cast

import torch
from torch import Tensor

from guidance_kit.errors import OptionError
from guidance_kit.guides.guide import Stage

__all__ = ["LogitBias"]

BiasState = tuple[tuple[int, ...], ...]
"""The last tokens of each row, as many as the longest sequence needs."""


class LogitBias:
    """Add a bias to the logits of tokens.

    The bias of a sequence of several tokens is added to its last token wherever the text, prompt included, ends with
    the others. Several that fall on one token add up.

    Args:
        biases: from sequences of token ids to nats; -inf forbids a token, and so a sequence.
    Raises:
        OptionError: an empty sequence; a bias that is NaN or inf; a negative token.
    Source: `SequenceBiasLogitsProcessor` of transformers, which however leaves a sequence out while the text has no
        more tokens than its beginning.

    >>> LogitBias({(5,): 2.0, (3, 7): -math.inf}).biases
    {(5,): 2.0, (3, 7): -inf}
    """

    stage = Stage.BIAS

    def __init__(self, biases: Mapping[Sequence[int], float]) -> None:
        self.biases: dict[tuple[int, ...], float] = {}
        for sequence, bias in biases.items():
            tokens = tuple(sequence)
            if not tokens or min(tokens) < 0:
                raise OptionError(f"a bias is for one or more token ids, not for {list(tokens)}")
            if not isinstance(bias, Real) or math.isnan(bias) or bias == math.inf:
                raise OptionError(f"the bias of {list(tokens)} must be a number or -inf, not {bias!r}")
            self.biases[tokens] = float(bias)
        self._single = {tokens[0]: bias for tokens, bias in self.biases.items() if len(tokens) == 1}
        self._longer = [(tokens[:-1], tokens[-1], bias) for tokens, bias in self.biases.items() if len(tokens) > 1]
        self._forbidden = {tokens for tokens, bias in self.biases.items() if bias == -math.inf}
        self._forbidden_lengths = {len(tokens) for tokens in self._forbidden}
        self._memory = max(map(len, self.biases), default=1) - 1
        self._everywhere: Tensor | None = None

    @classmethod
    def from_openai(cls, biases: Mapping[str, float] | Mapping[int, float]) -> LogitBias:
        """The map of OpenAI's API: token ids, often written as texts, to biases from -100 to 100.

        As there, -100 and 100 are biases like others: they all but forbid a token, or force it.

        Raises:
            OptionError: a key that is no token id, a bias out of range.
        """
        made: dict[Sequence[int], float] = {}
        for key, bias in cast("Mapping[str | int, float]", biases).items():
            if not str(key).isdecimal():
                raise OptionError(f"the logit_bias map of OpenAI has token ids as keys, not {key!r}")
            if not isinstance(bias, Real) or not -100 <= bias <= 100:
                raise OptionError(f"the bias of token {key} must be from -100 to 100, not {bias!r}")
            made[int(key),] = float(bias)
        return cls(made)

    def start(self, prompts: Sequence[Sequence[int]]) -> BiasState:
        """See `Guide.start`."""
        return tuple(self._last(prompt) for prompt in prompts)

    def adjust(self, logits: Tensor, state: BiasState) -> Tensor:
        """See `Guide.adjust`.

        Raises:
            OptionError: a token that the model does not have.
        """
        adjusted = logits + self._row(logits)
        for row, tokens in enumerate(state):
            for before, token, bias in self._longer:
                if tokens[-len(before) :] == before:
                    adjusted[row, token] += bias
        return adjusted

    def advance(self, state: BiasState, tokens: Sequence[Sequence[int]]) -> BiasState:
        """See `Guide.advance`."""
        return tuple(self._last((*before, *new)) for before, new in zip(state, tokens, strict=True))

    def select(self, state: BiasState, rows: Sequence[int]) -> BiasState:
        """See `Guide.select`."""
        return tuple(state[row] for row in rows)

    def may_forbid(self, state: BiasState, tokens: Sequence[Sequence[int]]) -> bool:
        """See `Guide`: whether a sequence with the bias -inf would be completed."""
        for before, new in zip(state, tokens, strict=True) if self._forbidden else ():
            text = (*before, *new)
            for end in range(len(before) + 1, len(text) + 1):
                if any(text[max(0, end - length) : end] in self._forbidden for length in self._forbidden_lengths):
                    return True
        return False

    def _last(self, tokens: Sequence[int]) -> tuple[int, ...]:
        """What has to be remembered of a row."""
        return tuple(tokens[max(0, len(tokens) - self._memory) :])

    def _row(self, logits: Tensor) -> Tensor:
        """The biases of single tokens: (rows,)."""
        found = self._everywhere
        if found is None or found.shape[0] != logits.shape[1] or found.device != logits.device:
            greatest = max((max(tokens) for tokens in self.biases), default=-1)
            if greatest >= logits.shape[1]:
                raise OptionError(f"a bias for token {greatest}, but the model has {logits.shape[1]} rows")
            found = torch.zeros(logits.shape[1])
            for token, bias in self._single.items():
                found[token] = bias
            self._everywhere = found = found.to(logits)
        return found
