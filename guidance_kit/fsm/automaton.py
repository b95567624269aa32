"""The lazily determinised pushdown automaton: a network, run by the kernels."""

from __future__ import annotations

import threading
import weakref
from array import array
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from guidance_kit.errors import LimitError
from guidance_kit.fsm.arenas import (
    USUAL_BOUNDARIES,
    byte_classes,
    config_table,
    empty_arena,
    hash_table,
    more_rows,
    recycle,
    scratch,
    table_size,
    with_room,
)
from guidance_kit.fsm.caches import in_child
from guidance_kit.fsm.kernels import codes, handles, steps
from guidance_kit.fsm.kernels.columns import (
    ALIKE,
    BUILT,
    CONFIG,
    EDGE,
    FLAT,
    ITEM,
    NODE,
    RULE,
    STATE,
    USED,
    width,
)
from guidance_kit.fsm.kernels.compiling import Kernel
from guidance_kit.fsm.kernels.horizon import find_canonical
from guidance_kit.fsm.kernels.loading import take_in
from guidance_kit.fsm.limits import DEFAULT_LIMITS, Limits
from guidance_kit.fsm.memory import Rows, grown
from guidance_kit.fsm.network import Network, Work
from guidance_kit.fsm.opcodes import FRESH, RECALL
from guidance_kit.fsm.written import KEY, Written

__all__ = ["Automaton"]

START = 1
"""Number of the configuration before the first byte; 0 is the dead one."""

_FLAT, _ALIKE, _RULE, _BUILT = map(width, (FLAT, ALIKE, RULE, BUILT))
"""Columns of what is copied from a network."""


