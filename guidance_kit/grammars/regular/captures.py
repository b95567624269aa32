"""Captures of the named groups of a pattern in a whole text."""

from __future__ import annotations

import re

import regex

from guidance_kit.errors import MatchError

__all__ = ["captures"]


def captures(pattern: str, flags: int, text: str) -> dict[str, str | None]:
    """Captures of the named groups in `re.fullmatch`; None for groups that took no part.

    Patterns that `re` cannot compile (properties, lookbehinds of any width) are matched by `regex`, with the same
    meaning. Both backtrack: an ambiguous pattern may take long.

    Raises:
        MatchError: the pattern does not match the text.

    >>> captures("(?P<year>[0-9]+)-(?P<month>[0-9]+)(-(?P<day>[0-9]+))?", 0, "2024-05")
    {'year': '2024', 'month': '05', 'day': None}
    """
    try:
        found = re.fullmatch(pattern, text, flags)
    except re.error:
        others = regex.ASCII if flags & re.ASCII else regex.UNICODE
        shared = flags & (re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE)
        found = regex.fullmatch(pattern, text, flags=regex.VERSION0 | others | shared)
    if found is None:
        raise MatchError(f"the text {text[:200]!r} does not match the pattern {pattern[:200]!r}")
    return found.groupdict()
