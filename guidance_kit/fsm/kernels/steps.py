"""Steps: the configuration after a byte, a text, a token, or what else changes where a text stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA, TRIE
from guidance_kit.fsm.kernels.closure import add, close
from guidance_kit.fsm.kernels.codes import BARRED, COMPLETE, DEAD, FULL_WORK, NAMED, PASSED, UNKNOWN
from guidance_kit.fsm.kernels.columns import CONFIG, EDGE, ITEM, STATE, USED
from guidance_kit.fsm.kernels.compiling import Kernel, kernel, shared, subroutine
from guidance_kit.fsm.kernels.covering import without_covered
from guidance_kit.fsm.kernels.handles import arena_at, row8, row64, rows32
from guidance_kit.fsm.kernels.interning import intern_config, intern_node, item_key, unique

__all__ = [
    "advance",
    "advance_named",
    "advance_token",
    "advance_tokens",
    "barred",
    "live_bytes",
    "recalled",
    "start",
    "step",
    "united",
]


@kernel
def start(arena, state):
    """Configuration at `state` before the first byte of a text, with nothing on the stack; or a negative code."""
    used, keys = row64(arena, ARENA.used), row64(arena, ARENA.keys)
    used[USED.stamp] += 1
    keys[0] = 0  # the caller (-1, 0): the text is complete
    node = intern_node(arena, 1, 0, -1)
    if node < 0:
        return node
    return close(arena, add(arena, state, node, 0), 0)


@subroutine
def _step(arena, config, byte):
    """See `step`."""
    states, edges, configs = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.configs)
    items, transitions = rows32(arena, ARENA.items), rows32(arena, ARENA.transitions)
    byte_class, used = row8(arena, ARENA.byte_class), row64(arena, ARENA.used)
    used[USED.stamp] += 1
    n = 0
    lo = 0
    hi = 255
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        state = items[i, ITEM.state]
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op < 0:
                continue
            first = op & 255
            last = op >> 8
            if last < byte:
                lo = max(lo, last + 1)
            elif first > byte:
                hi = min(hi, first - 1)
            else:
                lo = max(lo, first)
                hi = min(hi, last)
                n = add(arena, edges[e, EDGE.target], items[i, ITEM.node], n)
                if n < 0:
                    return n
    target = DEAD
    if n > 0:
        used[USED.steps] += 1
        target = close(arena, n, 0)
        if target < 0:
            return target
    for c in range(byte_class[lo], byte_class[hi] + 1):
        transitions[config, c] = target
    return target


def _step_at(address, config, byte):
    return _step(arena_at(address), config, byte)


_step_by_symbol: Any = shared(_step_at, arguments=3)


@subroutine
def _step_elsewhere(arena, config, byte):
    return _step_by_symbol(arena.ctypes.data, config, byte)


step: Kernel = _step if _step_by_symbol is None else _step_elsewhere
"""Configuration after a byte, or a negative code; enters it for every byte that takes the same edges."""


@kernel
def advance(arena, config, text, path_out):
    """Read `text` (uint8) from `config`; path_out[i] is the configuration after i + 1 bytes.

    Returns the number of bytes read (fewer than all if the next one is not allowed), or a negative code.
    """
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    for i in range(text.shape[0]):
        byte = text[i]
        target = transitions[config, byte_class[byte]]
        if target == UNKNOWN:
            target = step(arena, config, np.int64(byte))
            if target < 0:
                return target
        if target == DEAD:
            return i
        path_out[i] = target
        config = target
    return text.shape[0]


@subroutine
def _after_token(arena, words, config, token):
    """Configuration after a token; DEAD if it is not allowed or spells nothing; or a negative code."""
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    text, offsets = row8(words, TRIE.text), row64(words, TRIE.offsets)
    first, end = offsets[token], offsets[token + 1]
    if first == end:
        return DEAD
    for i in range(first, end):
        byte = text[i]
        target = transitions[config, byte_class[byte]]
        if target == UNKNOWN:
            target = step(arena, config, np.int64(byte))
        if target <= DEAD:
            return target
        config = target
    return config


@kernel
def advance_token(arena, words, config, token):
    """Configuration after a token; DEAD if it is not allowed or spells nothing; or a negative code."""
    return _after_token(arena, words, config, token)


@kernel
def advance_tokens(arena, words, config, tokens, ends_out):
    """Configurations after each of some tokens (int64), into int32 of the same shape; 0, or a negative code."""
    for i in range(tokens.shape[0]):
        after = _after_token(arena, words, config, tokens[i])
        if after < 0:
            return after
        ends_out[i] = after
    return 0


@kernel
def advance_named(arena, words, config, token):
    """As `advance_token`, with PASSED set in the configuration if a name ends within the token."""
    configs, transitions = rows32(arena, ARENA.configs), rows32(arena, ARENA.transitions)
    byte_class = row8(arena, ARENA.byte_class)
    text, offsets = row8(words, TRIE.text), row64(words, TRIE.offsets)
    first, end = offsets[token], offsets[token + 1]
    if first == end:
        return DEAD
    passed = 0
    for i in range(first, end):
        byte = text[i]
        target = transitions[config, byte_class[byte]]
        if target == UNKNOWN:
            target = step(arena, config, np.int64(byte))
        if target <= DEAD:
            return target
        config = target
        if configs[config, CONFIG.bits] & NAMED:
            passed = PASSED
    return config | passed


@kernel
def barred(arena, config, byte):
    """Configuration after `byte` if the name that ends there is not new; or a negative code."""
    states, edges, configs = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.configs)
    items, used = rows32(arena, ARENA.items), row64(arena, ARENA.used)
    used[USED.stamp] += 1
    n = 0
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        state = items[i, ITEM.state]
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op >= 0 and op & 255 <= byte <= op >> 8:
                n = add(arena, edges[e, EDGE.target], items[i, ITEM.node], n)
                if n < 0:
                    return n
    return close(arena, n, BARRED)


@kernel
def recalled(arena, config, waiting, starts):
    """Configuration that another becomes when it is known where its waiting states go on; or a negative code.

    Args:
        waiting: int32 (n,), the states.
        starts: int32 (n,), the states where they go on.
    """
    configs, items, used = rows32(arena, ARENA.configs), rows32(arena, ARENA.items), row64(arena, ARENA.used)
    used[USED.stamp] += 1
    n = 0
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        state = items[i, ITEM.state]
        for w in range(waiting.shape[0]):
            if waiting[w] == state:
                state = starts[w]
                break
        n = add(arena, state, items[i, ITEM.node], n)
        if n < 0:
            return n
    return close(arena, n, configs[config, CONFIG.bits] & COMPLETE)


@kernel
def united(arena, config, other):
    """Configuration of all the places of two; or a negative code."""
    configs, items, keys = rows32(arena, ARENA.configs), rows32(arena, ARENA.items), row64(arena, ARENA.keys)
    m = 0
    for one in (config, other):
        for i in range(configs[one, CONFIG.first], configs[one, CONFIG.end]):
            if m >= keys.shape[0]:
                return FULL_WORK
            keys[m] = item_key(items[i, ITEM.state], items[i, ITEM.node])
            m += 1
    return intern_config(
        arena, without_covered(arena, unique(keys, m)), configs[config, CONFIG.bits] | configs[other, CONFIG.bits]
    )


@kernel
def live_bytes(arena, config, bytes_out):
    """Mark in bytes_out (uint8, 256) the bytes that can be read from `config`; return how many they are."""
    states, edges, configs = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.configs)
    items = rows32(arena, ARENA.items)
    count = 0
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        state = items[i, ITEM.state]
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op >= 0:
                for byte in range(op & 255, (op >> 8) + 1):
                    if bytes_out[byte] == 0:
                        bytes_out[byte] = 1
                        count += 1
    return count
