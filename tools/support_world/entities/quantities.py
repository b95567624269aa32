"""Quantities: prices and counts."""

from __future__ import annotations

from random import Random

from tools.support_world.entities.mention import Mention, Side

__all__ = ["amount", "count", "guests", "minutes", "nights", "quantity"]

_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP"}
_CODES = ("EUR", "USD", "GBP", "CHF", "SEK", "PLN", "CAD", "AUD")
_CURRENCY_WORDS = {"euros": "EUR", "euro": "EUR", "dollars": "USD", "pounds": "GBP", "francs": "CHF", "zloty": "PLN"}
_NUMBER_WORDS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
]  # fmt: skip


def _numeral(random: Random) -> tuple[str, float]:
    """A price as digits, and its number: 1,299.00 is 1299.0; 49,90 is 49.9; 120 is 120."""
    whole = random.choice(
        (random.randint(2, 99), random.randint(2, 99), random.randint(100, 999), random.randint(1000, 4999))
    )
    form = random.random()
    if form < 0.3:
        return str(whole), whole
    cents = random.choice((0, 50, 90, 95, 99, random.randint(1, 99), random.randint(1, 99)))
    number = float(f"{whole}.{cents:02d}")
    if whole >= 1000 and form < 0.7:
        return f"{whole:,}.{cents:02d}", number
    if whole < 1000 and form > 0.9:
        return f"{whole},{cents:02d}", number
    return f"{whole}.{cents:02d}", number


def amount(random: Random, side: Side) -> Mention:
    """A price, with the currency that it implies."""
    numeral, number = _numeral(random)
    form = random.random()
    if form < 0.4:
        sign = random.choice(tuple(_SIGNS))
        return Mention(surface=f"{sign}{numeral}", value=number, implied={"currency": _SIGNS[sign]})
    if form < 0.5:
        return Mention(surface=f"{numeral} €", value=number, implied={"currency": "EUR"})
    if form < 0.8:
        code = random.choice(_CODES)
        surface = f"{numeral} {code}" if random.random() < 0.7 else f"{code} {numeral}"
        return Mention(surface=surface, value=number, implied={"currency": code})
    word = random.choice(tuple(_CURRENCY_WORDS))
    return Mention(surface=f"{numeral} {word}", value=number, implied={"currency": _CURRENCY_WORDS[word]})


def count(random: Random, low: int, high: int, words: float = 0.35) -> Mention:
    """A small number, as digits or (up to twelve, with probability `words`) as a word."""
    number = random.randint(low, high)
    surface = _NUMBER_WORDS[number] if number <= 12 and random.random() < words else str(number)
    return Mention(surface=surface, value=number)


def quantity(random: Random, side: Side) -> Mention:
    """How many pieces are ordered."""
    return count(random, 2, random.choice((5, 12, 40)))


def guests(random: Random, side: Side) -> Mention:
    """How many people come."""
    return count(random, 2, 9)


def nights(random: Random, side: Side) -> Mention:
    """How long they stay."""
    return count(random, 2, 12)


def minutes(random: Random, side: Side) -> Mention:
    """How long something takes."""
    return Mention(
        surface=str(number := random.choice((10, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 120))), value=number
    )
