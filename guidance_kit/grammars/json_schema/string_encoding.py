"""How characters are spelt inside JSON strings: raw, by a short escape, or by their code units in hexadecimal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from guidance_kit.fsm.fragment import shared_rule
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.slices import CONTENT, TEXT
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.encoding import TEXT_CHARACTERS, UTF8, utf8_template

__all__ = ["ALL_ESCAPES", "MINIMAL_ESCAPES", "Escapes", "JsonString"]

Escapes = Literal["all", "minimal"]

RAW = TEXT_CHARACTERS
"""Characters that may stand in a JSON string as they are (RFC 8259, section 7: `unescaped`)."""

SHORT = {0x22: b'"', 0x5C: b"\\", 0x2F: b"/", 0x08: b"b", 0x0C: b"f", 0x0A: b"n", 0x0D: b"r", 0x09: b"t"}
"""Code point -> what follows the backslash in its short escape."""

NEEDS_ESCAPE = ALL - RAW

_QUOTE, _BACKSLASH = 0x22, 0x5C

# One state of a template: edges (byte, local target); local target 0 is the end, k the k-th state, 1 the start.
_Template = list[list[tuple[int, int]]]


class JsonString:
    """The spellings of characters between the quotes of a JSON string; an `Encoding` of the regular front end.

    With `escapes="all"` every character has its raw form (if RFC 8259 allows one), its short escape and its
    hexadecimal escapes in either case, surrogate pairs included. With "minimal" it has exactly the form that
    `json.dumps(text, ensure_ascii=False)` writes. Lone surrogates are never spelt.

    What follows a backslash is a rule of its own, one for each set of several characters, built when a text gets there.
    """

    def __init__(self, escapes: Escapes) -> None:
        self.escapes: Escapes = escapes
        self._templates: dict[CharSet, _Template] = {}
        self._anything: WeakKeyDictionary[Network, tuple[int, int]] = WeakKeyDictionary()

    def add(self, network: Network, source: int, charset: CharSet, target: int) -> None:
        """Add paths from `source` to `target` that read exactly one character of the non-empty `charset`."""
        if charset.bounds[0] + 1 == charset.bounds[-1]:
            self.literal(network, source, chr(charset.bounds[0]), target)
            return
        raw = charset & RAW
        if raw:
            UTF8.add(network, source, raw, target)
        escaped = charset if self.escapes == "all" else charset & NEEDS_ESCAPE
        if escaped:
            middle = network.state()
            network.byte(source, _BACKSLASH, _BACKSLASH, middle)
            network.call(middle, self._escape_rule(network, escaped), target)
            if escaped == ALL:
                network.treats_alike(source, 1 << CONTENT)

    def literal(self, network: Network, source: int, text: str, target: int) -> None:
        """Add paths from `source` to `target` that read all spellings of `text`; for the empty text an epsilon edge."""
        if text:
            edges, size = _literal(text, self.escapes == "all")
            base = network.states(size - 1).start - 1
            copy = edges + np.array([base, 0, base, 0], dtype=np.int32)
            copy[edges[:, 0] == 0, 0] = source
            copy[edges[:, 2] == size, 2] = target
            network.flat.frombytes(copy.tobytes())
        else:
            network.epsilon(source, target)

    def closed(self, network: Network, ways: Sequence[tuple[int, str, int]]) -> None:
        """Add paths that read all spellings of texts and the quote after them: (source, text, target) each."""
        every = self.escapes == "all"
        parts: list[tuple[np.ndarray, int]] = []
        ends = []
        for _, text, _ in ways:
            parts += (*(_spelling_edges(character, every) for character in text), _QUOTE_EDGE, _NO_EDGE)
            ends.append(len(parts))
        if not parts:
            return
        edges, before, _ = _in_a_row(parts)
        sizes = np.cumsum([size for _, size in parts])
        after = sizes[np.array(ends) - 1]  # where each text ends, its last state included
        names = np.arange(sizes[-1], dtype=np.int32) + network.states(int(sizes[-1])).start
        names[np.concatenate([[0], after[:-1]])] = [source for source, _, _ in ways]
        names[after - 1] = [target for _, _, target in ways]
        edges[:, 0] = names[edges[:, 0] + before]
        edges[:, 2] = names[edges[:, 2] + before]
        network.flat.frombytes(edges.tobytes())

    def anything(self, network: Network) -> tuple[int, int]:
        """The state that reads the rest of any string, closing quote included, and the state after that.

        They are the same for all rules of a network, which may end in the second.
        """
        states = self._anything.get(network)
        if states is None:
            edges, size = _anything(self.escapes == "all")
            base, end = network.states(size).start, network.state()
            network.flat.frombytes((edges + np.array([base, 0, base, 0], dtype=np.int32)).tobytes())
            network.treats_alike(base, 1 << TEXT | (1 << CONTENT if self.escapes == "all" else 0))
            network.byte(base, _QUOTE, _QUOTE, end)
            network.final(end)
            states = self._anything[network] = base, end
        return states

    def fork(self, network: Network, source: int, ways: Mapping[str, int]) -> None:
        """Add paths from `source` that read one character: to a state for some, to `anything` for all others."""
        stencil = _fork("".join(sorted(ways)), self.escapes == "all")
        stencil.copy(network, source, self.anything(network)[0], [ways[character] for character in sorted(ways)])

    def all_but(self, network: Network, source: int, text: str) -> None:
        """Add paths from `source` that read the rest of any string but one, closing quote included.

        They end in the state after `anything`.
        """
        free, end = self.anything(network)
        _all_but(text, self.escapes == "all").copy(network, source, free, [end])

    def _escape_rule(self, network: Network, charset: CharSet) -> int:
        """The rule that reads what follows the backslash in an escape of one character of `charset`."""
        key = "escape", self.escapes, charset
        return shared_rule(network, key, lambda other: self._build_escape(other, charset), name="escape")

    def _build_escape(self, network: Network, charset: CharSet) -> int:
        start, end = network.states(2)
        network.final(end)
        for part in (charset & _LATIN, charset - _LATIN):  # apart, since most sets have all or nothing of the second
            template = self._template(part) if part else [[]]
            base = network.states(len(template) - 1).start - 2
            for number, ways in enumerate(template, 1):
                source = base + number if number > 1 else start
                for byte, local in ways:
                    network.byte(source, byte, byte, base + local if local else end)
        return start

    def _template(self, charset: CharSet) -> _Template:
        template = self._templates.get(charset)
        if template is None:
            if len(self._templates) >= 4096:
                self._templates.clear()
            template = self._templates[charset] = _template(charset, every=self.escapes == "all")
        return template


def _template(charset: CharSet, *, every: bool) -> _Template:
    """A small automaton for what follows the backslash.

    Args:
        every: all escapes of each character; otherwise the one that `json.dumps` writes.
    """
    states: _Template = [[]]
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
        return state([(_BACKSLASH, state([(0x75, unit(units, 0, 4096))]))])

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


@lru_cache(maxsize=8192)
def _literal(text: str, every: bool) -> tuple[np.ndarray, int]:
    """All spellings of a text: edges as in `Network.flat` from state 0 to the last one, and the number of that."""
    parts = [_spelling_edges(character, every) for character in text]
    edges, offsets, _ = _in_a_row(parts)
    edges[:, 0] += offsets
    edges[:, 2] += offsets
    return edges, sum(size for _, size in parts)


def _in_a_row(parts: Sequence[tuple[np.ndarray, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of all parts; for each row how many states the parts before have, and its own part."""
    sizes = np.array([size for _, size in parts], dtype=np.int32)
    counts = [len(rows) for rows, _ in parts]
    before = np.cumsum(sizes, dtype=np.int32) - sizes
    return np.concatenate([rows for rows, _ in parts]), np.repeat(before, counts), np.repeat(sizes, counts)


