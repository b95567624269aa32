"""Non-negative decimals in an interval, without exponent, digit by digit."""

from __future__ import annotations

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.normal_forms.records import Number
from guidance_kit.grammars.json_schema.numbers.decimals import decimal_digits
from guidance_kit.grammars.json_schema.numbers.exploration import (
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

__all__ = ["DecimalInterval"]


class DecimalInterval:
    """Automaton of the non-negative decimals in an interval.

    Its places are: before the number, behind so many digits before the point, behind a leading 0, behind the point and
    so many digits after it. They are counted as far as the number of digits matters.

    Args:
        lower, upper: bounds; no upper one: None.
        lower_open, upper_open: whether the bounds themselves are left out.
        is_integer: whether there is no point.
        most_whole: digits before the point, where the bounds do not need more; None for any number.
        most_places: digits after it; None for any number.
        counted: places after the point that are counted in any case.

    Attributes:
        point: the place behind the point.
    """

    def __init__(
        self,
        lower: Number,
        upper: Number | None,
        *,
        lower_open: bool = False,
        upper_open: bool = False,
        is_integer: bool = False,
        most_whole: int | None = None,
        most_places: int | None = None,
        counted: int = 0,
    ) -> None:
        self._low_whole, self._low_fraction = decimal_digits(lower)
        self._high_whole, self._high_fraction = decimal_digits(upper) if upper is not None else ("", "")
        self._has_upper = upper is not None
        self._lower_open, self._upper_open = lower_open, upper_open
        self._is_integer = is_integer
        self._is_endless = upper is None and most_whole is None
        self._most_whole = len(self._high_whole)
        if upper is None:
            self._most_whole = max(len(self._low_whole) + 1, most_whole or 0)
        self._zero = self._most_whole + 1
        self.point = self._zero + 1
        self._most_places = most_places
        self._counts_places = bool(counted) or most_places is not None
        self._last = self.point + max(len(self._low_fraction), len(self._high_fraction), counted, most_places or 0) + 1

    def write(self, network: Network, source: int, target: int) -> None:
        """Add paths for the decimals."""

        def write_end(here: int, _: bool) -> None:
            network.epsilon(here, target)

        write_live(network, START, self.ways, lambda state: self.may_end(state) or None, source, write_end)

    def ways(self, state: Comparison) -> list[Way]:
        """Transitions of a state, in the order of their bytes."""
        place, low, high = state
        if place >= self.point:
            return self._after_point(place, low, high)
        found: list[Way] = []
        if place and not self._is_integer:
            below, above = self._of_whole(state)
            if below >= 0 and above >= 0:
                found.append((POINT, POINT, (self.point, self._settled_low(self.point, below), above)))
        if place < self._most_whole:
            found += self._before_point(place, low, high)
        elif place == self._most_whole and self._is_endless:
            found.append((ZERO, NINE, state))
        return found

    def _before_point(self, count: int, low: int, high: int) -> list[Way]:
        low_digits, high_digits = self._low_whole, self._high_whole
        low_digit = int(low_digits[count]) if low == 0 and count < len(low_digits) else -1
        high_digit = int(high_digits[count]) if high == 0 and self._has_upper else -1
        count += 1
        found: list[Way] = []
        for first, last, below, above in digit_ways(low, high, low_digit, high_digit, 0):
            if not self._has_upper:
                above = 1
            elif count == len(high_digits):
                if above < 0:
                    continue
                above = above or int(self._is_integer and not self._upper_open)
            below = 1 if count > len(low_digits) else self._settled_low(count, below)
            if count > 1 or first != ZERO:
                found.append((first, last, self._whole(count, below, above)))
                continue
            found.append((ZERO, ZERO, (self._zero, below, above)))
            if last != ZERO:
                found.append((ZERO + 1, last, self._whole(count, below, above)))
        return joined(found)

    def _whole(self, count: int, low: int, high: int) -> Comparison:
        """State after so many digits before the point."""
        is_free = self._is_endless and low == 1 and count >= len(self._low_whole)
        return self._most_whole if is_free else count, low, high

    def _settled_low(self, place: int, low: int) -> int:
        """Sign 1 in place of 0 where all digits of the lower bound were read, and it belongs to the interval."""
        if low or self._lower_open:
            return low
        if place < self.point:
            return int(place == len(self._low_whole) and not self._low_fraction)
        return int(place - self.point >= len(self._low_fraction))

    def _after_point(self, place: int, low: int, high: int) -> list[Way]:
        count = place - self.point
        if count == self._most_places:
            return []
        low_digit = high_digit = 0
        if count < len(self._low_fraction):
            low_digit = int(self._low_fraction[count])
        if count < len(self._high_fraction):
            high_digit = int(self._high_fraction[count])
        following = min(place + 1, self._last)
        found: list[Way] = []
        for first, last, below, above in digit_ways(low, high, low_digit, high_digit, 0):
            if below < 0 or above < 0:
                continue
            below = self._settled_low(following, below)
            is_free = below and above and not self._counts_places
            found.append((first, last, (self._last if is_free else following, below, above)))
        return joined(found)

    def _of_whole(self, state: Comparison) -> tuple[int, int]:
        """Signs of a complete integer part."""
        place, low, high = state
        count = 1 if place == self._zero else place
        return -1 if count < len(self._low_whole) else low, 1 if count < len(self._high_whole) else high

    def may_end(self, state: Comparison) -> bool:
        """Test whether a number may end in a state."""
        place, low, high = state
        if place in (0, self.point):
            return False
        read = place - self.point
        if read < 0:
            low, high = self._of_whole(state)
            read = 0
        if low < 0 or (low == 0 and (read < len(self._low_fraction) or self._lower_open)):
            return False
        return not (high < 0 or (high == 0 and read >= len(self._high_fraction) and self._upper_open))
