"""Shape of the assertions of one schema, each type by the readers in the rows of its keywords."""

from __future__ import annotations

from typing import Any

from guidance_kit.grammars.json_schema.documents.document import Document, Location
from guidance_kit.grammars.json_schema.keywords.keyword import TYPES
from guidance_kit.grammars.json_schema.keywords.readers import read_strings
from guidance_kit.grammars.json_schema.keywords.table import keywords_of
from guidance_kit.grammars.json_schema.normal_forms.records import (
    ANY_ARRAY,
    ANY_NUMBER,
    ANY_OBJECT,
    ANY_STRING,
    Numbers,
)
from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape

__all__ = ["local_shape"]

ONLY_INTEGERS = Numbers(is_integer=True)


def local_shape(document: Document, location: Location) -> Shape:
    """Shape of the keywords of a schema, without references, applicators and enumerations."""
    schema, known = location.schema, keywords_of(location.draft)
    named = schema.get("type", TYPES)
    types = (named,) if isinstance(named, str) else named
    readers: dict[str, dict[Any, None]] = {}
    if document.excerpts_of is not None:
        readers["string"] = {read_strings: None}
    for keyword in schema:
        row = known.rows.get(keyword)
        if row is not None:
            for kind, reader in row.readers:
                readers.setdefault(kind, {})[reader] = None

    def read(kind: str, record: Any) -> tuple[Any, ...]:
        for reader in readers.get(kind, ()):
            found = reader(document, location)
            record = None if found is None else record.conjoin(found)
            if record is None:
                return ()
        return (record,)

    is_number = "number" in types
    return Shape(
        (None,) if "null" in types else (),
        (False, True) if "boolean" in types else (),
        read("number", ANY_NUMBER if is_number else ONLY_INTEGERS) if is_number or "integer" in types else (),
        read("string", ANY_STRING) if "string" in types else (),
        read("array", ANY_ARRAY) if "array" in types else (),
        read("object", ANY_OBJECT) if "object" in types else (),
    )
