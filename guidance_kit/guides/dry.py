"""DRY: a penalty on tokens that would continue a repetition, exponential in its length."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from guidance_kit.errors import OptionError
from guidance_kit.guides.guide import GREATEST, Stage
from guidance_kit.guides.token_history import Histories, extended, histories, joined, selected

__all__ = ["Dry"]


class SpelledTokens(Protocol):
    """Tokens with their bytes; `Vocabulary` is one."""

    @property
    def token_bytes(self) -> Sequence[bytes]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Dry:
    """Lower the logits of tokens that would continue a repetition: "don't repeat yourself".

    If the last L tokens of the text, prompt included, came before and a token followed them there, that token is
    penalised by `multiplier * base^(L - allowed_length)`, for the longest such L, if L is at least `allowed_length`. A
    repetition does not reach beyond a breaker, and a breaker is never penalised.

    Args:
        multiplier: nats, greater than 0.
        base: at least 1.
        allowed_length: length of repetitions that may go on, in tokens, at least 1.
        last: number of last tokens that are considered, at least 1; None for all.
        breakers: tokens at which repetitions begin anew; see `with_breakers`.
    Raises:
        OptionError: a value is out of range.
    Source: DRY of text-generation-webui by Weidmann, 2024, and of llama.cpp, of which the defaults are.

    >>> Dry(multiplier=0.8, breakers={5}).allowed_length
    2
    """

    stage = Stage.BIAS

    multiplier: float = 0.8
    base: float = 1.75
    allowed_length: int = 2
    last: int | None = None
    breakers: Collection[int] = field(default=frozenset(), repr=False)

    def __post_init__(self) -> None:
        for name, value, least in (("multiplier", self.multiplier, 0), ("base", self.base, 1)):
            is_number = isinstance(value, Real) and not isinstance(value, bool)
            if not is_number or not least <= value <= GREATEST or value == 0:
                wanted = "at least 1" if least else "greater than 0"
                raise OptionError(f"{name} must be a number {wanted}, at most {GREATEST:g}, not {value!r}")
        for name, value in (("allowed_length", self.allowed_length), ("last", self.last)):
            if name == "last" and value is None:
                continue
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
                raise OptionError(f"{name} must be an integer, at least 1, not {value!r}")
        object.__setattr__(self, "breakers", frozenset(self.breakers))

    @classmethod
    def with_breakers(
        cls,
        vocabulary: SpelledTokens,
        texts: Sequence[str] = ("\n", ":", '"', "*"),
        *,
        multiplier: float = 0.8,
        base: float = 1.75,
        allowed_length: int = 2,
        last: int | None = None,
    ) -> Dry:
        """Penalty that every token with one of some texts breaks; a text that several tokens spell does not count.

        Args:
            vocabulary: vocabulary of the model.
            texts: texts of breakers; those of llama.cpp by default.
        Raises:
            OptionError: an empty text; as the class.
        """
        if isinstance(texts, str) or not all(texts):
            raise OptionError(f"breakers are a sequence of texts, none of them empty, not {texts!r}")
        parts = [text.encode() for text in texts]
        found = {
            token for token, spelled in enumerate(vocabulary.token_bytes) if any(part in spelled for part in parts)
        }
        return cls(multiplier=multiplier, base=base, allowed_length=allowed_length, last=last, breakers=found)

    def start(self, prompts: Sequence[Sequence[int]]) -> Histories:
        """See `Guide.start`."""
        return histories(prompts)

    def adjust(self, logits: Tensor, state: Histories) -> Tensor:
        """See `Guide.adjust`."""
        adjusted = logits.clone()
        for row, history in zip(adjusted, state, strict=True):
            repeated = self._repetitions(history if self.last is None else history[-self.last :])
            if repeated:
                tokens = torch.tensor(list(repeated), device=row.device)
                row[tokens] -= torch.tensor([self._penalty(length) for length in repeated.values()]).to(row)
        return adjusted

    def advance(self, state: Histories, tokens: Sequence[Sequence[int]]) -> Histories:
        """See `Guide.advance`."""
        return extended(state, tokens)

    def may_forbid(self, state: Histories, tokens: Sequence[Sequence[int]]) -> bool:
        """See `Guide`: penalties are finite."""
        return False

    def select(self, state: Histories, rows: Sequence[int]) -> Histories:
        """See `Guide.select`."""
        return selected(state, rows)

    def join(self, states: Sequence[Histories]) -> Histories:
        """See `Guide.join`."""
        return joined(states)

    def _penalty(self, length: int) -> float:
        """Penalty of a token that would continue a repetition of a length: nats, at most `GREATEST`."""
        exponent = min((length - self.allowed_length) * math.log(self.base), math.log(GREATEST))
        return min(self.multiplier * math.exp(exponent), GREATEST)

    def _repetitions(self, history: np.ndarray) -> dict[int, int]:
        """Tokens that would continue a repetition, with the length of the longest, where it is not allowed."""
        count = len(history)
        most = self._longest(history)
        found: dict[int, int] = {}
        if not most:
            return found
        ends = np.flatnonzero(history[:-1] == history[-1])  # last tokens of the earlier occurrences
        for length in range(1, most + 1):
            if length >= self.allowed_length:
                found.update((token, length) for token in history[ends + 1].tolist() if token not in self.breakers)
            ends = ends[ends >= length]
            if length == most or not len(ends):
                break
            ends = ends[history[ends - length] == history[count - 1 - length]]
        return found

    def _longest(self, history: np.ndarray) -> int:
        """Length up to which a repetition is followed: to the last breaker, and while its penalty can grow."""
        growth = math.log(GREATEST) / math.log(self.base) if self.base > 1 else 0.0
        most = min(len(history) - 1, self.allowed_length + int(min(growth, len(history))))
        for back in range(most):
            if int(history[len(history) - 1 - back]) in self.breakers:
                return back
        return max(most, 0)
