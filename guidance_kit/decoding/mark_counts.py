"""Counts of the tokens of a text by what a watermark did with them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MarkCounts"]


class MarkCounts(NamedTuple):
    """Numbers of the tokens of a text by what the watermark did with them. The others had no alternative.

    Attributes:
        marked: drawn under the watermark.
        short: drawn without it, as their context reaches into the prompt.
        repeated: drawn without it, as their context was seen before.
        skipped: drawn without it, as a hard green list had no green token that is allowed.
    """

    marked: int = 0
    short: int = 0
    repeated: int = 0
    skipped: int = 0
