"""Texts that fit a constraint, to look at: a random walk without a model, which knows its way to the end."""

from __future__ import annotations

import heapq
import string
from itertools import count
from random import Random
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from guidance_kit.fsm.automaton import Automaton

__all__ = ["sample"]

_LONG = {True: 300, False: 40}
"""Bytes after which the text is brought to its end; if it is JSON, and if not."""

_LONGEST = 20_000
"""Bytes after which the walk gives up."""

_LONG_RUN = 16
"""Bytes inside a JSON string that cannot be closed yet, after which the walk looks for where it can."""

_FREE = 64
"""With more live bytes than this the walk is inside free text."""

_MOST_LOOKED_AT = 20_000
"""Configurations that a search for the shortest way looks at."""

_QUOTE = ord('"')
_ENDS = np.isin(np.arange(256), list(b'"]},'))
_BRACKETS = np.isin(np.arange(256), list(b"[]{},"))
_STRUCTURE = _BRACKETS | (np.arange(256) == _QUOTE)
_NOT_EXPONENT = ~np.isin(np.arange(256), list(b"eE"))
_LETTERS = np.isin(np.arange(256), list(string.ascii_letters.encode()))


_PRINTABLE = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "\\")
_TOWARDS_THE_END = [
    np.isin(np.arange(256), list(group.encode())).astype(np.float64)
    for group in ("}", "]", '"', ",", ":", string.digits, "ntf", "-[{.", string.ascii_letters, _PRINTABLE)
]


def _weights() -> np.ndarray:
    """How readily the walk takes each byte: float64, (256,). Chosen by eye, for texts that are pleasant to read."""
    weights = np.full(256, 1e-4)
    weights[0x21:0x7F] = 0.02
    weights[ord("\\")] = 1e-4
    for letters in ("eeeeeetttttaaaaooooiiiinnnnsssshhhrrrddllccuummffppggwwybvk", "ETAOINSRHLDCUMFPGWYBVK"):
        for letter in letters:
            weights[ord(letter)] += 0.2 if letter.islower() else 0.02
    weights[list(string.digits.encode())] = 0.25
    for byte, weight in {
        " ": 0.5,
        '"': 0.8,
        ",": 0.3,
        "]": 0.5,
        "}": 0.15,
        "-": 0.2,
        ".": 0.3,
        "[": 0.5,
        "{": 0.5,
    }.items():
        weights[ord(byte)] = weight
    return weights


def _costs() -> np.ndarray:
    """What each byte costs on the shortest way: float64, (256,)."""
    costs = np.full(256, 6.0)
    costs[0x20:0x7F] = 1.5
    costs[_LETTERS] = 1.1
    costs[list((string.ascii_lowercase + string.digits + '"{}[]:,').encode())] = 1.0
    costs[ord("\\")] = 6.0
    return costs


def sample(automaton: Automaton, draw: Random, *, is_json: bool) -> bytes | None:
    """One text of the language, another one each time; None if no short one was found."""
    weights, costs = _weights(), _costs()
    text = bytearray()
    config, run = automaton.start, 0
    while len(text) < _LONGEST:
        live = automaton.live_bytes(config)
        is_complete = automaton.is_complete(config)
        is_long = len(text) >= _LONG[is_json]
        if is_complete and (is_long or not live.any() or draw.random() < (0.4 if len(text) > 2 else 0.1)):
            return bytes(text)
        is_free = live.sum() > _FREE
        if is_json:
            goes_straight = is_free and not live[_QUOTE] and (is_long or run >= _LONG_RUN)
        else:
            goes_straight = is_long
        if goes_straight:
            way = _shortest(automaton, config, bytes(text), costs, until_quote=is_json)
            if way is None:
                return None
            config = int(automaton.advance(config, way, bytes(text))[-1])
            text += way
            run = 4 * _LONG_RUN  # it may be closed now, and should be soon
            continue
        if is_long:
            chances = _ending(live)
        else:
            chances = weights * live
            if is_json:
                chances[_ENDS] *= 1 + run / 4 + (len(text) / 100) ** 2
            if is_free:  # quotes and brackets are for structure, not for strings
                chances[_BRACKETS if is_json else _STRUCTURE] *= 0.02
            if live[ord("0")] and not (live & _LETTERS)[_NOT_EXPONENT].any():
                chances[_LETTERS] *= 0.01
        byte = draw.choices(range(256), chances.tolist())[0]
        config = int(automaton.advance(config, bytes([byte]), bytes(text))[0])
        text.append(byte)
        run = 0 if byte in b'"{}[],:' else run + 1
    return None


def _ending(live: np.ndarray) -> np.ndarray:
    """Chances of the bytes that bring a JSON text to its end: what closes comes first, new values last."""
    if live.sum() > _FREE and live[_QUOTE]:
        return (np.arange(256) == _QUOTE).astype(np.float64)
    for group in _TOWARDS_THE_END:
        chances = group * live
        if chances.any():
            return chances
    return live.astype(np.float64)


def _shortest(automaton: Automaton, config: int, text: bytes, costs: np.ndarray, *, until_quote: bool) -> bytes | None:
    """The cheapest way from `config`, where `text` led, to where the text is complete, or where a quote can come.

    Returns:
        At least one byte; None if it is too far.
    """
    serial = count()
    heap = [(0.0, next(serial), config, b"")]
    known: set[int] = set()
    while heap and len(known) < _MOST_LOOKED_AT:
        cost, _, here, way = heapq.heappop(heap)
        if here in known:
            continue
        known.add(here)
        live = automaton.live_bytes(here)
        if way and (automaton.is_complete(here) or (until_quote and live[_QUOTE] and way[-1:] != b"\\")):
            return way
        classes = automaton.arena.byte_class
        cheapest: dict[int, int] = {}
        for byte in np.flatnonzero(live).tolist():
            kind = int(classes[byte])
            if kind not in cheapest or costs[byte] < costs[cheapest[kind]]:
                cheapest[kind] = byte
        for byte in cheapest.values():
            step = bytes([byte])
            after = int(automaton.advance(here, step, text + way)[0])
            heapq.heappush(heap, (cost + float(costs[byte]), next(serial), after, way + step))
    return None
