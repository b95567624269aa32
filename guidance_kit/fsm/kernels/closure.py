"""The closure of a step: all (state, frame) that are reached without reading a byte become a configuration."""

from __future__ import annotations

from typing import Any

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.codes import BARRED, COMPLETE, FULL_WORK, INHERIT, NAMED, NEED_RULES, WAITING
from guidance_kit.fsm.kernels.columns import CALLER, EDGE, ENTRY, NODE, RULE, RULE_SLOT, SEEN, SLOT, STATE, USED, WORK
from guidance_kit.fsm.kernels.compiling import Kernel, shared, subroutine
from guidance_kit.fsm.kernels.covering import without_covered
from guidance_kit.fsm.kernels.frames import resolve
from guidance_kit.fsm.kernels.handles import arena_at, row32, row64, rows32
from guidance_kit.fsm.kernels.interning import caller_key, intern_config, intern_node, item_key, mix, unique
from guidance_kit.fsm.kernels.key_sets import has_required, has_some, without
from guidance_kit.fsm.opcodes import (
    CALL,
    EPSILON,
    FINAL,
    FRESH,
    JUMP,
    LOOP,
    NONE_LEFT,
    RECALL,
    SOME_LEFT,
    TAKE,
    TURN,
    WITHIN,
)

__all__ = ["add", "close", "need"]


@subroutine
def add(arena, state, reference, n):
    """Add (state, reference) to the closure of n items unless it is there; return the new n, or FULL_WORK."""
    used, work, seen = row64(arena, ARENA.used), rows32(arena, ARENA.work), rows32(arena, ARENA.seen)
    stamp = used[USED.stamp]
    mask = seen.shape[0] - 1
    place = mix(mix(7, state), reference + 0x40000000) & mask
    while seen[place, SEEN.stamp] == stamp:
        if seen[place, SEEN.state] == state and seen[place, SEEN.reference] == reference:
            return n
        place = (place + 1) & mask
    if n >= work.shape[0]:
        return FULL_WORK
    seen[place, SEEN.stamp] = stamp
    seen[place, SEEN.state] = state
    seen[place, SEEN.reference] = reference
    work[n, WORK.state] = state
    work[n, WORK.reference] = reference
    work[n, WORK.is_item] = 0
    return n + 1


@subroutine
def need(arena, rule, count):
    """Note that a rule has to be built, after `count` other ones; return how many they are now."""
    needed = row32(arena, ARENA.needed)
    for i in range(count):
        if needed[i] == rule:
            return count
    needed[count] = rule
    return count + 1


@subroutine
def _counted(arena, node, count):
    """The node that differs from `node` in the count of its turns, or its key set; or a negative code."""
    nodes, callers, keys = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers), row64(arena, ARENA.keys)
    m = 0
    for c in range(nodes[node, NODE.first], nodes[node, NODE.end]):
        if m >= keys.shape[0]:
            return FULL_WORK
        keys[m] = caller_key(callers[c, CALLER.state], callers[c, CALLER.below])
        m += 1
    return intern_node(arena, m, count, nodes[node, NODE.repetition])


@subroutine
def _enter(arena, rule, target, reference, n):
    """Call a built rule, which returns to `target` in the frame of `reference`; return the new n, or a negative code.

    All calls of a rule in one step share a slot, so that it is entered once.
    """
    states, edges, rules = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.rules)
    slots, rule_slot, entries = rows32(arena, ARENA.slots), rows32(arena, ARENA.rule_slot), rows32(arena, ARENA.entries)
    used = row64(arena, ARENA.used)
    if rules[rule, RULE.nullable] != 0:
        n = add(arena, target, reference, n)
        if n < 0:
            return n
    slot = rule_slot[rule, RULE_SLOT.slot]
    if rule_slot[rule, RULE_SLOT.stamp] != used[USED.stamp]:
        slot = used[USED.slots]
        if slot >= slots.shape[0]:
            return FULL_WORK
        used[USED.slots] = slot + 1
        rule_slot[rule, RULE_SLOT.stamp] = used[USED.stamp]
        rule_slot[rule, RULE_SLOT.slot] = slot
        slots[slot, SLOT.rule] = rule
        slots[slot, SLOT.entry] = -1
        slots[slot, SLOT.node] = -1
        n = add(arena, rules[rule, RULE.start], -1 - slot, n)
    entry = used[USED.entries]
    if entry >= entries.shape[0]:
        return FULL_WORK
    used[USED.entries] = entry + 1
    only = states[target, STATE.first]
    if states[target, STATE.end] == only + 1 and edges[only, EDGE.op] == FINAL:
        target = INHERIT
    entries[entry, ENTRY.state] = target
    entries[entry, ENTRY.reference] = reference
    entries[entry, ENTRY.link] = slots[slot, SLOT.entry]
    slots[slot, SLOT.entry] = entry
    return n


@subroutine
def _has_room(arena, reference, turns):
    """True if so many more turns are within the maximum of the counted rule that a frame belongs to."""
    nodes, rules, slots = rows32(arena, ARENA.nodes), rows32(arena, ARENA.rules), rows32(arena, ARENA.slots)
    if reference < 0:
        return turns <= rules[slots[-1 - reference, SLOT.rule], RULE.maximum]
    return nodes[reference, NODE.turns] + turns <= rules[nodes[reference, NODE.repetition], RULE.maximum]


