"""The keywords that hold schemas for the same value, as conjunctions of disjunctions of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from guidance_kit.grammars.json_schema.documents.document import Document, Location, Node

__all__ = ["CONDITIONAL", "IN_ORDER", "REFERENCES", "Clause", "branches", "clauses"]

REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})

IN_ORDER = REFERENCES | {"allOf", "anyOf", "oneOf"}
"""Keywords whose subschemas declare properties at the position of the keyword in the schema."""

CONDITIONAL = frozenset({"not", "if", "dependencies", "dependentRequired", "dependentSchemas"})
"""Keywords whose subschemas declare properties after all others, so that the order does not depend on the branch."""


@dataclass(frozen=True, slots=True)
class Clause:
    """At least one of some nodes holds."""

    ways: tuple[Node, ...]


def branches(document: Document, location: Location, keyword: str) -> list[Node]:
    """The nodes of the schemas in the list of a keyword."""
    return [document.node(location, branch, keyword, i) for i, branch in enumerate(location.schema[keyword])]


def clauses(document: Document, location: Location, keyword: str) -> Iterator[Clause]:
    """Parse a keyword that is in the draft of `location` and in IN_ORDER or CONDITIONAL, except `oneOf`."""
    value = location.schema[keyword]
    if keyword in REFERENCES:
        yield Clause(((document.referred(location, keyword),),))
    elif keyword == "allOf":
        for branch in branches(document, location, keyword):
            yield Clause((branch,))
    elif keyword == "anyOf":
        yield Clause(tuple(branches(document, location, keyword)))
    elif keyword == "not":
        yield Clause((document.negation(document.node(location, value, "not")),))
    elif keyword == "if":
        yield from _conditional(document, location, value)
    else:
        for key, needed in value.items():
            absent = document.beside(location, {"properties": {key: False}})
            keys = needed if isinstance(needed, list) else []
            present = document.beside(location, {"required": list(dict.fromkeys([key, *keys]))})
            then: Node = () if isinstance(needed, list) else document.node(location, needed, keyword, key)
            yield Clause(((absent,), (present, *then)))


def _conditional(document: Document, location: Location, condition: Any) -> Iterator[Clause]:
    """`if`, with `then` and `else`: either the condition and the one hold, or neither the condition nor the other."""
    schema = location.schema
    if "then" not in schema and "else" not in schema:
        return
    holds = document.node(location, condition, "if")
    then = document.node(location, schema.get("then", True), "then")
    otherwise = document.node(location, schema.get("else", True), "else")
    fails = document.negation(holds)
    yield Clause((_both(holds, then), _both(fails, otherwise)))


def _both(a: Node, b: Node) -> Node:
    return tuple(dict.fromkeys(a + b))
