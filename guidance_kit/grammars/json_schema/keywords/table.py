"""The keyword table, which is the support list: each row holds what the compiler does with a keyword.

The survey checks a keyword by its row, normalisation reads it by its row, and the table in the docs is printed from the
rows. A keyword of one type has `readers`, which give a record of `normal_forms/records.py`; one for whole values has
`shape`; one that holds schemas for the same instance has `clauses`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from guidance_kit.grammars.json_schema.documents.drafts import DRAFTS, SchemaDraft
from guidance_kit.grammars.json_schema.keywords import checks
from guidance_kit.grammars.json_schema.keywords.readers import (
    enumeration,
    read_arrays,
    read_numbers,
    read_objects,
    read_strings,
)
from guidance_kit.grammars.json_schema.normal_forms import clauses as applicators

if TYPE_CHECKING:  # a document looks its keywords up in the table
    from guidance_kit.grammars.json_schema.documents.document import Location, SchemaDocument
    from guidance_kit.grammars.json_schema.documents.survey import Survey
    from guidance_kit.grammars.json_schema.normal_forms.clauses import Clause
    from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion
    from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape

__all__ = ["KEYWORDS", "DraftKeywords", "Keyword", "keywords_of", "support_table"]

Support = Literal["enforced", "structure", "annotation", "refused"]

RecordReader = Callable[["SchemaDocument", "Location"], Any]
"""Record of the values of one type that the keywords of a schema allow; None for none. Keywords that are read together
share their reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyword:
    """Keyword of some drafts: its support, and the functions that check and read it.

    Args:
        name: the keyword.
        support: "enforced": the text obeys it exactly; "structure": identifies or holds schemas; "annotation": says
            nothing about the value; "refused": raises UnsupportedFeature.
        value: shape of its value, a key of `checks.VALUES`. Schemas inside the value are checked on their own.
        since, until: first and last draft that knows it, by number (see `SchemaDraft`).
        readers: (type, reader) for each type that it restricts; "number" covers integers.
        shape: shape of the allowed values, for keywords that restrict any type.
        clauses: conjunction of disjunctions, for schemas that hold for the same instance.
        is_last: whether its properties come after all others, so that their order does not depend on a branch.
        check: refuses unsupported values, and records findings in the survey.
        beside: the keyword without which it says nothing.
        idle: whether it says nothing in this schema (`uniqueItems: false`).
        note: limits or manner, for the docs.

    Attributes:
        accepts: test for the shape of its value; see `checks.VALUES`.
        has_schemas: whether the value holds schemas.
    """

    name: str
    support: Support
    value: str
    since: int = 4
    until: int = 9
    readers: tuple[tuple[str, RecordReader], ...] = ()
    shape: Callable[[SchemaDocument, Location, str], Shape] | None = None
    clauses: Callable[[Expansion, Location, str], Iterable[Clause]] | None = None
    is_last: bool = False
    check: Callable[[Survey, Location, str, Any], None] | None = None
    beside: str = ""
    idle: Callable[[dict[str, Any]], bool] | None = None
    note: str = ""
    accepts: Callable[[Any], bool] = field(init=False)
    has_schemas: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "accepts", checks.VALUES[self.value])
        object.__setattr__(self, "has_schemas", "schema" in self.value or self.value == "dependencies")

    def is_idle(self, schema: dict[str, Any]) -> bool:
        """True if the keyword says nothing in a schema."""
        return bool(self.beside and self.beside not in schema) or (self.idle is not None and self.idle(schema))


_NUMBERS = "written as a plain decimal, or as d.ddde±x"
_LENGTH = "counts code points, however they are escaped"

_NUMBER = (("number", read_numbers),)
_STRING = (("string", read_strings),)
_ARRAY = (("array", read_arrays),)
_OBJECT = (("object", read_objects),)

