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

import itertools
from collections.abc import Callable, Iterable
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.fragment import constant_rule, shared_rule
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.normal_forms.records import Number, Numbers
from guidance_kit.grammars.json_schema.numbers.decimals import (
    GREATEST,
    LEAST,
    decimal_digits,
    decimal_places,
    number_texts,
    scientific,
)
from guidance_kit.grammars.json_schema.numbers.digits import Digits
from guidance_kit.grammars.json_schema.numbers.remainders import write_with_remainders

if TYPE_CHECKING:  # a document looks its keywords up in the table, which holds functions of records
    from guidance_kit.grammars.json_schema.documents.document import Location

__all__ = ["DecimalState", "check_multiple", "write_number"]

_ZERO, _NINE, _POINT, _MINUS, _PLUS = 0x30, 0x39, 0x2E, 0x2D, 0x2B
_LESS, _EQUAL, _GREATER = -1, 0, 1

_LEAST_EXPONENT, _GREATEST_EXPONENT = -323, 308
"""Bounds of the exponent; after n digits before the point the upper one is lower by n."""

_COUNTED_DIGITS = 20
"""Greatest number of digits before the point with an exponent above 0."""

_LONGEST_COUNTED_PERIOD = 100
"""Greatest period of multiples whose digits are counted; each digit takes that many states."""

MAX_STATES = 20_000
"""Greatest number of states of the multiples of one number."""


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
        write_texts(network, {text.encode() for text in texts}, source, target)
        return
    lower, upper = numbers.lower, numbers.upper
    if digits is not None:
        numbers = digits.asked(numbers)
    elif most is None and lower is None and upper is None and numbers.multiple is None and not numbers.unless:
        (_write_any_integer if numbers.is_integer else _write_any_number)(network, source, target)
        return
    if upper is None or upper >= 0:
        is_open = numbers.lower_open if lower is not None and lower >= 0 else False
        positive = _Magnitudes(max(lower or 0, 0), upper, is_open, numbers.upper_open, numbers, digits, most)
        positive.write(network, source, target)
    if lower is not None and lower >= 0 and not numbers.is_integer and 0 in numbers:
        minus = network.state()
        network.byte(source, _MINUS, _MINUS, minus)
        _Magnitudes(0, 0, False, False, numbers, digits, most).write(network, minus, target)
    if lower is None or lower < 0:
        minus = network.state()
        network.byte(source, _MINUS, _MINUS, minus)
        least, is_open = (-upper, numbers.upper_open) if upper is not None and upper <= 0 else (0, False)
        if numbers.is_integer and least == 0:
            is_open = True
        greatest = None if lower is None else -lower
        negative = _Magnitudes(least, greatest, is_open, numbers.lower_open, numbers, digits, most)
        negative.write(network, minus, target)


def check_multiple(numbers: Numbers, location: Location, digits: Digits | None = None) -> None:
    """Refuse multiples that would take too many states.

    Raises:
        UnsupportedFeature: naming the keyword at `location`.
    """
    if digits is not None:
        numbers = digits.asked(numbers)
    if numbers.multiple is None and not numbers.unless:
        return
    steps = _Steps.of(numbers)
    bounds = [bound for bound in (numbers.lower, numbers.upper) if bound is not None]
    longest = max((len(part) for bound in bounds for part in decimal_digits(abs(bound))), default=0)
    states = steps.period * (2 * longest + steps.places + 2)
    if states > MAX_STATES:
        raise UnsupportedFeature(
            f"multipleOf {numbers.multiple or numbers.unless[0]}" + (" with such bounds" if bounds else ""),
            where=f"{location.pointer}/multipleOf",
            hint="it would take too many states; multiples of up to about a thousand are enforced",
        )


class DecimalState(NamedTuple):
    """State after some characters of a decimal.

    Args:
        part: "start", "whole" (digits before the point), "zero" (a leading 0), "point" or "fraction"; with an exponent
            "mantissa".
        count: digits of this part, as far as the number of them matters.
        low, high: how they compare with the same digits of the lower and upper bound.
        remainder: of all digits, as an integer, by the modulus.
        is_fine: whether a digit that is not 0 was read beyond the places of all steps.
    """

    part: str
    count: int
    low: int
    high: int
    remainder: int = 0
    is_fine: bool = False


_Edges = Iterable[tuple[int, int, DecimalState]]
"""Transitions of a state: first and last byte, next state."""


class _Steps(NamedTuple):
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
    def of(cls, numbers: Numbers) -> _Steps:
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


