"""Decimals in an interval in scientific notation, d.ddde±x, and exponents in an interval."""

from __future__ import annotations

from collections.abc import Iterable

from guidance_kit.fsm.fragment import constant_rule, shared_rule
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.normal_forms.records import Number, Numbers
from guidance_kit.grammars.json_schema.numbers.decimals import GREATEST, LEAST, scientific
from guidance_kit.grammars.json_schema.numbers.exploration import (
    EQUAL,
    GREATER,
    LESS,
    MINUS,
    NINE,
    POINT,
    START,
    ZERO,
    DecimalState,
    Edges,
    compare,
    digit_edges,
    explore,
)
from guidance_kit.grammars.json_schema.numbers.magnitudes import Magnitudes

__all__ = ["GREATEST_EXPONENT", "Scientific", "write_end", "write_zero"]

_PLUS = 0x2B

_LEAST_EXPONENT = -323
GREATEST_EXPONENT = 308
"""Greatest exponent; after n digits before the point it is lower by n."""


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
        highest = GREATEST if is_high_free or upper is None else upper
        self.is_empty = highest < LEAST or lower > GREATEST
        self._low_digits, self._low_exponent = scientific(LEAST if is_low_free else min(lower, GREATEST))
        self._high_digits, self._high_exponent = scientific(max(highest, LEAST))
        self._lower_open, self._upper_open = lower_open and not is_low_free, upper_open and not is_high_free
        self._most = None
        if most_digits is not None:
            self._most = max(len(self._low_digits), len(self._high_digits), most_digits) + 1

    def write(self, network: Network, source: int, target: int, start: DecimalState = START) -> None:
        """Add the paths, or what is left of them after the digits that lead to `start`."""
        if self.is_empty:
            return

        def finish(state: DecimalState, here: int) -> bool:
            """Add the exponent, if there is one."""
            exponents = self._exponents(state)
            if not exponents:
                return False
            is_short = self._most is not None
            _write_exponent(network, [here], target, exponents[0], exponents[-1], is_short=is_short)
            return True

        explore(network, start, self.steps, finish, source, None)

    def steps(self, state: DecimalState) -> Edges:
        """Transitions of a state."""
        if state.part == "mantissa" and state.count == 1:
            return [(POINT, POINT, state._replace(part="point"))]
        return digit_edges(state, self._after, self._low_digits, self._high_digits)

    def _after(self, digit: int, state: DecimalState) -> DecimalState | None:
        count, low, high = state.count, state.low, state.high
        if (count == 0 and digit == 0) or count == self._most:
            return None
        low_digits, high_digits = self._low_digits, self._high_digits
        if low == EQUAL:
            low = compare(digit, int(low_digits[count]) if count < len(low_digits) else 0)
        if high == EQUAL:
            high = compare(digit, int(high_digits[count]) if count < len(high_digits) else 0)
        far = max(len(low_digits) if low == EQUAL else 1, len(high_digits) if high == EQUAL else 1) + 1
        return DecimalState("mantissa", min(count + 1, far if self._most is None else self._most), low, high)

    def _exponents(self, state: DecimalState) -> range:
        """Exponents that a mantissa may have."""
        part, count, low, high, _, _ = state
        if part != "mantissa":
            return range(0)
        is_below = low == LESS or (low == EQUAL and (count < len(self._low_digits) or self._lower_open))
        is_above = high == GREATER or (high == EQUAL and count >= len(self._high_digits) and self._upper_open)
        return range(self._low_exponent + is_below, self._high_exponent - is_above + 1)


def write_zero(network: Network, source: int, target: int, *, is_whole: bool = True) -> None:
    """Add paths for 0 with an exponent, or for all numbers with integer part 0.

    Args:
        is_whole: whether only zeros may follow the point, and the exponent is required.
    """
    zero = network.state()
    network.byte(source, ZERO, ZERO, zero)
    write_end(network, zero, target, GREATEST_EXPONENT, only_zeros=is_whole)


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
    _write_exponent(network, (source, fraction), target, _LEAST_EXPONENT, most)


def _write_exponent(
    network: Network, sources: Iterable[int], target: int, least: int, most: int, *, is_short: bool = False
) -> None:
    """Add paths for "e" and an exponent in an interval.

    Args:
        is_short: whether there are at most two zeros in front.
    """
    mark = network.state()
    for source in sources:
        for letter in b"eE":
            network.byte(source, letter, letter, mark)
    key = "exponent", least, most, is_short
    declare = constant_rule if least <= _LEAST_EXPONENT and not is_short else shared_rule
    rule = declare(network, key, lambda other: _build_exponent(other, least, most, is_short), name="exponent")
    network.call(mark, rule, target)


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
            Magnitudes(max(low, 1), high, False, False, Numbers(is_integer=True)).write(network, magnitude, end)
    return start
