"""UTF-8 encoding of characters: the seam between languages over code points and networks over bytes."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from guidance_kit.fsm.kernels.columns import FLAT, width
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.rule import Rule
from guidance_kit.fsm.slices import TEXT
from guidance_kit.grammars.regular.charset import ALL, CharSet

__all__ = [
    "SLICE_CHARACTERS", "TEXT_CHARACTERS", "UTF8", "Encoding", "FirstEdges", "SharedPaths", "Utf8", "byte_edges",
    "is_shared", "utf8_template",
]  # fmt: skip


TEXT_CHARACTERS = ALL - CharSet.of([(0x00, 0x1F), (0x22, 0x22), (0x5C, 0x5C)])
"""Characters that stand for themselves in a JSON string: all but controls, `"` and backslash."""

SLICE_CHARACTERS = TEXT_CHARACTERS - CharSet.of([(0x2028, 0x2029)])
"""The characters of the slice `fsm.slices.TEXT`."""


class Encoding(Protocol):
    """Spelling of characters in bytes.

    No spelling of a character is a prefix of a spelling of the same or another one, and every scalar value has one.

    Attributes:
        writes_slice: whether each of `SLICE_CHARACTERS` has itself, in UTF-8, as a spelling.
    """

    @property
    def writes_slice(self) -> bool: ...

    def add(self, network: Network, source: int, charset: CharSet, target: int) -> None:
        """Add paths from `source` to `target` that read exactly one character of the non-empty `charset`."""
        ...

    def first_edges(self, network: Network, charset: CharSet, target: int) -> FirstEdges:
        """The first edges of such paths, for any source; all that follows their bytes is written."""
        ...


_FLAT = width(FLAT)


class FirstEdges(NamedTuple):
    """Edges that any state may have.

    Attributes:
        edges: as in `Network.flat`, for the source that they were written for last.
        slices: those that a source treats alike, see `Network.treats_alike`; 0 for none.
    """

    edges: array[int]
    slices: int

    def write(self, network: Network, source: int) -> None:
        """Add the edges to a state."""
        edges = self.edges
        edges[::_FLAT] = array("i", (source,)) * (len(edges) // _FLAT)
        network.flat.extend(edges)
        if self.slices:
            network.treats_alike(source, self.slices)


Template = tuple[list[tuple[int, int]], list[list[tuple[int, int]]]]
"""Edges (op, local target) of the source and of each inner state: local target 0 is the target, k the k-th inner state.
"""


_END = TEXT_CHARACTERS.bounds[-1]

_LARGE = 12
"""Inner states from which on the automaton of a set is shared within a network."""


class _Stencil(NamedTuple):
    """Copyable automaton for the UTF-8 of one character of a set beyond ASCII.

    Attributes:
        first: int32 (f, FLAT), edges of the source as in `Network.flat`, to inner states; these are numbered from 1.
        inner: int32 (n, FLAT), edges of the inner states; 0 is the target.
        to_target: int64, indexes of the edges in `inner` to the target.
        size: number of inner states.
    """

    first: np.ndarray
    inner: np.ndarray
    to_target: np.ndarray
    size: int

    def write_inner(self, network: Network, target: int) -> int:
        """Copy the inner states; return the number before the first of them."""
        base = network.states(self.size).start - 1
        edges = self.inner + np.array([base, 0, base, 0], dtype=np.int32)
        edges[self.to_target, FLAT.target] = target
        network.flat.frombytes(edges.tobytes())
        return base


@lru_cache(maxsize=4096)
def _stencil(charset: CharSet) -> _Stencil:
    first, inner = utf8_template(charset)
    edges = np.array([(k, op, local, 0) for k, ways in enumerate(inner, 1) for op, local in ways], dtype=np.int32)
    return _Stencil(
        first=np.array([(0, op, local, 0) for op, local in first], dtype=np.int32),
        inner=edges,
        to_target=np.flatnonzero(edges[:, FLAT.target] == 0),
        size=len(inner),
    )


@dataclass(slots=True)
class _SharedEdges:
    """Shared parts of one network: edges for first bytes by set and target, rules by set and inner state."""

    edges: dict[tuple[CharSet, int], bytes] = field(default_factory=dict)
    rules: dict[CharSet, dict[int, int]] = field(default_factory=dict)


class Utf8:
    r"""UTF-8 of RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF.

    Characters beyond ASCII are written into a network once for each set and target. A large automaton (that of `\w` has
    1,200 edges) is written once for the whole network, as rules that are called behind the first byte.
    """

    writes_slice = True

    def __init__(self) -> None:
        self._written: WeakKeyDictionary[Network, _SharedEdges] = WeakKeyDictionary()

    def add(self, network: Network, source: int, charset: CharSet, target: int) -> None:
        """See `Encoding.add`."""
        if not charset.is_ascii:
            self.first_edges(network, charset, target).write(network, source)
            return
        bounds = charset.bounds
        for i in range(0, len(bounds), 2):
            network.flat.extend((source, bounds[i] | bounds[i + 1] - 1 << 8, target, 0))

    def first_edges(self, network: Network, charset: CharSet, target: int) -> FirstEdges:
        """See `Encoding.first_edges`."""
        bounds = charset.bounds
        edges = array("i")
        for i in range(0, len(bounds), 2):
            if bounds[i] >= 0x80:
                break
            edges.extend((0, bounds[i] | min(bounds[i + 1], 0x80) - 1 << 8, target, 0))
        if bounds[-1] <= 0x80:
            return FirstEdges(edges, 0)
        written = self._written.get(network)
        if written is None:
            written = self._written[network] = _SharedEdges()
        others = charset.beyond_ascii
        beyond = written.edges.get((others, target))
        if beyond is None:
            beyond = written.edges[others, target] = self._write(network, others, target, written).tobytes()
        edges.frombytes(beyond)
        is_text = bounds[-1] == _END and _covers_text(charset)
        return FirstEdges(edges, 1 << TEXT if is_text else 0)

    @staticmethod
    def _write(network: Network, charset: CharSet, target: int, written: _SharedEdges) -> np.ndarray:
        """Write all but the first bytes of the members; return the edges for these, for any source."""
        stencil = _stencil(charset)
        edges = stencil.first.copy()
        if stencil.size <= _LARGE:
            edges[:, FLAT.target] += stencil.write_inner(network, target)
            return edges
        rules = written.rules.get(charset)
        if rules is None:
            end = network.state()
            network.final(end)
            base = stencil.write_inner(network, end)
            rules = written.rules[charset] = {}
            for local in dict.fromkeys(stencil.first[:, FLAT.target].tolist()):
                rules[local] = network.add(Rule(nullable=False, build=None, start=base + local))
        places = np.zeros(stencil.size + 1, dtype=np.int32)
        for local, rule in rules.items():
            places[local] = state = network.state()
            network.call(state, rule, target)
        edges[:, FLAT.target] = places[edges[:, FLAT.target]]
        return edges


class SharedPaths:
    """Writer of paths into one network, which has what follows their first bytes once for each set and target.

    Most states of an automaton read the same characters to the same states.

    Args:
        network: where to write.
        encoding: how characters are spelt.
    """

    def __init__(self, network: Network, encoding: Encoding) -> None:
        self._network = network
        self._encoding = encoding
        self._known: dict[tuple[CharSet, int], FirstEdges] = {}

    def add(self, source: int, charset: CharSet, target: int) -> None:
        """Add paths from `source` to `target` that read exactly one character of the non-empty `charset`."""
        key = charset, target
        edges = self._known.get(key)
        if edges is None:
            edges = self._known[key] = self._encoding.first_edges(self._network, charset, target)
        edges.write(self._network, source)


def is_shared(charset: CharSet) -> bool:
    """Test whether the automaton of a set is so large that a network has it once, in rules."""
    return charset.bounds[-1] > 0x80 and _stencil(charset.beyond_ascii).size > _LARGE


@lru_cache(maxsize=512)
def _covers_text(charset: CharSet) -> bool:
    return charset >= SLICE_CHARACTERS


def utf8_template(charset: CharSet) -> Template:
    """Minimal acyclic automaton for the UTF-8 of one character of a set beyond ASCII."""
    bounds = charset.bounds
    inner: list[list[tuple[int, int]]] = []
    known: dict[tuple[tuple[int, int], ...], int] = {}
    whole: dict[int, int] = {}

    def tail(lo: int, hi: int, size: int) -> int:
        """State that reads what follows a lead for the code points lo..hi-1 in one block of 64 * size; -1 if none.

        `size` is the number of code points below one continuation byte: 1, 64 or 4096.
        """
        first, last = bisect_right(bounds, lo), bisect_left(bounds, hi)
        if first == last and first % 2 == 0:
            return -1
        base = lo - lo % (64 * size)
        is_whole = first == last and hi - lo == 64 * size
        if is_whole and size in whole:
            return whole[size]
        if size == 1:
            ways: list[tuple[int, int]] = []
            clipped = [lo, *bounds[first:last]] if first % 2 else list(bounds[first:last])
            if len(clipped) % 2:
                clipped.append(hi)
            for i in range(0, len(clipped), 2):
                ways.append((clipped[i] - base + 0x80 | clipped[i + 1] - 1 - base + 0x80 << 8, 0))
        else:
            blocks = ((at, max(at, lo), min(at + size, hi)) for at in range(base, base + 64 * size, size))
            ways = byte_edges(((at - base) // size + 0x80, tail(a, b, size // 64)) for at, a, b in blocks if a < b)
        number = state(ways)
        if is_whole:
            whole[size] = number
        return number

    def state(ways: list[tuple[int, int]]) -> int:
        key = tuple(ways)
        number = known.get(key)
        if number is None:
            inner.append(ways)
            number = known[key] = len(inner)
        return number

    pairs = ((0xC0 + k, tail(k * 0x40, (k + 1) * 0x40, 1)) for k in range(2, 32))
    triples = ((0xE0 + k, tail(max(k * 0x1000, 0x800), (k + 1) * 0x1000, 64)) for k in range(16))
    blocks = ((0xF0 + k, max(k * 0x40000, 0x10000), min((k + 1) * 0x40000, 0x110000)) for k in range(5))
    quadruples = ((lead, tail(lo, hi, 4096)) for lead, lo, hi in blocks)
    return byte_edges(itertools.chain(pairs, triples, quadruples)), inner


def byte_edges(ways: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Edges (op, target) for (byte, target) in ascending order, with ranges merged; -1 is no target."""
    edges: list[tuple[int, int]] = []
    for byte, target in ways:
        if target < 0:
            continue
        if edges and edges[-1][1] == target and edges[-1][0] >> 8 == byte - 1:
            edges[-1] = (edges[-1][0] & 255 | byte << 8, target)
        else:
            edges.append((byte | byte << 8, target))
    return edges


UTF8 = Utf8()
"""Encoding of all text outside other notations; shared, as it caches templates."""