_QUOTE_EDGE = np.array([(0, _QUOTE | _QUOTE << 8, 1, 0)], dtype=np.int32), 1
_NO_EDGE = np.zeros((0, 4), dtype=np.int32), 1


@lru_cache(maxsize=4096)
def _spelling_edges(character: str, every: bool) -> tuple[np.ndarray, int]:
    """All spellings of a character: edges from state 0 to the last one, and the number of that."""
    ways = _spellings(character, every)
    edges = [(here, byte | byte << 8, there, 0) for here, edges in enumerate(ways) for byte, there in edges]
    return np.array(edges, dtype=np.int32), len(ways)


@lru_cache(maxsize=4096)
def _spellings(character: str, every: bool) -> list[list[tuple[int, int]]]:
    """The automaton of all spellings of a character: (byte, following state) of each state but the end, the last."""
    charset = CharSet.single(ord(character))
    template = _template(charset, every=every) if every or charset & NEEDS_ESCAPE else []
    data = character.encode() if charset & RAW else b""
    end = 1 + len(template) + max(len(data) - 1, 0)
    ways: list[list[tuple[int, int]]] = [[]]
    if template:
        ways[0].append((_BACKSLASH, 1))
        ways += ([(byte, local or end) for byte, local in state] for state in template)
    here = 0
    for number, byte in enumerate(data, 1):
        there = len(ways) if number < len(data) else end
        ways[here].append((byte, there))
        if there != end:
            ways.append([])
        here = there
    return ways


