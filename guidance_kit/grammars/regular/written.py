"""A pattern prepared for the parser of `re`, which knows neither `\\p{...}` nor the classes of ECMA-262."""

from __future__ import annotations

from collections.abc import Sequence

from guidance_kit.grammars.regular.charset import CharSet

__all__ = ["MAX_STAND_INS", "Written", "stand_in"]

MAX_STAND_INS = 0xF00
"""Greatest number of different sets in a pattern."""


def stand_in(number: int) -> int:
    """The code point that stands for set number `number` in a pattern; a pattern that uses it itself is refused."""
    return 0x10F000 + number


class Written:
    """A pattern as the parser of `re` gets it.

    Attributes:
        text: the pattern, in which certain characters that it does not use stand for sets.
        sets: these characters (code points) and their sets, with and without case.
        origin: the pattern as the user wrote it.
        offsets: (index in `text`, index in `origin`) after each replacement.
    """

    __slots__ = ("offsets", "origin", "sets", "text")

    def __init__(
        self,
        origin: str,
        text: str,
        sets: dict[int, tuple[CharSet, CharSet]],
        offsets: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.origin = origin
        self.text = text
        self.sets = sets
        self.offsets = offsets

    def position(self, index: int) -> int:
        """Position in `origin` of an index of `text`."""
        shift = 0
        for here, there in self.offsets:
            if here > index:
                break
            shift = there - here
        return min(index + shift, len(self.origin))
