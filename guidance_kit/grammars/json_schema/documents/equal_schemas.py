"""Equal schemas of a document, by hash consing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from guidance_kit.grammars.json_schema.documents.document import Location
from guidance_kit.grammars.json_schema.documents.drafts import SchemaDraft
from guidance_kit.grammars.json_schema.keywords.table import Keyword, keywords_of

__all__ = ["equal_schemas"]


def equal_schemas(located: Iterable[tuple[int, Location]]) -> dict[Location, Location]:
    """Schemas with the same keywords as an earlier one, which is returned for each: they have the same instances.

    Annotations and unknown keywords do not count. The order of keywords does, for properties are written in it.

    Args:
        located: schemas that are objects, by their id() and that of each equal one; it takes time linear in their size.
    """
    numbers: dict[Hashable, int] = {}
    numberings: dict[SchemaDraft, _Numbering] = {}
    locations: dict[Location, None] = {}
    for identity, location in located:
        numbering = numberings.get(location.draft)
        if numbering is None:
            numbering = numberings[location.draft] = _Numbering(location.draft, numbers)
        numbering.schemas[identity] = location.schema
        locations[location] = None
    try:
        for location in reversed(locations):  # most have those that they hold behind them
            numberings[location.draft].of(location.schema)
    except RecursionError:
        return {}
    first: dict[Hashable, Location] = {}
    equal: dict[Location, Location] = {}
    for location in locations:
        number = numberings[location.draft].of(location.schema)
        found = first.setdefault((number, location.base, location.draft, location.scope), location)
        if found is not location:
            equal[location] = found
    return equal


class _Numbering:
    """Numbers of the schemas of a draft, negative ones; those of equal schemas are equal.

    Args:
        draft: of the schemas.
        numbers: by what distinguishes schemas, of all drafts.

    Attributes:
        schemas: those that have numbers, by id(); one for several equal ones.
    """

    def __init__(self, draft: SchemaDraft, numbers: dict[Hashable, int]) -> None:
        self.schemas: dict[int, dict[str, Any]] = {}
        self._known = keywords_of(draft).rows
        self._numbers = numbers
        self._of: dict[int, int] = {}  # by id() of a schema

    def of(self, schema: dict[str, Any]) -> int:
        """Number of a schema."""
        found = self._of.get(id(schema))
        if found is not None:
            return found
        parts: list[Hashable] = []
        known = self._known
        for keyword, value in schema.items():
            row = known.get(keyword)
            if row is not None and row.support != "annotation":
                parts.append(keyword)
                parts.append(self._key(row, value) if row.has_schemas else repr(value))
        number = self._of[id(schema)] = self._numbers.setdefault(tuple(parts), ~len(self._numbers))
        return number

    def _key(self, row: Keyword, value: Any) -> Hashable:
        """Value of a keyword, with numbers in place of schemas."""
        number = self._number
        if isinstance(value, list):
            return tuple([number(one) for one in value])
        if row.value in ("schema map", "dependencies"):
            return tuple([(key, number(one)) for key, one in value.items()])
        return number(value)

    def _number(self, schema: Any) -> Hashable:
        """Number of a schema inside another; one that was not met is equal to itself alone."""
        if not isinstance(schema, dict):
            return repr(schema)
        found = self.schemas.get(id(schema))
        return id(schema) if found is None else self.of(found)
