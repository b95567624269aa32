"""Non-negative decimals in an interval, of which some may be multiples of a number, digit by digit."""

from __future__ import annotations

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.normal_forms.records import Number, Numbers
from guidance_kit.grammars.json_schema.numbers.decimals import decimal_digits
from guidance_kit.grammars.json_schema.numbers.digits import Digits
from guidance_kit.grammars.json_schema.numbers.intervals import DecimalInterval
from guidance_kit.grammars.json_schema.numbers.remainders import Steps, write_with_remainders

__all__ = ["Magnitudes"]

_LONGEST_COUNTED_PERIOD = 100
"""Greatest period of multiples whose digits are counted; each digit takes that many states."""


class Magnitudes:
    """The absolute values of numbers that have one sign.

    Args:
        lower, upper, lower_open, upper_open: bounds, see `DecimalInterval`.
        numbers: what else is said of the numbers.
        digits, most: see `write_number`.

    Attributes:
        most_digits: digits of each part, where the bounds do not need more; None for any number.
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
        self._steps = Steps.of(numbers)
        self._has_steps = numbers.multiple is not None or bool(numbers.unless)
        self.has_exponents = not (numbers.is_integer or self._has_steps or digits is not None)
        self.most_digits = None if most is None or self._steps.period > _LONGEST_COUNTED_PERIOD else most
        most_places = None if digits is None else digits.fraction
        if self.most_digits is not None and most_places is None:
            fractions = [decimal_digits(bound)[1] for bound in (lower, upper) if bound is not None]
            most_places = max(self._steps.places, self.most_digits - 1, *map(len, fractions)) + 1
        self._interval = DecimalInterval(
            lower,
            upper,
            lower_open=lower_open,
            upper_open=upper_open,
            is_integer=numbers.is_integer,
            most_whole=self.most_digits,
            most_places=most_places,
            counted=self._steps.places,
        )

    def write(self, network: Network, source: int, target: int) -> None:
        """Add the paths of decimals without exponent."""
        if self._has_steps:
            write_with_remainders(network, self._interval, self._steps, source, target)
        else:
            self._interval.write(network, source, target)
