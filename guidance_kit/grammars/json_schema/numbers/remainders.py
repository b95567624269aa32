"""Automata of numbers whose states have a remainder: explored and written as arrays, a row a state without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.numbers.exploration import DecimalState, Edges

__all__ = ["write_with_remainders"]


class _Way(NamedTuple):
    """Transition of a row: remainder r goes to factor * r + offset, by the period.

    Args:
        first, last: bytes.
        row: where it leads.
    """

    first: int
    last: int
    row: int
    factor: int
    offset: int


def write_with_remainders(
    network: Network,
    start: DecimalState,
    steps: Callable[[DecimalState], Edges],
    finals: Callable[[DecimalState], np.ndarray],
    period: int,
    source: int,
    target: int,
) -> None:
    """Write the live part of an automaton that is given by functions; no path leads back to `start`.

    Args:
        steps: (first byte, last byte, state) for each transition of a state, digits ascending, one each. Which there
            are, and where they lead but for the remainder, does not depend on it; the new one is affine in the old one.
        finals: bool (period,), true for the remainders with which a number may end in a state.
        period: remainders are less.
    """
    states, ways = _rows(start, steps, period)
    after = _Transitions(period)
    ends = np.array([finals(state) for state in states])
    reached = _reached(ways, after)
    alive = _alive(ways, ends & reached, reached, after)
    places = np.full(alive.shape, source)
    others = alive.copy()
    others[0] = False
    new = network.states(int(others.sum()))
    places[others] = np.arange(new.start, new.stop)
    for row, found in enumerate(ways):
        remainders = np.flatnonzero(alive[row])
        for way in found:
            following = after[way][remainders]
            is_kept = alive[way.row, following]
            edges = np.zeros((int(is_kept.sum()), 4), dtype=np.int32)
            edges[:, 0] = places[row, remainders[is_kept]]
            edges[:, 1] = way.first | way.last << 8
            edges[:, 2] = places[way.row, following[is_kept]]
            network.flat.frombytes(edges.tobytes())
        for place in places[row, alive[row] & ends[row]].tolist():
            network.epsilon(place, target)


class _Transitions:
    """Remainders after each remainder, for each way: int64 (period,). Ways with the same digit share theirs."""

    def __init__(self, period: int) -> None:
        self.period = period
        self._known: dict[tuple[int, int], np.ndarray] = {}

    def __getitem__(self, way: _Way) -> np.ndarray:
        key = way.factor, way.offset
        if key not in self._known:
            self._known[key] = (way.factor * np.arange(self.period) + way.offset) % self.period
        return self._known[key]


def _rows(
    start: DecimalState, steps: Callable[[DecimalState], Edges], period: int
) -> tuple[list[DecimalState], list[list[_Way]]]:
    """States but for their remainders, which are 0 here, and the transitions of each; neighbouring bytes joined."""
    states, rows = [start], {start: 0}
    ways: list[list[_Way]] = []
    for state in states:
        found: list[_Way] = []
        others = steps(state._replace(remainder=1 % period))
        for (first, last, following), (_, _, other) in zip(steps(state), others, strict=True):
            offset = following.remainder
            following = following._replace(remainder=0)
            if following not in rows:
                rows[following] = len(states)
                states.append(following)
            way = _Way(first, last, rows[following], (other.remainder - offset) % period, offset)
            if found and found[-1]._replace(first=first, last=last) == way and found[-1].last == first - 1:
                way = way._replace(first=found.pop().first)
            found.append(way)
        ways.append(found)
    return states, ways


def _reached(ways: list[list[_Way]], after: _Transitions) -> np.ndarray:
    """States to which texts lead from remainder 0 of row 0: bool (rows, period)."""
    reached = np.zeros((len(ways), after.period), dtype=bool)
    reached[0, 0] = True
    fresh = {0: reached[0].copy()}
    while fresh:
        later: dict[int, np.ndarray] = {}
        for row, new in fresh.items():
            remainders = np.flatnonzero(new)
            for way in ways[row]:
                following = after[way][remainders]
                following = following[~reached[way.row, following]]
                if len(following):
                    reached[way.row, following] = True
                    later.setdefault(way.row, np.zeros(after.period, dtype=bool))[following] = True
        fresh = later
    return reached


def _alive(ways: list[list[_Way]], ends: np.ndarray, reached: np.ndarray, after: _Transitions) -> np.ndarray:
    """States among those `reached` from which texts lead to `ends`: bool (rows, period)."""
    callers: list[list[tuple[int, _Way]]] = [[] for _ in ways]
    for row, found in enumerate(ways):
        for way in found:
            callers[way.row].append((row, way))
    alive = ends.copy()
    fresh = {row: ends[row] for row in range(len(ways)) if ends[row].any()}
    while fresh:
        later: dict[int, np.ndarray] = {}
        for row, new in fresh.items():
            for caller, way in callers[row]:
                found = new[after[way]] & reached[caller] & ~alive[caller]
                if found.any():
                    alive[caller] |= found
                    later[caller] = later.get(caller, False) | found
        fresh = later
    return alive
