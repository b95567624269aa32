"""Edges of an automaton over bytes as edges over characters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.regular.charset import CharSet

__all__ = ["CharacterEdges"]


class CharacterEdges:
    """Edges over characters of one automaton.

    Configurations within a character are often the same for many configurations between characters, so what follows
    them is kept.
    """

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._rests: dict[tuple[int, int], list[tuple[int, int, int]]] = {}

    def of(self, config: int) -> dict[int, CharSet]:
        """Characters of the edges of a configuration, by target."""
        ranges: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for byte, target in self._bytes(config):
            if byte < 0x80:
                ranges[target].append((byte, byte))
                continue
            size = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
            base = (byte & (0x3F >> size)) << 6 * size
            for lo, hi, then in self._rest(target, size):
                ranges[then].append((base + lo, base + hi))
        return {target: CharSet.of(found) for target, found in ranges.items()}

    def _bytes(self, config: int) -> Iterator[tuple[int, int]]:
        """Bytes that can be read, with their targets."""
        for byte in self._automaton.live_bytes(config).nonzero()[0].tolist():
            yield byte, int(self._automaton.advance(config, bytes([byte]))[0])

    def _rest(self, config: int, size: int) -> list[tuple[int, int, int]]:
        """Ranges (first, last, target) that `size` continuation bytes add to a code point."""
        found = self._rests.get((config, size))
        if found is None:
            found = []
            for byte, target in self._bytes(config):
                base = (byte - 0x80) << 6 * (size - 1)
                found += [(base, base, target)] if size == 1 else [
                    (base + lo, base + hi, then) for lo, hi, then in self._rest(target, size - 1)
                ]  # fmt: skip
            self._rests[config, size] = found = _merged(found)
        return found


def _merged(pieces: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Sorted ranges, adjacent ones with the same target merged."""
    merged: list[tuple[int, int, int]] = []
    for lo, hi, target in sorted(pieces):
        if merged and merged[-1][2] == target and merged[-1][1] == lo - 1:
            merged[-1] = (merged[-1][0], hi, target)
        else:
            merged.append((lo, hi, target))
    return merged
