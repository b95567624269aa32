"""The digits of exact numbers."""

from __future__ import annotations

from fractions import Fraction

from guidance_kit.grammars.json_schema.normal_forms.records import Number

__all__ = ["GREATEST", "LEAST", "decimal_digits", "decimal_places", "number_texts", "scientific"]

LEAST, GREATEST = Fraction(25, 10**325), 17976931348623158 * 10**292
"""Bounds of what is written with an exponent and a digit that is not 0, so that a reader with IEEE doubles gets neither
0 nor infinity: between them lies every finite double, with any number of correct digits. (Rounding leads to 0 up to
2**-1075, 2.4703...e-324, and to infinity from 2**1024 - 2**970 on, 1.79769313486231580793...e308.)"""


def number_texts(value: Number, *, is_integer: bool = False) -> list[str]:
    """Spellings of a number of an enumeration: as a plain or scientific decimal, and Python's `repr` of an equal float.

    Args:
        is_integer: whether an integral number may only be written as an integer.
    """
    whole, fraction = decimal_digits(abs(value))
    sign = "-" if value < 0 else ""
    texts = [f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"]
    if len(texts[0]) > 40 and LEAST <= abs(value) <= GREATEST:
        digits, exponent = scientific(abs(value))
        short = f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{exponent}"
        texts = [short] if len(texts[0]) > 400 and not is_integer else [*texts, short]
    if is_integer:
        return texts[:1]
    if not fraction and len(whole) <= 40:
        texts.append(f"{sign}{whole}.0")
    try:
        shown = repr(float(value))
    except OverflowError:
        return texts
    if Fraction(shown) == value and shown not in texts:
        texts.append(shown)
    return texts


def decimal_digits(value: Number) -> tuple[str, str]:
    """The digits of a non-negative decimal before and after the point, without superfluous zeros."""
    places = decimal_places(value)
    scaled = str(int(value * 10**places)).rjust(places + 1, "0")
    return (scaled[:-places], scaled[-places:]) if places else (scaled, "")


def decimal_places(value: Number) -> int:
    """The least k so that value * 10**k is an integer; `value` has a finite decimal expansion."""
    fives = twos = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives)


def scientific(value: Number) -> tuple[str, int]:
    """Significant digits and exponent of a positive decimal: 0.0123 is ("123", -2)."""
    whole, fraction = decimal_digits(value)
    if whole != "0":
        return (whole + fraction).rstrip("0"), len(whole) - 1
    digits = fraction.lstrip("0")
    return digits, len(digits) - len(fraction) - 1
