"""Rewriting of a schema into the keywords of a target; what has to be left out is noted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import escape_pointer
from guidance_kit.grammars.json_schema.documents.drafts import DEFAULT_DRAFT
from guidance_kit.grammars.json_schema.formats.table import FORMATS
from guidance_kit.grammars.json_schema.keywords.table import keywords_of
from guidance_kit.grammars.json_schema.lowering.references import circle, references_by_place, referred
from guidance_kit.grammars.json_schema.lowering.targets import Target

__all__ = ["Change", "Rewriter", "modernised"]

_ANNOTATIONS = ("title", "description")
"""Annotations that are kept, since models read them."""

_NO_ASSERTIONS = frozenset((
    "$schema", "$id", "$comment", "$anchor", "title", "description", "default", "examples", "deprecated", "readOnly",
    "writeOnly", "contentEncoding", "contentMediaType", "contentSchema", "$vocabulary", "then", "else", "minContains",
    "maxContains",
))  # fmt: skip
"""Keywords that restrict nothing, or nothing by themselves."""

_NOT_REGULAR = re.compile(r"\(\?<?[=!]|\\[1-9bBk]")
"""Parts of a pattern that engines ignore or refuse: lookarounds, backreferences, word boundaries."""

_IN_PLACE = ("allOf", "anyOf", "oneOf", "$ref", "if", "not", "dependentSchemas")

_KEYWORDS = frozenset(keywords_of(DEFAULT_DRAFT).rows) | {"definitions"}

_CONDITIONAL = frozenset(("if", "contains"))
"""Keywords beside which `then`, `else` and counts say something."""

_CLOSING = frozenset(("additionalProperties", "patternProperties", "unevaluatedProperties"))
_OF_PROPERTIES = _CLOSING | {"properties"}
_OF_ITEMS = frozenset(("items", "prefixItems", "unevaluatedItems"))
"""Keywords that depend on each other, so that those of two schemas cannot be merged one by one."""

_OF_TYPES = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "array": ("items", "prefixItems", "minItems", "maxItems"),
    "object": ("properties", "required", "additionalProperties", "patternProperties"),
}

_SCALARS = ["string", "number", "boolean", "null"]

_MOST_PATTERN = 400
"""Characters of a format's pattern that is written in place of the format."""

_MOST_REPEATED = 1_000
"""Greatest length that is written as a repetition in a pattern."""


class Change(NamedTuple):
    """Step of a rewriting that may change the instances of a schema.

    Attributes:
        pointer: JSON pointer of the schema.
        keyword: it is about.
        reason: in words.
        before, after: the schema, without and with the step.
    """

    pointer: str
    keyword: str
    reason: str
    before: dict[str, Any]
    after: dict[str, Any]


