"""Small vocabularies, models and constraints whose exact distributions can be enumerated. Tests only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.vocabulary import Vocabulary

EOS, SPECIAL, A, B, AB, HOLE, PADDING = range(7)

ABC = Vocabulary(
    token_bytes=(b"", b"", b"a", b"b", b"ab", b""), special=frozenset({EOS, SPECIAL}), eos=(EOS,), rows=PADDING + 1
)
"""An end of sequence, a special token, three texts, a hole, and a padding row."""


def matcher_of(network: Network, vocabulary: Vocabulary = ABC) -> Matcher:
    """A matcher at the start of a network."""
    return Matcher(TokenIndex(Automaton(network), vocabulary))


def speakable(vocabulary: Vocabulary) -> np.ndarray:
    """Rows that stand for a token: bool, (rows,)."""
    return np.array(
        [
            row in vocabulary.special or (row < len(vocabulary) and bool(vocabulary.token_bytes[row]))
            for row in range(vocabulary.rows)
        ]
    )


def unconstrained(model: TabularModel, prompt: Sequence[int], length: int) -> dict[tuple[int, ...], float]:
    """The exact distribution of what the loop generates without a constraint: rows without a token left out."""

    def following(tokens: tuple[int, ...]) -> np.ndarray:
        weights = model.probabilities([*prompt, *tokens]) * speakable(model.vocabulary)
        return weights / weights.sum()

    return model.sequences(prompt, length, following)


def constrained(
    model: TabularModel, matcher: Matcher, prompt: Sequence[int], length: int
) -> dict[tuple[int, ...], float]:
    """The exact distribution under a constraint: at each step the model's, renormalised over what is allowed.

    Where nothing but the end can follow, the sequence ends without it.
    """

    def following(tokens: tuple[int, ...]) -> np.ndarray:
        here = matcher.fork()
        here.advance_all(tokens)
        allowed = bitmask.unpack(here.allowed(), model.rows)
        if not allowed[[row for row in range(model.rows) if row not in model.vocabulary.eos]].any():
            return np.zeros(model.rows)
        weights = model.probabilities([*prompt, *tokens]) * allowed
        return weights / weights.sum()

    return model.sequences(prompt, length, following)


class Counting:
    """A distribution that counts what it is asked for."""

    def __init__(self, inner: TabularModel) -> None:
        self.inner = inner
        self.rows = inner.rows
        self.room = inner.room
        self.has_full_support = inner.has_full_support
        self.batches: list[int] = []
        self.prefixes: list[tuple[int, ...]] = []

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Callable[[torch.device], torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """See `Distribution.logits`."""
        self.batches.append(len(prefixes))
        self.prefixes.extend(tuple(prefix) for prefix in prefixes)
        return self.inner.logits(prefixes, positions)
