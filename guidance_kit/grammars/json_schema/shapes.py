"""The normal form of a schema: for each JSON type a list of alternatives, and what conjunction does to it.

A schema says something about each type separately, so its meaning is a *shape*: which nulls, booleans, numbers,
strings, arrays and objects it allows. Within a type, `anyOf` makes several alternatives. Two shapes that must both
hold are joined type by type, alternative by alternative, field by field; the schemas of items and properties are joined
by putting them into one *node* (a tuple of schemas that must all hold), which is looked at when somebody gets there. So
keywords beside each other always hold together, and recursive schemas can be joined: there are finitely many nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import Any, TypeVar

from guidance_kit.grammars.json_schema.document import Node

__all__ = ["ANY", "NOTHING", "Arrays", "Layer", "Numbers", "Objects", "Shape", "Strings", "conjoin", "unite"]

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers in an interval, or some out of a list.

    Args:
        lower, upper: bounds; None for none.
        lower_open, upper_open: whether the bound itself is excluded.
        is_integer: whether only integers are meant.
        multiple: a positive number of which they are multiples; None for no such condition.
        values: the only numbers meant; None for all that fulfil the other fields.
    """

    lower: Number | None = None
    upper: Number | None = None
    lower_open: bool = False
    upper_open: bool = False
    is_integer: bool = False
    multiple: Number | None = None
    values: tuple[Number, ...] | None = None

    def __contains__(self, value: Number) -> bool:
        """Whether `value` fulfils all fields but `values`."""
        if self.lower is not None and (value < self.lower or (self.lower_open and value == self.lower)):
            return False
        if self.upper is not None and (value > self.upper or (self.upper_open and value == self.upper)):
            return False
        if self.is_integer and value.denominator != 1:
            return False
        return self.multiple is None or Fraction(value) % self.multiple == 0

    def conjoin(self, other: Numbers) -> Numbers | None:
        """What both allow; None for nothing."""
        lower, lower_open = self.lower, self.lower_open
        if lower is None or (other.lower is not None and (other.lower, other.lower_open) > (lower, lower_open)):
            lower, lower_open = other.lower, other.lower_open
        upper, upper_open = self.upper, self.upper_open
        if upper is None or (other.upper is not None and (-other.upper, other.upper_open) > (-upper, upper_open)):
            upper, upper_open = other.upper, other.upper_open
        multiple = self.multiple
        if multiple is None or other.multiple is None:
            multiple = multiple or other.multiple
        else:
            multiple = least_common_multiple(multiple, other.multiple)
        if self.values is None or other.values is None:
            values = self.values or other.values
        else:
            values = tuple(value for value in self.values if value in other.values)
        is_integer = self.is_integer or other.is_integer
        return Numbers(lower, upper, lower_open, upper_open, is_integer, multiple, values).reduced()

    def reduced(self) -> Numbers | None:
        """The same numbers with the tightest fields; None if there are none."""
        if self.values is not None:
            values = tuple(value for value in self.values if value in self)
            return Numbers(is_integer=self.is_integer, values=values) if values else None
        step: Number | None = self.multiple
        if self.is_integer:
            step = 1 if step is None else least_common_multiple(step, 1)
        lower, lower_open, upper, upper_open = self.lower, self.lower_open, self.upper, self.upper_open
        if step is not None:
            if lower is not None:
                turns = -(-lower // step)
                lower, lower_open = step * (turns + (lower_open and turns * step == lower)), False
            if upper is not None:
                turns = upper // step
                upper, upper_open = step * (turns - (upper_open and turns * step == upper)), False
        if lower is not None and upper is not None:
            is_point_excluded = lower == upper and (lower_open or upper_open)
            if lower > upper or is_point_excluded:
                return None
        multiple = None if self.multiple is None or (self.is_integer and step == 1) else step
        if multiple is not None and Fraction(multiple).denominator == 1:
            return Numbers(lower, upper, lower_open, upper_open, self.is_integer, int(multiple))
        return Numbers(lower, upper, lower_open, upper_open, self.is_integer, multiple)


@dataclass(frozen=True, slots=True)
class Strings:
    """Strings of bounded length in which patterns are found, or some out of a list.

    Args:
        minimum, maximum: length in code points; `maximum` None for no bound.
        conditions: what the whole string must fulfil: ("pattern", regex) or ("format", name).
        values: the only strings meant; None for all that fulfil the other fields. They have been checked against the
            lengths, not against the conditions.
    """

    minimum: int = 0
    maximum: int | None = None
    conditions: tuple[tuple[str, str], ...] = ()
    values: tuple[str, ...] | None = None

    def conjoin(self, other: Strings) -> Strings | None:
        """What both allow; None if the lengths leave nothing."""
        minimum = max(self.minimum, other.minimum)
        maximum = _least(self.maximum, other.maximum)
        conditions = tuple(dict.fromkeys(self.conditions + other.conditions))
        values = self.values if other.values is None else other.values
        if self.values is not None and other.values is not None:
            allowed = set(other.values)
            values = tuple(value for value in self.values if value in allowed)
        return Strings(minimum, maximum, conditions, values).reduced()

    def reduced(self) -> Strings | None:
        """The same strings with the tightest fields; None if the lengths leave nothing."""
        if self.values is not None:
            most = self.maximum
            values = tuple(v for v in self.values if self.minimum <= len(v) and (most is None or len(v) <= most))
            return Strings(conditions=self.conditions, values=values) if values else None
        return self if self.maximum is None or self.minimum <= self.maximum else None


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays with given first items, and others.

    Args:
        prefix: nodes of the first items.
        items: node of all others.
        minimum, maximum: number of items; `maximum` None for no bound.
    """

    prefix: tuple[Node, ...] = ()
    items: Node = ()
    minimum: int = 0
    maximum: int | None = None

    def conjoin(self, other: Arrays) -> Arrays | None:
        """What both allow; None if the numbers leave nothing."""
        length = max(len(self.prefix), len(other.prefix))
        return Arrays(
            tuple(join_nodes(self.item(index), other.item(index)) for index in range(length)),
            join_nodes(self.items, other.items),
            max(self.minimum, other.minimum),
            _least(self.maximum, other.maximum),
        ).reduced()

    def reduced(self) -> Arrays | None:
        """The same arrays; None if the numbers leave nothing."""
        return self if self.maximum is None or self.minimum <= self.maximum else None

    def item(self, index: int) -> Node:
        """Node of the item at `index`, from 0."""
        return self.prefix[index] if index < len(self.prefix) else self.items


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """What one schema says about the values, and names, of an object's properties.

    Args:
        properties: key -> node, in declared order; not to be changed.
        patterns: (regex, node) for the keys in which the regex is found.
        additional: node of all other keys.
        names: node of the keys themselves, as strings.
    """

    properties: dict[str, Node] = field(default_factory=dict)
    patterns: tuple[tuple[str, Node], ...] = ()
    additional: Node = ()
    names: Node = ()


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects whose properties fulfil all of several layers.

    Args:
        layers: what must hold for each property, all together.
        required: keys that must be there, without repetition.
        minimum, maximum: number of properties; `maximum` None for no bound.
    """

    layers: tuple[Layer, ...] = ()
    required: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int | None = None

    def conjoin(self, other: Objects) -> Objects | None:
        """What both allow; None if the numbers leave nothing."""
        return Objects(
            tuple(dict.fromkeys(self.layers + other.layers)),
            tuple(dict.fromkeys(self.required + other.required)),
            max(self.minimum, other.minimum),
            _least(self.maximum, other.maximum),
        ).reduced()

    def reduced(self) -> Objects | None:
        """The same objects; None if the numbers leave nothing."""
        most = self.maximum
        return self if most is None or max(self.minimum, len(self.required)) <= most else None


ANY_NUMBER, ANY_STRING, ANY_ARRAY, ANY_OBJECT = Numbers(), Strings(), Arrays(), Objects()


@dataclass(frozen=True, slots=True)
class Shape:
    """What a schema allows, type by type; each field lists alternatives."""

    nulls: tuple[None, ...] = ()
    booleans: tuple[bool, ...] = ()
    numbers: tuple[Numbers, ...] = ()
    strings: tuple[Strings, ...] = ()
    arrays: tuple[Arrays, ...] = ()
    objects: tuple[Objects, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it allows nothing at all."""
        return not (self.objects or self.strings or self.numbers or self.arrays or self.booleans or self.nulls)


ANY = Shape((None,), (False, True), (ANY_NUMBER,), (ANY_STRING,), (ANY_ARRAY,), (ANY_OBJECT,))
NOTHING = Shape()

Alternative = TypeVar("Alternative", Numbers, Strings, Arrays, Objects)


def conjoin(a: Shape, b: Shape) -> Shape:
    """What both allow."""
    if a is ANY or b is NOTHING:
        return b
    if b is ANY or a is NOTHING:
        return a
    return Shape(
        a.nulls and b.nulls,
        tuple(value for value in a.booleans if value in b.booleans),
        _products(a.numbers, b.numbers, ANY_NUMBER),
        _products(a.strings, b.strings, ANY_STRING),
        _products(a.arrays, b.arrays, ANY_ARRAY),
        _products(a.objects, b.objects, ANY_OBJECT),
    )


def unite(shapes: Iterable[Shape]) -> Shape:
    """What at least one allows."""
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


def join_nodes(a: Node, b: Node) -> Node:
    """The node of the values that both allow."""
    if not a or a == b:
        return b
    return tuple(dict.fromkeys(a + b)) if b else a


def least_common_multiple(a: Number, b: Number) -> Number:
    """The least positive number that is a multiple of both."""
    a, b = Fraction(a), Fraction(b)
    return Fraction(lcm(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def _products(
    left: tuple[Alternative, ...], right: tuple[Alternative, ...], everything: Alternative
) -> tuple[Alternative, ...]:
    """Each alternative on the left with each on the right."""
    if not left or not right:
        return ()
    if left[0] is everything:
        return right
    if right[0] is everything:
        return left
    found = [joined for a in left for b in right if (joined := a.conjoin(b)) is not None]
    return _gathered(found, everything) if len(found) > 1 else tuple(found)


def _gathered(alternatives: Iterable[Alternative], everything: Alternative) -> tuple[Alternative, ...]:
    """Alternatives without repetition; lists of values become one list."""
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
    """The list of values that an alternative is, if it is one."""
    return alternative.values if isinstance(alternative, Numbers | Strings) else None


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)