class Rewriter:
    """Rewriter of one schema for one target.

    Each step is an equivalence, or a change that is noted with the schema before and after it. So a schema is
    equivalent to the lowered one if none of its changes has an effect.

    Args:
        target: see `Target`.
        root: the schema, in the keywords of draft 2020-12.

    Attributes:
        changes: noted so far.
    """

    def __init__(self, target: Target, root: Any) -> None:
        self.target = target
        self.root = root
        self.changes: list[Change] = []

    def rewritten(self) -> dict[str, Any]:
        """The lowered schema, with its definitions.

        Raises:
            UnsupportedFeature: a reference leads outside, or into a part that is left out; or back, and the target has
                no such references.
        """
        self._check_references()
        schema = self._schema(self.root, "")
        for name in ("$defs", "definitions"):
            defined = self.root.get(name) if isinstance(self.root, dict) else None
            if defined:
                schema[name] = {
                    key: self._schema(inner, f"/{name}/{escape_pointer(key)}") for key, inner in defined.items()
                }
        for pointer, inner in references_by_place(schema):
            for reference in inner:
                if referred(schema, reference) is None:
                    raise UnsupportedFeature(
                        f"the reference {reference!r}, into a part that is left out for {self.target.title},",
                        where=pointer,
                        hint="put the schema under $defs at the root and refer to it by #/$defs/...",
                    )
        return schema

    def _change(
        self, schema: dict[str, Any], pointer: str, keyword: str, reason: str, fields: Mapping[str, Any]
    ) -> None:
        """Set keywords of a schema, or remove those whose value is None, and note it."""
        before = dict(schema)
        for name, value in fields.items():
            if value is None:
                schema.pop(name, None)
            else:
                schema[name] = value
        self.changes.append(Change(pointer, keyword, reason, before, dict(schema)))

    def _drop(self, schema: dict[str, Any], pointer: str, keyword: str, reason: str = "") -> None:
        """Remove a keyword, and note it."""
        reason = reason or f"{self.target.title}: {keyword} is not enforced"
        self._change(schema, pointer, keyword, reason, {keyword: None})

    def _schema(self, given: Any, pointer: str) -> dict[str, Any]:
        """A lowered schema."""
        schema: dict[str, Any] = dict(given) if isinstance(given, dict) else {} if given else {"not": {}}
        for keyword in [*schema]:
            is_idle = keyword in _NO_ASSERTIONS and keyword not in _ANNOTATIONS and not schema.keys() & _CONDITIONAL
            if is_idle or keyword not in _KEYWORDS | _NO_ASSERTIONS:
                del schema[keyword]
        schema = {keyword: value for keyword, value in schema.items() if keyword not in ("$defs", "definitions")}
        self._spell_out(schema, pointer)
        for keyword in [*schema]:
            if keyword in schema and keyword not in self.target.keywords and keyword not in _NO_ASSERTIONS:
                self._drop(schema, pointer, keyword)
        schema = {key: value for key, value in schema.items() if key not in _NO_ASSERTIONS or key in _ANNOTATIONS}
        self._close(schema, pointer)
        self._type(schema, pointer)
        self._drop_siblings(schema, pointer)
        return {keyword: self._value(keyword, value, f"{pointer}/{keyword}") for keyword, value in schema.items()}

    def _value(self, keyword: str, value: Any, pointer: str) -> Any:
        """Value of a keyword, with its schemas lowered."""
        if keyword == "properties":
            return {key: self._schema(inner, f"{pointer}/{escape_pointer(key)}") for key, inner in value.items()}
        if keyword in ("anyOf", "allOf", "prefixItems"):
            return [self._schema(inner, f"{pointer}/{index}") for index, inner in enumerate(value)]
        if keyword == "items" or (keyword == "additionalProperties" and isinstance(value, dict)):
            return value if value is False and not self.target.is_typed else self._schema(value, pointer)
        return value

    # Equivalences -------------------------------------------------------------------------------------------------

    def _spell_out(self, schema: dict[str, Any], pointer: str) -> None:
        """Express keywords that the target lacks by those that it has."""
        known = self.target.keywords
        if "unevaluatedProperties" in schema and not any(keyword in schema for keyword in _IN_PLACE):
            value = schema.pop("unevaluatedProperties")
            schema.setdefault("additionalProperties", value)
        if "oneOf" in schema:
            self._one_of(schema, pointer)
        if "allOf" in schema and "allOf" not in known:
            self._all_of(schema, pointer)
        if "const" in schema and "const" not in known and "enum" not in schema:
            schema["enum"] = [schema.pop("const")]
        if self.target.has_scalar_values:
            self._values(schema, pointer)
        if schema.get("type") == "integer":
            self._integers(schema)
        if "anyOf" in schema and (self.target.is_closed or not self.target.has_siblings):
            self._distribute(schema, pointer)
        if schema.get("uniqueItems") is False:
            del schema["uniqueItems"]
        self._strings(schema, pointer)
        least = self.target.most_least_items
        if least is not None and schema.get("minItems", 0) > least:
            reason = f"{self.target.title}: minItems is enforced up to {least}"
            self._change(schema, pointer, "minItems", reason, {"minItems": least})

    def _one_of(self, schema: dict[str, Any], pointer: str) -> None:
        """`oneOf` as `anyOf`, which is the same where branches are disjoint."""
        reason = f"{self.target.title}: oneOf is read as anyOf"
        ways = schema["oneOf"]
        if "anyOf" not in schema:
            self._change(schema, pointer, "oneOf", reason, {"oneOf": None, "anyOf": ways})
        elif "allOf" in self.target.keywords:
            both = [*schema.get("allOf", ()), {"anyOf": ways}]
            self._change(schema, pointer, "oneOf", reason, {"oneOf": None, "allOf": both})
        else:
            self._drop(schema, pointer, "oneOf", f"{self.target.title}: oneOf beside anyOf cannot be expressed")

    def _all_of(self, schema: dict[str, Any], pointer: str) -> None:
        """`allOf` merged into the schema, as far as conjunctions can be written."""
        left: list[Any] = []
        for part in schema.pop("allOf"):
            fields = self._followed(part)
            fields = {} if fields is True else {"not": {}} if fields is False else fields
            fields = {key: value for key, value in fields.items() if key not in _NO_ASSERTIONS}
            merged = _merged(schema, fields)
            if merged is None:
                left.append(part)
            else:
                schema |= merged
        if left:
            schema["allOf"] = left
            self._drop(schema, pointer, "allOf", f"{self.target.title}: a part of allOf cannot be merged")

    def _distribute(self, schema: dict[str, Any], pointer: str) -> None:
        """Keywords beside `anyOf` merged into its branches, where the target would read them apart."""
        beside = {key: value for key, value in schema.items() if key != "anyOf" and key not in _NO_ASSERTIONS}
        if not beside:
            return
        ways: list[Any] = []
        for way in schema["anyOf"]:
            fields = self._followed(way)
            fields = {} if fields is True else {"not": {}} if fields is False else fields
            merged = _merged(beside, {key: value for key, value in fields.items() if key not in _NO_ASSERTIONS})
            if merged is None:
                self._drop(
                    schema, pointer, "anyOf", f"{self.target.title}: anyOf cannot be merged with what is beside it"
                )
                return
            ways.append({**beside, **merged})
        for key in beside:
            del schema[key]
        schema["anyOf"] = ways

    def _followed(self, schema: Any) -> Any:
        """The schema that a plain reference names."""
        seen: set[str] = set()
        while isinstance(schema, dict) and set(schema) - _NO_ASSERTIONS == {"$ref"} and schema["$ref"] not in seen:
            seen.add(schema["$ref"])
            schema = referred(self.root, schema["$ref"])
        return schema

    def _values(self, schema: dict[str, Any], pointer: str) -> None:
        """Arrays and objects among constants, as schemas of their own."""
        keyword = "const" if "const" in schema else "enum"
        values = [schema["const"]] if "const" in schema else schema.get("enum", [])
        if not any(isinstance(value, list | dict) for value in values):
            return
        if "anyOf" in schema:
            self._drop(schema, pointer, keyword)
            return
        del schema[keyword]
        scalars = [value for value in values if not isinstance(value, list | dict)]
        ways = [_constant(value) for value in values if isinstance(value, list | dict)]
        schema["anyOf"] = [*([{"enum": scalars}] if scalars else []), *ways]

    def _integers(self, schema: dict[str, Any]) -> None:
        """Open bounds of integers as closed ones."""
        known = self.target.keywords
        for name, closed, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
            value = schema.get(name)
            if isinstance(value, int) and name not in known and closed in known and closed not in schema:
                schema[closed] = schema.pop(name) + step
        if schema.get("multipleOf") == 1:
            del schema["multipleOf"]

    def _strings(self, schema: dict[str, Any], pointer: str) -> None:
        """Lengths and formats as patterns, where these are enforced and there is none yet."""
        known, name = self.target.keywords, schema.get("format")
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and "pattern" in known and _NOT_REGULAR.search(pattern):
            reason = f"{self.target.title}: lookarounds, word boundaries and backreferences are not enforced"
            self._drop(schema, pointer, "pattern", reason)
        if name in FORMATS and name not in self.target.formats:
            written = FORMATS[name].pattern
            is_plain = bool(written) and written.isascii() and not re.search(r"\(\?[a-zA-Z]|\\[uU]", written)
            if is_plain and len(written) <= _MOST_PATTERN and "pattern" in known - schema.keys():
                pattern = f"^(?:{written})$"
                self._change(schema, pointer, "format", "a format as a pattern", {"format": None, "pattern": pattern})
            else:
                self._drop(schema, pointer, "format", f"{self.target.title}: the format {name} is not enforced")
        elif "format" in schema and name not in self.target.formats:
            del schema["format"]  # of which nothing is enforced here, either
        lengths = [name for name in ("minLength", "maxLength") if name in schema and name not in known]
        is_free = not schema.keys() & {"pattern", "format"}
        if lengths and "pattern" in known and is_free and schema.get("type") == "string":
            least, most = schema.get("minLength", 0), schema.get("maxLength", "")
            if max(least, most or 0) <= _MOST_REPEATED:
                del schema[lengths[0]]
                schema.pop(lengths[-1], None)
                schema["pattern"] = f"^[\\s\\S]{{{least},{most}}}$"

    # Demands of the target ----------------------------------------------------------------------------------------

    def _close(self, schema: dict[str, Any], pointer: str) -> None:
        """Let objects have their declared properties alone."""
        types = schema.get("type")
        is_object = types == "object" or (isinstance(types, list) and "object" in types) or "properties" in schema
        others = schema.get("additionalProperties", True)
        is_map = self.target.has_maps and not schema.get("properties")
        if not (self.target.is_closed and is_object) or others is False or is_map:
            return
        undeclared = [key for key in schema.get("required", ()) if key not in schema.get("properties", {})]
        if undeclared:
            schema["properties"] = {**schema.get("properties", {}), **dict.fromkeys(undeclared, others)}
        reason = f"{self.target.title}: objects have declared properties alone"
        self._change(schema, pointer, "additionalProperties", reason, {"additionalProperties": False})

    def _type(self, schema: dict[str, Any], pointer: str) -> None:
        """Name the type, where the target wants one: that of the keywords, or all scalars."""
        if not self.target.is_typed or schema.keys() & {"type", "enum", "const", "anyOf", "allOf", "$ref"}:
            return
        meant = [kind for kind, keywords in _OF_TYPES.items() if schema.keys() & set(keywords)]
        kind = meant[0] if len(meant) == 1 else [*_SCALARS]
        self._change(schema, pointer, "type", f"{self.target.title}: a schema names its type", {"type": kind})
        self._close(schema, pointer)

    def _drop_siblings(self, schema: dict[str, Any], pointer: str) -> None:
        """Leave out what the target ignores beside a union or a reference."""
        if self.target.has_siblings:
            return
        kept = next((name for name in ("$ref", "anyOf", "properties", "enum", "const") if name in schema), None)
        others = {"anyOf", "enum", "const", "properties"} - {kept}
        if kept in ("anyOf", "$ref", "enum", "const"):
            others |= {keyword for keywords in _OF_TYPES.values() for keyword in keywords} | {"type"}
        for keyword in sorted(others & schema.keys()) if kept else ():
            self._drop(schema, pointer, keyword, f"{self.target.title}: {keyword} is ignored beside {kept}")

    def _check_references(self) -> None:
        """Refuse references outside, and those that lead back where the target has none such."""
        graph = dict(references_by_place(self.root))
        for pointer, inner in graph.items():
            for reference in inner:
                if not reference.startswith("#") or referred(self.root, reference) is None:
                    raise UnsupportedFeature(
                        f"the reference {reference!r} in a lowered schema",
                        where=pointer,
                        hint="put the schema under $defs and refer to it by #/$defs/...",
                    )
        place = None if self.target.has_recursion else circle(graph)
        if place is not None:
            raise UnsupportedFeature(
                f"a schema that refers to itself, for {self.target.title},",
                where=place,
                hint="write the schema out to the depth that is needed",
            )


