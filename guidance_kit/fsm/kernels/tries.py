"""Tries: the tokens of a vocabulary in depth-first order, with and without the characters of a slice."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.columns import TWIN
from guidance_kit.fsm.kernels.compiling import kernel

__all__ = ["build_trie", "slice_lengths"]


@kernel
def build_trie(text, offsets, ids, spare, nodes_out, twins_out, open_nodes):
    """Lay out sorted tokens as a trie in depth-first order.

    Args:
        text: uint8, all tokens one after the other, sorted bytewise.
        offsets: int64 (tokens + 1,), where each begins in `text`.
        ids: int32 (tokens,), their numbers.
        spare: what to write for a node that is no token.
        nodes_out: int64, as in `TrieArrays`, long enough for len(text) nodes.
        twins_out: int32 (tokens, TWIN): a token and an earlier one with the same bytes.
        open_nodes: int32 (longest token + 1,), scratch.
    Returns:
        (number of nodes, number of twins)
    """
    nodes = 0
    twins = 0
    depth = 0
    for k in range(ids.shape[0]):
        begin = offsets[k]
        length = offsets[k + 1] - begin
        common = 0
        if k > 0:
            before = offsets[k - 1]
            most = min(length, begin - before)
            while common < most and text[begin + common] == text[before + common]:
                common += 1
        while depth > common:
            depth -= 1
            first = open_nodes[depth]
            nodes_out[first] |= np.int64(nodes - first) << 40
        for d in range(common, length):
            nodes_out[nodes] = np.int64(text[begin + d]) | np.int64(d) << 8 | np.int64(spare) << 16
            open_nodes[d] = nodes
            nodes += 1
        depth = length
        last = open_nodes[length - 1]
        token = nodes_out[last] >> 16 & 0xFFFFFF
        if token == spare:
            nodes_out[last] += np.int64(ids[k] - spare) << 16
        else:
            twins_out[twins, TWIN.token] = ids[k]
            twins_out[twins, TWIN.other] = token
            twins += 1
    while depth > 0:
        depth -= 1
        first = open_nodes[depth]
        nodes_out[first] |= np.int64(nodes - first) << 40
    return nodes, twins


@kernel
def slice_lengths(text, offsets, automaton, length_out, head_out):
    """Measure the tokens that lie within a slice.

    Args:
        text, offsets: as in `TrieArrays`.
        automaton: the slice, see `TrieArrays.characters`.
        length_out: int32; number of characters of each token, one that is not finished included; -1 if it does not
            lie wholly within the slice.
        head_out: int32; number of bytes of the finished characters that each token begins with.
    """
    for k in range(length_out.shape[0]):
        u = 0
        length = 0
        head_out[k] = 0
        for i in range(offsets[k], offsets[k + 1]):
            if u == 0:
                length += 1
            u = automaton[u, text[i]]
            if u < 0:
                break
            if u == 0:
                head_out[k] = i + 1 - offsets[k]
        length_out[k] = length if u >= 0 else -1
