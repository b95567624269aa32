"""Wordings: templates in a small notation, and the facts that a text built from them mentions.

Notation: `[a|b|]` is one of the alternatives (the last is empty; brackets nest), `{slot}` is an entity. A block of
templates is a plain text with one template a line; a line that begins with `!` is held out from training.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from typing import Any

from tools.support_world.entities import make_entity
from tools.support_world.entities.mention import Mention, Side

__all__ = ["Draft", "Piece", "Wordings", "expand", "expansions", "parsed", "pattern", "wordings"]

_TOKENS = re.compile(r"[\[\]|]|[^\[\]|]+")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Wordings:
    """Templates for one purpose: those of training, those held out, and those that only its later stages have."""

    train: tuple[str, ...]
    held_out: tuple[str, ...] = ()
    wide: tuple[str, ...] = ()

    def choose(self, random: Random, side: Side) -> str:
        """One template of a side; that of training where the side has none, and for three in ten of the wide side."""
        if side == "wide" and self.wide and random.random() < 0.7:
            return random.choice(self.wide)
        return random.choice(self.held_out if side == "held_out" and self.held_out else self.train)

    def kept_apart(self, more: tuple[str, ...]) -> tuple[str, ...]:
        """Those of `more` that cannot say what is held out here, whatever their entities and capitals."""
        held_out = {text: text.casefold() for template in self.held_out for text in expansions(template)}

        def is_said(template: str) -> bool:
            part = _certain(template)
            return any(part in folded and _unfilled(template).fullmatch(text) for text, folded in held_out.items())

        return tuple(template for template in more if not is_said(template))

    def widened(self, more: tuple[str, ...]) -> Wordings:
        """These, and on the wide side those of `more` that cannot say what is held out here."""
        return replace(self, wide=self.wide + self.kept_apart(more))

    def lengthened(self, more: tuple[str, ...]) -> Wordings:
        """These, and in training those of `more` that cannot say what is held out here."""
        return replace(self, train=self.train + self.kept_apart(more))

    def __add__(self, other: Wordings) -> Wordings:
        """The templates of both."""
        return Wordings(self.train + other.train, self.held_out + other.held_out, self.wide + other.wide)


def wordings(block: str) -> Wordings:
    """Read a block of templates, one a line; `!` marks what is held out, `\\n` in a line is a line break."""
    lines = [line.strip().replace("\\n", "\n") for line in block.strip().splitlines() if line.strip()]
    return Wordings(
        train=tuple(line for line in lines if line[0] != "!"),
        held_out=tuple(line[1:].lstrip(" ") for line in lines if line[0] == "!"),
    )


@cache
def parsed(template: str) -> tuple[Any, ...]:
    """A template as a sequence of literals (str) and alternatives (list of sequences)."""
    tokens = _TOKENS.findall(template)
    position = 0

    def sequence() -> tuple[Any, ...]:
        nonlocal position
        parts: list[Any] = []
        while position < len(tokens) and tokens[position] not in "]|":
            token = tokens[position]
            position += 1
            if token != "[":
                parts.append(token)
                continue
            options = [sequence()]
            while tokens[position] == "|":
                position += 1
                options.append(sequence())
            position += 1
            parts.append(options)
        return tuple(parts)

    whole = sequence()
    if position != len(tokens):
        raise ValueError(f"unbalanced brackets in the template {template!r}")
    return whole


def expand(template: str, random: Random) -> str:
    """Choose one alternative in every bracket; slots stay as they are."""

    def walk(parts: tuple[Any, ...]) -> Iterator[str]:
        for part in parts:
            if isinstance(part, str):
                yield part
            else:
                yield from walk(random.choice(part))

    return "".join(walk(parsed(template)))


def expansions(template: str) -> Iterator[str]:
    """All texts of a template; slots stay as they are."""

    def written(parts: tuple[Any, ...]) -> Iterator[str]:
        options = ([part] if isinstance(part, str) else itertools.chain(*map(written, part)) for part in parts)
        return map("".join, itertools.product(*options))

    return written(parsed(template))


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text: the words of a template, or (`slot`) the surface of an entity, which noise leaves alone."""

    text: str
    slot: str | None = None


