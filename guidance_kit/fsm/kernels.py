"""All Numba kernels: pure functions over the flat arrays of an `Arena`.

Kernels take a *handle* for an arena (for `Lexicon`, `Shelf`, `Costs` as well), which says
where its arrays are, and take out those that they need: handing over twenty-five arrays, each of them seven numbers,
takes longer than most kernels work, from Python and from one kernel to another. Kernels allocate nothing and raise
nothing: where room or a rule is missing they return a negative code, `Automaton` grows the arrays or builds the rule,
and the same call is made again. That is safe at any point because all a kernel leaves behind are interned values, which
the second attempt finds.

A compiled kernel has the code of the kernels that it calls in it, and constants that this file imports: it is kept on
disk under a digest of this file and of `CONSTANTS`; see `kernel_cache`.

Every kernel has a slow twin in tests/oracles.py. With NUMBA_DISABLE_JIT=1 the same functions run as plain Python.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from guidance_kit.fsm.kernel_cache import KernelCache, folder_for, source_digest
from guidance_kit.fsm.mask_store import BLOCK
from guidance_kit.fsm.network import CALL, EPSILON, FINAL, FRESH, JUMP, LOOP, RECALL, TURN, WITHIN

__all__ = [
    "DEAD",
    "FINISHED",
    "MOST_BYTES",
    "Arena",
    "Costs",
    "Lexicon",
    "Shelf",
    "address_of",
    "addresses",
    "addresses_of",
    "advance",
    "advance_named",
    "advance_token",
    "advance_tokens",
    "apply_mask",
    "barred",
    "build_trie",
    "canonical",
    "copy_masks",
    "drop_tokens",
    "fill_mask",
    "find_costs",
    "find_ends",
    "handle_of",
    "live_bytes",
    "recalled",
    "slice_lengths",
    "start",
    "take_in",
    "united",
    "walk_recalling",
]

DEAD = 0
"""Number of the configuration that nothing can be read from and that is not complete."""

COMPLETE, WAITING, NAMED = 1, 2, 4
"""Bits of a configuration: the text is complete here; one of its states has a `recall` edge; one has a `fresh` edge."""

BARRED = 8
"""Bit in what `_close` is given: `fresh` edges are not taken."""

PASSED = 1 << 30
"""Bit in the answer of `advance_named`."""

UNKNOWN = -1
"""Entry of the transition table that has not been computed."""

NEED_RULES, FULL_NODES, FULL_CONFIGS, FULL_WORK, FULL_SHELF = -2, -3, -4, -5, -6
NEED_COSTS, FULL_CALLERS, FULL_NOTED = -8, -9, -10

NODES, CALLERS, CONFIGS, ITEMS, STATES, EDGES, RULES = range(7)
STAMP, DETAIL, STEPS, CANON, SLOTS, WAY, LIKE, BASE, NOTED, SET, RESUME = range(7, 18)
"""Places in `Arena.used`."""

ALL, SHORTEST, ROUGHLY = range(3)
"""What `find_ends` looks for."""

UNDECIDED, WHOLE, REST = -2, -1, 0
"""How `fill_mask` finds a mask: by walking all tokens; those that are not in the longest of `Lexicon.bases`, and if the
mask is LIKE that of another configuration than DEAD, only as far as their first bytes lead elsewhere from there; or, j,
the tails of slice j - 1."""


class Arena(NamedTuple):
    """The arrays of one automaton. Rows beyond `used` are free.

    name          dtype, shape       meaning
    states        int32 (S, 4)       first and last + 1 edge of a state; bit u if all texts of the slice can be read
                                     from here without leaving the rule, u being the place in a character; bit j if
                                     `Network.treats_alike` was said for slice j
    edges         int32 (E, 3)       op, a, b as in `Network.edges`
    rules         int32 (R, 7)       start state (-1: not built), nullable, minimum, maximum, is_free, slack,
                                     is_absorbed
    nodes         int32 (N, 5)       first and last + 1 caller, count of turns, the repetition (-1: a plain rule), 0
                                     for a node whose callers all have smaller numbers; else the size of its group
                                     for the first of a group of nodes that call each other (left recursion), -1 for
                                     the others; node 0 is never popped
    hashes        int32 (N,)         hash of the node, or of the group that begins with it
    canon         int32 (N,)         the node that stands for all with the same future within `horizon` bytes
    callers       int32 (C, 2)       return state (-1: the text is complete), node below; sorted within a node
    node_table    int32 (2^k,)       open addressing over `nodes`, 0 empty
    configs       int32 (K, 4)       first and last + 1 item, COMPLETE, WAITING and NAMED, hash
    items         int32 (I, 2)       state with a byte, `recall` or `fresh` edge, node; sorted within a configuration
    config_table  int32 (2^k,)       open addressing over `configs`, 0 empty
    transitions   int32 (K, classes) configuration after a byte of the class; UNKNOWN, DEAD; rows of configurations
                                     only
    byte_class    uint8 (256,)       class of a byte; non-decreasing, so that a class is an interval
    used          int64 (18,)        rows in use (NODES, CALLERS, CONFIGS, ITEMS, STATES, EDGES, RULES), STAMP of the
                                     current step, DETAIL of NEED_RULES: how many, STEPS computed so far, CANON: nodes
                                     whose `canon` is known, SLOTS of the current step; of `fill_mask` the WAY, what
                                     the mask is LIKE, the row of `Lexicon.bases` that is the BASE, how many tokens
                                     are NOTED, how many were SET before, and the node to RESUME from
    work          int32 (W, 3)       closure of the current step: state, reference, 1 if it has such an edge
    seen          int32 (2^k, 3)     open addressing over `work`: stamp, state, reference
    slots         int32 (W, 6)       rules entered in the current step: rule, first entry, node (-1: open), link,
                                     place in its group, end of its callers in the group
    rule_slot     int32 (R, 2)       stamp, slot of a rule
    entries       int32 (W, 3)       callers of a slot: return state or INHERIT, reference, next entry
    keys          int64 (W,)         buffer for sorting
    layer         int32 (2 L, 2)     buffer of `_slice_reach`: configuration, state of the slice's automaton
    stack         int32 (D,)         buffer of `fill_mask`: configuration after 0, 1, ... bytes
    runs          int32 (n, 4)       `slices.RUNS`
    firsts        int32 (m, 3)       `slices.FIRSTS`
    needed        int32 (q,)         the rules that have to be built before the current step can be made
    noted         int32 (t,)         buffer of `fill_mask`: the tokens that were added to the base last

    A *reference* is a node if >= 0, else slot -1 - reference of the current step: a frame whose callers are
    not all known yet.
    """

    states: np.ndarray
    edges: np.ndarray
    rules: np.ndarray
    nodes: np.ndarray
    hashes: np.ndarray
    canon: np.ndarray
    callers: np.ndarray
    node_table: np.ndarray
    configs: np.ndarray
    items: np.ndarray
    config_table: np.ndarray
    transitions: np.ndarray
    byte_class: np.ndarray
    used: np.ndarray
    work: np.ndarray
    seen: np.ndarray
    slots: np.ndarray
    rule_slot: np.ndarray
    entries: np.ndarray
    keys: np.ndarray
    layer: np.ndarray
    stack: np.ndarray
    runs: np.ndarray
    firsts: np.ndarray
    needed: np.ndarray
    noted: np.ndarray


class Lexicon(NamedTuple):
    """The tokens of one vocabulary as kernels read them. Special tokens spell nothing.

    name         dtype, shape         meaning
    whole        int64 (n,)           trie of all tokens
    whole_roots  int64 (r + 1, 2)     its roots, each with the place of its first branch
    whole_branches int64              its branches
    rest         int64 (m,)           trie of the tokens that are not in the longest of the first `bases`
    rest_roots   int64 (s + 1, 2)     its roots, each with the place of its first branch
    rest_branches int64               its branches
    characters   int16 (U, 256)       `slices.TEXT`: next place, 0 at the end of a character, -1 where the byte does
                                      not belong; begins at place 0
    bases        int32 (b, words)     masks to begin with: the tokens that lie within at most 0, 1, ... k characters of
                                      `slices.TEXT`; then those within the characters of each slice, however many
    extras       int32 (x,)           for each slice the tokens in its base and not in the longest of the first ones
    extra_begins int32 (K + 1,)       where those of each slice begin
    tails        int64 (r,)           for each slice a trie of the other tokens, without the characters of the slice
                                      that they begin with; what ends in a node is a group of tokens
    tail_roots   int64                their roots, those of one slice after those of the other
    tail_begins  int32 (K + 1,)       where the roots of each slice begin
    groups       int32 (g + 1,)       where each group begins in `members`; the last one is empty
    members      int32                the tokens of all groups
    twins        int32 (t, 2)         a token and another one with the same bytes, which is the one in `whole`, `rest`
    ends         int32 (e,)           the end-of-sequence tokens
    text         uint8 (bytes,)       what the tokens spell, one after the other
    offsets      int64 (tokens + 1,)  where each begins

    A *trie* holds texts of at most MOST_BYTES bytes as nodes in depth-first order, so that a walk goes forwards in
    memory. Bits of a node, 0-7: byte on the edge into it; 8-15: number of bytes before it; 16-39: token (or group) that
    ends here, or the spare one (the empty group) where none does; 40-62: number of nodes in the subtree, this one
    included. The spare token is 32 * words, which no mask has. Its *roots*, int64, say byte | node << 8 for
    each first byte, and last the number of nodes: most first bytes are dead, and their nodes lie far apart. Its
    *branches* say the same for the second bytes, root by root.
    """

    whole: np.ndarray
    whole_roots: np.ndarray
    whole_branches: np.ndarray
    rest: np.ndarray
    rest_roots: np.ndarray
    rest_branches: np.ndarray
    characters: np.ndarray
    bases: np.ndarray
    extras: np.ndarray
    extra_begins: np.ndarray
    tails: np.ndarray
    tail_roots: np.ndarray
    tail_begins: np.ndarray
    groups: np.ndarray
    members: np.ndarray
    twins: np.ndarray
    ends: np.ndarray
    text: np.ndarray
    offsets: np.ndarray


class Shelf(NamedTuple):
    """The masks of one automaton over one vocabulary that are known already.

    name         dtype, shape         meaning
    bases        int32 (b, words)     as in `Lexicon`
    blocks       int64 (n,)           addresses of blocks of masks, int32 (BLOCK, words) each
    lists        int32 (m,)           masks with few tokens beyond a base: the base, number of these tokens, the tokens
    row_of       int32 (K,)           for each configuration the row of its mask; -n if it begins at `lists[n]`; or 0
    used         int64 (5,)           rows in use, the first of which is no mask; rows that there are; words; places
                                      of `lists` in use, the first of which is no mask; masks in `lists`
    """

    bases: np.ndarray
    blocks: Any
    lists: np.ndarray
    row_of: np.ndarray
    used: np.ndarray


class Costs(NamedTuple):
    """How many bytes it takes at least to complete a text, as far as it is known: 1 + the number, 0 if it is not.

    name          dtype, shape   meaning
    states        int32 (S,)     from a state to the end of its rule, or of the turn of its repetition
    nodes         int32 (N,)     from the end of the turn that a node stands for
    configs       int32 (K,)     from a configuration
    marks         int32 (K,)     the number of the search by which a configuration was found last; or -1, see
                                 `drop_tokens`
    ends          int32 (K,)     the configurations that `find_ends` found
    used          int64 (3,)     nodes whose cost is known, number of `ends`, number of the search

    In a counted rule, it is the least of the texts with the fewest turns: these are within the maximum. No number is
    greater than MOST_COST, which stands for all greater ones.
    """

    states: np.ndarray
    nodes: np.ndarray
    configs: np.ndarray
    marks: np.ndarray
    ends: np.ndarray
    used: np.ndarray


MOST_COST = 1 << 29


def addresses_of(blocks: list[np.ndarray]) -> Any:
    """Addresses of blocks, which have to live as long: int64 (n,). For plain Python, they are the blocks themselves."""
    places = [block.__array_interface__["data"][0] for block in blocks]
    return list(blocks) if _IS_PLAIN else np.array(places, dtype=np.int64)


FINISHED = -1
"""Instead of a configuration: the end-of-sequence token was taken."""

MOST_BYTES = 255
"""Longest token that a trie can hold."""

MOST_NOTED = 512
"""Tokens beyond its base with which a mask is kept as a list."""

MOST_COMPARED = 16
"""Items of one state that others of the same state are compared with, to leave them out."""

WAIT = -7
"""Answer of `_gather` where a caller has no node yet."""

GROUP = 1 << 30
"""In keys of a group: place of a member instead of its node."""

INHERIT = -2
"""In `Arena.entries`: take over the callers of the reference (a call in last position)."""

Kernel = Callable[..., Any]

_IS_PLAIN = bool(numba.config.DISABLE_JIT)  # pyright: ignore
"""Whether kernels are plain Python functions (NUMBA_DISABLE_JIT=1)."""

CONSTANTS = {name: value for name, value in globals().items() if isinstance(value, int)}
"""The numbers that are compiled into kernels; some of them are imported."""

_FOLDER, _REFUSED = (None, []) if _IS_PLAIN else folder_for(Path(__file__).resolve().parent)
_STAMP = source_digest(Path(__file__), CONSTANTS)

cache_problem = "" if _IS_PLAIN or _FOLDER else f"cannot cache kernels: {'; '.join(_REFUSED)}"
"""Why compiled kernels cannot be kept on disk; empty if they can."""

if cache_problem:
    warnings.warn(
        f"no folder for compiled kernels ({cache_problem}); they are compiled anew in each process. "
        "Set NUMBA_CACHE_DIR to a folder that you alone can write to avoid that.",
        RuntimeWarning,
        stacklevel=2,
    )
elif _REFUSED and numba.config.CACHE_DIR:  # pyright: ignore
    warnings.warn(
        f"NUMBA_CACHE_DIR is not used for compiled kernels: {_REFUSED[0]}; they are kept in {_FOLDER}",
        RuntimeWarning,
        stacklevel=2,
    )


def _jit(function: Kernel) -> Kernel:
    """Compile on first use, kept on disk where that is possible."""
    compiled: Any = numba.njit(nogil=True)(function)
    if _FOLDER is not None:
        compiled._cache = KernelCache(function, _FOLDER, _STAMP)
    return compiled


def handle_of(arrays: Arena | Lexicon | Shelf | Costs, before: Any = None, changed: Iterable[str] | None = None) -> Any:
    """What kernels take for such arrays: int64 (arrays, 3), address, rows and columns of each array.

    It is good as long as the arrays are alive, which is for the caller to see to. For plain Python it is the arrays.

    Args:
        before: the handle of other arrays that differ in those `changed` alone; it is changed.
    """
    if _IS_PLAIN:
        return arrays
    handle = np.empty((len(arrays), 3), dtype=np.int64) if before is None else before
    for name in arrays._fields if changed is None else changed:
        array = getattr(arrays, name)
        place = array.__array_interface__["data"][0]
        handle[arrays._fields.index(name)] = place, array.shape[0], array.shape[1] if array.ndim == 2 else 1
    return handle


def _cast(_, address):
    def code(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), code


_pointer: Any = intrinsic(_cast)
"""A number as an address."""


def _field(arrays, which):
    return arrays[which]


def _int32_row(handle, which):
    return carray(_pointer(handle[which, 0]), (handle[which, 1],), np.int32)


def _int32_rows(handle, which):
    return carray(_pointer(handle[which, 0]), (handle[which, 1], handle[which, 2]), np.int32)


def _int16_rows(handle, which):
    return carray(_pointer(handle[which, 0]), (handle[which, 1], handle[which, 2]), np.int16)


def _int64_row(handle, which):
    return carray(_pointer(handle[which, 0]), (handle[which, 1],), np.int64)


def _int64_rows(handle, which):
    return carray(_pointer(handle[which, 0]), (handle[which, 1], handle[which, 2]), np.int64)


def _uint8_row(handle, which):
    return carray(_pointer(handle[which, 0]), (handle[which, 1],), np.uint8)


_row: Kernel = _field if _IS_PLAIN else _jit(_int32_row)
_rows: Kernel = _field if _IS_PLAIN else _jit(_int32_rows)
_short_rows: Kernel = _field if _IS_PLAIN else _jit(_int16_rows)
_long_row: Kernel = _field if _IS_PLAIN else _jit(_int64_row)
_long_rows: Kernel = _field if _IS_PLAIN else _jit(_int64_rows)
_byte_row: Kernel = _field if _IS_PLAIN else _jit(_uint8_row)

AT, IN, ON, OF = Arena(*range(26)), Lexicon(*range(19)), Shelf(*range(5)), Costs(*range(6))  # pyright: ignore
"""Where the arrays stand in handles."""


def _mask_in_memory(shelf, row):
    """A row of the blocks."""
    blocks, width = _long_row(shelf, ON.blocks), _long_row(shelf, ON.used)[2]
    return carray(_pointer(blocks[row // BLOCK] + 4 * width * (row % BLOCK)), (width,), np.int32)


def _mask_in_list(shelf, row):
    return shelf.blocks[row // BLOCK][row % BLOCK]


def address_of(handle: Any) -> Any:
    """What `addresses` takes for a shelf; it is good as long as the handle is alive."""
    return handle if _IS_PLAIN else handle.__array_interface__["data"][0]


def addresses(shelves: list[Any]) -> Any:
    """What `copy_masks` takes for the shelves of many rows; 0 stands for none."""
    return shelves if _IS_PLAIN else np.array(shelves, dtype=np.int64)


def _addressed(shelves, which):
    return carray(_pointer(shelves[which]), (5, 3), np.int64)


def _member(shelves, which):
    return shelves[which]


_shelf_at: Kernel = _member if _IS_PLAIN else _jit(_addressed)
_mask_at: Kernel = _mask_in_list if _IS_PLAIN else _jit(_mask_in_memory)


@_jit
def _mix(h, x):
    """Mix one non-negative 31-bit number into a 31-bit hash."""
    mixed = ((np.int64(h) ^ np.int64(x)) * 0x5BD1E995 + 0x3C6EF35F) & 0x7FFFFFFF
    return mixed ^ mixed >> 15


@_jit
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


@_jit
def _unique(keys, n):
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


@_jit
def _intern_node(arena, m, count, rule):
    """Node with `count` turns of `rule` and the m sorted callers in `keys` (return state + 1 << 32 | node below)."""
    nodes, callers, table = _rows(arena, AT.nodes), _rows(arena, AT.callers), _row(arena, AT.node_table)
    hashes, used, keys = _row(arena, AT.hashes), _long_row(arena, AT.used), _long_row(arena, AT.keys)
    h = _mix(_mix(17, count), rule + 1)
    for i in range(m):
        h = _mix(_mix(h, keys[i] >> 32), keys[i] & 0xFFFFFFFF)
    mask = table.shape[0] - 1
    place = h & mask
    while table[place] > 0:
        node = table[place]
        begin = nodes[node, 0]
        is_alike = hashes[node] == h and nodes[node, 2] == count and nodes[node, 3] == rule
        if is_alike and nodes[node, 1] - begin == m:
            same = True
            for i in range(m):
                if callers[begin + i, 0] != (keys[i] >> 32) - 1 or callers[begin + i, 1] != keys[i] & 0xFFFFFFFF:
                    same = False
                    break
            if same:
                return node
        place = (place + 1) & mask
    node = used[NODES]
    begin = used[CALLERS]
    if node >= nodes.shape[0] or 2 * (node + 1) > table.shape[0]:
        return FULL_NODES
    if begin + m > callers.shape[0]:
        return FULL_CALLERS
    for i in range(m):
        callers[begin + i, 0] = (keys[i] >> 32) - 1
        callers[begin + i, 1] = keys[i] & 0xFFFFFFFF
    nodes[node, 0] = begin
    nodes[node, 1] = begin + m
    nodes[node, 2] = count
    nodes[node, 3] = rule
    nodes[node, 4] = 0
    hashes[node] = h
    used[NODES] = node + 1
    used[CALLERS] = begin + m
    table[place] = node
    return node


@_jit
def _intern_config(arena, m, bits):
    """Configuration of the m sorted items in `keys` (state << 32 | node) with the bits COMPLETE, WAITING and NAMED."""
    configs, items, table = _rows(arena, AT.configs), _rows(arena, AT.items), _row(arena, AT.config_table)
    states, edges, byte_class = _rows(arena, AT.states), _rows(arena, AT.edges), _byte_row(arena, AT.byte_class)
    transitions, used, keys = _rows(arena, AT.transitions), _long_row(arena, AT.used), _long_row(arena, AT.keys)
    if m == 0 and bits == 0:
        return DEAD
    h = _mix(29, bits)
    for i in range(m):
        h = _mix(_mix(h, keys[i] >> 32), keys[i] & 0xFFFFFFFF)
    mask = table.shape[0] - 1
    place = h & mask
    while table[place] > 0:
        config = table[place]
        begin = configs[config, 0]
        if configs[config, 3] == h and configs[config, 2] == bits and configs[config, 1] - begin == m:
            same = True
            for i in range(m):
                if items[begin + i, 0] != keys[i] >> 32 or items[begin + i, 1] != keys[i] & 0xFFFFFFFF:
                    same = False
                    break
            if same:
                return config
        place = (place + 1) & mask
    config = used[CONFIGS]
    begin = used[ITEMS]
    if config >= configs.shape[0] or begin + m > items.shape[0] or 2 * (config + 1) > table.shape[0]:
        return FULL_CONFIGS
    for i in range(m):
        items[begin + i, 0] = keys[i] >> 32
        items[begin + i, 1] = keys[i] & 0xFFFFFFFF
    configs[config, 0] = begin
    configs[config, 1] = begin + m
    configs[config, 2] = bits
    configs[config, 3] = h
    for c in range(transitions.shape[1]):
        transitions[config, c] = DEAD
    for i in range(begin, begin + m):
        state = items[i, 0]
        for e in range(states[state, 0], states[state, 1]):
            op = edges[e, 0]
            if op >= 0:
                for c in range(byte_class[op & 255], byte_class[op >> 8] + 1):
                    transitions[config, c] = UNKNOWN
    used[CONFIGS] = config + 1
    used[ITEMS] = begin + m
    table[place] = config
    return config


@_jit
def _add(arena, state, reference, n):
    """Add (state, reference) to the closure of n items unless it is there; return the new n, or FULL_WORK."""
    used, work, seen = _long_row(arena, AT.used), _rows(arena, AT.work), _rows(arena, AT.seen)
    stamp = used[STAMP]
    mask = seen.shape[0] - 1
    place = _mix(_mix(7, state), reference + 0x40000000) & mask
    while seen[place, 0] == stamp:
        if seen[place, 1] == state and seen[place, 2] == reference:
            return n
        place = (place + 1) & mask
    if n >= work.shape[0]:
        return FULL_WORK
    seen[place, 0] = stamp
    seen[place, 1] = state
    seen[place, 2] = reference
    work[n, 0] = state
    work[n, 1] = reference
    work[n, 2] = 0
    return n + 1


@_jit
def _gather(arena, slot, group, m):
    """Write the callers of a slot, and of those it inherits from, to keys[m:]; return the end, or a negative code.

    Callers whose node is not known yet are written as GROUP + place in their group where `group` is 1; where it is 0,
    the slot is not ready and the answer is WAIT.
    """
    nodes, callers, used = _rows(arena, AT.nodes), _rows(arena, AT.callers), _long_row(arena, AT.used)
    slots, entries, keys = _rows(arena, AT.slots), _rows(arena, AT.entries), _long_row(arena, AT.keys)
    count = used[SLOTS]
    for other in range(count):
        slots[other, 3] = -1
    slots[slot, 3] = slot
    last = slot
    source = slot
    while True:
        entry = slots[source, 1]
        while entry >= 0:
            target = entries[entry, 0]
            reference = entries[entry, 1]
            if target == INHERIT:
                if reference < 0:
                    other = -1 - reference
                    if slots[other, 3] < 0:
                        slots[other, 3] = other
                        slots[last, 3] = other
                        last = other
                else:
                    for c in range(nodes[reference, 0], nodes[reference, 1]):
                        if m >= keys.shape[0]:
                            return FULL_WORK
                        keys[m] = (np.int64(callers[c, 0]) + 1) << 32 | np.int64(callers[c, 1])
                        m += 1
            else:
                node = reference
                if reference < 0:
                    node = slots[-1 - reference, 2]
                    if node < 0:
                        if group == 0:
                            return WAIT
                        node = GROUP + slots[-1 - reference, 4]
                if m >= keys.shape[0]:
                    return FULL_WORK
                keys[m] = (np.int64(target) + 1) << 32 | np.int64(node)
                m += 1
            entry = entries[entry, 2]
        if source == last:
            return m
        source = slots[source, 3]


@_jit
def _resolve(arena, slot_count):
    """Give every slot of the current step its node; return 0 or a negative code."""
    used, slots, keys = _long_row(arena, AT.used), _rows(arena, AT.slots), _long_row(arena, AT.keys)
    used[SLOTS] = slot_count
    todo = slot_count
    while todo > 0:
        progress = False
        for slot in range(slot_count):
            if slots[slot, 2] >= 0:
                continue
            m = _gather(arena, slot, 0, 0)
            if m == WAIT:
                continue
            if m < 0:
                return m
            m = _without_covered(arena, _unique(keys, m))
            node = _intern_node(arena, m, 0, _repetition(arena, slots[slot, 0]))
            if node < 0:
                return node
            slots[slot, 2] = node
            todo -= 1
            progress = True
        if not progress:
            solved = _resolve_group(arena)
            if solved < 0:
                return solved
            todo -= solved
    return 0


@_jit
def _repetition(arena, rule):
    """`rule` if it counts turns, else -1."""
    rules = _rows(arena, AT.rules)
    return -1 if rules[rule, 2] == 1 and rules[rule, 3] == 1 else rule


@_jit
def _reach(arena, slot):
    """Mark (place 0 in column 4) the open slots that a slot waits for, itself only if in a circle; return how many."""
    used, slots, entries = _long_row(arena, AT.used), _rows(arena, AT.slots), _rows(arena, AT.entries)
    count = used[SLOTS]
    for other in range(count):
        slots[other, 3] = -1
        slots[other, 4] = -1
    size = 0
    source = slot
    last = slot
    while True:
        entry = slots[source, 1]
        while entry >= 0:
            reference = entries[entry, 1]
            if reference < 0:
                other = -1 - reference
                if slots[other, 2] < 0 and slots[other, 4] < 0:
                    slots[other, 4] = 0
                    size += 1
                    if other != slot:
                        slots[last, 3] = other
                        last = other
            entry = entries[entry, 2]
        if source == last:
            return size
        source = slots[source, 3]


@_jit
def _resolve_group(arena):
    """Left recursion: give nodes to slots that wait for each other and for nothing else; return how many, or a code.

    Their nodes are numbered in a row, in the order of their rules, and name each other as callers. The group is
    interned as a whole, its own nodes being known by their places in it.
    """
    nodes, hashes, callers = _rows(arena, AT.nodes), _row(arena, AT.hashes), _rows(arena, AT.callers)
    table, used, slots = _row(arena, AT.node_table), _long_row(arena, AT.used), _rows(arena, AT.slots)
    keys = _long_row(arena, AT.keys)
    count = used[SLOTS]
    best = -1
    size = count + 1
    for slot in range(count):
        if slots[slot, 2] < 0:
            reached = _reach(arena, slot)
            if slots[slot, 4] == 0 and reached < size:
                best = slot
                size = reached
    _reach(arena, best)
    # Places in the group by rule number, which no two slots share.
    for slot in range(count):
        if slots[slot, 4] >= 0:
            place = 0
            for other in range(count):
                if slots[other, 4] >= 0 and slots[other, 0] < slots[slot, 0]:
                    place += 1
            slots[slot, 4] = place
    # keys: the sorted callers of one member after those of the other; entry ends in column 5 of the member's slot.
    m = 0
    h = _mix(41, size)
    for place in range(size):
        for slot in range(count):
            if slots[slot, 4] == place:
                first = m
                m = _gather(arena, slot, 1, m)
                if m < 0:
                    return m
                m = first + _unique(keys[first:], m - first)
                slots[slot, 5] = m
                h = _mix(_mix(h, slots[slot, 0]), m - first)
                for i in range(first, m):
                    h = _mix(_mix(h, keys[i] >> 32), keys[i] & 0xFFFFFFFF)
                break
    mask = table.shape[0] - 1
    spot = h & mask
    node = -1
    while table[spot] > 0:
        if nodes[table[spot], 4] == size and _is_group(arena, table[spot], size):
            node = table[spot]
            break
        spot = (spot + 1) & mask
    if node < 0:
        node = used[NODES]
        begin = used[CALLERS]
        if node + size > nodes.shape[0] or 2 * (node + size) > table.shape[0]:
            return FULL_NODES
        if begin + m > callers.shape[0]:
            return FULL_CALLERS
        for i in range(m):
            below = keys[i] & 0xFFFFFFFF
            callers[begin + i, 0] = (keys[i] >> 32) - 1
            callers[begin + i, 1] = below if below < GROUP else node + below - GROUP
        for slot in range(count):
            place = slots[slot, 4]
            if place >= 0:
                nodes[node + place, 1] = begin + slots[slot, 5]
                nodes[node + place, 2] = 0
                nodes[node + place, 3] = _repetition(arena, slots[slot, 0])
                nodes[node + place, 4] = -1
        nodes[node, 4] = size
        nodes[node, 0] = begin
        for place in range(1, size):
            nodes[node + place, 0] = nodes[node + place - 1, 1]
        hashes[node] = h
        used[NODES] = node + size
        used[CALLERS] = begin + m
        table[spot] = node
    for slot in range(count):
        if slots[slot, 4] >= 0:
            slots[slot, 2] = node + slots[slot, 4]
    return size


@_jit
def _is_group(arena, node, size):
    """Whether the group that begins at `node` is the one in `keys` and the slots."""
    nodes, callers, used = _rows(arena, AT.nodes), _rows(arena, AT.callers), _long_row(arena, AT.used)
    slots, keys = _rows(arena, AT.slots), _long_row(arena, AT.keys)
    begin = nodes[node, 0]
    for slot in range(used[SLOTS]):
        place = slots[slot, 4]
        if place >= 0 and (
            nodes[node + place, 1] - begin != slots[slot, 5]
            or nodes[node + place, 3] != _repetition(arena, slots[slot, 0])
        ):
            return False
    for i in range(nodes[node + size - 1, 1] - begin):
        below = callers[begin + i, 1]
        if node <= below < node + size:
            below = GROUP + below - node
        if (np.int64(callers[begin + i, 0]) + 1) << 32 | np.int64(below) != keys[i]:
            return False
    return True


@_jit
def _need(arena, rule, count):
    """Note that a rule has to be built, after `count` other ones; return how many they are now."""
    needed = _row(arena, AT.needed)
    for i in range(count):
        if needed[i] == rule:
            return count
    needed[count] = rule
    return count + 1


@_jit
def _close(arena, n, bits):
    """Close the n items in `work` under everything that reads nothing; return the configuration, or a code.

    Args:
        bits: COMPLETE if the text is complete here anyway; BARRED.
    """
    states, edges, rules = _rows(arena, AT.states), _rows(arena, AT.edges), _rows(arena, AT.rules)
    nodes, callers, used = _rows(arena, AT.nodes), _rows(arena, AT.callers), _long_row(arena, AT.used)
    work, slots, rule_slot = _rows(arena, AT.work), _rows(arena, AT.slots), _rows(arena, AT.rule_slot)
    entries, keys, needed = _rows(arena, AT.entries), _long_row(arena, AT.keys), _row(arena, AT.needed)
    stamp = used[STAMP]
    slot_count = 0
    entry_count = 0
    missing = 0
    i = 0
    while i < n:
        state = work[i, 0]
        reference = work[i, 1]
        for e in range(states[state, 0], states[state, 1]):
            op = edges[e, 0]
            if op >= 0:
                work[i, 2] = 1
            elif op == EPSILON:
                n = _add(arena, edges[e, 1], reference, n)
            elif op == CALL:
                rule = edges[e, 1]
                target = edges[e, 2]
                if rules[rule, 0] < 0:
                    missing = _need(arena, rule, missing)
                    if missing == needed.shape[0]:
                        used[DETAIL] = missing
                        return NEED_RULES
                    continue
                if rules[rule, 1] != 0:
                    n = _add(arena, target, reference, n)
                    if n < 0:
                        return n
                if rule_slot[rule, 0] == stamp:
                    slot = rule_slot[rule, 1]
                else:
                    if slot_count >= slots.shape[0]:
                        return FULL_WORK
                    slot = slot_count
                    slot_count += 1
                    rule_slot[rule, 0] = stamp
                    rule_slot[rule, 1] = slot
                    slots[slot, 0] = rule
                    slots[slot, 1] = -1
                    slots[slot, 2] = -1
                    n = _add(arena, rules[rule, 0], -1 - slot, n)
                if entry_count >= entries.shape[0]:
                    return FULL_WORK
                only = states[target, 0]
                if states[target, 1] == only + 1 and edges[only, 0] == FINAL:
                    target = INHERIT
                entries[entry_count, 0] = target
                entries[entry_count, 1] = reference
                entries[entry_count, 2] = slots[slot, 1]
                slots[slot, 1] = entry_count
                entry_count += 1
            elif op == JUMP:
                rule = edges[e, 1]
                if rules[rule, 0] < 0:
                    missing = _need(arena, rule, missing)
                    if missing == needed.shape[0]:
                        used[DETAIL] = missing
                        return NEED_RULES
                    continue
                n = _add(arena, rules[rule, 0], reference, n)
            elif op == WITHIN:
                count = 0
                if reference >= 0:
                    rule = nodes[reference, 3]
                    count = nodes[reference, 2]
                else:
                    rule = slots[-1 - reference, 0]
                if count + edges[e, 2] <= rules[rule, 3]:
                    n = _add(arena, edges[e, 1], reference, n)
            elif op == RECALL:
                work[i, 2] = 1
                bits |= WAITING
            elif op == FRESH:
                if bits & BARRED == 0:
                    work[i, 2] = 1
                    bits |= NAMED
                    n = _add(arena, edges[e, 1], reference, n)
            elif reference >= 0:  # a rule that ends where it began is its caller's business: `nullable`
                may_end = op != TURN
                if op == TURN:
                    node = _counted(arena, reference, nodes[reference, 2] + 1)
                    if node < 0:
                        return node
                    n = _add(arena, edges[e, 1], node, n)
                elif op == LOOP:
                    rule = edges[e, 1]
                    minimum = rules[rule, 2]
                    maximum = rules[rule, 3]
                    count = nodes[reference, 2] + 1
                    may_end = count >= minimum
                    if maximum < 0 or count < maximum:
                        if maximum < 0 and count > minimum:
                            count = minimum
                        node = _counted(arena, reference, count)
                        if node < 0:
                            return node
                        n = _add(arena, rules[rule, 0], node, n)
                if n < 0:
                    return n
                if may_end:
                    for c in range(nodes[reference, 0], nodes[reference, 1]):
                        if callers[c, 0] < 0:
                            bits |= COMPLETE
                        else:
                            n = _add(arena, callers[c, 0], callers[c, 1], n)
                            if n < 0:
                                return n
            if n < 0:
                return n
        i += 1
    if missing > 0:
        used[DETAIL] = missing
        return NEED_RULES
    code = _resolve(arena, slot_count)
    if code < 0:
        return code
    m = 0
    for i in range(n):
        if work[i, 2] == 1:
            node = work[i, 1]
            if node < 0:
                node = slots[-1 - node, 2]
            if m >= keys.shape[0]:
                return FULL_WORK
            keys[m] = np.int64(work[i, 0]) << 32 | np.int64(node)
            m += 1
    return _intern_config(arena, _without_covered(arena, _unique(keys, m)), bits & ~BARRED)


@_jit
def _without_covered(arena, m):
    """Leave out those of the m sorted items or callers in `keys` whose texts another one has too; return how many stay.

    Where turns can be counted in several ways, a text would else lead to as many items as it may have had turns.
    """
    keys = _long_row(arena, AT.keys)
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


@_jit
def _covers(arena, node, other):
    """Whether it is plain that all that can follow in frame `other` can follow in frame `node`, from their turns.

    The frames below must be the same, or differ in the same way.
    """
    nodes, callers = _rows(arena, AT.nodes), _rows(arena, AT.callers)
    if not _has_better_turns(arena, node, other):
        return False
    for c in range(nodes[node, 1] - nodes[node, 0]):
        below, under = callers[nodes[node, 0] + c, 1], callers[nodes[other, 0] + c, 1]
        if below != under:
            if not _has_better_turns(arena, below, under):
                return False
            for d in range(nodes[below, 1] - nodes[below, 0]):
                if callers[nodes[below, 0] + d, 1] != callers[nodes[under, 0] + d, 1]:
                    return False
    return True


@_jit
def _has_better_turns(arena, node, other):
    """Whether a frame returns as another one of its rule, and may go on in every way in which that may.

    So it may if it has no more turns, and may end where the other may; or, where turns are absorbed, no fewer.
    """
    nodes, callers, rules = _rows(arena, AT.nodes), _rows(arena, AT.callers), _rows(arena, AT.rules)
    rule, count, turns = nodes[node, 3], nodes[node, 2], nodes[other, 2]
    size = nodes[node, 1] - nodes[node, 0]
    if rule != nodes[other, 3] or size != nodes[other, 1] - nodes[other, 0]:
        return False
    if nodes[node, 4] != 0 or nodes[other, 4] != 0:
        return False
    if rule >= 0 and rules[rule, 6] != 0:
        if count < turns:
            return False
    elif count > turns or (count < turns and count + 1 < rules[rule, 2]):
        return False
    alike = True
    for c in range(size):
        alike = alike and callers[nodes[node, 0] + c, 0] == callers[nodes[other, 0] + c, 0]
    return alike


@_jit
def _counted(arena, node, count):
    """The node that differs from `node` in the count of its turns; or a negative code."""
    nodes, callers, keys = _rows(arena, AT.nodes), _rows(arena, AT.callers), _long_row(arena, AT.keys)
    m = 0
    for c in range(nodes[node, 0], nodes[node, 1]):
        if m >= keys.shape[0]:
            return FULL_WORK
        keys[m] = (np.int64(callers[c, 0]) + 1) << 32 | np.int64(callers[c, 1])
        m += 1
    return _intern_node(arena, m, count, nodes[node, 3])


@_jit
def start(arena, state):
    """Configuration at `state` before the first byte of a text, with nothing on the stack; or a negative code."""
    used, keys = _long_row(arena, AT.used), _long_row(arena, AT.keys)
    used[STAMP] += 1
    keys[0] = 0  # the caller (-1, 0): the text is complete
    node = _intern_node(arena, 1, 0, -1)
    if node < 0:
        return node
    return _close(arena, _add(arena, state, node, 0), 0)


@_jit
def recalled(arena, config, waiting, starts):
    """What a configuration becomes when it is known where its waiting states go on; or a negative code.

    Args:
        waiting: int32 (n,), the states.
        starts: int32 (n,), the states where they go on.
    """
    configs, items, used = _rows(arena, AT.configs), _rows(arena, AT.items), _long_row(arena, AT.used)
    used[STAMP] += 1
    n = 0
    for i in range(configs[config, 0], configs[config, 1]):
        state = items[i, 0]
        for w in range(waiting.shape[0]):
            if waiting[w] == state:
                state = starts[w]
                break
        n = _add(arena, state, items[i, 1], n)
        if n < 0:
            return n
    return _close(arena, n, configs[config, 2] & COMPLETE)


@_jit
def canonical(arena, config, horizon):
    """The configuration that stands for all those with the same future within `horizon` bytes; or a negative code.

    A turn reads at least one byte. So a count more than `horizon` + 1 turns away from the next bound (and from where a
    counted rule asks for it) is as good as any other, here and in all frames below; the one farthest away stands for
    them, so that it still does after some more turns.
    """
    rules, nodes, canon = _rows(arena, AT.rules), _rows(arena, AT.nodes), _row(arena, AT.canon)
    callers, configs, items = _rows(arena, AT.callers), _rows(arena, AT.configs), _rows(arena, AT.items)
    used, keys = _long_row(arena, AT.used), _long_row(arena, AT.keys)
    far = horizon + 1
    while used[CANON] < used[NODES]:
        node = used[CANON]
        if nodes[node, 4] != 0:
            canon[node] = node
            used[CANON] = node + 1
            continue
        count = nodes[node, 2]
        rule = nodes[node, 3]
        if rule >= 0:
            minimum = rules[rule, 2]
            maximum = rules[rule, 3]
            slack = max(0, rules[rule, 5])
            if minimum - count > far:
                count = 0
            elif count >= minimum and maximum - count - slack > far:  # never so if there is no maximum (-1)
                count = minimum
        m = 0
        for c in range(nodes[node, 0], nodes[node, 1]):
            if m >= keys.shape[0]:
                return FULL_WORK
            keys[m] = (np.int64(callers[c, 0]) + 1) << 32 | np.int64(canon[callers[c, 1]])
            m += 1
        same = _intern_node(arena, _unique(keys, m), count, rule)
        if same < 0:
            return same
        canon[node] = same
        used[CANON] = node + 1
    m = 0
    for i in range(configs[config, 0], configs[config, 1]):
        if m >= keys.shape[0]:
            return FULL_WORK
        keys[m] = np.int64(items[i, 0]) << 32 | np.int64(canon[items[i, 1]])
        m += 1
    return _intern_config(arena, _unique(keys, m), configs[config, 2])


@_jit
def _step(arena, config, byte):
    """Configuration after `byte`, or a negative code; enters it for every byte that takes the same edges."""
    states, edges, configs = _rows(arena, AT.states), _rows(arena, AT.edges), _rows(arena, AT.configs)
    items, transitions = _rows(arena, AT.items), _rows(arena, AT.transitions)
    byte_class, used = _byte_row(arena, AT.byte_class), _long_row(arena, AT.used)
    used[STAMP] += 1
    n = 0
    lo = 0
    hi = 255
    for i in range(configs[config, 0], configs[config, 1]):
        state = items[i, 0]
        for e in range(states[state, 0], states[state, 1]):
            op = edges[e, 0]
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
                n = _add(arena, edges[e, 1], items[i, 1], n)
                if n < 0:
                    return n
    target = DEAD
    if n > 0:
        used[STEPS] += 1
        target = _close(arena, n, 0)
        if target < 0:
            return target
    for c in range(byte_class[lo], byte_class[hi] + 1):
        transitions[config, c] = target
    return target


@_jit
def advance(arena, config, text, path_out):
    """Read `text` (uint8) from `config`; path_out[i] is the configuration after i + 1 bytes.

    Returns the number of bytes read (fewer than all if the next one is not allowed), or a negative code.
    """
    transitions, byte_class = _rows(arena, AT.transitions), _byte_row(arena, AT.byte_class)
    for i in range(text.shape[0]):
        byte = text[i]
        target = transitions[config, byte_class[byte]]
        if target == UNKNOWN:
            target = _step(arena, config, np.int64(byte))
            if target < 0:
                return target
        if target == DEAD:
            return i
        path_out[i] = target
        config = target
    return text.shape[0]


@_jit
def advance_token(arena, words, config, token):
    """Configuration after a token; DEAD if it is not allowed or spells nothing; or a negative code."""
    transitions, byte_class = _rows(arena, AT.transitions), _byte_row(arena, AT.byte_class)
    text, offsets = _byte_row(words, IN.text), _long_row(words, IN.offsets)
    first, end = offsets[token], offsets[token + 1]
    if first == end:
        return DEAD
    for i in range(first, end):
        byte = text[i]
        target = transitions[config, byte_class[byte]]
        if target == UNKNOWN:
            target = _step(arena, config, np.int64(byte))
        if target <= DEAD:
            return target
        config = target
    return config


@_jit
def advance_tokens(arena, words, config, tokens, ends_out):
    """Configurations after each of some tokens (int64), into int32 of the same shape; 0, or a negative code."""
    for i in range(tokens.shape[0]):
        after = advance_token(arena, words, config, tokens[i])
        if after < 0:
            return after
        ends_out[i] = after
    return 0


@_jit
def advance_named(arena, words, config, token):
    """As `advance_token`, with PASSED set in the configuration if a name ends within the token."""
    configs, transitions = _rows(arena, AT.configs), _rows(arena, AT.transitions)
    byte_class = _byte_row(arena, AT.byte_class)
    text, offsets = _byte_row(words, IN.text), _long_row(words, IN.offsets)
    first, end = offsets[token], offsets[token + 1]
    if first == end:
        return DEAD
    passed = 0
    for i in range(first, end):
        byte = text[i]
        target = transitions[config, byte_class[byte]]
        if target == UNKNOWN:
            target = _step(arena, config, np.int64(byte))
        if target <= DEAD:
            return target
        config = target
        if configs[config, 2] & NAMED:
            passed = PASSED
    return config | passed


@_jit
def barred(arena, config, byte):
    """Configuration after `byte` if the name that ends there is not new; or a negative code."""
    states, edges, configs = _rows(arena, AT.states), _rows(arena, AT.edges), _rows(arena, AT.configs)
    items, used = _rows(arena, AT.items), _long_row(arena, AT.used)
    used[STAMP] += 1
    n = 0
    for i in range(configs[config, 0], configs[config, 1]):
        state = items[i, 0]
        for e in range(states[state, 0], states[state, 1]):
            op = edges[e, 0]
            if op >= 0 and op & 255 <= byte <= op >> 8:
                n = _add(arena, edges[e, 1], items[i, 1], n)
                if n < 0:
                    return n
    return _close(arena, n, BARRED)


@_jit
def united(arena, config, other):
    """Configuration of all the places of two; or a negative code."""
    configs, items, keys = _rows(arena, AT.configs), _rows(arena, AT.items), _long_row(arena, AT.keys)
    m = 0
    for one in (config, other):
        for i in range(configs[one, 0], configs[one, 1]):
            if m >= keys.shape[0]:
                return FULL_WORK
            keys[m] = np.int64(items[i, 0]) << 32 | np.int64(items[i, 1])
            m += 1
    return _intern_config(arena, _without_covered(arena, _unique(keys, m)), configs[config, 2] | configs[other, 2])


@_jit
def fill_mask(arena, words, shelf, config, horizon, again, mask_out):
    """The mask of the tokens that can be read from `config`, and of the ends if the text is complete.

    Args:
        shelf: the masks that are known already; the mask is added to them.
        horizon: see `canonical`; 0 if no counter is that far from its bounds.
        again: whether this is the same call, made again after a negative code other than FULL_SHELF.
        mask_out: int32 (words,).
    Returns:
        0 if the mask was known, else how it was found: 1 by walking all tokens, 2 by walking those that are in no slice
        mask, 3 + j by walking the tails of slice j; or a negative code.
    """
    row_of, used, here = _row(shelf, ON.row_of), _long_row(shelf, ON.used), _long_row(arena, AT.used)
    if not again:
        here[WAY] = UNDECIDED
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
            return FULL_SHELF
        row = row_of[same]
        if row == 0:
            if used[3] + MOST_NOTED + 2 > _row(shelf, ON.lists).shape[0]:
                return FULL_SHELF
            found = _find_mask(arena, words, same, horizon, mask_out)
            if found < 0:
                return found
            here[WAY] = UNDECIDED
            row = _keep(arena, shelf, mask_out)
            if row == 0:
                return FULL_SHELF
            row_of[same] = row
            row_of[config] = row
            return found
        row_of[config] = row
    _copy_mask(shelf, row, mask_out)
    return 0


@_jit
def _keep(arena, shelf, mask):
    """Keep the mask that was found, as a list if that is short; return what `row_of` says of it, 0 for want of room."""
    lists, used, here = _row(shelf, ON.lists), _long_row(shelf, ON.used), _long_row(arena, AT.used)
    noted, count = _row(arena, AT.noted), here[NOTED]
    if here[SET] > 0 or count > MOST_NOTED:
        if used[0] >= used[1]:
            return 0
        kept = _mask_at(shelf, used[0])
        for w in range(mask.shape[0]):
            kept[w] = mask[w]
        used[0] += 1
        return used[0] - 1
    first = used[3]
    lists[first] = here[BASE]
    lists[first + 1] = count
    for t in range(count):
        lists[first + 2 + t] = noted[t]
    used[3] = first + 2 + count
    used[4] += 1
    return -first


@_jit
def _copy_mask(shelf, row, mask_out):
    """Copy the mask that is in a row, or a list."""
    if row > 0:
        mask = _mask_at(shelf, row)
        for w in range(mask_out.shape[0]):
            mask_out[w] = mask[w]
        return
    bases, lists = _rows(shelf, ON.bases), _row(shelf, ON.lists)
    base = lists[-row]
    for w in range(mask_out.shape[0]):
        mask_out[w] = bases[base, w]
    first = 2 - row
    for t in range(first, first + lists[1 - row]):
        mask_out[lists[t] >> 5] |= np.int32(1) << (lists[t] & 31)


@_jit
def copy_masks(shelves, configs, masks_out, missing_out):
    """Copy the masks that are known.

    Args:
        shelves: `addresses` of the shelf of each row.
        configs: int32 (rows,); FINISHED has the empty mask.
        masks_out: int32 (rows, words).
        missing_out: int32 (rows,): the rows whose masks are not known, in order.
    Returns:
        How many they are.
    """
    missing = 0
    for i in range(len(configs)):
        config = configs[i]
        if config == FINISHED:
            for w in range(masks_out.shape[1]):
                masks_out[i, w] = 0
            continue
        shelf = _shelf_at(shelves, i)
        row_of = _row(shelf, ON.row_of)
        row = 0
        if config < row_of.shape[0]:
            row = row_of[config]
        if row == 0:
            missing_out[missing] = i
            missing += 1
        else:
            _copy_mask(shelf, row, masks_out[i])
    return missing


@_jit
def _find_mask(arena, words, config, horizon, mask_out):
    """Compute the mask of a canonical configuration; see `fill_mask`."""
    used, bases, begins = _long_row(arena, AT.used), _rows(words, IN.bases), _row(words, IN.tail_begins)
    noted, stack = _row(arena, AT.noted), _row(arena, AT.stack)
    slices = begins.shape[0] - 1
    way = used[WAY]
    begin = np.int64(0)
    if way == UNDECIDED:
        way = _free_slice(arena, config, horizon)
        if way < 0:
            return way
        base = bases.shape[0] - slices + way - 1
        like = DEAD
        if way == 0:
            longest = bases.shape[0] - slices - 1
            base = _slice_reach(arena, _short_rows(words, IN.characters), longest, config, horizon)
            if base < 0:
                return base
            way = REST if base > 0 else WHOLE
            if base == longest:
                like = _free_neighbour(arena, config, horizon)
                if like > DEAD:
                    way = _free_slice(arena, like, horizon)
                if min(like, way) < 0:
                    return min(like, way)
        used[NOTED] = 0
        if like > DEAD:
            extras, begins_of_extras = _row(words, IN.extras), _row(words, IN.extra_begins)
            for token in extras[begins_of_extras[way - 1] : begins_of_extras[way]]:
                if used[NOTED] == noted.shape[0]:
                    return FULL_NOTED
                noted[used[NOTED]] = token
                used[NOTED] += 1
        stack[0] = like if like > DEAD else config
        for w in range(mask_out.shape[0]):
            mask_out[w] = bases[base, w]
        used[WAY] = way
        used[LIKE] = like
        used[BASE] = base
        used[SET] = 0
    else:
        begin = used[RESUME]
    spare = 32 * bases.shape[1]
    if way > 0:
        code = _walk_tails(arena, words, _long_row(words, IN.tail_roots)[begins[way - 1] : begins[way]], begin)
        if code < 0:
            return code
        if used[LIKE] > DEAD:
            _drop_unlike(arena, words, config, used[LIKE])
            stack[0] = config
            way = used[WAY] = REST
            begin = np.int64(0)
    code = 0
    if way == REST:
        nodes, roots = _long_row(words, IN.rest), _long_rows(words, IN.rest_roots)
        code = _walk(arena, nodes, roots, _long_row(words, IN.rest_branches), begin, used[LIKE], spare, mask_out)
    elif way == WHOLE:
        nodes, roots = _long_row(words, IN.whole), _long_rows(words, IN.whole_roots)
        code = _walk(arena, nodes, roots, _long_row(words, IN.whole_branches), begin, DEAD, spare, mask_out)
    if code < 0:
        return code
    for t in range(used[NOTED]):
        mask_out[noted[t] >> 5] |= np.int32(1) << (noted[t] & 31)
    if way <= 0:
        twins = _rows(words, IN.twins)
        for t in range(twins.shape[0]):
            token, twin = twins[t, 0], twins[t, 1]
            if mask_out[twin >> 5] >> (twin & 31) & 1 and not mask_out[token >> 5] >> (token & 31) & 1:
                _add_token(arena, token, mask_out)
    if _rows(arena, AT.configs)[config, 2] & COMPLETE:
        for token in _row(words, IN.ends):
            _add_token(arena, token, mask_out)
    return 1 + way - WHOLE


@_jit
def _add_token(arena, token, mask_out):
    """Add a token to a mask, and note it."""
    used, noted = _long_row(arena, AT.used), _row(arena, AT.noted)
    mask_out[token >> 5] |= np.int32(1) << (token & 31)
    if used[NOTED] < noted.shape[0]:
        noted[used[NOTED]] = token
        used[NOTED] += 1
    else:
        used[SET] += 1


@_jit
def _free_neighbour(arena, config, horizon):
    """Where a character of a slice leads to from `config`, if all of them lead back there; else DEAD; or a code.

    Most first bytes lead to the same from both, and of the texts that begin with these the same can follow both. It is
    known of every byte where it leads from both then.
    """
    transitions, byte_class = _rows(arena, AT.transitions), _byte_row(arena, AT.byte_class)
    byte = _rows(arena, AT.firsts)[0, 1]
    target = transitions[config, byte_class[byte]]
    if target == UNKNOWN:
        target = _step(arena, config, np.int64(byte))
    if target > DEAD and horizon > 0:
        target = canonical(arena, target, horizon)
    if target <= DEAD:
        return target
    free = _free_slice(arena, target, horizon)
    if free <= 0:
        return free
    for one in (config, target):
        for first in range(256):
            if transitions[one, byte_class[first]] == UNKNOWN:
                code = _step(arena, one, np.int64(first))
                if code < 0:
                    return code
    return target


@_jit
def _drop_unlike(arena, words, config, like):
    """Of the tokens that were noted keep those whose first byte leads to the same from two configurations."""
    transitions, byte_class = _rows(arena, AT.transitions), _byte_row(arena, AT.byte_class)
    text, offsets = _byte_row(words, IN.text), _long_row(words, IN.offsets)
    used, noted = _long_row(arena, AT.used), _row(arena, AT.noted)
    count = 0
    for t in range(used[NOTED]):
        first = byte_class[text[offsets[noted[t]]]]
        noted[count] = noted[t]
        count += transitions[config, first] == transitions[like, first]
    used[NOTED] = count


@_jit
def _first_root(roots, begin):
    """The first root whose subtree has a node from `begin` on: where an interrupted walk goes on."""
    r = 0
    while r + 1 < roots.shape[0] and roots[r + 1] >> 8 <= begin:
        r += 1
    return r


@_jit
def _walk(arena, nodes, roots, branches, begin, like, spare, mask_out):
    """Note every token of a trie that can be read from stack[0], beginning at a node.

    Tokens are left out whose first byte leads where it leads from `like`. Where there is no room to note more, those
    that are noted are added to the mask, and counted as SET.

    Returns 0; or a negative code, the node to go on from being in used[RESUME].
    """
    transitions, byte_class = _rows(arena, AT.transitions), _byte_row(arena, AT.byte_class)
    used, stack, noted = _long_row(arena, AT.used), _row(arena, AT.stack), _row(arena, AT.noted)
    count = used[NOTED]
    for r in range(_first_root(roots[:, 0], begin), roots.shape[0] - 1):
        i = max(begin, roots[r, 0] >> 8)
        first = byte_class[roots[r, 0] & 255]
        if transitions[stack[0], first] == transitions[like, first]:
            continue
        branch, last = roots[r, 1], roots[r + 1, 1]
        end = roots[r + 1, 0] >> 8
        while i < end:
            node = nodes[i]
            depth = node >> 8 & 255
            source = stack[depth]
            target = transitions[source, byte_class[node & 255]]
            if target <= DEAD:
                if target == UNKNOWN:
                    target = _step(arena, source, node & 255)
                    if target < 0:
                        used[RESUME] = i
                        used[NOTED] = count
                        return target
                if target == DEAD:
                    i += node >> 40
                    if depth == 1:  # the next branches that are dead, too, lie far apart
                        while branch < last and branches[branch] >> 8 < i:
                            branch += 1
                        while branch < last and transitions[source, byte_class[branches[branch] & 255]] == DEAD:
                            branch += 1
                        i = branches[branch] >> 8 if branch < last else end
                    continue
            stack[depth + 1] = target
            if count == noted.shape[0]:
                for t in range(count):
                    mask_out[noted[t] >> 5] |= np.int32(1) << (noted[t] & 31)
                used[SET] += count
                count = 0
            token = node >> 16 & 0xFFFFFF
            noted[count] = token
            count += token != spare
            i += 1
    used[NOTED] = count
    return 0


@_jit
def _walk_tails(arena, words, roots, begin):
    """The same for the groups of a trie of `tails`."""
    transitions, byte_class = _rows(arena, AT.transitions), _byte_row(arena, AT.byte_class)
    used, stack, nodes = _long_row(arena, AT.used), _row(arena, AT.stack), _long_row(words, IN.tails)
    groups, members, noted = _row(words, IN.groups), _row(words, IN.members), _row(arena, AT.noted)
    count = used[NOTED]
    for r in range(_first_root(roots, begin), roots.shape[0] - 1):
        i = max(begin, roots[r] >> 8)
        if transitions[stack[0], byte_class[roots[r] & 255]] == DEAD:
            continue
        end = roots[r + 1] >> 8
        while i < end:
            node = nodes[i]
            depth = node >> 8 & 255
            source = stack[depth]
            target = transitions[source, byte_class[node & 255]]
            if target <= DEAD:
                if target == UNKNOWN:
                    target = _step(arena, source, node & 255)
                    if target < 0:
                        used[RESUME] = i
                        used[NOTED] = count
                        return target
                if target == DEAD:
                    i += node >> 40
                    continue
            group = node >> 16 & 0xFFFFFF
            first, last = groups[group], groups[group + 1]
            if count + last - first > noted.shape[0]:
                used[RESUME] = i
                used[NOTED] = count
                return FULL_NOTED
            stack[depth + 1] = target
            for m in range(first, last):
                noted[count] = members[m]
                count += 1
            i += 1
    used[NOTED] = count
    return 0


@_jit
def _free_slice(arena, config, horizon):
    """1 + the first slice of which every character leads from `config` back to it; 0 if there is none; or a code.

    So it is if a state that treats all characters of the slice alike is the only one to read any of them, and one of
    them leads back. Then a text of such characters changes nothing, and a token can be read if what follows them can.
    """
    states, edges, configs = _rows(arena, AT.states), _rows(arena, AT.edges), _rows(arena, AT.configs)
    items, transitions = _rows(arena, AT.items), _rows(arena, AT.transitions)
    byte_class, firsts = _byte_row(arena, AT.byte_class), _rows(arena, AT.firsts)
    first, last = configs[config, 0], configs[config, 1]
    said = 0
    for i in range(first, last):
        said |= states[items[i, 0], 3]
    s = 0
    while said != 0 and s < firsts.shape[0]:
        which = firsts[s, 0]
        begin = s
        while s < firsts.shape[0] and firsts[s, 0] == which:
            s += 1
        if said >> which & 1 == 0:
            continue
        alike = 0  # states that treat its characters alike, and how often a first byte is read by any state
        read = 0
        wanted = 0
        for r in range(begin, s):
            wanted += firsts[r, 2] - firsts[r, 1] + 1
        for i in range(first, last):
            state = items[i, 0]
            alike += states[state, 3] >> which & 1
            for e in range(states[state, 0], states[state, 1]):
                op = edges[e, 0]
                if op >= 0:
                    for r in range(begin, s):
                        read += max(0, min(op >> 8, firsts[r, 2]) - max(op & 255, firsts[r, 1]) + 1)
        if alike != 1 or read != wanted:
            continue
        byte = firsts[begin, 1]
        target = transitions[config, byte_class[byte]]
        if target == UNKNOWN:
            target = _step(arena, config, np.int64(byte))
        if target > DEAD and horizon > 0:
            target = canonical(arena, target, horizon)
        if target < 0:
            return target
        if target == config:
            return 1 + which
    return 0


@_jit
def _slice_reach(arena, automaton, most, config, horizon):
    """How many characters of a slice can follow `config`, looking at texts of up to `horizon` bytes.

    Args:
        automaton: the slice's characters, see `Lexicon`.
        most: number of characters of the longest token in the slice.
        horizon: see `canonical`; 0 if no counter is that far from its bounds.
    Returns:
        k > 0 if all texts of the slice of at most k characters can follow, and none of more (and at most `most`);
        0 if there is no such number, or it was not found; or a negative code.
    """
    states, configs, items = _rows(arena, AT.states), _rows(arena, AT.configs), _rows(arena, AT.items)
    transitions, byte_class = _rows(arena, AT.transitions), _byte_row(arena, AT.byte_class)
    layer = _rows(arena, AT.layer)
    for i in range(configs[config, 0], configs[config, 1]):
        if states[items[i, 0], 2] & 1:
            return most
    rows = layer.shape[0] // 2
    layer[0, 0] = config
    size = 1
    here = 0  # where the layers begin
    there = rows
    for k in range(most):
        # One character from every configuration in the layer here: pairs within the character go to the same list.
        pairs = size
        following = 0
        complete = True
        nothing = True
        for p in range(size):
            layer[here + p, 1] = 0
        p = 0
        while p < pairs:
            source = layer[here + p, 0]
            u = layer[here + p, 1]
            known_class = -1
            known_next = -2
            for byte in range(256):
                after = automaton[u, byte]
                if after < 0:
                    continue
                c = byte_class[byte]
                if c == known_class and after == known_next:
                    continue
                known_class = c
                known_next = after
                target = transitions[source, c]
                if target == UNKNOWN:
                    target = _step(arena, source, np.int64(byte))
                    if target < 0:
                        return target
                if target == DEAD:
                    complete = False
                    if k == 0:
                        return 0
                    continue
                if after == 0:
                    nothing = False
                    if horizon > 0:  # counters far from their bounds stand still, and the search ends at once
                        target = canonical(arena, target, horizon)
                        if target < 0:
                            return target
                    found = False
                    for q in range(following):
                        if layer[there + q, 0] == target:
                            found = True
                            break
                    if not found:
                        if following >= rows:
                            return 0
                        layer[there + following, 0] = target
                        following += 1
                else:
                    found = False
                    for q in range(size, pairs):
                        if layer[here + q, 0] == target and layer[here + q, 1] == after:
                            found = True
                            break
                    if not found:
                        if pairs >= rows:
                            return 0
                        layer[here + pairs, 0] = target
                        layer[here + pairs, 1] = after
                        pairs += 1
            p += 1
        if not complete:
            return k if nothing else 0
        # The same configurations again: nothing new can happen.
        if following == size:
            stable = True
            for q in range(following):
                found = False
                for p in range(size):
                    if layer[here + p, 0] == layer[there + q, 0]:
                        found = True
                        break
                if not found:
                    stable = False
                    break
            if stable:
                break
        size = following
        here, there = there, here
    return most


@_jit
def live_bytes(arena, config, bytes_out):
    """Mark in bytes_out (uint8, 256) the bytes that can be read from `config`; return how many they are."""
    states, edges, configs = _rows(arena, AT.states), _rows(arena, AT.edges), _rows(arena, AT.configs)
    items = _rows(arena, AT.items)
    count = 0
    for i in range(configs[config, 0], configs[config, 1]):
        state = items[i, 0]
        for e in range(states[state, 0], states[state, 1]):
            op = edges[e, 0]
            if op >= 0:
                for byte in range(op & 255, (op >> 8) + 1):
                    if bytes_out[byte] == 0:
                        bytes_out[byte] = 1
                        count += 1
    return count


@_jit
def find_costs(arena, known, configs, costs_out):
    """How many bytes it takes at least to complete a text from some configurations.

    Args:
        configs: int32 (n,).
        costs_out: int32 (n,).
    Returns:
        0; or NEED_COSTS, the states whose known are missing being in `needed`, and how many in used[DETAIL].
    """
    for i in range(configs.shape[0]):
        cost = _cost(arena, known, configs[i])
        if cost < 0:
            return cost
        costs_out[i] = cost
    return 0


@_jit
def _cost(arena, known, config):
    """The cost of a configuration, or NEED_COSTS."""
    configs, items, used = _rows(arena, AT.configs), _rows(arena, AT.items), _long_row(arena, AT.used)
    of_state, of_node, of_config = _row(known, OF.states), _row(known, OF.nodes), _row(known, OF.configs)
    if of_config[config] > 0:
        return of_config[config] - 1
    wanted = _missing_of_nodes(arena, known)
    for i in range(configs[config, 0], configs[config, 1]):
        wanted = _want(arena, known, items[i, 0], wanted)
    if wanted > 0:
        used[DETAIL] = wanted
        return NEED_COSTS
    _find_costs_of_nodes(arena, known)
    cost = 0
    if configs[config, 2] & COMPLETE == 0:
        cost = MOST_COST
        for i in range(configs[config, 0], configs[config, 1]):
            cost = min(cost, of_state[items[i, 0]] - 1 + of_node[items[i, 1]] - 1)
    of_config[config] = 1 + cost
    return cost


@_jit
def _want(arena, known, state, count):
    """Note a state whose cost is not known, after `count` others, as long as there is room; return how many."""
    if _row(known, OF.states)[state] == 0 and count < _row(arena, AT.needed).shape[0]:
        return _need(arena, state, count)
    return count


@_jit
def _missing_of_nodes(arena, known):
    """Note the states without which the costs of the nodes cannot be found; return how many."""
    nodes, callers, rules = _rows(arena, AT.nodes), _rows(arena, AT.callers), _rows(arena, AT.rules)
    wanted = 0
    for node in range(_long_row(known, OF.used)[0], _long_row(arena, AT.used)[NODES]):
        for c in range(nodes[node, 0], nodes[node, 1]):
            if callers[c, 0] >= 0:
                wanted = _want(arena, known, callers[c, 0], wanted)
        if nodes[node, 3] >= 0:
            wanted = _want(arena, known, rules[nodes[node, 3], 0], wanted)
    return wanted


@_jit
def _find_costs_of_nodes(arena, known):
    """Find the costs of all nodes; those of a group, which call each other, again until they do not change."""
    nodes, callers, rules = _rows(arena, AT.nodes), _rows(arena, AT.callers), _rows(arena, AT.rules)
    of_state, of_node, used = _row(known, OF.states), _row(known, OF.nodes), _long_row(known, OF.used)
    first = used[0]
    while first < _long_row(arena, AT.used)[NODES]:
        size = max(1, nodes[first, 4])
        for node in range(first, first + size):
            of_node[node] = 1 + MOST_COST
        changed = True
        while changed:
            changed = False
            for node in range(first, first + size):
                cost = MOST_COST
                for c in range(nodes[node, 0], nodes[node, 1]):
                    if callers[c, 0] < 0:
                        cost = 0
                    else:
                        cost = min(cost, of_state[callers[c, 0]] - 1 + of_node[callers[c, 1]] - 1)
                rule = nodes[node, 3]
                if rule >= 0:
                    turns = max(0, rules[rule, 2] - nodes[node, 2] - 1)
                    cost = min(MOST_COST, cost + turns * np.int64(of_state[rules[rule, 0]] - 1))
                if cost < of_node[node] - 1:
                    of_node[node] = 1 + cost
                    changed = size > 1
        first += size
    used[0] = first


@_jit
def find_ends(arena, words, known, config, which, begin):
    """Find the configurations to which tokens lead from `config`, each once.

    Args:
        which: ALL; SHORTEST: those on the way of the shortest texts; ROUGHLY: without those to which nothing leads but
            tokens that end in the middle of a character of a slice, where that saves time.
        begin: 0, or used[RESUME] after a negative code.
    Returns:
        0, `ends` being written; or a negative code.
    """
    found = _long_row(known, OF.used)
    _row(arena, AT.stack)[0] = config
    _long_row(arena, AT.used)[RESUME] = begin
    if begin == 0:
        found[1] = 0
        found[2] += 1
    if which == ROUGHLY:
        free = _free_slice(arena, config, 0)
        if free < 0:
            return free
        if free > 0:  # characters of the slice lead back, so all that comes after them leads where it does from here
            _row(known, OF.marks)[config] = found[2]
            _row(known, OF.ends)[0] = config
            found[1] = max(1, found[1])
            begins = _row(words, IN.tail_begins)
            roots = _long_row(words, IN.tail_roots)[begins[free - 1] : begins[free]]
            tails = _long_row(words, IN.tails)[: roots[roots.shape[0] - 1] >> 8]
            spare = _row(words, IN.groups).shape[0] - 2
            return _walk_ends(arena, known, tails, max(begin, roots[0] >> 8), spare, -1)
    left = np.int64(-1)
    if which == SHORTEST:
        left = np.int64(_cost(arena, known, config))
        if left < 0:
            return left
    spare = 32 * _rows(words, IN.bases).shape[1]
    return _walk_ends(arena, known, _long_row(words, IN.whole), begin, spare, left)


@_jit
def _walk_ends(arena, known, nodes, begin, spare, cost):
    """Note where the texts of a trie lead, from a node on; if `cost` is not -1, only where each byte lessens it.

    Returns 0; or a negative code, the node to go on from being in used[RESUME].
    """
    stack, transitions = _row(arena, AT.stack), _rows(arena, AT.transitions)
    byte_class = _byte_row(arena, AT.byte_class)
    marks, ends, found = _row(known, OF.marks), _row(known, OF.ends), _long_row(known, OF.used)
    mark = found[2]
    i = begin
    while i < nodes.shape[0]:
        node = nodes[i]
        depth = node >> 8 & 255
        source = stack[depth]
        target = transitions[source, byte_class[node & 255]]
        if target == UNKNOWN:
            target = _step(arena, source, node & 255)
        if target > DEAD and cost >= 0:
            left = _cost(arena, known, target)
            if left < 0:
                target = left
            elif left > cost - depth - 1:
                target = DEAD
        if target <= DEAD:
            if target < 0:
                _long_row(arena, AT.used)[RESUME] = i
                return target
            i += node >> 40
            continue
        stack[depth + 1] = target
        if marks[target] != mark and node >> 16 & 0xFFFFFF != spare:
            marks[target] = mark
            ends[found[1]] = target
            found[1] += 1
        i += 1
    return 0


@_jit
def drop_tokens(arena, words, known, config, mask_out):
    """Clear the bits of the tokens that lead from `config`, of which ALL ends were found, to one with the mark -1."""
    stack, transitions = _row(arena, AT.stack), _rows(arena, AT.transitions)
    byte_class = _byte_row(arena, AT.byte_class)
    marks, nodes, twins = _row(known, OF.marks), _long_row(words, IN.whole), _rows(words, IN.twins)
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
        token, twin = twins[t, 0], twins[t, 1]
        if mask_out[twin >> 5] >> (twin & 31) & 1 == 0:
            mask_out[token >> 5] &= ~(np.int32(1) << (token & 31))


@_jit
def walk_recalling(arena, words, config, root, mask_out, found_out, said_out):
    """Set the bits of tokens that can be read from `config`, as far as nothing waits, and note where something does.

    Where tokens only end, nothing is noted.

    Args:
        root: the node of the trie of all tokens from which `config` follows; -1 for the beginning of a token.
        found_out: int32 (n, 2): node and configuration of each place where something waits.
        said_out: uint8 (n, MOST_BYTES + 1): for each of them the number of bytes from `root` on, and these.
    Returns:
        Number of these places, which are n if there may be more; or a negative code.
    """
    stack, transitions = _row(arena, AT.stack), _rows(arena, AT.transitions)
    configs, byte_class = _rows(arena, AT.configs), _byte_row(arena, AT.byte_class)
    nodes, twins = _long_row(words, IN.whole), _rows(words, IN.twins)
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
        if target == UNKNOWN:
            target = _step(arena, stack[depth], node & 255)
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
        if configs[target, 2] & WAITING and node >> 40 > 1:
            found_out[count, 0] = i - 1
            found_out[count, 1] = target
            said_out[count, 0] = depth - above + 1
            count += 1
            if count < found_out.shape[0]:
                for b in range(1, depth - above + 2):
                    said_out[count, b] = said_out[count - 1, b]
            i += (node >> 40) - 1
    for t in range(twins.shape[0]):
        token, twin = twins[t, 0], twins[t, 1]
        mask_out[token >> 5] |= (mask_out[twin >> 5] >> (twin & 31) & np.int32(1)) << (token & 31)
    return count


@_jit
def take_in(arena, edges_in, alike_in, rules_in, built_in, end_state, boundary_out):
    """Enter what was added to a network, for which there is room.

    Args:
        edges_in: int32 (4 edges,), as in `Network.flat`; their sources are states that are added.
        alike_in: int32 (2 n,), as in `Network.alike`; of the same states.
        rules_in: int32 (7 rules,), as in `Arena.rules`.
        built_in: int32 (2 m,): rules that were built since they were entered, each with its start.
        end_state: how many states there are now.
        boundary_out: bool (257,), true where a byte class begins; set where one has to.
    Returns:
        Number of places in `boundary_out` that were set.
    """
    states, edges, rules = _rows(arena, AT.states), _rows(arena, AT.edges), _rows(arena, AT.rules)
    used = _long_row(arena, AT.used)
    first_state, end, first_rule = used[STATES], used[EDGES], used[RULES]
    for state in range(first_state, end_state):
        states[state, 1] = 0
        states[state, 3] = 0
    for i in range(0, alike_in.shape[0], 2):
        states[alike_in[i], 3] |= alike_in[i + 1]
    for i in range(0, edges_in.shape[0], 4):
        states[edges_in[i], 1] += 1
    for state in range(first_state, end_state):
        count = states[state, 1]
        states[state, 0] = end
        states[state, 1] = end
        end += count
    fresh = 0
    for i in range(0, edges_in.shape[0], 4):
        state = edges_in[i]
        edge = states[state, 1]
        states[state, 1] = edge + 1
        op = edges_in[i + 1]
        edges[edge, 0] = op
        edges[edge, 1] = edges_in[i + 2]
        edges[edge, 2] = edges_in[i + 3]
        if op >= 0:
            if not boundary_out[op & 255]:
                boundary_out[op & 255] = True
                fresh += 1
            if not boundary_out[(op >> 8) + 1]:
                boundary_out[(op >> 8) + 1] = True
                fresh += 1
    for i in range(rules_in.shape[0]):
        rules[first_rule + i // 7, i % 7] = rules_in[i]
    for i in range(0, built_in.shape[0], 2):
        rules[built_in[i], 0] = built_in[i + 1]
    _mark_free(arena, first_state, end_state)
    used[STATES] = end_state
    used[EDGES] = end
    used[RULES] = first_rule + rules_in.shape[0] // 7
    return fresh


@_jit
def _mark_free(arena, first, end):
    """Find the new states from which all texts of the slice can be read: the greatest set that keeps its promise.

    Bits 8 and up of a state are those that its own bytes keep; one that reads nothing may not be its own reason.
    """
    states, edges, rules = _rows(arena, AT.states), _rows(arena, AT.edges), _rows(arena, AT.rules)
    runs = _rows(arena, AT.runs)
    everywhere = (1 << (runs[runs.shape[0] - 1, 0] + 1)) - 1
    fewest = 256  # bytes that can follow any place
    following = 0
    for r in range(runs.shape[0]):
        following += runs[r, 2] - runs[r, 1] + 1
        if r + 1 == runs.shape[0] or runs[r + 1, 0] != runs[r, 0]:
            fewest = min(fewest, following)
            following = 0
    for state in range(first, end):  # most states read fewer
        width = 0
        for e in range(states[state, 0], states[state, 1]):
            if edges[e, 0] >= 0:
                width += (edges[e, 0] >> 8) - (edges[e, 0] & 255) + 1
        states[state, 2] = everywhere << 8 if width >= fewest else 0
    changed = True
    while changed:
        for state in range(first, end):
            own = states[state, 2] >> 8
            states[state, 2] = own << 8 | own
        spread = True
        while spread:
            spread = False
            for state in range(end - 1, first - 1, -1):  # edges lead to later states mostly
                for e in range(states[state, 0], states[state, 1]):
                    free = states[state, 2]
                    if edges[e, 0] == EPSILON:
                        free |= states[edges[e, 1], 2] & everywhere
                    elif edges[e, 0] == CALL or edges[e, 0] == JUMP:
                        rule = edges[e, 1]
                        free |= rules[rule, 4] if rules[rule, 0] < 0 else states[rules[rule, 0], 2] & 1
                    if free != states[state, 2]:
                        states[state, 2] = free
                        spread = True
        changed = False
        for state in range(end - 1, first - 1, -1):
            before = states[state, 2] >> 8
            if before != 0:
                free = _free_places(arena, state) & before
                if free != before:
                    states[state, 2] = free << 8 | states[state, 2] & everywhere
                    changed = True


@_jit
def _free_places(arena, state):
    """The places of the slice's automaton from which the edges of a state lead on with every byte, to free states."""
    states, edges, runs = _rows(arena, AT.states), _rows(arena, AT.edges), _rows(arena, AT.runs)
    missing = 0  # places with a byte that no edge reads as it should
    for r in range(runs.shape[0]):
        place = runs[r, 0]
        if missing >> place & 1:
            continue
        byte = runs[r, 1]
        while byte <= runs[r, 2]:
            further = byte
            for e in range(states[state, 0], states[state, 1]):
                op = edges[e, 0]
                if op >= 0 and op & 255 <= byte <= op >> 8 and states[edges[e, 1], 2] >> runs[r, 3] & 1:
                    further = (op >> 8) + 1
                    break
            if further == byte:
                missing |= 1 << place
                break
            byte = further
    return ~missing


