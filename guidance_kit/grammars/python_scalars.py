"""JSON Schemas of pydantic's scalars: strings, numbers, dates and times, with their constraints."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any

from pydantic_core import SchemaValidator, ValidationError, to_jsonable_python

from guidance_kit.grammars import python_strings as strings
from guidance_kit.grammars.python_patterns import PatternRefusal, ecma_pattern
from guidance_kit.grammars.python_refusals import refused

__all__ = [
    "date", "decimal", "doubles", "is_bounded", "moment", "reads", "string", "text", "unknown_constraint",
    "unreadable_member", "within_bounds",
]  # fmt: skip

Schema = dict[str, Any]

_BOUNDS = {"ge": (True, False), "gt": (True, True), "le": (False, False), "lt": (False, True)}
"""Constraint -> whether it is a lower bound, whether it is strict."""

_SPACES = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
_STRIPPED = rf"^(?:[^{_SPACES}](?:[\s\S]*[^{_SPACES}])?)?$"

_COMMON = frozenset({"type", "ref", "metadata", "serialization", "strict"})
_NUMERIC = frozenset({*_BOUNDS, "multiple_of"})
_LENGTHS = frozenset({"min_length", "max_length", "fail_fast"})
_TEXT = frozenset({"pattern", "regex_engine", "strip_whitespace", "to_lower", "to_upper", "coerce_numbers_to_str"})
_TEMPORAL = frozenset({"tz_constraint", "microseconds_precision", "now_op", "now_utc_offset"})
_CONSTRAINTS: Mapping[str, frozenset[str]] = {
    "str": _TEXT | _LENGTHS | {"ascii_only"},
    "bytes": _LENGTHS,
    "int": _NUMERIC,
    "float": _NUMERIC | {"allow_inf_nan"},
    "decimal": _NUMERIC | {"allow_inf_nan", "max_digits", "decimal_places"},
    "fraction": _NUMERIC,
    "complex": frozenset(),
    "bool": frozenset(),
    **dict.fromkeys(("date", "time", "datetime", "timedelta"), _NUMERIC | _TEMPORAL),
    **dict.fromkeys(("list", "set", "frozenset", "deque", "generator"), _LENGTHS | {"items_schema"}),
    "tuple": _LENGTHS | {"items_schema", "variadic_item_index"},
    **dict.fromkeys(("dict", "counter", "ordered-dict", "frozendict"), _LENGTHS | {"keys_schema", "values_schema"}),
    "uuid": frozenset({"version"}),
}
"""Kind of a core schema -> the constraints that its JSON Schema says, or that are refused by name."""

_FLAGS = r"write it without: [Aa] instead of (?i)a, and the like"


def unknown_constraint(schema: Schema) -> str | None:
    """An unknown constraint of a core schema, such as one of a later version of pydantic."""
    known = _CONSTRAINTS.get(schema["type"])
    if known is None:
        return None
    others = schema.keys() - known - _COMMON
    return next((name for name in sorted(others) if schema[name] not in (None, False)), None)


def is_bounded(schema: Schema) -> bool:
    """Test whether there are bounds, or a multiple."""
    return any(schema.get(name) is not None for name in _NUMERIC)


def string(pattern: str) -> Schema:
    """Schema of strings that contain a match of a pattern."""
    return {"type": "string", "pattern": pattern}


def _with_patterns(schema: Schema, patterns: list[str]) -> Schema:
    """A schema of strings with more patterns."""
    patterns = [*([schema["pattern"]] if "pattern" in schema else []), *patterns]
    if len(patterns) < 2:
        return {**schema, "pattern": patterns[0]} if patterns else schema
    return {**schema, "pattern": patterns[0], "allOf": [{"pattern": pattern} for pattern in patterns[1:]]}


def text(result: Schema, schema: Schema, options: Mapping[str, Any]) -> Schema:
    """Schema of strings with all constraints but those of length, which `result` has.

    Args:
        result: schema so far.
        schema: the core schema.
        options: of the model around it.
    """
    for keyword, name in (("minLength", "str_min_length"), ("maxLength", "str_max_length")):
        if options.get(name) is not None:
            result.setdefault(keyword, options[name])
    pattern = schema.get("pattern")
    conditions = []
    if pattern is not None:
        engine = schema.get("regex_engine") or options.get("regex_engine", "rust-regex")
        if isinstance(pattern, re.Pattern):
            if pattern.flags & ~re.UNICODE:
                return refused("a pattern with flags", hint=_FLAGS)
            engine, pattern = "python-re", pattern.pattern
        try:
            conditions.append(ecma_pattern(pattern, engine))
        except PatternRefusal as refusal:
            return refused(str(refusal), hint=_FLAGS)
    if schema.get("ascii_only"):
        conditions.append(r"^[\x00-\x7f]*$")
    if schema.get("strip_whitespace", options.get("str_strip_whitespace")):
        conditions.append(_STRIPPED)
    return _with_patterns(result, conditions)


def doubles(result: Schema) -> Schema:
    """Schema of numbers whose strict bounds hold for the double to which they are rounded."""
    for name, other, towards in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        bound = result.get(name)
        if isinstance(bound, int | float):
            del result[name]
            nearest = math.nextafter(float(bound), towards * math.inf)
            kept = result.get(other)
            result[other] = nearest if kept is None else max(kept * towards, nearest * towards) * towards
    return result


def decimal(schema: Schema, options: Mapping[str, Any]) -> Schema:
    """Schema of decimals as strings, in the syntax of `Decimal`.

    Args:
        schema: the core schema.
        options: of the model around it.
    """
    allows_all = schema.get("allow_inf_nan", options.get("allow_inf_nan"))
    if schema.get("multiple_of") is not None:
        return refused("multiple_of of a Decimal", hint="decimal_places says how fine it is")
    digits, places = schema.get("max_digits"), schema.get("decimal_places")
    if digits is not None or places is not None:
        result = string(strings.decimal_digits_pattern(digits, places))
    elif is_bounded(schema):
        result = string(strings.PLAIN_DECIMAL)
    else:
        special = "NaN|-?Infinity"
        result = string(f"{strings.DECIMAL}|^(?:{special})$" if allows_all else strings.DECIMAL)
    return within_bounds(result, schema, "a Decimal with a long bound")


def within_bounds(strings_of: Schema, schema: Schema, part: str) -> Schema:
    """Strings of decimals within the bounds of a core schema."""
    if schema.get("multiple_of") is not None:
        return refused(part, hint="leave the multiple to a validator")
    patterns = []
    for name, (is_lower, is_strict) in _BOUNDS.items():
        bound = schema.get(name)
        if bound is None or not Decimal(bound).is_finite():
            continue
        try:
            patterns.append(strings.decimal_bound(Decimal(bound), is_lower=is_lower, is_strict=is_strict))
        except ValueError:
            return refused(part, hint=f"its digits are at most {strings.MAX_BOUND_DIGITS}")
    return _with_patterns(strings_of, patterns)


def date(schema: Schema) -> Schema:
    """Dates in ISO 8601 within their bounds."""
    if schema.get("now_op"):
        return _refused_by_clock(schema)
    bounds = [
        strings.date_bound(schema[name], is_lower=is_lower, is_strict=is_strict)
        for name, (is_lower, is_strict) in _BOUNDS.items()
        if schema.get(name) is not None
    ]
    return _with_patterns({"type": "string", "format": "date"}, bounds)


def moment(schema: Schema, pattern: Callable[[str | None], str]) -> Schema:
    """A datetime or a time of day."""
    if schema.get("now_op"):
        return _refused_by_clock(schema)
    kind, zone = schema["type"], schema.get("tz_constraint")
    if is_bounded(schema):
        return refused(f"a {kind} with bounds", hint="a date may have bounds; leave those of times to a validator")
    if isinstance(zone, int):
        return refused(f"a {kind} with one offset", hint="take any offset, and convert it")
    return string(pattern(zone))


def _refused_by_clock(schema: Any) -> Schema:
    kind, side = schema["type"], schema["now_op"]
    return refused(
        f"a {kind} in the {side}", hint=f"it depends on the clock: take any {kind}, and check it in a validator"
    )


def unreadable_member(schema: Any, members: Iterable[Any]) -> Schema | None:
    """A refusal, if the validator does not accept the JSON of some member."""
    validator = SchemaValidator({name: value for name, value in schema.items() if name != "ref"})  # pyright: ignore
    for member in members:
        try:
            value = to_jsonable_python(member.value if isinstance(member, Enum) else member)
        except ValueError:
            return refused(f"the member {member!r}", hint="no JSON value stands for it")
        if not reads(validator, value):
            return refused(
                f"the member {member!r}", hint="pydantic does not read it from JSON: write a str, or a StrEnum"
            )
    return None


def reads(validator: SchemaValidator, value: Any) -> bool:
    """Test whether a validator takes the JSON text of a value."""
    try:
        validator.validate_json(json.dumps(value))
    except ValidationError:
        return False
    return True
