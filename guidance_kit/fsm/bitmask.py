"""Packed token masks: int32 words, bit i % 32 of word i // 32 stands for logit row i.

The layout is the one of XGrammar, llguidance and vLLM, so masks can be handed to their kernels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

__all__ = ["allocate", "apply", "clear", "count", "members", "pack", "tokens_of", "unpack", "words"]


def words(rows: int) -> int:
    """Number of int32 words for `rows` logit rows."""
    return -(-rows // 32)


def allocate(batch: int, rows: int) -> np.ndarray:
    """Masks that allow nothing: int32 zeros, (batch, words(rows))."""
    return np.zeros((batch, words(rows)), dtype=np.int32)


def pack(allowed: np.ndarray) -> np.ndarray:
    """Pack bool (..., rows) into int32 (..., words(rows)); bits beyond the rows are 0."""
    rows = allowed.shape[-1]
    padded = np.zeros((*allowed.shape[:-1], words(rows) * 32), dtype=bool)
    padded[..., :rows] = allowed
    return np.packbits(padded, axis=-1, bitorder="little").view("<i4")


def unpack(mask: np.ndarray, rows: int) -> np.ndarray:
    """Unpack int32 (..., words(rows)) into bool (..., rows)."""
    bits = np.unpackbits(np.ascontiguousarray(mask).view(np.uint8), axis=-1, bitorder="little")
    return bits[..., :rows].astype(bool)


def tokens_of(mask: np.ndarray) -> np.ndarray:
    """Numbers of the allowed rows of one mask, ascending: int64."""
    return np.flatnonzero(np.unpackbits(np.ascontiguousarray(mask).view(np.uint8), bitorder="little"))


def members(mask: np.ndarray, tokens: Iterable[int]) -> list[int]:
    """Filter tokens by one mask: those that it allows."""
    return [token for token in tokens if token >> 5 < len(mask) and mask[token >> 5] >> (token & 31) & 1]


def clear(mask: np.ndarray, tokens: Collection[int]) -> None:
    """Forbid tokens in one mask, in place."""
    if tokens:
        numbers = np.fromiter(tokens, dtype=np.int64, count=len(tokens))
        bits = np.left_shift(np.uint32(1), (numbers & 31).astype(np.uint32))
        np.bitwise_and.at(mask.view(np.uint32), numbers >> 5, ~bits)


def count(mask: np.ndarray) -> np.ndarray:
    """Number of allowed rows of each mask: (...)."""
    return np.bitwise_count(mask.view(np.uint32)).sum(axis=-1, dtype=np.int64)  # of signed words it counts |word|


def apply(logits: np.ndarray, mask: np.ndarray) -> None:
    """Set `logits` (float32, (batch, rows)) to -inf, in place, wherever the bit of `mask` (batch, words) is 0.

    Raises:
        ValueError: if the shapes do not belong together.
    """
    from guidance_kit.fsm.kernels.logits import apply_mask

    if mask.shape != (logits.shape[0], words(logits.shape[1])):
        raise ValueError(f"mask {mask.shape} does not fit logits {logits.shape}")
    apply_mask(logits, mask)