class _Magnitudes:
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
        self.steps = _Steps.of(numbers)
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
        """Add the paths."""
        start = DecimalState("start", 0, _EQUAL, _EQUAL)
        if self.has_steps:
            write_with_remainders(network, start, self._steps, self._finals, self.steps.period, source, target)
        else:
            _explore(network, start, self._steps, self._may_end, source, target)
        if not (self.is_integer or self.has_steps or self.is_plain):
            has_zero = self.lower == 0 and not self.lower_open and (self.upper != 0 or not self.upper_open)
            if has_zero and self.most_digits is None:
                _write_zero(network, source, target)
            self.write_scientific(network, source, target)

    def _steps(self, state: DecimalState) -> _Edges:
        if state.part in ("start", "whole"):
            yield from self._digits(state, self._after_whole, self.low_whole, self.high_whole)
        if state.part in ("whole", "zero") and not self.is_integer:
            low, high = self._compare_whole(state)
            if low != _LESS and high != _GREATER:
                yield _POINT, _POINT, DecimalState("point", 0, low, high, state.remainder)
        if state.part in ("point", "fraction"):
            yield from self._digits(state, self._after_fraction, self.low_fraction, self.high_fraction)

    def _digits(
        self,
        state: DecimalState,
        after: Callable[[int, DecimalState], DecimalState | None],
        low_digits: str,
        high_digits: str,
    ) -> _Edges:
        """Transitions by digits, where those between a digit of a bound and the next one lead to the same state."""
        firsts = set(range(10)) if self.has_steps else {0, 1} if state.count == 0 else {0}
        for order, digits in ((state.low, low_digits), (state.high, high_digits)):
            if order == _EQUAL:
                digit = int(digits[state.count]) if state.count < len(digits) else 0
                firsts |= {digit, digit + 1} - {10}
        cuts = [*sorted(firsts), 10]
        for first, end in itertools.pairwise(cuts):
            following = after(first, state)
            if following is not None:
                yield _ZERO + first, _ZERO + end - 1, following

    def _after_whole(self, digit: int, state: DecimalState) -> DecimalState | None:
        _, count, low, high, remainder, _ = state
        if self.most_digits is not None and count == self.far:
            return None
        if low == _EQUAL and count < len(self.low_whole):
            low = _compare(digit, int(self.low_whole[count]))
        if high == _EQUAL and count < len(self.high_whole):
            high = _compare(digit, int(self.high_whole[count]))
        following = min(count + 1, self.far)
        if following > len(self.low_whole):
            low = _GREATER
        if self.upper is None:
            high = _LESS
        elif following > len(self.high_whole) or (following == len(self.high_whole) and high == _GREATER):
            return None
        part = "zero" if count == 0 and digit == 0 else "whole"
        return DecimalState(part, following, low, high, (remainder * 10 + digit) % self.steps.period)

    def _after_fraction(self, digit: int, state: DecimalState) -> DecimalState | None:
        _, count, low, high, remainder, is_fine = state
        if count == self.most_places:
            return None
        if low == _EQUAL:
            low = _compare(digit, int(self.low_fraction[count]) if count < len(self.low_fraction) else 0)
        if high == _EQUAL:
            high = _compare(digit, int(self.high_fraction[count]) if count < len(self.high_fraction) else 0)
        if low == _LESS or high == _GREATER:
            return None
        if self.has_steps and not is_fine:
            if count < self.steps.places:
                remainder = (remainder * 10 + digit) % self.steps.period
            elif digit:
                if self.steps.multiple:
                    return None
                is_fine, remainder = True, 0
        settled = low == _GREATER and high == _LESS and (is_fine or not self.has_steps) and self.most_places is None
        return DecimalState("fraction", 1 if settled else min(count + 1, self.deep + 1), low, high, remainder, is_fine)

    def _compare_whole(self, state: DecimalState) -> tuple[int, int]:
        """Comparison of a complete integer part with those of the bounds."""
        low, high = state.low, state.high
        if state.count < len(self.low_whole):
            low = _LESS
        if self.upper is not None and state.count < len(self.high_whole):
            high = _LESS
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
        if low == _LESS or (low == _EQUAL and (read < len(self.low_fraction) or self.lower_open)):
            return False
        return not (high == _GREATER or (high == _EQUAL and read >= len(self.high_fraction) and self.upper_open))

    def write_scientific(self, network: Network, source: int, target: int) -> None:
        """Add paths for scientific notation, d.ddde±x, with a first digit other than 0."""
        is_low_free = self.lower < LEAST
        low_digits, low_exponent = scientific(LEAST if is_low_free else self.lower)
        upper = GREATEST if self.upper is None or self.upper > GREATEST else self.upper
        if upper < LEAST or self.lower > GREATEST:
            return
        high_digits, high_exponent = scientific(upper)
        lower_open, upper_open = self.lower_open and not is_low_free, self.upper_open and upper == self.upper
        middle = network.state()
        most = None
        if self.most_digits is not None:
            most = max(len(low_digits), len(high_digits), self.most_digits) + 1

        def after(digit: int, state: DecimalState) -> DecimalState | None:
            count, low, high = state.count, state.low, state.high
            if (count == 0 and digit == 0) or count == most:
                return None
            if low == _EQUAL:
                low = _compare(digit, int(low_digits[count]) if count < len(low_digits) else 0)
            if high == _EQUAL:
                high = _compare(digit, int(high_digits[count]) if count < len(high_digits) else 0)
            far = max(len(low_digits) if low == _EQUAL else 1, len(high_digits) if high == _EQUAL else 1) + 1
            return DecimalState("mantissa", min(count + 1, far if most is None else most), low, high)

        def steps(state: DecimalState) -> _Edges:
            if state.part == "mantissa" and state.count == 1:
                yield _POINT, _POINT, state._replace(part="point")
            else:
                yield from self._digits(state, after, low_digits, high_digits)

        def finish(state: DecimalState, here: int) -> bool:
            """Add the exponent, if there is one."""
            part, count, low, high, _, _ = state
            if part != "mantissa":
                return False
            is_below = low == _LESS or (low == _EQUAL and (count < len(low_digits) or lower_open))
            is_above = high == _GREATER or (high == _EQUAL and count >= len(high_digits) and upper_open)
            lowest, highest = low_exponent + is_below, high_exponent - is_above
            if lowest > highest:
                return False
            mark = network.state()
            network.byte(here, 0x65, 0x65, mark)
            network.byte(here, 0x45, 0x45, mark)
            network.call(mark, _exponent(network, lowest, highest, is_short=most is not None), target)
            return True

        start = DecimalState("start", 0, _EQUAL, _EQUAL)
        network.epsilon(source, middle)
        _explore(network, start, steps, finish, middle, None)


