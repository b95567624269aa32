"""Costs: the least number of bytes from a configuration to the end of a text."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA, COSTS
from guidance_kit.fsm.kernels.closure import need
from guidance_kit.fsm.kernels.codes import COMPLETE, MOST_COST, NEED_COSTS
from guidance_kit.fsm.kernels.columns import CALLER, CONFIG, ITEM, KEY_COST, KNOWN, NODE, REACH, RULE, USED
from guidance_kit.fsm.kernels.compiling import kernel, subroutine
from guidance_kit.fsm.kernels.handles import row32, row64, rows32
from guidance_kit.fsm.kernels.key_sets import first_word, words_of

__all__ = ["cost_of", "find_costs"]


@kernel
def find_costs(arena, known, configs, costs_out):
    """Least numbers of bytes that complete a text from some configurations.

    Args:
        configs: int32 (n,).
        costs_out: int32 (n,).
    Returns:
        0; or NEED_COSTS, the states whose costs are missing being in `needed`, and how many in used[USED.needed].
    """
    for i in range(configs.shape[0]):
        cost = cost_of(arena, known, configs[i])
        if cost < 0:
            return cost
        costs_out[i] = cost
    return 0


@subroutine
def cost_of(arena, known, config):
    """The cost of a configuration, or NEED_COSTS."""
    configs, items, used = rows32(arena, ARENA.configs), rows32(arena, ARENA.items), row64(arena, ARENA.used)
    of_config = row32(known, COSTS.configs)
    if of_config[config] > 0:
        return of_config[config] - 1
    wanted = _missing_of_nodes(arena, known)
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        wanted = _want(arena, known, items[i, ITEM.state], wanted)
    if wanted > 0:
        used[USED.needed] = wanted
        return NEED_COSTS
    _find_costs_of_nodes(arena, known)
    cost = 0
    if configs[config, CONFIG.bits] & COMPLETE == 0:
        cost = MOST_COST
        for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
            cost = min(cost, _cost_from(arena, known, items[i, ITEM.state], items[i, ITEM.node]))
    of_config[config] = 1 + cost
    return cost


@subroutine
def _cost_from(arena, known, state, node):
    """The cost of a state in a frame."""
    nodes, rules, reach = rows32(arena, ARENA.nodes), rows32(arena, ARENA.rules), rows32(known, COSTS.reach)
    cost = np.int64(row32(known, COSTS.nodes)[node] - 1)
    rule = nodes[node, NODE.repetition]
    least = np.int64(row32(known, COSTS.states)[state] - 1)
    if rule < 0 or rules[rule, RULE.keys] == 0:
        return min(MOST_COST, cost + least)
    keys, count, base = rows32(known, COSTS.keys), rules[rule, RULE.keys], 64 * rules[rule, RULE.full]
    words, begin = words_of(arena, node), first_word(arena, node)
    first, end = reach[state, REACH.first], reach[state, REACH.end]
    if end > 0:
        least = np.int64(keys[base + count, KEY_COST.cost] if end > count else MOST_COST)
    for key in range(count):
        if words[begin + (key >> 6)] >> np.int64(key & 63) & 1 != 0:
            cost += keys[base + key, KEY_COST.weight]
            if first <= key < end:
                least = min(least, np.int64(keys[base + key, KEY_COST.cost]))
    return min(MOST_COST, cost + least - reach[state, REACH.read])


@subroutine
def _want(arena, known, state, count):
    """Note a state whose cost is not known, after `count` others, as long as there is room; return how many."""
    if row32(known, COSTS.states)[state] == 0 and count < row32(arena, ARENA.needed).shape[0]:
        return need(arena, state, count)
    return count


@subroutine
def _missing_of_nodes(arena, known):
    """Note the states without which the costs of the nodes cannot be found; return how many."""
    nodes, callers, rules = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers), rows32(arena, ARENA.rules)
    wanted = 0
    for node in range(row64(known, COSTS.used)[KNOWN.nodes], row64(arena, ARENA.used)[USED.nodes]):
        for c in range(nodes[node, NODE.first], nodes[node, NODE.end]):
            if callers[c, CALLER.state] >= 0:
                wanted = _want(arena, known, callers[c, CALLER.state], wanted)
        if nodes[node, NODE.repetition] >= 0:
            wanted = _want(arena, known, rules[nodes[node, NODE.repetition], RULE.start], wanted)
    return wanted


@subroutine
def _find_costs_of_nodes(arena, known):
    """Find the costs of all nodes; those of a group, which call each other, again until they do not change."""
    nodes, callers, rules = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers), rows32(arena, ARENA.rules)
    of_state, of_node, used = row32(known, COSTS.states), row32(known, COSTS.nodes), row64(known, COSTS.used)
    first = used[KNOWN.nodes]
    while first < row64(arena, ARENA.used)[USED.nodes]:
        size = max(1, nodes[first, NODE.group])
        for node in range(first, first + size):
            of_node[node] = 1 + MOST_COST
        changed = True
        while changed:
            changed = False
            for node in range(first, first + size):
                cost = MOST_COST
                for c in range(nodes[node, NODE.first], nodes[node, NODE.end]):
                    if callers[c, CALLER.state] < 0:
                        cost = 0
                    else:
                        cost = min(cost, _cost_from(arena, known, callers[c, CALLER.state], callers[c, CALLER.below]))
                rule = nodes[node, NODE.repetition]
                if rule >= 0:
                    turns = max(0, rules[rule, RULE.minimum] - nodes[node, NODE.turns] - 1)
                    cost = min(MOST_COST, cost + turns * np.int64(of_state[rules[rule, RULE.start]] - 1))
                if cost < of_node[node] - 1:
                    of_node[node] = 1 + cost
                    changed = size > 1
        first += size
    used[KNOWN.nodes] = first
