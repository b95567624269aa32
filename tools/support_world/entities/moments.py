"""Dates and times of day."""

from __future__ import annotations

import calendar
import datetime
from random import Random

from tools.support_world.entities.mention import Mention, Side

__all__ = ["date", "time", "write_date"]


def _ordinal(day: int) -> str:
    """1st, 2nd, 3rd, ..."""
    end = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{end}"


def write_date(random: Random, day: datetime.date) -> str:
    """One of the spellings of a date, each of which determines it (no 03/04/2025)."""
    month, short = calendar.month_name[day.month], calendar.month_abbr[day.month]
    forms = (
        (0.34, day.isoformat()),
        (0.20, f"{day.day} {month} {day.year}"),
        (0.12, f"{month} {day.day}, {day.year}"),
        (0.10, f"{day.day} {short} {day.year}"),
        (0.10, f"{day.day:02d}.{day.month:02d}.{day.year}"),
        (0.07, f"{_ordinal(day.day)} of {month} {day.year}"),
        (0.07, f"{short} {_ordinal(day.day)}, {day.year}"),
    )
    return random.choices([form for _, form in forms], [weight for weight, _ in forms])[0]


def _day(random: Random) -> datetime.date:
    """A day of four years."""
    return datetime.date(2023, 1, 1) + datetime.timedelta(days=random.randrange(4 * 365))


def date(random: Random, side: Side) -> Mention:
    """A date."""
    day = _day(random)
    return Mention(surface=write_date(random, day), value=day.isoformat())


def time(random: Random, side: Side) -> Mention:
    """A time of day."""
    hour, minute = random.randint(7, 20), random.choice((0, 0, 15, 30, 45, random.randint(0, 59)))
    form = random.random()
    value = f"{hour:02d}:{minute:02d}"
    if form < 0.65:
        return Mention(surface=value, value=value)
    half, twelve = ("am" if hour < 12 else "pm"), (hour - 1) % 12 + 1
    if minute == 0 and form < 0.85:
        return Mention(surface=f"{twelve} {half}", value=value)
    return Mention(surface=f"{twelve}:{minute:02d} {half}", value=value)
