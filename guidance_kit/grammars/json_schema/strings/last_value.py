"""Last JSON value of a text, parsed backwards from its end, as only the end of the text is kept."""

from __future__ import annotations

import json

__all__ = ["beginning_of", "opening_quote", "string_so_far"]

_QUOTE, _BACKSLASH = b'"', 0x5C


def beginning_of(text: bytes, end: int) -> int:
    """Index of the first byte of the JSON value that ends at `end`."""
    depth = 0
    while True:
        end -= 1
        byte = text[end : end + 1]
        if byte == _QUOTE:
            end = opening_quote(text, end)
        elif byte in b"]}":
            depth += 1
        elif byte in b"[{":
            depth -= 1
        elif depth == 0:  # a number or a word
            while end > 0 and text[end - 1 : end] not in b"[{,: \t\r\n":
                end -= 1
        if depth == 0:
            return end


def opening_quote(text: bytes, end: int) -> int:
    """Index of the opening quote of the string with its closing quote at `end`: inner quotes are escaped."""
    while True:
        end = text.rindex(_QUOTE, 0, end)
        before = end
        while text[before - 1] == _BACKSLASH:
            before -= 1
        if (end - before) % 2 == 0:
            return end


def string_so_far(text: bytes) -> str:
    """The JSON string that has begun, and not ended, at the end of a text."""
    return json.loads(text[opening_quote(text, len(text)) :] + _QUOTE)