def _exponent(network: Network, least: int, most: int, *, is_short: bool = False) -> int:
    """The rule of the exponents in an interval.

    Args:
        is_short: whether there are at most two zeros in front.
    """
    key = "exponent", least, most, is_short
    declare = constant_rule if least <= _LEAST_EXPONENT and not is_short else shared_rule
    return declare(network, key, lambda other: _build_exponent(other, least, most, is_short), name="exponent")


def _build_exponent(network: Network, least: int, most: int, is_short: bool) -> int:
    """Start of the integers in an interval, with an optional sign and zeros in front."""
    start, end = network.states(2)
    network.final(end)
    for sign, low, high in ((_PLUS, least, most), (_MINUS, -most, -least)):
        if high < 0:
            continue
        signed, zeros, more = network.states(3)
        network.byte(start, sign, sign, signed)
        if sign == _PLUS:
            network.epsilon(start, signed)
        network.byte(signed, _ZERO, _ZERO, zeros)
        network.byte(zeros, _ZERO, _ZERO, more)
        if not is_short:
            network.byte(more, _ZERO, _ZERO, more)
        if low <= 0:
            network.epsilon(zeros, end)
            network.epsilon(more, end)
        if high > 0:
            magnitude = network.state()
            for here in (signed, zeros, more):
                network.epsilon(here, magnitude)
            _Magnitudes(max(low, 1), high, False, False, Numbers(is_integer=True)).write(network, magnitude, end)
    return start


def _explore(
    network: Network,
    start: DecimalState,
    steps: Callable[[DecimalState], _Edges],
    is_final: Callable[..., bool],
    source: int,
    target: int | None,
) -> None:
    """Write the live part of an automaton that is given by functions.

    Args:
        steps: transitions of a state.
        is_final: whether a text may end in a state. If `target` is None it is called with the network state too, and
            adds itself what follows.
    """
    edges: dict[DecimalState, list[tuple[int, int, DecimalState]]] = {}
    callers: dict[DecimalState, list[DecimalState]] = {start: []}
    todo = [start]
    while todo:
        state = todo.pop()
        edges[state] = found = list(steps(state))
        for _, _, following in found:
            if following not in callers:
                callers[following] = []
                todo.append(following)
            callers[following].append(state)
    places = {start: source}
    if target is None:
        places.update((state, network.state()) for state in edges if state != start)
        finals = [state for state in edges if is_final(state, places[state])]
    else:
        finals = [state for state in edges if is_final(state)]
    live, todo = set(finals), list(finals)
    while todo:
        for caller in callers[todo.pop()]:
            if caller not in live:
                live.add(caller)
                todo.append(caller)
    if target is not None:
        places.update((state, network.state()) for state in edges if state in live and state != start)
        for state in finals:
            network.epsilon(places[state], target)
    for state, found in edges.items():
        if state in live:
            for first, last, following in _runs(edge for edge in found if edge[2] in live):
                network.byte(places[state], first, last, places[following])