KEYWORDS: tuple[Keyword, ...] = (
    # Any type
    Keyword(
        name="type",
        support="enforced",
        value="type",
        check=checks.type_,
        note="an integer is written without fraction or exponent",
    ),
    Keyword(
        name="enum",
        support="enforced",
        value="distinct list",
        shape=enumeration,
        check=checks.values,
        until=4,
        note="any JSON values",
    ),
    Keyword(
        name="enum",
        support="enforced",
        value="list",
        shape=enumeration,
        check=checks.values,
        since=6,
        note="any JSON values",
    ),
    Keyword(
        name="const",
        support="enforced",
        value="any",
        shape=enumeration,
        check=checks.values,
        since=6,
        note="any JSON value",
    ),
    # Strings
    Keyword(name="minLength", support="enforced", value="count", readers=_STRING, check=checks.count, note=_LENGTH),
    Keyword(name="maxLength", support="enforced", value="count", readers=_STRING, note=_LENGTH),
    Keyword(
        name="pattern",
        support="enforced",
        value="string",
        readers=_STRING,
        check=checks.pattern,
        note="found anywhere in the string; no backreferences",
    ),
    Keyword(
        name="format",
        support="enforced",
        value="string",
        readers=_NUMBER + _STRING,
        check=checks.format_,
        note="see the formats; unknown ones are reported",
    ),
    # Numbers
    Keyword(name="minimum", support="enforced", value="number", readers=_NUMBER, check=checks.bound, note=_NUMBERS),
    Keyword(name="maximum", support="enforced", value="number", readers=_NUMBER, check=checks.bound, note=_NUMBERS),
    Keyword(name="exclusiveMinimum", support="enforced", value="boolean", readers=_NUMBER, check=checks.bound, until=4),
    Keyword(name="exclusiveMaximum", support="enforced", value="boolean", readers=_NUMBER, check=checks.bound, until=4),
    Keyword(
        name="exclusiveMinimum",
        support="enforced",
        value="number",
        readers=_NUMBER,
        check=checks.bound,
        since=6,
        note=_NUMBERS,
    ),
    Keyword(
        name="exclusiveMaximum",
        support="enforced",
        value="number",
        readers=_NUMBER,
        check=checks.bound,
        since=6,
        note=_NUMBERS,
    ),
    Keyword(
        name="multipleOf",
        support="enforced",
        value="positive number",
        readers=_NUMBER,
        check=checks.multiple,
        note="as decimals, exactly; no exponent",
    ),
    # Arrays
    Keyword(name="items", support="enforced", value="schema or schemas", readers=_ARRAY, until=8),
    Keyword(name="items", support="enforced", value="schema", readers=_ARRAY, since=9),
    Keyword(name="prefixItems", support="enforced", value="schemas", readers=_ARRAY, since=9),
    Keyword(name="additionalItems", support="enforced", value="schema", readers=_ARRAY, until=8),
    Keyword(name="minItems", support="enforced", value="count", readers=_ARRAY, check=checks.count),
    Keyword(name="maxItems", support="enforced", value="count", readers=_ARRAY),
    Keyword(
        name="uniqueItems",
        support="enforced",
        value="boolean",
        readers=_ARRAY,
        check=checks.unique,
        idle=lambda schema: schema["uniqueItems"] is False or schema.get("maxItems", 2) < 2,
        note="not beside contains, nor under not",
    ),
    Keyword(name="contains", support="enforced", value="schema", readers=_ARRAY, check=checks.involved, since=6),
    Keyword(
        name="minContains",
        support="enforced",
        value="count",
        check=checks.count,
        since=8,
        beside="contains",
        note="says nothing without contains",
    ),
    Keyword(
        name="maxContains",
        support="enforced",
        value="count",
        since=8,
        beside="contains",
        note="says nothing without contains",
    ),
    Keyword(name="unevaluatedItems", support="enforced", value="schema", check=checks.involved, since=8),
    # Objects
    Keyword(
        name="properties",
        support="enforced",
        value="schema map",
        readers=_OBJECT,
        note="written in this order, or in any",
    ),
    Keyword(name="required", support="enforced", value="non-empty strings", readers=_OBJECT, until=4),
    Keyword(
        name="required", support="enforced", value="strings", readers=_OBJECT, since=6, note="of undeclared keys too"
    ),
    Keyword(
        name="additionalProperties",
        support="enforced",
        value="schema",
        readers=_OBJECT,
        note="after the declared ones, or anywhere",
    ),
    Keyword(
        name="patternProperties",
        support="enforced",
        value="schema map",
        readers=_OBJECT,
        check=checks.patterns,
        note="overlapping patterns too",
    ),
    Keyword(name="propertyNames", support="enforced", value="schema", readers=_OBJECT, since=6),
    Keyword(
        name="minProperties",
        support="enforced",
        value="count",
        readers=_OBJECT,
        check=checks.key_count,
        note="of undeclared keys up to 5,000",
    ),
    Keyword(name="maxProperties", support="enforced", value="count", readers=_OBJECT, check=checks.most_keys),
    Keyword(
        name="dependencies",
        support="enforced",
        value="dependencies",
        clauses=applicators.dependencies,
        is_last=True,
        check=checks.involved,
        until=7,
    ),
    Keyword(
        name="dependentRequired",
        support="enforced",
        value="dependencies",
        clauses=applicators.dependencies,
        is_last=True,
        check=checks.involved,
        since=8,
    ),
    Keyword(
        name="dependentSchemas",
        support="enforced",
        value="schema map",
        clauses=applicators.dependencies,
        is_last=True,
        check=checks.involved,
        since=8,
    ),
    Keyword(name="unevaluatedProperties", support="enforced", value="schema", check=checks.involved, since=8),
    # Several schemas at once
    Keyword(name="allOf", support="enforced", value="schemas", clauses=applicators.all_of),
    Keyword(name="anyOf", support="enforced", value="schemas", clauses=applicators.any_of),
    Keyword(
        name="oneOf",
        support="enforced",
        value="schemas",
        clauses=applicators.one_of,
        check=checks.involved,
        note="exactly one, also where several could hold",
    ),
    Keyword(
        name="not", support="enforced", value="schema", clauses=applicators.negated, is_last=True, check=checks.involved
    ),
    Keyword(
        name="if",
        support="enforced",
        value="schema",
        clauses=applicators.conditional,
        is_last=True,
        check=checks.involved,
        since=7,
    ),
    Keyword(
        name="then",
        support="enforced",
        value="schema",
        since=7,
        beside="if",
        note="says nothing without if",
    ),
    Keyword(
        name="else",
        support="enforced",
        value="schema",
        since=7,
        beside="if",
        note="says nothing without if",
    ),
    # References
    Keyword(
        name="$ref",
        support="enforced",
        value="string",
        clauses=applicators.referred,
        check=checks.reference,
        note="recursion included; to other documents by a registry",
    ),
    Keyword(
        name="$dynamicRef",
        support="enforced",
        value="string",
        clauses=applicators.referred,
        check=checks.dynamic_reference,
        since=9,
    ),
    Keyword(
        name="$recursiveRef",
        support="enforced",
        value="string",
        clauses=applicators.referred,
        check=checks.dynamic_reference,
        since=8,
        until=8,
    ),
    Keyword(name="id", support="structure", value="string", until=4),
    Keyword(name="$id", support="structure", value="string", since=6, until=7),
    Keyword(name="$id", support="structure", value="id", since=8),
    Keyword(name="$anchor", support="structure", value="anchor", since=8),
    Keyword(name="$dynamicAnchor", support="structure", value="anchor", since=9, note="as $anchor"),
    Keyword(name="$recursiveAnchor", support="structure", value="boolean", since=8, until=8),
    Keyword(name="$schema", support="structure", value="string", note="chooses the draft"),
    Keyword(name="$vocabulary", support="structure", value="mark", since=8),
    Keyword(name="$defs", support="structure", value="schema map", since=8),
    Keyword(name="definitions", support="structure", value="schema map"),
    # Annotations
    Keyword(name="title", support="annotation", value="string"),
    Keyword(name="description", support="annotation", value="string"),
    Keyword(name="default", support="annotation", value="any"),
    Keyword(name="examples", support="annotation", value="list", since=6),
    Keyword(name="$comment", support="annotation", value="string", since=7),
    Keyword(name="readOnly", support="annotation", value="boolean", since=7),
    Keyword(name="writeOnly", support="annotation", value="boolean", since=7),
    Keyword(name="deprecated", support="annotation", value="boolean", since=8),
    Keyword(name="contentEncoding", support="annotation", value="string", since=7),
    Keyword(name="contentMediaType", support="annotation", value="string", since=7),
    Keyword(name="contentSchema", support="annotation", value="schema", since=8),
)


