"""Records: the conditions of a schema on the values of one type, closed under conjunction."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a document looks its keywords up in the table, which holds functions of records
    from guidance_kit.grammars.json_schema.documents.document import Node

__all__ = [
    "ANY_ARRAY",
    "ANY_NUMBER",
    "ANY_OBJECT",
    "ANY_STRING",
    "Arrays",
    "Contains",
    "Number",
    "Numbers",
    "Objects",
    "PropertyRules",
    "Strings",
    "Witness",
    "join_nodes",
    "least_common_multiple",
]  # fmt: skip

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers in an interval, or in a list.

    Args:
        lower, upper: bounds; None for none.
        lower_open, upper_open: whether the bound itself is excluded.
        is_integer: whether only integers are meant.
        multiple: a positive number of which they are multiples; None for no such condition.
        values: the only numbers meant; None for all that fulfil the other fields.
        unless: positive numbers of which they are no multiples; 1 for numbers that are no integers.
    """

    lower: Number | None = None
    upper: Number | None = None
    lower_open: bool = False
    upper_open: bool = False
    is_integer: bool = False
    multiple: Number | None = None
    values: tuple[Number, ...] | None = None
    unless: tuple[Number, ...] = ()

    def __contains__(self, value: Number) -> bool:
        """Test whether `value` satisfies all fields except `values`."""
        if self.lower is not None and (value < self.lower or (self.lower_open and value == self.lower)):
            return False
        if self.upper is not None and (value > self.upper or (self.upper_open and value == self.upper)):
            return False
        if self.is_integer and value.denominator != 1:
            return False
        if any(Fraction(value) % step == 0 for step in self.unless):
            return False
        return self.multiple is None or Fraction(value) % self.multiple == 0

    def conjoin(self, other: Numbers) -> Numbers | None:
        """Intersection; None if it is empty."""
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
        unless = tuple(dict.fromkeys(self.unless + other.unless))
        return Numbers(lower, upper, lower_open, upper_open, is_integer, multiple, values, unless).reduced()

    def reduced(self) -> Numbers | None:
        """Equal record with the tightest fields; None if it is empty."""
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
        if self.unless and not self._has_other(lower, upper, step):
            return None
        multiple = None if self.multiple is None or (self.is_integer and step == 1) else step
        if multiple is not None and Fraction(multiple).denominator == 1:
            multiple = int(multiple)
        return Numbers(lower, upper, lower_open, upper_open, self.is_integer, multiple, unless=self.unless)

    def _has_other(self, lower: Number | None, upper: Number | None, step: Number | None) -> bool:
        """Test whether an interval contains a multiple of `step` that no number in `unless` divides."""
        if step is None:
            return lower is None or lower != upper or lower in self
        if any(step % other == 0 for other in self.unless):
            return False
        if lower is None or upper is None:
            return True  # `step` itself is one, and so is every number that lies whole periods further
        return any(step * turn in self for turn in range(int(lower // step), int(upper // step) + 1))


@dataclass(frozen=True, slots=True)
class Strings:
    """Strings of bounded length that satisfy patterns and formats, or strings of a list.

    Args:
        minimum, maximum: length in code points; `maximum` None for no bound.
        conditions: what the whole string must fulfil: ("pattern", regex), ("not pattern", regex); (kind, name) or
            ("not " + kind, name) for the kinds of `formats.format_kind`; or ("excerpt", text), of strings about which
            no value, pattern or format says more.
        values: the only strings meant; None for all that fulfil the other fields. They have been checked against the
            lengths, not against the conditions.
        excluded: strings that are not meant.
        clauses: lists of records; each string belongs to a record of each list.
    """

    minimum: int = 0
    maximum: int | None = None
    conditions: tuple[tuple[str, str], ...] = ()
    values: tuple[str, ...] | None = None
    excluded: tuple[str, ...] = ()
    clauses: tuple[tuple[Strings, ...], ...] = ()

    def conjoin(self, other: Strings) -> Strings | None:
        """Intersection; None if it is plainly empty."""
        minimum = max(self.minimum, other.minimum)
        maximum = _least(self.maximum, other.maximum)
        conditions = tuple(dict.fromkeys(self.conditions + other.conditions))
        values = self.values if other.values is None else other.values
        if self.values is not None and other.values is not None:
            allowed = set(other.values)
            values = tuple(value for value in self.values if value in allowed)
        excluded = tuple(dict.fromkeys(self.excluded + other.excluded))
        clauses = tuple(dict.fromkeys(self.clauses + other.clauses))
        return Strings(minimum, maximum, conditions, values, excluded, clauses).reduced()

    def reduced(self) -> Strings | None:
        """Equal record with the tightest fields; None if it is plainly empty."""
        if self.values is not None:
            most = self.maximum
            values = tuple(v for v in self.values if self.minimum <= len(v) and (most is None or len(v) <= most))
            if self.excluded:
                excluded = set(self.excluded)
                values = tuple(value for value in values if value not in excluded)
            return Strings(conditions=self.freed().conditions, values=values, clauses=self.clauses) if values else None
        if any((f"not {kind}", text) in self.conditions for kind, text in self.conditions):
            return None
        if self.maximum is not None and self.minimum > self.maximum:
            return None
        return self.freed() if any(_says_which(kind) for kind, _ in self.conditions) else self

    @property
    def is_of_one_format(self) -> bool:
        """True for the strings of a format, or all others, which depend on no schema."""
        if len(self.conditions) != 1 or self != Strings(conditions=self.conditions):
            return False
        return self.conditions[0][0] not in ("pattern", "not pattern", "excerpt")

    @property
    def is_of_one_text(self) -> bool:
        """True if the strings must be excerpts of the source text."""
        return any(kind == "excerpt" for kind, _ in self.conditions)

    def freed(self) -> Strings:
        """Record without the condition that strings are excerpts."""
        conditions = tuple((kind, text) for kind, text in self.conditions if kind != "excerpt")
        return self if len(conditions) == len(self.conditions) else replace(self, conditions=conditions)


def _says_which(kind: str) -> bool:
    """Test whether a kind of condition identifies strings well enough that they need not be excerpts."""
    return kind == "pattern" or (kind.endswith("format") and not kind.startswith("not "))


@dataclass(frozen=True, slots=True)
class Contains:
    """Bounds on the number of items that satisfy a node (`contains`).

    Args:
        node: what is asked of the items that are counted.
        minimum, maximum: their number; `maximum` None for no bound.
        start: index of the first item that is looked at.
    """

    node: Node
    minimum: int = 1
    maximum: int | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays with a node for each of the first items and one for the rest.

    Args:
        prefix: nodes of the first items.
        items: node of all others.
        minimum, maximum: number of items; `maximum` None for no bound.
        contains: counts of certain items, which must all be right.
        unique: whether no two items may be equal.
        repeated: whether two items must be equal, the negation of `unique`. It is decided and exemplified, but no
            network has all such arrays: `dry_run` refuses it.
    """

    prefix: tuple[Node, ...] = ()
    items: Node = ()
    minimum: int = 0
    maximum: int | None = None
    contains: tuple[Contains, ...] = ()
    unique: bool = False
    repeated: bool = False

    def conjoin(self, other: Arrays) -> Arrays | None:
        """Intersection; None if the bounds exclude each other."""
        length = max(len(self.prefix), len(other.prefix))
        return Arrays(
            tuple(join_nodes(self.item(index), other.item(index)) for index in range(length)),
            join_nodes(self.items, other.items),
            max(self.minimum, other.minimum),
            _least(self.maximum, other.maximum),
            tuple(dict.fromkeys(self.contains + other.contains)),
            self.unique or other.unique,
            self.repeated or other.repeated,
        ).reduced()

    def reduced(self) -> Arrays | None:
        """Record as it is; None if its bounds exclude each other, or items must differ and be equal."""
        if self.repeated and self.unique:
            return None
        needed = max([self.minimum, *(counted.start + counted.minimum for counted in self.contains)])
        return self if self.maximum is None or needed <= self.maximum else None

    @property
    def conditions(self) -> Iterator[Hashable]:
        """Conditions that another record has, too, if it implies this one; there are more."""
        return chain(self.contains, self.items)

    def implies(self, other: Arrays) -> bool:
        """Test whether a record is plainly a subset of another; False if undecided."""
        return (
            self.minimum >= other.minimum
            and (other.maximum is None or (self.maximum is not None and self.maximum <= other.maximum))
            and (self.unique or not other.unique)
            and (self.repeated or not other.repeated)
            and set(self.contains).issuperset(other.contains)
            and set(self.items).issuperset(other.items)
            and all(
                set(self.item(index)).issuperset(other.item(index))
                for index in range(max(len(self.prefix), len(other.prefix)))
            )
        )

    def repetitions(self) -> Iterator[tuple[int, int, Arrays]]:
        """Positions of two items, and arrays in which both items satisfy the conditions on each of them.

        Positions after the prefix are alike, so that the first two of them stand for all. Items are not yet equal.
        """
        last = len(self.prefix) + 2 if self.maximum is None else min(self.maximum, len(self.prefix) + 2)
        for second in range(1, last):
            for first in range(second):
                both = join_nodes(self.item(first), self.item(second))
                prefix = [self.item(index) for index in range(max(second + 1, len(self.prefix)))]
                prefix[first] = prefix[second] = both
                minimum = max(self.minimum, second + 1)
                yield first, second, replace(self, prefix=tuple(prefix), minimum=minimum, repeated=False)

    def item(self, index: int) -> Node:
        """Node of the item at `index`, from 0."""
        return self.prefix[index] if index < len(self.prefix) else self.items


@dataclass(frozen=True, slots=True, eq=False)
class PropertyRules:
    """Conditions of one schema on the keys and values of an object.

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
class Witness:
    """Existential condition on an object: at least one of several properties is absent, or present with a value.

    Args:
        absent: one of these keys is not there. Layers of the object declare it.
        present: one of these keys is there, with a value that satisfies the node beside it.
        others: there is a property with such a key, given as alternatives, and a value that satisfies the node beside.
    """

    absent: tuple[str, ...] = ()
    present: tuple[tuple[str, Node], ...] = ()
    others: tuple[tuple[tuple[Strings, ...], Node], ...] = ()


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects whose properties satisfy the conditions of several schemas.

    Args:
        layers: what must hold for each property, all together.
        required: keys that must be there, without repetition.
        minimum, maximum: number of properties; `maximum` None for no bound.
        witnesses: each says that some property must be there, or must not be; one may serve for several.
    """

    layers: tuple[PropertyRules, ...] = ()
    required: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int | None = None
    witnesses: tuple[Witness, ...] = ()

    def conjoin(self, other: Objects) -> Objects | None:
        """Intersection; None if the bounds exclude each other."""
        return Objects(
            tuple(dict.fromkeys(self.layers + other.layers)),
            tuple(dict.fromkeys(self.required + other.required)),
            max(self.minimum, other.minimum),
            _least(self.maximum, other.maximum),
            tuple(dict.fromkeys(self.witnesses + other.witnesses)),
        ).reduced()

    def reduced(self) -> Objects | None:
        """Equal record with fewer witnesses; None if it is plainly empty."""
        if self.maximum is not None and max(self.minimum, len(self.required)) > self.maximum:
            return None
        known = set(self.required)
        for witness in self.witnesses:
            if witness.others or len(witness.present) > 1 or not known.issuperset(witness.absent):
                continue
            if not witness.present:
                return None
            key, node = witness.present[0]
            required = self.required if key in self.required else (*self.required, key)
            layers = (*self.layers, PropertyRules({key: node})) if node else self.layers
            rest = tuple(other for other in self.witnesses if other is not witness)
            return Objects(layers, required, self.minimum, self.maximum, rest).reduced()
        return self

    def has(self, key: str) -> bool:
        """Test whether a key is required, and declared by a layer."""
        return key in self.required and any(key in layer.properties for layer in self.layers)

    @property
    def conditions(self) -> Iterator[Hashable]:
        """Conditions that another record has, too, if it implies this one; there are more."""
        return chain(self.layers, self.required, self.witnesses)

    def implies(self, other: Objects) -> bool:
        """Test whether a record is plainly a subset of another; False if undecided."""
        return (
            set(self.layers).issuperset(other.layers)
            and set(self.required).issuperset(other.required)
            and set(self.witnesses).issuperset(other.witnesses)
            and self.minimum >= other.minimum
            and (other.maximum is None or (self.maximum is not None and self.maximum <= other.maximum))
        )


ANY_NUMBER, ANY_STRING, ANY_ARRAY, ANY_OBJECT = Numbers(), Strings(), Arrays(), Objects()


def join_nodes(a: Node, b: Node) -> Node:
    """Conjunction of two nodes."""
    if not a or a == b:
        return b
    return tuple(dict.fromkeys(a + b)) if b else a


def least_common_multiple(a: Number, b: Number) -> Number:
    """Least common multiple of two positive rationals."""
    a, b = Fraction(a), Fraction(b)
    return Fraction(lcm(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)
