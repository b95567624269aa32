"""Paths that read one character of a JSON string each, added to a network by array operations."""

from __future__ import annotations

from functools import partial

import numpy as np

from guidance_kit.fsm.kernels.columns import FLAT, width
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL
from guidance_kit.grammars.json_schema.strings.encoding import JsonString
from guidance_kit.grammars.json_schema.strings.spellings import BACKSLASH

__all__ = ["CharacterPaths"]

_MOST_BYTES = 4
"""Of a character in UTF-8."""

_NO_RULE = -1


class CharacterPaths:
    """Paths of characters in all their spellings; what follows a backslash is a rule for each character.

    Args:
        network: where to write.
        encoding: how characters are spelt.
    """

    def __init__(self, network: Network, encoding: JsonString) -> None:
        self._network = network
        self._encoding = encoding
        self._codes = np.empty(0, dtype=np.uint32)  # those met so far, ascending; the others are by their places
        self._raw = np.empty((0, _MOST_BYTES), dtype=np.uint8)  # unescaped, ...
        self._sizes = np.empty(0, dtype=np.intp)  # ... so many bytes
        self._rules = np.empty(0, dtype=np.int32)  # of the escapes; _NO_RULE if there are none

    def add(self, sources: np.ndarray, codes: np.ndarray, targets: np.ndarray) -> None:
        """Add a path for each of some characters.

        Args:
            sources: int32 (n,), state before each.
            codes: uint32 (n,), code points.
            targets: int32 (n,), state after each.
        """
        places = self._codes.searchsorted(codes)
        known = self._codes.take(places, mode="clip") if len(self._codes) else self._codes
        if not np.array_equal(known, codes):
            self._meet(np.setdiff1d(codes, self._codes))
            places = self._codes.searchsorted(codes)
        shapes = 2 * self._sizes[places] + (self._rules[places] != _NO_RULE)
        for shape in np.bincount(shapes).nonzero()[0].tolist():
            alike = (shapes == shape).nonzero()[0]
            self._add_alike(shape // 2, shape % 2, sources[alike], places[alike], targets[alike])

    def _add_alike(self, size: int, escapes: int, sources: np.ndarray, places: np.ndarray, targets: np.ndarray) -> None:
        """Add paths of characters that have as many bytes, 0 if they have to be escaped, and escapes or none."""
        inner = max(0, size - 1) + escapes
        first = self._network.states(inner * len(places)).start + inner * np.arange(len(places))
        states = [sources, *(first + place for place in range(size - 1)), targets]
        edges = np.zeros((len(places), size + 2 * escapes, width(FLAT)), dtype=np.int32)
        for place in range(size):
            byte = self._raw[places, place].astype(np.int32)
            edges[:, place, FLAT.source], edges[:, place, FLAT.target] = states[place : place + 2]
            edges[:, place, FLAT.op] = byte | byte << 8
        if escapes:
            before, call = edges[:, size], edges[:, size + 1]
            before[:, FLAT.source], before[:, FLAT.op] = sources, BACKSLASH | BACKSLASH << 8
            before[:, FLAT.target] = call[:, FLAT.source] = first + inner - 1
            call[:, FLAT.op], call[:, FLAT.rule], call[:, FLAT.after] = CALL, self._rules[places], targets
        self._network.flat.frombytes(edges.tobytes())

    def _meet(self, fresh: np.ndarray) -> None:
        """Enter characters, and declare the rules of their escapes."""
        raw = np.zeros((len(fresh), _MOST_BYTES), dtype=np.uint8)
        sizes, rules = np.zeros(len(fresh), dtype=np.intp), np.full(len(fresh), _NO_RULE, dtype=np.int32)
        for place, character in enumerate(map(chr, fresh.tolist())):
            data, write_escapes = self._encoding.spelling_of(character)
            raw[place, : len(data)], sizes[place] = list(data), len(data)
            if write_escapes is not None:
                rules[place] = self._network.rule(partial(write_escapes, self._network), nullable=False, name="escape")
        self._codes = np.concatenate([self._codes, fresh])
        order = self._codes.argsort()
        self._codes = self._codes[order]
        self._raw = np.concatenate([self._raw, raw])[order]
        self._sizes = np.concatenate([self._sizes, sizes])[order]
        self._rules = np.concatenate([self._rules, rules])[order]
