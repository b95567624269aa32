"""Frames: the rules that a step enters become stack nodes as soon as all their callers are known."""

from __future__ import annotations

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.codes import FULL_CALLERS, FULL_NODES, FULL_WORK, INHERIT
from guidance_kit.fsm.kernels.columns import CALLER, ENTRY, NODE, RULE, SLOT, USED
from guidance_kit.fsm.kernels.compiling import subroutine
from guidance_kit.fsm.kernels.covering import without_covered
from guidance_kit.fsm.kernels.handles import row32, row64, rows32
from guidance_kit.fsm.kernels.interning import caller_key, intern_node, mix, unique

__all__ = ["resolve"]

WAIT = -7
"""Answer of `_gather` where a caller has no node yet."""

GROUP = 1 << 30
"""In keys of a group: place of a member instead of its node."""


@subroutine
def _gather(arena, slot, group, m):
    """Write the callers of a slot, and of those it inherits from, to keys[m:]; return the end, or a negative code.

    Callers whose node is not known yet are written as GROUP + place in their group where `group` is 1; where it is 0,
    the slot is not ready and the answer is WAIT.
    """
    nodes, callers, used = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers), row64(arena, ARENA.used)
    slots, entries, keys = rows32(arena, ARENA.slots), rows32(arena, ARENA.entries), row64(arena, ARENA.keys)
    count = used[USED.slots]
    for other in range(count):
        slots[other, SLOT.link] = -1
    slots[slot, SLOT.link] = slot
    last = slot
    source = slot
    while True:
        entry = slots[source, SLOT.entry]
        while entry >= 0:
            target = entries[entry, ENTRY.state]
            reference = entries[entry, ENTRY.reference]
            if target == INHERIT:
                if reference < 0:
                    other = -1 - reference
                    if slots[other, SLOT.link] < 0:
                        slots[other, SLOT.link] = other
                        slots[last, SLOT.link] = other
                        last = other
                else:
                    for c in range(nodes[reference, NODE.first], nodes[reference, NODE.end]):
                        if m >= keys.shape[0]:
                            return FULL_WORK
                        keys[m] = caller_key(callers[c, CALLER.state], callers[c, CALLER.below])
                        m += 1
            else:
                node = reference
                if reference < 0:
                    node = slots[-1 - reference, SLOT.node]
                    if node < 0:
                        if group == 0:
                            return WAIT
                        node = GROUP + slots[-1 - reference, SLOT.place]
                if m >= keys.shape[0]:
                    return FULL_WORK
                keys[m] = caller_key(target, node)
                m += 1
            entry = entries[entry, ENTRY.link]
        if source == last:
            return m
        source = slots[source, SLOT.link]


@subroutine
def resolve(arena):
    """Give every slot of the current step its node; return 0 or a negative code."""
    used, slots, keys = row64(arena, ARENA.used), rows32(arena, ARENA.slots), row64(arena, ARENA.keys)
    slot_count = used[USED.slots]
    todo = slot_count
    while todo > 0:
        progress = False
        for slot in range(slot_count):
            if slots[slot, SLOT.node] >= 0:
                continue
            m = _gather(arena, slot, 0, 0)
            if m == WAIT:
                continue
            if m < 0:
                return m
            m = without_covered(arena, unique(keys, m))
            node = intern_node(arena, m, 0, _repetition(arena, slots[slot, SLOT.rule]))
            if node < 0:
                return node
            slots[slot, SLOT.node] = node
            todo -= 1
            progress = True
        if not progress:
            solved = _resolve_group(arena)
            if solved < 0:
                return solved
            todo -= solved
    return 0


@subroutine
def _repetition(arena, rule):
    """`rule` if it counts turns or has a key set, else -1."""
    rules = rows32(arena, ARENA.rules)
    is_plain = rules[rule, RULE.minimum] == 1 and rules[rule, RULE.maximum] == 1 and rules[rule, RULE.keys] == 0
    return -1 if is_plain else rule


@subroutine
def _reach(arena, slot):
    """Mark (place 0) the open slots that a slot waits for, itself only if in a circle; return how many."""
    used, slots, entries = row64(arena, ARENA.used), rows32(arena, ARENA.slots), rows32(arena, ARENA.entries)
    count = used[USED.slots]
    for other in range(count):
        slots[other, SLOT.link] = -1
        slots[other, SLOT.place] = -1
    size = 0
    source = slot
    last = slot
    while True:
        entry = slots[source, SLOT.entry]
        while entry >= 0:
            reference = entries[entry, ENTRY.reference]
            if reference < 0:
                other = -1 - reference
                if slots[other, SLOT.node] < 0 and slots[other, SLOT.place] < 0:
                    slots[other, SLOT.place] = 0
                    size += 1
                    if other != slot:
                        slots[last, SLOT.link] = other
                        last = other
            entry = entries[entry, ENTRY.link]
        if source == last:
            return size
        source = slots[source, SLOT.link]


