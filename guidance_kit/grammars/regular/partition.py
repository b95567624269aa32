"""Partition of all characters into few classes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.expression import (
    Alternation,
    Characters,
    Complement,
    Concatenation,
    Deferred,
    Expression,
    Intersection,
    Lookahead,
    Lookbehind,
    Repetition,
)

__all__ = ["Partition", "bits_of", "partition_of"]


class Partition:
    """Classes of characters that the same of several sets contain, by number. Sets of classes are int bit masks.

    Attributes:
        masks: for each set the mask of its classes.
        count: number of classes.
    """

    def __init__(self, charsets: Iterable[CharSet]) -> None:
        ordered = sorted(charsets, key=lambda charset: charset.bounds)
        events: list[tuple[int, int]] = [(0, 0), (0xD800, 0), (0xE000, 0)]
        for number, charset in enumerate(ordered):
            events += [(bound, 1 << number) for bound in charset.bounds]
        events.sort()
        classes: dict[int, list[tuple[int, int]]] = {}
        signature = 0
        for k, (place, toggled) in enumerate(events):
            signature ^= toggled
            following = events[k + 1][0] if k + 1 < len(events) else 0x110000
            if place < following and not 0xD800 <= place < 0xE000:
                classes.setdefault(signature, []).append((place, following - 1))
        self.masks = dict(zip(ordered, _transposed(classes, len(ordered)), strict=True))
        self.count = len(classes)
        self._ranges = list(classes.values())
        self._charsets = {mask: charset for charset, mask in self.masks.items()}
        self._bounds: list[set[int]] = []  # of each class, those of its ranges, which are half-open
        self._starts: tuple[list[int], list[tuple[int, int]]] | None = None

    def class_of(self, point: int) -> int | None:
        """The number of the class of a code point; None if that is a surrogate."""
        if self._starts is None:
            pieces = sorted((lo, hi, k) for k, ranges in enumerate(self._ranges) for lo, hi in ranges)
            self._starts = [lo for lo, _, _ in pieces], [(hi, k) for _, hi, k in pieces]
        starts, ends = self._starts
        hi, number = ends[bisect_right(starts, point) - 1]
        return number if point <= hi else None

    def charset(self, mask: int) -> CharSet:
        """The set of some classes."""
        found = self._charsets.get(mask)
        if found is None:
            if not self._bounds:
                self._bounds = [*map(_bounds_of, self._ranges)]
            bounds: set[int] = set()
            for k in bits_of(mask):
                bounds ^= self._bounds[k]  # where ranges touch, both of their bounds go
            found = self._charsets[mask] = CharSet(tuple(sorted(bounds)))
        return found


def _transposed(rows: Collection[int], width: int) -> list[int]:
    """Columns of a matrix of bits: bit k of number j is bit j of row k."""
    if not rows:
        return [0] * width
    digits = [f"{row:0{width}b}" for row in rows]
    columns = [int("".join(column), 2) for column in zip(*reversed(digits), strict=True)]
    return columns[::-1][:width]


def _bounds_of(ranges: Iterable[tuple[int, int]]) -> set[int]:
    """Bounds of the union of disjoint inclusive ranges, as half-open ones."""
    bounds: set[int] = set()
    for lo, hi in ranges:
        bounds ^= {lo, hi + 1}
    return bounds


def bits_of(mask: int) -> Iterator[int]:
    """Numbers of the bits of a mask."""
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit


def partition_of(expression: Expression) -> Partition:
    """Classes of characters that no set in an expression separates."""
    return _partition(frozenset(_charsets(expression)))


@lru_cache(maxsize=128)
def _partition(charsets: frozenset[CharSet]) -> Partition:
    return Partition(charsets)


def _charsets(whole: Expression) -> Iterator[CharSet]:
    todo = [whole]
    while todo:
        expression = todo.pop()
        if isinstance(expression, Characters):
            yield expression.charset
        elif isinstance(expression, Concatenation | Alternation | Intersection):
            todo += expression.parts
        elif isinstance(expression, Repetition | Complement):
            todo.append(expression.body)
        elif isinstance(expression, Lookahead):
            todo.append(expression.rest)
        elif isinstance(expression, Lookbehind):
            todo.append(expression.past)
        elif isinstance(expression, Deferred):
            yield from expression.charsets
