"""The closure of a step: all (state, frame) that are reached without reading a byte become a configuration."""

from __future__ import annotations

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.codes import BARRED, COMPLETE, FULL_WORK, INHERIT, NAMED, NEED_RULES, WAITING
from guidance_kit.fsm.kernels.columns import CALLER, EDGE, ENTRY, NODE, RULE, RULE_SLOT, SEEN, SLOT, STATE, USED, WORK
from guidance_kit.fsm.kernels.compiling import subroutine
from guidance_kit.fsm.kernels.covering import without_covered
from guidance_kit.fsm.kernels.frames import resolve
from guidance_kit.fsm.kernels.handles import row32, row64, rows32
from guidance_kit.fsm.kernels.interning import caller_key, intern_config, intern_node, item_key, mix, unique
from guidance_kit.fsm.opcodes import CALL, EPSILON, FINAL, FRESH, JUMP, LOOP, RECALL, TURN, WITHIN

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
    """The node that differs from `node` in the count of its turns; or a negative code."""
    nodes, callers, keys = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers), row64(arena, ARENA.keys)
    m = 0
    for c in range(nodes[node, NODE.first], nodes[node, NODE.end]):
        if m >= keys.shape[0]:
            return FULL_WORK
        keys[m] = caller_key(callers[c, CALLER.state], callers[c, CALLER.below])
        m += 1
    return intern_node(arena, m, count, nodes[node, NODE.repetition])


@subroutine
def close(arena, n, bits):
    """Close the n items in `work` under everything that reads nothing; return the configuration, or a code.

    Args:
        bits: COMPLETE if the text is complete here anyway; BARRED.
    """
    states, edges, rules = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.rules)
    nodes, callers, used = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers), row64(arena, ARENA.used)
    work, slots, rule_slot = rows32(arena, ARENA.work), rows32(arena, ARENA.slots), rows32(arena, ARENA.rule_slot)
    entries, keys, needed = rows32(arena, ARENA.entries), row64(arena, ARENA.keys), row32(arena, ARENA.needed)
    stamp = used[USED.stamp]
    slot_count = 0
    entry_count = 0
    missing = 0
    i = 0
    while i < n:
        state = work[i, WORK.state]
        reference = work[i, WORK.reference]
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op >= 0:
                work[i, WORK.is_item] = 1
            elif op == EPSILON:
                n = add(arena, edges[e, EDGE.target], reference, n)
            elif op == CALL:
                rule = edges[e, EDGE.rule]
                target = edges[e, EDGE.after]
                if rules[rule, RULE.start] < 0:
                    missing = need(arena, rule, missing)
                    if missing == needed.shape[0]:
                        used[USED.needed] = missing
                        return NEED_RULES
                    continue
                if rules[rule, RULE.nullable] != 0:
                    n = add(arena, target, reference, n)
                    if n < 0:
                        return n
                if rule_slot[rule, RULE_SLOT.stamp] == stamp:
                    slot = rule_slot[rule, RULE_SLOT.slot]
                else:
                    if slot_count >= slots.shape[0]:
                        return FULL_WORK
                    slot = slot_count
                    slot_count += 1
                    rule_slot[rule, RULE_SLOT.stamp] = stamp
                    rule_slot[rule, RULE_SLOT.slot] = slot
                    slots[slot, SLOT.rule] = rule
                    slots[slot, SLOT.entry] = -1
                    slots[slot, SLOT.node] = -1
                    n = add(arena, rules[rule, RULE.start], -1 - slot, n)
                if entry_count >= entries.shape[0]:
                    return FULL_WORK
                only = states[target, STATE.first]
                if states[target, STATE.end] == only + 1 and edges[only, EDGE.op] == FINAL:
                    target = INHERIT
                entries[entry_count, ENTRY.state] = target
                entries[entry_count, ENTRY.reference] = reference
                entries[entry_count, ENTRY.link] = slots[slot, SLOT.entry]
                slots[slot, SLOT.entry] = entry_count
                entry_count += 1
            elif op == JUMP:
                rule = edges[e, EDGE.rule]
                if rules[rule, RULE.start] < 0:
                    missing = need(arena, rule, missing)
                    if missing == needed.shape[0]:
                        used[USED.needed] = missing
                        return NEED_RULES
                    continue
                n = add(arena, rules[rule, RULE.start], reference, n)
            elif op == WITHIN:
                count = 0
                if reference >= 0:
                    rule = nodes[reference, NODE.repetition]
                    count = nodes[reference, NODE.turns]
                else:
                    rule = slots[-1 - reference, SLOT.rule]
                if count + edges[e, EDGE.turns] <= rules[rule, RULE.maximum]:
                    n = add(arena, edges[e, EDGE.target], reference, n)
            elif op == RECALL:
                work[i, WORK.is_item] = 1
                bits |= WAITING
            elif op == FRESH:
                if bits & BARRED == 0:
                    work[i, WORK.is_item] = 1
                    bits |= NAMED
                    n = add(arena, edges[e, EDGE.target], reference, n)
            elif reference >= 0:  # a rule that ends where it began is its caller's business: `nullable`
                may_end = op != TURN
                if op == TURN:
                    node = _counted(arena, reference, nodes[reference, NODE.turns] + 1)
                    if node < 0:
                        return node
                    n = add(arena, edges[e, EDGE.target], node, n)
                elif op == LOOP:
                    rule = edges[e, EDGE.rule]
                    minimum = rules[rule, RULE.minimum]
                    maximum = rules[rule, RULE.maximum]
                    count = nodes[reference, NODE.turns] + 1
                    may_end = count >= minimum
                    if maximum < 0 or count < maximum:
                        if maximum < 0 and count > minimum:
                            count = minimum
                        node = _counted(arena, reference, count)
                        if node < 0:
                            return node
                        n = add(arena, rules[rule, RULE.start], node, n)
                if n < 0:
                    return n
                if may_end:
                    for c in range(nodes[reference, NODE.first], nodes[reference, NODE.end]):
                        if callers[c, CALLER.state] < 0:
                            bits |= COMPLETE
                        else:
                            n = add(arena, callers[c, CALLER.state], callers[c, CALLER.below], n)
                            if n < 0:
                                return n
            if n < 0:
                return n
        i += 1
    if missing > 0:
        used[USED.needed] = missing
        return NEED_RULES
    code = resolve(arena, slot_count)
    if code < 0:
        return code
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
    return intern_config(arena, without_covered(arena, unique(keys, m)), bits & ~BARRED)
