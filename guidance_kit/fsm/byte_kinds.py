"""Kinds of bytes: what classes of characters are made of, so that a set of bytes is one integer.

Classes in patterns (letters, digits, what a URI may have) are nearly always unions of these kinds. So whether all texts
below a node of a trie can be read where any text of a class can is one comparison.
"""

from __future__ import annotations

import itertools
import string

import numpy as np

from guidance_kit.fsm.slices import SLICES, TEXT

__all__ = ["ANY_KIND", "KINDS", "kinds_below"]

_LEADS = 0xC2, 0xC3, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xED, 0xEE, 0xF0, 0xF5
"""First bytes at which kinds of longer characters begin: classes leave out single blanks and marks, which are in
blocks with a first byte of their own."""

_CONTROLS = "\t", "\n", "\r"

ANY_KIND = 62
"""Bit of what is below a node that is not, or not followed by, whole characters."""


def _kinds() -> np.ndarray:
    letters = string.ascii_lowercase
    groups = letters[:6], letters[6:], letters[:6].upper(), letters[6:].upper(), string.digits, *_CONTROLS
    kinds = np.full(256, ANY_KIND, dtype=np.uint8)
    kinds[:0x80] = len(groups)  # other controls
    for kind, group in enumerate([*groups, "", *string.punctuation, " "]):
        kinds[list(group.encode())] = kind
    kind = int(kinds[ord(" ")])
    for first, end in itertools.pairwise(_LEADS):
        kind += 1
        kinds[first:end] = kind
    return kinds


KINDS = _kinds()
"""uint8, (256,): number of the kind of each ASCII character, and of each first byte of others by block; ANY_KIND for
bytes that begin no character."""


def kinds_below(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Kinds of the characters below each node of a trie, and their numbers.

    Args:
        nodes: see `TrieArrays`.
    Returns:
        int64 with a bit for each kind; ANY_KIND if the node does not end a character, or some text below it does not
        begin with characters, of which the last one may be unfinished. uint8, the number of characters up to a node.
        uint8, the greatest number of characters below it.
    """
    bytes_of, sizes = nodes & 255, nodes >> 40
    places, counts = _places(nodes)
    kinds = np.int64(1) << KINDS[bytes_of].astype(np.int64)
    kinds[bytes_of & 0xC0 == 0x80] = 0  # told by the first byte
    kinds[places < 0] = 1 << ANY_KIND
    if not len(nodes):
        return kinds, counts.astype(np.uint8), counts.astype(np.uint8)
    here = np.arange(len(nodes))
    bounds = np.stack([here + 1, here + sizes], axis=1).ravel()  # of what is below each node, and of what is not
    below = np.bitwise_or.reduceat(np.append(kinds, 0), bounds)[::2].copy()
    most = np.maximum.reduceat(np.append(counts, 0), bounds)[::2]
    is_leaf = sizes == 1
    below[is_leaf] = 0
    below[places != 0] |= 1 << ANY_KIND
    return below, counts.astype(np.uint8), np.where(is_leaf, 0, most - counts).astype(np.uint8)


def _places(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place in a character after each node, see `SLICES`; -1 where the text before is none. Number of characters."""
    table = SLICES[TEXT].copy()
    table[0, :0x80] = 0  # all of ASCII, where TEXT leaves some out
    depths, begins = nodes >> 8 & 255, (nodes & 0xC0 != 0x80).astype(np.int64)
    places, counts = np.full(len(nodes), -1, dtype=np.int64), begins.copy()
    above = np.array([-1])
    for depth in range(int(depths.max(initial=-1)) + 1):
        here = np.flatnonzero(depths == depth)
        if depth:
            parents = above[np.searchsorted(above, here) - 1]
            source = places[parents]
            counts[here] += counts[parents]
        else:
            source = np.zeros(len(here), dtype=np.int64)
        places[here] = np.where(source >= 0, table[source, nodes[here] & 255], -1)
        above = here
    return places, counts
