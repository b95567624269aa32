"""All spellings of characters inside JSON strings, as small automata and as edges that are ready to be copied.

Rules are written while a text is generated, and writing them edge by edge in Python takes longer than a mask may.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from guidance_kit.fsm.kernels.columns import FLAT
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.encoding import TEXT_CHARACTERS, byte_edges, utf8_template

__all__ = [
    "BACKSLASH", "CLOSED", "OPEN", "QUOTE", "RAW", "SHORT", "SPELLINGS", "EscapeSpellings", "Template",
    "any_character", "anything_edges", "character_automaton", "escape_template", "spelling_edges", "text_edges",
]  # fmt: skip

RAW = TEXT_CHARACTERS
"""Characters that need no escape in a JSON string (RFC 8259, section 7: `unescaped`)."""

SHORT = {0x22: b'"', 0x5C: b"\\", 0x2F: b"/", 0x08: b"b", 0x0C: b"f", 0x0A: b"n", 0x0D: b"r", 0x09: b"t"}
"""Code point -> character of its short escape, after the backslash."""


class EscapeSpellings(NamedTuple):
    """Unescaped and escaped characters of one mode of escaping.

    Args:
        raw: those that may stand as they are.
        escaped: those that may be escaped.
        has_every: whether by all escapes that JSON has; otherwise by the one that `json.dumps` writes.
    """

    raw: CharSet
    escaped: CharSet
    has_every: bool = False


_ASCII = RAW & CharSet.of([(0x20, 0x7E)])

SPELLINGS = {
    "all": EscapeSpellings(RAW, ALL, has_every=True),
    "minimal": EscapeSpellings(RAW, ALL - RAW),
    "ascii": EscapeSpellings(_ASCII, ALL - _ASCII),
}

QUOTE, BACKSLASH = 0x22, 0x5C

Template = list[list[tuple[int, int]]]
"""Edges (byte, local target) of each state: local target 0 is the end, k the k-th state, 1 the start."""


def escape_template(charset: CharSet, *, every: bool) -> Template:
    """Automaton of the escapes of a character set, after the backslash.

    Args:
        every: all escapes of each character; otherwise the one that `json.dumps` writes.
    """
    states: Template = [[]]
    known: dict[tuple[tuple[int, int], ...], int] = {}
    wholes: dict[tuple[int, int], int] = {}
    digits = [b"%x" % digit + (b"%X" % digit if every and digit > 9 else b"") for digit in range(16)]

    def state(ways: list[tuple[int, int]]) -> int:
        key = tuple(ways)
        number = known.get(key)
        if number is None:
            states.append(ways)
            number = known[key] = len(states)
        return number

    def low_surrogates(offsets: list[tuple[int, int]]) -> int:
        """State before the `\\uDC00`-`\\uDFFF` that ends a pair, for inclusive ranges of its last ten bits."""
        units = [(lo + 0xDC00, hi + 0xDC00, 0) for lo, hi in offsets]
        return state([(BACKSLASH, state([(0x75, unit(units, 0, 4096))]))])

    def unit(pieces: list[tuple[int, int, int]], base: int, size: int) -> int:
        """State that reads the hexadecimal digits of a code unit in base .. base + 16 * size - 1.

        `pieces` are inclusive ranges of units with the state to go to after them, in order.
        """
        whole = (size, pieces[0][2]) if pieces[0][:2] == (base, base + 16 * size - 1) else None
        if whole in wholes:
            return wholes[whole]
        ways: list[tuple[int, int]] = []
        for digit in range(16):
            lo, hi = base + digit * size, base + (digit + 1) * size - 1
            inside = [(max(a, lo), min(b, hi), then) for a, b, then in pieces if a <= hi and b >= lo]
            if inside:
                target = inside[0][2] if size == 1 else unit(inside, lo, size // 16)
                ways += [(byte, target) for byte in digits[digit]]
        number = state(ways)
        if whole is not None:
            wholes[whole] = number
        return number

    for code, byte in SHORT.items():
        if code in charset and (every or code != 0x2F):
            states[0].append((byte[0], 0))
    if not every:
        charset = charset - CharSet.of((code, code) for code in SHORT)
    pieces = [(lo, hi, 0) for lo, hi in (charset & _BASIC).ranges]
    partial: dict[int, list[tuple[int, int]]] = {}
    for lo, hi in (charset & _ASTRAL).ranges:
        (high, first), (end, last) = divmod(lo - 0x10000, 0x400), divmod(hi - 0x10000, 0x400)
        if first > 0 or (high == end and last < 0x3FF):
            partial.setdefault(high, []).append((first, 0x3FF if high < end else last))
            high += 1
        if high <= end and last < 0x3FF:
            partial.setdefault(end, []).append((0, last))
            end -= 1
        if high <= end:
            pieces.append((0xD800 + high, 0xD800 + end, low_surrogates([(0, 0x3FF)])))
    pieces += [(0xD800 + high, 0xD800 + high, low_surrogates(offsets)) for high, offsets in partial.items()]
    if pieces:
        states[0].append((0x75, unit(sorted(pieces), 0, 4096)))
    return states


@lru_cache(maxsize=4096)
def spelling_edges(character: str, spelling: EscapeSpellings) -> tuple[list[tuple[int, int, int]], int]:
    """All spellings of a character: (source, op, target) from state 0 to the last one, and the number of that."""
    ways = character_automaton(character, spelling)
    return [(here, byte | byte << 8, there) for here, edges in enumerate(ways) for byte, there in edges], len(ways)


@lru_cache(maxsize=4096)
def character_automaton(character: str, spelling: EscapeSpellings) -> list[list[tuple[int, int]]]:
    """The automaton of all spellings of a character: (byte, following state) of each state but the end, the last."""
    charset = CharSet.single(ord(character))
    template = escape_template(charset, every=spelling.has_every) if charset & spelling.escaped else []
    data = character.encode() if charset & spelling.raw else b""
    end = 1 + len(template) + max(len(data) - 1, 0)
    ways: list[list[tuple[int, int]]] = [[]]
    if template:
        ways[0].append((BACKSLASH, 1))
        ways += ([(byte, local or end) for byte, local in state] for state in template)
    here = 0
    for number, byte in enumerate(data, 1):
        there = len(ways) if number < len(data) else end
        ways[here].append((byte, there))
        if there != end:
            ways.append([])
        here = there
    return ways


OPEN, CLOSED = b"\x80", b"\x81\x80"
"""Codes for the end of a text in `text_edges`: a state; the closing quote and a state."""


def text_edges(
    texts: Sequence[str], after: bytes, spelling: EscapeSpellings
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges of all spellings of some texts, each to its own last state.

    Args:
        after: OPEN or CLOSED.
    Returns:
        int32 (n, FLAT), edges as in `Network.flat`, by numbers of states; int32 (texts,), the first state of each text;
        its last one.
    """
    joined = "".join(texts)
    beyond = "" if joined.isascii() else "".join(sorted({character for character in joined if character > "\x7f"}))
    table = _table(beyond, spelling)
    if beyond:
        numbers = {character: number for number, character in enumerate(beyond, _ENDS[-1] + 1)}
        written = [[numbers.get(character) or ord(character) for character in text] for text in texts]
        parts = np.array([part for places in written for part in (*places, *after)], dtype=np.intp)
    else:
        parts = np.frombuffer(after.join((*map(str.encode, texts), b"")), dtype=np.uint8)
    counts, sizes = table.counts[parts], table.sizes[parts]
    before, ends = np.cumsum(sizes, dtype=np.int32) - sizes, np.cumsum(counts)
    rows = np.arange(ends[-1]) + np.repeat(table.first[parts] - ends + counts, counts)
    edges = table.edges[rows]
    shift = np.repeat(before, counts)
    edges[:, FLAT.source] += shift
    edges[:, FLAT.target] += shift
    lasts = before[np.cumsum([len(text) + len(after) for text in texts]) - 1]
    return edges, np.concatenate([[0], lasts[:-1] + 1]), lasts


