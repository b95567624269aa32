"""Tabular model: an explicit table of conditional probabilities, whose exact distribution decoders are tested on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Allowed
from guidance_kit.vocabulary import Vocabulary

__all__ = ["TabularModel"]


class TabularModel:
    """Markov chain of order n over a small vocabulary, as an explicit table.

    Args:
        vocabulary: the tokens; `rows` is the width of the table.
        table: float, (rows + 1, ..., rows + 1, rows) with n leading axes, nats, unnormalised: the logits of the next
            token after the last n tokens, oldest first. Index `rows` stands for "before the start of the prefix".
        context_length: maximum number of tokens in a prefix.
        name: name for messages.
    Raises:
        ValueError: the shape of the table does not match the vocabulary.
    """

    def __init__(
        self, vocabulary: Vocabulary, table: np.ndarray, *, context_length: int | None = None, name: str = "table"
    ) -> None:
        rows = vocabulary.rows
        if table.shape != (*[rows + 1] * (table.ndim - 1), rows):
            raise ValueError(f"table of shape {table.shape} for {rows} rows")
        self.vocabulary = vocabulary
        self.rows = rows
        self.order = table.ndim - 1
        self.context_length = context_length
        self.name = name
        self.table = np.array(table, dtype=np.float64)
        self.table.flags.writeable = False
        self.has_full_support = bool(np.isfinite(self.table).all())

    @classmethod
    def random(cls, vocabulary: Vocabulary, *, order: int = 1, scale: float = 1.5, seed: int = 0) -> TabularModel:
        """Random model with independent normal logits.

        Args:
            scale: standard deviation of the logits in nats; a greater one gives a lower entropy.
        """
        shape = (*[vocabulary.rows + 1] * order, vocabulary.rows)
        return cls(vocabulary, np.random.Generator(np.random.PCG64(seed)).normal(scale=scale, size=shape))

    def room(self, prompt: Sequence[int]) -> int | None:
        """See `Distribution.room`."""
        return None if self.context_length is None else self.context_length - len(prompt)

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
    ) -> Tensor:
        """See `Distribution.logits`; float64. Neither `starts` nor `allowed` makes a difference."""
        block = [
            [self.row(prefix[: len(prefix) - back]) for back in range(positions - 1, -1, -1)] for prefix in prefixes
        ]
        return torch.tensor(np.array(block))

    def row(self, prefix: Sequence[int]) -> np.ndarray:
        """Logits of the token after `prefix`: float64, (rows,)."""
        last = list(prefix[max(0, len(prefix) - self.order) :])
        return self.table[tuple([self.rows] * (self.order - len(last)) + last)]

    def probabilities(self, prefix: Sequence[int]) -> np.ndarray:
        """Distribution of the token after `prefix`: float64, (rows,)."""
        logits = self.row(prefix)
        weights = np.exp(logits - logits.max())
        return weights / weights.sum()

    def sequences(
        self,
        prompt: Sequence[int],
        length: int,
        following: Callable[[tuple[int, ...]], np.ndarray] | None = None,
    ) -> dict[tuple[int, ...], float]:
        """Exact distribution of the sequences generated after `prompt`.

        Args:
            length: maximum number of tokens; a sequence ends there or with an end-of-sequence token, which is part of
                it.
            following: probabilities (rows,) of the next token given the generated tokens; by default the model's own.
                Where they are all 0, the sequence ends.
        Returns:
            Probability of each sequence whose probability is not 0; they sum to 1.
        """
        if following is None:
            following = lambda tokens: self.probabilities([*prompt, *tokens])  # noqa: E731
        return dict(self._extend((), 1.0, length, following))

    def _extend(
        self, tokens: tuple[int, ...], probability: float, length: int, following: Callable[..., np.ndarray]
    ) -> Iterator[tuple[tuple[int, ...], float]]:
        ended = len(tokens) == length or (tokens and tokens[-1] in self.vocabulary.eos)
        weights = None if ended else following(tokens)
        if weights is None or not weights.any():
            yield tokens, probability
            return
        yield from itertools.chain.from_iterable(
            self._extend((*tokens, int(token)), probability * float(weights[token]), length, following)
            for token in np.flatnonzero(weights)
        )
