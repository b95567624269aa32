"""Numbers as text: exact bounds and multiples, digit by digit, in any precision.

A number is written as JSON writes it: a plain decimal without superfluous zeros in front, or with an exponent. The
value of a decimal is compared with a bound while its digits are read: as long as the digits are those of the bound, the
place among them is remembered; at the first other digit it is known which is greater. Where the digits after the point
are bounded (`Digits`), they are counted beside that. With an exponent this works if exactly one digit, not 0, stands
before the point, which is the form that all programs write (0 may have an exponent, too); only where no bound and no
multiple is asked for may other digits stand there. With a multiple there is no exponent. An integer is written without
point and exponent, and never as -0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.normal_forms.records import Number, Numbers
from guidance_kit.grammars.json_schema.numbers.any_number import write_any_integer, write_any_number
from guidance_kit.grammars.json_schema.numbers.decimals import decimal_digits, number_texts
from guidance_kit.grammars.json_schema.numbers.digits import Digits
from guidance_kit.grammars.json_schema.numbers.exploration import MINUS
from guidance_kit.grammars.json_schema.numbers.intervals import DecimalInterval
from guidance_kit.grammars.json_schema.numbers.remainders import Steps, write_with_remainders
from guidance_kit.grammars.json_schema.numbers.scientific import Scientific, write_zero

if TYPE_CHECKING:  # a document looks its keywords up in the table, which holds functions of records
    from guidance_kit.grammars.json_schema.documents.document import Location

__all__ = ["check_multiple", "write_number"]

MAX_STATES = 20_000
"""Greatest number of states of the multiples of one number."""

_LONGEST_COUNTED_PERIOD = 100
"""Greatest period of multiples whose digits are counted; each digit takes that many states."""


def write_number(
    network: Network,
    numbers: Numbers,
    source: int,
    target: int,
    digits: Digits | None = None,
    most: int | None = None,
) -> None:
    """Add paths from `source` to `target` that read exactly the numbers of a non-empty `numbers`.

    Args:
        digits: in what form; every one of `numbers` has it.
        most: digits before the point, and after it, where no bound and no multiple has more; None for any number.
    """
    if numbers.values is not None:
        texts_of = number_texts if digits is None else digits.texts
        texts = (text for value in numbers.values for text in texts_of(value, is_integer=numbers.is_integer))
        _write_texts(network, {text.encode() for text in texts}, source, target)
        return
    lower, upper = numbers.lower, numbers.upper
    if digits is not None:
        numbers = digits.asked(numbers)
    elif most is None and lower is None and upper is None and numbers.multiple is None and not numbers.unless:
        (write_any_integer if numbers.is_integer else write_any_number)(network, source, target)
        return
    is_open = numbers.upper_open
    if lower == (None if upper is None else -upper) and numbers.lower_open == is_open and not numbers.is_integer:
        start = network.state()  # the same digits with a minus and without
        network.epsilon(source, start)
        network.byte(source, MINUS, MINUS, start)
        _write_magnitudes(network, _Magnitudes(0, upper, False, is_open, numbers, digits, most), start, target)
        return
    if upper is None or upper >= 0:
        is_open = numbers.lower_open if lower is not None and lower >= 0 else False
        positive = _Magnitudes(max(lower or 0, 0), upper, is_open, numbers.upper_open, numbers, digits, most)
        _write_magnitudes(network, positive, source, target)
    if lower is not None and lower >= 0 and not numbers.is_integer and 0 in numbers:
        minus = network.state()
        network.byte(source, MINUS, MINUS, minus)
        _write_magnitudes(network, _Magnitudes(0, 0, False, False, numbers, digits, most), minus, target)
    if lower is None or lower < 0:
        minus = network.state()
        network.byte(source, MINUS, MINUS, minus)
        least, is_open = (-upper, numbers.upper_open) if upper is not None and upper <= 0 else (0, False)
        if numbers.is_integer and least == 0:
            is_open = True
        greatest = None if lower is None else -lower
        negative = _Magnitudes(least, greatest, is_open, numbers.lower_open, numbers, digits, most)
        _write_magnitudes(network, negative, minus, target)


class _Magnitudes:
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
        self._steps = Steps.of(numbers) if numbers.multiple is not None or numbers.unless else None
        self.has_exponents = not (numbers.is_integer or self._steps is not None or digits is not None)
        is_long = self._steps is not None and self._steps.period > _LONGEST_COUNTED_PERIOD
        self.most_digits = None if is_long else most
        places = 0 if self._steps is None else self._steps.places
        most_places = None if digits is None else digits.fraction
        if self.most_digits is not None and most_places is None:
            fractions = [decimal_digits(bound)[1] for bound in (lower, upper) if bound is not None]
            most_places = max(places, self.most_digits - 1, *map(len, fractions)) + 1
        self._interval = DecimalInterval(
            lower,
            upper,
            lower_open=lower_open,
            upper_open=upper_open,
            is_integer=numbers.is_integer,
            most_whole=self.most_digits,
            most_places=most_places,
            counted=places,
        )

    def write(self, network: Network, source: int, target: int) -> None:
        """Add the paths of decimals without exponent."""
        if self._steps is None:
            self._interval.write(network, source, target)
        else:
            write_with_remainders(network, self._interval, self._steps, source, target)


def _write_magnitudes(network: Network, magnitudes: _Magnitudes, source: int, target: int) -> None:
    """Add decimals in an interval, and where they may have one, those with an exponent."""
    magnitudes.write(network, source, target)
    if not magnitudes.has_exponents:
        return
    lower, upper, most = magnitudes.lower, magnitudes.upper, magnitudes.most_digits
    lower_open, upper_open = magnitudes.lower_open, magnitudes.upper_open
    if lower == 0 and not lower_open and (upper != 0 or not upper_open) and most is None:
        write_zero(network, source, target)
    Scientific(lower, upper, lower_open=lower_open, upper_open=upper_open, most_digits=most).write(
        network, source, target
    )


def check_multiple(numbers: Numbers, location: Location, digits: Digits | None = None) -> None:
    """Refuse multiples that would take too many states.

    Raises:
        UnsupportedFeature: naming the keyword at `location`.
    """
    if digits is not None:
        numbers = digits.asked(numbers)
    if numbers.multiple is None and not numbers.unless:
        return
    steps = Steps.of(numbers)
    bounds = [bound for bound in (numbers.lower, numbers.upper) if bound is not None]
    longest = max((len(part) for bound in bounds for part in decimal_digits(abs(bound))), default=0)
    states = steps.period * (2 * longest + steps.places + 2)
    if states > MAX_STATES:
        raise UnsupportedFeature(
            f"multipleOf {numbers.multiple or numbers.unless[0]}" + (" with such bounds" if bounds else ""),
            where=f"{location.pointer}/multipleOf",
            hint="it would take too many states; multiples of up to about a thousand are enforced",
        )


def _write_texts(network: Network, texts: Iterable[bytes], source: int, target: int) -> None:
    """Add paths for a list of texts, as a trie."""
    nodes: dict[bytes, int] = {b"": source}
    for text in sorted(texts):
        for end in range(1, len(text) + 1):
            prefix = text[:end]
            if prefix not in nodes:
                nodes[prefix] = network.state()
                network.byte(nodes[prefix[:-1]], prefix[-1], prefix[-1], nodes[prefix])
        network.epsilon(nodes[text], target)
