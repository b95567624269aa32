"""Texts of a language that begin with a given one, as far as a walk along that one shows, without an automaton.

An automaton of a large expression takes milliseconds before its first step; a walk looks at the parts along one text,
and what it has seen is kept for the next text.
Source: Antimirov, "Partial derivatives of regular expressions and finite automaton constructions", 1996.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    NOTHING,
    Alternation,
    Characters,
    Complement,
    Concatenation,
    Deferred,
    Expression,
    Intersection,
    Repetition,
    concatenate,
    repeat,
)

__all__ = ["Beginning", "Beginnings", "least_number"]

_NONE = CharSet.of([])

_MOST = 64
"""Partial derivatives after which a walk is given up."""

_MOST_PLACES = 4_096
"""Places of a language from which on they are forgotten."""

_MANY = 1 << 30
"""Number of texts that is not told from greater ones."""

_Steps = list[tuple[CharSet, Expression]]


class Beginning(NamedTuple):
    """Texts of a language that begin with a given one.

    Attributes:
        is_member: whether the given one belongs to the language; None: not known.
        inside: characters such that the given text, one of them, and whatever follows belong to the language.
        outside: characters such that no text that goes on with one of them does. Of both sets some may be missing.
        steps: sets of characters that can follow, each with the rest behind it; some may be missing.
    """

    is_member: bool | None
    inside: CharSet
    outside: CharSet
    steps: _Steps

    def has_more(self, number: int, free: CharSet) -> bool:
        """Test whether plainly more texts than `number` begin with the given one and a character of `free`."""
        return any(len(charset & free) * least_number(rest) > number for charset, rest in self.steps if charset & free)


_UNKNOWN, _ALL = Beginning(None, _NONE, _NONE, []), Beginning(True, ALL, _NONE, [(ALL, ANYTHING)])


class _WalkPlace(NamedTuple):
    """Rests of a plain expression behind some texts: what they begin, and the places behind characters so far."""

    found: Beginning
    following: dict[str, _WalkPlace]


class Beginnings:
    """Walks along texts of one language; the places that they meet are kept.

    Args:
        expression: the language.
    """

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        parts: tuple[Expression, ...] = ()
        if isinstance(expression, Intersection):
            parts = expression.parts
        elif isinstance(expression, Complement):
            parts = (expression.body,)
        self.parts = tuple(map(Beginnings, parts))
        self._steps: dict[Expression, _Steps] = {}
        self._places: dict[tuple[Expression, ...], _WalkPlace] = {}

    def of(self, text: str) -> Beginning:
        """The texts that begin with `text`, as far as it is plain to see."""
        if isinstance(self.expression, Complement):
            is_member, inside, outside, _ = self.parts[0].of(text)
            return Beginning(None if is_member is None else not is_member, outside, inside, [])
        if isinstance(self.expression, Intersection):
            inside, outside = ALL, _NONE
            answers: set[bool | None] = set()
            for found in (part.of(text) for part in self.parts):
                answers.add(found.is_member)
                inside &= found.inside
                outside |= found.outside
            return Beginning(False if False in answers else None if None in answers else True, inside, outside, [])
        return self._walk(text) if self.expression.is_plain else _UNKNOWN

    def _walk(self, text: str) -> Beginning:
        """The same of a plain expression."""
        if len(self._places) > _MOST_PLACES:
            self._steps.clear()
            self._places.clear()
        here = self._place((self.expression,))
        for character in text:
            if here.found is _ALL or here.found is _UNKNOWN:
                break
            there = here.following.get(character)
            if there is None:
                code = ord(character)
                rests = dict.fromkeys(rest for charset, rest in here.found.steps if code in charset)
                there = here.following[character] = self._place(tuple(rests))
            here = there
        return here.found

    def _place(self, rests: tuple[Expression, ...]) -> _WalkPlace:
        """Place with some rests."""
        place = self._places.get(rests)
        if place is None:
            place = self._places[rests] = _WalkPlace(self._found(rests), {})
        return place

    def _found(self, rests: tuple[Expression, ...]) -> Beginning:
        """Texts that begin with one that has some rests."""
        if ANYTHING in rests:
            return _ALL
        if len(rests) > _MOST:
            return _UNKNOWN
        steps = [step for rest in rests for step in self._steps_of(rest)]
        inside, outside = _NONE, ALL
        for charset, rest in steps:
            outside -= charset
            if rest is ANYTHING:
                inside |= charset
        return Beginning(any(rest.least == 0 for rest in rests if rest is not NOTHING), inside, outside, steps)

    def _steps_of(self, rest: Expression) -> _Steps:
        """`_steps`, found once: a pattern that is sought meets itself and the same rests at each character."""
        found = self._steps.get(rest)
        if found is None:
            found = self._steps[rest] = list(_steps(rest))
        return found


def least_number(expression: Expression) -> int:
    """Lower bound of the number of texts of a plain expression that has some."""
    if isinstance(expression, Characters):
        return len(expression.charset)
    if isinstance(expression, Concatenation):  # texts that differ in the parts of fixed length, and in one other
        fixed = (least_number(part) for part in expression.parts if part.least == part.most)
        others = (least_number(part) for part in expression.parts if part.least != part.most)
        return min(_MANY, prod(fixed) * max(others, default=1))
    if isinstance(expression, Alternation):
        return max(map(least_number, expression.parts))
    if isinstance(expression, Repetition):
        body, maximum = expression.body, expression.maximum
        if body.most == 0:
            return 1
        if maximum == UNBOUNDED:
            return _MANY
        number = least_number(body)
        if body.least == body.most:
            number = min(_MANY, number ** min(maximum, _MANY.bit_length()))
        return max(number, maximum - expression.minimum + 1)
    return least_number(expression.body) if isinstance(expression, Deferred) else 1


def _steps(expression: Expression) -> Iterator[tuple[CharSet, Expression]]:
    """Characters that can begin a text of a plain expression, with what may follow them; sets may overlap."""
    if isinstance(expression, Characters):
        yield expression.charset, EPSILON
    elif isinstance(expression, Concatenation):
        for place, part in enumerate(expression.parts, 1):
            following = expression.parts[place:]
            for charset, rest in _steps(part):
                yield charset, expression if place == 1 and rest is part else concatenate([rest, *following])
            if part.least > 0:
                break
    elif isinstance(expression, Alternation):
        for part in expression.parts:
            yield from _steps(part)
    elif isinstance(expression, Repetition):
        if expression.minimum == 0 and expression.maximum == UNBOUNDED:
            again = expression
        else:
            most = expression.maximum if expression.maximum == UNBOUNDED else expression.maximum - 1
            again = repeat(expression.body, max(0, expression.minimum - 1), most)
        for charset, rest in _steps(expression.body):
            yield charset, concatenate([rest, again])
    elif isinstance(expression, Deferred):
        yield from _steps(expression.body)
