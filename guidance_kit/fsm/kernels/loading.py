"""Loading: states, edges and rules that a network has gained enter the arrays of its automaton."""

from __future__ import annotations

from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.columns import ALIKE, BUILT, EDGE, FLAT, RULE, RUN, STATE, USED, width
from guidance_kit.fsm.kernels.compiling import kernel, short_kernel, subroutine
from guidance_kit.fsm.kernels.handles import row64, rows32, table32_at
from guidance_kit.fsm.opcodes import CALL, EPSILON, JUMP, SOME_LEFT

__all__ = ["fill_table", "take_in"]

_FLAT, _ALIKE, _RULE, _BUILT = map(width, (FLAT, ALIKE, RULE, BUILT))
"""Columns of what is copied from a network."""


@kernel
def fill_table(table_out, numbers, hashes):
    """Enter numbers into an empty table with open addressing.

    Args:
        table_out: int32, of a power of 2, twice as many at least.
        numbers: int32 (n,), greater than 0.
        hashes: int64 (n,), not less than 0.
    """
    mask = table_out.shape[0] - 1
    for i in range(numbers.shape[0]):
        place = hashes[i] & mask
        while table_out[place] > 0:
            place = (place + 1) & mask
        table_out[place] = numbers[i]
    return 0


@short_kernel
def take_in(arena, flat, edge_count, alike, alike_count, rows, rule_count, built, built_count, end_state, boundary_out):
    """Enter what was added to a network, for which there is room.

    Args:
        flat: address of the rows that were added to `Network.flat`; their sources are states that are added.
        alike: of those of `Network.alike`; of the same states.
        rows: of those of `Network.rows`.
        built: of those of `Network.built`: rules that were built since they were entered, each with its start.
        edge_count, alike_count, rule_count, built_count: how many rows these are.
        end_state: how many states there are now.
        boundary_out: bool (257,), true where a byte class begins; set where one has to.
    Returns:
        Number of places in `boundary_out` that were set.
    """
    edges_in, alike_in = table32_at(flat, edge_count, _FLAT), table32_at(alike, alike_count, _ALIKE)
    rules_in, built_in = table32_at(rows, rule_count, _RULE), table32_at(built, built_count, _BUILT)
    states, edges, rules = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.rules)
    used = row64(arena, ARENA.used)
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
    _mark_literals(arena, first_state, end_state)
    used[USED.states] = end_state
    used[USED.edges] = end
    used[USED.rules] = first_rule + rules_in.shape[0]
    return fresh


@subroutine
def _mark_literals(arena, first, end):
    """Enter `STATE.literal` of the new states."""
    states, edges = rows32(arena, ARENA.states), rows32(arena, ARENA.edges)
    for state in range(first, end):
        literal = 1
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op == SOME_LEFT:
                literal = 2
            elif op < 0 or op & 255 != op >> 8:
                literal = 0
                break
        states[state, STATE.literal] = literal
    for state in range(first, end):
        if states[state, STATE.literal] == 2:
            for e in range(states[state, STATE.first], states[state, STATE.end]):
                if edges[e, EDGE.op] == SOME_LEFT and states[edges[e, EDGE.target], STATE.literal] != 1:
                    states[state, STATE.literal] = 0


_OWN = 12
"""First bit of `STATE.free` for the places that the own bytes of a state keep."""

_SILENT = 1 << 24
"""Bit of `STATE.free` of states with edges that read nothing."""


@subroutine
def _mark_free(arena, first, end):
    """Find the new states from which all texts of the slice can be read: the greatest set that keeps its promise.

    Bits from `_OWN` on are the places that its own bytes keep; a state that reads nothing may not be its own reason.
    """
    states, edges, runs = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.runs)
    everywhere = (1 << (runs[runs.shape[0] - 1, RUN.place] + 1)) - 1
    fewest = 256  # bytes that can follow any place
    following = 0
    least, greatest = 255, 0  # bytes that can follow a place within a character
    for r in range(runs.shape[0]):
        following += runs[r, RUN.last] - runs[r, RUN.first] + 1
        if r + 1 == runs.shape[0] or runs[r + 1, RUN.place] != runs[r, RUN.place]:
            fewest = min(fewest, following)
            following = 0
        if runs[r, RUN.place] > 0:
            least = min(least, runs[r, RUN.first])
            greatest = max(greatest, runs[r, RUN.last])
    begin = runs[0, RUN.first]  # a byte that can follow place 0
    widest = 0
    for state in range(first, end):
        width = 0  # most states read fewer
        places = 0
        silent = 0
        for e in range(states[state, STATE.first], states[state, STATE.end]):
            op = edges[e, EDGE.op]
            if op >= 0:
                lo, hi = op & 255, op >> 8
                width += hi - lo + 1
                if lo <= begin <= hi:
                    places |= 1
                if lo <= greatest and hi >= least:
                    places |= everywhere & ~1
            elif op in (EPSILON, CALL, JUMP):
                silent = _SILENT
        states[state, STATE.free] = silent | (places << _OWN if width >= fewest else 0)
        widest = max(widest, width)
    changed = True
    while changed:
        for state in range(first, end):
            free = states[state, STATE.free]
            own = free >> _OWN & everywhere
            states[state, STATE.free] = free & _SILENT | own << _OWN | own
        spread = True
        while spread:
            spread = False
            for state in range(end - 1, first - 1, -1):  # edges lead to later states mostly
                if states[state, STATE.free] < _SILENT:
                    continue
                free = states[state, STATE.free] | _silent_places(arena, state) & everywhere
                if free != states[state, STATE.free]:
                    states[state, STATE.free] = free
                    spread = True
        changed = False
        if widest < fewest:
            break
        for state in range(end - 1, first - 1, -1):
            before = states[state, STATE.free] >> _OWN & everywhere
            if before != 0:
                free = _free_places(arena, state, before)
                if free != before:
                    states[state, STATE.free] = states[state, STATE.free] & _SILENT | free << _OWN | free
                    if states[state, STATE.free] >= _SILENT:
                        states[state, STATE.free] |= _silent_places(arena, state) & everywhere
                    changed = True


@subroutine
def _silent_places(arena, state):
    """Find the places that are free where the edges of a state that read nothing lead; other bits may be set, too."""
    states, edges, rules = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.rules)
    free = 0
    for e in range(states[state, STATE.first], states[state, STATE.end]):
        op = edges[e, EDGE.op]
        if op == EPSILON:
            free |= states[edges[e, EDGE.target], STATE.free]
        elif op in (CALL, JUMP):
            rule = edges[e, EDGE.rule]
            if rules[rule, RULE.start] < 0:
                free |= rules[rule, RULE.is_free]
            else:
                free |= states[_entered(arena, e), STATE.free] & 1
    return free


@subroutine
def _entered(arena, e):
    """The state of a built rule to which an edge CALL or JUMP leads."""
    edges = rows32(arena, ARENA.edges)
    start = rows32(arena, ARENA.rules)[edges[e, EDGE.rule], RULE.start]
    return start + edges[e, EDGE.entry] if edges[e, EDGE.op] == JUMP else start


@subroutine
def _free_places(arena, state, before):
    """Find the places in `before` from which the edges of a state lead on with every byte, to free states."""
    states, edges, runs = rows32(arena, ARENA.states), rows32(arena, ARENA.edges), rows32(arena, ARENA.runs)
    missing = ~before  # places with a byte that no edge reads as it should
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
