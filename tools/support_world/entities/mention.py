"""What a text says about a slot, and on which side it belongs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal
from zlib import crc32

__all__ = ["Mention", "Side", "is_held_out", "lists", "on_side", "pick", "verbatim"]

Side = Literal["train", "held_out", "wide"]
"""What is shown in training, what is held out, and what only the later stages of training show beside the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """What a text says about one slot, and what a record says for it.

    Args:
        surface: the words in the text.
        value: the JSON value in the record.
        verbatim: whether `value` is `surface`, character by character (else a documented normalisation of it).
        implied: further slots that the same words settle, e.g. the currency by the sign before an amount.
    """

    surface: str
    value: Any
    verbatim: bool = False
    implied: dict[str, Any] = field(default_factory=dict)


def verbatim(surface: str) -> Mention:
    """What a record copies as it stands."""
    return Mention(surface=surface, value=surface, verbatim=True)


def is_held_out(text: str) -> bool:
    """Whether a generated string belongs to the held-out side: one in eight, by checksum, whatever its case."""
    return crc32(text.casefold().encode()) % 8 == 0


def on_side(make: Callable[[], str], side: Side) -> str:
    """Draw from `make` until the string belongs to `side`."""
    while True:
        text = make()
        if is_held_out(text) == (side == "held_out"):
            return text


def lists(train: str, held_out: str, separator: str | None = None, *, wide: str = "") -> dict[Side, tuple[str, ...]]:
    """The words of each side, between separators (white space if None); the wide side has those of training too."""

    def split(text: str) -> tuple[str, ...]:
        return tuple(" ".join(word.split()) for word in text.split(separator) if word.strip())

    return {"train": split(train), "held_out": split(held_out), "wide": split(train) + split(wide)}


def pick(random: Random, words: dict[Side, Sequence[str]], side: Side) -> str:
    """A word of a list."""
    return random.choice(words[side])
