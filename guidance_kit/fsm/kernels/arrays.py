"""The arrays that kernels work on: one record each for an automaton, a vocabulary, its masks, and its costs.

`columns` names the columns of their rows; a shape such as (S, STATE) has as many columns as there are in `STATE`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["ARENA", "CACHE", "COSTS", "TRIE", "Arena", "Costs", "MaskCache", "TrieArrays"]


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
    layer         int32 (2 L, LAYER) buffer of `slice_reach`
    chain         int64 (c, CHAIN)   buffer of `class_chain`
    places        int32 (D,)         buffer of `walk_trie`: row of `chain` after 0, 1, ... bytes
    stack         int32 (D,)         buffer of `find_masks`: position after 0, 1, ... bytes, see `literals`
    literals      int32 (D, LITERAL) about those positions that are literals
    runs          int32 (n, RUN)     `slices.RUNS`
    firsts        int32 (m, FIRST)   `slices.FIRSTS`
    needed        int32 (q,)         the rules that have to be built before the current step can be made
    noted         int32 (t,)         buffer of `find_masks`: the tokens that were added to the base last
    full_sets     int64 (w,)         `Network.full_sets`
    sets          int64 (v,)         key sets, each a word of rule << 32 | hash before its bits, 64 keys a word
    set_table     int32 (2^k,)       open addressing over `sets`: the first words of bits, 0 empty; v places at least

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
    chain: np.ndarray
    places: np.ndarray
    stack: np.ndarray
    literals: np.ndarray
    runs: np.ndarray
    firsts: np.ndarray
    needed: np.ndarray
    noted: np.ndarray
    full_sets: np.ndarray
    sets: np.ndarray
    set_table: np.ndarray


class TrieArrays(NamedTuple):
    """The tokens of one vocabulary as kernels read them. Special tokens spell nothing.

    name         dtype, shape         meaning
    whole        int64 (n,)           trie of all tokens
    whole_roots  int64 (r + 1, ROOT)  its roots, each with the place of its first branch
    whole_branches int64              its branches
    below        int64 (n,)           kinds of the characters below each node of `whole`, see `byte_kinds`
    counts       uint8 (n,)           number of characters up to the node
    heights      uint8 (n,)           greatest number of characters below it
    before       int32 (n + 1,)       number of tokens that end before it, in the order of the nodes
    listed       int32                the tokens of `whole` in that order
    lengths      uint8                number of characters of each
    rest         int64 (m,)           trie of the tokens that are not in the longest of the first `bases`
    rest_roots   int64 (s + 1, ROOT)  its roots, each with the place of its first branch
    rest_branches int64               its branches
    kinds        uint8 (256,)         `byte_kinds.KINDS`
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
    below: np.ndarray
    counts: np.ndarray
    heights: np.ndarray
    before: np.ndarray
    listed: np.ndarray
    lengths: np.ndarray
    rest: np.ndarray
    rest_roots: np.ndarray
    rest_branches: np.ndarray
    kinds: np.ndarray
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


class MaskCache(NamedTuple):
    """The masks of one automaton over one vocabulary that are known already.

    name         dtype, shape         meaning
    bases        int32 (b, words)     as in `TrieArrays`
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
    """Least numbers of bytes that complete a text: 1 + the number, 0 if it is not known yet.

    name          dtype, shape   meaning
    states        int32 (S,)     from a state to the end of its rule, or of the turn of its repetition
    nodes         int32 (N,)     from the end of the turn that a node stands for
    configs       int32 (K,)     from a configuration
    marks         int32 (K,)     the number of the search by which a configuration was found last; or -1, see
                                 `drop_tokens`
    ends          int32 (K,)     the configurations that `find_ends` found
    reach         int32 (S, REACH) of a state of a keyed rule the properties that it can reach
    keys          int32 (k, KEY_COST) key j of a keyed rule in row 64 * `full` + j, other names behind the last
    used          int64 (KNOWN,) nodes and ends in use, number of the search

    In a counted rule, it is the least of the texts with the fewest turns: these are within the maximum. No number is
    greater than `codes.MOST_COST`, which stands for all greater ones.
    """

    states: np.ndarray
    nodes: np.ndarray
    configs: np.ndarray
    marks: np.ndarray
    ends: np.ndarray
    reach: np.ndarray
    keys: np.ndarray
    used: np.ndarray


ARENA = Arena(*range(len(Arena._fields)))  # pyright: ignore
TRIE = TrieArrays(*range(len(TrieArrays._fields)))  # pyright: ignore
CACHE = MaskCache(*range(len(MaskCache._fields)))  # pyright: ignore
COSTS = Costs(*range(len(Costs._fields)))  # pyright: ignore
"""Rows of the arrays in handles, see `handles.handle_of`."""
