"""Results of a call for several prompts, of which some failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from guidance_kit.errors import BatchError

__all__ = ["results_of"]

T = TypeVar("T")


def results_of(call: Callable[[], Sequence[T]]) -> tuple[Sequence[T | None], dict[int, Exception]]:
    """Results of a call for several prompts, None for those that failed, and the errors of these by their numbers.

    Args:
        call: returns a result for each, or raises a BatchError with those that there are.
    """
    try:
        return call(), {}
    except BatchError as error:
        return error.results, dict(error.errors)
