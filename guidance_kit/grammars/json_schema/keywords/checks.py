"""Checks of the values of keywords: their shapes, and what is supported.

`VALUES` are the shapes. Each function refuses a value that is not supported, and records findings in the survey.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from guidance_kit.errors import LimitError, PatternError, SchemaError, UnsupportedFeature
from guidance_kit.grammars.json_schema.formats.table import NUMBER_FORMATS, RuleFormat, format_kind, string_format
from guidance_kit.grammars.json_schema.keywords.readers import MAX_COUNT, check_value, exact_number
from guidance_kit.grammars.json_schema.numbers.automaton import check_multiple
from guidance_kit.grammars.json_schema.strings.languages import pattern_expression

if TYPE_CHECKING:  # a survey looks its keywords up in the table, which holds these functions
    from guidance_kit.grammars.json_schema.documents.document import Location
    from guidance_kit.grammars.json_schema.documents.survey import Survey

__all__ = ["MAX_PROPERTIES", "TYPES", "VALUES"]

MAX_PROPERTIES = 5_000
"""Greatest `maxProperties` of an object that can have undeclared keys; each takes some states."""

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


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
        return len(set(map(_hashable, value))) == len(value)
    except (TypeError, RecursionError):  # no values of JSON among them, or nested too deep
        return False


def _hashable(value: Any) -> Any:
    """Hashable form of a JSON value, the same for equal ones."""
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return frozenset((key, _hashable(inner)) for key, inner in value.items())
    return isinstance(value, bool), value


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


def type_(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`type`: 1.0 is an integer from draft 6 on, and is not written."""
    names = [value] if isinstance(value, str) else value
    if "integer" in names and "number" not in names and location.draft.number > 4:
        survey.narrowed.setdefault("integer", []).append(location)


def values(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`enum` and `const`: values of JSON, all through."""
    check_value(value, location, keyword)


def bound(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """Bounds of numbers: finite, and not too long to be written out."""
    exact_number(value, location, keyword)


def multiple(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`multipleOf`: within the limits on its period; multiples with an exponent are not written."""
    for numbers in survey.local_shape(location).numbers:
        check_multiple(numbers, location)
        if not numbers.is_integer:
            survey.narrowed.setdefault(keyword, []).append(location)


def count(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """Minimum counts, at most MAX_COUNT."""
    if value > MAX_COUNT:
        raise LimitError("max_count", MAX_COUNT, where=location.below(keyword))


def key_count(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`minProperties`: undeclared keys are counted if it asks for more than one of them."""
    count(survey, location, keyword, value)
    if value > len(location.schema.get("required", ())) + 1:
        survey.counted.append(location)


def most_keys(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`maxProperties`: at most MAX_PROPERTIES where keys may be undeclared."""
    schema = location.schema
    is_closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
    if value > MAX_PROPERTIES and not is_closed:
        raise UnsupportedFeature(
            f"maxProperties {value} with undeclared keys",
            where=location.below(keyword),
            hint="set additionalProperties to false, or require the keys by name",
        )


def involved(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """Keywords with negations or conditions: the schema goes through the dry run."""
    survey.involved[location] = None


def unique(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`uniqueItems`: the dry run covers all schemas that apply it in place."""
    survey.involved[location] = None
    survey.counted.append(location)


def pattern(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`pattern`: a supported regular expression."""
    _pattern(value, location, keyword)


def patterns(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`patternProperties`: supported regular expressions."""
    for one in value:
        _pattern(one, location, keyword, one)


def format_(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`format`: asserted, an annotation by request, or unknown."""
    kind = format_kind(value, location.draft, survey.document.formats)
    found = None if kind is None else string_format(kind, value)
    if survey.document.formats == "annotate":
        survey.enforced[keyword] -= 1
        survey.weakened.setdefault(keyword, []).append(location)
    elif found is not None:
        if isinstance(found, RuleFormat):
            survey.has_rule_formats = True
            survey.recalls = survey.recalls or found.recalls
        if kind == "format" and format_kind(value, location.draft, "recall") != kind:
            survey.narrowed.setdefault(value, []).append(location)
    elif value not in NUMBER_FORMATS:
        survey.enforced[keyword] -= 1
        survey.formats.setdefault(value, []).append(location)


def reference(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`$ref`: its target is in the document or the registry."""
    survey.refer(location, survey.document.referred(location, keyword))


def dynamic_reference(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`$dynamicRef` and `$recursiveRef`: as `$ref`, with a target for each way to the schema."""
    survey.has_dynamic = True
    reference(survey, location, keyword, value)


def _pattern(source: str, location: Location, *step: str) -> None:
    try:
        pattern_expression(source)
    except PatternError as error:
        raise SchemaError(str(error), pointer=location.below(*step)) from None
    except UnsupportedFeature as error:
        where = f"{location.below(*step)}, {error.where}"
        raise UnsupportedFeature(error.feature, where=where, hint=error.hint) from None
    except LimitError as error:
        raise LimitError(error.limit, error.value, where=location.below(*step)) from None
