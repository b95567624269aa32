"""Schemas whose type alone says that they have values, told without their normal form."""

from __future__ import annotations

from functools import cache

from guidance_kit.grammars.json_schema.documents.document import Location
from guidance_kit.grammars.json_schema.documents.drafts import SchemaDraft
from guidance_kit.grammars.json_schema.keywords.table import keywords_of

__all__ = ["plain_type"]

_OF_MEMBERS = frozenset({"properties", "patternProperties", "additionalProperties"})
_OF_ITEMS = frozenset({"items", "prefixItems", "additionalItems"})
_ALLOW_EMPTY = {"object": _OF_MEMBERS, "array": _OF_ITEMS}
"""Keywords that the empty object and the empty array satisfy, whatever their schemas say."""


def plain_type(location: Location) -> str:
    """Type of a schema that names one, and nothing else that could exclude all of its values; "" if undecided.

    Most properties do, and an object asks of each of its properties whether it can be written.
    """
    schema = location.schema
    if location.denies is not None or location.ways is not None or not isinstance(schema, dict):
        return ""
    kind = schema.get("type")
    return kind if isinstance(kind, str) and _restricting(location.draft, kind).isdisjoint(schema) else ""


@cache
def _restricting(draft: SchemaDraft, kind: str) -> frozenset[str]:
    """Keywords that can exclude all values of a type."""
    read_as = "number" if kind == "integer" else kind
    found = {
        name
        for name, row in keywords_of(draft).rows.items()
        if row.support != "annotation" and (row.shape or row.clauses or not row.readers or read_as in dict(row.readers))
    }
    return frozenset(found - _ALLOW_EMPTY.get(kind, frozenset()) - {"type", "$schema", "$id", "id", "$comment"})
