"""`text`: free text without certain strings, or up to the first of several strings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Unpack

from guidance_kit.errors import OptionError, UnsatisfiableError
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.argument_checks import as_items, as_number
from guidance_kit.grammars.choice import as_constraint, declare_choice
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.region import RegionSampling, region
from guidance_kit.grammars.regular import (
    ANYTHING,
    Expression,
    alternate,
    complement,
    concatenate,
    declare,
    intersect,
    length,
    literal,
)
from guidance_kit.grammars.regular.occurrences import declare_ending, declare_without

__all__ = ["strings", "text", "unchecked_text"]


def text(
    *,
    without: str | Iterable[str] = (),
    until: str | Iterable[str] = (),
    min_length: int = 0,
    max_length: int | None = None,
    max_tokens: int | None = None,
    **sampling: Unpack[RegionSampling],
) -> Constraint:
    """Any text, or any text without certain strings, or any text up to the first of several strings.

    Args:
        without: strings that the text does not contain.
        until: strings, one of which ends the text and belongs to it; the text contains none of them before.
        min_length, max_length: characters of the text, without the string that ends it; None: any number.
        max_tokens, sampling: budget and sampling settings of the text as a region of a sequence, see `region`.
    Raises:
        OptionError: a string is empty or no str; the bounds contradict each other; an unknown setting.
        UnsatisfiableError: there is no such text.

    >>> text(until="</think>").kind
    'text'
    """
    without, until = strings(without, "without"), strings(until, "until")
    min_length = as_number(min_length, "min_length")
    if max_length is not None:
        max_length = as_number(max_length, "max_length")
    if min_length < 0 or (max_length is not None and max_length < min_length):
        raise OptionError(f"a text of between {min_length} and {max_length} characters")
    found = unchecked_text(without=without, until=until, min_length=min_length, max_length=max_length).checked()
    return found if max_tokens is None and not sampling else region(found, max_tokens=max_tokens, **sampling)


def unchecked_text(
    *, without: tuple[str, ...] = (), until: tuple[str, ...] = (), min_length: int = 0, max_length: int | None = None
) -> Constraint:
    """Part of a constraint that is checked as a whole; the arguments are those of `text`, distinct and not empty."""
    options = {"without": without, "until": until, "min_length": min_length, "max_length": max_length}
    return Constraint(
        kind="text",
        source="",
        options=tuple((name, value) for name, value in options.items() if value not in ((), 0, None)),
        language=_BoundedText(without, until, min_length, UNBOUNDED if max_length is None else max_length),
        origin=(text, (), options),
    )


@dataclass(frozen=True, slots=True)
class _BoundedText(Language):
    """Texts without some strings, of bounded length, that end with the first of some strings."""

    without: tuple[str, ...]
    until: tuple[str, ...]
    min_length: int
    max_length: int

    def declare(self, network: Network) -> int:
        without, until = self.without, self.until
        is_bounded = (self.min_length, self.max_length) != (0, UNBOUNDED)
        if until and not without and not is_bounded:
            return declare_ending(network, until, until, name="text")
        if without and not until and not is_bounded:
            return declare_without(network, without, name="text")
        if not until:
            lengths = length(self.min_length, self.max_length)
            return declare(network, intersect(_without(without), lengths), name="text")
        rules: list[int] = []
        for stop in until:
            most = UNBOUNDED if self.max_length == UNBOUNDED else self.max_length + len(stop)
            lengths = length(self.min_length + len(stop), most)
            try:
                expression = intersect(_ending(stop, until), _without(without), lengths)
                rules.append(declare(network, expression, name="text"))
            except UnsatisfiableError:
                continue  # another one is found before
        if not rules:
            raise UnsatisfiableError(f"no text ends with the first of {', '.join(map(repr, until))}")
        return declare_choice(network, rules)


def strings(given: str | Iterable[str], option: str) -> tuple[str, ...]:
    """Strings of an option, each once.

    Raises:
        OptionError: one is no string, or empty.
    """
    found = (given,) if isinstance(given, str) else as_items(given, option, "strings")
    for one in found:
        if not isinstance(one, str) or not one:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"{option} takes strings that are not empty; {one!r} is none")
        as_constraint(one, f"a string of {option}")
    return tuple(dict.fromkeys(found))


def _any_of(texts: Iterable[str]) -> Expression:
    return alternate(map(literal, texts))


def _without(texts: tuple[str, ...]) -> Expression:
    return complement(concatenate([ANYTHING, _any_of(texts), ANYTHING]))


def _ending(stop: str, stops: Iterable[str]) -> Expression:
    """Texts that end with a string and contain none of several strings before it is complete."""
    later = concatenate([ANYTHING, _any_of(stops), length(1, 1), ANYTHING])
    return intersect(concatenate([ANYTHING, literal(stop)]), complement(later))