@_jit
def build_trie(text, offsets, ids, spare, nodes_out, twins_out, open_nodes):
    """Lay out sorted tokens as a trie in depth-first order.

    Args:
        text: uint8, all tokens one after the other, sorted bytewise.
        offsets: int64 (tokens + 1,), where each begins in `text`.
        ids: int32 (tokens,), their numbers.
        spare: what to write for a node that is no token.
        nodes_out: int64, as in `Lexicon`, long enough for len(text) nodes.
        twins_out: int32 (tokens, 2): a token and an earlier one with the same bytes.
        open_nodes: int32 (longest token + 1,), scratch.
    Returns:
        (number of nodes, number of twins)
    """
    nodes = 0
    twins = 0
    depth = 0
    for k in range(ids.shape[0]):
        begin = offsets[k]
        length = offsets[k + 1] - begin
        common = 0
        if k > 0:
            before = offsets[k - 1]
            most = min(length, begin - before)
            while common < most and text[begin + common] == text[before + common]:
                common += 1
        while depth > common:
            depth -= 1
            first = open_nodes[depth]
            nodes_out[first] |= np.int64(nodes - first) << 40
        for d in range(common, length):
            nodes_out[nodes] = np.int64(text[begin + d]) | np.int64(d) << 8 | np.int64(spare) << 16
            open_nodes[d] = nodes
            nodes += 1
        depth = length
        last = open_nodes[length - 1]
        token = nodes_out[last] >> 16 & 0xFFFFFF
        if token == spare:
            nodes_out[last] += np.int64(ids[k] - spare) << 16
        else:
            twins_out[twins, 0] = ids[k]
            twins_out[twins, 1] = token
            twins += 1
    while depth > 0:
        depth -= 1
        first = open_nodes[depth]
        nodes_out[first] |= np.int64(nodes - first) << 40
    return nodes, twins


