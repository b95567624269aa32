"""Equal schemas of a document, by hash consing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from guidance_kit.grammars.json_schema.documents.document import Location
from guidance_kit.grammars.json_schema.documents.drafts import SchemaDraft
from guidance_kit.grammars.json_schema.keywords.table import Keyword, keywords_of

__all__ = ["equal_schemas"]


def equal_schemas(locations: Iterable[Location]) -> dict[Location, Location]:
    """Schemas with the same keywords as an earlier one, which is returned for each: they have the same instances.

    Annotations and unknown keywords do not count. The order of keywords does, for properties are written in it.

    Args:
        locations: schemas that are objects, each after those that hold it; it takes time linear in their size.
    """
    numbering = _Numbering()
    numbered = [(location, numbering.of(location)) for location in reversed([*locations])]
    first: dict[Hashable, Location] = {}
    equal: dict[Location, Location] = {}
    for location, number in reversed(numbered):
        found = first.setdefault((number, location.base, location.draft, location.scope), location)
        if found is not location:
            equal[location] = found
    return equal


class _Numbering:
    """Numbers of schemas, negative ones; those of equal schemas are equal."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._of: dict[tuple[int, SchemaDraft], int] = {}  # by id() of a schema

    def of(self, location: Location) -> int:
        """Number of a schema, whose subschemas have theirs already."""
        draft = location.draft
        known = keywords_of(draft).rows
        parts: list[Hashable] = []
        for keyword, value in location.schema.items():
            row = known.get(keyword)
            if row is not None and row.support != "annotation":
                parts += keyword, self._key(row, value, draft)
        number = self._numbers.setdefault(tuple(parts), ~len(self._numbers))
        self._of[id(location.schema), draft] = number
        return number

    def _key(self, row: Keyword, value: Any, draft: SchemaDraft) -> Hashable:
        """Value of a keyword, with numbers in place of schemas."""
        if not row.has_schemas:
            return repr(value)
        if isinstance(value, list):
            return tuple(self._number(one, draft) for one in value)
        if row.value in ("schema map", "dependencies"):
            return tuple((key, self._number(one, draft)) for key, one in value.items())
        return self._number(value, draft)

    def _number(self, schema: Any, draft: SchemaDraft) -> Hashable:
        """Number of a schema; one that has none yet, as it is elsewhere too, is equal to itself alone."""
        return self._of.get((id(schema), draft), id(schema)) if isinstance(schema, dict) else repr(schema)