def _constant(value: Any) -> dict[str, Any]:
    """Schema of one value, without constants that are arrays or objects."""
    if isinstance(value, dict):
        inner = {key: _constant(one) for key, one in value.items()}
        return {"type": "object", "properties": inner, "required": [*value], "additionalProperties": False}
    if isinstance(value, list):
        count = len(value)
        return {"type": "array", "prefixItems": [*map(_constant, value)], "minItems": count, "maxItems": count}
    return {"enum": [value]}


def _merged(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any] | None:
    """Keywords of the conjunction of two schemas that differ from `schema`; None where it cannot be written."""
    for depending, closing in ((_OF_PROPERTIES, _CLOSING), (_OF_ITEMS, _OF_ITEMS)):
        for one, other in ((schema, part), (part, schema)):
            if one.keys() & closing and other.keys() & depending:
                return None
    found: dict[str, Any] = {}
    for keyword, value in part.items():
        known: Any = schema.get(keyword)
        if keyword not in schema or known == value:
            found[keyword] = value
        elif keyword == "required":
            found[keyword] = list(dict.fromkeys([*schema[keyword], *value]))
        elif keyword in ("minimum", "minLength", "minItems", "minProperties"):
            found[keyword] = max(schema[keyword], value)
        elif keyword in ("maximum", "maxLength", "maxItems", "maxProperties"):
            found[keyword] = min(schema[keyword], value)
        elif keyword == "enum":
            found[keyword] = [one for one in value if any(type(one) is type(other) and one == other for other in known)]
        elif keyword == "properties":
            found[keyword] = {**known, **{key: _both(known.get(key), value[key]) for key in value}}
        else:
            return None
    return None if found.get("enum") == [] else found


