"""Ends: the configurations to which the tokens lead that a configuration allows."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA, COSTS, TRIE
from guidance_kit.fsm.kernels.codes import DEAD, ROUGHLY, SHORTEST, UNKNOWN
from guidance_kit.fsm.kernels.columns import KNOWN, USED
from guidance_kit.fsm.kernels.compiling import kernel, subroutine
from guidance_kit.fsm.kernels.costs import cost_of
from guidance_kit.fsm.kernels.free_text import free_slice
from guidance_kit.fsm.kernels.handles import row8, row32, row64, rows32
from guidance_kit.fsm.kernels.steps import step

__all__ = ["find_ends"]


@kernel
def find_ends(arena, words, known, config, which, begin):
    """Find the configurations to which tokens lead from `config`, each once.

    Args:
        which: ALL; SHORTEST: those on the way of the shortest texts; ROUGHLY: without those to which nothing leads but
            tokens that end in the middle of a character of a slice, where that saves time.
        begin: 0, or used[USED.resume] after a negative code.
    Returns:
        0, `ends` being written; or a negative code.
    """
    found = row64(known, COSTS.used)
    row32(arena, ARENA.stack)[0] = config
    row64(arena, ARENA.used)[USED.resume] = begin
    if begin == 0:
        found[KNOWN.ends] = 0
        found[KNOWN.search] += 1
    if which == ROUGHLY:
        free = free_slice(arena, config, 0)
        if free < 0:
            return free
        if free > 0:  # characters of the slice lead back, so all that comes after them leads where it does from here
            row32(known, COSTS.marks)[config] = found[KNOWN.search]
            row32(known, COSTS.ends)[0] = config
            found[KNOWN.ends] = max(1, found[KNOWN.ends])
            begins = row32(words, TRIE.tail_begins)
            roots = row64(words, TRIE.tail_roots)[begins[free - 1] : begins[free]]
            tails = row64(words, TRIE.tails)[: roots[roots.shape[0] - 1] >> 8]
            spare = row32(words, TRIE.groups).shape[0] - 2
            return _walk_ends(arena, known, tails, max(begin, roots[0] >> 8), spare, -1)
    left = np.int64(-1)
    if which == SHORTEST:
        left = np.int64(cost_of(arena, known, config))
        if left < 0:
            return left
    spare = 32 * rows32(words, TRIE.bases).shape[1]
    return _walk_ends(arena, known, row64(words, TRIE.whole), begin, spare, left)


@subroutine
def _walk_ends(arena, known, nodes, begin, spare, cost):
    """Note where the texts of a trie lead, from a node on; if `cost` is not -1, only where each byte lessens it.

    Returns 0; or a negative code, the node to go on from being in used[USED.resume].
    """
    stack, transitions = row32(arena, ARENA.stack), rows32(arena, ARENA.transitions)
    byte_class = row8(arena, ARENA.byte_class)
    marks, ends, found = row32(known, COSTS.marks), row32(known, COSTS.ends), row64(known, COSTS.used)
    mark = found[KNOWN.search]
    i = begin
    while i < nodes.shape[0]:
        node = nodes[i]
        depth = node >> 8 & 255
        source = stack[depth]
        target = transitions[source, byte_class[node & 255]]
        if target == UNKNOWN:
            target = step(arena, source, node & 255)
        if target > DEAD and cost >= 0:
            left = cost_of(arena, known, target)
            if left < 0:
                target = left
            elif left > cost - depth - 1:
                target = DEAD
        if target <= DEAD:
            if target < 0:
                row64(arena, ARENA.used)[USED.resume] = i
                return target
            i += node >> 40
            continue
        stack[depth + 1] = target
        if marks[target] != mark and node >> 16 & 0xFFFFFF != spare:
            marks[target] = mark
            ends[found[KNOWN.ends]] = target
            found[KNOWN.ends] += 1
        i += 1
    return 0
