"""Numbers without bounds and multiples."""

from __future__ import annotations

from guidance_kit.fsm.fragment import constant_rule
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.numbers.exploration import MINUS, NINE, POINT, START, ZERO, Comparison
from guidance_kit.grammars.json_schema.numbers.scientific import GREATEST_EXPONENT, Scientific, write_end

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

    Args:
        target: the end of the present rule, from which nothing leads on.
    """
    minus, magnitude = network.states(2)
    network.byte(source, MINUS, MINUS, minus)
    for here in (source, minus):
        network.epsilon(here, magnitude)
    rest = constant_rule(network, "rest of a number", _build_rest, name="rest of a number")
    for entry, (first, last, state) in enumerate(_FIRST_DIGITS, start=1):
        here = network.state()
        network.byte(magnitude, first, last, here)
        network.epsilon(here, target)
        network.jump(here, rest, entry)
        if state is not None:
            network.jump(here, rest)


_FIRST_DIGITS: tuple[tuple[int, int, Comparison | None], ...] = (
    (ZERO, ZERO, None),
    *Scientific(0, None).ways(START),
)
"""Runs of first digits that the same may follow: first and last one, and the state of their scientific notation."""


def _build_rest(network: Network) -> int:
    """Start of what may follow first digits of a decimal; behind it is a state for each of `_FIRST_DIGITS`."""
    start, *entries, end = network.states(len(_FIRST_DIGITS) + 2)
    network.final(end)
    _write_digits(network, start, end)
    for entry, (_, _, state) in zip(entries, _FIRST_DIGITS, strict=True):
        if state is None:
            write_end(network, entry, end, GREATEST_EXPONENT)
        else:
            Scientific(0, None).write(network, entry, end, state)
    return start


def _write_digits(network: Network, start: int, end: int) -> None:
    """Add what may follow a first digit other than 0, without an exponent directly behind it or its fraction."""
    point, fraction = network.states(2)
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
