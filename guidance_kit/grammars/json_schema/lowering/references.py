"""References within one schema in the keywords of draft 2020-12: where they are, and where they lead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from guidance_kit.grammars.json_schema.documents.document import escape_pointer

__all__ = ["circle", "needed_definitions", "references", "references_by_place", "referred"]

_MAPS = frozenset(("properties", "patternProperties", "dependentSchemas", "dependentRequired", "$defs", "definitions"))
"""Keywords whose keys are no keywords."""

_VALUES = frozenset(("enum", "const", "default", "examples"))
"""Keywords whose values are no schemas."""

_DEFINITIONS = frozenset(("$defs", "definitions"))


def references(schema: Any, *, is_map: bool = False) -> Iterator[str]:
    """References in a schema, to any depth, without those of its definitions.

    Args:
        is_map: the keys of the object are no keywords.
    """
    if isinstance(schema, list):
        for one in cast("list[Any]", schema):
            yield from references(one)
    elif isinstance(schema, dict):
        given = cast("dict[str, Any]", schema)
        if not is_map and isinstance(given.get("$ref"), str):
            yield given["$ref"]
        for key, one in given.items():
            if is_map or key not in _VALUES | _DEFINITIONS:
                yield from references(one, is_map=not is_map and key in _MAPS)


def references_by_place(schema: Any, pointer: str = "", *, is_map: bool = False) -> Iterator[tuple[str, list[str]]]:
    """Schemas within a schema, definitions included, by their pointers, with the references in them.

    Args:
        is_map: as of `references`.
    """
    if isinstance(schema, list):
        for number, one in enumerate(cast("list[Any]", schema)):
            yield from references_by_place(one, f"{pointer}/{number}")
    elif isinstance(schema, dict):
        if not is_map:
            yield pointer, [*references(schema)]
        for key, one in cast("dict[str, Any]", schema).items():
            if is_map or key not in _VALUES:
                place = f"{pointer}/{escape_pointer(key)}"
                yield from references_by_place(one, place, is_map=not is_map and key in _MAPS)


def referred(root: Any, reference: str) -> Any:
    """The schema that a local reference names; None if there is none."""
    here = root
    for name in _steps(reference):
        if isinstance(here, list) and name.isdigit() and int(name) < len(cast("list[Any]", here)):
            here = cast("list[Any]", here)[int(name)]
        elif isinstance(here, dict) and name in here:
            here = cast("dict[str, Any]", here)[name]
        else:
            return None
    return here


def circle(graph: Mapping[str, list[str]]) -> str | None:
    """Pointer of a schema that leads back to itself through references; None without one.

    Args:
        graph: as `references_by_place` gives it.
    """
    for start in graph:
        todo, seen = [reference.removeprefix("#") for reference in graph[start]], set[str]()
        while todo:
            here = todo.pop()
            if here == start:
                return start
            if here not in seen:
                seen.add(here)
                todo += (reference.removeprefix("#") for reference in graph.get(here, ()))
    return None


def needed_definitions(definitions: Mapping[str, dict[str, Any]], *parts: Any) -> dict[str, dict[str, Any]]:
    """Definitions to which some parts lead; all of them if a reference leads elsewhere.

    Args:
        definitions: the values of `$defs` and `definitions` of the root, by these keywords.
    """
    needed: dict[str, dict[str, Any]] = {keyword: {} for keyword in definitions}
    todo = [one for part in parts for one in references(part)]
    while todo:
        keyword, name = (*_steps(todo.pop()), "", "")[:2]
        if name not in definitions.get(keyword, ()):
            return dict(definitions)
        if name not in needed[keyword]:
            needed[keyword][name] = definitions[keyword][name]
            todo += references(definitions[keyword][name])
    return needed


def _steps(reference: str) -> list[str]:
    """Keys of a local reference."""
    return [step.replace("~1", "/").replace("~0", "~") for step in reference.removeprefix("#").split("/")[1:]]
