"""Explanation of an unsatisfiable schema: the keywords that clash, and where."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import Location, Node, escape_pointer
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.keywords.table import keywords_of
from guidance_kit.grammars.json_schema.normal_forms.clauses import all_of, referred

__all__ = ["Clash", "explain"]

_MOST_KEYWORDS = 60
"""Greatest number of keywords for which a smallest contradictory set is searched."""


class Clash(NamedTuple):
    """Contradiction between keywords of a schema.

    Args:
        message: in words.
        where: JSON pointer of the schema that is at fault.
        keywords: JSON pointers of the keywords that cannot hold together; none where that is not due to keywords.
    """

    message: str
    where: str
    keywords: tuple[str, ...] = ()


def explain(facts: SchemaFacts, node: Node) -> Clash:
    """Say why an unsatisfiable node is so.

    Args:
        facts: of the document of `node`.
    """
    seen: set[Node] = set()
    while node not in seen:
        seen.add(node)
        inner = _culprit(facts, node)
        if inner is None:
            return _clash(facts, node)
        node = inner
    return Clash("a value would have to contain a value of the same kind, without end", node[0].pointer)


def _culprit(facts: SchemaFacts, node: Node) -> Node | None:
    """The node of a required property or item that no value satisfies, if it is due to that alone."""
    shape = facts.shape(node)
    for objects in shape.objects:
        members = facts.members.of(objects)
        for key in objects.required:
            value = members.properties[key]
            if not facts.is_satisfiable(value) and value != facts.nothing:
                return value
    for arrays in shape.arrays:
        for index in range(min(arrays.minimum, len(arrays.prefix) + 1)):
            value = arrays.item(index)
            if not facts.is_satisfiable(value) and value != facts.nothing:
                return value
    return None


def _clash(facts: SchemaFacts, node: Node) -> Clash:
    """The smallest set of keywords that cannot hold together, found by leaving out one after the other."""
    document = facts.document
    places = _assertions(facts, node)
    if node == facts.nothing or not places:
        return Clash("the schema `false` allows no value", node[0].pointer)
    if len(places) <= _MOST_KEYWORDS:
        kept = list(places)
        for place in places:
            fewer = [other for other in kept if other != place]
            parts: dict[Location, dict[str, Any]] = {}
            for location, keyword in fewer:
                parts.setdefault(location, {})[keyword] = location.schema[keyword]
            reduced = tuple(document.beside(location, schema) for location, schema in parts.items())
            try:
                is_needless = not facts.is_satisfiable(reduced)
            except UnsupportedFeature:  # what is left may say more than all of it together
                continue
            if is_needless:
                kept = fewer
        places = kept
    shown = [f"{keyword} {_shown(location.schema[keyword])}" for location, keyword in places[:6]]
    where = places[0][0].pointer
    keywords = tuple(f"{location.pointer}/{escape_pointer(keyword)}" for location, keyword in places)
    if len(shown) == 1:
        return Clash(f"nothing satisfies {shown[0]}", where, keywords)
    elsewhere = sorted({location.pointer for location, _ in places} - {where})
    also = f", also at {', '.join(elsewhere)}" if elsewhere else ""
    return Clash(f"{', '.join(shown[:-1])} and {shown[-1]} cannot hold together{also}", where, keywords)


def _assertions(facts: SchemaFacts, node: Node) -> list[tuple[Location, str]]:
    """All (schema, keyword) that speak of the value itself, following $ref and allOf."""
    document = facts.document
    found: list[tuple[Location, str]] = []
    todo = list(node)
    while todo:
        location = todo.pop(0)
        schema = location.schema
        if not isinstance(schema, dict):
            continue
        rows = keywords_of(location.draft).rows
        applied = {keyword: rows[keyword].clauses for keyword in schema if keyword in rows}
        todo += (document.referred(location, keyword) for keyword, read in applied.items() if read is referred)
        if "$ref" in schema and location.draft.ref_overrides:
            continue
        for keyword, value in schema.items():
            if applied.get(keyword) is all_of:
                todo += [document.below(location, branch, "allOf", index) for index, branch in enumerate(value)]
            elif keyword in rows and rows[keyword].support == "enforced" and applied[keyword] is not referred:
                found.append((location, keyword))
    return found


def _shown(value: Any) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"
