"""Token histories: the state of guides that look at the whole text so far."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

__all__ = ["Histories", "extended", "histories", "joined", "selected"]

Histories = tuple[np.ndarray, ...]
"""Tokens of the prompt and generated ones of each row: int64, (length,), read-only."""


def histories(prompts: Sequence[Sequence[int]]) -> Histories:
    """Histories of rows without generated tokens."""
    return tuple(_read_only(np.array(prompt, dtype=np.int64)) for prompt in prompts)


def extended(state: Histories, tokens: Sequence[Sequence[int]]) -> Histories:
    """Histories after each row took its tokens."""
    return tuple(
        _read_only(np.concatenate([history, np.array(new, dtype=np.int64)])) if len(new) else history
        for history, new in zip(state, tokens, strict=True)
    )


def selected(state: Histories, rows: Sequence[int]) -> Histories:
    """Histories of the given rows, in that order."""
    return tuple(state[row] for row in rows)


def joined(states: Sequence[Histories]) -> Histories:
    """Histories of the rows of several batches."""
    return tuple(itertools.chain.from_iterable(states))


def _read_only(tokens: np.ndarray) -> np.ndarray:
    tokens.flags.writeable = False
    return tokens
