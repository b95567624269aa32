"""Logit bias on tokens, or on the last tokens of token sequences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, cast

import torch
from torch import Tensor

from guidance_kit.errors import OptionError
from guidance_kit.guides.guide import Stage

__all__ = ["LogitBias"]

_GREATEST = torch.finfo(torch.float32).max

BiasState = tuple[tuple[int, ...], ...]
"""Last tokens of each row, as many as the longest sequence needs."""


class LogitBias:
    """Add a bias to the logits of tokens.

    The bias of a sequence of several tokens is added to its last token wherever the text, prompt included, ends with
    the others. Several biases of one token add up.

    Args:
        biases: from token ids, or sequences of these, to nats; -inf forbids a token, and so a sequence.
    Raises:
        OptionError: no mapping; an empty sequence; a bias that is NaN or +inf; a sum of biases beyond float32; a
            negative token.
    Source: `SequenceBiasLogitsProcessor` of transformers, which ignores a sequence as long as the text is not longer
        than the sequence without its last token.

    >>> LogitBias({(5,): 2.0, (3, 7): -math.inf}).biases
    {(5,): 2.0, (3, 7): -inf}
    """

    stage = Stage.BIAS

    def __init__(self, biases: Mapping[Any, float]) -> None:
        self.biases: dict[tuple[int, ...], float] = {}
        for key, bias in mapping(biases, "biases").items():
            tokens = _tokens(key)
            value = _as_float(bias)
            if math.isnan(value) or bias == math.inf:
                raise OptionError(f"the bias of {list(tokens)} must be a number or -inf, not {bias!r}")
            self.biases[tokens] = value
        if sum(abs(bias) for bias in self.biases.values() if bias > -math.inf) > _GREATEST:
            raise OptionError(
                f"biases are added in float32, whose greatest number is {_GREATEST:.2g}: these come to more, as "
                f"{max(self.biases.values(), key=_size):g}; a bias of 100 all but forces a token, -inf forbids it"
            )
        self._single = {tokens[0]: bias for tokens, bias in self.biases.items() if len(tokens) == 1}
        self._longer = [(tokens[:-1], tokens[-1], bias) for tokens, bias in self.biases.items() if len(tokens) > 1]
        self._forbidden = {tokens for tokens, bias in self.biases.items() if bias == -math.inf}
        self._forbidden_lengths = {len(tokens) for tokens in self._forbidden}
        self._memory = max(map(len, self.biases), default=1) - 1
        self._everywhere: Tensor | None = None

    @classmethod
    def from_openai(cls, biases: Mapping[str, float] | Mapping[int, float]) -> LogitBias:
        """Logit bias from the `logit_bias` map of OpenAI's API: token ids, often as strings, to biases in [-100, 100].

        As there, -100 and 100 are ordinary biases: they all but forbid or force a token.

        Raises:
            OptionError: a key that is no token id, a bias out of range.
        """
        made: dict[Sequence[int], float] = {}
        for key, bias in mapping(biases, "the logit_bias map").items():
            if not str(key).isdecimal():
                raise OptionError(f"the logit_bias map of OpenAI has token ids as keys, not {key!r}")
            if not -100 <= _as_float(bias) <= 100:
                raise OptionError(f"the bias of token {key} must be from -100 to 100, not {bias!r}")
            made[int(key),] = float(bias)
        return cls(made)

    def __reduce__(self) -> tuple[type[LogitBias], tuple[dict[tuple[int, ...], float]]]:
        return type(self), (self.biases,)  # without the tensor that it has made of them

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

    def join(self, states: Sequence[BiasState]) -> BiasState:
        """See `Guide.join`."""
        return tuple(itertools.chain.from_iterable(states))

    def may_forbid(self, state: BiasState, tokens: Sequence[Sequence[int]]) -> bool:
        """See `Guide`; true if a sequence with the bias -inf would be completed."""
        for before, new in zip(state, tokens, strict=True) if self._forbidden else ():
            text = (*before, *new)
            for end in range(len(before) + 1, len(text) + 1):
                if any(text[max(0, end - length) : end] in self._forbidden for length in self._forbidden_lengths):
                    return True
        return False

    def _last(self, tokens: Sequence[int]) -> tuple[int, ...]:
        """Last tokens of a row that a sequence may continue."""
        return tuple(tokens[max(0, len(tokens) - self._memory) :])

    def _row(self, logits: Tensor) -> Tensor:
        """Biases of single tokens: float, (rows,)."""
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


def mapping(given: object, name: str) -> Mapping[Any, Any]:
    """Require a mapping as the value of an option.

    Raises:
        OptionError: another type.
    """
    if not isinstance(given, Mapping):
        raise OptionError(f"{name} must be a mapping, from tokens to nats, not {given!r}")
    return cast("Mapping[Any, Any]", given)


def _tokens(key: object) -> tuple[int, ...]:
    """Token ids of a key."""
    if isinstance(key, str):
        raise OptionError(f"a bias is for token ids, not for the text {key!r}, which Model.logit_bias encodes")
    tokens: tuple[Any, ...] = tuple(key) if isinstance(key, list | tuple | range) else (key,)
    if not tokens or not all(
        isinstance(one, Integral) and not isinstance(one, bool) and int(one) >= 0 for one in tokens
    ):
        raise OptionError(f"a bias is for one or more token ids, not for {key!r}")
    return tuple(int(one) for one in tokens)


def _as_float(bias: object) -> float:
    """A bias as a float: NaN if it is no number, inf if it is beyond all floats."""
    if not isinstance(bias, Real) or isinstance(bias, bool):
        return math.nan
    try:
        return float(bias)
    except OverflowError:
        return math.inf


def _size(bias: float) -> float:
    return abs(bias) if bias > -math.inf else 0.0
