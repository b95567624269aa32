"""Triton kernel that applies masks to logits in one pass. Only this file imports Triton, which comes with torch."""

from __future__ import annotations

import subprocess

import torch
import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]
from torch import Tensor

__all__ = ["failure_on", "forbid_rows"]

_WORDS = 64
"""Words of a mask that one program applies: 2,048 logits, 8 KiB of float32."""


def forbid_rows(logits: Tensor, masks: Tensor, which: Tensor | None) -> Tensor:
    """See `apply_mask.forbid_rows`; shapes are not checked, and no gradient flows through."""
    batch, rows = logits.shape
    masked = torch.empty((batch, rows), dtype=logits.dtype, device=logits.device)
    if masked.numel() == 0:  # there is no launch of no program
        return masked
    with torch.cuda.device_of(logits):  # where Triton launches
        # Where Triton is not installed, a type checker takes the kernel for a plain function.
        _forbid_rows[batch, triton.cdiv(masks.shape[1], _WORDS)](  # pyright: ignore[reportIndexIssue]
            logits,
            masks,
            which,
            masked,
            rows,
            masks.shape[1],
            *logits.stride(),
            WORDS=_WORDS,
            # There is nothing to fuse; but Triton 3.9 warns if it is not told.
            enable_fp_fusion=False,  # pyright: ignore[reportCallIssue]
        )
    return masked


def failure_on(device: torch.device) -> str | None:
    """Error of a trial run on a device, for example for lack of the C compiler that Triton needs; None if it works."""
    try:
        forbid_rows(torch.zeros(1, 1, device=device), torch.zeros(1, 1, dtype=torch.int32, device=device), None)
    except torch.OutOfMemoryError:
        raise
    except (RuntimeError, OSError, subprocess.SubprocessError, triton.TritonError) as error:
        return f"{type(error).__name__}: {error}"
    return None


@triton.jit
def _forbid_rows(logits, masks, which, masked, rows, words, logits_stride, logits_step, WORDS: tl.constexpr):
    """Mask a tile: one program a row of the batch and `WORDS` words of its mask, words by bits.

    A thread has adjacent logits of one word, for loads of 16 bytes where the strides allow it, and logits of words
    without a bit are not loaded. Offsets have 64 bits: a batch may have more than 2^31 logits.
    """
    row = tl.program_id(0).to(tl.int64)
    place = row
    if which is not None:
        place = tl.load(which + row).to(tl.int64)
    word = tl.program_id(1) * WORDS + tl.arange(0, WORDS)
    bit = tl.arange(0, 32)[None, :]
    packed = tl.load(masks + place * words + word, mask=word < words, other=0)[:, None]
    column = word[:, None] * 32 + bit
    is_row = column < rows
    given = tl.load(
        logits + row * logits_stride + column.to(tl.int64) * logits_step,
        mask=is_row & (packed != 0),
        other=-float("inf"),
    )
    tl.store(masked + row * rows + column, tl.where((packed >> bit) & 1 != 0, given, -float("inf")), mask=is_row)
