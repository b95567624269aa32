"""Complement of a shape, as a shape: De Morgan's laws, record by record.

The complement of a record is one alternative for each of its fields: the values that are wrong in that field. What is
wrong with some item or property is said by a count of items or a witness among the properties; what their values must
be then is the negation of a node, which is not looked at here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.normal_forms.records import (
    ANY_ARRAY,
    ANY_NUMBER,
    ANY_OBJECT,
    ANY_STRING,
    Arrays,
    Contains,
    Numbers,
    Objects,
    PropertyRules,
    Strings,
    Witness,
)
from guidance_kit.grammars.json_schema.normal_forms.shapes import Alternative, Shape, products, string_products
from guidance_kit.grammars.regular.charset import is_spellable

__all__ = ["complement"]


def complement(shape: Shape, negate: Callable[[Node], Node], names: Callable[[Node], tuple[Strings, ...]]) -> Shape:
    """Shape of the values that another shape does not allow.

    Args:
        shape: of a schema that stands by itself: its objects have no witnesses.
        negate: gives the node of all values that a node does not allow.
        names: gives the strings that a node allows.
    """
    return Shape(
        () if shape.nulls else (None,),
        tuple(value for value in (False, True) if value not in shape.booleans),
        _none_of(map(_other_numbers, shape.numbers), ANY_NUMBER),
        _none_of_strings(shape.strings),
        _none_of((_other_arrays(arrays, negate) for arrays in shape.arrays), ANY_ARRAY),
        _none_of((_other_objects(objects, negate, names) for objects in shape.objects), ANY_OBJECT),
    )


def _none_of(complements: Iterable[Iterable[Alternative | None]], everything: Alternative) -> tuple[Alternative, ...]:
    """Conjunction of the complements of all."""
    found: tuple[Alternative, ...] = (everything,)
    for alternatives in complements:
        found = products(found, tuple(one for one in alternatives if one is not None), everything)
    return found


def _none_of_strings(alternatives: Iterable[Strings]) -> tuple[Strings, ...]:
    """Conjunction of the complements of strings."""
    found: tuple[Strings, ...] = (ANY_STRING,)
    for complements in map(_other_strings, alternatives):
        found = string_products(found, tuple(one for one in complements if one is not None))
    return found


def _other_numbers(numbers: Numbers) -> Iterator[Numbers | None]:
    if numbers.values is not None:
        values = sorted(numbers.values)
        for below, above in zip([None, *values], [*values, None], strict=True):
            yield Numbers(below, above, below is not None, above is not None).reduced()
        return
    if numbers.lower is not None:
        yield Numbers(upper=numbers.lower, upper_open=not numbers.lower_open)
    if numbers.upper is not None:
        yield Numbers(lower=numbers.upper, lower_open=not numbers.upper_open)
    if numbers.is_integer:
        yield Numbers(unless=(1,))
    if numbers.multiple is not None:
        yield Numbers(unless=(numbers.multiple,))
    for step in numbers.unless:
        yield Numbers(is_integer=True) if step == 1 else Numbers(multiple=step)


def _other_strings(strings: Strings) -> Iterator[Strings | None]:
    if strings.values is not None:
        yield Strings(excluded=strings.values)
    if strings.minimum:
        yield Strings(maximum=strings.minimum - 1)
    if strings.maximum is not None:
        yield Strings(minimum=strings.maximum + 1)
    for kind, text in strings.freed().conditions:
        yield Strings(conditions=((kind[4:] if kind.startswith("not ") else f"not {kind}", text),))
    if strings.excluded:
        yield Strings(values=strings.excluded)
    for clause in strings.clauses:
        yield from _none_of_strings(clause)


def _other_arrays(arrays: Arrays, negate: Callable[[Node], Node]) -> Iterator[Arrays | None]:
    if arrays.unique and (arrays.maximum is None or arrays.maximum > 1):
        yield Arrays(minimum=2, repeated=True)
    if arrays.repeated:
        yield Arrays(unique=True)
    if arrays.minimum:
        yield Arrays(maximum=arrays.minimum - 1)
    if arrays.maximum is not None:
        yield Arrays(minimum=arrays.maximum + 1)
    for index, node in enumerate(arrays.prefix):
        if node:
            yield Arrays((*((),) * index, negate(node)), minimum=index + 1)
    if arrays.items and (arrays.maximum is None or arrays.maximum > len(arrays.prefix)):
        yield Arrays(contains=(Contains(negate(arrays.items), start=len(arrays.prefix)),))
    for counted in arrays.contains:
        if counted.minimum:
            yield Arrays(contains=(Contains(counted.node, 0, counted.minimum - 1, counted.start),))
        if counted.maximum is not None:
            yield Arrays(contains=(Contains(counted.node, counted.maximum + 1, None, counted.start),))


def _other_objects(
    objects: Objects, negate: Callable[[Node], Node], names: Callable[[Node], tuple[Strings, ...]]
) -> Iterator[Objects | None]:
    assert not objects.witnesses
    if objects.minimum:
        yield Objects(maximum=objects.minimum - 1)
    if objects.maximum is not None:
        yield Objects(minimum=objects.maximum + 1)
    present: list[tuple[str, Node]] = []
    others: list[tuple[tuple[Strings, ...], Node]] = []
    for layer in objects.layers:
        present += ((key, negate(node)) for key, node in layer.properties.items() if node)
        for pattern, node in layer.patterns:
            if node:
                others.append(((Strings(conditions=(("pattern", pattern),)),), negate(node)))
        if layer.additional:
            conditions = tuple(("not pattern", pattern) for pattern, _ in layer.patterns)
            excluded = tuple(filter(is_spellable, layer.properties))
            others.append(((Strings(conditions=conditions, excluded=excluded),), negate(layer.additional)))
        if layer.names:
            others.append((names(negate(layer.names)), ()))
    if not (objects.required or present or others):
        return
    keys = dict.fromkeys([*(key for layer in objects.layers for key in layer.properties), *objects.required], ())
    if len(objects.required) == 1 and not (present or others):
        yield Objects((PropertyRules({objects.required[0]: negate(())}),))
        return
    layers = (PropertyRules(keys),) if keys else ()
    yield Objects(layers, witnesses=(Witness(objects.required, tuple(present), tuple(others)),)).reduced()