def _both(one: Any, other: Any) -> Any:
    return other if one is None else {"allOf": [one, other]}


def modernised(schema: Any, draft: int) -> Any:
    """A schema in the keywords of draft 2020-12.

    Args:
        draft: number of its draft, see `SchemaDraft`.
    """
    if isinstance(schema, list):
        return [modernised(part, draft) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = dict(schema)
    if draft < 8 and "$ref" in copy:
        copy = {key: copy[key] for key in ("$ref", "$defs", "definitions") if key in copy}
    if draft < 9 and isinstance(copy.get("items"), list):
        copy["prefixItems"] = copy.pop("items")
        if "additionalItems" in copy:
            copy["items"] = copy.pop("additionalItems")
    copy.pop("additionalItems", None)
    for name, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(copy.get(name), bool):
            is_open = copy.pop(name)
            if is_open and bound in copy:
                copy[name] = copy.pop(bound)
    for key, value in (copy.pop("dependencies", None) or {}).items():
        kind = "dependentRequired" if isinstance(value, list) else "dependentSchemas"
        copy[kind] = {**copy.get(kind, {}), key: value}
    if draft == 4 and isinstance(copy.get("id"), str):
        copy["$id"] = copy.pop("id")
    for keyword, value in copy.items():
        if keyword in ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"):
            copy[keyword] = {key: modernised(inner, draft) for key, inner in value.items()}
        elif keyword not in ("enum", "const", "default", "examples"):
            copy[keyword] = modernised(value, draft)
    return copy
