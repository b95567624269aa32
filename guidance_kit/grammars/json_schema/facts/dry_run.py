"""Dry run: check, before a network is built, that all derived conditions can be enforced exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import Location, Node
from guidance_kit.grammars.json_schema.facts.schema_facts import SchemaFacts
from guidance_kit.grammars.json_schema.keywords.checks import MAX_PROPERTIES
from guidance_kit.grammars.json_schema.normal_forms.records import Arrays, Objects
from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape
from guidance_kit.grammars.json_schema.numbers.automaton import check_multiple
from guidance_kit.grammars.json_schema.objects.members import MAX_LISTED_KEYS, is_finite

__all__ = ["dry_run", "dry_run_everything"]


def dry_run(facts: SchemaFacts, locations: Iterable[Location]) -> None:
    """Normalise schemas and their negations, and build the plans of their arrays and objects.

    Args:
        facts: of the document of `locations`.
        locations: schemas whose alternatives do not simply stand in them.
    Raises:
        UnsupportedFeature: something in them cannot be enforced exactly.
        LimitError: one of them has too many alternatives, or takes too many states.
    """
    shape = facts.shape
    todo: list[tuple[Node, Location]] = [((location,), location) for location in locations]
    seen = {node for node, _ in todo}
    while todo:
        node, location = todo.pop()
        try:
            found = shape(node)
            _check(facts, found, location)
            for inner in _inner_nodes(facts, found):
                if inner not in seen and _is_derived(inner):
                    seen.add(inner)
                    facts.expansion.shape(inner)  # where one has too many alternatives, no more plans are made
                    todo.append((inner, location))
        except UnsupportedFeature as error:
            if error.where:
                raise
            is_plain = isinstance(location.schema, dict) and "uniqueItems" in location.schema
            where = f"{location.pointer}/uniqueItems" if is_plain else location.pointer
            raise UnsupportedFeature(error.feature, where=where, hint=error.hint) from None


def dry_run_everything(facts: SchemaFacts, root: Location) -> None:
    """Normalise all reachable nodes, and check their strings and their arrays with `uniqueItems`.

    Raises:
        UnsupportedFeature: a format that has rules instead of an expression, with other conditions; items of which it
            cannot be told how many values they have.
        LimitError: see `dry_run`.
    """
    for node, shape in _reached(facts, (root,)):
        try:
            for strings in shape.strings:
                facts.has_string(strings)
            for arrays in shape.arrays:
                _check_distinct(facts, arrays)
        except UnsupportedFeature as error:
            where = node[0].pointer if node else ""
            raise UnsupportedFeature(error.feature, where=where, hint=error.hint) from None


def _reached(facts: SchemaFacts, root: Node) -> Iterator[tuple[Node, Shape]]:
    """Nodes, with their shapes, that are reachable from a node through items and properties."""
    todo: list[Node] = [root]
    seen = set(todo)
    while todo:
        node = todo.pop()
        shape = facts.shape(node)
        yield node, shape
        inner = list(_inner_nodes(facts, shape))
        for objects in shape.objects:
            members = facts.members.of(objects)
            inner += [*members.properties.values(), *(node for _, node in members.others)]
        fresh = [node for node in dict.fromkeys(inner) if node not in seen]
        seen.update(fresh)
        todo += fresh


def _check(facts: SchemaFacts, shape: Shape, location: Location) -> None:
    for numbers in shape.numbers:
        check_multiple(numbers, location, facts.digits)
    for arrays in shape.arrays:
        _check_distinct(facts, arrays)
        if arrays.contains:
            facts.array_plan(arrays)
    for objects in shape.objects:
        others = facts.members.of(objects).others
        missing = objects.minimum - len(objects.required)
        if missing > 1 and others:
            facts.note_needed(others)
        if others and missing > (MAX_LISTED_KEYS if all(is_finite(keys) for keys, _ in others) else MAX_PROPERTIES):
            is_plain = isinstance(location.schema, dict) and location.schema.get("minProperties") == objects.minimum
            asked = f"minProperties {objects.minimum}" if is_plain else f"at least {objects.minimum} properties"
            raise UnsupportedFeature(
                f"{asked} with undeclared keys",
                where=f"{location.pointer}/minProperties" if is_plain else location.pointer,
                hint="set additionalProperties to false, or require the keys by name",
            )
        if objects.witnesses and facts.witness_plan(objects).may_need_others:
            facts.note_needed(others)


def _check_distinct(facts: SchemaFacts, arrays: Arrays) -> None:
    if arrays.repeated:
        raise UnsupportedFeature("uniqueItems under not, if, or in branches of oneOf that overlap", where="")
    plan = facts.distinct_plan(arrays)
    if plan is not None and plan.has_many_sets:
        facts.has_many_sets = True
    if plan is not None and plan.has_others:
        facts.compares_items = True


def _inner_nodes(facts: SchemaFacts, shape: Shape) -> Iterator[Node]:
    """Nodes of items and properties that derived schemas may be part of."""
    for arrays in shape.arrays:
        if arrays.contains:
            yield from facts.array_plan(arrays).nodes()
        else:
            yield from (*arrays.prefix, arrays.items)
    for objects in shape.objects:
        if objects.witnesses:
            yield from facts.witness_plan(objects).nodes()
        elif any(map(_is_derived, _layer_nodes(objects))):
            members = facts.members.of(objects)
            yield from members.properties.values()
            for _, node in members.others:
                yield node


def _layer_nodes(objects: Objects) -> Iterator[Node]:
    for layer in objects.layers:
        yield from (*layer.properties.values(), layer.additional, layer.names)
        for _, node in layer.patterns:
            yield node


def _is_derived(node: Node) -> bool:
    return any(location.is_derived for location in node)
