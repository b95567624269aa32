"""Equal parts of two schemas, so that each is one location of their document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["EqualPart", "equal_parts"]

Path = tuple[str | int, ...]


class EqualPart(NamedTuple):
    """Part of the right schema that has the same instances as one of the left.

    Args:
        right: the part itself.
        left: the part of the left schema.
        path: of the latter, from the root.
    """

    right: dict[str, Any]
    left: dict[str, Any]
    path: Path


class _Part(NamedTuple):
    """Object within a schema, with its path and the references that it has itself."""

    path: Path
    value: dict[str, Any]
    references: tuple[str, ...]


def equal_parts(left: Any, right: Any) -> Iterator[EqualPart]:
    """Parts of `right` with an equal part in `left`: at the same place, or anywhere if they refer to nothing.

    A part that refers to others is equal if these are, at the same places. The parts are those of schemas without
    `$id`, whose references begin with "#/".
    """
    ours = {part.path: part for part in _parts(left)}
    theirs = {part.path: part for part in _parts(right)}
    texts = {path: json.dumps(part.value, sort_keys=True) for path, part in ours.items()}
    unequal = _unequal(ours, theirs, texts)
    closed: dict[str, Path] = {}
    for path, text in texts.items():
        if '"$ref"' not in text and '"$dynamicRef"' not in text and '"$recursiveRef"' not in text:
            closed.setdefault(text, path)
    for path, part in theirs.items():
        found = path if path not in unequal else closed.get(json.dumps(part.value, sort_keys=True))
        if found is not None:
            yield EqualPart(part.value, ours[found].value, found)


def _parts(schema: Any, path: Path = ()) -> Iterator[_Part]:
    """All objects within a schema, whether or not they are schemas."""
    if isinstance(schema, dict):
        references = (schema.get(keyword) for keyword in ("$ref", "$dynamicRef", "$recursiveRef"))
        yield _Part(path, schema, tuple(found for found in references if isinstance(found, str)))
    pairs = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for step, value in pairs:
        if isinstance(value, dict | list):
            yield from _parts(value, (*path, step))


def _unequal(ours: dict[Path, _Part], theirs: dict[Path, _Part], texts: dict[Path, str]) -> set[Path]:
    """Places whose parts differ, or lead to parts that do."""
    places = {_pointer(path): path for path in theirs}
    unequal = {
        path
        for path, part in theirs.items()
        if path not in ours or texts[path] != json.dumps(part.value, sort_keys=True)
    }
    leading: dict[Path, list[Path]] = {}
    todo = list(unequal)
    for path, part in theirs.items():
        for reference in part.references:
            target = places.get(reference)
            if target is None:
                todo.append(path)
            else:
                leading.setdefault(target, []).append(path)
    while todo:
        path = todo.pop()
        for outer in (*leading.get(path, ()), *(path[:end] for end in range(len(path)))):
            if outer in theirs and outer not in unequal:
                unequal.add(outer)
                todo.append(outer)
        unequal.add(path)
    return unequal


def _pointer(path: Path) -> str:
    """A place as the reference to it."""
    return "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
