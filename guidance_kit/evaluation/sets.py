"""Data sets for evaluation: bundled ones, and files of the user."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from guidance_kit.errors import DocumentError

__all__ = [
    "FILING", "TRANSCRIPT", "Answered", "Labelled", "Message", "Tone", "Wanted", "World", "answered", "filed",
    "labelled", "messages", "outsiders", "sentences", "tickets", "transcript",
]  # fmt: skip

_FOLDER = Path(__file__).resolve().parent.parent / "bundled" / "evaluation"

Tone = Literal["polite", "neutral", "rude"]

TRANSCRIPT = "Customer: {}\nAgent: "
"""Prompt of the bundled base models for a reply, which ends with a line break."""

FILING = "Customer: {}\nTopic:"
"""Prompt of the bundled base models for the topic of a message."""


def transcript(message: object) -> str:
    """Prompt for a reply to a message, from `TRANSCRIPT`."""
    return TRANSCRIPT.format(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Text with a JSON Schema and its reference record.

    Args:
        source: kind of text.
    """

    text: str
    schema: dict[str, Any]
    record: dict[str, Any]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Message of a customer.

    Args:
        intent: a key of `World.topics`.
        details: strings that a good reply repeats.
    """

    text: str
    intent: str
    tone: Tone
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Message as in training, with a reply in some tone."""

    text: str
    intent: str
    reply: str
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Text with its label."""

    text: str
    label: str


@dataclass(frozen=True, kw_only=True)
class World:
    """Patterns of the replies of a data set.

    Args:
        topics: from each intent to its name in words.
        actions: from each intent to a regular expression for the actions of agents on it.
        rude, polite: regular expressions for the sentences of agents in these tones.
        words: strings that occur in rude replies only, for a list of forbidden words.
    """

    topics: Mapping[str, str]
    actions: Mapping[str, str]
    rude: str
    polite: str
    words: tuple[str, ...]

    @classmethod
    def bundled(cls) -> World:
        """Patterns of the bundled data sets."""
        read = json.loads((_FOLDER / "world.json").read_text(encoding="utf-8"))
        return cls(**{**read, "words": tuple(read["words"])})

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {intent: re.compile(action) for intent, action in self.actions.items()}

    def is_rude(self, reply: str) -> bool:
        """Test for a rude sentence in a reply."""
        return re.search(self.rude, reply) is not None

    def is_polite(self, reply: str) -> bool:
        """Test for a polite sentence, and no rude one, in a reply."""
        return not self.is_rude(reply) and re.search(self.polite, reply) is not None

    def answered(self, reply: str) -> set[str]:
        """Intents that a reply acts on."""
        return {intent for intent, pattern in self._patterns.items() if pattern.search(reply)}


def _lines(name: str) -> list[dict[str, Any]]:
    read = (_FOLDER / name).read_bytes()
    text = (gzip.decompress(read) if name.endswith(".gz") else read).decode("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def tickets() -> list[Wanted]:
    """Texts with reference records; no bundled model was trained on their names, numbers, places and dates."""
    return [Wanted(**line) for line in _lines("tickets.jsonl")]


def messages() -> list[Message]:
    """Messages; no bundled model was trained on their names, numbers and sentences."""
    return [Message(**{**line, "details": tuple(line["details"])}) for line in _lines("messages.jsonl")]


def answered() -> list[Answered]:
    """Messages with replies from the training distribution of the bundled family, held out from training."""
    return [Answered(**line) for line in _lines("answered.jsonl.gz")]


def filed() -> list[Labelled]:
    """Messages with topics from the training distribution of "large-intents", held out from training."""
    return [Labelled(**line) for line in _lines("filed.jsonl.gz")]


def sentences() -> list[Labelled]:
    """Messages with topics, one around each sentence of a writer who saw none of the training sentences."""
    return [Labelled(**line) for line in _lines("sentences.jsonl")]


def outsiders() -> list[str]:
    """Texts outside the domain of all schemas of `tickets`."""
    return [line["text"] for line in _lines("outsiders.jsonl")]


def labelled(path: Path) -> list[Labelled]:
    """Texts with labels from a file: JSON lines with "text" and "label".

    Raises:
        DocumentError: the file cannot be read or is empty; an invalid line, with its number.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(f"cannot read {path}: {error}") from None
    found: list[Labelled] = []
    for number, line in enumerate(lines, 1):
        try:
            read = json.loads(line)
            found.append(Labelled(text=_string(read, "text"), label=_string(read, "label")))
        except (ValueError, TypeError, KeyError):
            raise DocumentError(
                f'{path}, line {number}: expected an object like {{"text": "...", "label": "..."}}, not {line[:80]!r}'
            ) from None
    if not found:
        raise DocumentError(f"{path} is empty")
    return found


def _string(read: Any, name: str) -> str:
    value = read[name]
    if not isinstance(value, str) or not value:
        raise ValueError(name)
    return value


def labels_of(some: Sequence[Labelled]) -> list[str]:
    """Distinct labels, in alphabetical order."""
    return sorted({one.label for one in some})
