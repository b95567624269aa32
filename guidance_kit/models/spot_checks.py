"""Comparison of some answers from a cache with computations from the start of their texts."""

from __future__ import annotations

from torch import Tensor

__all__ = ["SHARE", "SpotChecks", "are_close"]

SHARE = 16
"""One token is computed a second time for so many that are computed."""

TOLERANCE = 1e-3
"""Largest difference of float32 logits that are computed in two ways, in standard deviations of the logits.

Rounding alone gives 1e-6 to 1e-5, linear attention in chunks and step by step up to 5e-4; a wrong position or mask
shifts logits by 0.04 to 4.
"""
_HALF_TOLERANCE = 0.05
"""Root mean square of the differences where numbers have 8 or 11 bits, in standard deviations of the logits.

Measured in bfloat16 on the small models of the tests: at most 0.01 between a cache and a computation from the start
(for the same text in float32, 0.004 to 0.05); 0.08 in the median where one token in 60 is lost, 0.3 where one position
is wrong. So errors that are smaller than rounding are seen in float32 alone.
"""


def are_close(logits: Tensor, expected: Tensor, *, is_coarse: bool = False) -> bool:
    """Test whether logits are the expected ones up to rounding; NaN is close to nothing.

    Args:
        logits, expected: float, of equal shapes.
        is_coarse: whether they were computed in half precision, whatever their own type is.
    """
    difference, scale = (logits.float() - expected.float()).abs(), expected.float().std()
    if is_coarse:
        return bool(difference.square().mean().sqrt() <= _HALF_TOLERANCE * scale)
    return bool(difference.max() <= TOLERANCE * scale)


class SpotChecks:
    """Choice of the answers that are computed a second time, from the start of their texts.

    These are the first, the second, the fourth, ... answer; each that is for a text twice as long as the longest one
    checked; and one whenever `SHARE` times as many tokens were computed as its check takes. So checks take a bounded
    share of the work, and never end: a cache that goes wrong late in a text, or in late texts, is noticed.
    """

    def __init__(self) -> None:
        self._answers = 0
        self._longest = 0
        self._credit = 0.0

    def note(self, computed: int, cost: int) -> None:
        """Take note of tokens that were computed, for texts of whose tokens there are `cost`."""
        self._credit += computed / (SHARE * cost)

    def is_due(self, length: int) -> bool:
        """Test whether to check an answer for texts of so many tokens; it counts as checked then."""
        self._answers += 1
        is_early = self._answers & (self._answers - 1) == 0
        if not (is_early or length >= 2 * self._longest or self._credit >= 1):
            return False
        self._credit = max(0.0, self._credit - 1)
        self._longest = max(self._longest, length)
        return True
