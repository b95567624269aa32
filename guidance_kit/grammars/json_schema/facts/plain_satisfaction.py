"""Schemas whose keywords say that they have values, told without their normal forms.

An object asks of each of its properties whether it can be written, and a text reaches few of them. So most schemas are
told by their keywords: by a type alone, a member of an enumeration, required properties that are told so, a reference.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from guidance_kit.grammars.json_schema.documents.document import Location, Node, SchemaDocument
from guidance_kit.grammars.json_schema.documents.drafts import SchemaDraft
from guidance_kit.grammars.json_schema.keywords.checks import TYPES
from guidance_kit.grammars.json_schema.keywords.table import keywords_of
from guidance_kit.grammars.regular.charset import is_spellable

__all__ = ["PlainSatisfaction", "plain_type"]

_MOST_NESTED = 20
"""Depth of required properties, items and references that are followed."""

_MOST_WAYS = 8
"""Alternatives of an anyOf: too many in a normal form are refused, which is better done before a text is there."""

_COUNTS_OF_ITEMS = frozenset({"minItems", "maxItems"})
_LENGTHS = frozenset({"minLength", "maxLength"})
_MEMBERS = "enum", "const"

_OF_MEMBERS = frozenset({"properties", "patternProperties", "additionalProperties"})
_OF_ITEMS = frozenset({"items", "prefixItems", "additionalItems"})
_ALLOW_EMPTY = {"object": _OF_MEMBERS, "array": _OF_ITEMS}
"""Keywords that the empty object and the empty array satisfy, whatever their schemas say."""


class PlainSatisfaction:
    """Test of the schemas of one document for values, each schema once.

    Args:
        document: the schemas.
    """

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document
        self._known: dict[Location, bool] = {}

    def holds(self, location: Location, depth: int = 0) -> bool:
        """Test for a value; False if undecided, as where a schema requires itself.

        Args:
            depth: number of schemas whose test asks for this one.
        """
        known = self._known.get(location)
        if known is None:
            if depth == _MOST_NESTED:
                return False
            self._known[location] = False
            known = self._known[location] = self._has_value(location, depth + 1)
        return known

    def _has_value(self, location: Location, depth: int) -> bool:
        schema, draft, document = location.schema, location.draft, self._document
        if location.is_derived or not isinstance(schema, dict):
            return not location.is_derived and bool(schema)
        kinds = schema.get("type", TYPES)
        kinds = (kinds,) if isinstance(kinds, str) else kinds
        if any(_restricting(draft, kind).isdisjoint(schema) for kind in kinds):
            return True
        said = _asserting(draft) & schema.keys()
        if "$ref" in said:
            is_alone = draft.ref_overrides or len(said) == 1
            return is_alone and self.holds(document.referred(location, "$ref"), depth)
        if said == {"anyOf"} and len(schema["anyOf"]) <= _MOST_WAYS:
            ways = (document.node(location, way, "anyOf", number) for number, way in enumerate(schema["anyOf"]))
            return any(self._allows(way, depth) for way in ways)
        conditions = {kind: said & _restricting(draft, kind) for kind in kinds}
        if not said.isdisjoint(_MEMBERS):
            free = {kind for kind in kinds if len(conditions[kind]) == 1}  # of members, nothing else can exclude these
            return any(_type_of_plain(value) in free for value in schema.get("enum", (schema.get("const"),)))
        return any(self._has_value_of(kind, location, conditions[kind], depth) for kind in kinds)

    def _allows(self, node: Node, depth: int) -> bool:
        return not node or self.holds(node[0], depth)

    def _has_value_of(self, kind: str, location: Location, conditions: frozenset[str], depth: int) -> bool:
        """Test for a value of a type, which the keywords `conditions` restrict."""
        schema, node = location.schema, self._document.node
        if kind == "object":
            keys = schema["required"] if conditions == {"required"} else None
            return keys is not None and all(self._has_property(location, key, depth) for key in keys)
        if kind == "array":
            least, most = schema.get("minItems", 0), schema.get("maxItems", 1)
            if not conditions <= _COUNTS_OF_ITEMS or least > 1 or most < least or "prefixItems" in schema:
                return False
            items = schema.get("items", True)
            return least == 0 or (not isinstance(items, list) and self._allows(node(location, items, "items"), depth))
        if kind == "string":
            return conditions <= _LENGTHS and schema.get("minLength", 0) <= schema.get("maxLength", 0)
        return False

    def _has_property(self, location: Location, key: str, depth: int) -> bool:
        schema, node = location.schema, self._document.node
        if "patternProperties" in schema or not is_spellable(key):
            return False
        properties: dict[str, Any] = schema.get("properties", {})
        if key in properties:
            return self._allows(node(location, properties[key], "properties", key), depth)
        return self._allows(node(location, schema.get("additionalProperties", True), "additionalProperties"), depth)


def _type_of_plain(value: Any) -> str:
    """Type of a member of an enumeration that is a spellable text, null or a boolean; "" for others."""
    if isinstance(value, str):
        return "string" if is_spellable(value) else ""
    return "null" if value is None else "boolean" if isinstance(value, bool) else ""


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
def _asserting(draft: SchemaDraft) -> frozenset[str]:
    """Keywords that can exclude values."""
    rows = keywords_of(draft).rows
    return frozenset(name for name, row in rows.items() if row.support not in ("annotation", "structure"))


@cache
def _restricting(draft: SchemaDraft, kind: str) -> frozenset[str]:
    """Keywords that can exclude all values of a type."""
    read_as = "number" if kind == "integer" else kind
    rows = keywords_of(draft).rows
    found = {
        name
        for name in _asserting(draft)
        if (row := rows[name]).shape or row.clauses or not row.readers or read_as in dict(row.readers)
    }
    return frozenset(found - _ALLOW_EMPTY.get(kind, frozenset()) - {"type"})