@cache
def _any_character(every: bool) -> list[list[tuple[int, int]]]:
    """The automaton of all spellings of all characters: (op, following state); 0 is both the start and the end."""
    first, inner = utf8_template(ALL.beyond_ascii)
    template = _template(ALL if every else NEEDS_ESCAPE, every=every)
    shift = len(inner)  # states 1.. are those after a lead byte, then come those after a backslash
    ascii_edges = [(lo | min(hi, 0x7F) << 8, 0) for lo, hi in RAW.ranges if lo < 0x80]
    states = [[*ascii_edges, (_BACKSLASH | _BACKSLASH << 8, shift + 1), *first], *map(list, inner)]
    states += (_joined({byte: local and shift + local for byte, local in ways}) for ways in template)
    return states


@cache
def _anything(every: bool) -> tuple[np.ndarray, int]:
    """`_any_character` as edges, and the number of its states."""
    states = _any_character(every)
    edges = [(here, op, there, 0) for here, ways in enumerate(states) for op, there in ways]
    return np.array(edges, dtype=np.int32), len(states)


def _joined(ways: Mapping[int, int]) -> list[tuple[int, int]]:
    """(op, target) of edges for `{byte: target}`, neighbours with the same target joined."""
    joined: list[tuple[int, int]] = []
    for byte in sorted(ways):
        if joined and joined[-1][0] >> 8 == byte - 1 and joined[-1][1] == ways[byte]:
            joined[-1] = (joined[-1][0] & 255 | byte << 8, ways[byte])
        else:
            joined.append((byte | byte << 8, ways[byte]))
    return joined


class _Stencil(NamedTuple):
    """An automaton to be copied into networks.

    Attributes:
        edges: int32 (n, 4), as in `Network.flat`; local state 0 is the source.
        size: number of its states.
        to_free, to_inner, to_port: which edges lead to a state of `_any_character`, to one of this automaton, and to
            one that is given when it is copied, by its place in `ports`.
    """

    edges: np.ndarray
    size: int
    to_free: np.ndarray
    to_inner: np.ndarray
    to_port: np.ndarray

    def copy(self, network: Network, source: int, free: int, ports: Sequence[int]) -> None:
        """Write it into a network, where `_any_character` begins at the state `free`."""
        base = network.states(self.size - 1).start - 1
        edges = self.edges.copy()
        edges[:, 0] += base
        edges[self.edges[:, 0] == 0, 0] = source
        edges[self.to_free, 2] += free
        edges[self.to_inner, 2] += base
        edges[self.to_port, 2] = np.array(ports, dtype=np.int32)[edges[self.to_port, 2]]
        network.flat.frombytes(edges.tobytes())


