"""Walks over tries of tokens: a subtree is left as soon as its first byte cannot be read.

A byte that has an edge leads on, as networks have no dead ends. So where a token ends, and no longer one goes on, the
last step is not made: a mask needs the configurations and rules within its tokens, not those behind them.
"""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA, COSTS, TRIE
from guidance_kit.fsm.kernels.codes import DEAD, FULL_NOTED, IS_LITERAL, MOST_BYTES, MOST_NOTED, UNKNOWN, WAITING
from guidance_kit.fsm.kernels.columns import CHAIN, CONFIG, FOUND, LITERAL, ROOT, TWIN, USED
from guidance_kit.fsm.kernels.compiling import kernel, subroutine
from guidance_kit.fsm.kernels.handles import row8, row32, row64, rows32, rows64
from guidance_kit.fsm.kernels.literals import position_after
from guidance_kit.fsm.kernels.steps import step

__all__ = ["drop_tokens", "walk_recalling", "walk_tails", "walk_trie"]


_SMALL = 4
"""Nodes of a subtree that is walked faster than it is looked up."""

_NO_LOOP = -2
"""No position in a stack."""


@subroutine
def _first_root(roots, begin):
    """The first root whose subtree has a node from `begin` on: where an interrupted walk goes on."""
    r = 0
    while r + 1 < roots.shape[0] and roots[r + 1] >> 8 <= begin:
        r += 1
    return r


@subroutine
def walk_trie(arena, words, nodes, roots, branches, begin, like, last_of_chain, spare, mask_out):
    """Note every token of a trie that can be read from stack[0], beginning at a node.

    Tokens are left out whose first byte leads where it leads from `like`. Where there is no room to note more, those
    that are noted are added to the mask, and counted as `unlisted`.

    Args:
        like: see above; DEAD: none.
        last_of_chain: see `class_chain`; -1: there is no chain. The trie must be that of all tokens if there is one.
        spare: the number of no token.
    Returns 0; or a negative code, the node to go on from being in used[USED.resume].
    """
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    used, stack, noted = row64(arena, ARENA.used), row32(arena, ARENA.stack), row32(arena, ARENA.noted)
    literals, chain = rows32(arena, ARENA.literals), rows64(arena, ARENA.chain)
    below, counts, heights = row64(words, TRIE.below), row8(words, TRIE.counts), row8(words, TRIE.heights)
    places = row32(arena, ARENA.places)
    places[0] = 0
    is_bounded = last_of_chain >= 0 and chain[last_of_chain, CHAIN.reach] < MOST_BYTES
    loop, loop_kinds = np.int64(_NO_LOOP), np.int64(0)
    if last_of_chain >= 0 and not is_bounded:
        loop, loop_kinds = chain[last_of_chain, CHAIN.config], chain[last_of_chain, CHAIN.kinds]
    count = used[USED.noted]
    for r in range(_first_root(roots[:, ROOT.node], begin), roots.shape[0] - 1):
        i = max(begin, roots[r, ROOT.node] >> 8)
        first = byte_class[roots[r, ROOT.node] & 255]
        if transitions[stack[0], first] == transitions[like, first]:
            continue
        branch, last = roots[r, ROOT.branch], roots[r + 1, ROOT.branch]
        end = roots[r + 1, ROOT.node] >> 8
        while i < end:
            node = nodes[i]
            depth = node >> 8 & 255
            source = stack[depth]
            if source & IS_LITERAL:
                target = UNKNOWN if node & 255 >= literals[depth, LITERAL.byte] else DEAD
            else:
                target = transitions[source, byte_class[node & 255]]
            if target <= DEAD:
                if target == UNKNOWN and (node >> 40 > 1 or source & IS_LITERAL):
                    target = position_after(arena, depth, node & 255, (node >> 40) - 1)
                    if target < 0:
                        used[USED.resume] = i
                        used[USED.noted] = count
                        return target
                if target == DEAD:
                    i += node >> 40
                    if depth == 1:  # the next branches that are dead, too, lie far apart
                        while branch < last and branches[branch] >> 8 < i:
                            branch += 1
                        if source & IS_LITERAL:
                            while branch < last and branches[branch] & 255 < literals[depth, LITERAL.byte]:
                                branch += 1
                        else:
                            while branch < last and transitions[source, byte_class[branches[branch] & 255]] == DEAD:
                                branch += 1
                        i = branches[branch] >> 8 if branch < last else end
                    continue
            stack[depth + 1] = target
            if target == loop:
                if node >> 40 > _SMALL and below[i] & ~loop_kinds == 0:
                    count = _note_subtree(arena, words, i, MOST_BYTES, count, mask_out)
                    i += node >> 40
                    continue
            elif is_bounded:
                k = min(places[depth] + 1, last_of_chain)
                is_next = target == chain[k, CHAIN.config]
                places[depth + 1] = k if is_next else places[depth]
                if (
                    is_next
                    and node >> 40 > _SMALL
                    and below[i] & ~chain[k, CHAIN.kinds] == 0
                    and (heights[i] <= chain[k, CHAIN.reach] or below[i] & chain[k, CHAIN.beyond] == 0)
                ):
                    count = _note_subtree(arena, words, i, counts[i] + chain[k, CHAIN.reach], count, mask_out)
                    i += node >> 40
                    continue
            if count == noted.shape[0]:
                count = _add_noted(arena, count, mask_out)
            token = node >> 16 & 0xFFFFFF
            noted[count] = token
            count += token != spare
            i += 1
    used[USED.noted] = count
    return 0


