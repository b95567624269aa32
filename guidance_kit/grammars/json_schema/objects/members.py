"""Possible keys of an object record, and the nodes of their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypeGuard

from guidance_kit.fsm.network import Work
from guidance_kit.grammars.json_schema.documents.document import Location, Node, SchemaDocument
from guidance_kit.grammars.json_schema.normal_forms.records import Objects, PropertyRules, Strings, join_nodes
from guidance_kit.grammars.json_schema.objects.key_classes import KeyClass, key_classes
from guidance_kit.grammars.json_schema.strings.languages import (
    allows,
    has_text,
    is_member,
    pattern_expression,
    string_expression,
)
from guidance_kit.grammars.regular.charset import is_spellable
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.expression import Expression, alternate, intersect
from guidance_kit.grammars.regular.listing import listing

__all__ = ["MAX_LISTED_KEYS", "MemberTable", "Members", "Order", "is_finite", "ordered_keys"]

Order = Literal["declared", "any"]
"""Order of the properties in an object."""

MAX_LISTED_KEYS = 100
"""Greatest size of a set of keys that is enumerated, so that the remaining keys can be counted."""

MAX_FREE_KEYS = 5
"""Greatest number of undeclared required keys in any order; more of them keep the order of `required`."""


@dataclass(frozen=True, slots=True)
class Members:
    """Possible properties of an object record.

    Args:
        properties: key -> node of the value: first the declared keys, then the required ones that are not declared,
            then others that are listed, since they are few.
        declared: how many keys are declared.
        named: how many are declared or required.
        others: (keys, node) for all other keys; the sets of keys are disjoint. Keys None: all others.
        has_nearly_all: whether all keys but finitely many are among the others.
    """

    properties: dict[str, Node]
    declared: int
    named: int
    others: tuple[tuple[Expression | None, Node], ...]
    has_nearly_all: bool = False


class Names(Protocol):
    """Resolver of nodes to strings; `work` bounds what that takes, unless it is None."""

    document: SchemaDocument
    work: Work | None

    def strings(self, node: Node) -> tuple[Strings, ...]:
        """Alternatives of the strings that a node allows."""
        ...


class MemberTable:
    """Cache of the possible properties of object records of one document."""

    def __init__(self, facts: Names) -> None:
        self._facts = facts
        self.nothing: Node = (facts.document.nothing,)
        self._members: dict[Objects, Members] = {}
        self._key_classes: dict[tuple[Expression, tuple[str, ...], tuple[str, ...]], list[KeyClass]] = {}
        self._parts: dict[tuple[Expression, Expression], tuple[Expression | None, Expression | None]] = {}

    def of(self, objects: Objects) -> Members:
        """Possible properties of an object record, which need not be satisfiable."""
        found = self._members.get(objects)
        if found is None:
            found = self._members[objects] = self._resolve(objects)
        return found

    def _resolve(self, objects: Objects) -> Members:
        layers = objects.layers
        keys = dict.fromkeys(key for layer in layers for key in layer.properties)
        declared = len(keys)
        keys.update(dict.fromkeys(objects.required))
        is_simple = len(layers) == 1 and not layers[0].patterns and not layers[0].names
        if is_simple and all(map(is_spellable, keys)):
            layer = layers[0]
            properties = layer.properties
            if declared < len(keys):
                properties = {key: properties.get(key, layer.additional) for key in keys}
            return self._simple(properties, declared, len(keys), layer.additional)
        properties = {key: self.value(layers, key) for key in keys}
        names: Node = ()
        for layer in layers:
            names = join_nodes(names, layer.names)
        patterns = dict.fromkeys(pattern for layer in layers for pattern, _ in layer.patterns)
        if not patterns and not names:
            node: Node = ()
            for layer in layers:
                node = join_nodes(node, layer.additional)
            return self._simple(properties, declared, len(keys), node)
        others, listed, has_nearly_all = self._classes(
            layers, tuple(patterns), names, tuple(filter(is_spellable, keys))
        )
        return Members({**properties, **listed}, declared, len(keys), others, has_nearly_all)

    def required(self, objects: Objects) -> list[Node]:
        """Nodes of the values of the required keys of an object record."""
        layers, keys = objects.layers, objects.required
        if objects in self._members or any(layer.patterns or layer.names for layer in layers):
            properties = self.of(objects).properties
            return [properties[key] for key in keys]
        return [*map(self.values(layers, len(keys)), keys)]

    def value(self, layers: tuple[PropertyRules, ...], key: str) -> Node:
        """Node of the value of a given key."""
        if not is_spellable(key):
            return self.nothing
        node: dict[Location, None] = {}  # in the order of the layers
        for layer in layers:
            value = layer.properties.get(key)
            if value:
                node.update(dict.fromkeys(value))
            if not (layer.names or layer.patterns or layer.additional):
                continue
            if layer.names and not any(allows(strings, key) for strings in self._facts.strings(layer.names)):
                return self.nothing
            is_named = value is not None
            for pattern, value in layer.patterns:
                if is_member(key, pattern_expression(pattern)):
                    is_named = True
                    node.update(dict.fromkeys(value))
            if not is_named and layer.additional:
                node.update(dict.fromkeys(layer.additional))
        return tuple(node)

    def values(self, layers: tuple[PropertyRules, ...], asked: int) -> Callable[[str], Node]:
        """Function that gives nodes as `value` does, for about so many keys."""
        if any(layer.patterns or layer.additional or layer.names for layer in layers):
            return partial(self.value, layers)
        if sum(len(layer.properties) for layer in layers) > asked * len(layers):
            return partial(self.value, layers)
        found: dict[str, dict[Location, None]] = {}
        for layer in layers:
            for key, node in layer.properties.items():
                if node:
                    found.setdefault(key, {}).update(dict.fromkeys(node))
        return lambda key: tuple(found.get(key, ())) if is_spellable(key) else self.nothing

    def parts(self, keys: Expression, wanted: Expression) -> tuple[Expression | None, Expression | None]:
        """Keys within a language and keys outside; None in place of a part without keys.

        Raises:
            LimitError: no work is left.
        """
        found = self._parts.get((keys, wanted))
        if found is None:
            inside, outside = intersect(keys, wanted), intersect(keys, complement(wanted))
            work = self._facts.work
            found = inside if has_text(inside, work) else None, outside if has_text(outside, work) else None
            self._parts[keys, wanted] = found
        return found

    def _classes(
        self, layers: tuple[PropertyRules, ...], patterns: tuple[str, ...], names: Node, keys: tuple[str, ...]
    ) -> tuple[tuple[tuple[Expression | None, Node], ...], dict[str, Node], bool]:
        """Other keys, partitioned by the patterns that match them, and those of the partitions that can be listed.

        Returns:
            Both, and whether all keys but finitely many are among the former.
        """
        allowed = alternate(string_expression(strings) for strings in self._facts.strings(names))
        classes = self._key_classes.get((allowed, patterns, keys))
        if classes is None:
            classes = key_classes(allowed, patterns, keys, self._facts.work)
            self._key_classes[allowed, patterns, keys] = classes
        others: list[tuple[Expression | None, Node]] = []
        listed: dict[str, Node] = {}
        has_nearly_all = not names
        for one in classes:
            node: Node = ()
            for layer in layers:
                values = [value for pattern, value in layer.patterns if pattern in one.patterns]
                for value in values or [layer.additional]:
                    node = join_nodes(node, value)
            if self.nothing[0] in node:
                has_nearly_all &= is_finite(one.language)
                continue
            texts = None
            if one.least <= MAX_LISTED_KEYS and is_finite(one.language):
                texts = listing(one.keys, MAX_LISTED_KEYS)
            if texts is None:
                others.append((one.keys, node))
            else:
                listed.update(dict.fromkeys(filter(is_spellable, texts), node))
        return tuple(others), listed, has_nearly_all

    def _simple(self, properties: dict[str, Node], declared: int, named: int, additional: Node) -> Members:
        """Members without patterns or restricted names: all other keys have one value, unless it is plainly none."""
        has_others = self.nothing[0] not in additional
        return Members(properties, declared, named, ((None, additional),) if has_others else (), has_others)


def is_finite(keys: Expression | None) -> TypeGuard[Expression]:
    """Test whether the keys have a known greatest length, so that they are finitely many."""
    return keys is not None and keys.most >= 0


def ordered_keys(members: Members, order: Order) -> tuple[list[str], list[str]]:
    """Keys in a fixed order, and keys in any order among the others."""
    keys = list(members.properties)
    if order == "any":
        return ([], keys) if len(keys) + len(members.others) > 1 else (keys, [])
    if members.named - members.declared > MAX_FREE_KEYS:
        return keys[: members.named], keys[members.named :]
    return keys[: members.declared], keys[members.declared :]
