"""The slices of fsm.slices against what they stand for, over all characters and all escapes."""

from __future__ import annotations

import itertools
import json

import numpy as np

from guidance_kit.fsm.slices import CONTENT, SLICES, TEXT
from guidance_kit.grammars.regular.encoding import SLICE_CHARACTERS, TEXT_CHARACTERS


def accepted(table: np.ndarray, spellings: np.ndarray) -> np.ndarray:
    """Which spellings, uint8 (n, length), are one character of a slice: bool (n,)."""
    place = np.zeros(len(spellings), dtype=np.int16)
    for k, byte in enumerate(spellings.T):
        here = table[place, byte]
        place = np.where((place < 0) | ((place == 0) & (k > 0)), -1, here)
    return place == 0


def number_of_spellings(table: np.ndarray) -> int:
    """How many byte strings lead from place 0 back to it for the first time."""
    ways = np.stack([(table == place).sum(axis=1) for place in range(len(table))], axis=1)  # from, to
    here, total = ways[0].copy(), 0
    while here.any():
        total += int(here[0])
        here[0] = 0
        here = here @ ways
    return total


def test_text_is_the_text_of_the_front_ends():
    """Exactly their UTF-8: each of them is one character of the slice, and the slice has no more than so many."""
    points = np.concatenate([np.arange(0xD800), np.arange(0xE000, 0x110000)])
    utf8 = np.frombuffer(points.astype("<u4").tobytes().decode("utf-32-le").encode(), dtype=np.uint8)
    begins = np.flatnonzero(utf8 & 0xC0 != 0x80)
    lengths = np.diff(begins, append=len(utf8))
    found = np.zeros(0x110000, dtype=bool)
    for length in range(1, 5):
        chosen = lengths == length
        found[points[chosen]] = accepted(SLICES[TEXT], utf8[begins[chosen, None] + np.arange(length)])
    wanted = np.zeros(0x110000, dtype=bool)
    for first, last in SLICE_CHARACTERS.ranges:
        wanted[first : last + 1] = True
    assert np.array_equal(found, wanted)
    assert number_of_spellings(SLICES[TEXT]) == len(SLICE_CHARACTERS) == len(TEXT_CHARACTERS) - 2


def is_json(text: str) -> bool:
    """Whether a JSON string may consist of `text`."""
    try:
        json.loads(f'"{text}"')
    except ValueError:
        return False
    return True


def test_content_is_text_and_the_escapes_of_json():
    """Those that stand for a character alone: not those of surrogates."""
    content = SLICES[CONTENT]
    short = ["\\" + chr(byte) for byte in range(0x80)]
    units = ["\\u" + "".join(digits) for digits in itertools.product("0123456789abcdefABCDEF", repeat=4)]
    characters = json.loads('["' + '", "'.join(units) + '"]')
    wanted = [*map(is_json, short), *(not "\ud800" <= character <= "\udfff" for character in characters)]
    found: list[bool] = []
    for escapes in (short, units):
        spellings = np.frombuffer("".join(escapes).encode(), dtype=np.uint8)
        found += accepted(content, spellings.reshape(len(escapes), -1)).tolist()
    assert found == wanted
    assert number_of_spellings(content) == len(TEXT_CHARACTERS) + sum(wanted)
    points = [point for first, last in TEXT_CHARACTERS.ranges for point in range(first, last + 1)]
    for length in range(1, 5):
        utf8 = [text for text in (chr(point).encode() for point in points) if len(text) == length]
        assert accepted(content, np.frombuffer(b"".join(utf8), dtype=np.uint8).reshape(-1, length)).all()
