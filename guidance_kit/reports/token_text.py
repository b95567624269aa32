"""Text of tokens as HTML, with marks for what cannot be printed."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from html import escape

__all__ = ["ALONE", "IN_TEXT", "spelt"]

IN_TEXT = {"\n": "<i>↵</i>\n", "\t": "<i>⇥</i>\t"}
"""Marks of characters within a text."""

ALONE = {"\n": "<i>↵</i>", "\t": "<i>⇥</i>", " ": "<i>␣</i>"}
"""Marks of characters of a token that stands alone."""


def spelt(spelling: bytes, marks: Mapping[str, str]) -> str:
    """HTML of a text, with marks for unprintable characters and invalid bytes.

    Args:
        marks: HTML for some of the characters.
    """
    characters = spelling.decode(errors="surrogateescape")
    return "".join(marks.get(character) or _character(character) for character in characters)


def _character(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return f"<i>{ord(character) - 0xDC00:02X}</i>"
    if unicodedata.category(character)[0] == "C" or character in "\u2028\u2029":
        return f"<i>U+{ord(character):04X}</i>"
    return escape(character)
