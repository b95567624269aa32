"""The slice of a vocabulary: characters of which free text is made, byte by byte.

In free text nearly every token is allowed. So the tokens that lie wholly within such characters form a *slice*: one
copy of a ready mask and a walk over the few others is as exact as the walk over all of them, and many times faster.
"""

from __future__ import annotations

import numpy as np

__all__ = ["CHARACTERS", "MOST_CHARACTERS", "RUNS"]

MOST_CHARACTERS = 64
"""Longer tokens of the slice (rare: runs of spaces, dashes) are left to the walk."""


def _json_text_characters() -> np.ndarray:
    """Characters that stand for themselves in a JSON string: all scalar values but controls, `"` and backslash."""
    table = np.full((8, 256), -1, dtype=np.int16)
    table[0, 0x20:0x80] = 0
    table[0, [0x22, 0x5C]] = -1
    table[0, 0xC2:0xE0] = 1
    table[0, 0xE1:0xF0] = 2
    table[0, 0xF1:0xF4] = 3
    table[0, [0xE0, 0xED, 0xF0, 0xF4]] = [4, 5, 6, 7]
    for state in (1, 2, 3):
        table[state, 0x80:0xC0] = state - 1
    table[4, 0xA0:0xC0] = 1
    table[5, 0x80:0xA0] = 1
    table[6, 0x90:0xC0] = 2
    table[7, 0x80:0x90] = 2
    return table


def _runs(table: np.ndarray) -> np.ndarray:
    found = []
    for state, row in enumerate(table.tolist()):
        for byte, following in enumerate(row):
            if following < 0:
                continue
            if found and found[-1][0] == state and found[-1][2] == byte - 1 and found[-1][3] == following:
                found[-1][2] = byte
            else:
                found.append([state, byte, byte, following])
    return np.array(found, dtype=np.int32)


CHARACTERS = _json_text_characters()
"""int16, (states, 256): the state after a byte, 0 at the end of a character, -1 where the byte does not belong.

States: 0 at a boundary; 1, 2, 3: so many continuation bytes to come; 4..7: after E0, ED, F0, F4, whose next byte is
restricted (RFC 3629, section 4).
"""

RUNS = _runs(CHARACTERS)
"""int32, (n, 4): the same as intervals: state, first byte, last byte, next state; by state."""