@subroutine
def _end(arena, e, reference, n):
    """End a turn, or a rule, by the edge e; return the new n, or a negative code."""
    edges, rules, used = rows32(arena, ARENA.edges), rows32(arena, ARENA.rules), row64(arena, ARENA.used)
    nodes, callers = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers)
    op = edges[e, EDGE.op]
    count = nodes[reference, NODE.turns] + 1
    may_end = op != TURN
    if op == TURN:
        node = _counted(arena, reference, count)
        if node < 0:
            return node
        n = add(arena, edges[e, EDGE.target], node, n)
    elif op == LOOP:
        rule = edges[e, EDGE.rule]
        minimum, maximum = rules[rule, RULE.minimum], rules[rule, RULE.maximum]
        may_end = count >= minimum
        if maximum < 0 or count < maximum:
            node = _counted(arena, reference, min(count, minimum) if maximum < 0 else count)
            if node < 0:
                return node
            n = add(arena, rules[rule, RULE.start], node, n)
    if may_end:
        for c in range(nodes[reference, NODE.first], nodes[reference, NODE.end]):
            if n < 0:
                return n
            if callers[c, CALLER.state] < 0:
                used[USED.bits] |= COMPLETE
            else:
                n = add(arena, callers[c, CALLER.state], callers[c, CALLER.below], n)
    return n


@subroutine
def _ask_keys(arena, e, reference, n):
    """Follow the edge e of a keyed rule, if its key set allows that; return the new n, or a negative code."""
    edges = rows32(arena, ARENA.edges)
    op, keys = edges[e, EDGE.op], edges[e, EDGE.keys]
    node = reference
    if op == SOME_LEFT:
        if not has_some(arena, reference, keys & 0xFFFF, keys >> 16):
            return n
    elif op == TAKE:
        left = without(arena, reference, keys)
        node = left if left < 0 else _counted(arena, reference, left)
        if node < 0:
            return node
    elif has_required(arena, reference):
        return n
    return add(arena, edges[e, EDGE.target], node, n)


@subroutine
def _configuration(arena, n):
    """The configuration of those of the n items in `work` that have an edge to be taken; or a negative code."""
    work, slots, keys = rows32(arena, ARENA.work), rows32(arena, ARENA.slots), row64(arena, ARENA.keys)
    m = 0
    for i in range(n):
        if work[i, WORK.is_item] == 1:
            node = work[i, WORK.reference]
            if node < 0:
                node = slots[-1 - node, SLOT.node]
            if m >= keys.shape[0]:
                return FULL_WORK
            keys[m] = item_key(work[i, WORK.state], node)
            m += 1
    bits = row64(arena, ARENA.used)[USED.bits] & ~BARRED
    return intern_config(arena, without_covered(arena, unique(keys, m)), bits)


@subroutine
def _close(arena, n, bits):
    """See `close`."""
    states, edges, rules = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.rules)
    work, needed, used = rows32(arena, ARENA.work), row32(arena, ARENA.needed), row64(arena, ARENA.used)
    used[USED.bits], used[USED.slots], used[USED.entries] = bits, 0, 0
    missing = 0
    i = 0
    while i < n:
        state, reference = work[i, WORK.state], work[i, WORK.reference]
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op >= 0:
                work[i, WORK.is_item] = 1
            elif op == EPSILON:
                n = add(arena, edges[e, EDGE.target], reference, n)
            elif op in (CALL, JUMP):
                rule = edges[e, EDGE.rule]
                if rules[rule, RULE.start] < 0:
                    missing = need(arena, rule, missing)
                    if missing == needed.shape[0]:
                        used[USED.needed] = missing
                        return NEED_RULES
                elif op == JUMP:
                    n = add(arena, rules[rule, RULE.start] + edges[e, EDGE.entry], reference, n)
                else:
                    n = _enter(arena, rule, edges[e, EDGE.after], reference, n)
            elif op == WITHIN:
                if _has_room(arena, reference, edges[e, EDGE.turns]):
                    n = add(arena, edges[e, EDGE.target], reference, n)
            elif op == RECALL:
                work[i, WORK.is_item] = 1
                used[USED.bits] |= WAITING
            elif op == FRESH:
                if bits & BARRED == 0:
                    work[i, WORK.is_item] = 1
                    used[USED.bits] |= NAMED
                    n = add(arena, edges[e, EDGE.target], reference, n)
            elif op in (SOME_LEFT, TAKE, NONE_LEFT):
                n = _ask_keys(arena, e, reference, n)
            elif reference >= 0:  # a rule that ends where it began is its caller's business: `nullable`
                n = _end(arena, e, reference, n)
            if n < 0:
                return n
        i += 1
    if missing > 0:
        used[USED.needed] = missing
        return NEED_RULES
    code = resolve(arena)
    return code if code < 0 else _configuration(arena, n)


def _close_at(address, n, bits):
    return _close(arena_at(address), n, bits)


_close_by_symbol: Any = shared(_close_at, arguments=3)


@subroutine
def _close_elsewhere(arena, n, bits):
    return _close_by_symbol(arena.ctypes.data, n, bits)


close: Kernel = _close if _close_by_symbol is None else _close_elsewhere
"""Close the n items in `work` under everything that reads nothing; return the configuration, or a code.

Args:
    n: number of items.
    bits: COMPLETE if the text is complete here anyway; BARRED.
"""
