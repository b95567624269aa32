"""Times of day with an offset (RFC 3339); a leap second is 23:59:60 in UTC."""

from __future__ import annotations

from functools import partial

from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.expression import Expression, alternate, concatenate, deferred, literal
from guidance_kit.grammars.regular.parse import parse

__all__ = ["CLOCK", "USUAL_TIME", "time_of_day"]

_HOUR_MINUTE = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
CLOCK = f"{_HOUR_MINUTE}:[0-5][0-9]"
_FRACTION = r"(?:\.[0-9]+)?"
USUAL_TIME = f"{CLOCK}{_FRACTION}(?:[Zz]|[+-]{_HOUR_MINUTE})"
"""Times without leap seconds."""

_DAY = 24 * 60
_SETS = (*map(CharSet.single, b"0123456789:+-.zZ"), CharSet.of([(0x30, 0x39)]), CharSet.characters("zZ"))


def time_of_day() -> Expression:
    """All times, leap seconds included.

    Leap seconds have other offsets in each minute of the day. So most of them is written when a text gets there.
    """
    hours = (
        concatenate([literal(f"{hour:02}:"), deferred(partial(_minutes, hour), 6 if hour == 23 else 11, 10, _SETS)])
        for hour in range(24)
    )
    return alternate([parse(USUAL_TIME), *hours])


def _minutes(hour: int) -> Expression:
    """Leap seconds of an hour, after the colon."""
    firsts = range(60 * hour, 60 * hour + 60, 10)
    tens = (deferred(partial(_ten_minutes, first), 5 if first == _DAY - 10 else 10, 9, _SETS) for first in firsts)
    return alternate(concatenate([literal(str(digit)), rest]) for digit, rest in enumerate(tens))


def _ten_minutes(first: int) -> Expression:
    """Leap seconds after the first digit of the minutes, for the ten minutes from minute `first` of the day on."""
    ways = ((digit, first + digit) for digit in range(10))
    return alternate(
        concatenate(
            [literal(f"{digit}:6"), deferred(partial(_second, minute), 2 if minute == _DAY - 1 else 7, 7, _SETS)]
        )
        for digit, minute in ways
    )


def _second(minute: int) -> Expression:
    """The leap second of a minute of the day, after its first digit, with the offsets at which it is 23:59 in UTC."""
    behind = _DAY - 1 - minute
    ahead = (_DAY - behind) % _DAY
    offsets = [literal(f"+{ahead // 60:02}:{ahead % 60:02}"), literal(f"-{behind // 60:02}:{behind % 60:02}")]
    zones = offsets if behind else [parse("[Zz]"), *offsets]
    return concatenate([literal("0"), parse(_FRACTION), alternate(zones)])
