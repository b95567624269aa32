"""Notation of tokens of a vocabulary in grammars."""

from __future__ import annotations

import re
from collections.abc import Callable

from guidance_kit.fsm.token_set import TokenSet

__all__ = ["TOKENS", "token_set"]

TOKENS = re.compile(r"<\[[^\]>\n]*\]>|<[^<>\s\[]+>|<\[")
"""Tokens by their numbers, `<[5]>`, `<[0-99,128010]>`, `<[^5]>`, `<[*]>`, or one by its name, `<|name|>`; or a
malformed one.
"""

_RANGE = re.compile(r"\s*([0-9]+)(?:\s*-\s*([0-9]+))?\s*")

_MOST_DIGITS = 9


def token_set(written: str, wrong: Callable[[str, int], Exception]) -> TokenSet:
    """Set of tokens of a text of `TOKENS`.

    Args:
        written: the text.
        wrong: function from a message and a position in `written` to an error.
    """
    if not written.startswith("<["):
        return TokenSet(names=(written,))
    inner = written[2:-2].strip()
    if not inner:
        raise wrong(
            "expected numbers of tokens, as in <[5]>, <[0-99,128010]>, <[^5]> or <[*]>", min(2, len(written) - 1)
        )
    if inner == "*":
        return TokenSet(is_negated=True)
    is_negated = written[2] == "^"
    place, ranges = 2 + is_negated, list[tuple[int, int]]()
    while True:
        found = _RANGE.match(written, place)
        if found is None:
            raise wrong("expected the number of a token, or a range as 0-99", place)
        if max(len(found[1]), len(found[2] or "")) > _MOST_DIGITS:
            raise wrong(f"no vocabulary has a token whose number has more than {_MOST_DIGITS} digits", found.start(1))
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise wrong(f"a range from {first} to {last}", found.start(1))
        ranges.append((first, last))
        place = found.end()
        if place == len(written) - 2:
            return TokenSet(ranges=tuple(ranges), is_negated=is_negated)
        if written[place] != ",":
            raise wrong("expected a comma, or ]>", place)
        place += 1
