"""The keyword table. It IS the support list: the survey obeys it, and the table in the docs is printed from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Literal

from guidance_kit.grammars.json_schema.documents.drafts import DRAFTS, Draft

__all__ = ["KEYWORDS", "TYPES", "Keyword", "keywords_of", "support_table"]

Handling = Literal["enforced", "structure", "annotation", "refused"]

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyword:
    """Keyword of some drafts, with its handling.

    Args:
        name: the keyword.
        handling: "enforced": the text obeys it exactly; "structure": identifies or holds schemas; "annotation": says
            nothing about the value; "refused": raises UnsupportedFeature.
        value: shape of its value, a key of `VALUES`. Schemas inside the value are checked on their own.
        since, until: first and last draft that knows it, by number (see `Draft`).
        type: the only type of values that it speaks of; "" for any.
        idle: whether it says nothing in this schema (`uniqueItems: false`, `then` without `if`).
        note: limits or manner, for the docs.
    """

    name: str
    handling: Handling
    value: str
    since: int = 4
    until: int = 9
    type: str = ""
    idle: Callable[[dict[str, Any]], bool] | None = None
    note: str = ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value) and len(set(value)) == len(value)


def _is_distinct(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    try:
        return len({(item is True or item is False, item) for item in value}) == len(value)
    except TypeError:  # arrays and objects among them
        return False


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in TYPES
    return _is_strings(value) and bool(value) and all(item in TYPES for item in value)


# Shape of a keyword's value -> whether a value has it. What fails here is shown to the metaschema, which decides and
# phrases the error; so a check may be too strict, never too lax.
VALUES: dict[str, Callable[[Any], bool]] = {
    "any": lambda value: True,
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": _is_number,
    "positive number": lambda value: _is_number(value) and value > 0,
    "count": _is_count,
    "strings": _is_strings,
    "non-empty strings": lambda value: _is_strings(value) and bool(value),
    "type": _is_type,
    "list": lambda value: isinstance(value, list),
    "distinct list": _is_distinct,
    "id": lambda value: isinstance(value, str) and "#" not in value,
    "anchor": lambda value: isinstance(value, str) and value.isascii() and value.replace("_", "a").isalpha(),
    "mark": lambda value: False,
    "schema": lambda value: isinstance(value, dict | bool),
    "schemas": lambda value: isinstance(value, list) and bool(value),
    "schema or schemas": lambda value: isinstance(value, dict | bool) or (isinstance(value, list) and bool(value)),
    "schema map": lambda value: isinstance(value, dict),
    "dependencies": lambda value: isinstance(value, dict),
}

_NUMBERS = "written as a plain decimal, or as d.ddde±x"
_LENGTH = "counts code points, however they are escaped"

KEYWORDS: tuple[Keyword, ...] = (
    # Any type
    Keyword(name="type", handling="enforced", value="type", note="an integer is written without fraction or exponent"),
    Keyword(name="enum", handling="enforced", value="distinct list", until=4, note="any JSON values"),
    Keyword(name="enum", handling="enforced", value="list", since=6, note="any JSON values"),
    Keyword(name="const", handling="enforced", value="any", since=6, note="any JSON value"),
    # Strings
    Keyword(name="minLength", handling="enforced", value="count", note=_LENGTH),
    Keyword(name="maxLength", handling="enforced", value="count", note=_LENGTH),
    Keyword(
        name="pattern", handling="enforced", value="string", note="found anywhere in the string; no backreferences"
    ),
    Keyword(name="format", handling="enforced", value="string", note="see the formats; unknown ones are reported"),
    # Numbers
    Keyword(name="minimum", handling="enforced", value="number", note=_NUMBERS),
    Keyword(name="maximum", handling="enforced", value="number", note=_NUMBERS),
    Keyword(name="exclusiveMinimum", handling="enforced", value="boolean", until=4),
    Keyword(name="exclusiveMaximum", handling="enforced", value="boolean", until=4),
    Keyword(name="exclusiveMinimum", handling="enforced", value="number", since=6, note=_NUMBERS),
    Keyword(name="exclusiveMaximum", handling="enforced", value="number", since=6, note=_NUMBERS),
    Keyword(name="multipleOf", handling="enforced", value="positive number", note="as decimals, exactly; no exponent"),
    # Arrays
    Keyword(name="items", handling="enforced", value="schema or schemas", until=8),
    Keyword(name="items", handling="enforced", value="schema", since=9),
    Keyword(name="prefixItems", handling="enforced", value="schemas", since=9),
    Keyword(name="additionalItems", handling="enforced", value="schema", until=8),
    Keyword(name="minItems", handling="enforced", value="count"),
    Keyword(name="maxItems", handling="enforced", value="count"),
    Keyword(
        name="uniqueItems",
        handling="enforced",
        value="boolean",
        type="array",
        idle=lambda schema: schema["uniqueItems"] is False or schema.get("maxItems", 2) < 2,
        note="not beside contains, nor under not",
    ),
    Keyword(name="contains", handling="enforced", value="schema", since=6),
    Keyword(
        name="minContains",
        handling="enforced",
        value="count",
        since=8,
        idle=lambda schema: "contains" not in schema,
        note="says nothing without contains",
    ),
    Keyword(
        name="maxContains",
        handling="enforced",
        value="count",
        since=8,
        idle=lambda schema: "contains" not in schema,
        note="says nothing without contains",
    ),
    Keyword(name="unevaluatedItems", handling="enforced", value="schema", since=8),
    # Objects
    Keyword(name="properties", handling="enforced", value="schema map", note="written in this order, or in any"),
    Keyword(name="required", handling="enforced", value="non-empty strings", until=4),
    Keyword(name="required", handling="enforced", value="strings", since=6, note="of undeclared keys too"),
    Keyword(
        name="additionalProperties",
        handling="enforced",
        value="schema",
        note="after the declared ones, or anywhere",
    ),
    Keyword(name="patternProperties", handling="enforced", value="schema map", note="overlapping patterns too"),
    Keyword(name="propertyNames", handling="enforced", value="schema", since=6),
    Keyword(
        name="minProperties",
        handling="enforced",
        value="count",
        note="of undeclared keys up to 5,000",
    ),
    Keyword(name="maxProperties", handling="enforced", value="count"),
    Keyword(name="dependencies", handling="enforced", value="dependencies", until=7),
    Keyword(name="dependentRequired", handling="enforced", value="dependencies", since=8),
    Keyword(name="dependentSchemas", handling="enforced", value="schema map", since=8),
    Keyword(name="unevaluatedProperties", handling="enforced", value="schema", since=8),
    # Several schemas at once
    Keyword(name="allOf", handling="enforced", value="schemas"),
    Keyword(name="anyOf", handling="enforced", value="schemas"),
    Keyword(name="oneOf", handling="enforced", value="schemas", note="exactly one, also where several could hold"),
    Keyword(name="not", handling="enforced", value="schema"),
    Keyword(name="if", handling="enforced", value="schema", since=7),
    Keyword(
        name="then",
        handling="enforced",
        value="schema",
        since=7,
        idle=lambda schema: "if" not in schema,
        note="says nothing without if",
    ),
    Keyword(
        name="else",
        handling="enforced",
        value="schema",
        since=7,
        idle=lambda schema: "if" not in schema,
        note="says nothing without if",
    ),
    # References
    Keyword(
        name="$ref", handling="enforced", value="string", note="recursion included; to other documents by a registry"
    ),
    Keyword(name="$dynamicRef", handling="enforced", value="string", since=9),
    Keyword(name="$recursiveRef", handling="enforced", value="string", since=8, until=8),
    Keyword(name="id", handling="structure", value="string", until=4),
    Keyword(name="$id", handling="structure", value="string", since=6, until=7),
    Keyword(name="$id", handling="structure", value="id", since=8),
    Keyword(name="$anchor", handling="structure", value="anchor", since=8),
    Keyword(name="$dynamicAnchor", handling="structure", value="anchor", since=9, note="as $anchor"),
    Keyword(name="$recursiveAnchor", handling="structure", value="boolean", since=8, until=8),
    Keyword(name="$schema", handling="structure", value="string", note="chooses the draft"),
    Keyword(name="$vocabulary", handling="structure", value="mark", since=8),
    Keyword(name="$defs", handling="structure", value="schema map", since=8),
    Keyword(name="definitions", handling="structure", value="schema map"),
    # Annotations
    Keyword(name="title", handling="annotation", value="string"),
    Keyword(name="description", handling="annotation", value="string"),
    Keyword(name="default", handling="annotation", value="any"),
    Keyword(name="examples", handling="annotation", value="list", since=6),
    Keyword(name="$comment", handling="annotation", value="string", since=7),
    Keyword(name="readOnly", handling="annotation", value="boolean", since=7),
    Keyword(name="writeOnly", handling="annotation", value="boolean", since=7),
    Keyword(name="deprecated", handling="annotation", value="boolean", since=8),
    Keyword(name="contentEncoding", handling="annotation", value="string", since=7),
    Keyword(name="contentMediaType", handling="annotation", value="string", since=7),
    Keyword(name="contentSchema", handling="annotation", value="schema", since=8),
)


@cache
def keywords_of(draft: Draft) -> dict[str, Keyword]:
    """Keywords of `draft`, by name."""
    return {row.name: row for row in KEYWORDS if row.since <= draft.number <= row.until}


def support_table() -> str:
    """The table as Markdown, one line per keyword."""
    names = {draft.number: draft.name for draft in DRAFTS}
    lines = ["| keyword | drafts | handling | notes |", "|---|---|---|---|"]
    merged: dict[str, list[Keyword]] = {}
    for row in KEYWORDS:
        merged.setdefault(row.name, []).append(row)
    for name, rows in merged.items():
        first, last = names[min(row.since for row in rows)], names[max(row.until for row in rows)]
        drafts = "all" if (first, last) == ("4", "2020-12") else first if first == last else f"{first} to {last}"
        notes = "; ".join(dict.fromkeys(row.note for row in rows if row.note))
        lines.append(f"| `{name}` | {drafts} | {rows[0].handling} | {notes} |")
    return "\n".join(lines) + "\n"
