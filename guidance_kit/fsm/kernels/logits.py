"""Logits: a mask sets those of forbidden tokens to -inf."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.compiling import kernel

__all__ = ["apply_mask"]


@kernel
def apply_mask(logits_out, mask):
    """Set logits_out (float32, (batch, rows)) to -inf wherever the bit in mask (int32, (batch, words)) is 0.

    Rows of words that are all ones, or all zeros, cost one comparison.
    """
    rows = logits_out.shape[1]
    for b in range(logits_out.shape[0]):
        for w in range(mask.shape[1]):
            word = mask[b, w]
            if word == -1:
                continue
            first = w * 32
            last = min(first + 32, rows)
            if word == 0:
                for r in range(first, last):
                    logits_out[b, r] = -np.inf
            else:
                for r in range(first, last):
                    if (word >> (r - first)) & 1 == 0:
                        logits_out[b, r] = -np.inf
