"""Named groups of a pattern in a whole text."""

from __future__ import annotations

import re

import regex

from guidance_kit.errors import MatchError

__all__ = ["captures"]


def captures(pattern: str, flags: int, text: str) -> dict[str, str | None]:
    """The texts of the named groups, as `re.fullmatch` has them; None for those that took no part.

    What `re` does not know (properties, lookbehinds of any width) is left to `regex`, which means the same by the rest.
    Both backtrack: an ambiguous pattern may take long.

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
