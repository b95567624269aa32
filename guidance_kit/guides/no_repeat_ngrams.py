"""No-repeat n-grams: no sequence of n tokens comes twice in a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
import torch
from torch import Tensor

from guidance_kit.errors import OptionError
from guidance_kit.guides.guide import Stage
from guidance_kit.guides.token_history import Histories, extended, histories, joined, selected

__all__ = ["NoRepeatNgrams"]


@dataclass(frozen=True, slots=True)
class NoRepeatNgrams:
    """Forbid every token that would complete an n-gram of the text, prompt included, a second time.

    Args:
        size: number n of tokens of an n-gram, at least 1.
    Raises:
        OptionError: a size below 1.
    Source: Paulus, Xiong and Socher 2018, A Deep Reinforced Model for Abstractive Summarization, section 2.5;
        `NoRepeatNGramLogitsProcessor` of transformers.
    """

    stage = Stage.BIAS

    size: int

    def __post_init__(self) -> None:
        if not isinstance(self.size, Integral) or isinstance(self.size, bool) or self.size < 1:
            raise OptionError(f"size must be an integer, at least 1, not {self.size!r}")

    def start(self, prompts: Sequence[Sequence[int]]) -> Histories:
        """See `Guide.start`."""
        return histories(prompts)

    def adjust(self, logits: Tensor, state: Histories) -> Tensor:
        """See `Guide.adjust`."""
        adjusted = logits.clone()
        for row, history in zip(adjusted, state, strict=True):
            row[torch.from_numpy(self._forbidden(history))] = -torch.inf
        return adjusted

    def advance(self, state: Histories, tokens: Sequence[Sequence[int]]) -> Histories:
        """See `Guide.advance`."""
        return extended(state, tokens)

    def may_forbid(self, state: Histories, tokens: Sequence[Sequence[int]]) -> bool:
        """See `Guide`; true if one of the tokens completes an n-gram a second time."""
        for history, new in zip(state, tokens, strict=True):
            whole = np.concatenate([history, np.array(new, dtype=np.int64)])
            for end in range(len(history), len(whole)):
                if whole[end] in self._forbidden(whole[:end]):
                    return True
        return False

    def select(self, state: Histories, rows: Sequence[int]) -> Histories:
        """See `Guide.select`."""
        return selected(state, rows)

    def join(self, states: Sequence[Histories]) -> Histories:
        """See `Guide.join`."""
        return joined(states)

    def _forbidden(self, history: np.ndarray) -> np.ndarray:
        """Tokens that complete an n-gram of the history with its last n - 1 tokens."""
        if len(history) < self.size:
            return np.zeros(0, dtype=np.int64)
        ngrams = np.lib.stride_tricks.sliding_window_view(history, self.size)
        is_same = (ngrams[:, :-1] == history[len(history) - self.size + 1 :]).all(-1)
        return ngrams[is_same, -1]
