"""Clauses of in-place applicators: conjunctions of disjunctions of nodes, by one function for each kind of keyword."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a document looks its keywords up in the table, which holds these functions
    from guidance_kit.grammars.json_schema.documents.document import Location, Node, SchemaDocument
    from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion

__all__ = ["Clause", "all_of", "any_of", "branches", "conditional", "dependencies", "negated", "one_of", "referred"]


@dataclass(frozen=True, slots=True)
class Clause:
    """At least one of some nodes holds."""

    ways: tuple[Node, ...]


def branches(document: SchemaDocument, location: Location, keyword: str) -> list[Node]:
    """The nodes of the schemas in the list of a keyword."""
    return [document.node(location, branch, keyword, i) for i, branch in enumerate(location.schema[keyword])]


def referred(expansion: Expansion, location: Location, keyword: str) -> Iterator[Clause]:
    """`$ref`, `$dynamicRef` and `$recursiveRef`: their target."""
    yield Clause(((expansion.document.referred(location, keyword),),))


def all_of(expansion: Expansion, location: Location, keyword: str) -> Iterator[Clause]:
    """`allOf`: one clause for each branch.

    A branch that is a `oneOf` holds beside what the schema requires, which may tell its branches apart.
    """
    exclusive, required = expansion.exclusive, tuple(location.schema.get("required", ()))
    for node in branches(expansion.document, location, keyword):
        is_told = required and exclusive.is_alone(node)
        yield exclusive.clause(node[0], required) if is_told else Clause((node,))


def any_of(expansion: Expansion, location: Location, keyword: str) -> Iterator[Clause]:
    """`anyOf`: one clause of all branches."""
    yield Clause(tuple(branches(expansion.document, location, keyword)))


def one_of(expansion: Expansion, location: Location, keyword: str) -> Iterator[Clause]:
    """`oneOf`: as `anyOf`, each branch without those that it overlaps with."""
    yield expansion.exclusive.clause(location)


def negated(expansion: Expansion, location: Location, keyword: str) -> Iterator[Clause]:
    """`not`: the negation of its schema."""
    document = expansion.document
    yield Clause((document.negation(document.node(location, location.schema[keyword], keyword)),))


def dependencies(expansion: Expansion, location: Location, keyword: str) -> Iterator[Clause]:
    """`dependencies`, `dependentRequired` and `dependentSchemas`: a key is absent, or what it needs holds."""
    document = expansion.document
    for key, needed in location.schema[keyword].items():
        absent = document.beside(location, {"properties": {key: False}})
        keys = needed if isinstance(needed, list) else []
        present = document.beside(location, {"required": list(dict.fromkeys([key, *keys]))})
        then: Node = () if isinstance(needed, list) else document.node(location, needed, keyword, key)
        yield Clause(((absent,), (present, *then)))


def conditional(expansion: Expansion, location: Location, keyword: str) -> Iterator[Clause]:
    """`if`, with `then` and `else`: the condition and the one hold, or neither the condition nor the other."""
    document, schema = expansion.document, location.schema
    if "then" not in schema and "else" not in schema:
        return
    holds = document.node(location, schema[keyword], keyword)
    then = document.node(location, schema.get("then", True), "then")
    otherwise = document.node(location, schema.get("else", True), "else")
    fails = document.negation(holds)
    yield Clause((_both(holds, then), _both(fails, otherwise)))


def _both(a: Node, b: Node) -> Node:
    return tuple(dict.fromkeys(a + b))
