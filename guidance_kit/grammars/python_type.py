"""Python types as JSON Schemas, and JSON texts as their instances, by pydantic."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin

import typing_extensions
from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from guidance_kit.errors import MatchError, UnsupportedFeature
from guidance_kit.grammars.json_schema.documents.document import escape_pointer
from guidance_kit.grammars.python_refusals import first_refusal
from guidance_kit.grammars.python_schema import ExactSchema
from guidance_kit.grammars.value_errors import shortened

__all__ = ["PythonType"]


class PythonType:
    """A Pydantic model, dataclass, TypedDict or annotation, as pydantic interprets it; or the arguments of a function.

    Attributes:
        validators: names of the user's validation functions, which no schema describes; set by `schema`.

    Args:
        annotation: the type, or the function, which is not called.
    Raises:
        UnsupportedFeature: pydantic has no schema for it, or lacks a package; the function has positional-only
            parameters.
    """

    def __init__(self, annotation: Any) -> None:
        self.validators: tuple[str, ...] = ()
        self.name = _name(annotation)
        try:
            readable: Any = _arguments(annotation) if inspect.isroutine(annotation) else _readable(annotation)
            self._adapter: TypeAdapter[Any] = TypeAdapter(readable)
        except (PydanticSchemaGenerationError, PydanticUserError, ImportError) as error:
            raise UnsupportedFeature(
                f"the type {self.name}",
                where="the Python type",
                hint=str(error).splitlines()[0],
            ) from None

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the texts that `validate` accepts, without ignored keys.

        A model, dataclass or TypedDict is closed unless it has `extra="allow"`, as an instance would drop other keys.

        Raises:
            UnsupportedFeature: a part of the type has no exact schema; `where` is its field.
        """
        generators: list[ExactSchema] = []

        def generator(**options: Any) -> ExactSchema:
            generators.append(ExactSchema(**options))
            return generators[-1]

        try:
            schema = self._adapter.json_schema(mode="validation", schema_generator=generator)  # pyright: ignore[reportArgumentType]
        except PydanticUserError as error:
            raise UnsupportedFeature(
                f"the type {self.name}", where="the Python type", hint=str(error).splitlines()[0]
            ) from None
        refusal = first_refusal(schema, self.name)
        if refusal is not None:
            raise UnsupportedFeature(refusal.part, where=refusal.where, hint=refusal.hint)
        self.validators = tuple(generators[-1].validators)
        return schema

    def validate(self, text: str) -> Any:
        """Instance of a JSON text; for a function a dict of all arguments by name.

        Raises:
            MatchError: a validator of the type refuses the value, though it satisfies the schema; names the places.
        """
        try:
            return self._adapter.validate_json(text)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)
            reasons = [f"{_pointer(one['loc']) or 'the whole'}: {one['msg']}" for one in found[:_MOST_REASONS]]
            more = f"; and {len(found) - _MOST_REASONS} more" if len(found) > _MOST_REASONS else ""
            raise MatchError(
                f"the text {shortened(text)} is no {self.name}: {'; '.join(reasons)}{more}. Change the text, or draw "
                "another one"
            ) from error


_MOST_REASONS = 5
"""Places of a refused value that an error names."""


def _pointer(place: Sequence[str | int]) -> str:
    """A place in a value as a JSON pointer (RFC 6901)."""
    return "".join(f"/{escape_pointer(str(step))}" for step in place)


def _name(annotation: Any) -> str:
    """A short name of a type or function, for errors."""
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if isinstance(annotation, type) or inspect.isroutine(annotation):
        return annotation.__name__
    return f"{annotation!r:.60}"


def _arguments(function: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """A function with the same parameters that returns its arguments by name."""
    if inspect.isbuiltin(function):
        raise UnsupportedFeature(
            "a function that is not written in Python",
            where=f"the function {function.__name__}",
            hint="write one around it, with annotations",
        )
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise UnsupportedFeature(
                f"the parameter {name!r} without a name in calls",
                where=f"the function {function.__name__}",
                hint="arguments are an object, so let each have a name",
            )

    @wraps(function)
    def collect(**arguments: Any) -> dict[str, Any]:
        return arguments

    return collect


def _readable(annotation: Any) -> Any:
    """The type with each `typing.TypedDict` replaced by that of typing_extensions, before Python 3.12.

    pydantic requires these, as an older `typing.TypedDict` lacks some of its annotations. Those within models and
    dataclasses are not replaced; pydantic refuses them with a hint.
    """
    if sys.version_info >= (3, 12):
        return annotation
    if typing.is_typeddict(annotation) and type(annotation).__module__ == "typing":
        fields = {}
        for name, hint in typing.get_type_hints(annotation, include_extras=True).items():
            presence = get_origin(hint)
            if presence in (Required, NotRequired):
                hint = get_args(hint)[0]
            else:
                presence = Required if name in annotation.__required_keys__ else NotRequired
            fields[name] = presence[_readable(hint)]
        return typing_extensions.TypedDict(annotation.__name__, fields)  # pyright: ignore[reportArgumentType]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is None or origin is typing.Literal:
        return annotation
    if origin is Annotated:
        return Annotated[(_readable(arguments[0]), *arguments[1:])]
    readable = tuple(_readable(argument) for argument in arguments)
    if readable == arguments:
        return annotation
    return Union[readable] if origin in (Union, types.UnionType) else origin[readable]  # noqa: UP007
