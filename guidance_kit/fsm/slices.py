"""Slices of a vocabulary: the characters of which free text is made, byte by byte.

In free text nearly every token is allowed. So the tokens that lie wholly within such characters form a *slice*: one
copy of a ready mask and a walk over the few others is as exact as the walk over all of them, and many times faster.

Two kinds of characters are worth a slice: TEXT, those that stand for themselves in a JSON string (nearly all of any
other text, too) but U+2028 and U+2029, which `.` does not match in ECMA-262; and CONTENT, all of the former and the
escapes. What a slice saves depends on what is known of a state:

* All characters lead back to where the text stands (`Network.treats_alike`): then tokens can also be read without the
  characters of the slice that they begin with, and what is left of all of them is a small trie.
* Texts of up to k characters can follow: then all tokens of up to k characters are allowed, the others are walked.
"""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.columns import RUN

__all__ = ["CONTENT", "FIRSTS", "LONGEST_CHARACTER", "MOST_CHARACTERS", "RUNS", "SLICES", "TEXT"]

MOST_CHARACTERS = 64
"""Longer tokens (rare: runs of spaces, dashes) are not in the masks of up to k characters."""

LONGEST_CHARACTER = 6
"""Bytes of an escape."""

TEXT, CONTENT = 1, 0
"""Numbers of the slices; the one that contains the other comes first, as it leaves less to walk."""


def _unescaped() -> np.ndarray:
    """All scalar values but controls, `"` and backslash."""
    table = np.full((8, 256), -1, dtype=np.int16)
    table[0, 0x20:0x80] = 0
    table[0, [0x22, 0x5C]] = -1
    table[0, 0xC2:0xE0] = 1
    table[0, 0xE1:0xF0] = 2
    table[0, 0xF1:0xF4] = 3
    table[0, [0xE0, 0xED, 0xF0, 0xF4]] = [4, 5, 6, 7]
    for place in (1, 2, 3):
        table[place, 0x80:0xC0] = place - 1
    table[4, 0xA0:0xC0] = 1
    table[5, 0x80:0xA0] = 1
    table[6, 0x90:0xC0] = 2
    table[7, 0x80:0x90] = 2
    return table


def _text() -> np.ndarray:
    """The same without U+2028 and U+2029."""
    table = np.full((10, 256), -1, dtype=np.int16)
    table[:8] = _unescaped()
    table[0, 0xE2] = 8
    table[8, 0x80] = 9
    table[8, 0x81:0xC0] = 1
    table[9, 0x80:0xC0] = 0
    table[9, [0xA8, 0xA9]] = -1
    return table


def _content() -> np.ndarray:
    """Unescaped characters, and the escapes of JSON but those of surrogates, which stand for one only in pairs."""
    table = np.full((14, 256), -1, dtype=np.int16)
    table[:8] = _unescaped()
    backslash, first, second, third, fourth, after_d = range(8, 14)
    table[0, 0x5C] = backslash
    table[backslash, list(b'"\\/bfnrt')] = 0
    table[backslash, ord("u")] = first
    for place, following in ((first, second), (second, third), (third, fourth), (fourth, 0)):
        table[place, list(b"0123456789ABCDEFabcdef")] = following
    table[first, list(b"Dd")] = after_d
    table[after_d, list(b"01234567")] = third
    return table


def _runs(table: np.ndarray) -> np.ndarray:
    found = []
    for place, row in enumerate(table.tolist()):
        for byte, following in enumerate(row):
            if following < 0:
                continue
            end = found[-1] if found else None
            if end and (end[RUN.place], end[RUN.last], end[RUN.following]) == (place, byte - 1, following):
                end[RUN.last] = byte
            else:
                found.append([place, byte, byte, following])  # in the order of RUN
    return np.array(found, dtype=np.int32)


SLICES = (_content(), _text())
"""int16, (places, 256), for each slice: the place after a byte, 0 at the end of a character, -1 where the byte does not
belong.

Places: 0 at a boundary; 1, 2, 3: so many continuation bytes to come; 4..7: after E0, ED, F0, F4, whose next byte is
restricted (RFC 3629, section 4); in TEXT also 8: after E2; 9: after E2 80; in CONTENT also 8: after a backslash;
9..12: before the 1st, 2nd, 3rd, 4th digit of a code unit; 13: before the 2nd digit after a D.
"""

RUNS = _runs(SLICES[TEXT])
"""int32, (n, RUN): TEXT as intervals of bytes, by place."""

FIRSTS = np.array(
    [
        (which, run[RUN.first], run[RUN.last])  # in the order of FIRST
        for which, table in enumerate(SLICES)
        for run in _runs(table).tolist()
        if run[RUN.place] == 0
    ],
    dtype=np.int32,
)
"""int32, (m, FIRST): what characters begin with, by slice. The first byte of the first
interval of a slice is a character of its own."""
