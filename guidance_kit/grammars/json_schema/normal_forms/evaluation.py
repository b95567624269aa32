"""`unevaluatedProperties` and `unevaluatedItems`, by the evaluated properties and items of the adjacent subschemas.

Which properties and items a schema evaluates depends on which of its branches hold. So a schema is taken apart into
*ways* to satisfy it, in each of which it is known what is evaluated, at least; what is left then is under the schema of
the keyword, as under `additionalProperties` and `items`. That in some way more branches hold than it says makes it only
stricter, and the way that says so is among the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from guidance_kit.errors import LimitError
from guidance_kit.grammars.json_schema.documents.document import Location, Node, SchemaDocument
from guidance_kit.grammars.json_schema.normal_forms.clauses import Clause, branches
from guidance_kit.grammars.json_schema.normal_forms.records import join_nodes

if TYPE_CHECKING:
    from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts

__all__ = ["UNEVALUATED", "AnnotationCases"]

UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})

MAX_WAYS = 256
"""Greatest number of combinations of branches of one schema that evaluate different properties or items."""

_TAKEN_APART = UNEVALUATED | {
    "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seen:
    """Evaluated properties and items of an instance.

    Args:
        keys, patterns: the properties with such keys; `has_all_keys` for all of them.
        prefix: so many of the first items; `has_all_items` for all of them.
        items: schemas of other items, in their places.
    """

    keys: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    has_all_keys: bool = False
    prefix: int = 0
    has_all_items: bool = False
    items: tuple[Location, ...] = ()

    def __or__(self, other: Seen) -> Seen:
        return Seen(
            self.keys | other.keys,
            self.patterns | other.patterns,
            self.has_all_keys or other.has_all_keys,
            max(self.prefix, other.prefix),
            self.has_all_items or other.has_all_items,
            tuple(dict.fromkeys(self.items + other.items)),
        )


NOTHING_SEEN = Seen()

Way = tuple[Node, Seen]
"""Node, with the properties and items that it evaluates."""


class AnnotationCases:
    """Decomposition of schemas into combinations of branches, each with its evaluated properties and items.

    Args:
        facts: of the document; asked for the clauses of `oneOf`, one way for each branch.
    """

    def __init__(self, facts: SchemaFacts) -> None:
        self.document = facts.document
        self._facts = facts

    def clause(self, location: Location) -> Clause:
        """Clause of a schema with `unevaluatedProperties` or `unevaluatedItems`.

        Raises:
            LimitError: there are more than MAX_WAYS.
        """
        return Clause(tuple(node for node, _ in self._ways((location,))))

    def _ways(self, node: Node) -> list[Way]:
        if not node:
            return [((), NOTHING_SEEN)]
        (location,) = node
        if not isinstance(location.schema, dict):
            return [(node, NOTHING_SEEN)] if location.schema else []
        schema, document = location.schema, self.document
        local = {keyword: value for keyword, value in schema.items() if keyword not in _TAKEN_APART}
        found: list[Way] = [((document.beside(location, local),), _seen(location, document))]
        for keyword, value in schema.items():
            if keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
                found = _both(found, self._ways((document.referred(location, keyword),)), location)
            elif keyword == "allOf":
                for branch in branches(document, location, keyword):
                    found = _both(found, self._ways(branch), location)
            elif keyword == "anyOf":
                found = _both(found, self._any_of(branches(document, location, keyword), location), location)
            elif keyword == "oneOf":
                found = _both(found, self._exactly_one(location), location)
            elif keyword == "if":
                found = _both(found, self._conditional(location), location)
            elif keyword == "dependentSchemas":
                for key, inner in value.items():
                    absent = document.beside(location, {"properties": {key: False}})
                    present = document.beside(location, {"type": "object", "required": [key]})
                    then = self._ways(document.node(location, inner, keyword, key))
                    then = _both([((present,), NOTHING_SEEN)], then, location)
                    found = _both(found, [((absent,), NOTHING_SEEN), *then], location)
        for keyword in UNEVALUATED.intersection(schema):
            found = [self._with_rest(location, keyword, way) for way in found]
        return found

    def _any_of(self, nodes: list[Node], location: Location) -> list[Way]:
        """Combinations of at least one branch of `anyOf`; branches that evaluate the same are joined first."""
        groups: dict[Seen, list[Node]] = {}
        for node in nodes:
            for inner, seen in self._ways(node):
                groups.setdefault(seen, []).append(inner)
        single = [(self.document.choice(tuple(inner)), seen) for seen, inner in groups.items()]
        if 2 ** len(single) > MAX_WAYS:
            raise LimitError("max_ways", MAX_WAYS, where=f"{location.pointer}/anyOf")
        found: list[Way] = []
        for count in range(1, len(single) + 1):
            for chosen in combinations(single, count):
                way: Way = ((), NOTHING_SEEN)
                for inner, seen in chosen:
                    way = join_nodes(way[0], inner), way[1] | seen
                found.append(way)
        return found

    def _exactly_one(self, location: Location) -> list[Way]:
        nodes = branches(self.document, location, "oneOf")
        (clause,) = self._facts.expansion.clauses(location, "oneOf")
        found: list[Way] = []
        for node, exclusive in zip(nodes, clause.ways, strict=True):
            found += ((join_nodes(exclusive, inner), seen) for inner, seen in self._ways(node))
        return found

    def _conditional(self, location: Location) -> list[Way]:
        document, schema = self.document, location.schema
        condition = document.node(location, schema["if"], "if")
        then = self._ways(document.node(location, schema.get("then", True), "then"))
        otherwise = self._ways(document.node(location, schema.get("else", True), "else"))
        fails: list[Way] = [(document.negation(condition), NOTHING_SEEN)]
        return _both(self._ways(condition), then, location) + _both(fails, otherwise, location)

    def _with_rest(self, location: Location, keyword: str, way: Way) -> Way:
        """`way`, with the schema of an `unevaluated...` keyword on all that it does not evaluate."""
        node, seen = way
        value = location.schema[keyword]
        if keyword == "unevaluatedProperties":
            if not seen.has_all_keys:
                rest = {
                    "properties": dict.fromkeys(sorted(seen.keys), True),
                    "patternProperties": dict.fromkeys(sorted(seen.patterns), True),
                    "additionalProperties": value,
                }
                node = join_nodes(node, (self.document.beside(location, rest),))
            return node, seen | Seen(has_all_keys=True)
        rest_node = self.document.node(location, value, keyword)
        allowed = self.document.choice((*((one,) for one in seen.items), rest_node))
        if allowed and not seen.has_all_items:
            items = self.document.adopted(location, allowed[0])
            prefix = [True] * seen.prefix
            if location.draft.number < 9:
                rest = {"items": prefix, "additionalItems": items}
            else:
                rest = {"prefixItems": prefix, "items": items}
            node = join_nodes(node, (self.document.beside(location, rest),))
        return node, seen | Seen(has_all_items=True)


def _both(left: list[Way], right: Iterable[Way], location: Location) -> list[Way]:
    found = [(join_nodes(a, b), seen | other) for a, seen in left for b, other in right]
    if len(found) > MAX_WAYS:
        raise LimitError("max_ways", MAX_WAYS, where=location.pointer)
    return found


def _seen(location: Location, document: SchemaDocument) -> Seen:
    """Properties and items that the keywords of one schema evaluate, in-place applicators aside."""
    schema, is_new = location.schema, location.draft.number >= 9
    prefix = schema.get("prefixItems" if is_new else "items")
    is_list = isinstance(prefix, list)
    has_all = "items" in schema if is_new else "items" in schema and (not is_list or "additionalItems" in schema)
    counted = is_new and "contains" in schema
    return Seen(
        frozenset(schema.get("properties", ())),
        frozenset(schema.get("patternProperties", ())),
        "additionalProperties" in schema,
        len(prefix) if isinstance(prefix, list) else 0,
        has_all,
        (document.below(location, schema["contains"], "contains"),) if counted else (),
    )