def _runs(edges: _Edges) -> _Edges:
    """Transitions by neighbouring bytes to the same state, joined."""
    run: tuple[int, int, DecimalState] | None = None
    for first, last, following in sorted(edges):
        if run is not None and first == run[1] + 1 and following == run[2]:
            run = run[0], last, following
            continue
        if run is not None:
            yield run
        run = first, last, following
    if run is not None:
        yield run


def write_texts(network: Network, texts: Iterable[bytes], source: int, target: int) -> None:
    """Add paths for a list of texts, as a trie."""
    nodes: dict[bytes, int] = {b"": source}
    for text in sorted(texts):
        for end in range(1, len(text) + 1):
            prefix = text[:end]
            if prefix not in nodes:
                nodes[prefix] = network.state()
                network.byte(nodes[prefix[:-1]], prefix[-1], prefix[-1], nodes[prefix])
        network.epsilon(nodes[text], target)


def _write_any_integer(network: Network, source: int, target: int) -> None:
    minus, digits = network.states(2)
    network.byte(source, _ZERO, _ZERO, target)
    network.byte(source, _MINUS, _MINUS, minus)
    for here in (source, minus):
        network.byte(here, _ZERO + 1, _NINE, digits)
    network.byte(digits, _ZERO, _NINE, digits)
    network.epsilon(digits, target)


def _write_any_number(network: Network, source: int, target: int) -> None:
    """Any JSON number; with an exponent, none that is infinite as a double.

    Where more than `_COUNTED_DIGITS` stand before the point, the exponent is at most 0.
    """
    minus, whole = network.states(2)
    network.byte(source, _MINUS, _MINUS, minus)
    magnitude = network.state()
    for here in (source, minus):
        network.epsilon(here, magnitude)
    _write_zero(network, magnitude, target, is_whole=False)
    network.byte(magnitude, _ZERO + 1, _NINE, whole)
    _Magnitudes(0, None, False, False, Numbers()).write_scientific(network, magnitude, target)
    _write_rest(network, whole, target, None)
    for count in range(2, _COUNTED_DIGITS + 1):
        following = network.state()
        network.byte(whole, _ZERO, _NINE, following)
        whole = following
        _write_rest(network, whole, target, _GREATEST_EXPONENT - count)
    more = network.state()
    for here in (whole, more):
        network.byte(here, _ZERO, _NINE, more)
    _write_rest(network, more, target, 0)


def _write_zero(network: Network, source: int, target: int, *, is_whole: bool = True) -> None:
    """Add paths for 0 with an exponent, or for all numbers with integer part 0.

    Args:
        is_whole: whether only zeros may follow the point, and the exponent is required.
    """
    zero = network.state()
    network.byte(source, _ZERO, _ZERO, zero)
    _write_rest(network, zero, target, _GREATEST_EXPONENT, only_zeros=is_whole)


def _write_rest(network: Network, source: int, target: int, most: int | None, *, only_zeros: bool = False) -> None:
    """Add paths for an optional fraction and exponent.

    Args:
        most: the greatest exponent; None if there is none.
        only_zeros: whether the digits after the point are zeros, and an exponent is required.
    """
    point, fraction = network.states(2)
    network.byte(source, _POINT, _POINT, point)
    for here in (point, fraction):
        network.byte(here, _ZERO, _ZERO if only_zeros else _NINE, fraction)
    if not only_zeros:
        network.epsilon(source, target)
        network.epsilon(fraction, target)
    if most is not None:
        mark = network.state()
        for here in (source, fraction):
            network.byte(here, 0x65, 0x65, mark)
            network.byte(here, 0x45, 0x45, mark)
        network.call(mark, _exponent(network, _LEAST_EXPONENT, most), target)


def _compare(a: int, b: int) -> int:
    return (a > b) - (a < b)
