"""Match of a pattern at the start of a text, by the `regex` package."""

from __future__ import annotations

from collections.abc import Callable

import regex

__all__ = ["matcher_of"]


def matcher_of(pattern: str) -> Callable[[str], str | None]:
    """Function from a text to its prefix that a pattern matches; None without a match.

    Raises:
        regex.error: the pattern is malformed.
    """
    match = regex.compile(pattern).match

    def matched(text: str) -> str | None:
        found = match(text)
        return None if found is None else found[0]

    return matched
