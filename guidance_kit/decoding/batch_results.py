"""Results of the prompts of one call, with the errors of those that failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.partial_results import results_of
from guidance_kit.errors import BatchError

__all__ = ["completions_of", "samples_of", "values_of"]


def completions_of(pairs: Iterable[tuple[int, Completion]], count: int) -> list[Completion]:
    """Completions sorted by number.

    Args:
        pairs: numbers of texts and their completions, in any order. A decoder that ranks texts may leave some out.
        count: number of texts.
    Raises:
        BatchError: raised by the iteration over `pairs`; `results` has the finished completions.
    """
    return [completion for _, completion in sorted(_numbered(pairs, count).items())]


def _numbered(pairs: Iterable[tuple[int, Completion]], count: int) -> dict[int, Completion]:
    """Completions by number, as `completions_of`."""
    found: dict[int, Completion] = {}
    try:
        for row, completion in pairs:
            found[row] = completion
    except BatchError as error:
        error.results = [found.get(row) for row in range(count)]
        raise
    return found


def samples_of(pairs: Iterable[tuple[int, Completion]], prompts: int, count: int) -> list[list[Completion]]:
    """Completions of several prompts, each in a list with the others of its prompt.

    Args:
        pairs: as in `completions_of`; texts of one prompt are adjacent.
        prompts: number of prompts.
        count: number of texts a prompt.
    Raises:
        BatchError: by number of the prompt. If a prompt has several samples, its error is a BatchError by number of the
            sample, as for this prompt alone; if all of them have one error, that error.
    """
    try:
        found = _numbered(pairs, prompts * count)
    except BatchError as error:
        results = [error.results[first : first + count] for first in range(0, len(error.results), count)]
        failed: dict[int, dict[int, Exception]] = {}
        for row, one in error.errors.items():
            failed.setdefault(row // count, {})[row % count] = one
        errors = {prompt: _joint_error(own, results[prompt]) for prompt, own in failed.items()}
        raise BatchError(errors, results) from error.__cause__
    firsts = range(0, prompts * count, count)
    return [[found[text] for text in range(first, first + count) if text in found] for first in firsts]


def _joint_error(errors: dict[int, Exception], results: list[Completion | None]) -> Exception:
    """Error of a prompt: that of all its texts if it is one, else those of its samples."""
    first = errors[min(errors)]
    is_one = len(errors) == len(results) and all(error is first for error in errors.values())
    return first if is_one else BatchError(errors, results)


def values_of(
    generate: Callable[[], Sequence[Completion]],
    read: Callable[[Completion], Any] = lambda completion: completion.value,
) -> list[Any]:
    """Values of the completions of several prompts.

    Args:
        generate: returns the completions, or raises a BatchError with some of them.
        read: function from a completion to its value.
    Raises:
        Exception: of a single prompt, as `Completion.value`.
        BatchError: one of several prompts failed, or its text has no value; with the values of the others.
    """
    completions, errors = results_of(generate)
    values: list[Any] = []
    for number, completion in enumerate(completions):
        values.append(None)
        if completion is not None:
            try:
                values[-1] = read(completion)
            except Exception as error:  # a validator of the caller's type may raise anything
                errors[number] = error
    if not errors:
        return values
    first = errors[min(errors)]
    if len(values) == 1:
        raise first
    raise BatchError(errors, values) from first
