"""Masks on logits, bit for bit, in all precisions and layouts."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from triton_cases import LAYOUTS, laid_out, masks_of, same_bits

from guidance_kit.fsm import bitmask
from guidance_kit.guides import apply_mask
from guidance_kit.guides.apply_mask import forbid, forbid_rows

DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64]


def masked_by_numpy(logits: torch.Tensor, allowed: np.ndarray) -> torch.Tensor:
    """The definition, in float64, which holds all that the others can."""
    return torch.from_numpy(np.where(allowed, logits.double().numpy(), -np.inf)).to(logits.dtype)


@pytest.mark.parametrize("rows", [1, 31, 32, 33, 100, 1024, 4099])
@pytest.mark.parametrize("dtype", DTYPES)
def test_masks_are_applied_bit_for_bit(rows, dtype):
    rng = np.random.Generator(np.random.PCG64(rows))
    torch.manual_seed(rows)
    for density in (0.0, 0.01, 0.5, 1.0):
        allowed = rng.random((3, rows)) < density
        given = laid_out("contiguous", 3, rows).to(dtype)
        before = given.clone()
        mask = bitmask.pack(allowed)
        for masked in (forbid(given, mask), forbid_rows(given, torch.from_numpy(mask))):
            assert masked.dtype == dtype
            same_bits(masked, masked_by_numpy(given, allowed))
        same_bits(given, before)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_logits_of_any_layout(layout, dtype):
    torch.manual_seed(1)
    for rows in (1, 70, 96):
        logits, masks = laid_out(layout, 5, rows).to(dtype), masks_of(5, rows)
        expected = masked_by_numpy(logits, bitmask.unpack(masks.numpy(), rows))
        same_bits(forbid(logits, masks.numpy()), expected)
        same_bits(forbid_rows(logits, masks), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_masks_are_found_by_their_places(dtype):
    torch.manual_seed(2)
    masks = masks_of(4, 77)
    for which in ([], [3], [0, 0, 0], [2, 3, 1, 2, 0, 0]):
        logits = torch.randn(len(which), 77).to(dtype)
        places = torch.tensor(which, dtype=torch.int32)
        expected = masked_by_numpy(logits, bitmask.unpack(masks[which].numpy(), 77))
        same_bits(forbid_rows(logits, masks, places), expected)


def test_masks_that_do_not_fit():
    logits = torch.zeros(2, 100)
    with pytest.raises(ValueError, match=r"mask \(2, 3\) does not fit"):
        forbid(logits, bitmask.allocate(2, 96))
    with pytest.raises(ValueError, match=r"masks \(2, 3\) do not fit logits \(2, 100\)"):
        forbid(logits.double(), bitmask.allocate(2, 96))
    with pytest.raises(ValueError, match=r"masks \(3, 4\) do not fit logits \(2, 100\)"):
        forbid_rows(logits, masks_of(3, 100))
    with pytest.raises(ValueError, match=r"masks \(3, 4\), 1 of them, do not fit logits \(2, 100\)"):
        forbid_rows(logits, masks_of(3, 100), torch.zeros(1, dtype=torch.int32))


def test_inference_mode_leaves_nothing_behind():
    logits, masks = torch.randn(2, 64, requires_grad=True), masks_of(2, 64)
    apply_mask._bits.cache_clear()
    with torch.inference_mode():
        forbid_rows(logits, masks)
    forbid_rows(logits, masks).nan_to_num(neginf=0.0).sum().backward()
    same_bits(logits.grad != 0, torch.tensor(bitmask.unpack(masks.numpy(), 64)))
