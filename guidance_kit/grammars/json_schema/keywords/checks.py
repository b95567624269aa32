"""Checks of keywords: each refuses a value that is not supported, and records findings in the survey."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from guidance_kit.errors import LimitError, PatternError, SchemaError, UnsupportedFeature
from guidance_kit.grammars.json_schema.formats.table import NUMBER_FORMATS, RuleFormat, format_kind, string_format
from guidance_kit.grammars.json_schema.keywords.readers import MAX_COUNT, check_value, exact_number
from guidance_kit.grammars.json_schema.numbers.automaton import check_multiple
from guidance_kit.grammars.json_schema.strings.languages import pattern_expression

if TYPE_CHECKING:  # a survey looks its keywords up in the table, which holds these functions
    from guidance_kit.grammars.json_schema.documents.document import Location
    from guidance_kit.grammars.json_schema.documents.survey import Survey

__all__ = ["MAX_PROPERTIES"]

MAX_PROPERTIES = 5_000
"""Greatest `maxProperties` of an object that can have undeclared keys; each takes some states."""


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
    _pattern(value, location.below(keyword))


def patterns(survey: Survey, location: Location, keyword: str, value: Any) -> None:
    """`patternProperties`: supported regular expressions."""
    for one in value:
        _pattern(one, location.below(keyword, one))


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


def _pattern(source: str, where: str) -> None:
    try:
        pattern_expression(source)
    except PatternError as error:
        raise SchemaError(str(error), pointer=where) from None
    except UnsupportedFeature as error:
        raise UnsupportedFeature(error.feature, where=f"{where}, {error.where}", hint=error.hint) from None
    except LimitError as error:
        raise LimitError(error.limit, error.value, where=where) from None
