"""Free text: how far all characters of a slice can follow a configuration, so that ready masks can be used."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.codes import DEAD, PART, UNKNOWN
from guidance_kit.fsm.kernels.columns import CALLER, CONFIG, EDGE, FIRST, ITEM, LAYER, NODE, STATE, USED
from guidance_kit.fsm.kernels.compiling import subroutine
from guidance_kit.fsm.kernels.handles import row8, row64, rows32
from guidance_kit.fsm.kernels.horizon import canonical
from guidance_kit.fsm.kernels.steps import step

__all__ = ["free_neighbour", "free_slice", "slice_reach"]


@subroutine
def free_slice(arena, config, horizon):
    """1 + the first slice of which every character leads from `config` back to it; 0 if there is none; or a code.

    So it is if a state that treats all characters of the slice alike is the only one to read any of them, and one of
    them leads back. Then a text of such characters changes nothing, and a token can be read if what follows them can.
    """
    states, configs, items = rows32(arena, ARENA.states), rows32(arena, ARENA.configs), rows32(arena, ARENA.items)
    firsts = rows32(arena, ARENA.firsts)
    first, last = configs[config, CONFIG.first], configs[config, CONFIG.end]
    said = 0
    for i in range(first, last):
        said |= states[items[i, ITEM.state], STATE.alike]
    s = 0
    while said != 0 and s < firsts.shape[0]:
        which = firsts[s, FIRST.slice]
        begin = s
        while s < firsts.shape[0] and firsts[s, FIRST.slice] == which:
            s += 1
        if said >> which & 1 == 0:
            continue
        if not _reads_alike(arena, config, begin, s):
            continue
        target = _after_any(arena, config, begin, horizon)
        if target < 0:
            return target
        if target == config:
            return 1 + which
    return 0


@subroutine
def _reads_alike(arena, config, begin, end):
    """True if one state treats all characters of a slice alike, and no other one reads any of them.

    Args:
        begin, end: rows of `Arena.firsts` with the slice.
    """
    states, edges, configs = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.configs)
    items, firsts = rows32(arena, ARENA.items), rows32(arena, ARENA.firsts)
    alike = 0  # states that treat its characters alike, and how often a first byte is read by any state
    read = 0
    wanted = 0
    for r in range(begin, end):
        wanted += firsts[r, FIRST.last] - firsts[r, FIRST.first] + 1
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        state = items[i, ITEM.state]
        alike += states[state, STATE.alike] >> firsts[begin, FIRST.slice] & 1
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op >= 0:
                for r in range(begin, end):
                    read += max(0, min(op >> 8, firsts[r, FIRST.last]) - max(op & 255, firsts[r, FIRST.first]) + 1)
    return alike == 1 and read == wanted


@subroutine
def _after_any(arena, config, begin, horizon):
    """Canonical configuration after the first character of the slice in a row of `Arena.firsts`; or a negative code."""
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    byte = rows32(arena, ARENA.firsts)[begin, FIRST.first]
    target = np.int64(transitions[config, byte_class[byte]])
    if target == UNKNOWN:
        target = step(arena, config, np.int64(byte))
    return canonical(arena, target, horizon) if target > DEAD and horizon > 0 else target


@subroutine
def free_neighbour(arena, config, horizon):
    """Configuration after a character of a slice, if all of them lead back there; else DEAD; or a code.

    Most first bytes lead to the same from both, and of the texts that begin with these the same can follow both. It is
    known of every byte where it leads from both then.
    """
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    target = _after_any(arena, config, 0, horizon)
    if target <= DEAD:
        return target
    free = free_slice(arena, target, horizon)
    if free <= 0:
        return free
    for one in (config, target):
        for first in range(256):
            if transitions[one, byte_class[first]] == UNKNOWN:
                code = step(arena, one, np.int64(first))
                if code < 0:
                    return code
    return target


@subroutine
def slice_reach(arena, automaton, most, config, horizon):
    """Number of characters of a slice that can follow `config`, looking at texts of up to `horizon` bytes.

    Args:
        automaton: the slice's characters, see `TrieArrays`.
        most: number of characters of the longest token in the slice.
        horizon: see `canonical`; 0 if no counter is that far from its bounds.
    Returns:
        k > 0 if all texts of the slice of at most k characters can follow, and none of more (and at most `most`);
        0 if there is no such number, or it was not found; or a negative code, after which the same call goes on from
        used[USED.reach] characters. A first call finds 0 there.
    """
    states, configs, items = rows32(arena, ARENA.states), rows32(arena, ARENA.configs), rows32(arena, ARENA.items)
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    layer = rows32(arena, ARENA.layer)
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        if states[items[i, ITEM.state], STATE.free] & 1:
            return most
    used = row64(arena, ARENA.used)
    firsts = rows32(arena, ARENA.firsts)
    text = firsts.shape[0] - 1  # the first row of the slice, which is the last one
    while text > 0 and firsts[text - 1, FIRST.slice] == firsts[text, FIRST.slice]:
        text -= 1
    room = layer.shape[0] // 2
    begin = used[USED.reach]
    if begin == 0:
        if _is_in_partition(arena, config, text):
            return most
        layer[0, LAYER.config], layer[0, LAYER.place] = config, 0
        used[USED.layer] = 1
    here = room * (begin & 1)  # where the lists of this character and of the next begin
    there = room - here
    for k in range(begin, most):
        used[USED.reach] = k
        size = used[USED.layer]
        source = layer[here, LAYER.config]
        if size == 1 and _reads_alike(arena, source, text, firsts.shape[0]):
            target = _after_any(arena, source, text, horizon)
            if target < 0:
                return target
            if target == source:
                break
            layer[there, LAYER.config], layer[there, LAYER.place] = target, 0
            here, there = there, here
            continue
        # One character from every configuration in the list here: pairs within the character join the same list.
        pairs = here + size
        following = there
        complete = True
        p = here
        while p < pairs:
            source, place = layer[p, LAYER.config], layer[p, LAYER.place]
            known_class = -1
            known_next = -2
            for byte in range(256):
                after = automaton[place, byte]
                if after < 0:
                    continue
                c = byte_class[byte]
                if c == known_class and after == known_next:
                    continue
                known_class = c
                known_next = after
                target = transitions[source, c]
                if target == UNKNOWN:
                    target = step(arena, source, np.int64(byte))
                    if target < 0:
                        return target
                if target == DEAD:
                    complete = False
                    if k == 0:
                        return 0
                elif after == 0:
                    if horizon > 0:  # counters far from their bounds stand still, and the search ends at once
                        target = canonical(arena, target, horizon)
                        if target < 0:
                            return target
                    following = _joined(layer, there, following, there + room, target, 0)
                else:
                    pairs = _joined(layer, here + size, pairs, here + room, target, after)
                if following > there + room or pairs > here + room:
                    return 0
            p += 1
        if not complete:
            return k if following == there else 0
        if following - there == size and _is_same(layer, here, there, size):  # nothing new can happen
            break
        used[USED.layer] = following - there
        here, there = there, here
    return most


@subroutine
def _is_in_partition(arena, config, begin):
    """True if all texts of a slice can be read on, as parts of a partition of all texts are being read.

    That is promised between two characters. Of what is read within one, as in an escape or in UTF-8, a first byte of
    the slice is missing.

    Args:
        begin: first row of `Arena.firsts` with the slice, which is the last one.
    """
    configs, items, firsts = rows32(arena, ARENA.configs), rows32(arena, ARENA.items), rows32(arena, ARENA.firsts)
    states, edges = rows32(arena, ARENA.states), rows32(arena, ARENA.edges)
    first, last = configs[config, CONFIG.first], configs[config, CONFIG.end]
    while first < last and not _is_in_part(arena, items[first, ITEM.node]):
        first += 1
    if first == last:
        return False
    for r in range(begin, firsts.shape[0]):
        byte = firsts[r, FIRST.first]
        while byte <= firsts[r, FIRST.last]:
            further = byte
            for i in range(first, last):
                if not _is_in_part(arena, items[i, ITEM.node]):
                    continue
                state = items[i, ITEM.state]
                for e in range(states[state, STATE.first], states[state, STATE.end]):
                    op = edges[e, EDGE.op]
                    if op >= 0 and op & 255 <= further <= op >> 8:
                        further = (op >> 8) + 1
            if further == byte:
                return False
            byte = further
    return True


@subroutine
def _is_in_part(arena, node):
    """True if a frame, or one that it returns to, returns to a state of which `Network.ends_part` was said."""
    states, nodes, callers = rows32(arena, ARENA.states), rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers)
    for c in range(nodes[node, NODE.first], nodes[node, NODE.end]):
        state, below = callers[c, CALLER.state], callers[c, CALLER.below]
        if state < 0:
            continue
        if states[state, STATE.alike] & PART:
            return True
        for d in range(nodes[below, NODE.first], nodes[below, NODE.end]):
            outer = callers[d, CALLER.state]
            if outer >= 0 and states[outer, STATE.alike] & PART:
                return True
    return False


@subroutine
def _joined(layer, first, end, limit, config, place):
    """End of a list of pairs after one has joined it, unless it is there; beyond `limit` if there is no room."""
    for r in range(first, end):
        if layer[r, LAYER.config] == config and layer[r, LAYER.place] == place:
            return end
    if end < limit:
        layer[end, LAYER.config], layer[end, LAYER.place] = config, place
    return end + 1


@subroutine
def _is_same(layer, here, there, size):
    """True if two lists of so many different configurations hold the same, in any order."""
    for q in range(size):
        found = False
        for p in range(size):
            found |= layer[here + p, LAYER.config] == layer[there + q, LAYER.config]
        if not found:
            return False
    return True
