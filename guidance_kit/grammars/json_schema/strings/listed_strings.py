"""Rules of many given strings: their radix tree is written block by block, when a text gets there."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.strings.encoding import JsonString

__all__ = ["MOST_AT_ONCE", "ListedStrings"]

MOST_AT_ONCE = 256
"""Greatest number of strings whose tree is better written as a whole."""

_FAR = 4
"""Greatest number of characters of a branch."""

_BLOCK = 16
"""Least number of branches of a block that has further blocks below it."""


class _Branch(NamedTuple):
    """Node of the radix tree: the strings texts[first:end], whose first `read` characters are the same."""

    first: int
    end: int
    read: int


class ListedStrings:
    """Rules of sorted, distinct strings after the opening quote, in all spellings, closing quote included.

    Args:
        network: where to write.
        encoding: how strings are spelt.
        texts: the strings.
    """

    def __init__(self, network: Network, encoding: JsonString, texts: Sequence[str]) -> None:
        self._network = network
        self._encoding = encoding
        self._texts = texts

    def rule(self) -> int:
        """Declare the rule of all of them."""
        return self._rule(_Branch(0, len(self._texts), 0))

    def _rule(self, place: _Branch) -> int:
        return self._network.rule(lambda: self._build(place), nullable=False, name="listed strings")

    def _build(self, root: _Branch) -> int:
        """Write the tree below a place, down to some branches; rules of the places below these are declared."""
        network = self._network
        start, end = network.states(2)
        network.final(end)
        shared: list[tuple[int, str, int]] = []
        endings: list[tuple[int, str, int]] = []
        todo = deque([(start, root)])
        while todo:
            here, place = todo.popleft()
            if here != start and len(shared) + len(endings) >= _BLOCK:
                network.call(here, self._rule(place), end)
                continue
            for child in self._children(place):
                text = self._texts[child.first]
                if child.end == child.first + 1 and len(text) <= place.read + _FAR:
                    endings.append((here, text[place.read :], end))
                else:
                    child = child._replace(read=min(child.read, place.read + _FAR))
                    there = network.state()
                    shared.append((here, text[place.read : child.read], there))
                    todo.append((there, child))
        self._encoding.opened(network, shared)
        self._encoding.closed(network, endings)
        return start

    def _children(self, place: _Branch) -> Iterator[_Branch]:
        """Places below a place; a string that ends there first, alone."""
        texts, (first, end, read) = self._texts, place
        if len(texts[first]) == read:
            yield _Branch(first, first + 1, read)
            first += 1
        while first < end:
            code = ord(texts[first][read])
            after = bisect_left(texts, texts[first][:read] + chr(code + 1), first, end) if code < 0x10FFFF else end
            one, other = texts[first], texts[after - 1]
            same = next((i for i in range(read, len(one)) if one[i] != other[i]), len(one))
            yield _Branch(first, after, same)
            first = after
