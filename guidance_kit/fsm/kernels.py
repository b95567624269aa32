"""All Numba kernels: pure functions over the flat arrays of an `Arena`.

Kernels take a *handle* for an arena (for `Lexicon`, `Shelf`, `Costs` as well), which says
where its arrays are, and take out those that they need: handing over twenty-five arrays, each of them seven numbers,
takes longer than most kernels work, from Python and from one kernel to another. Kernels allocate nothing and raise
nothing: where room or a rule is missing they return a negative code, `Automaton` grows the arrays or builds the rule,
and the same call is made again. That is safe at any point because all a kernel leaves behind are interned values, which
the second attempt finds.

A compiled kernel has the code of the kernels that it calls in it, and constants that this file imports: it is kept on
disk under a digest of `SOURCES`; see `kernel_cache`.

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

from guidance_kit.fsm.columns import (
    ALIKE,
    BUILT,
    CALLER,
    CONFIG,
    EDGE,
    ENTRY,
    FIRST,
    FLAT,
    FOUND,
    HANDLE,
    ITEM,
    KEPT,
    KNOWN,
    LAYER,
    NODE,
    ROOT,
    RULE,
    RULE_SLOT,
    RUN,
    SEEN,
    SLOT,
    STATE,
    TWIN,
    USED,
    WORK,
    width,
)
from guidance_kit.fsm.kernel_cache import KernelCache, folder_for, source_digest
from guidance_kit.fsm.mask_store import BLOCK
from guidance_kit.fsm.opcodes import CALL, EPSILON, FINAL, FRESH, JUMP, LOOP, RECALL, TURN, WITHIN

__all__ = [
    "DEAD",
    "FINISHED",
    "MOST_BYTES",
    "SOURCES",
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

ALL, SHORTEST, ROUGHLY = range(3)
"""What `find_ends` looks for."""

UNDECIDED, WHOLE, REST = -2, -1, 0
"""How `fill_mask` finds a mask: by walking all tokens; those that are not in the longest of `Lexicon.bases`, and if the
mask is `like` that of another configuration than DEAD, only as far as their first bytes lead elsewhere from there; or,
j, the tails of slice j - 1."""


class Arena(NamedTuple):
    """The arrays of one automaton. Rows beyond `used` are free; `columns` names what is in a row.

    name          dtype, shape       meaning
    states        int32 (S, STATE)   states of the network
    edges         int32 (E, EDGE)    edges of the network, those of a state in a row
    rules         int32 (R, RULE)    rules of the network
    nodes         int32 (N, NODE)    frames of the stack. Nodes that call each other (left recursion) are a group in a
                                     row; node 0 is never popped
    hashes        int32 (N,)         hash of the node, or of the group that begins with it
    canon         int32 (N,)         the node that stands for all with the same future within `horizon` bytes
    callers       int32 (C, CALLER)  where the nodes return to; sorted within a node
    node_table    int32 (2^k,)       open addressing over `nodes`, 0 empty
    configs       int32 (K, CONFIG)  configurations
    items         int32 (I, ITEM)    what the configurations are made of; sorted within a configuration
    config_table  int32 (2^k,)       open addressing over `configs`, 0 empty
    transitions   int32 (K, classes) configuration after a byte of the class; UNKNOWN, DEAD; rows of configurations
                                     only
    byte_class    uint8 (256,)       class of a byte; non-decreasing, so that a class is an interval
    used          int64 (USED,)      rows in use, and where the work is
    work          int32 (W, WORK)    closure of the current step
    seen          int32 (2^k, SEEN)  open addressing over `work`
    slots         int32 (W, SLOT)    rules entered in the current step
    rule_slot     int32 (R, RULE_SLOT) slot of a rule, if it has been entered in the step of the stamp
    entries       int32 (W, ENTRY)   callers of the slots
    keys          int64 (W,)         buffer for sorting
    layer         int32 (2 L, LAYER) buffer of `_slice_reach`
    stack         int32 (D,)         buffer of `fill_mask`: configuration after 0, 1, ... bytes
    runs          int32 (n, RUN)     `slices.RUNS`
    firsts        int32 (m, FIRST)   `slices.FIRSTS`
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
    whole_roots  int64 (r + 1, ROOT)  its roots, each with the place of its first branch
    whole_branches int64              its branches
    rest         int64 (m,)           trie of the tokens that are not in the longest of the first `bases`
    rest_roots   int64 (s + 1, ROOT)  its roots, each with the place of its first branch
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
    twins        int32 (t, TWIN)      a token and another one with the same bytes, which is the one in `whole`, `rest`
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
    used         int64 (KEPT,)        rows and places in use
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
    used          int64 (KNOWN,) nodes and ends in use, number of the search

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

SOURCES = tuple(Path(__file__).with_name(name) for name in ("kernels.py", "columns.py", "opcodes.py", "mask_store.py"))
"""The files of kernels, and of the numbers that are compiled into them."""

_FOLDER, _REFUSED = (None, []) if _IS_PLAIN else folder_for(Path(__file__).resolve().parent)
_STAMP = source_digest(SOURCES)

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


def _widened(argument: types.Type) -> types.Type:
    """The type that a kernel is compiled for: one for all integers, or each caller would have a kernel of its own."""
    return types.int64 if isinstance(argument, types.Integer) else argument


def _jit(function: Kernel) -> Kernel:
    """Compile on first use, kept on disk where that is possible."""
    if _IS_PLAIN:
        return function
    compiled: Any = numba.njit(nogil=True)(function)
    compile_for = compiled.compile
    compiled.compile = lambda arguments: compile_for(tuple(map(_widened, arguments)))
    if _FOLDER is not None:
        compiled._cache = KernelCache(function, _FOLDER, _STAMP)
    return compiled


def handle_of(arrays: Arena | Lexicon | Shelf | Costs, before: Any = None, changed: Iterable[str] | None = None) -> Any:
    """What kernels take for such arrays: int64 (arrays, HANDLE), a row for each array.

    It is good as long as the arrays are alive, which is for the caller to see to. For plain Python it is the arrays.

    Args:
        before: the handle of other arrays that differ in those `changed` alone; it is changed.
    """
    if _IS_PLAIN:
        return arrays
    handle = np.empty((len(arrays), width(HANDLE)), dtype=np.int64) if before is None else before
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
    return carray(_pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows],), np.int32)


def _int32_rows(handle, which):
    return carray(
        _pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows], handle[which, HANDLE.columns]), np.int32
    )


def _int16_rows(handle, which):
    return carray(
        _pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows], handle[which, HANDLE.columns]), np.int16
    )


def _int64_row(handle, which):
    return carray(_pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows],), np.int64)


def _int64_rows(handle, which):
    return carray(
        _pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows], handle[which, HANDLE.columns]), np.int64
    )


def _uint8_row(handle, which):
    return carray(_pointer(handle[which, HANDLE.address]), (handle[which, HANDLE.rows],), np.uint8)


