"""Automata of decimals given by functions: states are made when they are reached, and the live ones written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from guidance_kit.fsm.network import Network

__all__ = [
    "EQUAL", "GREATER", "LESS", "MINUS", "NINE", "POINT", "START", "ZERO", "DecimalState", "Edges", "compare",
    "digit_edges", "explore",
]  # fmt: skip

ZERO, NINE, POINT, MINUS = b"09.-"
LESS, EQUAL, GREATER = -1, 0, 1


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


START = DecimalState("start", 0, EQUAL, EQUAL)

Edges = Iterable[tuple[int, int, DecimalState]]
"""Transitions of a state: first and last byte, next state."""


def compare(a: int, b: int) -> int:
    """LESS, EQUAL or GREATER."""
    return (a > b) - (a < b)


def digit_edges(
    state: DecimalState,
    after: Callable[[int, DecimalState], DecimalState | None],
    low_digits: str,
    high_digits: str,
    *,
    are_alike: bool = True,
) -> Edges:
    """Transitions by digits, where those between a digit of a bound and the next one lead to the same state.

    Args:
        after: state after a digit; None where no number goes on.
        low_digits, high_digits: of the bounds.
        are_alike: False if each digit leads elsewhere.
    """
    firsts = set(range(10)) if not are_alike else {0, 1} if state.count == 0 else {0}
    for order, digits in ((state.low, low_digits), (state.high, high_digits)):
        if order == EQUAL:
            digit = int(digits[state.count]) if state.count < len(digits) else 0
            firsts |= {digit, digit + 1} - {10}
    for first, end in itertools.pairwise([*sorted(firsts), 10]):
        following = after(first, state)
        if following is not None:
            yield ZERO + first, ZERO + end - 1, following


def explore(
    network: Network,
    start: DecimalState,
    steps: Callable[[DecimalState], Edges],
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


def _runs(edges: Edges) -> Edges:
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
