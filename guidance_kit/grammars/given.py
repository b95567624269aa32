"""Arguments of constraints as they are given: errors that name the argument where one is of another type."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, TypeVar, cast

from guidance_kit.errors import LimitError, OptionError
from guidance_kit.grammars.regular.expression import MAX_TURNS

__all__ = ["as_items", "as_number", "as_text"]

_T = TypeVar("_T")


def as_items(given: Iterable[_T], what: str, of: str = "items") -> tuple[_T, ...]:
    """The items of an argument that takes several.

    Raises:
        OptionError: it cannot be iterated.
    """
    if not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"{what} takes several {of}, not {_shown(given)}")
    return tuple(given)


def as_number(given: int, what: str) -> int:
    """A number that was given.

    Raises:
        OptionError: it is no integer.
        LimitError: it is greater than any number that is counted.
    """
    if not isinstance(given, Integral) or isinstance(given, bool):
        raise OptionError(f"{what} must be an integer, not {_shown(given)}")
    if given > MAX_TURNS:
        raise LimitError("max_turns", MAX_TURNS, where=what)
    return int(given)


def as_text(given: str, what: str) -> str:
    """A string that was given.

    Raises:
        OptionError: it is no str.
    """
    if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"{what} must be a str, not {_shown(given)}")
    return given


def _shown(given: object) -> str:
    """The type of a value, and the value where it is short."""
    value = repr(cast("Any", given))
    return f"{type(given).__name__}" + (f" ({value})" if len(value) <= 40 and given is not None else "")
