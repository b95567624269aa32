"""Errors of texts that match a constraint and have no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from guidance_kit.errors import GuidanceKitError, MatchError

__all__ = ["evaluated", "shortened"]

T = TypeVar("T")


def evaluated(kind: str, text: str, evaluate: Callable[[], T]) -> T:
    """Value of a text, or of a prefix of one.

    Args:
        kind: kind of the constraint.
        text: the text.
        evaluate: function that returns the value.
    Raises:
        MatchError: `evaluate` fails: the text is malformed, nested too deep, or refused by a Python type.
    """
    try:
        return evaluate()
    except GuidanceKitError:
        raise
    except RecursionError as error:
        raise MatchError(
            f"the text {shortened(text)} of the {kind} is nested too deep for a value; bound the nesting in the "
            "constraint"
        ) from error
    except ValueError as error:
        raise MatchError(f"the text {shortened(text)} of the {kind} has no value: {error}") from error


def shortened(text: str, length: int = 40) -> str:
    """Quoted text for an error, cut to a length in characters."""
    return repr(text if len(text) <= length else text[: length - 1] + "…")
