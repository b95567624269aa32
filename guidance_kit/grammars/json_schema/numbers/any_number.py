"""Numbers without bounds and multiples."""

from __future__ import annotations

from functools import partial

from guidance_kit.fsm.fragment import joint_rule
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.numbers.exploration import MINUS, NINE, POINT, START, ZERO, Comparison
from guidance_kit.grammars.json_schema.numbers.scientific import GREATEST_EXPONENT, Scientific, write_end, write_zero

__all__ = ["write_any_integer", "write_any_number"]

_COUNTED_DIGITS = 20
"""Greatest number of digits before the point with an exponent above 0."""


def write_any_integer(network: Network, source: int, target: int) -> None:
    """Add paths for all integers, never -0."""
    minus, digits = network.states(2)
    network.byte(source, ZERO, ZERO, target)
    network.byte(source, MINUS, MINUS, minus)
    for here in (source, minus):
        network.byte(here, ZERO + 1, NINE, digits)
    network.byte(digits, ZERO, NINE, digits)
    network.epsilon(digits, target)


def write_any_number(network: Network, source: int, target: int) -> None:
    """Add paths for any JSON number; with an exponent, none that is infinite as a double.

    Where more than `_COUNTED_DIGITS` stand before the point, the exponent is at most 0. What may follow a first digit
    is most of it, and is copied when a text gets there: any value may be a number, and few are.
    """
    minus, magnitude = network.states(2)
    network.byte(source, MINUS, MINUS, minus)
    for here in (source, minus):
        network.epsilon(here, magnitude)
    write_zero(network, magnitude, target, is_whole=False)
    digits, mantissas = _rest(network)
    for first, last, state in Scientific(0, None).ways(START):
        here = network.state()
        network.byte(magnitude, first, last, here)
        network.epsilon(here, target)
        network.call(here, digits, target)
        network.call(here, mantissas[state], target)


def _rest(network: Network) -> tuple[int, dict[Comparison, int]]:
    """Rules of what may follow a first digit: as a decimal, and in scientific notation after each such digit."""

    def write_mantissa(state: Comparison, network: Network) -> int:
        _rest(network)
        start, end = network.states(2)
        network.final(end)
        Scientific(0, None).write(network, start, end, state)
        return start

    def write_digits(network: Network) -> int:
        _rest(network)
        return _build_digits(network)

    declare = partial(joint_rule, network, "number")
    digits = declare("digits", write_digits, name="digits")
    states = (state for _, _, state in Scientific(0, None).ways(START))
    return digits, {s: declare(("mantissa", s), partial(write_mantissa, s), name="mantissa") for s in states}


def _build_digits(network: Network) -> int:
    """Start of what may follow a first digit other than 0, without an exponent directly behind it or its fraction."""
    start, end, point, fraction = network.states(4)
    network.final(end)
    network.byte(start, POINT, POINT, point)
    for here in (point, fraction):
        network.byte(here, ZERO, NINE, fraction)
    network.epsilon(fraction, end)
    whole = start
    for count in range(2, _COUNTED_DIGITS + 1):
        following = network.state()
        network.byte(whole, ZERO, NINE, following)
        whole = following
        write_end(network, whole, end, GREATEST_EXPONENT - count)
    more = network.state()
    for here in (whole, more):
        network.byte(here, ZERO, NINE, more)
    write_end(network, more, end, 0)
    return start
