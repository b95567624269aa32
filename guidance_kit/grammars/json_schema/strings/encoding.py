"""JSON strings in networks: spellings of their characters, and rules of given strings and of all others."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple, get_args
from weakref import WeakKeyDictionary

import numpy as np

from guidance_kit.fsm.fragment import Fragment, ready_rule
from guidance_kit.fsm.kernels.columns import ALIKE, FLAT, width
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL
from guidance_kit.fsm.slices import CONTENT, TEXT
from guidance_kit.grammars.json_schema.strings.other_strings import Continuation, write_other_strings
from guidance_kit.grammars.json_schema.strings.spellings import (
    BACKSLASH,
    QUOTE,
    RAW,
    SPELLINGS,
    anything_edges,
    character_template,
    escape_edges,
    spelling_edges,
    text_edges,
)
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.encoding import UTF8, FirstEdges

__all__ = ["ENCODINGS", "Escapes", "JsonString", "TextRules"]

Escapes = Literal["minimal", "ascii", "all"]

_MOST_SETS = 4096
"""Sets of characters of which it is kept how they are spelt."""


class _Spelt(NamedTuple):
    """Unescaped and escaped characters of a set, the key of the rule of their escapes, the unescaped ones as bytes.

    There are no bytes if some unescaped character is beyond ASCII.
    """

    raw: CharSet
    escaped: CharSet
    key: Hashable
    ops: tuple[int, ...] | None


class JsonString:
    """Spellings of characters in JSON strings; an `Encoding` of the regular front end.

    With `escapes="all"` every character has its raw form (if RFC 8259 allows one), its short escape and its
    hexadecimal escapes in either case, surrogate pairs included. With "minimal" it has exactly the form that
    `json.dumps(text, ensure_ascii=False)` writes, with "ascii" that of `json.dumps(text)`. Lone surrogates are never
    spelt.

    What follows a backslash is a rule of its own, one for each set of several characters, built when a text gets there.
    """

    def __init__(self, escapes: Escapes) -> None:
        self.escapes: Escapes = escapes
        self._spelling = SPELLINGS[escapes]
        self.writes_slice = self._spelling.raw == RAW
        self._spelt: dict[CharSet, _Spelt] = {}
        self._anything: WeakKeyDictionary[Network, tuple[int, int]] = WeakKeyDictionary()

    def add(self, network: Network, source: int, charset: CharSet, target: int) -> None:
        """Add paths from `source` to `target` that read exactly one character of the non-empty `charset`."""
        if charset.bounds[0] + 1 == charset.bounds[-1]:
            edges, size = spelling_edges(chr(charset.bounds[0]), self._spelling)
            places = (source, *network.states(size - 1), target)
            flat: list[int] = []
            for here, op, there in edges:
                flat += (places[here], op, places[there], 0)
            network.flat.extend(flat)
            return
        spelt = self._spelt.get(charset) or self._spelt_of(charset)
        if spelt.ops is None:
            self.first_edges(network, charset, target).write(network, source)
            return
        flat = [number for op in spelt.ops for number in (source, op, target, 0)]
        if spelt.escaped:
            middle = self._before_escape(network, spelt, target)
            flat += (source, BACKSLASH | BACKSLASH << 8, middle, 0)
        network.flat.extend(flat)

    def first_edges(self, network: Network, charset: CharSet, target: int) -> FirstEdges:
        """See `Encoding.first_edges` of the regular front end."""
        if charset.bounds[0] + 1 == charset.bounds[-1]:
            template = character_template(chr(charset.bounds[0]), self._spelling)
            number = (target, *network.states(template.inner), *template.constants).__getitem__
            network.flat.extend(map(number, template.later))
            return FirstEdges(array("i", map(number, template.first)), 0)
        spelt = self._spelt_of(charset)
        edges, slices = UTF8.first_edges(network, spelt.raw, target) if spelt.raw else FirstEdges(array("i"), 0)
        if spelt.escaped:
            middle = self._before_escape(network, spelt, target)
            edges.extend((0, BACKSLASH | BACKSLASH << 8, middle, 0))
            if spelt.escaped == ALL:
                slices |= 1 << CONTENT
        return FirstEdges(edges, slices)

    def _before_escape(self, network: Network, spelt: _Spelt, target: int) -> int:
        """State after the backslash before the escapes of a set."""
        rule = network.shared.get(spelt.key)
        if rule is None:
            rule = self._escape_rule(network, spelt.escaped, spelt.key)
        middle = network.state()
        network.flat.extend((middle, CALL, rule, target))
        return middle

    def spelling_of(self, character: str) -> tuple[bytes, Callable[[Network], int] | None]:
        """Unescaped form of a character, empty if it has none; function that writes what may follow a backslash."""
        raw, escaped, *_ = self._spelt_of(CharSet.single(ord(character)))
        return character.encode() if raw else b"", partial(self._write_escape, charset=escaped) if escaped else None

    def _spelt_of(self, charset: CharSet) -> _Spelt:
        """Spelling of a set of characters."""
        spelt = self._spelt.get(charset)
        if spelt is None:
            if len(self._spelt) >= _MOST_SETS:
                self._spelt.clear()
            escaped = charset if self._spelling.escaped is ALL else charset & self._spelling.escaped
            raw = charset & self._spelling.raw
            ops = tuple(lo | hi << 8 for lo, hi in raw.ranges) if raw.is_ascii else None
            spelt = _Spelt(raw, escaped, ("escape", self.escapes, escaped), ops)
            self._spelt[charset] = spelt
        return spelt

    def opened(self, network: Network, ways: Sequence[tuple[int, str, int]]) -> None:
        """Add paths for all spellings of texts: (source, text, target) each."""
        self._write(network, ways, ())

    def closed(self, network: Network, ways: Sequence[tuple[int, str, int]]) -> None:
        """Add paths for all spellings of texts and the closing quote: (source, text, target) each."""
        self._write(network, (), ways)

    def one_of(self, network: Network, source: int, ways: Mapping[str, int]) -> None:
        """Add paths for all spellings of texts and the closing quote, each to its own state.

        Beginnings are shared.
        """
        texts = sorted(ways)
        shared, endings = _radix(texts)
        places = [source, *network.states(len(shared))]
        between = [(places[here], text, there) for (here, text, _), there in zip(shared, places[1:], strict=True)]
        self._write(network, between, [(places[here], texts[k][read:], ways[texts[k]]) for here, k, read in endings])

    def one_of_left(self, network: Network, source: int, texts: Sequence[str], targets: Sequence[int]) -> None:
        """The same of the sorted texts that are left as keys, by their numbers; see `Network.keyed`."""
        shared, endings = _radix(texts)
        places = [source, *network.states(len(shared))]
        gates = network.states(len(shared) + len(endings))
        for gate, (here, _, numbers) in zip(gates, shared, strict=False):
            network.some_left(places[here], numbers, gate)
        ways = [(gate, text, there) for gate, (_, text, _), there in zip(gates, shared, places[1:], strict=False)]
        last: list[tuple[int, str, int]] = []
        for gate, (here, k, read) in zip(gates[len(shared) :], endings, strict=True):
            network.some_left(places[here], range(k, k + 1), gate)
            last.append((gate, texts[k][read:], targets[k]))
        self._write(network, ways, last)

    def _write(
        self, network: Network, opened: Sequence[tuple[int, str, int]], closed: Sequence[tuple[int, str, int]]
    ) -> None:
        """Add paths for all spellings of texts; those of `closed` are followed by the closing quote."""
        ways = [*opened, *closed]
        if not ways:
            return
        edges, firsts, lasts = text_edges([text for _, text, _ in ways], len(opened), self._spelling)
        count = int(lasts[-1]) + 1
        names = np.arange(count, dtype=np.int32) + network.states(count).start
        names[firsts] = [source for source, _, _ in ways]
        names[lasts] = [target for _, _, target in ways]
        edges[:, FLAT.source] = names[edges[:, FLAT.source]]
        edges[:, FLAT.target] = names[edges[:, FLAT.target]]
        network.flat.frombytes(edges.tobytes())

    def anything(self, network: Network) -> tuple[int, int]:
        """State before the rest of any string, closing quote included, and the final state after it.

        They are the same for all rules of a network, which may end in the second.
        """
        states = self._anything.get(network)
        if states is None:
            edges, size = anything_edges(self._spelling)
            base, end = network.states(size).start, network.state()
            network.flat.frombytes((edges + np.array([base, 0, base, 0], dtype=np.int32)).tobytes())
            if self.writes_slice:
                network.treats_alike(base, 1 << TEXT | (1 << CONTENT if self._spelling.has_every else 0))
            network.byte(base, QUOTE, QUOTE, end)
            network.final(end)
            states = self._anything[network] = base, end
        return states

    def all_but(self, network: Network, texts: Sequence[str], read: int) -> tuple[int, list[Continuation]]:
        """Write the rest of all strings but some, closing quote included.

        Args:
            texts: the others, sorted, at least one; their first `read` characters are the same.
        Returns:
            The first state, and what is left to be written; both end in the state after `anything`.
        """
        return write_other_strings(network, texts, read, self._spelling, *self.anything(network))

    def _escape_rule(self, network: Network, charset: CharSet, key: Hashable) -> int:
        """Rule of the escapes of one character of `charset`, after the backslash."""
        is_constant = charset == self._spelling.escaped
        return ready_rule(network, key, lambda: self._escapes_of(charset), is_constant=is_constant, name="escape")

    def _escapes_of(self, charset: CharSet) -> Fragment:
        edges, size = escape_edges(charset, every=self._spelling.has_every)
        return Fragment(edges, np.empty((0, width(ALIKE)), dtype=np.int32), size, 0)

    def _write_escape(self, network: Network, charset: CharSet) -> int:
        return self._escapes_of(charset).paste(network)


def _radix(texts: Sequence[str]) -> tuple[list[tuple[int, str, range]], list[tuple[int, int, int]]]:
    """Radix tree of sorted, distinct texts.

    Returns:
        (place, what is read, numbers of the texts that begin so) for the ways between places, the first of which leads
        to place 1, and so on; (place, number of a text, characters of it before the place) for the endings, which may
        be empty.
    """
    shared: list[tuple[int, str, range]] = []
    endings: list[tuple[int, int, int]] = []
    todo = [(0, 0, len(texts), 0)]  # a place, its texts, and how much of them has been read
    while todo:
        place, first, end, length = todo.pop()
        while first < end:
            text = texts[first]
            last = first
            while length < len(text) and last + 1 < end and texts[last + 1][length] == text[length]:
                last += 1
            if last == first:
                endings.append((place, first, length))
            else:
                pairs = enumerate(zip(text[length:], texts[last][length:], strict=False), length)
                common = next((at for at, (one, other) in pairs if one != other), len(text))
                shared.append((place, text[length:common], range(first, last + 1)))
                todo.append((len(shared), first, last + 1, common))
            first = last + 1
    return shared, endings


ENCODINGS: dict[str, JsonString] = {name: JsonString(name) for name in get_args(Escapes)}
"""Encoding of each mode of escaping, shared by all constraints for its cached templates."""


class TextRules:
    """Rules of strings after the opening quote, in all spellings, closing quote included.

    Args:
        network: where to write.
        encoding: how strings are spelt.
    """

    def __init__(self, network: Network, encoding: JsonString) -> None:
        self._network = network
        self._encoding = encoding
        self._rules: dict[str, int] = {}
        self._starts: dict[str, int] = {}
        self._others: dict[tuple[tuple[str, ...], int], int] = {}

    def rule(self, text: str, others: Iterable[str]) -> int:
        """Rule of a string; those of `others` are written with it."""
        rule = self._rules.get(text)
        if rule is None:
            rule = self._network.rule(lambda: self._start(text, others), nullable=False, name=f"text {text}")
            self._rules[text] = rule
        return rule

    def _start(self, text: str, others: Iterable[str]) -> int:
        if text not in self._starts:
            network = self._network
            fresh = [other for other in dict.fromkeys((text, *others)) if other not in self._starts]
            starts, end = network.states(len(fresh)), network.state()
            network.final(end)
            self._encoding.closed(network, [(start, one, end) for start, one in zip(starts, fresh, strict=True)])
            self._starts.update(zip(fresh, starts, strict=True))
        return self._starts[text]

    def others(self, taken: tuple[str, ...]) -> int:
        """Rule of all strings except `taken`."""
        return self._others_from(tuple(sorted(set(taken))), 0)

    def _others_from(self, taken: tuple[str, ...], read: int) -> int:
        """The same after the common first `read` characters of `taken`, which are sorted."""
        rule = self._others.get((taken, read))
        if rule is None:

            def build() -> int:
                if not taken:
                    return self._encoding.anything(self._network)[0]
                return self._write_others(taken, read)

            is_free = self._encoding.writes_slice
            rule = self._network.rule(build, nullable=False, is_free=is_free, name="other string")
            self._others[taken, read] = rule
        return rule

    def _write_others(self, taken: tuple[str, ...], read: int) -> int:
        """Write all continuations except those of the strings in `taken`, closing quote included; return the start."""
        network = self._network
        start, rest = self._encoding.all_but(network, taken, read)
        _, end = self._encoding.anything(network)
        for state, texts, length in rest:
            network.call(state, self._others_from(texts, length), end)
        return start
