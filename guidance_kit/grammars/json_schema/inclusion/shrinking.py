"""Smaller JSON values with a property, by leaving out parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["shrunk"]


def shrunk(value: Any, holds: Callable[[Any], bool], most: int) -> Any:
    """A value with the property from which no single part can be left out; see `_smaller`.

    Args:
        value: with the property.
        holds: tests a value.
        most: tests that may be made.
    Source: Zeller and Hildebrandt 2002, Simplifying and Isolating Failure-Inducing Input, without its larger steps.
    """
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for candidate in _smaller(value):
            if most == 0:
                return value
            most -= 1
            if holds(candidate):
                value, is_smaller = candidate, True
                break
    return value


def _smaller(value: Any) -> Iterator[Any]:
    """Values with one part less, large parts first: no member, no half of a string, a small number."""
    if isinstance(value, dict):
        for key in value:
            yield {other: value[other] for other in value if other != key}
        for key, inner in value.items():
            yield from ({**value, key: smaller} for smaller in _smaller(inner))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield value[:index] + value[index + 1 :]
        for index, inner in enumerate(value):
            yield from ([*value[:index], smaller, *value[index + 1 :]] for smaller in _smaller(inner))
    elif isinstance(value, str):
        if len(value) > 1:
            yield ""
            yield value[: len(value) // 2]
        if value:
            yield value[:-1]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from (small for small in (0, 1, int(value)) if len(repr(small)) < len(repr(value)))
