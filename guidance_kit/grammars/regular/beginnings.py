"""Texts of a language that begin with a given one, as far as a walk along that one shows, without an automaton.

An automaton of a large expression takes milliseconds before its first step; a walk looks at the parts along one text.
Source: Antimirov, "Partial derivatives of regular expressions and finite automaton constructions", 1996.
"""

from __future__ import annotations

from collections.abc import Iterator
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

__all__ = ["Beginning", "beginning"]

_NONE = CharSet.of([])

_MOST = 64
"""Partial derivatives after which a walk is given up."""


class Beginning(NamedTuple):
    """Texts of a language that begin with a given one.

    Attributes:
        is_member: whether the given one belongs to the language; None: not known.
        inside: characters such that the given text, one of them, and whatever follows belong to the language.
        outside: characters such that no text that goes on with one of them does. Of both sets some may be missing.
    """

    is_member: bool | None
    inside: CharSet
    outside: CharSet


def beginning(expression: Expression, text: str) -> Beginning:
    """The texts that begin with `text`, as far as it is plain to see."""
    if isinstance(expression, Complement):
        is_member, inside, outside = beginning(expression.body, text)
        return Beginning(None if is_member is None else not is_member, outside, inside)
    if isinstance(expression, Intersection):
        inside, outside = ALL, _NONE
        answers: set[bool | None] = set()
        for part in expression.parts:
            found = beginning(part, text)
            answers.add(found.is_member)
            inside &= found.inside
            outside |= found.outside
        return Beginning(False if False in answers else None if None in answers else True, inside, outside)
    left = [expression]
    known: dict[Expression, list[tuple[CharSet, Expression]]] = {}
    for character in text:
        code = ord(character)
        left = [rest for one in left for charset, rest in _known_steps(one, known) if code in charset]
        if ANYTHING in left:
            return Beginning(True, ALL, _NONE)
        if len(left) > _MOST:
            break
    if len(left) > _MOST or not expression.is_plain:
        return Beginning(None, _NONE, _NONE)
    inside = reached = _NONE
    for charset, rest in (step for one in left for step in _known_steps(one, known)):
        reached |= charset
        if rest is ANYTHING:
            inside |= charset
    return Beginning(any(one.least == 0 for one in left if one is not NOTHING), inside, ALL - reached)


def _known_steps(
    expression: Expression, known: dict[Expression, list[tuple[CharSet, Expression]]]
) -> list[tuple[CharSet, Expression]]:
    """`_steps`, found once in a walk: a pattern that is sought meets itself and the same rests at each character."""
    found = known.get(expression)
    if found is None:
        found = known[expression] = list(_steps(expression))
    return found


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
