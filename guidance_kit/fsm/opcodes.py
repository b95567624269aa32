"""Op codes of the edges of a network that read nothing; an edge that reads a byte has `lo | hi << 8` instead.

The head of `fsm.network` says what each of them means. Kernels are compiled with these numbers.
"""

from __future__ import annotations

__all__ = [
    "CALL", "EPSILON", "FINAL", "FRESH", "JUMP", "LOOP", "NONE_LEFT", "RECALL", "SOME_LEFT", "TAKE", "TURN", "WITHIN",
]  # fmt: skip

EPSILON = -1
CALL = -2
FINAL = -3
JUMP = -4
LOOP = -5
TURN = -6
WITHIN = -7
RECALL = -8
FRESH = -9
SOME_LEFT = -10
TAKE = -11
NONE_LEFT = -12
