"""Names of the columns of the arrays that kernels work on; Numba compiles them in as numbers.

`nodes[node, NODE.turns]` is the column `turns` of a row of `Arena.nodes`. A row has `width(NODE)` columns.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "ALIKE",
    "BUILT",
    "CALLER",
    "CHAIN",
    "CONFIG",
    "EDGE",
    "ENTRY",
    "FIRST",
    "FLAT",
    "FOUND",
    "HANDLE",
    "ITEM",
    "KEPT",
    "KEY_COST",
    "KNOWN",
    "LAYER",
    "LITERAL",
    "NODE",
    "REACH",
    "REQUEST",
    "ROOT",
    "RULE",
    "RULE_SLOT",
    "RUN",
    "SEEN",
    "SLOT",
    "STATE",
    "TWIN",
    "USED",
    "WORK",
    "width",
]


def width(columns: tuple[int, ...]) -> int:
    """Number of columns of an array: two names may stand for one."""
    return 1 + max(columns)


class _State(NamedTuple):
    """Columns of `Arena.states`."""

    first: int = 0  # the first edge of the state
    end: int = 1  # last edge + 1
    free: int = (
        2  # bit u if all texts of the slice can be read from here without leaving the rule, at place u; the bits
    )
    # from 8 on are notes of `take_in`
    alike: int = 3  # bit j if `Network.treats_alike` was said for slice j; PART
    literal: int = 4  # 1 if all edges read one byte; 2 if they do, or are SOME_LEFT to such states; else 0


class _Edge(NamedTuple):
    """Columns of `Arena.edges`."""

    op: int = 0  # lo | hi << 8 of the bytes that the edge reads, or one of `opcodes`
    target: int = 1  # state; of bytes, EPSILON, TURN, WITHIN, FRESH, SOME_LEFT, TAKE and NONE_LEFT
    rule: int = 1  # of CALL, JUMP and LOOP
    number: int = 1  # of RECALL: see `Network.recalls`
    after: int = 2  # of CALL: state where to go on after the rule
    entry: int = 2  # of JUMP: number of the state of the rule, from its start
    turns: int = 2  # of WITHIN: number of turns that must be within the maximum
    keys: int = 2  # of SOME_LEFT: first | end << 16 of the keys; of TAKE: the key


class _Rule(NamedTuple):
    """Columns of `Arena.rules`: attributes of `network.Rule`."""

    start: int = 0  # state; -1: not built
    nullable: int = 1
    minimum: int = 2
    maximum: int = 3
    is_free: int = 4
    slack: int = 5
    is_absorbed: int = 6
    keys: int = 7
    full: int = 8


class _Node(NamedTuple):
    """Columns of `Arena.nodes`: frames of the stack."""

    first: int = 0  # the first caller
    end: int = 1  # last caller + 1
    turns: int = 2  # number of turns so far
    left: int = 2  # of a keyed rule: first word in `Arena.sets` of the keys left; 0: all, see `Arena.full_sets`
    repetition: int = 3  # rule that counts turns, or a keyed rule; -1: a plain rule
    group: int = 4  # 0: all callers have smaller numbers; else left recursion: size of the group, -1 if not its first


class _Caller(NamedTuple):
    """Columns of `Arena.callers`."""

    state: int = 0  # where to return to; -1: the text is complete
    below: int = 1  # node


class _Config(NamedTuple):
    """Columns of `Arena.configs`."""

    first: int = 0  # the first item
    end: int = 1  # last item + 1
    bits: int = 2  # COMPLETE, WAITING, NAMED
    hash: int = 3


class _Item(NamedTuple):
    """Columns of `Arena.items`."""

    state: int = 0  # one with an edge that reads a byte, or with a RECALL or FRESH edge
    node: int = 1


class _Used(NamedTuple):
    """Places in `Arena.used`."""

    nodes: int = 0  # rows in use
    callers: int = 1
    configs: int = 2
    items: int = 3
    states: int = 4
    edges: int = 5
    rules: int = 6
    stamp: int = 7  # number of the current step
    needed: int = 8  # after NEED_RULES and NEED_COSTS: length of `Arena.needed`
    steps: int = 9  # steps computed so far
    canon: int = 10  # nodes whose `Arena.canon` is known
    slots: int = 11  # of the current step
    entries: int = 12  # of the current step
    bits: int = 13  # of the configuration that the current step leads to
    way: int = 14  # of `find_masks`: UNDECIDED, or how the mask is found
    like: int = 15  # the configuration whose mask was begun with; DEAD: none
    base: int = 16  # row of `TrieArrays.bases`
    noted: int = 17  # tokens in `Arena.noted`
    unlisted: int = 18  # tokens that were added to the mask, and are not in `Arena.noted` any more
    resume: int = 19  # node of the trie to go on from after a negative code
    sets: int = 20  # words of `Arena.sets`
    reach: int = 21  # of `slice_reach`: characters after which it goes on
    layer: int = 22  # configurations in `Arena.layer` after so many
    horizon: int = 23  # see `canonical`; 0 if no counter is that far from its bounds


class _Work(NamedTuple):
    """Columns of `Arena.work`: the closure of the current step."""

    state: int = 0
    reference: int = 1
    is_item: int = 2  # 1 if the configuration has it as an item


class _Seen(NamedTuple):
    """Columns of `Arena.seen`: rows of `Arena.work` by hash."""

    stamp: int = 0
    state: int = 1
    reference: int = 2


class _Slot(NamedTuple):
    """Columns of `Arena.slots`: rules entered in the current step."""

    rule: int = 0
    entry: int = 1  # the first of its callers
    node: int = 2  # -1: open
    link: int = 3  # the next slot of a list
    place: int = 4  # in its group
    end: int = 5  # of its callers in the group


class _RuleSlot(NamedTuple):
    """Columns of `Arena.rule_slot`."""

    stamp: int = 0
    slot: int = 1


class _Entry(NamedTuple):
    """Columns of `Arena.entries`: callers of a slot."""

    state: int = 0  # where to return to, or INHERIT
    reference: int = 1
    link: int = 2  # the next entry; -1: none


class _Layer(NamedTuple):
    """Columns of `Arena.layer`."""

    config: int = 0
    place: int = 1  # in a character


class _Chain(NamedTuple):
    """Columns of `Arena.chain`."""

    config: int = 0  # after so many characters of a class
    kinds: int = 1  # of the characters that all lead to the next one, see `byte_kinds`
    reach: int = 2  # number of characters of these kinds that can follow, whichever they are
    beyond: int = 3  # kinds of which one more may


class _Literal(NamedTuple):
    """Columns of `Arena.literals`."""

    frame: int = 0  # node
    byte: int = 1  # the least byte that can be read, or that was not looked at yet


class _Run(NamedTuple):
    """Columns of `slices.RUNS`."""

    place: int = 0
    first: int = 1  # byte
    last: int = 2  # byte
    following: int = 3  # place


class _First(NamedTuple):
    """Columns of `slices.FIRSTS`."""

    slice: int = 0
    first: int = 1  # byte
    last: int = 2  # byte


class _Root(NamedTuple):
    """Columns of `TrieArrays.whole_roots` and `TrieArrays.rest_roots`."""

    node: int = 0  # first byte | node << 8
    branch: int = 1  # the first of its branches


class _Twin(NamedTuple):
    """Columns of `TrieArrays.twins`."""

    token: int = 0
    other: int = 1  # the token with the same bytes that is in the tries


class _Kept(NamedTuple):
    """Places in `MaskCache.used`."""

    rows: int = 0  # rows of blocks in use; the first is no mask
    room: int = 1  # rows of blocks that there are
    words: int = 2  # length of a mask
    places: int = 3  # places of `MaskCache.lists` in use; the first is no mask
    lists: int = 4  # masks in `MaskCache.lists`


class _Known(NamedTuple):
    """Places in `Costs.used`."""

    nodes: int = 0  # nodes whose cost is known
    ends: int = 1  # length of `Costs.ends`
    search: int = 2  # number of the search


class _Reach(NamedTuple):
    """Columns of `Costs.reach`: fields of `least_keys.Reach`."""

    first: int = 0
    end: int = 1  # 0: the state is behind a key, or its rule has none
    read: int = 2


class _KeyCost(NamedTuple):
    """Columns of `Costs.keys`, see `least_keys.KeyCosts`."""

    weight: int = 0
    cost: int = 1


class _Flat(NamedTuple):
    """Columns of `Network.flat`."""

    source: int = 0  # state
    op: int = 1  # as in `Arena.edges`, and so on
    target: int = 2
    rule: int = 2
    after: int = 3


class _Alike(NamedTuple):
    """Columns of `Network.alike`."""

    source: int = 0  # state
    slices: int = 1  # bits


class _Built(NamedTuple):
    """Columns of the rules built since they were entered, see `take_in`."""

    rule: int = 0
    start: int = 1  # state


class _Found(NamedTuple):
    """Columns of the places where something waits, see `walk_recalling`."""

    node: int = 0  # of the trie
    config: int = 1


class _Request(NamedTuple):
    """Columns of requests for masks, see `find_masks`."""

    arena: int = 0  # address of the handle of the arena
    words: int = 1  # of that of the vocabulary
    cache: int = 2  # of that of the masks that are known
    config: int = 3  # the configuration whose mask is asked for
    first: int = 4  # where to write its first word
    answer: int = 5  # PENDING at first
    need: int = 6  # what its answer says has to be done before the next call of the thread that leads; 0: nothing
    state: int = 7  # of the requests of one arena, with the first of them: FREE, TAKEN, STOPPED, OFFERED, ANSWERED


class _Handle(NamedTuple):
    """Columns of a handle: where an array is."""

    address: int = 0
    rows: int = 1
    columns: int = 2


STATE = _State()
EDGE = _Edge()
RULE = _Rule()
NODE = _Node()
CALLER = _Caller()
CONFIG = _Config()
ITEM = _Item()
USED = _Used()
WORK = _Work()
SEEN = _Seen()
SLOT = _Slot()
RULE_SLOT = _RuleSlot()
ENTRY = _Entry()
LAYER = _Layer()
CHAIN = _Chain()
LITERAL = _Literal()
RUN = _Run()
FIRST = _First()
ROOT = _Root()
TWIN = _Twin()
KEPT = _Kept()
KNOWN = _Known()
REACH = _Reach()
KEY_COST = _KeyCost()
FLAT = _Flat()
ALIKE = _Alike()
BUILT = _Built()
FOUND = _Found()
REQUEST = _Request()
HANDLE = _Handle()
