"""Masks: the tokens that a configuration allows, found with as few steps as possible."""

from __future__ import annotations

import numpy as np

from guidance_kit.fsm.kernels.arrays import ARENA, CACHE, TRIE
from guidance_kit.fsm.kernels.atomics import atomic_load, atomic_replace, atomic_store
from guidance_kit.fsm.kernels.class_chains import class_chain
from guidance_kit.fsm.kernels.codes import (
    ALONE,
    ANSWERED,
    COMPLETE,
    DEAD,
    FOUND,
    FREE,
    FULL_CACHE,
    FULL_NOTED,
    HELPING,
    LEADING,
    MOST_NOTED,
    OFFERED,
    PATIENCE,
    PENDING,
    REST,
    STOPPED,
    TAKEN,
    UNDECIDED,
    WHOLE,
)
from guidance_kit.fsm.kernels.columns import CONFIG, KEPT, REQUEST, TWIN, USED
from guidance_kit.fsm.kernels.compiling import compiled_beside, kernel, subroutine
from guidance_kit.fsm.kernels.free_text import free_neighbour, free_slice, slice_reach
from guidance_kit.fsm.kernels.handles import arena_at, cache_at, row8, row32, row64, rows16, rows32, rows64, trie_at
from guidance_kit.fsm.kernels.horizon import canonical
from guidance_kit.fsm.kernels.mask_cache import copy_mask, keep_mask
from guidance_kit.fsm.kernels.walks import walk_tails, walk_trie

__all__ = ["find_masks"]


@kernel
def find_masks(requests, masks_out, part):
    """Find masks: of the tokens that can be read from a configuration, and of the ends if the text is complete there.

    A mask that is not known yet is added to those that are. A kernel that cannot go on leaves the state of its search
    in the arena, so that what is asked of the same arena has to wait. Several threads can answer the same requests: one
    that is LEADING, and others that are HELPING, which take those of one arena at a time.

    Args:
        requests: int64 (n, REQUEST), those of one arena in a row; `answer` is written. An answer is 0 if the mask was
            known, else how it was found: 1 by walking all tokens, 2 by walking those that are in no slice mask, 3 + j
            by walking the tails of slice j; or it is negative: PENDING, or the code of what has to be done before the
            next call. Only those with a negative answer are looked at.
        masks_out: int32, masks one after the other; the next call finds them as this one leaves them.
        part: ALONE, LEADING or HELPING.
    Returns:
        ALONE: the least answer. LEADING: 0 if all are answered, else a negative number as soon as one cannot go on.
        HELPING: 0, when all are answered, or none could be taken for long. What those need that cannot go on is in
        `REQUEST.need` for the thread that is not HELPING, which sets that to 0 when it is done.
    """
    if part != ALONE:
        return _share_runs(requests, masks_out, part)
    least = 0
    for i in range(requests.shape[0]):
        if _begins_run(requests, i):
            answer = _answer_run(requests, i, masks_out)
            if answer < 0:
                _say_need(requests, i)
            least = answer if i == 0 else min(least, answer)
    return least


compiled_beside(find_masks, "(int64[:, ::1], int32[::1], int64)")


@subroutine
def _begins_run(requests, i):
    """Test whether a request is the first of its arena."""
    return i == 0 or requests[i, REQUEST.arena] != requests[i - 1, REQUEST.arena]


@subroutine
def _share_runs(requests, masks_out, part):
    """Answer requests beside other threads, see `find_masks`."""
    count = requests.shape[0]
    if part == LEADING:
        for i in range(count):
            if requests[i, REQUEST.state] == OFFERED:
                atomic_store(requests, i, REQUEST.state, FREE)
    looked_at = 0
    while True:
        if part == LEADING and _offer_stopped(requests):
            return -1
        taken, is_open = -1, False
        for j in range(count):
            i = j if part == LEADING else count - 1 - j  # so that they meet late
            if not _begins_run(requests, i):
                continue
            state = atomic_load(requests, i, REQUEST.state)
            is_open = is_open or state != ANSWERED
            if state == FREE and atomic_replace(requests, i, REQUEST.state, FREE, TAKEN):
                taken = i
                break
        if taken >= 0:
            answer = _answer_run(requests, taken, masks_out)
            atomic_store(requests, taken, REQUEST.state, STOPPED if answer < 0 else ANSWERED)
            looked_at = 0
        elif not is_open:
            return 0
        elif part == HELPING:
            looked_at += count
            if looked_at > PATIENCE:
                return 0