@subroutine
def _add_noted(arena, count, mask_out):
    """Add the tokens that are noted to the mask, and note none."""
    used, noted = row64(arena, ARENA.used), row32(arena, ARENA.noted)
    for t in range(count):
        mask_out[noted[t] >> 5] |= np.int32(1) << (noted[t] & 31)
    used[USED.unlisted] += count
    return 0


@subroutine
def _note_subtree(arena, words, node, most, count, mask_out):
    """Note the tokens of at most `most` characters at a node of the trie of all tokens and below it.

    If there may be too many for a list they are added to the mask. Returns how many are noted then.
    """
    used, noted = row64(arena, ARENA.used), row32(arena, ARENA.noted)
    before, listed, lengths = row32(words, TRIE.before), row32(words, TRIE.listed), row8(words, TRIE.lengths)
    first, last = before[node], before[node + (row64(words, TRIE.whole)[node] >> 40)]
    if used[USED.unlisted] > 0 or count + last - first > min(MOST_NOTED, noted.shape[0]):
        for t in range(first, last):
            mask_out[np.uint32(listed[t]) >> np.uint32(5)] |= np.int32(lengths[t] <= most) << (listed[t] & 31)
        used[USED.unlisted] += last - first
    else:
        for t in range(first, last):
            noted[count] = listed[t]
            count += lengths[t] <= most
    return count


@subroutine
def walk_tails(arena, words, roots, begin):
    """Note the tokens of every group of a trie of `tails` that can be read from stack[0]; see `walk_trie`."""
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    used, stack, nodes = row64(arena, ARENA.used), row32(arena, ARENA.stack), row64(words, TRIE.tails)
    literals = rows32(arena, ARENA.literals)
    groups, members, noted = row32(words, TRIE.groups), row32(words, TRIE.members), row32(arena, ARENA.noted)
    count = used[USED.noted]
    for r in range(_first_root(roots, begin), roots.shape[0] - 1):
        i = max(begin, roots[r] >> 8)
        if transitions[stack[0], byte_class[roots[r] & 255]] == DEAD:
            continue
        end = roots[r + 1] >> 8
        while i < end:
            node = nodes[i]
            depth = node >> 8 & 255
            source = stack[depth]
            if source & IS_LITERAL:
                target = UNKNOWN if node & 255 >= literals[depth, LITERAL.byte] else DEAD
            else:
                target = transitions[source, byte_class[node & 255]]
            if target <= DEAD:
                if target == UNKNOWN and (node >> 40 > 1 or source & IS_LITERAL):
                    target = position_after(arena, depth, node & 255, (node >> 40) - 1)
                    if target < 0:
                        used[USED.resume] = i
                        used[USED.noted] = count
                        return target
                if target == DEAD:
                    i += node >> 40
                    continue
            group = node >> 16 & 0xFFFFFF
            first, last = groups[group], groups[group + 1]
            if count + last - first > noted.shape[0]:
                used[USED.resume] = i
                used[USED.noted] = count
                return FULL_NOTED
            stack[depth + 1] = target
            for m in range(first, last):
                noted[count] = members[m]
                count += 1
            i += 1
    used[USED.noted] = count
    return 0


