"""Readers of keywords: functions that parse those of one type, or an enumeration, into records."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from guidance_kit.errors import LimitError, SchemaError
from guidance_kit.grammars.json_schema.formats.table import NUMBER_FORMATS, NumberFormat, format_kind
from guidance_kit.grammars.json_schema.normal_forms.records import (
    Arrays,
    Contains,
    Number,
    Numbers,
    Objects,
    PropertyRules,
    Strings,
    join_nodes,
)
from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape
from guidance_kit.grammars.json_schema.strings.languages import pattern_texts
from guidance_kit.grammars.regular.charset import is_spellable

if TYPE_CHECKING:  # a document looks its keywords up in the table, which holds these functions
    from guidance_kit.grammars.json_schema.documents.document import Location, SchemaDocument

__all__ = [
    "MAX_COUNT",
    "check_value",
    "enumeration",
    "exact_number",
    "numbers_of_format",
    "read_arrays",
    "read_numbers",
    "read_objects",
    "read_strings",
]

MAX_COUNT = 2**31 - 2
"""Of characters, items and properties."""

MAX_EXPONENT = 1_000
"""Of numbers in a schema: their digits are written out."""

MAX_DIGITS = 4_000
"""Of integers in a schema; Python turns 4,300 into text."""

_LEAST_WITH_TOO_MANY = 10**MAX_DIGITS


def enumeration(document: SchemaDocument, location: Location, keyword: str) -> Shape:
    """The shape of the values that `enum` or `const` lists."""
    values = location.schema[keyword] if keyword == "enum" else [location.schema[keyword]]
    if set(map(type, values)) == {str} and is_spellable("".join(values)):  # as most are, and of many all
        return Shape(strings=(Strings(values=tuple(dict.fromkeys(values))),))
    strings: list[str] = []
    numbers: list[Number] = []
    booleans: list[bool] = []
    arrays: list[Arrays] = []
    objects: list[Objects] = []
    has_null = False
    constant = document.constant
    for index, value in enumerate(values):
        step = (keyword, index) if keyword == "enum" else (keyword,)
        match value:
            case str():
                if is_spellable(value):
                    strings.append(value)
            case bool():
                booleans.append(value)
            case None:
                has_null = True
            case int() | float() | Decimal():
                numbers.append(exact_number(value, location, *step))
            case list() | tuple():
                prefix = tuple(constant(location, item, *step, i) for i, item in enumerate(value))
                arrays.append(Arrays(prefix, (document.nothing,), len(prefix), len(prefix)))
            case dict():
                properties = {key: constant(location, item, *step, key) for key, item in value.items()}
                layer = PropertyRules(properties, additional=(document.nothing,))
                objects.append(Objects((layer,), tuple(properties)))
            case _:
                raise SchemaError(f"{value!r} is not a JSON value", pointer=location.pointer)
    return Shape(
        (None,) if has_null else (),
        tuple(value for value in (False, True) if value in booleans),
        (Numbers(values=tuple(dict.fromkeys(numbers))),) if numbers else (),
        (Strings(values=tuple(dict.fromkeys(strings))),) if strings else (),
        tuple(arrays),
        tuple(objects),
    )


def exact_number(value: float | Decimal, location: Location, *step: str | int) -> Number:
    """Exact number of a parsed JSON value; a float is taken as its shortest decimal.

    Raises:
        SchemaError: for infinities and NaN.
        LimitError: the exponent is too large, or an integer too long.
    """
    if isinstance(value, int):
        if abs(value) >= _LEAST_WITH_TOO_MANY:
            raise LimitError("max_digits", MAX_DIGITS, where=location.below(*step))
        return value
    if isinstance(value, Decimal):
        if value.is_finite() and abs(value.adjusted()) > MAX_EXPONENT:
            raise LimitError("max_exponent", MAX_EXPONENT, where=location.below(*step))
        is_finite = value.is_finite()
    else:
        is_finite = math.isfinite(value)
    if not is_finite:
        raise SchemaError(f"{value!r} is not a JSON number", pointer=location.pointer)
    exact = Fraction(repr(value) if isinstance(value, float) else value)
    return exact.numerator if exact.denominator == 1 else exact


def check_value(value: Any, location: Location, *step: str | int) -> None:
    """Look whether a value is one of JSON, all through.

    Raises:
        SchemaError: if it is not; say, a set or NaN.
    """
    todo = [value]
    while todo:
        here = todo.pop()
        if isinstance(here, str):  # most are, of many
            continue
        if isinstance(here, dict):
            todo += here.values()
            if not all(isinstance(key, str) for key in here):
                raise SchemaError(f"{here!r} has a key that is no string", pointer=location.pointer)
        elif isinstance(here, list | tuple):
            todo += [part for part in here if type(part) is not str]
        elif isinstance(here, int | float | Decimal):
            exact_number(here, location, *step)
        elif here is not None:
            raise SchemaError(f"{here!r} is not a JSON value", pointer=location.pointer)


def read_numbers(document: SchemaDocument, location: Location) -> Numbers | None:
    """Bounds, multiples and numeric formats; None if no number satisfies them."""
    schema, is_old = location.schema, location.draft.number == 4

    def bound(keyword: str) -> Number | None:
        value = schema.get(keyword)
        return None if value is None else exact_number(value, location, keyword)

    lower, upper = bound("minimum"), bound("maximum")
    if is_old:
        below = schema.get("exclusiveMinimum") is True and lower is not None
        above = schema.get("exclusiveMaximum") is True and upper is not None
    else:
        open_lower, open_upper = bound("exclusiveMinimum"), bound("exclusiveMaximum")
        below = open_lower is not None and (lower is None or open_lower >= lower)
        above = open_upper is not None and (upper is None or open_upper <= upper)
        lower, upper = open_lower if below else lower, open_upper if above else upper
    numbers = Numbers(lower, upper, below, above, multiple=bound("multipleOf"))
    found = None if document.formats == "annotate" else NUMBER_FORMATS.get(schema.get("format", ""))
    return numbers if found is None else numbers.conjoin(numbers_of_format(found))


def numbers_of_format(found: NumberFormat) -> Numbers:
    """The numbers of a format."""
    is_open = not found.is_integer
    return Numbers(found.lower, found.upper, is_open, is_open, found.is_integer)


def read_strings(document: SchemaDocument, location: Location) -> Strings | None:
    """Lengths, patterns, formats and extraction; None if no string satisfies them."""
    schema = location.schema
    conditions: list[tuple[str, str]] = []
    values: tuple[str, ...] | None = None
    if "pattern" in schema:
        values = pattern_texts(schema["pattern"])
        if values is None:
            conditions.append(("pattern", schema["pattern"]))
    name = schema.get("format", "")
    kind = format_kind(name, location.draft, document.formats)
    if kind is not None:
        conditions.append((kind, name))
    elif document.excerpts_of is not None and "type" in schema and format_kind(name, location.draft, "assert") is None:
        conditions.append(("excerpt", document.excerpts_of))
    minimum, maximum = _count(schema, "minLength") or 0, _count(schema, "maxLength")
    return Strings(minimum, maximum, tuple(conditions), values).reduced()


def read_arrays(document: SchemaDocument, location: Location) -> Arrays | None:
    """Items, counts, `contains` and `uniqueItems`; None if no array satisfies them."""
    schema = location.schema
    minimum, maximum = _count(schema, "minItems") or 0, _count(schema, "maxItems")
    unique = schema.get("uniqueItems", False)
    first, others = ("prefixItems", "items") if location.draft.number >= 9 else ("items", "additionalItems")
    prefix: list[Any] | None = schema.get(first)
    if location.draft.number < 9 and not isinstance(prefix, list):
        prefix, others = None, "items"
    nodes = tuple(document.node(location, item, first, index) for index, item in enumerate(prefix or ()))
    items = document.node(location, schema.get(others, True), others)
    if location.draft.number >= 6 and "contains" in schema:
        asked = document.node(location, schema["contains"], "contains")
        least, most = 1, None
        if location.draft.number >= 8:
            least, most = _count(schema, "minContains"), _count(schema, "maxContains")
            least = 1 if least is None else least
        if most is not None and most < least:
            return None
        if most == 0:
            without = document.negation(asked)
            nodes, items = tuple(join_nodes(node, without) for node in nodes), join_nodes(items, without)
        elif not asked and most is not None:
            minimum, maximum = max(minimum, least), most if maximum is None else min(most, maximum)
        elif not asked:
            minimum = max(minimum, least)
        elif least or most is not None:
            return Arrays(nodes, items, minimum, maximum, (Contains(asked, least, most),), unique).reduced()
    return Arrays(nodes, items, minimum, maximum, unique=unique).reduced()


def read_objects(document: SchemaDocument, location: Location) -> Objects | None:
    """Properties, required keys, key conditions and counts; None if no object satisfies them."""
    schema = location.schema
    node = document.node
    properties = {key: node(location, value, "properties", key) for key, value in schema.get("properties", {}).items()}
    patterns = tuple(
        (pattern, node(location, value, "patternProperties", pattern))
        for pattern, value in schema.get("patternProperties", {}).items()
    )
    additional = node(location, schema.get("additionalProperties", True), "additionalProperties")
    knows_names = location.draft.number >= 6
    names = node(location, schema.get("propertyNames", True), "propertyNames") if knows_names else ()
    has_layer = properties or patterns or additional or names
    return Objects(
        (PropertyRules(properties, patterns, additional, names),) if has_layer else (),
        tuple(schema.get("required", ())),
        _count(schema, "minProperties") or 0,
        _count(schema, "maxProperties"),
    ).reduced()


def _count(schema: dict[str, Any], keyword: str) -> int | None:
    """Value of a keyword such as `maxItems`; None if it is absent, or a maximum beyond any text."""
    value = schema.get(keyword)
    return None if value is None or value > MAX_COUNT else int(value)