@subroutine
def _resolve_group(arena):
    """Left recursion: give nodes to slots that wait for each other and for nothing else; return how many, or a code.

    Their nodes are numbered in a row, in the order of their rules, and name each other as callers. The group is
    interned as a whole, its own nodes being known by their places in it.
    """
    nodes, table = rows32(arena, ARENA.nodes), row32(arena, ARENA.node_table)
    used, slots, keys = row64(arena, ARENA.used), rows32(arena, ARENA.slots), row64(arena, ARENA.keys)
    size = _find_group(arena)
    # keys: the sorted callers of one member after those of the other; entry ends in `SLOT.end` of the member.
    m = 0
    h = mix(41, size)
    for place in range(size):
        slot = 0
        while slots[slot, SLOT.place] != place:
            slot += 1
        first = m
        m = _gather(arena, slot, 1, m)
        if m < 0:
            return m
        m = first + unique(keys[first:], m - first)
        slots[slot, SLOT.end] = m
        h = mix(mix(h, slots[slot, SLOT.rule]), m - first)
        for i in range(first, m):
            h = mix(mix(h, keys[i] >> 32), keys[i] & 0xFFFFFFFF)
    mask = table.shape[0] - 1
    spot = h & mask
    node = -1
    while table[spot] > 0:
        if nodes[table[spot], NODE.group] == size and _is_group(arena, table[spot], size):
            node = table[spot]
            break
        spot = (spot + 1) & mask
    if node < 0:
        node = _add_group(arena, size, m, h)
        if node < 0:
            return node
        table[spot] = node
    for slot in range(used[USED.slots]):
        if slots[slot, SLOT.place] >= 0:
            slots[slot, SLOT.node] = node + slots[slot, SLOT.place]
    return size


@subroutine
def _find_group(arena):
    """Number the smallest circle of open slots by their rules, which no two share: their places; return how many."""
    used, slots = row64(arena, ARENA.used), rows32(arena, ARENA.slots)
    count = used[USED.slots]
    best = -1
    size = count + 1
    for slot in range(count):
        if slots[slot, SLOT.node] < 0:
            reached = _reach(arena, slot)
            if slots[slot, SLOT.place] == 0 and reached < size:
                best = slot
                size = reached
    _reach(arena, best)
    for slot in range(count):
        if slots[slot, SLOT.place] >= 0:
            place = 0
            for other in range(count):
                if slots[other, SLOT.place] >= 0 and slots[other, SLOT.rule] < slots[slot, SLOT.rule]:
                    place += 1
            slots[slot, SLOT.place] = place
    return size


@subroutine
def _add_group(arena, size, m, h):
    """Write the nodes of the group in the slots, whose callers are keys[:m]; return the first node, or a code."""
    nodes, hashes, callers = rows32(arena, ARENA.nodes), row32(arena, ARENA.hashes), rows32(arena, ARENA.callers)
    table, used, slots = row32(arena, ARENA.node_table), row64(arena, ARENA.used), rows32(arena, ARENA.slots)
    keys = row64(arena, ARENA.keys)
    node = used[USED.nodes]
    begin = used[USED.callers]
    if node + size > nodes.shape[0] or 2 * (node + size) > table.shape[0]:
        return FULL_NODES
    if begin + m > callers.shape[0]:
        return FULL_CALLERS
    for i in range(m):
        below = keys[i] & 0xFFFFFFFF
        callers[begin + i, CALLER.state] = (keys[i] >> 32) - 1
        callers[begin + i, CALLER.below] = below if below < GROUP else node + below - GROUP
    for slot in range(used[USED.slots]):
        place = slots[slot, SLOT.place]
        if place >= 0:
            nodes[node + place, NODE.end] = begin + slots[slot, SLOT.end]
            nodes[node + place, NODE.turns] = 0
            nodes[node + place, NODE.repetition] = _repetition(arena, slots[slot, SLOT.rule])
            nodes[node + place, NODE.group] = -1
    nodes[node, NODE.group] = size
    nodes[node, NODE.first] = begin
    for place in range(1, size):
        nodes[node + place, NODE.first] = nodes[node + place - 1, NODE.end]
    hashes[node] = h
    used[USED.nodes] = node + size
    used[USED.callers] = begin + m
    return node


@subroutine
def _is_group(arena, node, size):
    """True if the group that begins at `node` is the one in `keys` and the slots."""
    nodes, callers, used = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers), row64(arena, ARENA.used)
    slots, keys = rows32(arena, ARENA.slots), row64(arena, ARENA.keys)
    begin = nodes[node, NODE.first]
    for slot in range(used[USED.slots]):
        place = slots[slot, SLOT.place]
        if place >= 0 and (
            nodes[node + place, NODE.end] - begin != slots[slot, SLOT.end]
            or nodes[node + place, NODE.repetition] != _repetition(arena, slots[slot, SLOT.rule])
        ):
            return False
    for i in range(nodes[node + size - 1, NODE.end] - begin):
        below = callers[begin + i, CALLER.below]
        if node <= below < node + size:
            below = GROUP + below - node
        if caller_key(callers[begin + i, CALLER.state], below) != keys[i]:
            return False
    return True
