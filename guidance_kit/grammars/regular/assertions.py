r"""Elimination of zero-width assertions that adjacent characters decide: `^` at the start, `\b` between `a` and `-`.

Most anchors and word boundaries of real patterns are of this kind. The rest of such a pattern is plain and needs no
derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

from guidance_kit.grammars.regular.charset import ALL, NONE, CharSet, union
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    NOTHING,
    Alternation,
    Characters,
    Complement,
    Concatenation,
    Expression,
    Intersection,
    Lookahead,
    Lookbehind,
    Repetition,
    alternate,
    concatenate,
    intersect,
    lookahead,
    lookbehind,
    repeat,
)

__all__ = ["after_anything", "before_anything", "eliminate_assertions", "search"]


@dataclass(frozen=True, slots=True)
class Side:
    """Possible adjacent characters on one side of a position.

    Attributes:
        charset: the characters.
        is_edge: whether the text may begin, or end, there.
    """

    charset: CharSet
    is_edge: bool


EDGE = Side(NONE, True)


def eliminate_assertions(expression: Expression) -> Expression:
    """Equal language of whole texts, without the assertions that adjacent characters decide."""
    if expression.is_plain:
        return expression
    if type(expression) is Intersection:
        return intersect(*(eliminate_assertions(part) for part in expression.parts))
    if type(expression) is Complement:
        return complement(eliminate_assertions(expression.body))
    return _eliminated(expression, EDGE, EDGE)


def search(expression: Expression) -> Expression:
    """Texts with a matching part, assertions applied to the whole text: ANYTHING · expression · ANYTHING."""
    return before_anything(after_anything(expression))


def after_anything(expression: Expression) -> Expression:
    """ANYTHING · expression; a condition about the past that comes first takes the place of ANYTHING."""
    if not expression.is_plain:
        if type(expression) is Concatenation:
            return concatenate([after_anything(expression.parts[0]), *expression.parts[1:]])
        if type(expression) is Alternation:
            rest = [part for part in expression.parts if not _leads_with_past(part)]
            ways = [after_anything(part) for part in expression.parts if _leads_with_past(part)]
            return alternate([*ways, concatenate([ANYTHING, alternate(rest)])])
        if type(expression) is Lookbehind and not expression.is_negated and not expression.past.is_whole:
            return expression.past
    return concatenate([ANYTHING, expression])


def _leads_with_past(expression: Expression) -> bool:
    while type(expression) is Concatenation:
        expression = expression.parts[0]
    return type(expression) is Lookbehind or (type(expression) is Alternation and not expression.is_plain)


def before_anything(expression: Expression) -> Expression:
    """expression · ANYTHING; a condition about the rest that comes last takes the place of ANYTHING."""
    if not expression.is_plain:
        if type(expression) is Concatenation:
            return concatenate([*expression.parts[:-1], before_anything(expression.parts[-1])])
        if type(expression) is Alternation:
            rest = [part for part in expression.parts if not _ends_with_rest(part)]
            ways = [before_anything(part) for part in expression.parts if _ends_with_rest(part)]
            return alternate([*ways, concatenate([alternate(rest), ANYTHING])])
        if type(expression) is Lookahead and not expression.rest.is_whole:
            return expression.rest
    return concatenate([expression, ANYTHING])


def _ends_with_rest(expression: Expression) -> bool:
    while type(expression) is Concatenation:
        expression = expression.parts[-1]
    return type(expression) is Lookahead or (type(expression) is Alternation and not expression.is_plain)


def _eliminated(expression: Expression, before: Side, after: Side) -> Expression:
    if expression.is_plain:
        return expression
    if type(expression) is Concatenation:
        parts = expression.parts
        befores = [before]
        for part in parts[:-1]:
            befores.append(_beside(part, befores[-1], _last))
        settled: list[Expression] = []
        for part, its_before in zip(reversed(parts), reversed(befores), strict=True):
            settled.append(_eliminated(part, its_before, after))
            after = _beside(part, after, _first)
        return concatenate(reversed(settled))
    if type(expression) is Alternation:
        return alternate(_eliminated(part, before, after) for part in expression.parts)
    if type(expression) is Repetition:
        body = expression.body
        if expression.maximum != 1:
            before = Side(before.charset | _last(body), before.is_edge)
            after = Side(after.charset | _first(body), after.is_edge)
        return repeat(_eliminated(body, before, after), expression.minimum, expression.maximum)
    if type(expression) is Lookahead:
        rest = expression.rest if expression.rest.is_whole else _eliminated(expression.rest, before, EDGE)
        return _decided(rest, after, _first, lookahead(rest))
    if type(expression) is Lookbehind:
        past = expression.past if expression.past.is_whole else _eliminated(expression.past, EDGE, after)
        found = _decided(past, before, _last, lookbehind(past))
        if found is EPSILON or found is NOTHING:
            return EPSILON if (found is EPSILON) != expression.is_negated else NOTHING
        return lookbehind(past, is_negated=expression.is_negated)
    return expression


def _decided(language: Expression, side: Side, outer: object, undecided: Expression) -> Expression:
    """EPSILON or NOTHING if the adjacent characters decide an assertion; else the assertion."""
    if language is NOTHING or not language.is_plain:
        return undecided
    is_first = outer is _first
    possible = _first(language) if is_first else _last(language)
    sure = _surely(language, is_first=is_first)
    never = not (side.charset & possible) and not (side.is_edge and language.least == 0)
    always = side.charset <= sure and (language.least == 0 or not side.is_edge)
    return NOTHING if never else EPSILON if always else undecided


def _surely(language: Expression, *, is_first: bool) -> CharSet:
    """Characters so that all texts that begin (or end) with them belong to the language; perhaps not all of them."""
    if language is ANYTHING:
        return ALL
    if type(language) is Alternation:
        return union([_surely(part, is_first=is_first) for part in language.parts])
    if type(language) is Repetition and language.minimum <= 1:
        return _surely(language.body, is_first=is_first)
    if type(language) is Concatenation and len(language.parts) == 2:
        edge, rest = language.parts if is_first else reversed(language.parts)
        if type(edge) is Characters and rest is ANYTHING:
            return edge.charset
    return NONE


def _beside(part: Expression, side: Side, outer: object) -> Side:
    """Adjacent characters beyond `part`: its own outermost ones, and those of `side` if it is nullable."""
    own = _first(part) if outer is _first else _last(part)
    return Side(own | side.charset, side.is_edge) if part.least == 0 else Side(own, False)


def _first(expression: Expression) -> CharSet:
    """Superset of the first characters of the texts."""
    if type(expression) is Characters:
        return expression.charset
    if type(expression) is Concatenation:
        found = []
        for part in expression.parts:
            found.append(_first(part))
            if part.least > 0:
                break
        return union(found)
    if type(expression) is Alternation:
        return union([_first(part) for part in expression.parts])
    if type(expression) is Repetition:
        return _first(expression.body)
    return ALL if expression.is_whole else NONE


def _last(expression: Expression) -> CharSet:
    """Superset of the last characters of the texts."""
    if type(expression) is Characters:
        return expression.charset
    if type(expression) is Concatenation:
        found = []
        for part in reversed(expression.parts):
            found.append(_last(part))
            if part.least > 0:
                break
        return union(found)
    if type(expression) is Alternation:
        return union([_last(part) for part in expression.parts])
    if type(expression) is Repetition:
        return _last(expression.body)
    return ALL if expression.is_whole else NONE
