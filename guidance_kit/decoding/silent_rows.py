"""Rows of logits that stand for no token."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

from guidance_kit.vocabulary import Vocabulary

__all__ = ["silent_rows"]


@lru_cache(maxsize=8)
def silent_rows(vocabulary: Vocabulary) -> Tensor:
    """Rows that stand for no token: padding and holes. To generate one would add nothing, for ever."""
    size = len(vocabulary)
    return torch.tensor(
        [
            row
            for row in range(vocabulary.rows)
            if row not in vocabulary.special and (row >= size or not vocabulary.token_bytes[row])
        ],
        dtype=torch.int64,
    )
