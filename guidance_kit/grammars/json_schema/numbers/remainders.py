"""Multiples: automata of numbers whose states have a remainder, explored and written as arrays.

An array has a row for each state of an interval and, behind its point, for whether a digit that is not 0 was read
beyond the places of all divisors.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import NamedTuple

import numpy as np

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.normal_forms.records import Numbers
from guidance_kit.grammars.json_schema.numbers.decimals import decimal_places
from guidance_kit.grammars.json_schema.numbers.exploration import POINT, START, ZERO, Comparison, joined
from guidance_kit.grammars.json_schema.numbers.intervals import DecimalInterval

__all__ = ["Steps", "write_with_remainders"]


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


_State = tuple[Comparison, bool]
"""State but for the remainder: that of the interval, and whether a digit that is not 0 was read beyond all places."""


def write_with_remainders(network: Network, interval: DecimalInterval, steps: Steps, source: int, target: int) -> None:
    """Write the decimals of an interval that satisfy the divisors; no path leads back to its start."""
    states, ways = _rows(interval, steps)
    after = _Transitions(steps.period)
    ends = np.array([_finals(state, interval, steps) for state in states])
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


def _rows(interval: DecimalInterval, steps: Steps) -> tuple[list[_State], list[list[_Way]]]:
    """States but for their remainders, and the transitions of each; neighbouring bytes joined."""
    states: list[_State] = [(START, False)]
    rows = dict.fromkeys(states, 0)
    ways: list[list[_Way]] = []
    for state in states:
        found: list[tuple[int, int, tuple[int, int, int]]] = []
        for first, last, following, factor, offset in _row_ways(state, interval, steps):
            if following not in rows:
                rows[following] = len(states)
                states.append(following)
            found.append((first, last, (rows[following], factor, offset)))
        ways.append([_Way(first, last, *target) for first, last, target in joined(found)])
    return states, ways


def _row_ways(state: _State, interval: DecimalInterval, steps: Steps) -> Iterator[tuple[int, int, _State, int, int]]:
    """First and last byte, next state, factor and offset (see `_Way`) of the transitions of a state."""
    here, is_fine = state
    period = steps.period
    is_beyond = here[0] - interval.point >= steps.places
    for first, last, following in interval.ways(here):
        if first == POINT or is_fine:
            yield first, last, (following, is_fine), 1 % period, 0
        elif not is_beyond:
            for byte in range(first, last + 1):
                yield byte, byte, (following, False), 10 % period, (byte - ZERO) % period
        else:
            if first == ZERO:
                yield ZERO, ZERO, (following, False), 1 % period, 0
            if last > ZERO and not steps.multiple:
                yield max(first, ZERO + 1), last, (following, True), 0, 0


def _finals(state: _State, interval: DecimalInterval, steps: Steps) -> np.ndarray:
    """Remainders with which a number may end in a state: bool (period,)."""
    (place, _, _), is_fine = state
    if not interval.may_end(state[0]):
        return np.zeros(steps.period, dtype=bool)
    if is_fine:
        return np.ones(steps.period, dtype=bool)
    return steps.allowed(max(steps.places - max(place - interval.point, 0), 0))


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
