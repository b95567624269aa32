"""Renamed addresses of a schema, so that two versions of it, which have the same `$id`, stand in one document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urldefrag, urlsplit

__all__ = ["addresses", "with_suffix"]

_NAMES = frozenset(
    ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies", "dependentRequired")
)
"""Keywords whose keys are no keywords."""

_VALUES = frozenset(("enum", "const", "default", "examples", "example"))
"""Keywords whose values are no schemas."""

_ADDRESSES = frozenset(("$id", "id", "$ref", "$dynamicRef", "$recursiveRef"))


def addresses(schema: Any) -> set[str]:
    """Absolute addresses that a schema gives to itself and its parts, without fragments."""
    found = (value for keyword, value in _strings(schema) if keyword in ("$id", "id"))
    return {urldefrag(value)[0] for value in found if urlsplit(value).scheme}


def with_suffix(schema: Any, known: set[str], suffix: str) -> Any:
    """Copy of a schema in which each address of `known`, and each reference to one, is on another host.

    Relative addresses and references keep their meaning, since paths are unchanged.

    Args:
        known: the addresses that `addresses` found.
        suffix: what is added to the name of the host, or of a URN.
    """
    return _copied(schema, False, known, suffix)


def _copied(schema: Any, is_map: bool, known: set[str], suffix: str) -> Any:
    if isinstance(schema, list):
        return [_copied(part, False, known, suffix) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if not is_map and key in _ADDRESSES and isinstance(value, str):
            copy[key] = _moved(value, suffix) if urldefrag(value)[0] in known else value
        elif not is_map and key in _VALUES:
            copy[key] = value
        else:
            copy[key] = _copied(value, not is_map and key in _NAMES, known, suffix)
    return copy


def _moved(address: str, suffix: str) -> str:
    parts = urlsplit(address)
    if parts.netloc:
        return parts._replace(netloc=parts.netloc + suffix).geturl()
    return parts._replace(path=parts.path + suffix).geturl()


def _strings(schema: Any, is_map: bool = False) -> Iterator[tuple[str, str]]:
    """Keywords with their values, where these are strings."""
    if isinstance(schema, list):
        for part in schema:
            yield from _strings(part)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if isinstance(value, str) and not is_map:
                yield key, value
            elif is_map or key not in _VALUES:
                yield from _strings(value, not is_map and key in _NAMES)