@dataclass(frozen=True, slots=True)
class DraftKeywords:
    """Keywords of one draft.

    Args:
        rows: by name.
        in_order: those that give a shape or clauses at their position in the schema.
        last: those that give clauses after all others.
        in_place: those that hold schemas for the same instance.
        placing: those at whose position the properties of the schema itself are declared.
    """

    rows: dict[str, Keyword]
    in_order: frozenset[str]
    last: frozenset[str]
    in_place: frozenset[str]
    placing: frozenset[str]

    def say_only(self, schema: dict[str, Any], keyword: str) -> bool:
        """Test whether a schema says nothing about values but by one keyword."""
        rows = (self.rows.get(name) for name in schema if name != keyword)
        return keyword in schema and all(row is None or row.support == "annotation" for row in rows)


@cache
def keywords_of(draft: SchemaDraft) -> DraftKeywords:
    """Keywords of a draft."""
    rows = {row.name: row for row in KEYWORDS if row.since <= draft.number <= row.until}
    clauses = {name for name, row in rows.items() if row.clauses is not None}
    last = frozenset(name for name, row in rows.items() if row.is_last)
    return DraftKeywords(
        rows,
        frozenset(clauses.union(name for name, row in rows.items() if row.shape is not None)) - last,
        last,
        frozenset(clauses.union(name for name, row in rows.items() if row.beside in clauses)),
        frozenset({"type"}.union(name for name, row in rows.items() if "object" in dict(row.readers))),
    )


def support_table() -> str:
    """The table as Markdown, one line per keyword."""
    names = {draft.number: draft.name for draft in DRAFTS}
    lines = ["| keyword | drafts | support | notes |", "|---|---|---|---|"]
    merged: dict[str, list[Keyword]] = {}
    for row in KEYWORDS:
        merged.setdefault(row.name, []).append(row)
    for name, rows in merged.items():
        first, last = names[min(row.since for row in rows)], names[max(row.until for row in rows)]
        drafts = "all" if (first, last) == ("4", "2020-12") else first if first == last else f"{first} to {last}"
        notes = "; ".join(dict.fromkeys(row.note for row in rows if row.note))
        lines.append(f"| `{name}` | {drafts} | {rows[0].support} | {notes} |")
    return "\n".join(lines) + "\n"
