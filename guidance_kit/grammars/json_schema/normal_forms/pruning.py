"""Alternatives that others make superfluous, and records that ask for nothing but one property."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from guidance_kit.grammars.json_schema.documents.document import Node
from guidance_kit.grammars.json_schema.normal_forms.records import Arrays, Objects, join_nodes

__all__ = ["sole_condition", "without_implied"]

Record = TypeVar("Record", Arrays, Objects)


def without_implied(records: list[Record]) -> tuple[Record, ...]:
    """Alternatives that are not plainly subsets of others."""
    bits: dict[Hashable, int] = {}
    kept: list[tuple[Record, int]] = []  # each with the bits of its conditions, which decide nearly always
    for one in records:
        mask = 0
        for condition in one.conditions:
            mask |= bits.setdefault(condition, 1 << len(bits))
        if any(not found & ~mask and one.implies(other) for other, found in kept):
            continue
        kept = [(other, found) for other, found in kept if mask & ~found or not other.implies(one)]
        kept.append((one, mask))
    return tuple(one for one, _ in kept)


def sole_condition(objects: Objects) -> tuple[str, Node, bool] | None:
    """Key and node of a record that asks for this property and nothing else, nor declares others, with True; None of
    other records."""
    if len(objects.required) != 1 or objects.minimum > 1 or objects.maximum is not None or objects.witnesses:
        return None
    (key,) = objects.required
    node: Node = ()
    for layer in objects.layers:
        if layer.patterns or layer.additional or layer.names or layer.properties.keys() - {key}:
            return None
        node = join_nodes(node, layer.properties.get(key, ()))
    return key, node, True
