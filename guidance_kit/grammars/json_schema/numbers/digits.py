"""Limits of the number of digits in a JSON number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from guidance_kit.errors import OptionError
from guidance_kit.grammars.json_schema.normal_forms.records import Number, Numbers
from guidance_kit.grammars.json_schema.numbers.decimals import decimal_digits

__all__ = ["MAX_RECORD_DIGITS", "Digits"]

MOST_DIGITS = 40
"""Greatest number of digits of each part. The states of a number are digits times the states of other conditions."""

MAX_RECORD_DIGITS = 40
"""Of numbers in extracted records, before the point, and after it; integers of 128 bits have 39. Without a limit, a
model that repeats a digit continues to the end of the context."""


@dataclass(frozen=True, slots=True)
class Digits:
    """Plain decimals without an exponent, of bounded numbers of digits.

    Args:
        whole: digits before the point, 1 to 40; None for any number.
        fraction: digits after it, 0 to 40; None for any number. With 0 there is no point.
    """

    whole: int | None = None
    fraction: int | None = None

    def __post_init__(self) -> None:
        for name, count, least in (("whole", self.whole, 1), ("fraction", self.fraction, 0)):
            is_number = isinstance(count, int) and not isinstance(count, bool)
            if count is not None and not (is_number and least <= count <= MOST_DIGITS):
                raise OptionError(f"{name} of Digits is a number from {least} to {MOST_DIGITS}, not {count!r}")

    @property
    def numbers(self) -> Numbers:
        """Numbers with such a spelling."""
        bound = None if self.whole is None else 10**self.whole
        lower = None if bound is None else -bound
        return Numbers(lower, bound, lower is not None, bound is not None, multiple=self._step)

    def asked(self, numbers: Numbers) -> Numbers:
        """Conditions that remain for numbers with no more digits than these: `multipleOf` of the last place is
        implied."""
        return replace(numbers, multiple=None) if numbers.multiple == self._step else numbers

    def texts(self, value: Number, *, is_integer: bool) -> list[str]:
        """Spellings of a number of an enumeration; see `number_texts`."""
        whole, fraction = decimal_digits(abs(value))
        text = f"-{whole}" if value < 0 else whole
        if fraction:
            return [f"{text}.{fraction}"]
        return [text] if is_integer or self.fraction == 0 else [text, f"{text}.0"]

    @property
    def _step(self) -> Number | None:
        return None if self.fraction is None else Fraction(1, 10**self.fraction) if self.fraction else 1
