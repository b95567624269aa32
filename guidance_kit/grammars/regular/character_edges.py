"""Edges of an automaton over bytes as edges over characters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.regular.charset import CharSet

__all__ = ["character_edges"]


def character_edges(automaton: Automaton, config: int) -> dict[int, CharSet]:
    """Characters of the edges of a configuration, by target."""
    known: dict[tuple[int, int], list[tuple[int, int, int]]] = {}

    def bytes_from(source: int) -> Iterable[tuple[int, int]]:
        for byte in automaton.live_bytes(source).nonzero()[0].tolist():
            yield byte, int(automaton.advance(source, bytes([byte]))[0])

    def rest(source: int, size: int) -> list[tuple[int, int, int]]:
        """Ranges (first, last, target) that `size` continuation bytes add to a code point."""
        found = known.get((source, size))
        if found is None:
            found = []
            for byte, target in bytes_from(source):
                base = (byte - 0x80) << 6 * (size - 1)
                found += [(base, base, target)] if size == 1 else [
                    (base + lo, base + hi, then) for lo, hi, then in rest(target, size - 1)
                ]  # fmt: skip
            known[source, size] = found = _merged(found)
        return found

    pieces: list[tuple[int, int, int]] = []
    for byte, target in bytes_from(config):
        if byte < 0x80:
            pieces.append((byte, byte, target))
        else:
            size = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
            base = (byte & (0x3F >> size)) << 6 * size
            pieces += [(base + lo, base + hi, then) for lo, hi, then in rest(target, size)]
    ranges: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for lo, hi, target in pieces:
        ranges[target].append((lo, hi))
    return {target: CharSet.of(found) for target, found in ranges.items()}


def _merged(pieces: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Sorted ranges, adjacent ones with the same target merged."""
    merged: list[tuple[int, int, int]] = []
    for lo, hi, target in sorted(pieces):
        if merged and merged[-1][2] == target and merged[-1][1] == lo - 1:
            merged[-1] = (merged[-1][0], hi, target)
        else:
            merged.append((lo, hi, target))
    return merged
