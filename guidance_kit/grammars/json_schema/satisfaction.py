"""Which nodes any value satisfies, and which properties an object can have.

A node is satisfiable if one of its alternatives is, and an object or array is if its required properties and items are.
So this is a system of Horn clauses with a least solution; it is solved from the node that is asked for, by counting
what each alternative still waits for. Recursion that never ends (a required property whose schema is the whole schema)
is unsatisfiable by itself: nothing ever comes true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.document import Node
from guidance_kit.grammars.json_schema.expansion import Expansion
from guidance_kit.grammars.json_schema.languages import (
    has_text,
    is_member,
    is_spellable,
    none_of,
    pattern_expression,
    string_expression,
)
from guidance_kit.grammars.json_schema.shapes import Arrays, Layer, Objects, Strings, join_nodes
from guidance_kit.grammars.regular.expression import Expression, alternate, complement, intersect

__all__ = ["Members", "Satisfaction"]

MAX_KEY_CLASSES = 256
"""Combinations of key patterns in one object."""


@dataclass(frozen=True, slots=True)
class Members:
    """The properties that an object of some kind can have.

    Args:
        properties: key -> node of the value: first the declared keys, then the required ones that are not declared.
        declared: how many keys are declared.
        others: (keys, node) for all other keys; the sets of keys are disjoint. Keys None: all others.
    """

    properties: dict[str, Node]
    declared: int
    others: tuple[tuple[Expression | None, Node], ...]


class Satisfaction:
    """Answers for the nodes of one document, remembered."""

    def __init__(self, expansion: Expansion) -> None:
        self.expansion = expansion
        self.nothing: Node = (expansion.document.nothing,)
        self._known: dict[Node, bool] = {(): True}
        self._members: dict[Objects, Members] = {}

    def is_satisfiable(self, node: Node) -> bool:
        """Whether any value satisfies all schemas of a node."""
        known = self._known.get(node)
        if known is None:
            self._solve(node)
            known = self._known[node]
        return known

    def has_string(self, strings: Strings) -> bool:
        """Whether there is any such string."""
        return not strings.conditions or has_text(string_expression(strings))

    def strings(self, node: Node) -> tuple[Strings, ...]:
        """The strings that a node allows, as alternatives."""
        return self.expansion.shape(node).strings

    def length(self, arrays: Arrays) -> tuple[int, int | None]:
        """Least and greatest number of items, as far as there are values for them; if the greatest is less, none."""
        maximum = arrays.maximum
        for index, node in enumerate(arrays.prefix):
            if maximum is not None and index >= maximum:
                return arrays.minimum, maximum
            if not self.is_satisfiable(node):
                return arrays.minimum, index
        if not self.is_satisfiable(arrays.items):
            maximum = len(arrays.prefix) if maximum is None else min(maximum, len(arrays.prefix))
        return arrays.minimum, maximum

    def members(self, objects: Objects) -> Members:
        """The properties of an object, whether satisfiable or not."""
        found = self._members.get(objects)
        if found is None:
            found = self._members[objects] = self._resolve(objects)
        return found

    # Horn clauses -------------------------------------------------------------------------------------------------

    def _solve(self, root: Node) -> None:
        known = self._known
        waiting: dict[Node, list[_Clause]] = {}
        seen = {root}
        todo = [root]
        while todo and root not in known:
            node = todo.pop()
            if node in known:
                continue
            for clause in self._clauses(node):
                open_nodes = [need for need in (*clause.needs, *clause.choices) if need not in known]
                clause.met += sum(known.get(need, False) for need in clause.choices)
                if any(known.get(need) is False for need in clause.needs):
                    continue
                clause.needs = [need for need in clause.needs if need not in known]
                if not clause.needs and clause.met >= clause.threshold:
                    self._came_true(node, waiting)
                    break
                for need in open_nodes:
                    waiting.setdefault(need, []).append(clause)
                    if need not in seen:
                        seen.add(need)
                        todo.append(need)
        if root not in known:
            for node in seen:
                known.setdefault(node, False)

    def _came_true(self, node: Node, waiting: dict[Node, list[_Clause]]) -> None:
        todo = [node]
        while todo:
            node = todo.pop()
            if self._known.get(node):
                continue
            self._known[node] = True
            for clause in waiting.pop(node, ()):
                if node in clause.needs:
                    clause.needs.remove(node)
                if node in clause.choices:
                    clause.met += clause.choices.count(node)
                    clause.choices = [choice for choice in clause.choices if choice != node]
                if not clause.needs and clause.met >= clause.threshold:
                    todo.append(clause.head)

    def _clauses(self, node: Node) -> Iterator[_Clause]:
        """The ways to satisfy a node, the easiest first."""
        shape = self.expansion.shape(node)
        if shape.nulls or shape.booleans or shape.numbers or any(self.has_string(strings) for strings in shape.strings):
            yield _Clause(node)
            return
        for arrays in shape.arrays:
            needs = dict.fromkeys(arrays.item(index) for index in range(min(arrays.minimum, len(arrays.prefix) + 1)))
            yield _Clause(node, list(needs))
        for objects in shape.objects:
            if not objects.required and not objects.minimum:
                yield _Clause(node)
                continue
            members = self.members(objects)
            needs = dict.fromkeys(members.properties[key] for key in objects.required)
            threshold = objects.minimum - len(objects.required)
            choices: list[Node] = []
            if threshold > 0:
                required = set(objects.required)
                choices = [value for key, value in members.properties.items() if key not in required]
                choices += [value for _, value in members.others]
            yield _Clause(node, list(needs), choices, max(threshold, 0))

    # Objects ------------------------------------------------------------------------------------------------------

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
            return Members(properties, declared, self._satisfiable_others([(None, layer.additional)]))
        properties = {key: self._value(layers, key) for key in keys}
        names: Node = ()
        for layer in layers:
            names = join_nodes(names, layer.names)
        patterns = dict.fromkeys(pattern for layer in layers for pattern, _ in layer.patterns)
        if not patterns and not names:
            node: Node = ()
            for layer in layers:
                node = join_nodes(node, layer.additional)
            return Members(properties, declared, self._satisfiable_others([(None, node)]))
        return Members(
            properties, declared, self._classes(layers, tuple(patterns), names, tuple(filter(is_spellable, keys)))
        )

    def _value(self, layers: tuple[Layer, ...], key: str) -> Node:
        """The node of the value of a given key."""
        if not is_spellable(key):
            return self.nothing
        node: Node = ()
        for layer in layers:
            if layer.names and not any(is_member(key, string_expression(s)) for s in self.strings(layer.names)):
                return self.nothing
            is_named = key in layer.properties
            if is_named:
                node = join_nodes(node, layer.properties[key])
            for pattern, value in layer.patterns:
                if is_member(key, pattern_expression(pattern)):
                    is_named = True
                    node = join_nodes(node, value)
            if not is_named:
                node = join_nodes(node, layer.additional)
        return node

    def _classes(
        self, layers: tuple[Layer, ...], patterns: tuple[str, ...], names: Node, keys: tuple[str, ...]
    ) -> tuple[tuple[Expression | None, Node], ...]:
        """All other keys, split by which of the patterns are found in them."""
        allowed = alternate(string_expression(strings) for strings in self.strings(names))
        rest = intersect(allowed, none_of(keys))
        classes: list[tuple[Expression, frozenset[str]]] = [(rest, frozenset())] if has_text(rest) else []
        for pattern in patterns:
            expression = pattern_expression(pattern)
            split = []
            for base, found in classes:
                split.append((intersect(base, expression), found | {pattern}))
                split.append((intersect(base, complement(expression)), found))
            classes = [(base, found) for base, found in split if has_text(base)]
            if len(classes) > MAX_KEY_CLASSES:
                raise UnsupportedFeature(
                    "patternProperties with so many overlapping patterns", where="an object", hint="use fewer patterns"
                )
        others: list[tuple[Expression | None, Node]] = []
        for base, found in classes:
            node: Node = ()
            for layer in layers:
                values = [value for pattern, value in layer.patterns if pattern in found]
                for value in values or [layer.additional]:
                    node = join_nodes(node, value)
            others.append((base, node))
        return self._satisfiable_others(others)

    def _satisfiable_others(
        self, others: list[tuple[Expression | None, Node]]
    ) -> tuple[tuple[Expression | None, Node], ...]:
        """Those whose values are not ruled out at first sight."""
        return tuple((keys, node) for keys, node in others if node != self.nothing and self.nothing[0] not in node)


@dataclass(slots=True)
class _Clause:
    """A node holds if all `needs` hold, and so many of the `choices` that `met` reaches `threshold`."""

    head: Node
    needs: list[Node] = field(default_factory=list)
    choices: list[Node] = field(default_factory=list)
    threshold: int = 0
    met: int = 0
