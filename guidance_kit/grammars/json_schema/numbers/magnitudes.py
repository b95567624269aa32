"""Non-negative decimals in an interval, of which some may be multiples of a number, digit by digit."""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import NamedTuple

import numpy as np

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.normal_forms.records import Number, Numbers
from guidance_kit.grammars.json_schema.numbers.decimals import decimal_digits, decimal_places
from guidance_kit.grammars.json_schema.numbers.digits import Digits
from guidance_kit.grammars.json_schema.numbers.exploration import (
    EQUAL,
    GREATER,
    LESS,
    POINT,
    START,
    DecimalState,
    Edges,
    compare,
    digit_edges,
    explore,
)
from guidance_kit.grammars.json_schema.numbers.remainders import write_with_remainders

__all__ = ["Magnitudes", "Steps"]

_LONGEST_COUNTED_PERIOD = 100
"""Greatest period of multiples whose digits are counted; each digit takes that many states."""


class Steps(NamedTuple):
    """Divisors and excluded divisors of a number, scaled to integers by 10 ** places.

    Args:
        places: so many that all are integers.
        multiple: 0 for none.
        unless: see `Numbers`.
        period: remainders by it decide.
    """

    places: int
    multiple: int
    unless: tuple[int, ...]
    period: int

    @classmethod
    def of(cls, numbers: Numbers) -> Steps:
        """The steps of a `Numbers`."""
        asked = [step for step in (numbers.multiple, *numbers.unless) if step is not None]
        places = max(map(decimal_places, asked), default=0)
        multiple = 0 if numbers.multiple is None else int(numbers.multiple * 10**places)
        unless = tuple(int(step * 10**places) for step in numbers.unless)
        return cls(places, multiple, unless, lcm(multiple or 1, *unless))

    def allowed(self, left: int) -> np.ndarray:
        """Remainders of values that satisfy the divisors: bool (period,).

        Args:
            left: how many of the places were not read, and stand for zeros.
        """
        values = np.arange(self.period) * pow(10, left, self.period) % self.period
        fits = values % self.multiple == 0 if self.multiple else np.ones(self.period, dtype=bool)
        for step in self.unless:
            fits &= values % step != 0
        return fits


class Magnitudes:
    """Automaton of the non-negative decimals in an interval.

    States are made when they are reached; those from which no number can be completed are left out.
    """

    def __init__(
        self,
        lower: Number,
        upper: Number | None,
        lower_open: bool,
        upper_open: bool,
        numbers: Numbers,
        digits: Digits | None = None,
        most: int | None = None,
    ) -> None:
        self.lower, self.upper = lower, upper
        self.lower_open, self.upper_open = lower_open, upper_open
        self.low_whole, self.low_fraction = decimal_digits(lower)
        self.high_whole, self.high_fraction = decimal_digits(upper) if upper is not None else ("", "")
        self.is_integer = numbers.is_integer
        self.steps = Steps.of(numbers)
        self.has_steps = numbers.multiple is not None or bool(numbers.unless)
        self.far = max(len(self.low_whole), len(self.high_whole)) + 1
        self.is_plain = digits is not None
        self.most_places = None if digits is None else digits.fraction
        self.deep = max(len(self.low_fraction), len(self.high_fraction), self.steps.places, self.most_places or 0)
        self.most_digits = None if most is None or self.steps.period > _LONGEST_COUNTED_PERIOD else most
        if self.most_digits is not None:
            self.far = max(self.far, self.most_digits)
            if self.most_places is None:
                self.most_places = self.deep = max(self.deep + 1, self.most_digits)

    def write(self, network: Network, source: int, target: int) -> None:
        """Add the paths of decimals without exponent."""
        if self.has_steps:
            write_with_remainders(network, START, self._steps, self._finals, self.steps.period, source, target)
        else:
            explore(network, START, self._steps, self._may_end, source, target)

    def _steps(self, state: DecimalState) -> Edges:
        if state.part in ("start", "whole"):
            yield from self._by_digits(state, self._after_whole, self.low_whole, self.high_whole)
        if state.part in ("whole", "zero") and not self.is_integer:
            low, high = self._compare_whole(state)
            if low != LESS and high != GREATER:
                yield POINT, POINT, DecimalState("point", 0, low, high, state.remainder)
        if state.part in ("point", "fraction"):
            yield from self._by_digits(state, self._after_fraction, self.low_fraction, self.high_fraction)

    def _by_digits(
        self,
        state: DecimalState,
        after: Callable[[int, DecimalState], DecimalState | None],
        low_digits: str,
        high_digits: str,
    ) -> Edges:
        return digit_edges(state, after, low_digits, high_digits, are_alike=not self.has_steps)

    def _after_whole(self, digit: int, state: DecimalState) -> DecimalState | None:
        _, count, low, high, remainder, _ = state
        if self.most_digits is not None and count == self.far:
            return None
        if low == EQUAL and count < len(self.low_whole):
            low = compare(digit, int(self.low_whole[count]))
        if high == EQUAL and count < len(self.high_whole):
            high = compare(digit, int(self.high_whole[count]))
        following = min(count + 1, self.far)
        if following > len(self.low_whole):
            low = GREATER
        if self.upper is None:
            high = LESS
        elif following > len(self.high_whole) or (following == len(self.high_whole) and high == GREATER):
            return None
        part = "zero" if count == 0 and digit == 0 else "whole"
        return DecimalState(part, following, low, high, (remainder * 10 + digit) % self.steps.period)

    def _after_fraction(self, digit: int, state: DecimalState) -> DecimalState | None:
        _, count, low, high, remainder, is_fine = state
        if count == self.most_places:
            return None
        if low == EQUAL:
            low = compare(digit, int(self.low_fraction[count]) if count < len(self.low_fraction) else 0)
        if high == EQUAL:
            high = compare(digit, int(self.high_fraction[count]) if count < len(self.high_fraction) else 0)
        if low == LESS or high == GREATER:
            return None
        if self.has_steps and not is_fine:
            if count < self.steps.places:
                remainder = (remainder * 10 + digit) % self.steps.period
            elif digit:
                if self.steps.multiple:
                    return None
                is_fine, remainder = True, 0
        settled = low == GREATER and high == LESS and (is_fine or not self.has_steps) and self.most_places is None
        return DecimalState("fraction", 1 if settled else min(count + 1, self.deep + 1), low, high, remainder, is_fine)

    def _compare_whole(self, state: DecimalState) -> tuple[int, int]:
        """Comparison of a complete integer part with those of the bounds."""
        low, high = state.low, state.high
        if state.count < len(self.low_whole):
            low = LESS
        if self.upper is not None and state.count < len(self.high_whole):
            high = LESS
        return low, high

    def _finals(self, state: DecimalState) -> np.ndarray:
        """Remainders with which a number may end in a state: bool (period,)."""
        if not self._may_end(state):
            return np.zeros(self.steps.period, dtype=bool)
        if state.is_fine:
            return np.ones(self.steps.period, dtype=bool)
        read = state.count if state.part == "fraction" else 0
        return self.steps.allowed(max(self.steps.places - read, 0))

    def _may_end(self, state: DecimalState) -> bool:
        """Test whether a number may end in a state, as far as the bounds are concerned."""
        part, read, low, high, _, _ = state
        if part in ("start", "point"):
            return False
        if part != "fraction":
            low, high = self._compare_whole(state)
            read = 0
        if low == LESS or (low == EQUAL and (read < len(self.low_fraction) or self.lower_open)):
            return False
        return not (high == GREATER or (high == EQUAL and read >= len(self.high_fraction) and self.upper_open))
