"""All spellings of characters inside JSON strings, as small automata and as edges that are ready to be copied.

Rules are written while a text is generated, and writing them edge by edge in Python takes longer than a mask may.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from guidance_kit.fsm.kernels.columns import FLAT, width
from guidance_kit.fsm.opcodes import FINAL
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.encoding import TEXT_CHARACTERS, byte_edges, utf8_template

__all__ = [
    "BACKSLASH", "QUOTE", "RAW", "SHORT", "SPELLINGS", "EscapeSpellings",
    "any_character", "anything_edges", "character_automaton", "character_template", "escape_edges", "spelling_edges",
    "text_edges",
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

_SHORT_BITS = sum(1 << code for code in SHORT)

QUOTE, BACKSLASH = 0x22, 0x5C

Template = list[list[tuple[int, int]]]
"""Edges (byte, local target) of each state: local target 0 is the end, k the k-th state, 1 the start."""


def _escape_template(charset: CharSet, *, every: bool) -> Template:
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
        place = 0  # of the first piece that does not end before the next digit
        for digit in range(16):
            lo, hi = base + digit * size, base + (digit + 1) * size - 1
            inside: list[tuple[int, int, int]] = []
            while place < len(pieces) and pieces[place][0] <= hi:
                a, b, then = pieces[place]
                inside.append((max(a, lo), min(b, hi), then))
                if b > hi:
                    break
                place += 1
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


def escape_edges(charset: CharSet, *, every: bool) -> tuple[np.ndarray, int]:
    """Automaton of the escapes of a character set, after the backslash, as edges in the order of `Network.flat`.

    The members up to U+00FF, of which sets differ most, are two hexadecimal digits after two zeros.

    Args:
        every: as of `_escape_template`.
    Returns:
        int32 (n, FLAT), edges by numbers of states, 0 is the start and 1 the end; the number of states.
    """
    rest = charset.bounds
    place = bisect_right(rest, 0x100)
    bits = sum((1 << min(rest[k + 1], 0x100)) - (1 << rest[k]) for k in range(0, place, 2))  # bit c for the member c
    flat = [1, FINAL, 0, 0]
    for code, byte in SHORT.items():
        if bits >> code & 1 and (every or code != 0x2F):
            flat += (0, byte[0] | byte[0] << 8, 1, 0)
    if not every:
        bits &= ~_SHORT_BITS
    size = 2
    if bits:
        zero, unit = 0x30 | 0x30 << 8, 0x75 | 0x75 << 8
        flat += (0, unit, 2, 0, 2, zero, 3, 0, 3, zero, 4, 0)
        size = 5
        rows: dict[int, int] = {}  # last digits -> digits before them
        for digit in range(16):
            row = bits >> 16 * digit & 0xFFFF
            rows[row] = rows.get(row, 0) | 1 << digit
        for row, before in rows.items():
            if row:
                for op in _digit_ops(before, every):
                    flat += (4, op, size, 0)
                for op in _digit_ops(row, every):
                    flat += (size, op, 1, 0)
                size += 1
    edges = np.array(flat, dtype=np.int32).reshape(-1, width(FLAT))
    if rest and rest[-1] > 0x100:
        beyond = rest[place:] if place % 2 == 0 else (0x100, *rest[place:])
        others, count = _escapes_beyond(CharSet(beyond), every)
        others = others + (others > 1) * np.array([size - 2, 0, size - 2, 0], dtype=np.int32)
        edges, size = np.concatenate([edges, others]), size + count - 2
    return edges, size


@lru_cache(maxsize=4096)
def _digit_ops(digits: int, every: bool) -> list[int]:
    """Intervals of bytes that are hexadecimal digits: bit k for digit k."""
    spelt = "".join(f"{digit:x}" for digit in range(16) if digits >> digit & 1)
    found = sorted({*spelt, *spelt.upper()} if every else spelt)
    return [op for op, _ in byte_edges((ord(digit), 0) for digit in found)]


@lru_cache(maxsize=1024)
def _escapes_beyond(charset: CharSet, every: bool) -> tuple[np.ndarray, int]:
    """See `escape_edges`; of characters beyond U+00FF."""
    template = _escape_template(charset, every=every)
    edges = [
        (number if number > 1 else 0, op, local or 1, 0)
        for number, ways in enumerate(template, 1)
        for op, local in byte_edges(sorted(ways))
    ]
    return np.array(edges, dtype=np.int32), len(template) + 1


@lru_cache(maxsize=4096)
def spelling_edges(character: str, spelling: EscapeSpellings) -> tuple[list[tuple[int, int, int]], int]:
    """All spellings of a character: (source, op, target) from state 0 to the last one, and the number of that."""
    ways = character_automaton(character, spelling)
    return [(here, byte | byte << 8, there) for here, edges in enumerate(ways) for byte, there in edges], len(ways)


class CharacterTemplate(NamedTuple):
    """All spellings of a character as places in a list of numbers: the target, inner states, and the constants.

    Attributes:
        inner: number of inner states.
        constants: numbers that are the same for all sources and targets.
        first: edges of the source, for which they have 0, as in `Network.flat`.
        later: edges of the inner states.
    """

    inner: int
    constants: tuple[int, ...]
    first: tuple[int, ...]
    later: tuple[int, ...]


@lru_cache(maxsize=4096)
def character_template(character: str, spelling: EscapeSpellings) -> CharacterTemplate:
    """See `CharacterTemplate`."""
    edges, last = spelling_edges(character, spelling)
    constants = (0, *sorted({op for _, op, _ in edges}))
    place = {constant: number for number, constant in enumerate(constants, last)}
    first: list[int] = []
    later: list[int] = []
    for here, op, there in edges:
        flat = later if here else first
        flat += (here or place[0], place[op], there % last, place[0])
    return CharacterTemplate(last - 1, constants, tuple(first), tuple(later))


@lru_cache(maxsize=4096)
def character_automaton(character: str, spelling: EscapeSpellings) -> list[list[tuple[int, int]]]:
    """The automaton of all spellings of a character: (byte, following state) of each state but the end, the last."""
    charset = CharSet.single(ord(character))
    template = _escape_template(charset, every=spelling.has_every) if charset & spelling.escaped else []
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


_OPEN, _CLOSED = b"\x80", b"\x81\x80"
"""Codes for the end of a text in `text_edges`: a state; the closing quote and a state."""


def text_edges(
    texts: Sequence[str], opened: int, spelling: EscapeSpellings
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges of all spellings of some texts, each to its own last state.

    Args:
        opened: number of the first texts that no closing quote follows.
    Returns:
        int32 (n, FLAT), edges as in `Network.flat`, by numbers of states; int32 (texts,), the first state of each text;
        its last one.
    """
    joined = "".join(texts)
    beyond = "" if joined.isascii() else "".join(sorted({character for character in joined if character > "\x7f"}))
    table = _table(beyond, spelling)
    parts_of = ((_OPEN, texts[:opened]), (_CLOSED, texts[opened:]))
    if beyond:
        numbers = {character: number for number, character in enumerate(beyond, _ENDS[-1] + 1)}
        spelt = ((after, [numbers.get(one) or ord(one) for one in text]) for after, group in parts_of for text in group)
        parts = np.array([part for after, places in spelt for part in (*places, *after)], dtype=np.intp)
    else:
        written = (after.join((*map(str.encode, group), b"")) for after, group in parts_of)
        parts = np.frombuffer(b"".join(written), dtype=np.uint8)
    counts, sizes = table.counts[parts], table.sizes[parts]
    before, ends = np.cumsum(sizes, dtype=np.int32) - sizes, np.cumsum(counts)
    rows = np.arange(ends[-1]) + np.repeat(table.first[parts] - ends + counts, counts)
    edges = table.edges[rows]
    shift = np.repeat(before, counts)
    edges[:, FLAT.source] += shift
    edges[:, FLAT.target] += shift
    lasts = before[(parts == _ENDS[0]).nonzero()[0]]
    return edges, np.concatenate([[0], lasts[:-1] + 1]), lasts


_ENDS = _OPEN[0], _CLOSED[0]


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
    template = _escape_template(spelling.escaped, every=spelling.has_every)
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
