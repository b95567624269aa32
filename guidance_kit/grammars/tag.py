"""`tag`: a region of a text between a begin and an end, and the trigger that opens it in free text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from guidance_kit.errors import OptionError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.argument_checks import as_items, as_text
from guidance_kit.grammars.choice import Part, as_constraint, choice
from guidance_kit.grammars.composition import sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regular.occurrences import declare_ending
from guidance_kit.grammars.text import unchecked_text

__all__ = ["Tag", "Trigger", "held_back", "silent", "spelled", "tag"]


@dataclass(frozen=True, slots=True)
class Tag:
    """A region of a text with its begin and end; made by `tag`.

    Attributes:
        begin: parts of the begin; the first is a text or a special token.
        content: constraint of the content; None: any text up to the end.
        end: parts of the end.
        name: name in `Tagged`.
    """

    begin: tuple[Part, ...]
    content: Constraint | None
    end: tuple[Part, ...]
    name: str

    @property
    def opener(self) -> str:
        """Its first text, or the name of its first special token."""
        first = self.begin[0]
        return first if isinstance(first, str) else str(first.source)

    @property
    def depth(self) -> int:
        """Number of constraints within each other."""
        return max(getattr(part, "depth", 0) for part in (*self.begin, self.content, *self.end))

    def left(self, trigger: str) -> str:
        """Remainder of its first text behind the trigger."""
        first = self.begin[0]
        return first[len(trigger) :] if isinstance(first, str) else ""

    def rest(self) -> tuple[Constraint, Constraint, Constraint]:
        """Parts behind the first text: the rest of the begin, the content, and the end."""
        begin = sequence(*self.begin[1:])
        if self.content is not None:
            return begin, self.content, sequence(*self.end)
        stop = self.end[0]
        if isinstance(stop, str):
            return begin, unchecked_text(until=(stop,)), sequence(*self.end[1:])
        if stop.kind == "choice":
            stops = tuple(filter(None, stop.source))
            ended = unchecked_text(until=stops)
            if "" in stop.source:
                ended = choice([ended, unchecked_text(without=stops)])
            return begin, ended, sequence(*self.end[1:])
        name = str(stop.source)
        return begin, Trigger(name, stop).behind_text((name,)), sequence(*self.end[1:])

    def value(self, content: Any) -> Any:
        """Value of the content: without the end that free text was read with."""
        stop = self.end[0] if self.content is None else ""
        if isinstance(stop, str):
            return content.removesuffix(stop) if stop else content
        return min((content.removesuffix(one) for one in stop.source), key=len) if stop.kind == "choice" else content

    def value_so_far(self, content: Any) -> Any:
        """Value of a prefix of the content: without characters that may belong to the end."""
        stop = self.end[0] if self.content is None else ""
        if isinstance(stop, str):
            return held_back(content, [stop]) if stop else content
        return held_back(content, stop.source) if stop.kind == "choice" else content


def tag(
    begin: Part | Sequence[Part],
    content: Constraint | None,
    end: Part | Sequence[Part],
    *,
    name: str = "",
) -> Tag:
    """A region of a text with its begin and end, for `tags`.

    Args:
        begin: a text, or several parts, of which the first is a text or a special token; "" only among tags with a
            separator.
        content: constraint of the content; None: any text up to the end.
        end: a text, or several parts. Without `content` the first of them is a text, a choice of texts or a special
            token; in a choice, "" lets the region end anywhere.
        name: name of the value that `parse` returns; by default the first text of the begin.
    Raises:
        OptionError: other arguments.

    >>> tag("<think>", None, "</think>").name
    '<think>'
    """
    as_text(name, "the name of a tag")
    opens, closes = _parts(begin, "the beginning of a tag"), _parts(end, "the end of a tag")
    first = opens[0] if opens else None
    if first is None or not (isinstance(first, str) or first.kind == "special_token"):
        raise OptionError("a tag begins with a text, or with a special token")
    if content is not None and not isinstance(content, Constraint):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"the content of a tag is a constraint or None, not {type(content).__name__}")
    last = closes[0] if closes else ""
    if content is None and not (last and _is_stop(last)):
        raise OptionError(
            "a tag without content ends with a text that is not empty, a choice of texts or a special token"
        )
    made = Tag(opens, content, closes, name)
    return made if name else Tag(opens, content, closes, made.opener)


@dataclass(frozen=True, slots=True)
class Trigger:
    """Text or special token that opens one or more tags.

    Attributes:
        text: the text, or the name of the special token.
        token: the special token, if it is one.
    """

    text: str
    token: Constraint | None = None

    def opens(self, member: Tag) -> bool:
        """Test whether a tag begins with it."""
        first = member.begin[0]
        return first == self.token if isinstance(first, Constraint) else not self.token and first.startswith(self.text)

    def interrupting(self, stops: Iterable[str]) -> str | None:
        """The first of several strings that occurs in the text before its last character."""
        return next((stop for stop in stops if stop in self.text[:-1]), None)

    def alone(self) -> Constraint:
        """Constraint of the trigger alone."""
        return silent(self.text if self.token is None else self.token)

    def behind_text(self, stops: tuple[str, ...]) -> Constraint:
        """Free text that ends with the trigger and contains none of several strings before."""
        plain = None if self.token is None else unchecked_text(without=stops).language
        return Constraint(kind="opening", source=(self.text, self.token, stops), language=_Opening(self, stops, plain))


@dataclass(frozen=True, slots=True)
class _Opening(Language):
    """Free text that ends with a trigger, whose value is the text without the trigger.

    Attributes:
        trigger: the trigger.
        stops: strings that the text does not contain before.
        plain: the free text before a special token; None before a text.
    """

    trigger: Trigger
    stops: tuple[str, ...]
    plain: Language | None
    has_values = True

    def declare(self, network: Network) -> int:
        opener, token, stops = self.trigger.text, self.trigger.token, self.stops
        if token is None or self.plain is None:
            return declare_ending(network, [opener], stops, name="text")
        plain, last = self.plain.declare(network), token.language.declare(network)
        is_interrupted = self.trigger.interrupting(stops) is not None

        def build() -> int:
            start, middle, end = network.states(3)
            if opener in network.as_text and not is_interrupted:
                network.call(start, declare_ending(network, [opener], stops, name="text"), end)
            else:
                network.call(start, plain, middle)
                network.call(middle, last, end)
            network.final(end)
            return start

        return network.rule(build, nullable=False, name="text")

    def to_value(self, text: str) -> str:
        return text.removesuffix(self.trigger.text)

    def to_partial_value(self, text: str, is_whole: bool) -> str:
        return self.to_value(text) if is_whole else held_back(text, [self.trigger.text])


def silent(part: Part) -> Constraint:
    """A part whose value is None."""
    constraint = as_constraint(part, "a part")
    return replace(constraint, language=_Silent(constraint.language))


@dataclass(frozen=True, slots=True)
class _Silent(Language):
    """Texts of another language, without their values."""

    texts: Language
    has_values = True

    def declare(self, network: Network) -> int:
        return self.texts.declare(network)

    def to_value(self, text: str) -> None:
        return None

    def to_partial_value(self, text: str, is_whole: bool) -> None:
        return None


def _parts(given: Part | Sequence[Part], where: str) -> tuple[Part, ...]:
    parts = (given,) if isinstance(given, str | Constraint) else as_items(given, where, "parts")
    for part in parts:
        as_constraint(part, where)
    return parts


def _is_stop(part: Part) -> bool:
    """Test whether a part can end free text."""
    if isinstance(part, str):
        return True
    is_choice = part.kind == "choice" and all(isinstance(one, str) for one in part.source) and any(part.source)
    return is_choice or part.kind == "special_token"


def spelled(parts: Iterable[Part]) -> str:
    """Text of parts of which each is a text or a special token, which is spelled as its name."""
    return "".join(part if isinstance(part, str) else str(part.source) for part in parts)


def held_back(read: str, ends: Iterable[str]) -> str:
    """A text without the longest suffix that is a proper prefix of one of several strings."""
    held = max(k for end in ends for k in range(len(end)) if read.endswith(end[:k]))
    return read[: len(read) - held]
