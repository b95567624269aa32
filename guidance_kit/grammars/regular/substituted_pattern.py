"""Substitution of stand-in characters for `\\p{...}` and classes of ECMA-262, which the parser of `re` cannot read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import regex

from guidance_kit.errors import LimitError, PatternError, UnsupportedFeature
from guidance_kit.grammars.regular.charset import CharSet, property_set

__all__ = ["MAX_STAND_INS", "SubstitutedPattern", "stand_in", "without_properties"]

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


def without_properties(pattern: str) -> SubstitutedPattern:
    r"""Replace each `\p{...}` by a stand-in.

    Raises:
        PatternError: a property is malformed or unknown.
        UnsupportedFeature: the pattern contains a stand-in.
        LimitError: there are too many properties.
    """
    sets: dict[int, tuple[CharSet, CharSet]] = {}
    numbers: dict[tuple[str, bool], int] = {}
    pieces: list[str] = []
    offsets: list[tuple[int, int]] = []
    done = length = 0
    for match in re.finditer(r"\\(?:([pP])(?:\{(\^?)([^{}]*)\}|([A-Za-z]))|(.|\n))", pattern, re.DOTALL):
        if match[5] in ("p", "P"):
            raise PatternError(
                f"bad escape \\{match[5]}: a property in braces must follow", pattern=pattern, position=match.start()
            )
        if not match[1]:
            continue
        name = match[3] if match[3] is not None else match[4]
        key = (name, (match[1] == "P") != (match[2] == "^"))
        if key not in numbers:
            if len(numbers) >= MAX_STAND_INS:
                raise LimitError("max_properties", MAX_STAND_INS, where=f"position {match.start()}")
            numbers[key] = stand_in(len(numbers))
            try:
                found = property_set(name), property_set(name, ignore_case=True)
            except regex.error as error:
                raise PatternError(
                    f"unknown property {name!r} ({error})", pattern=pattern, position=match.start()
                ) from None
            sets[numbers[key]] = (~found[0], ~found[1]) if key[1] else found
        before = pattern[done : match.start()]
        pieces += (before, chr(numbers[key]))
        length += len(before) + 1
        done = match.end()
        offsets.append((length, done))
    for point in sets:
        if chr(point) in pattern:
            raise UnsupportedFeature(
                f"the character U+{point:X} in a pattern with \\p", where=f"position {pattern.index(chr(point))}"
            )
    return SubstitutedPattern(pattern, "".join((*pieces, pattern[done:])), sets, offsets)
