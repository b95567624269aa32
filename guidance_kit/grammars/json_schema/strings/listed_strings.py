"""Rules of many given strings: their trie is written block by block, by array operations, when a text gets there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import JUMP
from guidance_kit.grammars.json_schema.strings.character_paths import CharacterPaths
from guidance_kit.grammars.json_schema.strings.encoding import JsonString
from guidance_kit.grammars.json_schema.strings.spellings import QUOTE
from guidance_kit.grammars.word_trie import add_edges

__all__ = ["MOST_AT_ONCE", "ListedStrings"]

MOST_AT_ONCE = 256
"""Greatest number of strings whose tree is better written as a whole."""

_NODES = 4_096
"""Greatest number of nodes of a block that has more than one level."""

_CELLS = 4 * _NODES
"""Characters of the strings of a block that are looked at, unless there are more strings than that."""

_STRINGS = 2_048
"""Greatest number of strings of a block below another one, unless they are all below one node."""


class _Strings(NamedTuple):
    """Strings as arrays.

    Attributes:
        codes: uint32, code points of all strings, one after the other.
        begins: intp (strings,), where each begins in `codes`.
        lengths: intp (strings,), in characters.
    """

    codes: np.ndarray
    begins: np.ndarray
    lengths: np.ndarray


class ListedStrings:
    """Rules of sorted, distinct strings after the opening quote, in all spellings, closing quote included.

    A block is a rule with the trie of some strings below several nodes of the block above, which enters it by jumps.

    Args:
        network: where to write.
        encoding: how strings are spelt.
        texts: the strings.
    """

    def __init__(self, network: Network, encoding: JsonString, texts: Sequence[str]) -> None:
        self._network = network
        self._paths = CharacterPaths(network, encoding)
        self._texts = texts

    @cached_property
    def _strings(self) -> _Strings:
        lengths = np.fromiter(map(len, self._texts), dtype=np.intp, count=len(self._texts))
        codes = np.array(["".join(self._texts) or "\0"]).view(np.uint32)  # an array of no characters could not be read
        return _Strings(codes, lengths.cumsum() - lengths, lengths)

    def rule(self) -> int:
        """Declare the rule of all of them."""
        return self._rule(np.arange(len(self._texts)), 0, np.zeros(1, dtype=np.intp))

    def _rule(self, chosen: np.ndarray, read: int, entries: np.ndarray) -> int:
        """Declare the block of some strings.

        Args:
            chosen: intp (n,), their numbers, ascending.
            read: number of characters before the block.
            entries: intp (m,), the places in `chosen` at which strings with other characters before the block begin.
        """
        return self._network.rule(lambda: self._write(chosen, read, entries), nullable=False, name="listed strings")

    def _write(self, chosen: np.ndarray, read: int, entries: np.ndarray) -> int:
        """Write a block, and declare those below it; return its first state, that of the first entry."""
        network, strings = self._network, self._strings
        begins, lengths = strings.begins[chosen] + read, strings.lengths[chosen] - read
        columns = np.arange(min(max(1, _CELLS // len(chosen)), lengths.max(initial=1)))
        codes = strings.codes.take(begins[:, None] + columns, mode="clip")

        # A string brings the nodes that it does not share with the one before.
        is_new = np.ones(codes.shape, dtype=bool)
        is_new[1:] = (codes[1:] != codes[:-1]) | (columns >= lengths[:-1, None])
        is_new[entries] = True
        np.logical_or.accumulate(is_new, axis=1, out=is_new)
        is_new &= columns < lengths[:, None]
        depth = max(1, int(is_new.sum(axis=0).cumsum().searchsorted(_NODES, side="right")))
        depth = min(depth, int(lengths.max()))
        rows, levels = is_new[:, :depth].nonzero()

        # Nodes are the entries, and those of each string in turn, so that the last one in a column is the greatest.
        count = len(entries) + len(rows)
        nodes = np.zeros((len(chosen), depth + 1), dtype=np.int32)
        nodes[entries, 0] = np.arange(len(entries))
        nodes[rows, levels + 1] = np.arange(len(entries), count)
        np.maximum.accumulate(nodes, axis=0, out=nodes)
        base = network.states(count + 1).start
        nodes += base
        end = base + count
        network.final(end)
        self._paths.add(nodes[rows, levels], codes[rows, levels], nodes[rows, levels + 1])

        is_ended = lengths < depth + (depth == lengths.max())  # the others end, or go on, in blocks below
        add_edges(network, nodes[is_ended, lengths[is_ended]], QUOTE | QUOTE << 8, end)
        below = (~is_ended).nonzero()[0]
        if len(below):
            self._enter(chosen[below], read + depth, nodes[below, depth])
        return base

    def _enter(self, chosen: np.ndarray, read: int, nodes: np.ndarray) -> None:
        """Declare the blocks below some nodes, of which there is one for each string, and add the jumps there."""
        is_other = np.ones(len(nodes), dtype=bool)
        is_other[1:] = nodes[1:] != nodes[:-1]
        begins = is_other.nonzero()[0]
        ends = np.append(begins[1:], len(nodes))
        first = 0
        while first < len(begins):
            last = max(first + 1, int(ends.searchsorted(begins[first] + _STRINGS, side="right")))
            begin, entries = begins[first], begins[first:last]
            rule = self._rule(chosen[begin : ends[last - 1]], read, entries - begin)
            add_edges(self._network, nodes[entries], JUMP, rule, np.arange(last - first))
            first = last
