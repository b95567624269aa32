"""Padding rows of the logits: rows that stand for no token."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

from guidance_kit.vocabulary import Vocabulary

__all__ = ["padding_rows"]


@lru_cache(maxsize=8)
def padding_rows(vocabulary: Vocabulary) -> Tensor:
    """Rows that stand for no token, padding and unused ids: int64, (count,). Such a token adds no text, endlessly."""
    size = len(vocabulary)
    return torch.tensor(
        [
            row
            for row in range(vocabulary.rows)
            if row not in vocabulary.special and (row >= size or not vocabulary.token_bytes[row])
        ],
        dtype=torch.int64,
    )
