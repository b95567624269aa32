"""Packed masks: packing, counting, and their use on logits."""

from __future__ import annotations

import numpy as np
import pytest

from guidance_kit.fsm import bitmask


def test_packing_round_trips():
    rng = np.random.default_rng(0)
    for rows in (1, 31, 32, 33, 64, 1000):
        allowed = rng.random((3, rows)) < 0.5
        mask = bitmask.pack(allowed)
        assert mask.dtype == np.int32
        assert mask.shape == (3, bitmask.words(rows))
        np.testing.assert_array_equal(bitmask.unpack(mask, rows), allowed)
        np.testing.assert_array_equal(bitmask.count(mask), allowed.sum(-1))
        np.testing.assert_array_equal(bitmask.tokens_of(mask[0]), np.flatnonzero(allowed[0]))
        logits = rng.standard_normal((3, rows)).astype(np.float32)
        expected = np.where(allowed, logits, -np.inf)
        bitmask.apply(logits, mask)
        np.testing.assert_array_equal(logits, expected)
    with pytest.raises(ValueError, match="does not fit"):
        bitmask.apply(np.zeros((1, 33), dtype=np.float32), bitmask.allocate(1, 32))