@dataclass(slots=True)
class Draft:
    """A text being written, with the entities that it mentions. The one mutable object of the world.

    Args:
        random: source of all choices.
        entities: side from which entities are drawn.
        templates: side from which templates are chosen.
        is_plain: whether the text is to hold little that is beside the point.
        is_short: whether it is to hold nothing that is beside the point, and lists of one.
        mentions: slot to entity; entities may be drawn before they are mentioned.
        said: the slots that the text does mention.
        labels: what the text means beyond what it says, e.g. the intent.
    """

    random: Random
    entities: Side
    templates: Side
    is_plain: bool = False
    is_short: bool = False
    mentions: dict[str, Mention] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    labels: dict[str, Any] = field(default_factory=dict)

    def mention(self, slot: str, make: Callable[[], Mention] | None = None) -> Mention:
        """The entity of a slot; the first call draws it, and it differs from all others in this text."""
        if slot not in self.mentions:
            kind = re.sub(r"_\d$", "", slot)
            taken = {m.surface for m in self.mentions.values()} | {str(m.value) for m in self.mentions.values()}
            while True:
                drawn = make() if make else make_entity(kind, self.random, self.entities)
                if drawn.surface not in taken and str(drawn.value) not in taken:
                    break
            self.mentions[slot] = drawn
        return self.mentions[slot]

    def write(self, template: str) -> list[Piece]:
        """Expand a template and fill its slots."""
        parts = _SLOT.split(expand(template, self.random))
        self.said.update(parts[1::2])
        return [
            Piece(self.mention(part).surface, part) if index % 2 else Piece(part)
            for index, part in enumerate(parts)
            if part
        ]

    def choose(self, of: Wordings) -> list[Piece]:
        """Write one of the wordings of this draft's side."""
        return self.write(of.choose(self.random, self.templates))

    @property
    def distractors(self) -> tuple[float, float, float]:
        """Odds of 0, 1 and 2 sentences with details that answer nothing."""
        if self.is_short:
            return (1.0, 0.0, 0.0)
        return (0.8, 0.2, 0.0) if self.is_plain else (0.5, 0.35, 0.15)

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.random.random() < probability

    @property
    def is_wide(self) -> bool:
        """Whether the text is one of the later stages of training."""
        return self.entities == "wide"

    def length(self, odds: tuple[float, ...], *, wide: tuple[float, ...]) -> int:
        """The length of a list, at least 1, by the odds of 1, 2, ...; those of the wide side may be others."""
        if self.is_short:
            return 1
        odds = wide if self.is_wide else odds
        return self.random.choices(range(1, len(odds) + 1), odds)[0]

    def lower(self) -> None:
        """Turn every entity into lower case, the verbatim values with it."""
        self.mentions = {slot: _lowered(mention) for slot, mention in self.mentions.items()}


def _lowered(mention: Mention) -> Mention:
    value = _lowered_value(mention.value) if mention.verbatim else mention.value
    return replace(mention, surface=mention.surface.lower(), value=value)


def _lowered_value(value: Any) -> Any:
    if isinstance(value, str):
        return value.lower()
    if isinstance(value, list):
        return [_lowered_value(item) for item in value]
    if isinstance(value, dict):
        return {key: _lowered_value(item) for key, item in value.items()}
    return value


def pattern(template: str, slots: str = ".+?") -> str:
    """A regular expression that matches what a template can become; `slots` stands for each of its entities."""

    def written(parts: tuple[Any, ...]) -> Iterator[str]:
        for part in parts:
            if isinstance(part, str):
                yield slots.join(re.escape(literal) for literal in _SLOT.split(part)[::2])
            else:
                yield f"(?:{'|'.join(''.join(written(option)) for option in part)})"

    return "".join(written(parsed(template)))


def _certain(template: str) -> str:
    """The longest literal that all texts of a template have, case-folded: a fast test before the slow `_unfilled`."""
    parts = [part for part in parsed(template) if isinstance(part, str)]
    return max((literal.casefold() for part in parts for literal in _SLOT.split(part)[::2]), key=len, default="")


@cache
def _unfilled(template: str) -> re.Pattern[str]:
    """What matches all texts of a template whose slots are not filled, whatever these are called, and in any case."""
    return re.compile(pattern(template, r"\{\w+\}"), re.IGNORECASE)
