"""Files with a JSON object on each line, of which a field is a document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from guidance_kit.errors import DocumentError
from guidance_kit.extraction.documents.document import Document, Unreadable, document, unreadable
from guidance_kit.extraction.documents.lines import WholeFileError, lines_with_text
from guidance_kit.extraction.documents.reading import Reading
from guidance_kit.extraction.documents.sources import DocumentSource

__all__ = ["listed", "read_json_lines"]


def read_json_lines(source: DocumentSource, reading: Reading) -> Iterator[Document | Unreadable]:
    """One document a line."""
    try:
        for line in lines_with_text(source, reading):
            name = f"{source.name}#{line.number}"
            if line.problem:
                yield unreadable(name, line.raw, line.problem)
                continue
            try:
                yield document(name, _text_in(json.loads(line.text, object_pairs_hook=_object), reading.field))
            except (ValueError, RecursionError) as error:
                problem = str(error) if isinstance(error, DocumentError) else f"the line is not JSON: {error}"
                yield unreadable(name, line.raw, problem)
    except WholeFileError as error:
        yield unreadable(source.name, error.raw, str(error))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these members.

    Raises:
        DocumentError: two have the same name; of these JSON does not say which one counts (RFC 8259, section 4).
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DocumentError(f"duplicate field {twice!r}")
    return found


def _text_in(value: Any, field: str | None) -> str:
    """The text in the value of a line.

    Raises:
        DocumentError: there is none.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise DocumentError(f"the line is {_kind(value)}, not an object")
    assert field is not None
    found: Any = value
    if field in value:
        found = value[field]
    else:
        for part in field.split("."):
            if not isinstance(found, dict) or part not in found:
                raise DocumentError(f"no field {field!r}; there are {listed(value)}")
            found = found[part]
    if not isinstance(found, str):
        raise DocumentError(f"the field {field!r} is {_kind(found)}, not a text")
    return found


def _kind(value: Any) -> str:
    """The JSON type of a value, in words."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return {dict: "an object", list: "an array", str: "a text"}.get(type(value), "a number")


def listed(names: Iterable[str]) -> str:
    """Names for a message, a dozen of them at most."""
    shown = [repr(name) for name in names]
    return ", ".join(shown[:12]) + (f" and {len(shown) - 12} more" if len(shown) > 12 else "") or "none"
