"""Covering: of items and callers that differ in their turns alone, those that add no text are left out."""

from __future__ import annotations

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.columns import CALLER, NODE, RULE
from guidance_kit.fsm.kernels.compiling import subroutine
from guidance_kit.fsm.kernels.handles import row64, rows32

__all__ = ["without_covered"]

MOST_COMPARED = 16
"""Items of one state that others of the same state are compared with, to leave them out."""


@subroutine
def without_covered(arena, m):
    """Leave out those of the m sorted items or callers in `keys` whose texts another one has too; return how many stay.

    Where turns can be counted in several ways, a text would else lead to as many items as it may have had turns.
    """
    keys = row64(arena, ARENA.keys)
    kept = 0
    first = 0  # of those kept that have the same state
    for i in range(m):
        key = keys[i]
        node = key & 0xFFFFFFFF
        if kept == 0 or keys[kept - 1] >> 32 != key >> 32:
            first = kept
        is_covered = False
        j = first
        while j < min(kept, first + MOST_COMPARED):
            other = keys[j] & 0xFFFFFFFF
            if _covers(arena, other, node):
                is_covered = True
                break
            if _covers(arena, node, other):
                kept -= 1
                for k in range(j, kept):
                    keys[k] = keys[k + 1]
            else:
                j += 1
        if not is_covered:
            keys[kept] = key
            kept += 1
    return kept


@subroutine
def _covers(arena, node, other):
    """True if the turns of two frames tell that all that can follow in `other` can follow in `node`.

    The frames below must be the same, or differ in the same way.
    """
    nodes, callers = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers)
    if not _has_better_turns(arena, node, other):
        return False
    for c in range(nodes[node, NODE.end] - nodes[node, NODE.first]):
        below, under = (
            callers[nodes[node, NODE.first] + c, CALLER.below],
            callers[nodes[other, NODE.first] + c, CALLER.below],
        )
        if below != under:
            if not _has_better_turns(arena, below, under):
                return False
            for d in range(nodes[below, NODE.end] - nodes[below, NODE.first]):
                if (
                    callers[nodes[below, NODE.first] + d, CALLER.below]
                    != callers[nodes[under, NODE.first] + d, CALLER.below]
                ):
                    return False
    return True


@subroutine
def _has_better_turns(arena, node, other):
    """True if a frame returns as another one of its rule, and may go on in every way in which that may.

    So it may if it has no more turns, and may end where the other may; or, where turns are absorbed, no fewer. Frames
    with different key sets are never compared.
    """
    nodes, callers, rules = rows32(arena, ARENA.nodes), rows32(arena, ARENA.callers), rows32(arena, ARENA.rules)
    rule, count, turns = nodes[node, NODE.repetition], nodes[node, NODE.turns], nodes[other, NODE.turns]
    size = nodes[node, NODE.end] - nodes[node, NODE.first]
    if rule != nodes[other, NODE.repetition] or size != nodes[other, NODE.end] - nodes[other, NODE.first]:
        return False
    if nodes[node, NODE.group] != 0 or nodes[other, NODE.group] != 0:
        return False
    if rule >= 0 and rules[rule, RULE.keys] != 0:
        if count != turns:
            return False
    elif rule >= 0 and rules[rule, RULE.is_absorbed] != 0:
        if count < turns:
            return False
    elif count > turns or (count < turns and count + 1 < rules[rule, RULE.minimum]):
        return False
    alike = True
    for c in range(size):
        alike = (
            alike
            and callers[nodes[node, NODE.first] + c, CALLER.state]
            == callers[nodes[other, NODE.first] + c, CALLER.state]
        )
    return alike