class Automaton:
    """Run a network: each set of states and stacks that a text leads to is one integer, and each step is cached.

    A *configuration* is the set of all (state, stack) in which the network can be after a text. Configurations and
    stack nodes are interned, so equal ones have equal numbers, and a transition is computed once. Nothing is
    computed before a text asks for it.

    All methods may be called from several threads; one of them works at a time. A forked process continues with its own
    copy, whatever other threads were doing: what a kernel leaves unfinished is never looked at.

    Args:
        network: what to run; it grows while rules are built, and ends with the automaton.
        horizon: how many bytes are asked about at a time (the length of the longest token), see `horizon.canonical`;
            None: any number.
        limits: see `Limits`.

    Attributes:
        lock: held while a kernel works on the arena.
        is_shared: whether the thread that holds the lock lets kernels of other threads work on the arena.
        work: bounds what is done to build rules for one question.
        handle: what kernels take for the arena.
    """

    def __init__(self, network: Network, *, horizon: int | None = None, limits: Limits | None = None) -> None:
        self.network = network
        self.horizon = horizon
        self.limits = limits or DEFAULT_LIMITS
        self.work = network.work = Work(self.limits.max_work)
        self.lock = threading.RLock()
        self.is_shared = False
        _ALIVE.add(self)
        self._taken_in = _Sizes(0, 0, 0, 0)
        self._full_sets = 0  # how many of the network's words were copied
        self._boundary = USUAL_BOUNDARIES.copy()
        self._has_trackers = network.key_tracker is not None or network.item_tracker is not None
        self._recalled: dict[tuple[int, ...], int] = {}
        begin, end = network.states(2)
        network.final(end)
        network.call(begin, network.root, end)
        lent = empty_arena(self.limits.max_configurations)
        self.arena, self._transitions = lent.arena, lent.transitions
        self._lists: np.ndarray | None = lent.lists
        self.handle = copy(lent.handle)  # it changes with the arrays
        self._lent = weakref.finalize(self, recycle, lent)
        self._lent.atexit = False
        weakref.finalize(self, network.forget_rules).atexit = False
        self._flush()
        config = self.run(steps.start, begin)
        if config == codes.DEAD:
            raise RuntimeError("the network's root rule has no text")  # a front end broke its promise
        assert config == START

    @property
    def start(self) -> int:
        """Configuration before the first byte."""
        return START

    def is_complete(self, config: int) -> bool:
        """Test whether a text that leads to `config` belongs to the language."""
        return bool(self.arena.configs[config, CONFIG.bits] & codes.COMPLETE)

    def are_complete(self, configs: np.ndarray) -> np.ndarray:
        """The same for several: bool, of the shape of `configs`."""
        return (self.arena.configs[configs, CONFIG.bits] & codes.COMPLETE) != 0

    def advance(self, config: int, text: bytes | np.ndarray, before: bytes = b"") -> np.ndarray:
        """Read `text` as far as it is allowed.

        Args:
            before: the whole text that leads to `config`; it matters only if the network recalls texts, or has names
                that may not come twice. Without it, names may.
        Returns:
            int32, (bytes read,): the configuration after each byte; shorter than `text` if a byte is not allowed.
        """
        written = None
        if self._has_trackers and before and config != START:
            _, written = self.read(START, before, b"", None)
        return self.read(config, text, before, written)[0]

    def read(
        self, config: int, text: bytes | np.ndarray, before: bytes, written: Written | None
    ) -> tuple[np.ndarray, Written | None]:
        """The same, where it is known which names the text before has; with what is known of those after `text`."""
        buffer = np.frombuffer(text, dtype=np.uint8)
        path = np.empty(len(buffer), dtype=np.int32)
        bits = codes.WAITING if self.network.has_recalls else 0
        bits |= codes.NAMED if self._has_trackers and (before or config == START) else 0
        with self.lock:
            read = self.run(steps.advance, config, buffer, path)
            first = 0
            while bits:
                special = np.flatnonzero(self.arena.configs[path[first:read], 2] & bits)
                if not len(special):
                    break
                here = first + int(special[0])
                first = here + 1
                said = before + buffer[:first].tobytes()
                source = int(path[here - 1]) if here else config
                path[here], written = self._settled(int(path[here]), bits, source, said, written)
                if path[here] == codes.DEAD:
                    return path[:here], written
                read = first + self.run(steps.advance, int(path[here]), buffer[first:], path[first:])
            return path[:read], written

    def _settled(
        self, config: int, bits: int, source: int, text: bytes, written: Written | None
    ) -> tuple[int, Written | None]:
        """Configuration after resolving states that wait for the text, and names that have ended.

        Args:
            bits: of what matters.
            source: the configuration before the last byte.
            text: the whole text.
            written: which names it has, but for one that ends there.
        """
        flags = int(self.arena.configs[config, CONFIG.bits]) & bits
        if flags & codes.NAMED:
            entered = self._entered(config, text, written)
            if entered is None:
                config = self.run(steps.barred, source, text[-1])
                flags = int(self.arena.configs[config, CONFIG.bits]) & bits
            else:
                written = entered
        return self.recalled(config, text) if flags & codes.WAITING else config, written

    def _entered(self, config: int, text: bytes, written: Written | None) -> Written | None:
        """Names and items after a text that ends with one; None if that is not new."""
        written = written or Written()
        trackers = self.network.key_tracker, self.network.item_tracker
        edges = map(self._edge, self._reached(config))
        for kind in {edge[EDGE.after] for edge in edges if edge[EDGE.op] == FRESH}:
            tracker = trackers[kind]
            assert tracker is not None
            entered = tracker.enter(written[kind], text)
            if entered is None:
                return None
            written = Written(entered, written.items) if kind == KEY else Written(written.keys, entered)
        return written

    def _reached(self, config: int) -> list[int]:
        """The states of a configuration."""
        first, end = self.arena.configs[config, CONFIG.first : CONFIG.end + 1].tolist()
        return self.arena.items[first:end, ITEM.state].tolist()

    def recalled(self, config: int, text: bytes) -> int:
        """Configuration after the whole text that led there, if one of its states waits for it."""
        network = self.network
        waiting = [state for state in self._reached(config) if self._edge(state)[EDGE.op] == RECALL]
        rules = [network.recalls[self._edge(state)[EDGE.number]](text) for state in waiting]
        key = config, *rules
        known = self._recalled.get(key)
        if known is None:
            self.work.renew()
            starts = [network.ensure_built(rule) for rule in rules]
            self._flush()
            states, targets = np.array(waiting, dtype=np.int32), np.array(starts, dtype=np.int32)
            known = self._recalled[key] = self.run(steps.recalled, config, states, targets)
        return known

    def _edge(self, state: int) -> list[int]:
        """The first edge of a state."""
        return self.arena.edges[self.arena.states[state, STATE.first]].tolist()

    def canonical(self, config: int) -> int:
        """The configuration that stands for all those from which the same texts of up to `horizon` bytes can be read.

        They differ in counters that are too far from their bounds to matter, so a mask of one is a mask of all.
        """
        horizon = int(self.arena.used[USED.horizon])
        return self.run(find_canonical, config, horizon) if horizon else config

    def live_bytes(self, config: int) -> np.ndarray:
        """Bytes that can be read from `config`: bool, (256,)."""
        live = np.zeros(256, dtype=np.uint8)
        with self.lock:
            steps.live_bytes(self.handle, config, live)
        return live.view(bool)

    def take_lists(self) -> np.ndarray | None:
        """Memory for `MaskCache.lists` of an index: int32, of any content; None if another one has it already."""
        lists, self._lists = self._lists, None
        return lists

    def advance_token(self, arrays: Any, config: int, token: int) -> int:
        """The configuration after a token, 0 if it is not allowed or spells no text.

        Args:
            arrays: handle of the vocabulary's `TrieArrays`.
        """
        return self.run(steps.advance_token, arrays, config, token)

    def advance_tokens(self, arrays: Any, config: int, tokens: np.ndarray) -> np.ndarray:
        """The same after each of some tokens, int64: int32, of their shape."""
        ends = np.empty(len(tokens), dtype=np.int32)
        self.run(steps.advance_tokens, arrays, config, tokens, ends)
        return ends

    def united(self, config: int, other: int) -> int:
        """The configuration from which all can be read that can be read from one of two."""
        return self.run(steps.united, config, other)

    def statistics(self) -> dict[str, int]:
        """Numbers of states, rules, configurations, stack nodes, steps computed, and bytes used."""
        used = self.arena.used
        return {
            "states": self.network.size,
            "rules": len(self.network.rules),
            "configurations": int(used[USED.configs]),
            "nodes": int(used[USED.nodes]),
            "steps": int(used[USED.steps]),
            "bytes": self.size,
        }

    @property
    def size(self) -> int:
        """Bytes of the arrays, without rows that were never used."""
        arena = self.arena
        nodes, callers, configs, items = arena.used[: USED.items + 1].tolist()
        unused = arena.nodes[nodes:].nbytes + arena.hashes[nodes:].nbytes + arena.canon[nodes:].nbytes
        unused += (
            arena.callers[callers:].nbytes + arena.items[items:].nbytes + arena.sets[arena.used[USED.sets] :].nbytes
        )
        unused += arena.states[arena.used[USED.states] :].nbytes + arena.edges[arena.used[USED.edges] :].nbytes
        unused += arena.configs[configs:].nbytes + arena.transitions[configs:].nbytes
        return sum(array.nbytes for array in arena) - unused

    def run(self, kernel: Kernel, *args: object) -> int:
        """Call a kernel until it has all the room and rules that it needs."""
        with self.lock:
            code = kernel(self.handle, *args)
            if code < 0:
                self.work.renew()
            while code < 0:
                self.make_room(int(code))
                code = kernel(self.handle, *args)
            return int(code)

    def _replace(self, **arrays: np.ndarray) -> None:
        """Go on with other arrays."""
        self.arena = self.arena._replace(**arrays)
        self.handle = handles.handle_of(self.arena, self.handle, arrays)

    def make_room(self, code: int) -> None:
        """Do what a kernel asked for by a negative code; the lock must be held."""
        arena = self.arena
        if code == codes.NEED_RULES:
            network = self.network
            network.soon = arena.needed[: arena.used[USED.needed]].tolist()
            for rule in network.soon:  # which may grow
                network.ensure_built(rule)
            self._flush()
        elif code == codes.FULL_NODES:
            rows = self._more_rows(len(arena.nodes), 64)
            known = np.arange(1, arena.used[USED.nodes], dtype=np.int32)
            known = known[arena.nodes[known, NODE.group] >= 0]
            self._replace(
                nodes=grown(arena.nodes, rows),
                hashes=grown(arena.hashes, rows),
                canon=grown(arena.canon, rows),
                node_table=hash_table(table_size(rows), known, arena.hashes[known]),
            )
        elif code == codes.FULL_CALLERS:
            self._replace(callers=grown(arena.callers, self._more_rows(len(arena.callers), 8)))
        elif code == codes.FULL_CONFIGS:
            rows, used = len(arena.configs), int(arena.used[USED.configs])
            known = np.arange(1, used, dtype=np.int32)
            if used < rows and 2 * (used + 1) <= len(arena.config_table):  # so it is the items that have no room
                self._replace(items=grown(arena.items, self._more_rows(len(arena.items), 8)))
                return
            if used < rows:
                self._replace(config_table=config_table(rows, known, arena))
                return
            if rows >= self.limits.max_configurations:
                raise LimitError("max_configurations", self.limits.max_configurations, is_adjustable=True)
            table = config_table(2 * rows, known, arena)  # all of which takes memory, so it grows in smaller steps
            rows = self._more_rows(rows, 4 * arena.transitions.shape[1] + 64)
            rows = min(rows, self.limits.max_configurations)
            self._replace(configs=grown(arena.configs, rows), config_table=table)
            del arena  # it would keep the old transitions
            self._extend_transitions(rows)
        elif code == codes.FULL_SETS:
            rows = self._more_rows(len(arena.sets), 12)
            known = arena.set_table[arena.set_table > 0]
            self._replace(
                sets=grown(arena.sets, rows),
                set_table=hash_table(1 << (rows - 1).bit_length(), known, arena.sets[known - 1]),
            )
        elif code == codes.FULL_NOTED:
            self._replace(noted=grown(arena.noted, 4 * len(arena.noted)))
        elif code == codes.FULL_WORK:
            if len(arena.work) >= self.limits.max_items:
                raise LimitError("max_items", self.limits.max_items, is_adjustable=True)
            size = 4 * len(arena.work)
            self._replace(**scratch(size))
        else:
            raise RuntimeError(f"kernel code {code}")

    def _extend_transitions(self, rows: int) -> None:
        self._lent.detach()  # or it would keep the old array alive
        self.arena = self.arena._replace(transitions=self.arena.transitions[:0].copy())
        self._transitions.extend(rows)
        self._replace(transitions=self._transitions.array)

    def _more_rows(self, rows: int, size: int) -> int:
        """Number of rows to allocate when `rows` do not suffice.

        Args:
            size: bytes that a row takes, hash tables included.
        Raises:
            LimitError: there is no memory for one more.
        """
        most = self.limits.max_automaton_bytes
        left = (most - self.size) // size
        if left < 1:
            raise LimitError("max_automaton_bytes", most, is_adjustable=True)
        return min(more_rows(rows), rows + left)

    def _flush(self) -> None:
        """Copy what was added to the network since the last time into the arrays."""
        network, arena = self.network, self.arena
        before, now = self._taken_in, _sizes(network)
        if self.horizon is not None and network.most_turns > self.horizon + 1:
            arena.used[USED.horizon] = self.horizon
        if len(network.full_sets) > self._full_sets:
            self._take_in_sets(network.full_sets)
        if network.size > len(arena.states) or now.edges > len(arena.edges) or now.rules > len(arena.rules):
            self._replace(
                states=with_room(arena.states, network.size),
                edges=with_room(arena.edges, now.edges),
                rules=with_room(arena.rules, now.rules),
                rule_slot=with_room(arena.rule_slot, now.rules),
            )
        # A state is complete when its rule has been built, so all edges are those of new states.
        fresh = take_in(
            self.handle,
            handles.rows_from(network.flat, before.edges, _FLAT),
            now.edges - before.edges,
            handles.rows_from(network.alike, before.alike, _ALIKE),
            now.alike - before.alike,
            handles.rows_from(network.rows, before.rules, _RULE),
            now.rules - before.rules,
            handles.rows_from(network.built, before.built, _BUILT),
            now.built - before.built,
            network.size,
            self._boundary,
        )
        self._taken_in = now
        if fresh:
            self._refine_classes()

    def _take_in_sets(self, words: array[int]) -> None:
        """Copy the words of key sets that were added to the network since the last time."""
        if len(words) > len(self.arena.full_sets):
            self._replace(full_sets=with_room(self.arena.full_sets, len(words)))
        self.arena.full_sets[self._full_sets : len(words)] = words[self._full_sets :]
        self._full_sets = len(words)

    def _refine_classes(self) -> None:
        """Split byte classes at the boundaries; all parts of a class keep its known transitions."""
        arena = self.arena
        firsts = np.flatnonzero(self._boundary[:256])
        old = arena.transitions
        known = int(arena.used[USED.configs])
        self._transitions = Rows((len(old), len(firsts)), np.int32)
        columns = arena.byte_class[firsts]
        np.take(old[:known], columns, axis=1, out=self._transitions.array[:known], mode="clip")  # without a copy
        self._replace(byte_class=byte_classes(self._boundary), transitions=self._transitions.array)


class _Sizes(NamedTuple):
    """Numbers of the rows of a network's arrays."""

    edges: int
    alike: int
    rules: int
    built: int


def _sizes(network: Network) -> _Sizes:
    flat, alike, built = len(network.flat) // _FLAT, len(network.alike) // _ALIKE, len(network.built) // _BUILT
    return _Sizes(flat, alike, len(network.rows) // _RULE, built)


_ALIVE: weakref.WeakSet[Automaton] = weakref.WeakSet()


def _renew_locks() -> None:
    for automaton in _ALIVE:
        automaton.lock = threading.RLock()


in_child(_renew_locks)
