"""Substitution of stand-in characters for `\\p{...}` and classes of ECMA-262, which the parser of `re` cannot read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from guidance_kit.grammars.regular.charset import CharSet

__all__ = ["MAX_STAND_INS", "SubstitutedPattern", "stand_in"]

MAX_STAND_INS = 0xF00
"""Greatest number of different sets in a pattern."""


def stand_in(number: int) -> int:
    """Code point that stands for set number `number` in a pattern; a pattern that contains it is refused."""
    return 0x10F000 + number


@dataclass(frozen=True, slots=True)
class SubstitutedPattern:
    """A pattern in the syntax of `re`, with stand-in characters for sets.

    Attributes:
        origin: the pattern of the user.
        text: the pattern for the parser of `re`.
        sets: stand-ins (code points) and their sets, with and without case.
        offsets: (index in `text`, index in `origin`) after each replacement.
    """

    origin: str
    text: str
    sets: Mapping[int, tuple[CharSet, CharSet]] = field(default_factory=dict)
    offsets: Sequence[tuple[int, int]] = ()

    def position(self, index: int) -> int:
        """Position in `origin` of an index of `text`."""
        shift = 0
        for here, there in self.offsets:
            if here > index:
                break
            shift = there - here
        return min(index + shift, len(self.origin))
