"""Word trie: a finite set of texts as a trie over bytes, written into a network."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple, cast

import numpy as np

from guidance_kit.errors import ConstraintError, OptionError, UnsatisfiableError
from guidance_kit.fsm.kernels.columns import FLAT, width
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import FINAL

__all__ = ["add_edges", "declare_words", "encoded_words"]

_LONG = 16
"""Bytes of a suffix of one word alone above which it is a rule of its own, built on first use."""


def encoded_words(texts: Iterable[object]) -> list[bytes]:
    """Texts in UTF-8, sorted.

    Raises:
        UnsatisfiableError: there are none.
        OptionError: one of them is no str, or all are one str.
        ConstraintError: one of them has a lone surrogate, which has no UTF-8.
    """
    if isinstance(texts, str):
        raise OptionError("choices must be several texts, not one str")
    texts = tuple(texts)
    try:
        words = sorted(map(str.encode, cast("tuple[str, ...]", texts)))
    except (TypeError, UnicodeEncodeError):
        for place, text in enumerate(texts):
            _check(text, place)
        raise
    if not words:
        raise UnsatisfiableError("there is nothing to choose from")
    return words


def declare_words(network: Network, words: list[bytes]) -> int:
    """Declare the rule of words that `encoded_words` returns.

    100,000 words take about a tenth of a second; common prefixes are shared.

    Returns:
        The number of the rule.
    """
    return network.rule(lambda: _write(network, words), nullable=not words[0], name="choice")


def _check(text: object, place: int) -> None:
    """Raise the error of a text that has no encoding."""
    if not isinstance(text, str):
        raise OptionError(f"choice {place} must be a str, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ConstraintError(f"choice {place} has a lone surrogate at position {error.start}: {text!r}") from None


def _write(network: Network, texts: list[bytes]) -> int:
    """Write the trie of a sorted list of texts; return its root."""
    words = _words(texts)
    alone = words.shared + 1  # so many bytes of a word begin no other one
    alone[:-1] = np.maximum(alone[:-1], alone[1:])
    is_long = words.lengths - alone > _LONG
    written = np.where(is_long, alone, words.lengths)
    byte, parent, word, is_last = _trie(words, written)

    # All nodes after which nothing comes are one state.
    is_cut = is_last & is_long[word]
    is_inner = is_cut.copy()
    is_inner[parent[parent >= 0]] = True
    start, end = network.states(2)
    state = np.full(len(byte) + 1, end)
    state[-1] = start  # the root is node -1
    state[:-1][is_inner] = network.states(int(is_inner.sum()))

    # Neighbours that lead from one state to one other, by bytes in a row, are one edge.
    source, target = state[parent], state[:-1]
    is_apart = np.ones(len(byte) + 1, dtype=bool)
    is_apart[1:-1] = (source[1:] != source[:-1]) | (target[1:] != target[:-1]) | (byte[1:] != byte[:-1] + 1)
    first = is_apart[:-1]
    add_edges(network, source[first], byte[first] | byte[is_apart[1:]] << 8, target[first])

    network.final(end)
    if words.lengths[0] == 0:
        network.final(start)
    add_edges(network, target[is_last & is_inner & ~is_cut], FINAL, 0)
    for which, here in zip(is_long.nonzero()[0].tolist(), target[is_cut].tolist(), strict=True):
        tail = words.text[words.begins[which] :][written[which] : words.lengths[which]].tobytes()
        network.call(here, network.rule(partial(_write_tail, network, tail), nullable=False, name="choice"), end)
    return start


class _Words(NamedTuple):
    """Distinct texts in ascending order; int64 (words,), but for `text`.

    Attributes:
        text: uint8 (bytes,), all of them, with a byte in between.
        begins: where each begins in `text`.
        lengths: bytes of each.
        shared: bytes that each has in common with the one before.
    """

    text: np.ndarray
    begins: np.ndarray
    lengths: np.ndarray
    shared: np.ndarray


def _words(texts: list[bytes]) -> _Words:
    """A sorted list of texts, compared with each other."""
    text = np.frombuffer(b"\xff".join([*texts, b""]), dtype=np.uint8)  # UTF-8 has no 0xFF, so it ends a text
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    begins = (lengths + 1).cumsum() - (lengths + 1)
    above = np.arange(len(text))  # the same place in the text before
    above[lengths[0] + 1 :] -= (lengths[:-1] + 1).repeat(lengths[1:] + 1)
    is_other = text != text[above]
    is_other[-1] = True
    differing = is_other.nonzero()[0]
    shared = np.zeros(len(texts), dtype=np.int64)
    shared[1:] = differing[differing.searchsorted(begins[1:])] - begins[1:]
    is_new = shared < lengths  # one that comes again does not differ before its end
    is_new[0] = True
    return _Words(text, begins[is_new], lengths[is_new], shared[is_new])


class _Trie(NamedTuple):
    """Nodes of a trie without the root, depth first; (nodes,).

    Attributes:
        byte: int32, label of the edge to the node.
        parent: int64, -1 for the root.
        word: int64, the first word through the node.
        is_last: bool, whether the node is the end of that word.
    """

    byte: np.ndarray
    parent: np.ndarray
    word: np.ndarray
    is_last: np.ndarray


def _trie(words: _Words, written: np.ndarray) -> _Trie:
    """Trie of words, with the given number of bytes of each."""
    # A word brings the nodes that it does not share with the word before.
    counts = written - words.shared
    word = np.arange(len(counts)).repeat(counts)
    node = np.arange(len(word))
    depth = node - (counts.cumsum() - written).repeat(counts)
    # Ordered by depth, siblings are neighbours; the first of them follows its parent in the order depth first.
    small = depth.astype(np.min_scalar_type(depth.max(initial=0)))
    order = small.argsort(kind="stable")  # by radix, as the numbers are small
    is_first = np.ones(len(node), dtype=bool)
    is_first[1:] = depth[1:] > depth[:-1]
    parent = np.empty_like(node)
    parent[order] = order[np.maximum.accumulate(np.where(is_first[order], node, 0))] - 1
    byte = words.text[words.begins[word] + depth].astype(np.int32)
    return _Trie(byte, parent, word, depth + 1 == written[word])


def add_edges(
    network: Network,
    sources: np.ndarray,
    op: np.ndarray | int,
    targets: np.ndarray | int,
    after: np.ndarray | int = 0,
) -> None:
    """Add an edge from each of some states; numbers as in `Network.flat`."""
    edges = np.empty((len(sources), width(FLAT)), dtype=np.int32)
    for column, numbers in zip(
        (FLAT.source, FLAT.op, FLAT.target, FLAT.after), (sources, op, targets, after), strict=True
    ):
        edges[:, column] = numbers
    network.flat.frombytes(edges.tobytes())


def _write_tail(network: Network, tail: bytes) -> int:
    """Write a path that reads exactly `tail`; return its start state."""
    start, end = network.states(2)
    network.literal(start, tail, end)
    network.final(end)
    return start
