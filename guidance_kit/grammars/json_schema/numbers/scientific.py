"""Decimals in an interval in scientific notation, d.ddde±x, and exponents in an interval."""

from __future__ import annotations

from guidance_kit.fsm.fragment import constant_rule, shared_rule
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.normal_forms.records import Number
from guidance_kit.grammars.json_schema.numbers.decimals import GREATEST, LEAST, scientific
from guidance_kit.grammars.json_schema.numbers.exploration import (
    MINUS,
    NINE,
    POINT,
    START,
    ZERO,
    Comparison,
    Way,
    digit_ways,
    joined,
    write_live,
)
from guidance_kit.grammars.json_schema.numbers.intervals import DecimalInterval

__all__ = ["GREATEST_EXPONENT", "Scientific", "write_end", "write_zero"]

_PLUS = 0x2B

_LEAST_EXPONENT = -323
GREATEST_EXPONENT = 308
"""Greatest exponent; after n digits before the point it is lower by n."""

_LEAST, _GREATEST = scientific(LEAST), scientific(GREATEST)
"""Digits and exponents of both, which take long to find."""


class Scientific:
    """Automaton of the positive decimals in an interval whose one digit before the point is not 0, with an exponent.

    Args:
        lower, upper: bounds, within those of a double; no upper one: None.
        lower_open, upper_open: whether the bounds themselves are left out.
        most_digits: see `write_number`.
    """

    def __init__(
        self,
        lower: Number,
        upper: Number | None,
        *,
        lower_open: bool = False,
        upper_open: bool = False,
        most_digits: int | None = None,
    ) -> None:
        is_low_free = lower < LEAST
        is_high_free = upper is None or upper > GREATEST
        self.is_empty = lower > GREATEST or (upper is not None and upper < LEAST)
        low = _LEAST if is_low_free else _GREATEST if lower > GREATEST else scientific(lower)
        high = _GREATEST if upper is None or upper > GREATEST else _LEAST if upper < LEAST else scientific(upper)
        (self._low_digits, self._low_exponent), (self._high_digits, self._high_exponent) = low, high
        self._lower_open, self._upper_open = lower_open and not is_low_free, upper_open and not is_high_free
        self._most = None
        self._last = max(len(self._low_digits), len(self._high_digits)) + 2
        if most_digits is not None:
            self._most = max(len(self._low_digits), len(self._high_digits), most_digits) + 1
            self._last = self._most + 1

    def write(self, network: Network, source: int, target: int, start: Comparison = START) -> None:
        """Add the paths, or what is left of them after the digits that lead to `start`."""
        if self.is_empty:
            return
        marks: dict[range, int] = {}

        def write_end(here: int, exponents: range) -> None:
            if exponents not in marks:
                least, most, is_short = exponents[0], exponents[-1], self._most is not None
                marks[exponents] = _exponent_mark(network, target, least, most, is_short=is_short)
            _write_mark(network, here, marks[exponents])

        write_live(network, start, self.ways, self._exponents, source, write_end)

    def ways(self, state: Comparison) -> list[Way]:
        """Transitions of a state. Its places are: before the number, behind one digit, behind the point and more."""
        place, low, high = state
        if place == 1:
            return [(POINT, POINT, (2, low, high))]
        count = place and place - 1
        if count == self._most:
            return []
        low_digit = int(self._low_digits[count]) if count < len(self._low_digits) else 0
        high_digit = int(self._high_digits[count]) if count < len(self._high_digits) else 0
        found: list[Way] = []
        for first, last, below, above in digit_ways(low, high, low_digit, high_digit, int(count == 0)):
            is_free = below and above and place and self._most is None
            found.append((first, last, (self._last if is_free else min(place + 1, self._last), below, above)))
        return joined(found)

    def _exponents(self, state: Comparison) -> range | None:
        """Exponents that a mantissa may have; None if there are none."""
        place, low, high = state
        if place in (0, 2):
            return None
        count = 1 if place == 1 else place - 1
        is_below = low < 0 or (low == 0 and (count < len(self._low_digits) or self._lower_open))
        is_above = high < 0 or (high == 0 and count >= len(self._high_digits) and self._upper_open)
        return range(self._low_exponent + is_below, self._high_exponent - is_above + 1) or None


def write_zero(network: Network, source: int, target: int) -> None:
    """Add paths for 0 with an exponent."""
    zero = network.state()
    network.byte(source, ZERO, ZERO, zero)
    write_end(network, zero, target, GREATEST_EXPONENT, only_zeros=True)


def write_end(network: Network, source: int, target: int, most: int, *, only_zeros: bool = False) -> None:
    """Add paths for an optional fraction and exponent.

    Args:
        most: the greatest exponent.
        only_zeros: whether the digits after the point are zeros, and an exponent is required.
    """
    point, fraction = network.states(2)
    network.byte(source, POINT, POINT, point)
    for here in (point, fraction):
        network.byte(here, ZERO, ZERO if only_zeros else NINE, fraction)
    if not only_zeros:
        network.epsilon(source, target)
        network.epsilon(fraction, target)
    mark = _exponent_mark(network, target, _LEAST_EXPONENT, most)
    for here in (source, fraction):
        _write_mark(network, here, mark)


def _write_mark(network: Network, source: int, mark: int) -> None:
    """Add "e" before an exponent."""
    for letter in b"eE":
        network.byte(source, letter, letter, mark)


def _exponent_mark(network: Network, target: int, least: int, most: int, *, is_short: bool = False) -> int:
    """State behind "e", with an exponent in an interval.

    Args:
        is_short: whether there are at most two zeros in front.
    """
    mark = network.state()
    key = "exponent", least, most, is_short
    declare = constant_rule if least <= _LEAST_EXPONENT and not is_short else shared_rule
    rule = declare(network, key, lambda other: _build_exponent(other, least, most, is_short), name="exponent")
    network.call(mark, rule, target)
    return mark


def _build_exponent(network: Network, least: int, most: int, is_short: bool) -> int:
    """Start of the integers in an interval, with an optional sign and zeros in front."""
    start, end = network.states(2)
    network.final(end)
    for sign, low, high in ((_PLUS, least, most), (MINUS, -most, -least)):
        if high < 0:
            continue
        signed, zeros, more = network.states(3)
        network.byte(start, sign, sign, signed)
        if sign == _PLUS:
            network.epsilon(start, signed)
        network.byte(signed, ZERO, ZERO, zeros)
        network.byte(zeros, ZERO, ZERO, more)
        if not is_short:
            network.byte(more, ZERO, ZERO, more)
        if low <= 0:
            network.epsilon(zeros, end)
            network.epsilon(more, end)
        if high > 0:
            magnitude = network.state()
            for here in (signed, zeros, more):
                network.epsilon(here, magnitude)
            DecimalInterval(max(low, 1), high, is_integer=True).write(network, magnitude, end)
    return start