_row: Kernel = _field if _IS_PLAIN else _jit(_int32_row)
_rows: Kernel = _field if _IS_PLAIN else _jit(_int32_rows)
_short_rows: Kernel = _field if _IS_PLAIN else _jit(_int16_rows)
_long_row: Kernel = _field if _IS_PLAIN else _jit(_int64_row)
_long_rows: Kernel = _field if _IS_PLAIN else _jit(_int64_rows)
_byte_row: Kernel = _field if _IS_PLAIN else _jit(_uint8_row)

ARENA = Arena(*range(len(Arena._fields)))  # pyright: ignore
LEXICON = Lexicon(*range(len(Lexicon._fields)))  # pyright: ignore
SHELF = Shelf(*range(len(Shelf._fields)))  # pyright: ignore
COSTS = Costs(*range(len(Costs._fields)))  # pyright: ignore
"""Where the arrays stand in handles."""


def _mask_in_memory(shelf, row):
    """A row of the blocks."""
    blocks, width = _long_row(shelf, SHELF.blocks), _long_row(shelf, SHELF.used)[KEPT.words]
    return carray(_pointer(blocks[row // BLOCK] + 4 * width * (row % BLOCK)), (width,), np.int32)


def _mask_in_list(shelf, row):
    return shelf.blocks[row // BLOCK][row % BLOCK]


def address_of(handle: Any) -> Any:
    """What `addresses` takes for a shelf; it is good as long as the handle is alive."""
    return handle if _IS_PLAIN else handle.__array_interface__["data"][0]


def addresses(shelves: list[Any]) -> Any:
    """What `copy_masks` takes for the shelves of many rows; 0 stands for none."""
    return shelves if _IS_PLAIN else np.array(shelves, dtype=np.int64)


_SHELF_HANDLE = len(SHELF), width(HANDLE)


def _addressed(shelves, which):
    return carray(_pointer(shelves[which]), _SHELF_HANDLE, np.int64)


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
def _caller_key(state, node):
    """A caller as a number: return state + 1 << 32 | node below."""
    return (np.int64(state) + 1) << 32 | np.int64(node)


@_jit
def _item_key(state, node):
    """An item as a number: state << 32 | node."""
    return np.int64(state) << 32 | np.int64(node)


@_jit
def _intern_node(arena, m, count, rule):
    """Node with `count` turns of `rule` and the m sorted callers in `keys` (return state + 1 << 32 | node below)."""
    nodes, callers, table = _rows(arena, ARENA.nodes), _rows(arena, ARENA.callers), _row(arena, ARENA.node_table)
    hashes, used, keys = _row(arena, ARENA.hashes), _long_row(arena, ARENA.used), _long_row(arena, ARENA.keys)
    h = _mix(_mix(17, count), rule + 1)
    for i in range(m):
        h = _mix(_mix(h, keys[i] >> 32), keys[i] & 0xFFFFFFFF)
    mask = table.shape[0] - 1
    place = h & mask
    while table[place] > 0:
        node = table[place]
        begin = nodes[node, NODE.first]
        is_alike = hashes[node] == h and nodes[node, NODE.turns] == count and nodes[node, NODE.repetition] == rule
        if is_alike and nodes[node, NODE.end] - begin == m:
            same = True
            for i in range(m):
                if _caller_key(callers[begin + i, CALLER.state], callers[begin + i, CALLER.below]) != keys[i]:
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


@_jit
def _intern_config(arena, m, bits):
    """Configuration of the m sorted items in `keys` (state << 32 | node) with the bits COMPLETE, WAITING and NAMED."""
    configs, items, table = _rows(arena, ARENA.configs), _rows(arena, ARENA.items), _row(arena, ARENA.config_table)
    states, edges, byte_class = (
        _rows(arena, ARENA.states),
        _rows(arena, ARENA.edges),
        _byte_row(arena, ARENA.byte_class),
    )
    transitions, used, keys = (
        _rows(arena, ARENA.transitions),
        _long_row(arena, ARENA.used),
        _long_row(arena, ARENA.keys),
    )
    if m == 0 and bits == 0:
        return DEAD
    h = _mix(29, bits)
    for i in range(m):
        h = _mix(_mix(h, keys[i] >> 32), keys[i] & 0xFFFFFFFF)
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
                if _item_key(items[begin + i, ITEM.state], items[begin + i, ITEM.node]) != keys[i]:
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


@_jit
def _add(arena, state, reference, n):
    """Add (state, reference) to the closure of n items unless it is there; return the new n, or FULL_WORK."""
    used, work, seen = _long_row(arena, ARENA.used), _rows(arena, ARENA.work), _rows(arena, ARENA.seen)
    stamp = used[USED.stamp]
    mask = seen.shape[0] - 1
    place = _mix(_mix(7, state), reference + 0x40000000) & mask
    while seen[place, SEEN.stamp] == stamp:
        if seen[place, SEEN.state] == state and seen[place, SEEN.reference] == reference:
            return n
        place = (place + 1) & mask
    if n >= work.shape[0]:
        return FULL_WORK
    seen[place, SEEN.stamp] = stamp
    seen[place, SEEN.state] = state
    seen[place, SEEN.reference] = reference
    work[n, WORK.state] = state
    work[n, WORK.reference] = reference
    work[n, WORK.is_item] = 0
    return n + 1


@_jit
def _gather(arena, slot, group, m):
    """Write the callers of a slot, and of those it inherits from, to keys[m:]; return the end, or a negative code.

    Callers whose node is not known yet are written as GROUP + place in their group where `group` is 1; where it is 0,
    the slot is not ready and the answer is WAIT.
    """
    nodes, callers, used = _rows(arena, ARENA.nodes), _rows(arena, ARENA.callers), _long_row(arena, ARENA.used)
    slots, entries, keys = _rows(arena, ARENA.slots), _rows(arena, ARENA.entries), _long_row(arena, ARENA.keys)
    count = used[USED.slots]
    for other in range(count):
        slots[other, SLOT.link] = -1
    slots[slot, SLOT.link] = slot
    last = slot
    source = slot
    while True:
        entry = slots[source, SLOT.entry]
        while entry >= 0:
            target = entries[entry, ENTRY.state]
            reference = entries[entry, ENTRY.reference]
            if target == INHERIT:
                if reference < 0:
                    other = -1 - reference
                    if slots[other, SLOT.link] < 0:
                        slots[other, SLOT.link] = other
                        slots[last, SLOT.link] = other
                        last = other
                else:
                    for c in range(nodes[reference, NODE.first], nodes[reference, NODE.end]):
                        if m >= keys.shape[0]:
                            return FULL_WORK
                        keys[m] = _caller_key(callers[c, CALLER.state], callers[c, CALLER.below])
                        m += 1
            else:
                node = reference
                if reference < 0:
                    node = slots[-1 - reference, SLOT.node]
                    if node < 0:
                        if group == 0:
                            return WAIT
                        node = GROUP + slots[-1 - reference, SLOT.place]
                if m >= keys.shape[0]:
                    return FULL_WORK
                keys[m] = _caller_key(target, node)
                m += 1
            entry = entries[entry, ENTRY.link]
        if source == last:
            return m
        source = slots[source, SLOT.link]


@_jit
def _resolve(arena, slot_count):
    """Give every slot of the current step its node; return 0 or a negative code."""
    used, slots, keys = _long_row(arena, ARENA.used), _rows(arena, ARENA.slots), _long_row(arena, ARENA.keys)
    used[USED.slots] = slot_count
    todo = slot_count
    while todo > 0:
        progress = False
        for slot in range(slot_count):
            if slots[slot, SLOT.node] >= 0:
                continue
            m = _gather(arena, slot, 0, 0)
            if m == WAIT:
                continue
            if m < 0:
                return m
            m = _without_covered(arena, _unique(keys, m))
            node = _intern_node(arena, m, 0, _repetition(arena, slots[slot, SLOT.rule]))
            if node < 0:
                return node
            slots[slot, SLOT.node] = node
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
    rules = _rows(arena, ARENA.rules)
    return -1 if rules[rule, RULE.minimum] == 1 and rules[rule, RULE.maximum] == 1 else rule


@_jit
def _reach(arena, slot):
    """Mark (place 0) the open slots that a slot waits for, itself only if in a circle; return how many."""
    used, slots, entries = _long_row(arena, ARENA.used), _rows(arena, ARENA.slots), _rows(arena, ARENA.entries)
    count = used[USED.slots]
    for other in range(count):
        slots[other, SLOT.link] = -1
        slots[other, SLOT.place] = -1
    size = 0
    source = slot
    last = slot
    while True:
        entry = slots[source, SLOT.entry]
        while entry >= 0:
            reference = entries[entry, ENTRY.reference]
            if reference < 0:
                other = -1 - reference
                if slots[other, SLOT.node] < 0 and slots[other, SLOT.place] < 0:
                    slots[other, SLOT.place] = 0
                    size += 1
                    if other != slot:
                        slots[last, SLOT.link] = other
                        last = other
            entry = entries[entry, ENTRY.link]
        if source == last:
            return size
        source = slots[source, SLOT.link]


@_jit
def _resolve_group(arena):
    """Left recursion: give nodes to slots that wait for each other and for nothing else; return how many, or a code.

    Their nodes are numbered in a row, in the order of their rules, and name each other as callers. The group is
    interned as a whole, its own nodes being known by their places in it.
    """
    nodes, hashes, callers = _rows(arena, ARENA.nodes), _row(arena, ARENA.hashes), _rows(arena, ARENA.callers)
    table, used, slots = _row(arena, ARENA.node_table), _long_row(arena, ARENA.used), _rows(arena, ARENA.slots)
    keys = _long_row(arena, ARENA.keys)
    count = used[USED.slots]
    best = -1
    size = count + 1
    for slot in range(count):
        if slots[slot, SLOT.node] < 0:
            reached = _reach(arena, slot)
            if slots[slot, SLOT.place] == 0 and reached < size:
                best = slot
                size = reached
    _reach(arena, best)
    # Places in the group by rule number, which no two slots share.
    for slot in range(count):
        if slots[slot, SLOT.place] >= 0:
            place = 0
            for other in range(count):
                if slots[other, SLOT.place] >= 0 and slots[other, SLOT.rule] < slots[slot, SLOT.rule]:
                    place += 1
            slots[slot, SLOT.place] = place
    # keys: the sorted callers of one member after those of the other; entry ends in `SLOT.end` of the member.
    m = 0
    h = _mix(41, size)
    for place in range(size):
        for slot in range(count):
            if slots[slot, SLOT.place] == place:
                first = m
                m = _gather(arena, slot, 1, m)
                if m < 0:
                    return m
                m = first + _unique(keys[first:], m - first)
                slots[slot, SLOT.end] = m
                h = _mix(_mix(h, slots[slot, SLOT.rule]), m - first)
                for i in range(first, m):
                    h = _mix(_mix(h, keys[i] >> 32), keys[i] & 0xFFFFFFFF)
                break
    mask = table.shape[0] - 1
    spot = h & mask
    node = -1
    while table[spot] > 0:
        if nodes[table[spot], NODE.group] == size and _is_group(arena, table[spot], size):
            node = table[spot]
            break
        spot = (spot + 1) & mask
    if node < 0:
        node = used[USED.nodes]
        begin = used[USED.callers]
        if node + size > nodes.shape[0] or 2 * (node + size) > table.shape[0]:
            return FULL_NODES
        if begin + m > callers.shape[0]:
            return FULL_CALLERS
        for i in range(m):
            below = keys[i] & 0xFFFFFFFF
            callers[begin + i, CALLER.state] = (keys[i] >> 32) - 1
            callers[begin + i, CALLER.below] = below if below < GROUP else node + below - GROUP
        for slot in range(count):
            place = slots[slot, SLOT.place]
            if place >= 0:
                nodes[node + place, NODE.end] = begin + slots[slot, SLOT.end]
                nodes[node + place, NODE.turns] = 0
                nodes[node + place, NODE.repetition] = _repetition(arena, slots[slot, SLOT.rule])
                nodes[node + place, NODE.group] = -1
        nodes[node, NODE.group] = size
        nodes[node, NODE.first] = begin
        for place in range(1, size):
            nodes[node + place, NODE.first] = nodes[node + place - 1, NODE.end]
        hashes[node] = h
        used[USED.nodes] = node + size
        used[USED.callers] = begin + m
        table[spot] = node
    for slot in range(count):
        if slots[slot, SLOT.place] >= 0:
            slots[slot, SLOT.node] = node + slots[slot, SLOT.place]
    return size


@_jit
def _is_group(arena, node, size):
    """Whether the group that begins at `node` is the one in `keys` and the slots."""
    nodes, callers, used = _rows(arena, ARENA.nodes), _rows(arena, ARENA.callers), _long_row(arena, ARENA.used)
    slots, keys = _rows(arena, ARENA.slots), _long_row(arena, ARENA.keys)
    begin = nodes[node, NODE.first]
    for slot in range(used[USED.slots]):
        place = slots[slot, SLOT.place]
        if place >= 0 and (
            nodes[node + place, NODE.end] - begin != slots[slot, SLOT.end]
            or nodes[node + place, NODE.repetition] != _repetition(arena, slots[slot, SLOT.rule])
        ):
            return False
    for i in range(nodes[node + size - 1, NODE.end] - begin):
        below = callers[begin + i, CALLER.below]
        if node <= below < node + size:
            below = GROUP + below - node
        if _caller_key(callers[begin + i, CALLER.state], below) != keys[i]:
            return False
    return True


@_jit
def _need(arena, rule, count):
    """Note that a rule has to be built, after `count` other ones; return how many they are now."""
    needed = _row(arena, ARENA.needed)
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
    states, edges, rules = _rows(arena, ARENA.states), _rows(arena, ARENA.edges), _rows(arena, ARENA.rules)
    nodes, callers, used = _rows(arena, ARENA.nodes), _rows(arena, ARENA.callers), _long_row(arena, ARENA.used)
    work, slots, rule_slot = _rows(arena, ARENA.work), _rows(arena, ARENA.slots), _rows(arena, ARENA.rule_slot)
    entries, keys, needed = _rows(arena, ARENA.entries), _long_row(arena, ARENA.keys), _row(arena, ARENA.needed)
    stamp = used[USED.stamp]
    slot_count = 0
    entry_count = 0
    missing = 0
    i = 0
    while i < n:
        state = work[i, WORK.state]
        reference = work[i, WORK.reference]
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op >= 0:
                work[i, WORK.is_item] = 1
            elif op == EPSILON:
                n = _add(arena, edges[e, EDGE.target], reference, n)
            elif op == CALL:
                rule = edges[e, EDGE.rule]
                target = edges[e, EDGE.after]
                if rules[rule, RULE.start] < 0:
                    missing = _need(arena, rule, missing)
                    if missing == needed.shape[0]:
                        used[USED.needed] = missing
                        return NEED_RULES
                    continue
                if rules[rule, RULE.nullable] != 0:
                    n = _add(arena, target, reference, n)
                    if n < 0:
                        return n
                if rule_slot[rule, RULE_SLOT.stamp] == stamp:
                    slot = rule_slot[rule, RULE_SLOT.slot]
                else:
                    if slot_count >= slots.shape[0]:
                        return FULL_WORK
                    slot = slot_count
                    slot_count += 1
                    rule_slot[rule, RULE_SLOT.stamp] = stamp
                    rule_slot[rule, RULE_SLOT.slot] = slot
                    slots[slot, SLOT.rule] = rule
                    slots[slot, SLOT.entry] = -1
                    slots[slot, SLOT.node] = -1
                    n = _add(arena, rules[rule, RULE.start], -1 - slot, n)
                if entry_count >= entries.shape[0]:
                    return FULL_WORK
                only = states[target, STATE.first]
                if states[target, STATE.end] == only + 1 and edges[only, EDGE.op] == FINAL:
                    target = INHERIT
                entries[entry_count, ENTRY.state] = target
                entries[entry_count, ENTRY.reference] = reference
                entries[entry_count, ENTRY.link] = slots[slot, SLOT.entry]
                slots[slot, SLOT.entry] = entry_count
                entry_count += 1
            elif op == JUMP:
                rule = edges[e, EDGE.rule]
                if rules[rule, RULE.start] < 0:
                    missing = _need(arena, rule, missing)
                    if missing == needed.shape[0]:
                        used[USED.needed] = missing
                        return NEED_RULES
                    continue
                n = _add(arena, rules[rule, RULE.start], reference, n)
            elif op == WITHIN:
                count = 0
                if reference >= 0:
                    rule = nodes[reference, NODE.repetition]
                    count = nodes[reference, NODE.turns]
                else:
                    rule = slots[-1 - reference, SLOT.rule]
                if count + edges[e, EDGE.turns] <= rules[rule, RULE.maximum]:
                    n = _add(arena, edges[e, EDGE.target], reference, n)
            elif op == RECALL:
                work[i, WORK.is_item] = 1
                bits |= WAITING
            elif op == FRESH:
                if bits & BARRED == 0:
                    work[i, WORK.is_item] = 1
                    bits |= NAMED
                    n = _add(arena, edges[e, EDGE.target], reference, n)
            elif reference >= 0:  # a rule that ends where it began is its caller's business: `nullable`
                may_end = op != TURN
                if op == TURN:
                    node = _counted(arena, reference, nodes[reference, NODE.turns] + 1)
                    if node < 0:
                        return node
                    n = _add(arena, edges[e, EDGE.target], node, n)
                elif op == LOOP:
                    rule = edges[e, EDGE.rule]
                    minimum = rules[rule, RULE.minimum]
                    maximum = rules[rule, RULE.maximum]
                    count = nodes[reference, NODE.turns] + 1
                    may_end = count >= minimum
                    if maximum < 0 or count < maximum:
                        if maximum < 0 and count > minimum:
                            count = minimum
                        node = _counted(arena, reference, count)
                        if node < 0:
                            return node
                        n = _add(arena, rules[rule, RULE.start], node, n)
                if n < 0:
                    return n
                if may_end:
                    for c in range(nodes[reference, NODE.first], nodes[reference, NODE.end]):
                        if callers[c, CALLER.state] < 0:
                            bits |= COMPLETE
                        else:
                            n = _add(arena, callers[c, CALLER.state], callers[c, CALLER.below], n)
                            if n < 0:
                                return n
            if n < 0:
                return n
        i += 1
    if missing > 0:
        used[USED.needed] = missing
        return NEED_RULES
    code = _resolve(arena, slot_count)
    if code < 0:
        return code
    m = 0
    for i in range(n):
        if work[i, WORK.is_item] == 1:
            node = work[i, WORK.reference]
            if node < 0:
                node = slots[-1 - node, SLOT.node]
            if m >= keys.shape[0]:
                return FULL_WORK
            keys[m] = _item_key(work[i, WORK.state], node)
            m += 1
    return _intern_config(arena, _without_covered(arena, _unique(keys, m)), bits & ~BARRED)


@_jit
def _without_covered(arena, m):
    """Leave out those of the m sorted items or callers in `keys` whose texts another one has too; return how many stay.

    Where turns can be counted in several ways, a text would else lead to as many items as it may have had turns.
    """
    keys = _long_row(arena, ARENA.keys)
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
    nodes, callers = _rows(arena, ARENA.nodes), _rows(arena, ARENA.callers)
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


@_jit
def _has_better_turns(arena, node, other):
    """Whether a frame returns as another one of its rule, and may go on in every way in which that may.

    So it may if it has no more turns, and may end where the other may; or, where turns are absorbed, no fewer.
    """
    nodes, callers, rules = _rows(arena, ARENA.nodes), _rows(arena, ARENA.callers), _rows(arena, ARENA.rules)
    rule, count, turns = nodes[node, NODE.repetition], nodes[node, NODE.turns], nodes[other, NODE.turns]
    size = nodes[node, NODE.end] - nodes[node, NODE.first]
    if rule != nodes[other, NODE.repetition] or size != nodes[other, NODE.end] - nodes[other, NODE.first]:
        return False
    if nodes[node, NODE.group] != 0 or nodes[other, NODE.group] != 0:
        return False
    if rule >= 0 and rules[rule, RULE.is_absorbed] != 0:
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


@_jit
def _counted(arena, node, count):
    """The node that differs from `node` in the count of its turns; or a negative code."""
    nodes, callers, keys = _rows(arena, ARENA.nodes), _rows(arena, ARENA.callers), _long_row(arena, ARENA.keys)
    m = 0
    for c in range(nodes[node, NODE.first], nodes[node, NODE.end]):
        if m >= keys.shape[0]:
            return FULL_WORK
        keys[m] = _caller_key(callers[c, CALLER.state], callers[c, CALLER.below])
        m += 1
    return _intern_node(arena, m, count, nodes[node, NODE.repetition])


@_jit
def start(arena, state):
    """Configuration at `state` before the first byte of a text, with nothing on the stack; or a negative code."""
    used, keys = _long_row(arena, ARENA.used), _long_row(arena, ARENA.keys)
    used[USED.stamp] += 1
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
    configs, items, used = _rows(arena, ARENA.configs), _rows(arena, ARENA.items), _long_row(arena, ARENA.used)
    used[USED.stamp] += 1
    n = 0
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        state = items[i, ITEM.state]
        for w in range(waiting.shape[0]):
            if waiting[w] == state:
                state = starts[w]
                break
        n = _add(arena, state, items[i, ITEM.node], n)
        if n < 0:
            return n
    return _close(arena, n, configs[config, CONFIG.bits] & COMPLETE)


@_jit
def canonical(arena, config, horizon):
    """The configuration that stands for all those with the same future within `horizon` bytes; or a negative code.

    A turn reads at least one byte. So a count more than `horizon` + 1 turns away from the next bound (and from where a
    counted rule asks for it) is as good as any other, here and in all frames below; the one farthest away stands for
    them, so that it still does after some more turns.
    """
    rules, nodes, canon = _rows(arena, ARENA.rules), _rows(arena, ARENA.nodes), _row(arena, ARENA.canon)
    callers, configs, items = _rows(arena, ARENA.callers), _rows(arena, ARENA.configs), _rows(arena, ARENA.items)
    used, keys = _long_row(arena, ARENA.used), _long_row(arena, ARENA.keys)
    far = horizon + 1
    while used[USED.canon] < used[USED.nodes]:
        node = used[USED.canon]
        if nodes[node, NODE.group] != 0:
            canon[node] = node
            used[USED.canon] = node + 1
            continue
        count = nodes[node, NODE.turns]
        rule = nodes[node, NODE.repetition]
        if rule >= 0:
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
            keys[m] = _caller_key(callers[c, CALLER.state], canon[callers[c, CALLER.below]])
            m += 1
        same = _intern_node(arena, _unique(keys, m), count, rule)
        if same < 0:
            return same
        canon[node] = same
        used[USED.canon] = node + 1
    m = 0
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        if m >= keys.shape[0]:
            return FULL_WORK
        keys[m] = _item_key(items[i, ITEM.state], canon[items[i, ITEM.node]])
        m += 1
    return _intern_config(arena, _unique(keys, m), configs[config, CONFIG.bits])


@_jit
def _step(arena, config, byte):
    """Configuration after `byte`, or a negative code; enters it for every byte that takes the same edges."""
    states, edges, configs = _rows(arena, ARENA.states), _rows(arena, ARENA.edges), _rows(arena, ARENA.configs)
    items, transitions = _rows(arena, ARENA.items), _rows(arena, ARENA.transitions)
    byte_class, used = _byte_row(arena, ARENA.byte_class), _long_row(arena, ARENA.used)
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
                n = _add(arena, edges[e, EDGE.target], items[i, ITEM.node], n)
                if n < 0:
                    return n
    target = DEAD
    if n > 0:
        used[USED.steps] += 1
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
    transitions, byte_class = _rows(arena, ARENA.transitions), _byte_row(arena, ARENA.byte_class)
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
    transitions, byte_class = _rows(arena, ARENA.transitions), _byte_row(arena, ARENA.byte_class)
    text, offsets = _byte_row(words, LEXICON.text), _long_row(words, LEXICON.offsets)
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
    configs, transitions = _rows(arena, ARENA.configs), _rows(arena, ARENA.transitions)
    byte_class = _byte_row(arena, ARENA.byte_class)
    text, offsets = _byte_row(words, LEXICON.text), _long_row(words, LEXICON.offsets)
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
        if configs[config, CONFIG.bits] & NAMED:
            passed = PASSED
    return config | passed


@_jit
def barred(arena, config, byte):
    """Configuration after `byte` if the name that ends there is not new; or a negative code."""
    states, edges, configs = _rows(arena, ARENA.states), _rows(arena, ARENA.edges), _rows(arena, ARENA.configs)
    items, used = _rows(arena, ARENA.items), _long_row(arena, ARENA.used)
    used[USED.stamp] += 1
    n = 0
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        state = items[i, ITEM.state]
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op >= 0 and op & 255 <= byte <= op >> 8:
                n = _add(arena, edges[e, EDGE.target], items[i, ITEM.node], n)
                if n < 0:
                    return n
    return _close(arena, n, BARRED)


@_jit
def united(arena, config, other):
    """Configuration of all the places of two; or a negative code."""
    configs, items, keys = _rows(arena, ARENA.configs), _rows(arena, ARENA.items), _long_row(arena, ARENA.keys)
    m = 0
    for one in (config, other):
        for i in range(configs[one, CONFIG.first], configs[one, CONFIG.end]):
            if m >= keys.shape[0]:
                return FULL_WORK
            keys[m] = _item_key(items[i, ITEM.state], items[i, ITEM.node])
            m += 1
    return _intern_config(
        arena, _without_covered(arena, _unique(keys, m)), configs[config, CONFIG.bits] | configs[other, CONFIG.bits]
    )


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
    row_of, used, here = _row(shelf, SHELF.row_of), _long_row(shelf, SHELF.used), _long_row(arena, ARENA.used)
    if not again:
        here[USED.way] = UNDECIDED
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
            if used[KEPT.places] + MOST_NOTED + 2 > _row(shelf, SHELF.lists).shape[0]:
                return FULL_SHELF
            found = _find_mask(arena, words, same, horizon, mask_out)
            if found < 0:
                return found
            here[USED.way] = UNDECIDED
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
    lists, used, here = _row(shelf, SHELF.lists), _long_row(shelf, SHELF.used), _long_row(arena, ARENA.used)
    noted, count = _row(arena, ARENA.noted), here[USED.noted]
    if here[USED.unlisted] > 0 or count > MOST_NOTED:
        if used[KEPT.rows] >= used[KEPT.room]:
            return 0
        kept = _mask_at(shelf, used[KEPT.rows])
        for w in range(mask.shape[0]):
            kept[w] = mask[w]
        used[KEPT.rows] += 1
        return used[KEPT.rows] - 1
    first = used[KEPT.places]
    lists[first] = here[USED.base]
    lists[first + 1] = count
    for t in range(count):
        lists[first + 2 + t] = noted[t]
    used[KEPT.places] = first + 2 + count
    used[KEPT.lists] += 1
    return -first


@_jit
def _copy_mask(shelf, row, mask_out):
    """Copy the mask that is in a row, or a list."""
    if row > 0:
        mask = _mask_at(shelf, row)
        for w in range(mask_out.shape[0]):
            mask_out[w] = mask[w]
        return
    bases, lists = _rows(shelf, SHELF.bases), _row(shelf, SHELF.lists)
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
        row_of = _row(shelf, SHELF.row_of)
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
    used, bases, begins = _long_row(arena, ARENA.used), _rows(words, LEXICON.bases), _row(words, LEXICON.tail_begins)
    noted, stack = _row(arena, ARENA.noted), _row(arena, ARENA.stack)
    slices = begins.shape[0] - 1
    way = used[USED.way]
    begin = np.int64(0)
    if way == UNDECIDED:
        way = _free_slice(arena, config, horizon)
        if way < 0:
            return way
        base = bases.shape[0] - slices + way - 1
        like = DEAD
        if way == 0:
            longest = bases.shape[0] - slices - 1
            base = _slice_reach(arena, _short_rows(words, LEXICON.characters), longest, config, horizon)
            if base < 0:
                return base
            way = REST if base > 0 else WHOLE
            if base == longest:
                like = _free_neighbour(arena, config, horizon)
                if like > DEAD:
                    way = _free_slice(arena, like, horizon)
                if min(like, way) < 0:
                    return min(like, way)
        used[USED.noted] = 0
        if like > DEAD:
            extras, begins_of_extras = _row(words, LEXICON.extras), _row(words, LEXICON.extra_begins)
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
        code = _walk_tails(arena, words, _long_row(words, LEXICON.tail_roots)[begins[way - 1] : begins[way]], begin)
        if code < 0:
            return code
        if used[USED.like] > DEAD:
            _drop_unlike(arena, words, config, used[USED.like])
            stack[0] = config
            way = used[USED.way] = REST
            begin = np.int64(0)
    code = 0
    if way == REST:
        nodes, roots = _long_row(words, LEXICON.rest), _long_rows(words, LEXICON.rest_roots)
        code = _walk(
            arena, nodes, roots, _long_row(words, LEXICON.rest_branches), begin, used[USED.like], spare, mask_out
        )
    elif way == WHOLE:
        nodes, roots = _long_row(words, LEXICON.whole), _long_rows(words, LEXICON.whole_roots)
        code = _walk(arena, nodes, roots, _long_row(words, LEXICON.whole_branches), begin, DEAD, spare, mask_out)
    if code < 0:
        return code
    for t in range(used[USED.noted]):
        mask_out[noted[t] >> 5] |= np.int32(1) << (noted[t] & 31)
    if way <= 0:
        twins = _rows(words, LEXICON.twins)
        for t in range(twins.shape[0]):
            token, twin = twins[t, TWIN.token], twins[t, TWIN.other]
            if mask_out[twin >> 5] >> (twin & 31) & 1 and not mask_out[token >> 5] >> (token & 31) & 1:
                _add_token(arena, token, mask_out)
    if _rows(arena, ARENA.configs)[config, 2] & COMPLETE:
        for token in _row(words, LEXICON.ends):
            _add_token(arena, token, mask_out)
    return 1 + way - WHOLE


@_jit
def _add_token(arena, token, mask_out):
    """Add a token to a mask, and note it."""
    used, noted = _long_row(arena, ARENA.used), _row(arena, ARENA.noted)
    mask_out[token >> 5] |= np.int32(1) << (token & 31)
    if used[USED.noted] < noted.shape[0]:
        noted[used[USED.noted]] = token
        used[USED.noted] += 1
    else:
        used[USED.unlisted] += 1


@_jit
def _free_neighbour(arena, config, horizon):
    """Where a character of a slice leads to from `config`, if all of them lead back there; else DEAD; or a code.

    Most first bytes lead to the same from both, and of the texts that begin with these the same can follow both. It is
    known of every byte where it leads from both then.
    """
    transitions, byte_class = _rows(arena, ARENA.transitions), _byte_row(arena, ARENA.byte_class)
    byte = _rows(arena, ARENA.firsts)[0, 1]
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
    transitions, byte_class = _rows(arena, ARENA.transitions), _byte_row(arena, ARENA.byte_class)
    text, offsets = _byte_row(words, LEXICON.text), _long_row(words, LEXICON.offsets)
    used, noted = _long_row(arena, ARENA.used), _row(arena, ARENA.noted)
    count = 0
    for t in range(used[USED.noted]):
        first = byte_class[text[offsets[noted[t]]]]
        noted[count] = noted[t]
        count += transitions[config, first] == transitions[like, first]
    used[USED.noted] = count


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
    that are noted are added to the mask, and counted as `unlisted`.

    Returns 0; or a negative code, the node to go on from being in used[USED.resume].
    """
    transitions, byte_class = _rows(arena, ARENA.transitions), _byte_row(arena, ARENA.byte_class)
    used, stack, noted = _long_row(arena, ARENA.used), _row(arena, ARENA.stack), _row(arena, ARENA.noted)
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
            target = transitions[source, byte_class[node & 255]]
            if target <= DEAD:
                if target == UNKNOWN:
                    target = _step(arena, source, node & 255)
                    if target < 0:
                        used[USED.resume] = i
                        used[USED.noted] = count
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
                used[USED.unlisted] += count
                count = 0
            token = node >> 16 & 0xFFFFFF
            noted[count] = token
            count += token != spare
            i += 1
    used[USED.noted] = count
    return 0


@_jit
def _walk_tails(arena, words, roots, begin):
    """The same for the groups of a trie of `tails`."""
    transitions, byte_class = _rows(arena, ARENA.transitions), _byte_row(arena, ARENA.byte_class)
    used, stack, nodes = _long_row(arena, ARENA.used), _row(arena, ARENA.stack), _long_row(words, LEXICON.tails)
    groups, members, noted = _row(words, LEXICON.groups), _row(words, LEXICON.members), _row(arena, ARENA.noted)
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
            target = transitions[source, byte_class[node & 255]]
            if target <= DEAD:
                if target == UNKNOWN:
                    target = _step(arena, source, node & 255)
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


@_jit
def _free_slice(arena, config, horizon):
    """1 + the first slice of which every character leads from `config` back to it; 0 if there is none; or a code.

    So it is if a state that treats all characters of the slice alike is the only one to read any of them, and one of
    them leads back. Then a text of such characters changes nothing, and a token can be read if what follows them can.
    """
    states, edges, configs = _rows(arena, ARENA.states), _rows(arena, ARENA.edges), _rows(arena, ARENA.configs)
    items, transitions = _rows(arena, ARENA.items), _rows(arena, ARENA.transitions)
    byte_class, firsts = _byte_row(arena, ARENA.byte_class), _rows(arena, ARENA.firsts)
    first, last = configs[config, CONFIG.first], configs[config, CONFIG.end]
    said = 0
    for i in range(first, last):
        said |= states[items[i, ITEM.state], STATE.alike]
    s = 0
    while said != 0 and s < firsts.shape[0]:
        which = firsts[s, FIRST.slice]
        begin = s
        while s < firsts.shape[0] and firsts[s, FIRST.slice] == which:
            s += 1
        if said >> which & 1 == 0:
            continue
        alike = 0  # states that treat its characters alike, and how often a first byte is read by any state
        read = 0
        wanted = 0
        for r in range(begin, s):
            wanted += firsts[r, FIRST.last] - firsts[r, FIRST.first] + 1
        for i in range(first, last):
            state = items[i, ITEM.state]
            alike += states[state, STATE.alike] >> which & 1
            for e in range(states[state, STATE.first], states[state, STATE.end]):
                op = edges[e, EDGE.op]
                if op >= 0:
                    for r in range(begin, s):
                        read += max(0, min(op >> 8, firsts[r, FIRST.last]) - max(op & 255, firsts[r, FIRST.first]) + 1)
        if alike != 1 or read != wanted:
            continue
        byte = firsts[begin, FIRST.first]
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
    states, configs, items = _rows(arena, ARENA.states), _rows(arena, ARENA.configs), _rows(arena, ARENA.items)
    transitions, byte_class = _rows(arena, ARENA.transitions), _byte_row(arena, ARENA.byte_class)
    layer = _rows(arena, ARENA.layer)
    for i in range(configs[config, CONFIG.first], configs[config, CONFIG.end]):
        if states[items[i, ITEM.state], STATE.free] & 1:
            return most
    rows = layer.shape[0] // 2
    layer[0, LAYER.config] = config
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
            layer[here + p, LAYER.place] = 0
        p = 0
        while p < pairs:
            source = layer[here + p, LAYER.config]
            u = layer[here + p, LAYER.place]
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
                        if layer[there + q, LAYER.config] == target:
                            found = True
                            break
                    if not found:
                        if following >= rows:
                            return 0
                        layer[there + following, LAYER.config] = target
                        following += 1
                else:
                    found = False
                    for q in range(size, pairs):
                        if layer[here + q, LAYER.config] == target and layer[here + q, LAYER.place] == after:
                            found = True
                            break
                    if not found:
                        if pairs >= rows:
                            return 0
                        layer[here + pairs, LAYER.config] = target
                        layer[here + pairs, LAYER.place] = after
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
                    if layer[here + p, LAYER.config] == layer[there + q, LAYER.config]:
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
    states, edges, configs = _rows(arena, ARENA.states), _rows(arena, ARENA.edges), _rows(arena, ARENA.configs)
    items = _rows(arena, ARENA.items)
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


@_jit
def find_costs(arena, known, configs, costs_out):
    """How many bytes it takes at least to complete a text from some configurations.

    Args:
        configs: int32 (n,).
        costs_out: int32 (n,).
    Returns:
        0; or NEED_COSTS, the states whose known are missing being in `needed`, and how many in used[USED.needed].
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
    configs, items, used = _rows(arena, ARENA.configs), _rows(arena, ARENA.items), _long_row(arena, ARENA.used)
    of_state, of_node, of_config = _row(known, COSTS.states), _row(known, COSTS.nodes), _row(known, COSTS.configs)
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
            cost = min(cost, of_state[items[i, ITEM.state]] - 1 + of_node[items[i, ITEM.node]] - 1)
    of_config[config] = 1 + cost
    return cost


@_jit
def _want(arena, known, state, count):
    """Note a state whose cost is not known, after `count` others, as long as there is room; return how many."""
    if _row(known, COSTS.states)[state] == 0 and count < _row(arena, ARENA.needed).shape[0]:
        return _need(arena, state, count)
    return count


@_jit
def _missing_of_nodes(arena, known):
    """Note the states without which the costs of the nodes cannot be found; return how many."""
    nodes, callers, rules = _rows(arena, ARENA.nodes), _rows(arena, ARENA.callers), _rows(arena, ARENA.rules)
    wanted = 0
    for node in range(_long_row(known, COSTS.used)[KNOWN.nodes], _long_row(arena, ARENA.used)[USED.nodes]):
        for c in range(nodes[node, NODE.first], nodes[node, NODE.end]):
            if callers[c, CALLER.state] >= 0:
                wanted = _want(arena, known, callers[c, CALLER.state], wanted)
        if nodes[node, NODE.repetition] >= 0:
            wanted = _want(arena, known, rules[nodes[node, NODE.repetition], RULE.start], wanted)
    return wanted


@_jit
def _find_costs_of_nodes(arena, known):
    """Find the costs of all nodes; those of a group, which call each other, again until they do not change."""
    nodes, callers, rules = _rows(arena, ARENA.nodes), _rows(arena, ARENA.callers), _rows(arena, ARENA.rules)
    of_state, of_node, used = _row(known, COSTS.states), _row(known, COSTS.nodes), _long_row(known, COSTS.used)
    first = used[KNOWN.nodes]
    while first < _long_row(arena, ARENA.used)[USED.nodes]:
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
                        cost = min(cost, of_state[callers[c, CALLER.state]] - 1 + of_node[callers[c, CALLER.below]] - 1)
                rule = nodes[node, NODE.repetition]
                if rule >= 0:
                    turns = max(0, rules[rule, RULE.minimum] - nodes[node, NODE.turns] - 1)
                    cost = min(MOST_COST, cost + turns * np.int64(of_state[rules[rule, RULE.start]] - 1))
                if cost < of_node[node] - 1:
                    of_node[node] = 1 + cost
                    changed = size > 1
        first += size
    used[KNOWN.nodes] = first


@_jit
def find_ends(arena, words, known, config, which, begin):
    """Find the configurations to which tokens lead from `config`, each once.

    Args:
        which: ALL; SHORTEST: those on the way of the shortest texts; ROUGHLY: without those to which nothing leads but
            tokens that end in the middle of a character of a slice, where that saves time.
        begin: 0, or used[USED.resume] after a negative code.
    Returns:
        0, `ends` being written; or a negative code.
    """
    found = _long_row(known, COSTS.used)
    _row(arena, ARENA.stack)[0] = config
    _long_row(arena, ARENA.used)[USED.resume] = begin
    if begin == 0:
        found[KNOWN.ends] = 0
        found[KNOWN.search] += 1
    if which == ROUGHLY:
        free = _free_slice(arena, config, 0)
        if free < 0:
            return free
        if free > 0:  # characters of the slice lead back, so all that comes after them leads where it does from here
            _row(known, COSTS.marks)[config] = found[KNOWN.search]
            _row(known, COSTS.ends)[0] = config
            found[KNOWN.ends] = max(1, found[KNOWN.ends])
            begins = _row(words, LEXICON.tail_begins)
            roots = _long_row(words, LEXICON.tail_roots)[begins[free - 1] : begins[free]]
            tails = _long_row(words, LEXICON.tails)[: roots[roots.shape[0] - 1] >> 8]
            spare = _row(words, LEXICON.groups).shape[0] - 2
            return _walk_ends(arena, known, tails, max(begin, roots[0] >> 8), spare, -1)
    left = np.int64(-1)
    if which == SHORTEST:
        left = np.int64(_cost(arena, known, config))
        if left < 0:
            return left
    spare = 32 * _rows(words, LEXICON.bases).shape[1]
    return _walk_ends(arena, known, _long_row(words, LEXICON.whole), begin, spare, left)


@_jit
def _walk_ends(arena, known, nodes, begin, spare, cost):
    """Note where the texts of a trie lead, from a node on; if `cost` is not -1, only where each byte lessens it.

    Returns 0; or a negative code, the node to go on from being in used[USED.resume].
    """
    stack, transitions = _row(arena, ARENA.stack), _rows(arena, ARENA.transitions)
    byte_class = _byte_row(arena, ARENA.byte_class)
    marks, ends, found = _row(known, COSTS.marks), _row(known, COSTS.ends), _long_row(known, COSTS.used)
    mark = found[KNOWN.search]
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
                _long_row(arena, ARENA.used)[USED.resume] = i
                return target
            i += node >> 40
            continue
        stack[depth + 1] = target
        if marks[target] != mark and node >> 16 & 0xFFFFFF != spare:
            marks[target] = mark
            ends[found[KNOWN.ends]] = target
            found[KNOWN.ends] += 1
        i += 1
    return 0


@_jit
def drop_tokens(arena, words, known, config, mask_out):
    """Clear the bits of the tokens that lead from `config`, of which ALL ends were found, to one with the mark -1."""
    stack, transitions = _row(arena, ARENA.stack), _rows(arena, ARENA.transitions)
    byte_class = _byte_row(arena, ARENA.byte_class)
    marks, nodes, twins = _row(known, COSTS.marks), _long_row(words, LEXICON.whole), _rows(words, LEXICON.twins)
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


@_jit
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
    stack, transitions = _row(arena, ARENA.stack), _rows(arena, ARENA.transitions)
    configs, byte_class = _rows(arena, ARENA.configs), _byte_row(arena, ARENA.byte_class)
    nodes, twins = _long_row(words, LEXICON.whole), _rows(words, LEXICON.twins)
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
        if configs[target, CONFIG.bits] & WAITING and node >> 40 > 1:
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


@_jit
def take_in(arena, edges_in, alike_in, rules_in, built_in, end_state, boundary_out):
    """Enter what was added to a network, for which there is room.

    Args:
        edges_in: int32 (edges, FLAT), as in `Network.flat`; their sources are states that are added.
        alike_in: int32 (n, ALIKE), as in `Network.alike`; of the same states.
        rules_in: int32 (rules, RULE), as in `Arena.rules`.
        built_in: int32 (m, BUILT): rules that were built since they were entered, each with its start.
        end_state: how many states there are now.
        boundary_out: bool (257,), true where a byte class begins; set where one has to.
    Returns:
        Number of places in `boundary_out` that were set.
    """
    states, edges, rules = _rows(arena, ARENA.states), _rows(arena, ARENA.edges), _rows(arena, ARENA.rules)
    used = _long_row(arena, ARENA.used)
    first_state, end, first_rule = used[USED.states], used[USED.edges], used[USED.rules]
    for state in range(first_state, end_state):
        states[state, STATE.end] = 0
        states[state, STATE.alike] = 0
    for i in range(alike_in.shape[0]):
        states[alike_in[i, ALIKE.source], STATE.alike] |= alike_in[i, ALIKE.slices]
    for i in range(edges_in.shape[0]):
        states[edges_in[i, FLAT.source], STATE.end] += 1
    for state in range(first_state, end_state):
        count = states[state, STATE.end]
        states[state, STATE.first] = end
        states[state, STATE.end] = end
        end += count
    fresh = 0
    for i in range(edges_in.shape[0]):
        state = edges_in[i, FLAT.source]
        edge = states[state, STATE.end]
        states[state, STATE.end] = edge + 1
        op = edges_in[i, FLAT.op]
        edges[edge, EDGE.op] = op
        edges[edge, EDGE.target] = edges_in[i, FLAT.target]
        edges[edge, EDGE.after] = edges_in[i, FLAT.after]
        if op >= 0:
            if not boundary_out[op & 255]:
                boundary_out[op & 255] = True
                fresh += 1
            if not boundary_out[(op >> 8) + 1]:
                boundary_out[(op >> 8) + 1] = True
                fresh += 1
    for i in range(rules_in.shape[0]):
        for c in range(rules_in.shape[1]):
            rules[first_rule + i, c] = rules_in[i, c]
    for i in range(built_in.shape[0]):
        rules[built_in[i, BUILT.rule], RULE.start] = built_in[i, BUILT.start]
    _mark_free(arena, first_state, end_state)
    used[USED.states] = end_state
    used[USED.edges] = end
    used[USED.rules] = first_rule + rules_in.shape[0]
    return fresh


@_jit
def _mark_free(arena, first, end):
    """Find the new states from which all texts of the slice can be read: the greatest set that keeps its promise.

    Bits 8 and up of a state are those that its own bytes keep; one that reads nothing may not be its own reason.
    """
    states, edges, rules = _rows(arena, ARENA.states), _rows(arena, ARENA.edges), _rows(arena, ARENA.rules)
    runs = _rows(arena, ARENA.runs)
    everywhere = (1 << (runs[runs.shape[0] - 1, RUN.place] + 1)) - 1
    fewest = 256  # bytes that can follow any place
    following = 0
    for r in range(runs.shape[0]):
        following += runs[r, RUN.last] - runs[r, RUN.first] + 1
        if r + 1 == runs.shape[0] or runs[r + 1, RUN.place] != runs[r, RUN.place]:
            fewest = min(fewest, following)
            following = 0
    for state in range(first, end):  # most states read fewer
        width = 0
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            if edges[e, EDGE.op] >= 0:
                width += (edges[e, EDGE.op] >> 8) - (edges[e, EDGE.op] & 255) + 1
        states[state, STATE.free] = everywhere << 8 if width >= fewest else 0
    changed = True
    while changed:
        for state in range(first, end):
            own = states[state, STATE.free] >> 8
            states[state, STATE.free] = own << 8 | own
        spread = True
        while spread:
            spread = False
            for state in range(end - 1, first - 1, -1):  # edges lead to later states mostly
                for e in range(states[state, STATE.first], states[state, STATE.end]):
                    free = states[state, STATE.free]
                    if edges[e, EDGE.op] == EPSILON:
                        free |= states[edges[e, EDGE.target], STATE.free] & everywhere
                    elif edges[e, EDGE.op] == CALL or edges[e, EDGE.op] == JUMP:
                        rule = edges[e, EDGE.rule]
                        free |= (
                            rules[rule, RULE.is_free]
                            if rules[rule, RULE.start] < 0
                            else states[rules[rule, RULE.start], STATE.free] & 1
                        )
                    if free != states[state, STATE.free]:
                        states[state, STATE.free] = free
                        spread = True
        changed = False
        for state in range(end - 1, first - 1, -1):
            before = states[state, STATE.free] >> 8
            if before != 0:
                free = _free_places(arena, state) & before
                if free != before:
                    states[state, STATE.free] = free << 8 | states[state, STATE.free] & everywhere
                    changed = True


@_jit
def _free_places(arena, state):
    """The places of the slice's automaton from which the edges of a state lead on with every byte, to free states."""
    states, edges, runs = _rows(arena, ARENA.states), _rows(arena, ARENA.edges), _rows(arena, ARENA.runs)
    missing = 0  # places with a byte that no edge reads as it should
    for r in range(runs.shape[0]):
        place = runs[r, RUN.place]
        if missing >> place & 1:
            continue
        byte = runs[r, RUN.first]
        while byte <= runs[r, RUN.last]:
            further = byte
            for e in range(states[state, STATE.first], states[state, STATE.end]):
                op = edges[e, EDGE.op]
                if (
                    op >= 0
                    and op & 255 <= byte <= op >> 8
                    and states[edges[e, EDGE.target], STATE.free] >> runs[r, RUN.following] & 1
                ):
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
        twins_out: int32 (tokens, TWIN): a token and an earlier one with the same bytes.
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
            twins_out[twins, TWIN.token] = ids[k]
            twins_out[twins, TWIN.other] = token
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
