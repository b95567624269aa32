"""Literals: tokens are followed through keys and listed strings without making configurations.

These are tries of states that read single bytes. A byte leads from there to one state, in the frame that a text is in,
so a walk over many tokens needs no more than that; a configuration is made where the literal ends. A *position* in
`Arena.stack` is a configuration, or a literal: IS_LITERAL | state, with its frame in `Arena.literals`.
"""

from __future__ import annotations

from typing import Any

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.closure import add, close
from guidance_kit.fsm.kernels.codes import DEAD, IS_LITERAL
from guidance_kit.fsm.kernels.columns import CONFIG, EDGE, ITEM, LITERAL, STATE, USED
from guidance_kit.fsm.kernels.compiling import Kernel, shared, subroutine
from guidance_kit.fsm.kernels.handles import arena_at, row32, row64, rows32
from guidance_kit.fsm.kernels.key_sets import has_some
from guidance_kit.fsm.kernels.steps import step
from guidance_kit.fsm.opcodes import SOME_LEFT

__all__ = ["position_after"]

_NONE, _SEVERAL = -1, -2
"""Instead of the one state to which a byte leads."""


@subroutine
def _position_after(arena, depth, byte, goes_on):
    """See `position_after`."""
    configs, items = rows32(arena, ARENA.configs), rows32(arena, ARENA.items)
    literals, states = rows32(arena, ARENA.literals), rows32(arena, ARENA.states)
    source = row32(arena, ARENA.stack)[depth]
    frame = 0
    target = _NONE
    if source & IS_LITERAL:
        state, frame = source ^ IS_LITERAL, literals[depth, LITERAL.frame]
        if literals[depth, LITERAL.byte] < byte:
            literals[depth, LITERAL.byte] = _least_byte(arena, state, frame, byte)
            if literals[depth, LITERAL.byte] != byte:
                return DEAD
        if goes_on == 0:
            return source
        target = _after_literal(arena, state, frame, byte)
    else:
        for i in range(configs[source, CONFIG.first], configs[source, CONFIG.end]):
            found = _after(arena, items[i, ITEM.state], byte, target)
            if found != target:
                target = found
                frame = items[i, ITEM.node]
    if target >= 0 and states[target, STATE.literal] != 0:
        literals[depth + 1, LITERAL.frame], literals[depth + 1, LITERAL.byte] = frame, 0
        return target | IS_LITERAL
    if source & IS_LITERAL:
        if target >= 0:
            return _configuration_of(arena, target, frame)
        source = _configuration_of(arena, source ^ IS_LITERAL, frame)
        if source < 0:
            return source
    return step(arena, source, byte)


@subroutine
def _least_byte(arena, state, frame, byte):
    """The least byte that can be read from a literal and is not less than `byte`; 256 if there is none."""
    states, edges = rows32(arena, ARENA.states), rows32(arena, ARENA.edges)
    least = 256
    for e in range(states[state, STATE.first], states[state, STATE.end]):
        op = edges[e, EDGE.op]
        if op >= 0:
            if byte <= op & 255 < least:
                least = op & 255
            continue
        gate, keys = edges[e, EDGE.target], edges[e, EDGE.keys]
        for f in range(states[gate, STATE.first], states[gate, STATE.end]):
            op = edges[f, EDGE.op]
            if byte <= op & 255 < least and has_some(arena, frame, keys & 0xFFFF, keys >> 16):
                least = op & 255
    return least


@subroutine
def _after_literal(arena, state, frame, byte):
    """The state to which a byte leads from a literal, or _SEVERAL."""
    states, edges = rows32(arena, ARENA.states), rows32(arena, ARENA.edges)
    target = _after(arena, state, byte, _NONE)
    for e in range(states[state, STATE.first], states[state, STATE.end]):
        if edges[e, EDGE.op] == SOME_LEFT:
            found, keys = _after(arena, edges[e, EDGE.target], byte, target), edges[e, EDGE.keys]
            if found != target and has_some(arena, frame, keys & 0xFFFF, keys >> 16):
                target = found
    return target


@subroutine
def _after(arena, state, byte, found):
    """The state to which a byte leads, or `found` if there is none; _SEVERAL if there are both."""
    states, edges = rows32(arena, ARENA.states), rows32(arena, ARENA.edges)
    for e in range(states[state, STATE.first], states[state, STATE.end]):
        op = edges[e, EDGE.op]
        if op >= 0 and op & 255 <= byte <= op >> 8:
            found = edges[e, EDGE.target] if found == _NONE else _SEVERAL
    return found


@subroutine
def _configuration_of(arena, state, frame):
    """The configuration of one state in a frame; or a negative code."""
    row64(arena, ARENA.used)[USED.stamp] += 1
    return close(arena, add(arena, state, frame, 0), 0)


def _position_at(address, depth, byte, goes_on):
    return _position_after(arena_at(address), depth, byte, goes_on)


_position_by_symbol: Any = shared(_position_at, arguments=4)


@subroutine
def _position_elsewhere(arena, depth, byte, goes_on):
    return _position_by_symbol(arena.ctypes.data, depth, byte, goes_on)


position_after: Kernel = _position_after if _position_by_symbol is None else _position_elsewhere
"""Position after a byte from stack[depth], or a negative code; of a literal, the row depth + 1 is written.

Args:
    byte: from a literal not less than `LITERAL.byte`, nor than those that were asked for before.
    goes_on: 0 if no token goes on, so that any position but DEAD will do for a byte that can be read.
"""