_FREE, _INNER, _PORT = range(3)

_Place = tuple[int, tuple[tuple[int, int], ...]]


def _stencil(rows: np.ndarray, size: int) -> _Stencil:
    """From rows (source, op, target, kind of target)."""
    kinds = rows[:, 3]
    edges = rows * np.array([1, 1, 1, 0], dtype=np.int32)
    return _Stencil(edges, size, *(np.flatnonzero(kinds == kind) for kind in (_FREE, _INNER, _PORT)))


@lru_cache(maxsize=4096)
def _fork(characters: str, every: bool) -> _Stencil:
    """All spellings of one character, some of which lead to ports."""
    return _stencil(*_fork_rows(characters, every))


@lru_cache(maxsize=4096)
def _fork_rows(characters: str, every: bool) -> tuple[np.ndarray, int]:
    """Rows for `_stencil`, and the number of states."""
    general = _any_character(every)
    special = [_spellings(character, every) for character in characters]
    # A state: one of the general automaton, and where each special character is that could still be the one.
    start: _Place = (0, tuple((which, 0) for which in range(len(special))))
    known: dict[_Place, int] = {start: 0}
    todo = [start]
    rows: list[tuple[int, int, int, int]] = []
    for here, (state, places) in enumerate(todo):
        following: dict[int, list[tuple[int, int]]] = {}
        for which, place in places:
            for byte, there in special[which][place]:
                following.setdefault(byte, []).append((which, there))
        split = sorted(following)
        for op, target in general[state]:
            lo, hi = op & 255, op >> 8
            for byte in split:
                if not lo <= byte <= hi:
                    continue
                if lo < byte:
                    rows.append((here, lo | byte - 1 << 8, target, _FREE))
                lo = byte + 1
                after = following[byte]
                which, place = after[0]
                if place == len(special[which]):
                    rows.append((here, byte | byte << 8, which, _PORT))
                    continue
                key = (target, tuple(after))
                if key not in known:
                    known[key] = len(known)
                    todo.append(key)
                rows.append((here, byte | byte << 8, known[key], _INNER))
            if lo <= hi:
                rows.append((here, lo | hi << 8, target, _FREE))
    return np.array(rows, dtype=np.int32), len(known)


@lru_cache(maxsize=4096)
def _all_but(text: str, every: bool) -> _Stencil:
    """The rest of any string but `text`, closing quote included, which leads to the only port."""
    parts = [_fork_rows(character, every) for character in (*text, "")]
    rows, before, own = _in_a_row(parts)
    kinds = rows[:, 3]
    rows[:, 0] += before
    rows[:, 2] += np.where(kinds == _INNER, before, 0)
    rows[:, 2] = np.where(kinds == _PORT, before + own, rows[:, 2])
    rows[kinds == _PORT, 3] = _INNER
    quotes = np.zeros((len(text), 4), dtype=np.int32)
    quotes[:, 0] = np.cumsum([size for _, size in parts[:-1]]) - [size for _, size in parts[:-1]]
    quotes[:, 1], quotes[:, 3] = _QUOTE | _QUOTE << 8, _PORT
    return _stencil(np.concatenate([rows, quotes]), sum(size for _, size in parts))


_LATIN = CharSet.of([(0, 0xFF)])
_BASIC = CharSet.of([(0, 0xFFFF)])
_ASTRAL = CharSet.of([(0x10000, 0x10FFFF)])

ALL_ESCAPES = JsonString("all")
"""Every spelling that RFC 8259 allows; it keeps templates, so it is shared."""

MINIMAL_ESCAPES = JsonString("minimal")
"""The spelling of `json.dumps(text, ensure_ascii=False)`."""
