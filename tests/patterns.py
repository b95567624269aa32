"""Random regular expressions, for comparing the regex front end with `re`."""

from __future__ import annotations

import random

__all__ = ["random_pattern"]

_ATOMS = [
    "a",
    "b",
    "a",
    "b",
    "c",
    ".",
    "[ab]",
    "[^a]",
    r"\w",
    r"\W",
    r"\s",
    r"\d",
    "é",
    " ",
    r"\n",
    "[^\\w\\n]",
    "[a-c]",
    "1",
]
_CONDITIONS = ["^", "$", r"\A", r"\Z", r"\b", r"\B"]
_QUANTIFIERS = ["*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "*?", "+?", "??", "{1,2}?", "{,2}", "{0}"]


def random_pattern(rng: random.Random, *, conditions: float = 0.2, flags: float = 0.1, depth: int = 3) -> str:
    """A pattern that `re` accepts, over a small alphabet.

    Args:
        conditions: share of anchors and lookarounds among the atoms.
        flags: share of groups with flags of their own.
        depth: of groups.
    """

    def alternation(depth: int) -> str:
        return "|".join(sequence(depth) for _ in range(rng.choice([1, 1, 1, 2, 2, 3])))

    def sequence(depth: int) -> str:
        return "".join(piece(depth) for _ in range(rng.choice([0, 1, 1, 2, 2, 3])))

    def piece(depth: int) -> str:
        if rng.random() < conditions:
            return condition(depth)
        if depth == 0 or rng.random() < 0.55:
            atom = rng.choice(_ATOMS)
        else:
            opening = "(?:"
            if rng.random() < flags:
                opening = rng.choice(["(?i:", "(?s:", "(?m:", "(?a:", "(?-i:", "(?i-s:"])
            elif rng.random() < 0.3:
                opening = "("
            atom = f"{opening}{alternation(depth - 1)})"
        return atom + rng.choice(_QUANTIFIERS) if rng.random() < 0.4 else atom

    def condition(depth: int) -> str:
        if depth == 0 or rng.random() < 0.5:
            return rng.choice(_CONDITIONS)
        if rng.random() < 0.5:
            return f"(?{rng.choice('=!')}{alternation(depth - 1)})"
        return f"(?<{rng.choice('=!')}{fixed(rng.randint(0, 2), depth - 1)})"

    def fixed(width: int, depth: int) -> str:
        """Something of exactly `width` characters, as `re` wants it in a lookbehind."""
        ways = []
        for _ in range(rng.choice([1, 1, 2])):
            parts = [rng.choice(_ATOMS) for _ in range(width)]
            if rng.random() < 0.4:
                parts.insert(rng.randint(0, width), condition(max(depth, 0)))
            ways.append("".join(parts))
        return "|".join(ways)

    leading = rng.choice(["(?i)", "(?s)", "(?m)", "(?a)", "(?im)"]) if rng.random() < flags else ""
    return leading + alternation(depth)
