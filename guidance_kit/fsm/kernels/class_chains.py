"""Chains of a class: how many characters of one class can follow a configuration, whichever they are.

Where a text is within `[a-z0-9]{8}` or `[^/]+`, most of what a trie holds below a node can be read, or nothing of it. A
chain says which, so that a walk takes the tokens of whole subtrees without a step for each byte.
"""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA, TRIE
from guidance_kit.fsm.kernels.codes import DEAD, MOST_BYTES, UNKNOWN, WORD_KINDS
from guidance_kit.fsm.kernels.columns import CHAIN, USED
from guidance_kit.fsm.kernels.compiling import subroutine
from guidance_kit.fsm.kernels.handles import row8, row64, rows16, rows32, rows64
from guidance_kit.fsm.kernels.steps import step

__all__ = ["class_chain"]

_LEAST_LENGTH = 4
"""Rows of a chain that does not lead back to itself; to look for a shorter one at each node would take longer."""


_MOST_STEPS = 64
"""Steps after which a chain is given up: where each row takes many, a walk needs fewer."""


@subroutine
def class_chain(arena, words, config):
    """Write the chain of a class that begins at a configuration into `Arena.chain`.

    Returns the number of the last row; -1 if letters are not alike from `config`, or not far enough to save steps; or a
    code less than -1. If characters of the class lead back to the configuration of the last row, its reach is
    MOST_BYTES, and nothing is said of the reach of those before it.
    """
    chain = rows64(arena, ARENA.chain)
    chain[0, CHAIN.config] = config
    used = row64(arena, ARENA.used)
    most = used[USED.steps] + _MOST_STEPS
    last = 0
    while last + 1 < chain.shape[0]:
        if used[USED.steps] > most:
            return -1
        target = _next_of_class(arena, words, last)
        if target < 0:
            return target
        if target == DEAD:
            break
        if target == chain[last, CHAIN.config]:
            chain[last, CHAIN.reach] = MOST_BYTES
            return last
        last += 1
        chain[last, CHAIN.config] = target
    if last < _LEAST_LENGTH:
        return -1
    chain[last, CHAIN.kinds] = 0
    chain[last, CHAIN.reach] = 0
    for k in range(last):
        reach = 1
        while k + reach < last and chain[k, CHAIN.kinds] & ~chain[k + reach, CHAIN.kinds] == 0:
            reach += 1
        chain[k, CHAIN.beyond] = _first_kinds(arena, words, chain[k + reach, CHAIN.config])
        chain[k, CHAIN.reach] = reach
    return last


@subroutine
def _first_kinds(arena, words, config):
    """Kinds of the characters that can begin in a configuration."""
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    kind_of = row8(words, TRIE.kinds)
    found = np.int64(0)
    for byte in range(0xF5):
        if transitions[config, byte_class[byte]] != DEAD:
            found |= np.int64(1) << kind_of[byte]
    return found


@subroutine
def _next_of_class(arena, words, k):
    """Configuration to which all lower-case, or all upper-case, letters lead from that in a row of the chain.

    DEAD if they are not alike; or a negative code.

    Writes which kinds of characters lead there. Of others than letters and digits a step is made only if the
    configuration leads to itself: it may need rules that are not needed else. None is made for quotes and backslashes.
    """
    chain, kind_of = rows64(arena, ARENA.chain), row8(words, TRIE.kinds)
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    config = chain[k, CHAIN.config]
    target, letter = _after_byte(arena, config, ord("e")), ord("e")
    if target == DEAD:
        target, letter = _after_byte(arena, config, ord("E")), ord("E")
    for byte in (letter - 4, letter + 2):  # of both kinds of letters: others are in most subtrees
        if target > DEAD:
            other = _after_byte(arena, config, byte)
            if other != target:
                target = min(other, DEAD)
    if target <= DEAD:
        return target
    for byte in (ord("E"), ord("0")):  # a step tells of the bytes beside its own, too
        after = _after_byte(arena, config, byte)
        if after < 0:
            return after
    others = np.int64(1) << kind_of[ord('"')] | np.int64(1) << kind_of[ord("\\")]
    read = np.int64(0)
    for byte in range(128):
        kind = np.int64(1) << kind_of[byte]
        if others & kind == 0:
            after = np.int64(transitions[config, byte_class[byte]])
            if after == UNKNOWN and (target == config or kind_of[byte] < WORD_KINDS):
                after = step(arena, config, np.int64(byte))
                if after < 0:
                    return after
            if after == target:
                read |= kind
            else:
                others |= kind
    characters = rows16(words, TRIE.characters)
    known_first, known_place, after = np.int64(DEAD), np.int64(0), np.int64(DEAD)
    for byte in range(0xC2, 0xF5):
        kind = np.int64(1) << kind_of[byte]
        if others & kind == 0:
            first, place = _after_byte(arena, config, byte), np.int64(characters[0, byte])
            if first != known_first or place != known_place:
                after = _after_rest(arena, characters, first, place)
                if after < 0:
                    return after
                known_first, known_place = first, place
            if after == target:
                read |= kind
            else:
                others |= kind
    read &= ~others
    chain[k, CHAIN.kinds] = read
    letters = np.int64(1) << kind_of[letter] | np.int64(1) << kind_of[letter + 2]
    return target if read & letters == letters else np.int64(DEAD)


@subroutine
def _after_byte(arena, config, byte):
    """Configuration after a byte, or a negative code."""
    after = np.int64(rows32(arena, ARENA.transitions)[config, row8(arena, ARENA.byte_class)[byte]])
    return step(arena, config, np.int64(byte)) if after == UNKNOWN else after


@subroutine
def _after_rest(arena, characters, after, place):
    """Configuration after all characters of which there is a part; DEAD if there is more than one, or a negative code.

    Args:
        after: configuration after the part, or a code.
        place: in the character, see `TrieArrays.characters`.
    """
    while after > DEAD and place > 0:
        following = np.int64(UNKNOWN)
        then = place
        for other in range(0x80, 0xC0):
            if characters[place, other] >= 0:
                target = _after_byte(arena, after, other)
                if target < 0:
                    return target
                then = np.int64(characters[place, other])  # of the last, which all bytes of the kind may follow
                if following == UNKNOWN:
                    following = target
                elif target != following:
                    return np.int64(DEAD)
        after = following
        place = then
    return after
