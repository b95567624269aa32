"""Checks of the arguments of constructors, with errors that name the argument."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, TypeVar, cast

from guidance_kit.errors import LimitError, OptionError
from guidance_kit.grammars.regular.expression import MAX_TURNS

__all__ = ["as_items", "as_number", "as_text", "described"]

_T = TypeVar("_T")


def as_items(given: Iterable[_T], what: str, of: str = "items") -> tuple[_T, ...]:
    """Items of an argument that is a collection.

    Raises:
        OptionError: it cannot be iterated.
    """
    if not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"{what} takes several {of}, not {described(given)}")
    return tuple(given)


def as_number(given: int, what: str) -> int:
    """An argument that is an integer.

    Raises:
        OptionError: it is no integer.
        LimitError: it exceeds the largest count.
    """
    if not isinstance(given, Integral) or isinstance(given, bool):
        raise OptionError(f"{what} must be an integer, not {described(given)}")
    if given > MAX_TURNS:
        raise LimitError("max_turns", MAX_TURNS, where=what)
    return int(given)


def as_text(given: str, what: str) -> str:
    """An argument that is a string.

    Raises:
        OptionError: it is no str.
    """
    if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"{what} must be a str, not {described(given)}")
    return given


def described(given: object) -> str:
    """Type of a value, and the value if it is short, for an error."""
    value = repr(cast("Any", given))
    return f"{type(given).__name__}" + (f" ({value})" if len(value) <= 40 and given is not None else "")
