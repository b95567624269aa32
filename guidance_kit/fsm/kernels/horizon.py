"""The horizon: counters that no token can bring to their bounds are alike, so their configurations share a mask."""

from __future__ import annotations

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.codes import FULL_WORK
from guidance_kit.fsm.kernels.columns import CALLER, CONFIG, ITEM, NODE, RULE, USED
from guidance_kit.fsm.kernels.compiling import kernel, subroutine
from guidance_kit.fsm.kernels.handles import row32, row64, rows32
from guidance_kit.fsm.kernels.interning import caller_key, intern_config, intern_node, item_key, unique

__all__ = ["canonical", "find_canonical"]


@subroutine
def canonical(arena, config, horizon):
    """The configuration that stands for all those with the same future within `horizon` bytes; or a negative code.

    A turn reads at least one byte. So a count more than `horizon` + 1 turns away from the next bound (and from where a
    counted rule asks for it) is as good as any other, here and in all frames below; the one farthest away stands for
    them, so that it still does after some more turns.
    """
    rules, nodes, canon = rows32(arena, ARENA.rules), rows32(arena, ARENA.nodes), row32(arena, ARENA.canon)
    callers, configs, items = rows32(arena, ARENA.callers), rows32(arena, ARENA.configs), rows32(arena, ARENA.items)
    used, keys = row64(arena, ARENA.used), row64(arena, ARENA.keys)
    far = horizon + 1
    while used[USED.canon] < used[USED.nodes]:
        node = used[USED.canon]
        if nodes[node, NODE.group] != 0:
            canon[node] = node
            used[USED.canon] = node + 1
            continue
        count = nodes[node, NODE.turns]
        rule = nodes[node, NODE.repetition]
        if rule >= 0 and rules[rule, RULE.keys] == 0:
            minimum = rules[rule, RULE.minimum]
            maximum = rules[rule, RULE.maximum]
            slack = max(0, rules[rule, RULE.slack])
            if minimum - count > far:
                count = 0
            elif count >= minimum and maximum - count - slack > far:  # never so if there is no maximum (-1)
                count = minimum
        m = 0
        for c in range(nodes[node, NODE.first], nodes[node, NODE.end]):
            if m >= keys.shape[0]:
                return FULL_WORK
            keys[m] = caller_key(callers[c, CALLER.state], canon[callers[c, CALLER.below]])
            m += 1
        same = intern_node(arena, unique(keys, m), count, rule)
        if same < 0:
            return same
        canon[node] = same
        used[USED.canon] = node + 1
    m = 0
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        if m >= keys.shape[0]:
            return FULL_WORK
        keys[m] = item_key(items[i, ITEM.state], canon[items[i, ITEM.node]])
        m += 1
    return intern_config(arena, unique(keys, m), configs[config, CONFIG.bits])


@kernel
def find_canonical(arena, config, horizon):
    """See `canonical`."""
    return canonical(arena, config, horizon)
