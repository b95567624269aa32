"""All strings but some, in all spellings: a trie of those, left at the first other character.

An object has such a rule for its undeclared keys, which is written in the middle of a mask. So what follows a place of
the trie is found once in a process for each set of characters, and a block of places is written by array operations.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from guidance_kit.fsm.kernels.columns import FLAT, width
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.strings.spellings import (
    QUOTE,
    EscapeSpellings,
    any_character,
    character_automaton,
)

__all__ = ["MOST_PLACES", "Continuation", "write_other_strings"]

MOST_PLACES = 64
"""Places of the trie that are written at once; what follows further ones is written when a text gets there."""

_FREE, _INNER, _CHILD = range(3)
"""Kinds of targets: a state of `any_character`, one of the same place, the place after a character."""

_KIND = FLAT.after
"""Column of the kind of target."""


class Continuation(NamedTuple):
    """Place of the trie that has not been written.

    Attributes:
        state: stands for it.
        texts: the strings that begin so, sorted.
        read: number of characters of the place.
    """

    state: int
    texts: tuple[str, ...]
    read: int


def write_other_strings(
    network: Network, texts: Sequence[str], read: int, spelling: EscapeSpellings, free: int, end: int
) -> tuple[int, list[Continuation]]:
    """Write the rest of all strings but some, closing quote included.

    Args:
        texts: the others, sorted, with the same first `read` characters.
        spelling: of characters.
        free: state at which `any_character` begins in the network.
        end: state after the closing quote.
    Returns:
        The first state, and what is left to be written, which ends in `end` too.
    """
    places = [(0, len(texts), read)]
    parts: list[tuple[np.ndarray, int]] = []
    children: list[int] = []  # of each part, the number of its first child
    unfinished: list[int] = []  # parts at which none of the texts ends
    for first, last, length in places:
        if len(parts) == MOST_PLACES:
            break
        if len(texts[first]) == length:
            first += 1
        else:
            unfinished.append(len(parts))
        children.append(len(places))
        characters = ""
        while first < last:
            character, begin = texts[first][length], first
            while first < last and texts[first][length] == character:
                first += 1
            characters += character
            places.append((begin, first, length + 1))
        parts.append(_fork(characters, spelling))
    written = len(parts)
    sizes = np.array([*(size for _, size in parts), *[1] * (len(places) - written)], dtype=np.int32)
    starts = np.cumsum(sizes, dtype=np.int32) - sizes
    starts += network.states(int(starts[-1] + sizes[-1])).start
    edges = np.concatenate([rows for rows, _ in parts])
    counts = [len(rows) for rows, _ in parts]
    shift = np.repeat(starts[:written], counts)
    kinds, targets = edges[:, _KIND].copy(), edges[:, FLAT.target]
    forks = np.flatnonzero(kinds == _CHILD)
    following = starts[targets[forks] + np.repeat(np.array(children), counts)[forks]]
    targets += np.where(kinds == _INNER, shift, free)
    targets[forks] = following
    edges[:, FLAT.source] += shift
    edges[:, _KIND] = 0
    network.flat.frombytes(edges.tobytes())
    for part in unfinished:
        network.byte(int(starts[part]), QUOTE, QUOTE, end)
    rest = zip(starts[written:].tolist(), places[written:], strict=True)
    return int(starts[0]), [Continuation(state, tuple(texts[one:other]), at) for state, (one, other, at) in rest]


@lru_cache(maxsize=4096)
def _fork(characters: str, spelling: EscapeSpellings) -> tuple[np.ndarray, int]:
    """All spellings of one character, of which chosen ones lead to children of their own.

    Args:
        characters: those, sorted.
    Returns:
        int32 (n, FLAT), edges from and to local states, the first of which is 0, with the kind of their target in
        `_KIND`; a child is numbered by its character. And the number of states.
    """
    general, owners = any_character(spelling), _owners(spelling)
    special = [character_automaton(character, spelling) for character in characters]
    # A state: one of the general automaton, and where each special character is that could still be the one.
    start: _Place = (0, tuple((which, 0) for which in range(len(special))))
    known: dict[_Place, int] = {start: 0}
    todo: list[_Place] = [start]
    rows = array("i")
    for here, (state, places) in enumerate(todo):
        following: dict[int, list[tuple[int, int]]] = {}
        for which, place in places:
            for byte, there in special[which][place]:
                following.setdefault(byte, []).append((which, there))
        split: dict[int, list[int]] = {}
        for byte in sorted(following):
            split.setdefault(owners[state][byte], []).append(byte)
        for number, (op, target) in enumerate(general[state]):
            if number not in split:
                rows.extend((here, op, target, _FREE))
                continue
            lo, hi = op & 255, op >> 8
            for byte in split[number]:
                if lo < byte:
                    rows.extend((here, lo | byte - 1 << 8, target, _FREE))
                lo = byte + 1
                after = following[byte]
                which, place = after[0]
                if place == len(special[which]):
                    rows.extend((here, byte | byte << 8, which, _CHILD))
                    continue
                key = (target, tuple(after))
                if key not in known:
                    known[key] = len(known)
                    todo.append(key)
                rows.extend((here, byte | byte << 8, known[key], _INNER))
            if lo <= hi:
                rows.extend((here, lo | hi << 8, target, _FREE))
    return np.array(rows, dtype=np.int32).reshape(-1, width(FLAT)), len(known)


_Place = tuple[int, tuple[tuple[int, int], ...]]


@cache
def _owners(spelling: EscapeSpellings) -> list[dict[int, int]]:
    """For each state of `any_character` the number of the edge that reads a byte."""
    return [
        {byte: number for number, (op, _) in enumerate(ways) for byte in range(op & 255, (op >> 8) + 1)}
        for ways in any_character(spelling)
    ]
