"""Independent judge of instances: the `jsonschema` package."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend, validator_for
from jsonschema_specifications import REGISTRY
from referencing import Registry
from referencing.exceptions import Unresolvable

from guidance_kit.grammars.json_schema.documents.drafts import SchemaDraft
from guidance_kit.grammars.json_schema.formats.table import FORMATS, NUMBER_FORMATS, RULE_FORMATS, FormatMode
from guidance_kit.grammars.json_schema.normal_forms.records import Numbers, Strings
from guidance_kit.grammars.json_schema.strings.languages import allows

__all__ = ["InstanceJudge", "exact_value", "value_without_repeated_keys"]


class InstanceJudge:
    """Validator of instances that shares nothing with our automata, except the formats, of which it knows few.

    Args:
        schema: an object or a boolean.
        draft: by which it is read.
        registry: other documents that it may refer to.
        formats: what `format` says about values.
    """

    def __init__(self, schema: Any, draft: SchemaDraft, registry: Registry | None, formats: FormatMode) -> None:
        validator = extend(validator_for({"$schema": draft.uri}), {"enum": _enumeration})
        checker = None if formats == "annotate" else _format_checker()
        exact = exact_value(json.dumps(schema))
        documents = REGISTRY if registry is None else REGISTRY.combine(registry)
        self._validator = validator(exact, registry=documents, format_checker=checker)

    def accepts(self, text: str) -> bool | None:
        """Judge the JSON text of an instance; None where the judge fails, as by a pattern that Python's `re` lacks."""
        try:
            return self._validator.is_valid(exact_value(text))
        except (RecursionError, Unresolvable, ValidationError, ValueError, TypeError, ArithmeticError, re.error):
            return None

    def reason(self, text: str) -> str | None:
        """Reason for which the JSON text of an instance is invalid: the most relevant error; None if it is valid."""
        try:
            error = best_match(self._validator.iter_errors(json.loads(text)))
        except (RecursionError, Unresolvable, ValidationError, ValueError, TypeError, ArithmeticError, re.error):
            return None
        if error is None:
            return None
        place = "".join(f"/{step}" for step in error.absolute_path)
        return f"{place}: {error.message}" if place else error.message


def exact_value(text: str) -> Any:
    """Value of a JSON text: integers for numbers without a fraction, as 1.0, else fractions."""
    return json.loads(text, parse_float=_number)


def _number(digits: str) -> int | Fraction:
    value = Fraction(digits)
    return int(value) if value.denominator == 1 else value


def value_without_repeated_keys(text: str) -> tuple[bool, Any]:
    """Value of a JSON text, and whether no object repeats a key."""
    is_proper = True

    def read(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal is_proper
        found = dict(pairs)
        is_proper = is_proper and len(found) == len(pairs)
        return found

    value = json.loads(text, object_pairs_hook=read)
    return is_proper, value


def _enumeration(validator: Any, values: list[Any], instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Errors of `enum`, as `jsonschema` has them, which takes microseconds a member; scalars are compared at once."""
    is_boolean = isinstance(instance, bool)
    if isinstance(instance, str) or instance is None:
        is_member = instance in values
    elif isinstance(instance, int | Fraction):
        is_member = instance in values and any(
            value == instance and isinstance(value, bool) is is_boolean for value in values
        )
    else:
        yield from _ENUM(validator, values, instance, schema)
        return
    if not is_member:
        yield ValidationError(f"{instance!r} is not one of {values!r}")


_ENUM = Draft202012Validator.VALIDATORS["enum"]


def _format_checker() -> FormatChecker:
    """Checks of the formats that are enforced."""
    checker = FormatChecker(())
    for name in [*FORMATS, *RULE_FORMATS]:
        checker.checks(name)(_string_check(name))
    for name, found in NUMBER_FORMATS.items():
        bounds = Numbers(lower=found.lower, upper=found.upper, is_integer=found.is_integer)
        checker.checks(name)(_number_check(bounds))
    return checker


def _string_check(name: str) -> Callable[[object], bool]:
    strings = Strings(conditions=(("format", name),))

    def check(value: object) -> bool:
        if not isinstance(value, str):
            return True
        found = RULE_FORMATS.get(name)
        return allows(strings, value) if found is None else found.contains(value)

    return check


def _number_check(bounds: Numbers) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        return isinstance(value, bool) or not isinstance(value, int | Fraction) or value in bounds

    return check