@subroutine
def _offer_stopped(requests):
    """Say what the requests need that cannot go on; return whether there are any."""
    some = False
    for i in range(requests.shape[0]):
        if _begins_run(requests, i) and atomic_load(requests, i, REQUEST.state) == STOPPED:
            requests[i, REQUEST.state] = OFFERED
            _say_need(requests, i)
            some = True
    return some


@subroutine
def _say_need(requests, first):
    """Say what the request needs at which those of an arena have stopped."""
    while requests[first, REQUEST.answer] >= 0:
        first += 1
    requests[first, REQUEST.need] = requests[first, REQUEST.answer]


@subroutine
def _answer_run(requests, first, masks_out):
    """Answer the requests of an arena as far as possible; return the least answer."""
    least = 0
    for i in range(first, requests.shape[0]):
        if i > first and (_begins_run(requests, i) or least < 0):
            break
        answer = requests[i, REQUEST.answer]
        if answer < 0:
            arena, words = arena_at(requests[i, REQUEST.arena]), trie_at(requests[i, REQUEST.words])
            cache, config = cache_at(requests[i, REQUEST.cache]), requests[i, REQUEST.config]
            if answer == PENDING:
                here = row64(arena, ARENA.used)
                here[USED.way], here[USED.reach] = UNDECIDED, 0
            first_word = requests[i, REQUEST.first]
            mask_out = masks_out[first_word : first_word + row64(cache, CACHE.used)[KEPT.words]]
            answer = requests[i, REQUEST.answer] = _fill_mask(arena, words, cache, config, mask_out)
        least = answer if i == first else min(least, answer)
    return least


@subroutine
def _fill_mask(arena, words, cache, config, mask_out):
    """Answer a request, see `find_masks`."""
    row_of, used, here = row32(cache, CACHE.row_of), row64(cache, CACHE.used), row64(arena, ARENA.used)
    horizon = here[USED.horizon]
    row = 0
    if config < row_of.shape[0]:
        row = row_of[config]
    if row == 0:
        same = config
        if horizon > 0:
            same = canonical(arena, config, horizon)
            if same < 0:
                return same
        if max(config, same) >= row_of.shape[0]:
            return FULL_CACHE
        row = row_of[same]
        if row == 0:
            if used[KEPT.places] + MOST_NOTED + 2 > row32(cache, CACHE.lists).shape[0]:
                return FULL_CACHE
            if here[USED.way] != FOUND:
                found = _find_mask(arena, words, same, horizon, mask_out)
                if found < 0:
                    return found
                here[USED.way] = FOUND
                here[USED.resume] = found
            found = here[USED.resume]
            row = keep_mask(arena, cache, mask_out)
            if row == 0:
                return FULL_CACHE
            row_of[same] = row
            row_of[config] = row
            return found
        row_of[config] = row
    copy_mask(cache, row, mask_out)
    return 0