_ENDS = OPEN[0], CLOSED[0]


class _Table(NamedTuple):
    """The spellings of all characters of ASCII, the `_ENDS`, and some other characters.

    Attributes:
        edges: int32 (n, 4), those of all, one after the other; the states of each begin with 0.
        first, counts: int64 (m,), where those of each begin, and how many they are.
        sizes: int32 (m,), number of states but the last.
    """

    edges: np.ndarray
    first: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray


@lru_cache(maxsize=256)
def _table(beyond: str, spelling: EscapeSpellings) -> _Table:
    parts = [spelling_edges(chr(code), spelling) for code in range(0x80)]
    parts += ([], 1), ([(0, QUOTE | QUOTE << 8, 1)], 1)
    parts += (spelling_edges(character, spelling) for character in beyond)
    counts = np.array([len(edges) for edges, _ in parts])
    sizes = np.array([size for _, size in parts], dtype=np.int32)
    edges = np.array([(*edge, 0) for edges, _ in parts for edge in edges], dtype=np.int32)
    return _Table(edges, np.cumsum(counts) - counts, counts, sizes)


@cache
def any_character(spelling: EscapeSpellings) -> list[list[tuple[int, int]]]:
    """The automaton of all spellings of all characters: (op, following state); 0 is both the start and the end."""
    beyond = spelling.raw.beyond_ascii
    first, inner = utf8_template(beyond) if beyond else ([], [])
    template = escape_template(spelling.escaped, every=spelling.has_every)
    shift = len(inner)  # states 1.. are those after a lead byte, then come those after a backslash
    ascii_edges = [(lo | min(hi, 0x7F) << 8, 0) for lo, hi in spelling.raw.ranges if lo < 0x80]
    states = [[*ascii_edges, (BACKSLASH | BACKSLASH << 8, shift + 1), *first], *map(list, inner)]
    states += (byte_edges(sorted((byte, local and shift + local) for byte, local in ways)) for ways in template)
    return states


@cache
def anything_edges(spelling: EscapeSpellings) -> tuple[np.ndarray, int]:
    """`any_character` as edges, and the number of its states."""
    states = any_character(spelling)
    edges = [(here, op, there, 0) for here, ways in enumerate(states) for op, there in ways]
    return np.array(edges, dtype=np.int32), len(states)


_BASIC = CharSet.of([(0, 0xFFFF)])
_ASTRAL = CharSet.of([(0x10000, 0x10FFFF)])
