"""Strings that schemas list, told without their normal forms."""

from __future__ import annotations

from typing import NamedTuple

from guidance_kit.grammars.json_schema.documents.document import Location, Node
from guidance_kit.grammars.json_schema.keywords.table import keywords_of

__all__ = ["PlainLists"]


class _StringList(NamedTuple):
    """Strings that a schema lists: it allows nothing else, and all of them if it `is_exact`."""

    values: frozenset[str]
    is_exact: bool


class PlainLists:
    """Strings that the schemas of a document list by `enum` or `const`, found once each."""

    def __init__(self) -> None:
        self._known: dict[Location, _StringList | None] = {}

    def of(self, node: Node) -> frozenset[str] | None:
        """Strings beside which a node allows no value; None if none of its schemas lists strings alone."""
        for location in node:
            listed = self._listed(location)
            if listed is not None:
                return self.narrowed(listed.values, node)
        return None

    def narrowed(self, values: frozenset[str], node: Node) -> frozenset[str]:
        """Strings without those that a node surely does not allow."""
        for location in node:
            listed = self._listed(location.denies or location)
            if listed is None:
                continue
            if location.denies is None:
                values &= listed.values
            elif listed.is_exact:
                values -= listed.values
        return values

    def allows(self, values: frozenset[str], node: Node) -> bool:
        """Test whether a node allows all of some strings; False if undecided."""
        for location in node:
            listed = self._listed(location.denies or location)
            if listed is None:
                return False
            if location.denies is None and not (listed.is_exact and values <= listed.values):
                return False
            if location.denies is not None and not values.isdisjoint(listed.values):
                return False
        return True

    def _listed(self, location: Location) -> _StringList | None:
        """Strings that a schema lists; None if it lists none, or other values too."""
        try:
            return self._known[location]
        except KeyError:
            found = self._known[location] = _listed(location)
            return found


def _listed(location: Location) -> _StringList | None:
    schema, draft = location.schema, location.draft
    if location.is_derived or not isinstance(schema, dict) or ("$ref" in schema and draft.ref_overrides):
        return None
    known = keywords_of(draft)
    keyword = "enum" if "enum" in schema else "const"
    if keyword not in schema or keyword not in known.rows:
        return None
    values = schema["enum"] if keyword == "enum" else [schema["const"]]
    if not all(isinstance(value, str) for value in values):
        return None
    others = {name: value for name, value in schema.items() if name != "type" or value != "string"}
    return _StringList(frozenset(values), known.say_only(others, keyword))
