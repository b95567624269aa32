"""Several samples of a prompt, for decoders that choose among them, and the callables by which they choose."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.ranked_texts import completion_of
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import row_seeds
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = [
    "MOST_SAMPLES", "check_samples", "checked_numbers", "distinct", "fields_of", "piece_of", "samples_of_prompts",
    "usable", "value_of",
]  # fmt: skip

MOST_SAMPLES = 100_000
"""Maximum number of samples of one prompt."""


def check_samples(options: Options) -> None:
    """Check options that exclude a decoder with several samples of a prompt.

    Raises:
        OptionError: temperature 0, at which they are all the same.
    """
    if options.sampling.is_greedy:
        name = type(options.decoder).__name__.lower()
        raise OptionError(f"decoder={name!r} draws texts, so it needs a temperature above 0")


def samples_of_prompts(walk: Walk, count: int, options: Options) -> Iterator[tuple[Row, list[Completion]]]:
    """Yield the samples of each prompt when the last of them has ended: its row, and the completions.

    They are the texts that `n=count` gives the prompt alone. All samples of all prompts are one batch.
    """
    prompts = list(walk.rows)
    samples: list[Row] = []
    for prompt in prompts:
        for seed in row_seeds(prompt.seed, 1, count):
            sample = prompt.fork()
            sample.seed = seed
            sample.draw_state = walk.start_of_draws(seed)
            samples.append(sample)
    left = dict.fromkeys((row.place for row in prompts), count)
    own = {row.place: [sample for sample in samples if sample.place == row.place] for row in prompts}
    rows_of_prompts = {row.place: row for row in prompts}
    has_forced = options.logprobs is None and walk.has_full_support
    walk.keep(samples)
    while walk.rows:
        walk.settle()
        for row in walk.rows:
            if not row.is_running:
                left[row.place] -= 1
                if not left[row.place]:
                    yield (
                        rows_of_prompts[row.place],
                        [completion_of(sample, walk.vocabulary) for sample in own.pop(row.place)],
                    )
        walk.keep([row for row in walk.rows if row.is_running])
        if walk.rows and not (has_forced and walk.take_forced()):
            walk.take(walk.draw(logprobs=options.logprobs))


def usable(completions: Sequence[Completion]) -> list[Completion]:
    """Texts that ended; if none did, all of them."""
    return [one for one in completions if one.finish_reason not in ("length", "field")] or list(completions)


def value_of(text: str) -> Any:
    """JSON value of a text; the text itself if it is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def fields_of(value: Any, pointer: str = "") -> dict[str, Any]:
    """Leaves of a JSON value by JSON pointer; empty objects and arrays are leaves."""
    if isinstance(value, dict) and value:
        members: Iterable[tuple[str, Any]] = (
            (str(key).replace("~", "~0").replace("/", "~1"), one) for key, one in value.items()
        )
    elif isinstance(value, list) and value:
        members = ((str(place), one) for place, one in enumerate(value))
    else:
        return {pointer: value}
    return {name: leaf for key, one in members for name, leaf in fields_of(one, f"{pointer}/{key}").items()}


def checked_numbers(option: str, call: Callable[[], Iterable[Any]], count: int, prompt: int) -> list[float]:
    """Numbers that a callable of the caller returns.

    Args:
        option: name of the callable for messages.
        call: calls it.
        count: number of numbers that it must return.
        prompt: number of the prompt.
    Raises:
        OptionError: it fails, returns NaN or infinities, no numbers, or another number of them.
    """
    try:
        found = [float(number) for number in call()]
    except Exception as error:  # the caller's own code may raise anything
        raise OptionError(f"{option} failed on prompt {prompt}: {type(error).__name__}: {error}") from error
    if len(found) != count:
        raise OptionError(f"{option} returned {len(found)} numbers for {count} texts of prompt {prompt}")
    for place, number in enumerate(found):
        if not math.isfinite(number):
            raise OptionError(f"{option} returned {number} for text {place} of prompt {prompt}, which cannot be ranked")
    return found


def piece_of(row: Row, texts: Sequence[Completion]) -> Piece:
    """Piece of a prompt with its texts in the given order."""
    return Piece(row.place, texts[0].text, texts[0], others=tuple(texts[1:]))


def distinct(completions: Iterable[Completion]) -> list[Completion]:
    """First completion of each text, renumbered in order."""
    found: dict[str, Completion] = {}
    for completion in completions:
        found.setdefault(completion.text, completion)
    return [
        completion
        if completion.ranking is None
        else replace(completion, ranking=replace(completion.ranking, rank=rank))
        for rank, completion in enumerate(found.values())
    ]
