"""Interning: equal nodes and configurations have equal numbers, found by hash in tables with open addressing."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.codes import DEAD, FULL_CALLERS, FULL_CONFIGS, FULL_NODES, UNKNOWN
from guidance_kit.fsm.kernels.columns import CALLER, CONFIG, EDGE, ITEM, NODE, STATE, USED
from guidance_kit.fsm.kernels.compiling import subroutine
from guidance_kit.fsm.kernels.handles import row8, row32, row64, rows32

__all__ = ["caller_key", "intern_config", "intern_node", "item_key", "mix", "unique"]


@subroutine
def mix(h, x):
    """Mix one non-negative 31-bit number into a 31-bit hash."""
    mixed = ((np.int64(h) ^ np.int64(x)) * 0x5BD1E995 + 0x3C6EF35F) & 0x7FFFFFFF
    return mixed ^ mixed >> 15


@subroutine
def _sort(keys, n):
    """Sort keys[:n] in place (Shell)."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            key = keys[i]
            j = i
            while j >= gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key
        gap //= 3


@subroutine
def unique(keys, n):
    """Sort keys[:n] and drop repetitions; return how many are left."""
    if n < 2:
        return n
    _sort(keys, n)
    m = 1
    for i in range(1, n):
        if keys[i] != keys[m - 1]:
            keys[m] = keys[i]
            m += 1
    return m


@subroutine
def caller_key(state, node):
    """A caller as a number: return state + 1 << 32 | node below."""
    return (np.int64(state) + 1) << 32 | np.int64(node)


@subroutine
def item_key(state, node):
    """An item as a number: state << 32 | node."""
    return np.int64(state) << 32 | np.int64(node)


@subroutine
def intern_node(arena, m, count, rule):
    """Node with `count` turns of `rule` and the m sorted callers in `keys` (return state + 1 << 32 | node below)."""
    nodes, callers, table = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers), row32(arena, ARENA.node_table)
    hashes, used, keys = row32(arena, ARENA.hashes), row64(arena, ARENA.used), row64(arena, ARENA.keys)
    h = mix(mix(17, count), rule + 1)
    for i in range(m):
        h = mix(mix(h, keys[i] >> 32), keys[i] & 0xFFFFFFFF)
    mask = table.shape[0] - 1
    place = h & mask
    while table[place] > 0:
        node = table[place]
        begin = nodes[node, NODE.first]
        is_alike = hashes[node] == h and nodes[node, NODE.turns] == count and nodes[node, NODE.repetition] == rule
        if is_alike and nodes[node, NODE.end] - begin == m:
            same = True
            for i in range(m):
                if caller_key(callers[begin + i, CALLER.state], callers[begin + i, CALLER.below]) != keys[i]:
                    same = False
                    break
            if same:
                return node
        place = (place + 1) & mask
    node = used[USED.nodes]
    begin = used[USED.callers]
    if node >= nodes.shape[0] or 2 * (node + 1) > table.shape[0]:
        return FULL_NODES
    if begin + m > callers.shape[0]:
        return FULL_CALLERS
    for i in range(m):
        callers[begin + i, CALLER.state] = (keys[i] >> 32) - 1
        callers[begin + i, CALLER.below] = keys[i] & 0xFFFFFFFF
    nodes[node, NODE.first] = begin
    nodes[node, NODE.end] = begin + m
    nodes[node, NODE.turns] = count
    nodes[node, NODE.repetition] = rule
    nodes[node, NODE.group] = 0
    hashes[node] = h
    used[USED.nodes] = node + 1
    used[USED.callers] = begin + m
    table[place] = node
    return node


@subroutine
def intern_config(arena, m, bits):
    """Configuration of the m sorted items in `keys` (state << 32 | node) with the bits COMPLETE, WAITING and NAMED."""
    configs, items, table = rows32(arena, ARENA.configs), rows32(arena, ARENA.items), row32(arena, ARENA.config_table)
    states, edges, byte_class = (
        rows32(arena, ARENA.states),
        rows32(arena, ARENA.edges),
        row8(arena, ARENA.byte_class),
    )
    transitions, used, keys = (
        rows32(arena, ARENA.transitions),
        row64(arena, ARENA.used),
        row64(arena, ARENA.keys),
    )
    if m == 0 and bits == 0:
        return DEAD
    h = mix(29, bits)
    for i in range(m):
        h = mix(mix(h, keys[i] >> 32), keys[i] & 0xFFFFFFFF)
    mask = table.shape[0] - 1
    place = h & mask
    while table[place] > 0:
        config = table[place]
        begin = configs[config, CONFIG.first]
        if (
            configs[config, CONFIG.hash] == h
            and configs[config, CONFIG.bits] == bits
            and configs[config, CONFIG.end] - begin == m
        ):
            same = True
            for i in range(m):
                if item_key(items[begin + i, ITEM.state], items[begin + i, ITEM.node]) != keys[i]:
                    same = False
                    break
            if same:
                return config
        place = (place + 1) & mask
    config = used[USED.configs]
    begin = used[USED.items]
    if config >= configs.shape[0] or begin + m > items.shape[0] or 2 * (config + 1) > table.shape[0]:
        return FULL_CONFIGS
    for i in range(m):
        items[begin + i, ITEM.state] = keys[i] >> 32
        items[begin + i, ITEM.node] = keys[i] & 0xFFFFFFFF
    configs[config, CONFIG.first] = begin
    configs[config, CONFIG.end] = begin + m
    configs[config, CONFIG.bits] = bits
    configs[config, CONFIG.hash] = h
    for c in range(transitions.shape[1]):
        transitions[config, c] = DEAD
    for i in range(begin, begin + m):
        state = items[i, ITEM.state]
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op >= 0:
                for c in range(byte_class[op & 255], byte_class[op >> 8] + 1):
                    transitions[config, c] = UNKNOWN
    used[USED.configs] = config + 1
    used[USED.items] = begin + m
    table[place] = config
    return config
