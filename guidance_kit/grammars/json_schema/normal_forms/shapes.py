"""Normal form of a schema: for each JSON type a list of alternatives, closed under conjunction.

A schema says something about each type separately, so its meaning is a *shape*: which nulls, booleans, numbers,
strings, arrays and objects it allows. Within a type, `anyOf` makes several alternatives, each of them a record. Two
shapes that must both hold are joined type by type, alternative by alternative, field by field; the schemas of items and
properties are joined by putting them into one *node* (a tuple of schemas that must all hold), which is looked at when
somebody gets there. So keywords beside each other always hold together, and recursive schemas can be joined: there are
finitely many nodes.

Strings alone need not be multiplied out: an automaton can be made of a conjunction of alternatives, and it has fewer
states than those of all products together. So where there are many products, one record keeps both lists as clauses.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf
from typing import Any, TypeVar

from guidance_kit.errors import SchemaError
from guidance_kit.grammars.json_schema.normal_forms.records import (
    ANY_ARRAY,
    ANY_NUMBER,
    ANY_OBJECT,
    ANY_STRING,
    Arrays,
    Number,
    Numbers,
    Objects,
    Strings,
)

__all__ = [
    "ANY",
    "MAX_ALTERNATIVES",
    "NOTHING",
    "EntangledError",
    "Shape",
    "conjoin",
    "is_number_list",
    "number_products",
    "products",
    "string_products",
    "unite",
]


MAX_ALTERNATIVES = 256
"""Greatest number of alternatives of one type in a shape."""


class EntangledError(SchemaError):
    """Shape needed while its own computation is unfinished."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Values that a schema allows: for each type a list of alternatives."""

    nulls: tuple[None, ...] = ()
    booleans: tuple[bool, ...] = ()
    numbers: tuple[Numbers, ...] = ()
    strings: tuple[Strings, ...] = ()
    arrays: tuple[Arrays, ...] = ()
    objects: tuple[Objects, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if no type has an alternative."""
        return not (self.objects or self.strings or self.numbers or self.arrays or self.booleans or self.nulls)


_MOST_STRINGS = 8
"""Greatest number of products of strings that are alternatives of their own."""

_MOST_PAIRS = 256
"""Greatest number of pairs of strings whose products are made to see how many are left."""

ANY = Shape((None,), (False, True), (ANY_NUMBER,), (ANY_STRING,), (ANY_ARRAY,), (ANY_OBJECT,))
NOTHING = Shape()

Alternative = TypeVar("Alternative", Numbers, Strings, Arrays, Objects)


def conjoin(a: Shape, b: Shape, object_products: Callable[..., tuple[Objects, ...]] | None = None) -> Shape:
    """Intersection of two shapes.

    Args:
        object_products: gives the intersection of two unions of objects; None for `products`.
    """
    if a is ANY or b is NOTHING:
        return b
    if b is ANY or a is NOTHING:
        return a
    return Shape(
        a.nulls and b.nulls,
        tuple(value for value in a.booleans if value in b.booleans),
        number_products(a.numbers, b.numbers),
        string_products(a.strings, b.strings),
        products(a.arrays, b.arrays, ANY_ARRAY),
        products(a.objects, b.objects, ANY_OBJECT)
        if object_products is None
        else object_products(a.objects, b.objects),
    )


def unite(shapes: Iterable[Shape]) -> Shape:
    """Union of shapes."""
    shapes = [shape for shape in shapes if shape is not NOTHING]
    if len(shapes) == 1:
        return shapes[0]
    if any(shape is ANY for shape in shapes):
        return ANY
    return Shape(
        (None,) if any(shape.nulls for shape in shapes) else (),
        tuple(value for value in (False, True) if any(value in shape.booleans for shape in shapes)),
        _gathered((number for shape in shapes for number in shape.numbers), ANY_NUMBER),
        _gathered((string for shape in shapes for string in shape.strings), ANY_STRING),
        _gathered((array for shape in shapes for array in shape.arrays), ANY_ARRAY),
        _gathered((thing for shape in shapes for thing in shape.objects), ANY_OBJECT),
    )


def products(
    left: tuple[Alternative, ...], right: tuple[Alternative, ...], everything: Alternative
) -> tuple[Alternative, ...]:
    """Intersections of each alternative on the left with each on the right, without empty ones."""
    if not left or not right:
        return ()
    if left[0] is everything:
        return right
    if right[0] is everything:
        return left
    found = [joined for a in left for b in right if (joined := a.conjoin(b)) is not None]
    return _gathered(found, everything) if len(found) > 1 else tuple(found)


def number_products(left: tuple[Numbers, ...], right: tuple[Numbers, ...]) -> tuple[Numbers, ...]:
    """Intersection of two unions of numbers: its products, found by look-up where one of the unions is a list.

    Values of records of integers are a list of their own, for integers are written without a point.
    """
    if not is_number_list(left):
        left, right = right, left
    if not is_number_list(left) or len(right) < 2:
        return products(left, right, ANY_NUMBER)
    values, others = left[0].values or (), sorted(right, key=_lower_bound)
    bounds = [_lower_bound(one) for one in others]
    ends = [inf if one.upper is None else one.upper for one in others]
    is_disjoint = all(
        one.values is None and one.upper is not None and one.upper <= bound
        for one, bound in zip(others, bounds[1:], strict=False)
    )
    if not is_disjoint or others[-1].values is not None:
        return products(left, right, ANY_NUMBER)

    kept: dict[bool, list[Number]] = {}
    for value in values:
        near = others[bisect_left(ends, value) : bisect_right(bounds, value)]  # several may share a bound
        having = [one for one in near if value in one]
        for is_integer in sorted({left[0].is_integer or one.is_integer for one in having}):
            kept.setdefault(is_integer, []).append(value)
    return tuple(Numbers(is_integer=is_integer, values=tuple(found)) for is_integer, found in kept.items())


def is_number_list(numbers: tuple[Numbers, ...]) -> bool:
    """Test whether a union of numbers is one list."""
    return len(numbers) == 1 and numbers[0].values is not None


def _lower_bound(numbers: Numbers) -> float | Number:
    return -inf if numbers.lower is None else numbers.lower


def string_products(left: tuple[Strings, ...], right: tuple[Strings, ...]) -> tuple[Strings, ...]:
    """Intersection of two unions of strings: its products, or one record with clauses instead of many of them."""
    if not left or not right or ANY_STRING in (left[0], right[0]):
        return products(left, right, ANY_STRING)
    is_joint = len(left) * len(right) > _MOST_PAIRS or any(one.clauses for one in left + right)
    if is_joint and (joined := _as_clauses(left, right)) is not None:
        return joined
    found = products(left, right, ANY_STRING)
    if len(found) > _MOST_STRINGS and (joined := _as_clauses(left, right)) is not None:
        return joined
    return found


def _as_clauses(left: tuple[Strings, ...], right: tuple[Strings, ...]) -> tuple[Strings, ...] | None:
    """Intersection of two unions as one record; None where one is of values, or a condition is no pattern.

    Values stay listed, and other conditions may be of formats that cannot be joined, or be dropped in conjunctions.
    """
    for side in (left, right):
        has_others = any("pattern" not in kind for one in side for kind, _ in one.conditions)
        if has_others or all(one.values is not None for one in side):
            return None
    joined = _as_clause(left).conjoin(_as_clause(right))
    return () if joined is None else (joined,)


def _as_clause(alternatives: tuple[Strings, ...]) -> Strings:
    """A union as one record. Lengths and conditions that all have are its own."""
    first = alternatives[0]
    if len(alternatives) == 1:
        return first
    if all((one.minimum, one.maximum) == (first.minimum, first.maximum) for one in alternatives):
        minimum, maximum = first.minimum, first.maximum
        alternatives = tuple(replace(one, minimum=0, maximum=None) for one in alternatives)
    else:
        minimum, maximum = 0, None
    common = tuple(pair for pair in first.conditions if all(pair in one.conditions for one in alternatives))
    rest = tuple(
        replace(one, conditions=tuple(pair for pair in one.conditions if pair not in common)) for one in alternatives
    )
    return Strings(minimum, maximum, common, clauses=(rest,))


def _gathered(alternatives: Iterable[Alternative], everything: Alternative) -> tuple[Alternative, ...]:
    """Distinct alternatives, with lists of values merged."""
    distinct = list(dict.fromkeys(alternatives))
    if everything in distinct:
        return (everything,)
    rest = [alternative for alternative in distinct if _values(alternative) is None]
    lists: dict[Alternative, list[Any]] = {}
    for alternative in distinct:
        values = _values(alternative)
        if values is not None:
            lists.setdefault(replace(alternative, values=None), []).extend(values)
    return (*rest, *(replace(like, values=tuple(dict.fromkeys(values))) for like, values in lists.items()))


def _values(alternative: Numbers | Strings | Arrays | Objects) -> tuple[Any, ...] | None:
    """List of values of an enumeration; None for other alternatives."""
    return alternative.values if isinstance(alternative, Numbers | Strings) else None