@_jit
def slice_lengths(text, offsets, automaton, length_out, head_out):
    """How far tokens lie within a slice.

    Args:
        text, offsets: as in `Lexicon`.
        automaton: the slice, see `Lexicon.characters`.
        length_out: int32; number of characters of each token, one that is not finished included; -1 if it does not
            lie wholly within the slice.
        head_out: int32; number of bytes of the finished characters that each token begins with.
    """
    for k in range(length_out.shape[0]):
        u = 0
        length = 0
        head_out[k] = 0
        for i in range(offsets[k], offsets[k + 1]):
            if u == 0:
                length += 1
            u = automaton[u, text[i]]
            if u < 0:
                break
            if u == 0:
                head_out[k] = i + 1 - offsets[k]
        length_out[k] = length if u >= 0 else -1


@_jit
def apply_mask(logits_out, mask):
    """Set logits_out (float32, (batch, rows)) to -inf wherever the bit in mask (int32, (batch, words)) is 0.

    Rows of words that are all ones, or all zeros, cost one comparison.
    """
    rows = logits_out.shape[1]
    for b in range(logits_out.shape[0]):
        for w in range(mask.shape[1]):
            word = mask[b, w]
            if word == -1:
                continue
            first = w * 32
            last = min(first + 32, rows)
            if word == 0:
                for r in range(first, last):
                    logits_out[b, r] = -np.inf
            else:
                for r in range(first, last):
                    if (word >> (r - first)) & 1 == 0:
                        logits_out[b, r] = -np.inf
