"""Automata of decimals that are compared with two bounds: how digits are compared, and how the live part is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeVar

from guidance_kit.fsm.network import Network

__all__ = ["MINUS", "NINE", "POINT", "START", "ZERO", "Comparison", "Way", "digit_ways", "joined", "write_live"]

ZERO, NINE, POINT, MINUS = b"09.-"

Comparison = tuple[int, int, int]
"""State after some characters of a decimal: its place, and the signs of what was read less the same digits of the lower
bound, and of the same digits of the upper bound less what was read. Places ascend along a text, but for the last of
them, which may repeat."""

START: Comparison = (0, 0, 0)

Way = tuple[int, int, Comparison]
"""Transition of a state: first and last byte, next state."""

End = TypeVar("End")
Target = TypeVar("Target")


@cache  # of at most 2,178 arguments
def digit_ways(low: int, high: int, low_digit: int, high_digit: int, first: int) -> list[tuple[int, int, int, int]]:
    """Signs after each digit; neighbours with the same ones are joined.

    Args:
        low, high: signs before it.
        low_digit, high_digit: the next ones of the bounds, where the sign is 0; -1 for none, which leaves it.
        first: the least digit.
    Returns:
        For each run of digits its first and last byte, and both signs after it.
    """
    found: list[tuple[int, int, tuple[int, int]]] = []
    for digit in range(first, 10):
        below = low or (_sign(digit - low_digit) if low_digit >= 0 else 0)
        above = high or (_sign(high_digit - digit) if high_digit >= 0 else 0)
        found.append((ZERO + digit, ZERO + digit, (below, above)))
    return [(begin, end, below, above) for begin, end, (below, above) in joined(found)]


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def joined(ways: Iterable[tuple[int, int, Target]]) -> list[tuple[int, int, Target]]:
    """Transitions (first byte, last byte, target) in the order of their bytes, neighbours to the same target as one."""
    found: list[tuple[int, int, Target]] = []
    for first, last, target in ways:
        if found and found[-1][1] == first - 1 and found[-1][2] == target:
            first = found.pop()[0]
        found.append((first, last, target))
    return found


def write_live(
    network: Network,
    start: Comparison,
    ways: Callable[[Comparison], list[Way]],
    end: Callable[[Comparison], End | None],
    source: int,
    write_end: Callable[[int, End], None],
) -> None:
    """Write the live part of an automaton that is given by functions, from `source` on.

    Args:
        ways: transitions of a state: to a later place, or within the last one to a state with more signs that are not
            0, or to itself.
        end: how a text may end in a state; None if it may not.
        write_end: adds the end to a state of the network.
    """
    found = {start: ways(start)}
    todo = [start]
    for state in todo:
        for _, _, following in found[state]:
            if following not in found:
                found[following] = ways(following)
                todo.append(following)
    todo.sort(key=_rank, reverse=True)
    places: dict[Comparison, int] = {}
    for state in todo:
        ending = end(state)
        if ending is None and not any(following in places for _, _, following in found[state]):
            continue
        here = places[state] = source if state == start else network.state()
        for first, last, following in found[state]:
            if following in places:
                network.byte(here, first, last, places[following])
        if ending is not None:
            write_end(here, ending)


def _rank(state: Comparison) -> tuple[int, int]:
    place, low, high = state
    return place, abs(low) + abs(high)
