"""Inclusion of the texts of one constraint in those of another, by the product of their automata."""

from __future__ import annotations

import string
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from guidance_kit.grammars.segmentation import automaton_of

if TYPE_CHECKING:
    from guidance_kit.fsm.automaton import Automaton
    from guidance_kit.grammars.constraint import Constraint

__all__ = ["ProductSearch", "search_product"]

_DEAD = 0

_PLAIN = np.full(256, 255)
_PLAIN[list((string.ascii_letters + string.digits).encode())] = np.arange(62)
_PLAIN[0x20:0x7F] = np.where(_PLAIN[0x20:0x7F] == 255, 100, _PLAIN[0x20:0x7F])
"""Order of bytes in a text where there is a choice."""


class ProductSearch(NamedTuple):
    """Result of a search for a text that one automaton accepts and the other does not.

    Attributes:
        text: a shortest such text in bytes; None if none was found.
        is_whole: whether all pairs of configurations were visited, so that without a text there is none.
        pairs: number of visited pairs.
    """

    text: bytes | None
    is_whole: bool
    pairs: int


def search_product(left: Constraint, right: Constraint, most: int) -> ProductSearch:
    """Search breadth first for a shortest text of `left` that is none of `right`.

    A pair of configurations is visited once. There are finitely many of regular languages, and of others there may be
    infinitely many: then the search ends after `most` pairs without a decision.

    Raises:
        LimitError: an automaton reaches a limit.
        UnsupportedFeature: a constraint has tokens by their numbers.
    """
    ours, theirs = automaton_of(left), automaton_of(right)
    start = ours.start, theirs.start
    before: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {start: None}
    todo = deque([start])
    while todo:
        pair = todo.popleft()
        mine, other = pair
        if ours.is_complete(mine) and not (other != _DEAD and theirs.is_complete(other)):
            return ProductSearch(_text(before, pair), True, len(before))
        for byte, following in _steps(ours, theirs, pair):
            if following not in before:
                if len(before) >= most:
                    return ProductSearch(None, False, len(before))
                before[following] = pair, byte
                todo.append(following)
    return ProductSearch(None, True, len(before))


def _steps(ours: Automaton, theirs: Automaton, pair: tuple[int, int]) -> list[tuple[int, tuple[int, int]]]:
    """Transitions from a pair, one for each class of bytes that both automata treat alike.

    A transition may build rules, which split classes: then all of them are taken again.
    """
    mine, other = pair
    while True:
        known = ours.arena.byte_class.astype(np.int32) * 256 + theirs.arena.byte_class
        live = np.flatnonzero(ours.live_bytes(mine))
        live = live[np.argsort(_PLAIN[live], kind="stable")]
        _, firsts = np.unique(known[live], return_index=True)
        found = [
            (byte, (_after(ours, mine, byte), _after(theirs, other, byte))) for byte in live[np.sort(firsts)].tolist()
        ]
        if np.array_equal(known, ours.arena.byte_class.astype(np.int32) * 256 + theirs.arena.byte_class):
            return found


def _after(automaton: Automaton, config: int, byte: int) -> int:
    if config == _DEAD:
        return _DEAD
    path = automaton.advance(config, bytes([byte]))
    return int(path[0]) if len(path) else _DEAD


def _text(before: dict[tuple[int, int], tuple[tuple[int, int], int] | None], pair: tuple[int, int]) -> bytes:
    text = bytearray()
    step = before[pair]
    while step is not None:
        pair, byte = step
        text.append(byte)
        step = before[pair]
    return bytes(reversed(text))