@subroutine
def _find_mask(arena, words, config, horizon, mask_out):
    """Compute the mask of a canonical configuration; see `find_masks`."""
    used, bases, begins = row64(arena, ARENA.used), rows32(words, TRIE.bases), row32(words, TRIE.tail_begins)
    noted, stack = row32(arena, ARENA.noted), row32(arena, ARENA.stack)
    slices = begins.shape[0] - 1
    way = used[USED.way]
    begin = np.int64(0)
    if way == UNDECIDED:
        way = free_slice(arena, config, horizon)
        if way < 0:
            return way
        base = bases.shape[0] - slices + way - 1
        like = DEAD
        if way == 0:
            longest = bases.shape[0] - slices - 1
            base = slice_reach(arena, rows16(words, TRIE.characters), longest, config, horizon)
            if base < 0:
                return base
            way = REST if base > 0 else WHOLE
            if base == longest:
                like = free_neighbour(arena, config, horizon)
                if like > DEAD:
                    way = free_slice(arena, like, horizon)
                if min(like, way) < 0:
                    return min(like, way)
        used[USED.noted] = 0
        if like > DEAD:
            extras, begins_of_extras = row32(words, TRIE.extras), row32(words, TRIE.extra_begins)
            for token in extras[begins_of_extras[way - 1] : begins_of_extras[way]]:
                if used[USED.noted] == noted.shape[0]:
                    return FULL_NOTED
                noted[used[USED.noted]] = token
                used[USED.noted] += 1
        stack[0] = like if like > DEAD else config
        for w in range(mask_out.shape[0]):
            mask_out[w] = bases[base, w]
        used[USED.way] = way
        used[USED.like] = like
        used[USED.base] = base
        used[USED.unlisted] = 0
    else:
        begin = used[USED.resume]
    spare = 32 * bases.shape[1]
    if way > 0:
        code = walk_tails(arena, words, row64(words, TRIE.tail_roots)[begins[way - 1] : begins[way]], begin)
        if code < 0:
            return code
        if used[USED.like] > DEAD:
            _drop_unlike(arena, words, config, used[USED.like])
            stack[0] = config
            way = used[USED.way] = REST
            begin = np.int64(0)
    code = 0
    if way == REST:
        nodes, roots = row64(words, TRIE.rest), rows64(words, TRIE.rest_roots)
        branches = row64(words, TRIE.rest_branches)
        code = walk_trie(arena, words, nodes, roots, branches, begin, used[USED.like], -1, spare, mask_out)
    elif way == WHOLE:
        nodes, roots = row64(words, TRIE.whole), rows64(words, TRIE.whole_roots)
        branches = row64(words, TRIE.whole_branches)
        last = class_chain(arena, words, config)
        if last < -1:
            used[USED.resume] = begin
            return last
        code = walk_trie(arena, words, nodes, roots, branches, begin, DEAD, last, spare, mask_out)
    if code < 0:
        return code
    for t in range(used[USED.noted]):
        mask_out[noted[t] >> 5] |= np.int32(1) << (noted[t] & 31)
    if way <= 0:
        twins = rows32(words, TRIE.twins)
        for t in range(twins.shape[0]):
            token, twin = twins[t, TWIN.token], twins[t, TWIN.other]
            if mask_out[twin >> 5] >> (twin & 31) & 1 and not mask_out[token >> 5] >> (token & 31) & 1:
                _add_token(arena, token, mask_out)
    if rows32(arena, ARENA.configs)[config, CONFIG.bits] & COMPLETE:
        for token in row32(words, TRIE.ends):
            _add_token(arena, token, mask_out)
    return 1 + way - WHOLE


@subroutine
def _add_token(arena, token, mask_out):
    """Add a token to a mask, and note it."""
    used, noted = row64(arena, ARENA.used), row32(arena, ARENA.noted)
    mask_out[token >> 5] |= np.int32(1) << (token & 31)
    if used[USED.noted] < noted.shape[0]:
        noted[used[USED.noted]] = token
        used[USED.noted] += 1
    else:
        used[USED.unlisted] += 1


@subroutine
def _drop_unlike(arena, words, config, like):
    """Of the tokens that were noted keep those whose first byte leads to the same from two configurations."""
    transitions, byte_class = rows32(arena, ARENA.transitions), row8(arena, ARENA.byte_class)
    text, offsets = row8(words, TRIE.text), row64(words, TRIE.offsets)
    used, noted = row64(arena, ARENA.used), row32(arena, ARENA.noted)
    count = 0
    for t in range(used[USED.noted]):
        first = byte_class[text[offsets[noted[t]]]]
        noted[count] = noted[t]
        count += transitions[config, first] == transitions[like, first]
    used[USED.noted] = count
