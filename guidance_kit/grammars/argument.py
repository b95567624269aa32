"""Constraints as arguments of other functions: a constraint, or a value that determines one, as a Pydantic model."""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from guidance_kit.errors import OptionError
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex

__all__ = ["ConstraintArgument", "constraint_of", "constraints_of"]

ConstraintArgument = Constraint | re.Pattern[str] | Mapping[str, Any] | type[Any]
"""Arguments that `constraint_of` takes."""

_CONSTRUCTORS = "regex(), choice(), json_schema(), grammar(), ..."


def constraint_of(given: object, where: str = "the constraint") -> Constraint:
    """Constraint of an argument.

    Accepted besides a `Constraint`: a compiled pattern, for `regex`; a JSON Schema (a dict), or a type whose JSON is an
    object or an array (Pydantic model, dataclass, TypedDict, NamedTuple, `list[...]` and the like), for `json_schema`;
    a dict with the type "structural_tag", for `structural_tag`. A str is refused, as it may be a pattern, a text or a
    grammar; so is an enumeration, as its JSON has quotes that its values lack.

    Args:
        where: name of the argument in messages.
    Raises:
        OptionError: any other value, naming functions that make a constraint of it.
        ConstraintError: as `regex`, `json_schema` and `structural_tag`.
    """
    if isinstance(given, Constraint):
        return given
    if isinstance(given, re.Pattern):
        return regex(cast("re.Pattern[str]", given))
    if isinstance(given, Mapping):
        schema = dict(cast("Mapping[str, Any]", given))
        if schema.get("type") != "structural_tag":
            return json_schema(schema)
        from guidance_kit.grammars.structural_tag import structural_tag  # which is rarely needed

        return structural_tag(schema)
    if _is_structured(given):
        return json_schema(given)
    raise OptionError(f"{where} is {_meant(given)}")


def constraints_of(given: object, count: int) -> Constraint | list[Constraint] | None:
    """Constraint of several prompts, or one for each of them.

    Args:
        given: None; an argument of `constraint_of`; or an iterable with one of these for each prompt.
        count: number of prompts.
    Raises:
        OptionError: as `constraint_of`; the numbers of constraints and prompts differ.
    """
    if given is None:
        return None
    is_one = isinstance(given, str | bytes | Constraint | re.Pattern | Mapping | set | frozenset | type)
    if is_one or hasattr(given, "model_json_schema") or _is_annotation(given) or not isinstance(given, Iterable):
        return constraint_of(given)
    entries = list(cast("Iterable[Any]", given))
    if not entries or any(isinstance(entry, str) for entry in entries):
        raise OptionError(f"the constraint is {_meant(entries)}")
    several = [constraint_of(entry, f"constraint {number}") for number, entry in enumerate(entries)]
    if len(several) != count:
        raise OptionError(
            f"{len(several)} constraints for {count} prompts; give one for all, or one a prompt "
            "(choice() of constraints is one of which any may hold)"
        )
    return several


def _is_annotation(given: object) -> bool:
    """Test whether it is a type with arguments, such as `list[int]`."""
    return get_origin(given) is not None


def _is_structured(given: Any) -> bool:
    """Test whether it is a type whose JSON is an object or an array, so that it has no quotes."""
    origin = get_origin(given)
    if origin is Annotated:
        return _is_structured(get_args(given)[0])
    if origin is not None:
        given = origin
    if not inspect.isclass(given):
        return False
    is_record = dataclasses.is_dataclass(given) or hasattr(given, "model_json_schema")
    # A TypedDict is a dict, a NamedTuple a tuple.
    return is_record or issubclass(given, list | tuple | dict | set | frozenset)


def _meant(given: Any) -> str:
    """Description of an unsuitable argument, with functions that make a constraint of it."""
    kind = type(given).__name__
    if isinstance(given, str):
        return (
            f"the text {given[:60]!r}; say what it is: regex(...) a pattern, choice([...]) the text itself, "
            "grammar(...) a grammar, json_schema(...) a JSON Schema"
        )
    if isinstance(given, list):
        return f"a list of {len(given)} texts; choice([...]) is one of several texts" if given else "an empty list"
    if isinstance(given, set | frozenset):
        return "a set; choice([...]) is one of several texts"
    if inspect.isclass(given) and issubclass(given, Enum):
        name = given.__name__
        return (
            f"the enumeration {name}; choice([member.value for member in {name}]) writes its values, "
            f"json_schema({name}) writes them as JSON, texts in quotes"
        )
    if get_origin(given) is Literal:
        return f"{given}; choice([...]) writes the values, json_schema(...) writes them as JSON, texts in quotes"
    if inspect.isclass(given) or get_origin(given) in (Union, types.UnionType, Annotated):
        name = given.__name__ if inspect.isclass(given) else str(given)
        return f"the type {name}; json_schema({name}) writes its JSON, with texts in quotes"
    if inspect.isroutine(given):
        name = getattr(given, "__name__", kind)
        return (
            f"the function {name}; json_schema({name}) writes its arguments, tool_calls([{name}], ...) calls of it; "
            f"a constraint is made by {_CONSTRUCTORS}"
        )
    if dataclasses.is_dataclass(given) or hasattr(given, "model_json_schema"):
        return f"an instance of {kind}; give the class {kind}"
    return f"{given!r:.60} ({kind}); a constraint is made by {_CONSTRUCTORS}"
