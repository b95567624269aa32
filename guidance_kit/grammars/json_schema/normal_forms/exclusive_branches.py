"""Branches of `oneOf`: which may overlap, and each without those that do."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

from guidance_kit.errors import LimitError, SchemaError, UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import Location, Node
from guidance_kit.grammars.json_schema.keywords.table import keywords_of
from guidance_kit.grammars.json_schema.normal_forms.clauses import Clause, branches
from guidance_kit.grammars.json_schema.normal_forms.evaluation import UNEVALUATED
from guidance_kit.grammars.json_schema.normal_forms.records import Objects, join_nodes
from guidance_kit.grammars.json_schema.normal_forms.shapes import (
    MAX_ALTERNATIVES,
    EntangledError,
    Shape,
    conjoin,
    number_products,
)

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
    from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion

__all__ = ["ExclusiveBranches"]

MAX_OVERLAPS = 9_000
"""Greatest number of overlapping pairs of branches of one `oneOf`: 134 branches, if all overlap."""

_MOST_NESTED_PROOFS = 8
"""Depth of nested normalisations from which overlaps are decided by shapes alone, not by satisfiability."""

_NO_CONTEXT = UNEVALUATED | {"oneOf"}
"""Keywords left out of the context in which branches are compared: their meaning depends on the branch."""

_OBJECTS = {"type": "object"}
_NO_OBJECTS = {"type": ["null", "boolean", "number", "string", "array"]}


class ExclusiveBranches:
    """Branches of the `oneOf` of a document, compared once each.

    Args:
        expansion: asked for the shapes of branches.
        facts: asked for the members of objects, and whether branches have common values.
    """

    def __init__(self, expansion: Expansion, facts: SchemaFacts) -> None:
        self._expansion = expansion
        self._facts = facts
        self._document = expansion.document
        self._apart: dict[tuple[Location, tuple[str, ...], int, int], bool] = {}

    def is_alone(self, node: Node) -> bool:
        """Test whether a node is one schema that is a `oneOf` and nothing else."""
        if len(node) != 1 or not isinstance(node[0].schema, dict):
            return False
        return keywords_of(node[0].draft).say_only(node[0].schema, "oneOf")

    def clause(self, location: Location, required: tuple[str, ...] = ()) -> Clause:
        """Clause of `oneOf`: each branch, with the negations of the branches that may overlap with it.

        Branches that say nothing about other types overlap there, even if a property tells their objects apart: then
        only what is no object is beside the negation.

        Args:
            location: schema with the keyword.
            required: keys that all objects have that the schema is asked about.
        """
        nodes = branches(self._document, location, "oneOf")
        alternatives = 0
        for node in nodes:
            alternatives += len(self._expansion.shape(node).objects)
            if alternatives > MAX_ALTERNATIVES:
                raise LimitError("max_alternatives", MAX_ALTERNATIVES, where=location.pointer)
        excluded: list[list[Node]] = [[] for _ in nodes]
        told: list[list[Node]] = [[] for _ in nodes]  # those with which a branch has no common objects
        for count, (first, second) in enumerate(self.overlaps(location, nodes, required)):
            if count == MAX_OVERLAPS:
                raise LimitError(
                    "max_overlaps", MAX_OVERLAPS, where=f"{location.pointer}/oneOf, with {len(nodes)} branches"
                )
            has_objects = all(self._expansion.shape(nodes[one]).objects for one in (first, second))
            is_told = has_objects and self._have_no_common_objects(nodes[first], nodes[second], required)
            found = told if is_told else excluded
            found[first].append(nodes[second])
            found[second].append(nodes[first])
        objects, no_objects = (self._document.beside(location, schema) for schema in (_OBJECTS, _NO_OBJECTS))
        ways: list[Node] = []
        for node, others, more in zip(nodes, excluded, told, strict=True):
            way = self._without(node, others)
            if more:
                rest = self._without(join_nodes((no_objects,), way), more)
                way = self._document.choice((join_nodes(way, (objects,)), rest))
            ways.append(way)
        return Clause(tuple(ways))

    def _without(self, node: Node, others: list[Node]) -> Node:
        """Values of a node that no other one allows."""
        for other in others:
            node = join_nodes(node, self._document.negation(other))
        return node

    def overlaps(
        self, location: Location, nodes: list[Node], required: tuple[str, ...] = ()
    ) -> Iterator[tuple[int, int]]:
        """Pairs of branches of a `oneOf` that are not proved disjoint, in objects with some required keys."""
        rest = {keyword: value for keyword, value in location.schema.items() if keyword not in _NO_CONTEXT}
        required = tuple(dict.fromkeys((*required, *rest.get("required", ()))))
        if required:
            rest["required"] = [*required]
        context: Node = (self._document.beside(location, rest),) if rest else ()
        listed = self._listed(nodes, required)
        having: dict[Hashable, list[int]] = {}  # branches that list a value
        unlisted: list[int] = []
        for second, values in enumerate(listed):
            if values is None:
                before: Iterable[int] = range(second)
                unlisted.append(second)
            else:
                before = {*unlisted}.union(*(having.get(value, ()) for value in values))
                for value in values:
                    having.setdefault(value, []).append(second)
            for first in sorted(before):
                place = location, required, first, second
                is_apart = self._apart.get(place)
                if is_apart is None:
                    is_apart = self._apart[place] = self._are_disjoint(nodes[first], nodes[second], context, required)
                if not is_apart:
                    yield first, second

    def _listed(self, nodes: list[Node], required: tuple[str, ...]) -> list[set[Hashable] | None]:
        """Values of each branch, or those of a property that all objects of all branches have; None without a list.

        Branches without a common value are disjoint.
        """
        shapes = list(map(self._expansion.shape, nodes))
        objects = [record for shape in shapes for record in shape.objects]
        common = dict.fromkeys((*objects[0].required, *required) if objects else ())
        for record in objects:
            common = {key: None for key in common if key in record.required or key in required}
        tag = next((key for key in common if all(self._tags(record, key) is not None for record in objects)), None)
        found: list[set[Hashable] | None] = []
        for shape in shapes:
            lists = [_values_of(shape), *(None if tag is None else self._tags(record, tag) for record in shape.objects)]
            found.append(None if None in lists or shape.arrays else set().union(*filter(None, lists)))
        return found

    def _tags(self, record: Objects, key: str) -> set[Hashable] | None:
        """Listed values of a property of an object record; None without a list."""
        try:
            shape = self._expansion.peek(self._facts.members.value(record.layers, key))
        except (LimitError, SchemaError, UnsupportedFeature):
            return None
        if shape is None or shape.arrays or shape.objects:
            return None
        values = _values_of(shape)
        return None if values is None else {("tag", value) for value in values}

    def _are_disjoint(self, a: Node, b: Node, context: Node, required: tuple[str, ...]) -> bool:
        left, right = self._expansion.shape(a), self._expansion.shape(b)
        if not context and _have_common_scalars(left, right):
            return False
        try:
            if not (left.arrays and right.arrays) and self._have_no_common_objects(a, b, required):
                flat = conjoin(left, right)
                if not (flat.nulls or flat.booleans or flat.numbers or flat.strings):
                    return True
            return self._expansion.depth < _MOST_NESTED_PROOFS and not self._facts.is_satisfiable(context + a + b)
        except EntangledError:
            return False

    def _have_no_common_objects(self, a: Node, b: Node, required: tuple[str, ...]) -> bool:
        """Test whether the objects of two branches are told apart; False if undecided."""
        left, right = self._expansion.shape(a).objects, self._expansion.shape(b).objects
        try:
            return all(self._are_told_apart(one, other, required) for one in left for other in right)
        except EntangledError:
            return False

    def _are_told_apart(self, a: Objects, b: Objects, required: tuple[str, ...]) -> bool:
        """Test whether a property that both have has disjoint shapes; cheaper than a conjunction."""
        value = self._facts.members.value
        return any(
            conjoin(self._expansion.shape(value(a.layers, key)), self._expansion.shape(value(b.layers, key))).is_empty
            for key in dict.fromkeys((*(key for key in a.required if key in b.required), *required))
        )


def _have_common_scalars(left: Shape, right: Shape) -> bool:
    """Test whether two shapes have a common null, boolean or number."""
    if (left.nulls and right.nulls) or not set(left.booleans).isdisjoint(right.booleans):
        return True
    return bool(number_products(left.numbers, right.numbers))


def _values_of(shape: Shape) -> set[Hashable] | None:
    """Scalars of a shape, each with its type; None if they are not listed."""
    found: set[Hashable] = {("null", None) for _ in shape.nulls}
    found |= {("boolean", value) for value in shape.booleans}
    for kind, records in (("number", shape.numbers), ("string", shape.strings)):
        for record in records:
            if record.values is None:
                return None
            found |= {(kind, value) for value in record.values}
    return found
