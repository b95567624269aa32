"""Key sets: the keys that a frame of a keyed rule has left, as interned bit sets."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.codes import FULL_SETS
from guidance_kit.fsm.kernels.columns import NODE, RULE, USED
from guidance_kit.fsm.kernels.compiling import inlined, subroutine
from guidance_kit.fsm.kernels.handles import row32, row64, rows32
from guidance_kit.fsm.kernels.interning import mix

__all__ = ["first_word", "has_required", "has_some", "without", "words_of"]


@inlined
def words_of(arena, node):
    """The array that has the set of a frame, from `first_word` on."""
    return row64(arena, ARENA.sets if rows32(arena, ARENA.nodes)[node, NODE.left] > 0 else ARENA.full_sets)


@subroutine
def first_word(arena, node):
    """Place of the first word of the set of a frame in `words_of`."""
    nodes, rules = rows32(arena, ARENA.nodes), rows32(arena, ARENA.rules)
    left = nodes[node, NODE.left]
    return left if left > 0 else rules[nodes[node, NODE.repetition], RULE.full]


@subroutine
def has_some(arena, node, first, end):
    """True if the set of a frame has a key of first..end - 1."""
    words, begin = words_of(arena, node), first_word(arena, node)
    word, last = first >> 6, (end - 1) >> 6
    bits = np.int64(-1) << np.int64(first & 63)
    while word < last:
        if words[begin + word] & bits != 0:
            return True
        bits = np.int64(-1)
        word += 1
    if end & 63 != 0:
        bits &= ~(np.int64(-1) << np.int64(end & 63))
    return words[begin + last] & bits != 0


@subroutine
def has_required(arena, node):
    """True if the set of a frame has a required key."""
    nodes, rules, full = rows32(arena, ARENA.nodes), rows32(arena, ARENA.rules), row64(arena, ARENA.full_sets)
    words, begin, rule = words_of(arena, node), first_word(arena, node), nodes[node, NODE.repetition]
    count = (rules[rule, RULE.keys] + 63) >> 6
    required = rules[rule, RULE.full] + count
    left = np.int64(0)
    for word in range(count):
        left |= words[begin + word] & full[required + word]
    return left != 0


@subroutine
def without(arena, node, key):
    """First word in `sets` of the set of a frame without a key; or FULL_SETS.

    The hash is the exclusive or of those of the keys that were taken, so it takes the same time for each set.
    """
    nodes, rules, used = rows32(arena, ARENA.nodes), rows32(arena, ARENA.rules), row64(arena, ARENA.used)
    sets, table = row64(arena, ARENA.sets), row32(arena, ARENA.set_table)
    words, begin, rule = words_of(arena, node), first_word(arena, node), nodes[node, NODE.repetition]
    count = (rules[rule, RULE.keys] + 63) >> 6
    head = np.int64(rule) << 32
    if nodes[node, NODE.left] > 0:
        head = words[begin - 1]
    word, bit = key >> 6, np.int64(1) << np.int64(key & 63)
    if words[begin + word] & bit != 0:
        head ^= mix(mix(71, rule), key)
    mask = table.shape[0] - 1
    place = head & mask
    while table[place] > 0:
        other = table[place]
        if sets[other - 1] == head:
            same = True
            for w in range(count):
                left = words[begin + w]
                if w == word:
                    left &= ~bit
                if sets[other + w] != left:
                    same = False
                    break
            if same:
                return np.int64(other)
        place = (place + 1) & mask
    fresh = used[USED.sets] + 1
    if fresh + count > sets.shape[0]:
        return np.int64(FULL_SETS)
    sets[fresh - 1] = head
    for w in range(count):
        sets[fresh + w] = words[begin + w]
    sets[fresh + word] &= ~bit
    used[USED.sets] = fresh + count
    table[place] = fresh
    return fresh
