"""JSON values under the equality of JSON Schema, and enumerations of the values of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Any

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.normal_forms.records import Arrays, Numbers, Objects, Strings
from guidance_kit.grammars.json_schema.numbers.decimals import decimal_places
from guidance_kit.grammars.json_schema.strings.languages import listed, string_expression
from guidance_kit.grammars.regular.charset import is_spellable
from guidance_kit.grammars.regular.listing import listing

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

__all__ = ["MAX_VALUES", "Domains", "Value", "frozen", "thawed"]

MAX_VALUES = 1_000
"""Greatest number of values of a node that are enumerated."""

_MOST_TRIED = 20 * MAX_VALUES

Value = tuple[str, Any]
"""Hashable JSON value: its type, and a content that equal values share."""


class _UnsureError(Exception):
    """Nodes whose number of values is not decided."""


def frozen(value: Any) -> Value:
    """Hashable form of a JSON value; equal for values that JSON Schema holds to be equal."""
    match value:
        case None:
            return "null", None
        case bool():
            return "boolean", value
        case str():
            return "string", value
        case list() | tuple():
            return "array", tuple(map(frozen, value))
        case dict():
            return "object", frozenset((key, frozen(inner)) for key, inner in value.items())
        case _:
            return "number", Fraction(repr(value) if isinstance(value, float) else value)


def thawed(value: Value) -> Any:
    """JSON value of a hashable form, with exact numbers."""
    kind, inside = value
    if kind == "array":
        return [thawed(item) for item in inside]
    if kind == "object":
        return {key: thawed(inner) for key, inner in sorted(inside, key=lambda pair: pair[0])}
    if kind != "number":
        return inside
    places = decimal_places(inside)
    return Decimal(f"{int(inside * 10**places)}e-{places}") if places else int(inside)


class Domains:
    """Enumerations of the values of nodes, cached.

    Args:
        facts: of the document.
    """

    def __init__(self, facts: SchemaFacts) -> None:
        self._facts = facts
        self._known: dict[Node, frozenset[Value] | None] = {(): None}
        self._open: set[Node] = set()

    def of(self, node: Node) -> frozenset[Value] | None:
        """All values of a node; None if they are more than MAX_VALUES.

        Raises:
            UnsupportedFeature: it cannot be told.
        """
        try:
            return self._of(node)
        except _UnsureError as error:
            raise UnsupportedFeature(f"uniqueItems where items are {error}", where="") from None

    def has_few_of_a_type(self, node: Node) -> bool:
        """Test whether a node may have few values, or few strings, arrays or objects; true if it cannot be told."""
        shape = self._facts.shape(node)
        types: list[list[Callable[[], Iterable[Value] | None]]] = [
            [partial(_strings, strings) for strings in shape.strings],
            [partial(self._arrays, arrays) for arrays in shape.arrays],
            [partial(self._objects, objects) for objects in shape.objects],
        ]
        try:
            has_many = self._of(node) is None
        except _UnsureError:
            has_many = False
        return not has_many or any(parts and self._are_few(parts) for parts in types)

    @staticmethod
    def _are_few(parts: Iterable[Callable[[], Iterable[Value] | None]]) -> bool:
        """Test whether parts have at most MAX_VALUES values together, or it cannot be told."""
        found: set[Value] = set()
        try:
            for values_of in parts:
                values = values_of()
                if values is None:
                    return False
                found.update(values)
        except _UnsureError:
            return True
        return len(found) <= MAX_VALUES

    def _of(self, node: Node) -> frozenset[Value] | None:
        if node not in self._known:
            if node in self._open:
                raise _UnsureError("nested in each other")
            self._open.add(node)
            try:
                self._known[node] = self._united(node)
            finally:
                self._open.discard(node)
        return self._known[node]

    def _united(self, node: Node) -> frozenset[Value] | None:
        shape = self._facts.shape(node)
        found: set[Value] = {frozen(value) for value in (*shape.nulls, *shape.booleans)}
        doubt: _UnsureError | None = None
        parts: list[Callable[[], Iterable[Value] | None]] = [
            *(partial(_numbers, numbers) for numbers in shape.numbers),
            *(partial(_strings, strings) for strings in shape.strings),
            *(partial(self._arrays, arrays) for arrays in shape.arrays),
            *(partial(self._objects, objects) for objects in shape.objects),
        ]
        for values_of in parts:
            try:
                values = values_of()
            except _UnsureError as error:
                doubt = error
                continue
            if values is None:
                return None
            found.update(values)
        if len(found) > MAX_VALUES:
            return None
        if doubt is not None:
            raise doubt
        return frozenset(found)

    def _all_of(self, nodes: Iterable[Node]) -> list[frozenset[Value]] | None:
        """Values of each node; None if one has more than MAX_VALUES."""
        found: list[frozenset[Value]] = []
        doubt: _UnsureError | None = None
        for node in nodes:
            try:
                values = self._of(node)
            except _UnsureError as error:
                doubt = error
                continue
            if values is None:
                return None
            found.append(values)
        if doubt is not None:
            raise doubt
        return found

    def _arrays(self, arrays: Arrays) -> Iterable[Value] | None:
        least, most = self._facts.length(arrays)
        if most is not None and least > most:
            return ()
        if arrays.contains or arrays.repeated or (arrays.unique and (most is None or least > 1)):
            raise _UnsureError("arrays with contains or uniqueItems")
        if most is None or most - least >= MAX_VALUES:
            return None
        if most > MAX_VALUES:
            raise _UnsureError("arrays with so many items")
        items = self._all_of(arrays.item(index) for index in range(most))
        if items is None or sum(prod(map(len, items[:length])) for length in range(least, most + 1)) > _MOST_TRIED:
            if items is not None and arrays.unique:
                raise _UnsureError("arrays with uniqueItems")
            return None
        found = (values for length in range(least, most + 1) for values in product(*items[:length]))
        return _few(("array", values) for values in found if not arrays.unique or len(set(values)) == len(values))

    def _objects(self, objects: Objects) -> Iterable[Value] | None:
        if objects.witnesses:
            raise _UnsureError("objects with conditions")
        holds = self._facts.is_satisfiable
        members = self._facts.members.of(objects)
        required, maximum = set(objects.required), objects.maximum
        properties = {key: node for key, node in members.properties.items() if holds(node)}
        if not required.issubset(properties):
            return ()
        if maximum is None or maximum > len(required):
            for keys, node in members.others:
                if holds(node):
                    texts = None if keys is None else listing(keys, MAX_VALUES)
                    if texts is None:
                        return None
                    properties.update(dict.fromkeys(filter(is_spellable, texts), node))
        else:
            properties = {key: properties[key] for key in objects.required}
        if objects.minimum > len(properties):
            return ()
        values = self._all_of(properties.values())
        if values is None:
            return None
        ways = [
            (*((key, value) for value in found), *(() if key in required else (None,)))
            for key, found in zip(properties, values, strict=True)
        ]
        if prod(map(len, ways)) > _MOST_TRIED:
            if objects.minimum > len(required) or maximum is not None:
                raise _UnsureError("objects with minProperties or maxProperties")
            return None
        chosen = (frozenset(pair for pair in way if pair is not None) for way in product(*ways))
        most = len(properties) if maximum is None else maximum
        return _few(("object", pairs) for pairs in chosen if objects.minimum <= len(pairs) <= most)


def _few(values: Iterator[Value]) -> list[Value] | None:
    found = list(islice(values, MAX_VALUES + 1))
    return None if len(found) > MAX_VALUES else found


def _numbers(numbers: Numbers) -> Iterable[Value] | None:
    if numbers.values is not None:
        return _few(("number", Fraction(value)) for value in numbers.values)
    lower, upper, step = numbers.lower, numbers.upper, numbers.multiple
    if numbers.is_integer and step is None:
        step = 1
    if lower is None or upper is None:
        return None
    if step is None:
        return (("number", Fraction(lower)),) if lower == upper else None
    turns = range(int(-(-lower // step)), int(upper // step) + 1)
    found = [("number", Fraction(step * turn)) for turn in turns[:_MOST_TRIED] if step * turn in numbers]
    if len(found) > MAX_VALUES:
        return None
    if len(turns) > _MOST_TRIED:
        raise _UnsureError("numbers that are no multiples")
    return found


def _strings(strings: Strings) -> Iterable[Value] | None:
    texts = list(listed(strings)) if strings.values is not None else listing(string_expression(strings), MAX_VALUES)
    return None if texts is None else _few(("string", text) for text in texts if is_spellable(text))
