"""Recursive schemas written out to a depth, for targets whose references may not lead back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.lowering.references import references, referred

__all__ = ["LEVELS", "unrolled"]

LEVELS = 3
"""Copies of a recursive schema within each other."""

_IN_PLACE = frozenset(("not", "if", "then", "else", "contains", "dependentSchemas", "propertyNames"))
"""Keywords that cannot lose a branch without another meaning."""


def unrolled(root: dict[str, Any], levels: int = LEVELS) -> dict[str, Any] | None:
    """Schema without recursion: each recursive part is copied so many times, and the last copy does not go on.

    The last copy lacks optional properties and branches of `anyOf` that would go on, so its instances are instances of
    the schema, those of at most so many levels.

    Args:
        root: a schema in the keywords of draft 2020-12, with references within itself.
    Returns:
        None if no reference leads back.
    Raises:
        UnsupportedFeature: no instance ends within so many levels; a recursive reference under a keyword like `not`.
    """
    recursive = _recursive(root)
    if not recursive:
        return None
    names = {reference: f"level_{number}" for number, reference in enumerate(sorted(recursive), 1)}
    copies: dict[str, Any] = {}
    known: set[str] = set()
    for level in range(levels, 0, -1):
        built = {
            f"{names[reference]}_{level}": _rewritten(referred(root, reference), level, names, known)
            for reference in sorted(recursive)
        }
        found = {name: schema for name, schema in built.items() if schema is not None}
        known |= found.keys()
        copies |= found
    plain = {key: value for key, value in root.items() if key not in ("$defs", "definitions")}
    whole = _rewritten(plain, 0, names, known)
    if not isinstance(whole, dict):
        raise UnsupportedFeature(
            f"a schema without instances of at most {levels} levels",
            where="the root",
            hint="write the schema out to the depth that is needed",
        )
    for keyword in ("$defs", "definitions"):
        defined = {
            key: part
            for key, one in root.get(keyword, {}).items()
            if f"#/{keyword}/{key}" not in recursive and (part := _rewritten(one, 0, names, known)) is not None
        }
        if defined:
            whole[keyword] = defined
    whole["$defs"] = {**whole.get("$defs", {}), **dict(sorted(copies.items()))}
    return whole


def _recursive(root: dict[str, Any]) -> set[str]:
    """References that lead back to themselves."""
    found: set[str] = set()
    for start in set(references(root)) | {one for part in _definitions(root) for one in references(part)}:
        seen: set[str] = set()
        todo = [*references(referred(root, start))]
        while todo:
            reference = todo.pop()
            if reference not in seen:
                seen.add(reference)
                todo += references(referred(root, reference))
        if start in seen:
            found.add(start)
    return found


def _definitions(root: Mapping[str, Any]) -> Iterator[Any]:
    for keyword in ("$defs", "definitions"):
        yield from root.get(keyword, {}).values()


def _rewritten(schema: Any, level: int, names: Mapping[str, str], known: set[str]) -> Any:
    """Schema at a level, whose recursive references lead to the copies of the next one; None if it has no instance."""
    if not isinstance(schema, dict):
        return schema
    given = dict(cast("dict[str, Any]", schema))
    for keyword in ("$defs", "definitions"):
        given.pop(keyword, None)

    def inner(one: Any) -> Any:
        return _rewritten(one, level, names, known)

    reference = given.get("$ref")
    if isinstance(reference, str) and reference in names:
        name = f"{names[reference]}_{level + 1}"
        if name not in known:
            return None
        given["$ref"] = f"#/$defs/{name}"
    for keyword in _IN_PLACE & given.keys():
        if set(references(given[keyword])) & names.keys():
            raise UnsupportedFeature(f"a schema that refers to itself under {keyword}", where=keyword)
    if "properties" in given:
        kept: dict[str, Any] = {}
        for key, one in given["properties"].items():
            part = inner(one)
            if part is not None:
                kept[key] = part
            elif key in given.get("required", ()):
                return None
        if len(kept) < len(given["properties"]):
            given["additionalProperties"] = False  # else the property could have any value
        given["properties"] = kept
    for keyword in ("anyOf", "oneOf"):
        if keyword in given:
            given[keyword] = [part for one in given[keyword] if (part := inner(one)) is not None]
            if not given[keyword]:
                return None
    for keyword in ("allOf", "prefixItems"):
        if keyword in given:
            parts = [inner(one) for one in given[keyword]]
            if None in parts:
                return None
            given[keyword] = parts
    for keyword in ("items", "additionalProperties"):
        if keyword in given:
            part = inner(given[keyword])
            if part is None and keyword == "items":
                return None  # an array that could only be empty: its property is left out
            given[keyword] = False if part is None else part
    return given