@kernel
def walk_recalling(arena, words, config, root, mask_out, found_out, said_out):
    """Set the bits of tokens that can be read from `config`, as far as nothing waits, and note where something does.

    Where tokens only end, nothing is noted.

    Args:
        root: the node of the trie of all tokens from which `config` follows; -1 for the beginning of a token.
        found_out: int32 (n, FOUND): each place where something waits.
        said_out: uint8 (n, MOST_BYTES + 1): for each of them the number of bytes from `root` on, and these.
    Returns:
        Number of these places, which are n if there may be more; or a negative code.
    """
    stack, transitions = row32(arena, ARENA.stack), rows32(arena, ARENA.transitions)
    configs, byte_class = rows32(arena, ARENA.configs), row8(arena, ARENA.byte_class)
    nodes, twins = row64(words, TRIE.whole), rows32(words, TRIE.twins)
    end = nodes.shape[0]
    above = 0
    if root >= 0:
        end = root + (nodes[root] >> 40)
        above = (nodes[root] >> 8 & 255) + 1
    stack[above] = config
    count = 0
    i = root + 1
    while i < end and count < found_out.shape[0]:
        node = nodes[i]
        depth = node >> 8 & 255
        target = transitions[stack[depth], byte_class[node & 255]]
        if target == UNKNOWN and node >> 40 > 1:
            target = step(arena, stack[depth], node & 255)
            if target < 0:
                return target
        if target == DEAD:
            i += node >> 40
            continue
        stack[depth + 1] = target
        token = node >> 16 & 0xFFFFFF
        if token >> 5 < mask_out.shape[0]:
            mask_out[token >> 5] |= np.int32(1) << np.int32(token & 31)
        said_out[count, depth - above + 1] = node & 255
        i += 1
        if node >> 40 > 1 and configs[target, CONFIG.bits] & WAITING:
            found_out[count, FOUND.node] = i - 1
            found_out[count, FOUND.config] = target
            said_out[count, 0] = depth - above + 1
            count += 1
            if count < found_out.shape[0]:
                for b in range(1, depth - above + 2):
                    said_out[count, b] = said_out[count - 1, b]
            i += (node >> 40) - 1
    for t in range(twins.shape[0]):
        token, twin = twins[t, TWIN.token], twins[t, TWIN.other]
        mask_out[token >> 5] |= (mask_out[twin >> 5] >> (twin & 31) & np.int32(1)) << (token & 31)
    return count


@kernel
def drop_tokens(arena, words, known, config, mask_out):
    """Clear the bits of the tokens that lead from `config`, of which ALL ends were found, to one with the mark -1."""
    stack, transitions = row32(arena, ARENA.stack), rows32(arena, ARENA.transitions)
    byte_class = row8(arena, ARENA.byte_class)
    marks, nodes, twins = row32(known, COSTS.marks), row64(words, TRIE.whole), rows32(words, TRIE.twins)
    stack[0] = config
    i = 0
    while i < nodes.shape[0]:
        node = nodes[i]
        depth = node >> 8 & 255
        target = transitions[stack[depth], byte_class[node & 255]]
        if target == DEAD:
            i += node >> 40
            continue
        stack[depth + 1] = target
        token = node >> 16 & 0xFFFFFF
        if marks[target] == -1 and token >> 5 < mask_out.shape[0]:
            mask_out[token >> 5] &= ~(np.int32(1) << np.int32(token & 31))
        i += 1
    for t in range(twins.shape[0]):
        token, twin = twins[t, TWIN.token], twins[t, TWIN.other]
        if mask_out[twin >> 5] >> (twin & 31) & 1 == 0:
            mask_out[token >> 5] &= ~(np.int32(1) << (token & 31))
