"""Immutable sets of code points, the Unicode classes of the running Python, and text that UTF-8 can spell."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

import numpy as np
import regex

__all__ = [
    "ALL",
    "ASCII_DIGIT",
    "ASCII_SPACE",
    "ASCII_WORD",
    "NONE",
    "CharSet",
    "digits",
    "is_spellable",
    "property_set",
    "spaces",
    "typical",
    "union",
    "where",
    "words",
]


class CharSet:
    """A set of Unicode scalar values (code points without the surrogates).

    Attributes:
        bounds: the set as sorted half-open ranges, flat: (first, last + 1, first, last + 1, ...). Neighbouring ranges
            do not touch, except that none contains the gap of the surrogates, U+D800 to U+DFFF.
    """

    __slots__ = ("_beyond_ascii", "_hash", "bounds")

    def __init__(self, bounds: tuple[int, ...]) -> None:
        self.bounds = bounds
        self._hash = hash(bounds)
        self._beyond_ascii: CharSet | None = None

    @classmethod
    def of(cls, ranges: Iterable[tuple[int, int]]) -> CharSet:
        """The union of inclusive ranges, in any order; surrogates are left out."""
        bounds: list[int] = []
        for lo, hi in sorted(ranges):
            if bounds and lo <= bounds[-1]:
                bounds[-1] = max(bounds[-1], hi + 1)
            else:
                bounds += (lo, hi + 1)
        return cls(_intersected(tuple(bounds), _SCALARS))

    @classmethod
    def single(cls, code_point: int) -> CharSet:
        """The set of one code point; empty if that is a surrogate."""
        found = _SINGLES.get(code_point)
        if found is None:
            is_scalar = not 0xD800 <= code_point < 0xE000
            found = cls((code_point, code_point + 1) if is_scalar else ())
            if code_point < 0x250:
                _SINGLES[code_point] = found
        return found

    @classmethod
    def characters(cls, text: Iterable[str]) -> CharSet:
        """The set of the characters of a text."""
        return cls.of((ord(character), ord(character)) for character in text)

    @property
    def ranges(self) -> Iterator[tuple[int, int]]:
        """The inclusive ranges (first, last)."""
        bounds = self.bounds
        return ((bounds[i], bounds[i + 1] - 1) for i in range(0, len(bounds), 2))

    @property
    def is_ascii(self) -> bool:
        """True if no member is beyond U+007F."""
        return not self.bounds or self.bounds[-1] <= 0x80

    @property
    def beyond_ascii(self) -> CharSet:
        """The members beyond U+007F."""
        found = self._beyond_ascii
        if found is None:
            bounds = self.bounds
            place = bisect_right(bounds, 0x80)
            rest = bounds[place:] if place % 2 == 0 else (0x80, *bounds[place:])
            found = self._beyond_ascii = self if rest == bounds else CharSet(rest)
        return found

    def __contains__(self, code_point: int) -> bool:
        return bisect_right(self.bounds, code_point) % 2 == 1

    def __len__(self) -> int:
        return sum(self.bounds[1::2]) - sum(self.bounds[::2])

    def __bool__(self) -> bool:
        return bool(self.bounds)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, CharSet) and self.bounds == other.bounds)

    def __or__(self, other: CharSet) -> CharSet:
        if not self.bounds or self is other:
            return other
        if not other.bounds:
            return self
        # a | b = ~(~a & ~b), and the complement of an inversion list only toggles its ends
        return CharSet(_intersected(_toggled(_intersected(_toggled(self.bounds), _toggled(other.bounds))), _SCALARS))

    def __and__(self, other: CharSet) -> CharSet:
        if self is other:
            return self
        if len(self.bounds) + len(other.bounds) > _LARGE:
            return _common(self, other)
        return CharSet(_intersected(self.bounds, other.bounds))

    def __sub__(self, other: CharSet) -> CharSet:
        if len(self.bounds) + len(other.bounds) > _LARGE:
            return _difference(self, other)
        return CharSet(_intersected(self.bounds, _toggled(other.bounds)))

    def __invert__(self) -> CharSet:
        return CharSet(_intersected(_toggled(self.bounds), _SCALARS))

    def __le__(self, other: CharSet) -> bool:
        return not (self - other)

    def __repr__(self) -> str:
        shown = [f"{lo:X}" if lo == hi else f"{lo:X}-{hi:X}" for lo, hi in self.ranges]
        return f"CharSet({' '.join(shown[:8])}{' …' if len(shown) > 8 else ''})"


_LARGE = 64
"""Number of bounds of two sets from which on the results of their operations are cached."""


@lru_cache(maxsize=512)
def _common(a: CharSet, b: CharSet) -> CharSet:
    return CharSet(_intersected(a.bounds, b.bounds))


@lru_cache(maxsize=512)
def _difference(a: CharSet, b: CharSet) -> CharSet:
    return CharSet(_intersected(a.bounds, _toggled(b.bounds)))


def union(sets: Iterable[CharSet]) -> CharSet:
    """The union of any number of sets."""
    members = list(sets)
    if len(members) < 3:
        return members[0] | members[-1] if members else NONE
    return CharSet.of(pair for member in members for pair in member.ranges)


def _toggled(bounds: tuple[int, ...]) -> tuple[int, ...]:
    """Complement within 0..0x10FFFF, surrogates included."""
    bounds = bounds[1:] if bounds[:1] == (0,) else (0, *bounds)
    return bounds[:-1] if bounds[-1:] == (0x110000,) else (*bounds, 0x110000)


def _intersected(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    result: list[int] = []
    i = j = 0
    while i < len(a) and j < len(b):
        lo = a[i] if a[i] > b[j] else b[j]
        if a[i + 1] < b[j + 1]:
            hi = a[i + 1]
            i += 2
        else:
            hi = b[j + 1]
            j += 2
        if lo < hi:
            result += (lo, hi)
    return tuple(result)


_SCALARS = (0, 0xD800, 0xE000, 0x110000)
_SINGLES: dict[int, CharSet] = {}

ALL = CharSet(_SCALARS)
"""All Unicode scalar values."""

NONE = CharSet(())
"""The empty set."""

ASCII_DIGIT = CharSet.of([(0x30, 0x39)])
ASCII_WORD = CharSet.of([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
ASCII_SPACE = CharSet.of([(0x09, 0x0D), (0x20, 0x20)])


@cache
def words() -> CharSet:
    r"""`\w` of `re`."""
    return where(re.compile(r"\w+"), _LAST_WORD)


@cache
def digits() -> CharSet:
    r"""`\d` of `re`."""
    return where(re.compile(r"\d+"), _LAST_WORD)


@cache
def spaces() -> CharSet:
    r"""`\s` of `re`."""
    return where(re.compile(r"\s+"), _LAST_WORD)


@lru_cache(maxsize=512)
def property_set(name: str, *, ignore_case: bool = False) -> CharSet:
    r"""`\p{name}` of the `regex` package.

    Raises:
        regex.error: if there is no such property.
    """
    flags = regex.V0 | (regex.IGNORECASE if ignore_case else 0)
    return where(regex.compile(rf"\p{{{name}}}+", flags))


_LAST_WORD = 0x3FFFF
"""Planes 4 to 16 have no letters, digits or blanks: they are unassigned, tags, or private use."""


@lru_cache(maxsize=2)
def _every_character(last: int) -> str:
    """All scalar values up to `last` in order, as one string."""
    points = np.concatenate([np.arange(0xD800), np.arange(0xE000, last + 1)])
    return points.astype("<u4").tobytes().decode("utf-32-le")


def where(pattern: re.Pattern[str] | regex.Pattern[str], last: int = 0x10FFFF) -> CharSet:
    """The characters up to `last` that a pattern of the form `X+` matches."""
    found = []
    for match in pattern.finditer(_every_character(last)):
        first, end = match.start(), match.end() - 1
        found.append((first if first < 0xD800 else first + 0x800, end if end < 0xD800 else end + 0x800))
    return CharSet.of(found)


def is_spellable(text: str) -> bool:
    """Test whether a text has an encoding in UTF-8: a lone surrogate, as from an escape of JSON, has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def typical(charset: CharSet) -> str:
    """A member that reads well: a letter, a digit, else printable ASCII, else the first."""
    for lo, hi in ((0x61, 0x7A), (0x30, 0x39), (0x21, 0x7E), (0x20, 0x20)):
        within = charset & CharSet.of([(lo, hi)])
        if within:
            return chr(within.bounds[0])
    return chr(charset.bounds[0])
