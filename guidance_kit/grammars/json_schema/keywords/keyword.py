"""Row of the keyword table, and the shapes that the values of keywords have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:  # a document looks its keywords up in the table
    from guidance_kit.grammars.json_schema.documents.document import Document, Location
    from guidance_kit.grammars.json_schema.documents.survey import Survey
    from guidance_kit.grammars.json_schema.normal_forms.clauses import Clause
    from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion
    from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape

__all__ = ["TYPES", "VALUES", "Keyword"]

Support = Literal["enforced", "structure", "annotation", "refused"]

RecordReader = Callable[["Document", "Location"], Any]
"""Record of the values of one type that the keywords of a schema allow; None for none. Keywords that are read together
share their reader."""

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyword:
    """Keyword of some drafts: its support, and the functions that check and read it.

    Args:
        name: the keyword.
        support: "enforced": the text obeys it exactly; "structure": identifies or holds schemas; "annotation": says
            nothing about the value; "refused": raises UnsupportedFeature.
        value: shape of its value, a key of `VALUES`. Schemas inside the value are checked on their own.
        since, until: first and last draft that knows it, by number (see `Draft`).
        readers: (type, reader) for each type that it restricts; "number" covers integers.
        shape: shape of the allowed values, for keywords that restrict any type.
        clauses: conjunction of disjunctions, for schemas that hold for the same instance.
        is_last: whether its properties come after all others, so that their order does not depend on a branch.
        check: refuses unsupported values, and records findings in the survey.
        beside: the keyword without which it says nothing.
        idle: whether it says nothing in this schema (`uniqueItems: false`).
        note: limits or manner, for the docs.
    """

    name: str
    support: Support
    value: str
    since: int = 4
    until: int = 9
    readers: tuple[tuple[str, RecordReader], ...] = ()
    shape: Callable[[Document, Location, str], Shape] | None = None
    clauses: Callable[[Expansion, Location, str], Iterable[Clause]] | None = None
    is_last: bool = False
    check: Callable[[Survey, Location, str, Any], None] | None = None
    beside: str = ""
    idle: Callable[[dict[str, Any]], bool] | None = None
    note: str = ""

    def is_idle(self, schema: dict[str, Any]) -> bool:
        """True if the keyword says nothing in a schema."""
        return bool(self.beside and self.beside not in schema) or (self.idle is not None and self.idle(schema))


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
