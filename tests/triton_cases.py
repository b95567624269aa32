"""The Triton kernel against the torch path. Run by itself, with TRITON_INTERPRET=1, it needs no GPU."""

from __future__ import annotations

import itertools
import sys

import torch

from guidance_kit.guides.apply_mask import forbid_by_torch

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
ROWS = (1, 31, 32, 33, 2047, 2048, 2080, 5003)
LAYOUTS = ("contiguous", "transposed", "every second", "last of a block", "one row for all")
CASES = [
    *itertools.product(DTYPES, ROWS, (3,), LAYOUTS[:1]),
    *itertools.product(DTYPES[:2], (1, 96, 2050), (1, 4), LAYOUTS[1:]),
    *itertools.product(DTYPES[:1], (7, 64), (0, 1, 70), LAYOUTS[:1]),
]
"""dtype, rows, batch, layout of the logits."""


def laid_out(layout: str, batch: int, rows: int) -> torch.Tensor:
    """Logits with the specials of floats among them: float32, (batch, rows)."""
    shapes = {"transposed": (rows, batch), "every second": (batch, 2 * rows), "last of a block": (batch, 3, rows)}
    logits = torch.randn(shapes.get(layout, (1 if layout == "one row for all" else batch, rows)))
    specials = torch.tensor([torch.nan, torch.inf, -torch.inf, 0.0, -0.0])
    where = torch.rand(logits.shape) < 0.2
    logits[where] = specials[torch.randint(len(specials), (int(where.sum()),))]
    if layout == "transposed":
        return logits.T
    if layout == "every second":
        return logits[:, ::2]
    if layout == "last of a block":
        return logits[:, -1]
    return logits.expand(batch, rows)


def masks_of(count: int, rows: int) -> torch.Tensor:
    """Random masks: int32, (count, words). Words that are empty or full are frequent; bits beyond the rows are set."""
    words = torch.randint(-(2**31), 2**31, (count, -(-rows // 32)), dtype=torch.int64).to(torch.int32)
    kind = torch.rand(words.shape)
    return words.masked_fill(kind < 0.3, 0).masked_fill(kind > 0.7, -1)


def check(dtype: torch.dtype, rows: int, batch: int, layout: str, device: str) -> None:
    """Apply the same masks in both ways, in order and through places, and compare bit for bit."""
    from guidance_kit.guides import triton_mask

    torch.manual_seed(rows + batch)
    logits = laid_out(layout, batch, rows).to(device=device, dtype=dtype)
    before = logits.clone()
    for masks, which in (
        (masks_of(batch, rows), None),
        (masks_of(batch + 5, rows), torch.randint(batch + 5, (batch,), dtype=torch.int32)),
    ):
        found = triton_mask.forbid_rows(logits, masks.to(device), None if which is None else which.to(device))
        expected = forbid_by_torch(logits.cpu(), masks, which)
        assert found.dtype == dtype
        assert found.shape == logits.shape
        same_bits(found.cpu(), expected)
        same_bits(logits.cpu(), before.cpu())


def same_bits(one: torch.Tensor, other: torch.Tensor) -> None:
    """Both have the same numbers, signs of zeros included, and NaN at the same places."""
    assert torch.equal(one.isnan(), other.isnan())
    assert torch.equal(one.nan_to_num(nan=7.5), other.nan_to_num(nan=7.5))
    assert torch.equal(one.signbit() & ~one.isnan(), other.signbit() & ~other.isnan())


if __name__ == "__main__":
    for case in CASES:
        check(*case, device="cpu")
    sys.stdout.write(f"{len(CASES)} cases agree\n")
