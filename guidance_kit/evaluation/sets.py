"""What models are evaluated on: sets of texts that come with the package, or files of one's own."""

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
"""What base models of the bundled family read before a reply, which ends with a line break."""

FILING = "Customer: {}\nTopic:"
"""What they read before the topic of a message."""


def transcript(message: object) -> str:
    """A message as `TRANSCRIPT` has it."""
    return TRANSCRIPT.format(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A text, a JSON Schema and the record that is right.

    Args:
        source: what sort of text it is.
    """

    text: str
    schema: dict[str, Any]
    record: dict[str, Any]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a customer writes.

    Args:
        intent: a key of `World.topics`.
        details: what a good reply repeats.
    """

    text: str
    intent: str
    tone: Tone
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A message as in training, and a reply in some tone."""

    text: str
    intent: str
    reply: str
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A text and its label."""

    text: str
    label: str


@dataclass(frozen=True, kw_only=True)
class World:
    """What is known of all replies.

    Args:
        topics: from each intent to its name in words.
        actions: from each intent to what agents do about it, as a regular expression.
        rude, polite: what agents write in these tones, as a regular expression.
        words: strings that only rude replies have, for a list of forbidden words.
    """

    topics: Mapping[str, str]
    actions: Mapping[str, str]
    rude: str
    polite: str
    words: tuple[str, ...]

    @classmethod
    def bundled(cls) -> World:
        """That of the bundled sets."""
        read = json.loads((_FOLDER / "world.json").read_text(encoding="utf-8"))
        return cls(**{**read, "words": tuple(read["words"])})

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {intent: re.compile(action) for intent, action in self.actions.items()}

    def is_rude(self, reply: str) -> bool:
        """Whether one of the sentences of a reply is rude."""
        return re.search(self.rude, reply) is not None

    def is_polite(self, reply: str) -> bool:
        """Whether one of the sentences of a reply is polite, and none rude."""
        return not self.is_rude(reply) and re.search(self.polite, reply) is not None

    def answered(self, reply: str) -> set[str]:
        """The intents that a reply does something about."""
        return {intent for intent, pattern in self._patterns.items() if pattern.search(reply)}


def _lines(name: str) -> list[dict[str, Any]]:
    read = (_FOLDER / name).read_bytes()
    text = (gzip.decompress(read) if name.endswith(".gz") else read).decode("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def tickets() -> list[Wanted]:
    """Texts and their records; names, numbers, places and dates are none that a bundled model was trained on."""
    return [Wanted(**line) for line in _lines("tickets.jsonl")]


def messages() -> list[Message]:
    """Messages whose names, numbers and sentences are none that a bundled model was trained on."""
    return [Message(**{**line, "details": tuple(line["details"])}) for line in _lines("messages.jsonl")]


def answered() -> list[Answered]:
    """Messages and replies such as the bundled family was trained on, of a stream that it was not trained on."""
    return [Answered(**line) for line in _lines("answered.jsonl.gz")]


def filed() -> list[Labelled]:
    """Messages and their topics such as "large-intents" was trained on, of a stream that it was not trained on."""
    return [Labelled(**line) for line in _lines("filed.jsonl.gz")]


def sentences() -> list[Labelled]:
    """Messages and their topics, one around each sentence of a writer who saw none of those of training."""
    return [Labelled(**line) for line in _lines("sentences.jsonl")]


def outsiders() -> list[str]:
    """Texts that no schema of `tickets` fits."""
    return [line["text"] for line in _lines("outsiders.jsonl")]


def labelled(path: Path) -> list[Labelled]:
    """Texts and labels of one's own: JSON lines with "text" and "label".

    Raises:
        DocumentError: the file cannot be read, or a line is something else, with its number; there is no line.
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
    """The labels that occur, in alphabetical order."""
    return sorted({one.label for one in some})
