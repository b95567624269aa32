"""The lazily determinised pushdown automaton: a network, run by the kernels."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

import numpy as np

from guidance_kit.errors import LimitError
from guidance_kit.fsm import kernels
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.slices import RUNS

__all__ = ["Automaton"]

START = 1
"""Number of the configuration before the first byte; 0 is the dead one."""


_RESERVED = 65_536
"""Rows that the largest arrays get when they first grow: memory that is never touched costs nothing, copying does."""


class Automaton:
    """Run a network: every situation that texts lead to is one integer, and every step is remembered.

    A *configuration* is the set of all (state, stack) in which the network can be after a text. Configurations and
    stack nodes are interned, so equal situations have equal numbers, and a transition is computed once. Nothing is
    computed before a text asks for it.

    All methods may be called from several threads; one of them works at a time. A forked process goes on with its own
    copy, whatever other threads were doing: what a kernel leaves unfinished is never looked at.

    Args:
        network: what to run; it grows while rules are built.
        horizon: how many bytes are asked about at a time (the length of the longest token), see `canonical`; None: any
            number.
        limits: see `Limits`.
    """

    def __init__(self, network: Network, *, horizon: int | None = None, limits: Limits | None = None) -> None:
        self.network = network
        self.horizon = horizon
        self.limits = limits or Limits()
        self.lock = threading.RLock()
        _ALIVE.add(self)
        self._flushed = self._edges = self._rules = 0  # states, edges and rules copied so far
        self._has_far_bounds = False
        self._boundary = _USUAL_BOUNDARIES.copy()
        begin, end = network.states(2)
        network.final(end)
        network.call(begin, network.root, end)
        self.arena = _empty_arena()
        self._handle = kernels.handle_of(self.arena)
        self._flush()
        config = self._run(kernels.start, begin)
        if config == kernels.DEAD:
            raise RuntimeError("the network's root rule has no text")  # a front end broke its promise
        assert config == START

    @property
    def start(self) -> int:
        """Configuration before the first byte."""
        return START

    def is_complete(self, config: int) -> bool:
        """Whether a text that leads to `config` belongs to the language."""
        return bool(self.arena.configs[config, 2])

    def advance(self, config: int, text: bytes | np.ndarray) -> np.ndarray:
        """Read `text` as far as it is allowed.

        Returns:
            int32, (bytes read,): the configuration after each byte; shorter than `text` if a byte is not allowed.
        """
        buffer = np.frombuffer(text, dtype=np.uint8)
        path = np.empty(len(buffer), dtype=np.int32)
        with self.lock:
            return path[: self._run(kernels.advance, config, buffer, path)]

    def canonical(self, config: int) -> int:
        """The configuration that stands for all those from which the same texts of up to `horizon` bytes can be read.

        They differ in counters that are too far from their bounds to matter, so a mask of one is a mask of all.
        """
        if self.horizon is None or not self._has_far_bounds:
            return config
        return self._run(kernels.canonical, config, self.horizon)

    def live_bytes(self, config: int) -> np.ndarray:
        """Bytes that can be read from `config`: bool, (256,)."""
        live = np.zeros(256, dtype=np.uint8)
        with self.lock:
            kernels.live_bytes(self._handle, config, live)
        return live.view(bool)

    def advance_token(self, lexicon: Any, config: int, token: int) -> int:
        """The configuration after a token, 0 if it is not allowed or spells no text.

        Args:
            lexicon: handle of the vocabulary's `kernels.Lexicon`.
        """
        return self._run(kernels.advance_token, lexicon, config, token)

    def fill_mask(self, lexicon: Any, config: int, mask_out: np.ndarray) -> bool:
        """Set the bits of the tokens that can be read from `config`, and of the ends if the text is complete.

        Args:
            lexicon: handle of the vocabulary's `kernels.Lexicon`.
            mask_out: int32, (words + 1,); the last word is of no meaning.
        Returns:
            Whether the slice was of use.
        """
        horizon = self.horizon if self.horizon is not None and self._has_far_bounds else 0
        again = False
        with self.lock:
            while True:
                code = kernels.fill_mask(self._handle, lexicon, config, horizon, again, mask_out)
                if code >= 0:
                    return code == 1
                self._make_room(int(code))
                again = True

    def statistics(self) -> dict[str, int]:
        """Numbers of states, rules, configurations, stack nodes, steps computed, and bytes used."""
        arena, used = self.arena, self.arena.used
        rows, items = int(used[kernels.CONFIGS]), int(used[kernels.ITEMS])
        unused = arena.configs[rows:].nbytes + arena.transitions[rows:].nbytes + arena.items[items:].nbytes
        return {
            "states": self.network.size,
            "rules": len(self.network.rules),
            "configurations": int(used[kernels.CONFIGS]),
            "nodes": int(used[kernels.NODES]),
            "steps": int(used[kernels.STEPS]),
            "bytes": sum(array.nbytes for array in arena) - unused,
        }

    def _run(self, kernel: kernels.Kernel, *args: object) -> int:
        """Call a kernel until it has all the room and rules that it needs."""
        with self.lock:
            while True:
                code = kernel(self._handle, *args)
                if code >= 0:
                    return int(code)
                self._make_room(int(code))

    def _replace(self, **arrays: np.ndarray) -> None:
        """Go on with other arrays."""
        self.arena = self.arena._replace(**arrays)
        self._handle = kernels.handle_of(self.arena, self._handle, arrays)

    def _make_room(self, code: int) -> None:
        """Do what a kernel asked for by a negative code."""
        arena = self.arena
        if code == kernels.NEED_RULE:
            rule = int(arena.used[kernels.DETAIL])
            arena.rules[rule, 0] = self.network.ensure_built(rule)
            self._flush()
        elif code == kernels.FULL_NODES:
            self._replace(
                nodes=_grown(arena.nodes),
                groups=_grown(arena.groups),
                canon=_grown(arena.canon),
                callers=_grown(arena.callers),
                node_table=np.zeros(2 * len(arena.node_table), dtype=np.int32),
                config_table=np.zeros(len(arena.config_table), dtype=np.int32),
            )
            kernels.rehash(self._handle)
        elif code == kernels.FULL_CONFIGS:
            rows, used = len(arena.configs), int(arena.used[kernels.CONFIGS])
            if used < rows and 2 * (used + 1) <= len(arena.config_table):  # so it is the items that have no room
                self._replace(items=_grown(arena.items, 4 * len(arena.items)))
                return
            if rows >= self.limits.max_configurations:
                raise LimitError("max_configurations", self.limits.max_configurations, is_adjustable=True)
            rows = min(max(_RESERVED, 4 * rows), self.limits.max_configurations)
            self._replace(
                configs=_grown(arena.configs, rows),
                transitions=_grown(arena.transitions, rows),
                node_table=np.zeros(len(arena.node_table), dtype=np.int32),
                config_table=np.zeros(1 << (2 * rows).bit_length(), dtype=np.int32),
            )
            kernels.rehash(self._handle)
        elif code == kernels.FULL_WORK:
            if len(arena.work) >= self.limits.max_items:
                raise LimitError("max_items", self.limits.max_items, is_adjustable=True)
            size = 4 * len(arena.work)
            self._replace(**_scratch(size))
        else:
            raise RuntimeError(f"kernel code {code}")

    def _flush(self) -> None:
        """Copy what was added to the network since the last time into the arrays."""
        network, arena = self.network, self.arena
        added = np.frombuffer(network.flat, dtype=np.int32)[4 * self._edges :]
        edges = self._edges + len(added) // 4
        rules: list[int] = []
        for rule in network.rules[self._rules :]:
            rules += (rule.start, rule.nullable, rule.minimum, rule.maximum, rule.is_free)
            if self.horizon is not None:
                self._has_far_bounds |= max(rule.minimum, rule.maximum) > self.horizon + 1
        count = len(network.rules)
        if network.size > len(arena.states) or edges > len(arena.edges) or count > len(arena.rules):
            self._replace(
                states=_with_room(arena.states, network.size),
                edges=_with_room(arena.edges, edges),
                rules=_with_room(arena.rules, count),
                rule_slot=_with_room(arena.rule_slot, count),
            )
        # A state is complete when its rule has been built, so all edges are those of new states.
        fresh = kernels.take_in(
            self._handle, added, np.array(rules, dtype=np.int32), self._flushed, network.size, self._edges,
            self._rules, self._boundary,
        )  # fmt: skip
        self._flushed, self._edges, self._rules = network.size, edges, count
        if fresh:
            self._refine_classes()

    def _refine_classes(self) -> None:
        """Split byte classes at the boundaries; all parts of a class keep its known transitions."""
        arena = self.arena
        firsts = np.flatnonzero(self._boundary[:256])
        old = arena.transitions
        known = int(arena.used[kernels.CONFIGS])
        transitions = np.zeros((len(old), len(firsts)), dtype=np.int32)
        transitions[:known] = old[:known, arena.byte_class[firsts]]
        self._replace(byte_class=_classes(self._boundary), transitions=transitions)


def _classes(boundary: np.ndarray) -> np.ndarray:
    """Class of each byte: uint8 (256,), for bool (257,)."""
    return (np.cumsum(boundary[:256]) - 1).astype(np.uint8)


def _usual_boundaries() -> np.ndarray:
    """Where byte classes begin before any edge is known: bool (257,).

    Printable ASCII characters and the kinds of bytes that UTF-8 has, which nearly every network tells apart, so that
    classes are seldom split while a text is read.
    """
    boundary = np.zeros(257, dtype=bool)
    boundary[[0, *range(0x09, 0x0F), *range(0x20, 0x81), 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xEE]] = True
    boundary[[0xF0, 0xF1, 0xF4, 0xF5, 256]] = True
    return boundary


_USUAL_BOUNDARIES = _usual_boundaries()


_ALIVE: weakref.WeakSet[Automaton] = weakref.WeakSet()


def _renew_locks() -> None:
    """In a forked process: locks that other threads of the parent held would never be released."""
    for automaton in _ALIVE:
        automaton.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


def _empty_arena() -> kernels.Arena:
    used = np.zeros(10, dtype=np.int64)
    used[kernels.NODES] = used[kernels.CANON] = 1
    used[kernels.CONFIGS] = 1
    return kernels.Arena(
        states=np.zeros((256, 3), dtype=np.int32),
        edges=np.zeros((512, 3), dtype=np.int32),
        rules=np.zeros((64, 5), dtype=np.int32),
        nodes=np.zeros((512, 5), dtype=np.int32),
        groups=np.zeros(512, dtype=np.int32),
        canon=np.zeros(512, dtype=np.int32),
        callers=np.zeros((1024, 2), dtype=np.int32),
        node_table=np.zeros(2048, dtype=np.int32),
        configs=np.zeros((512, 4), dtype=np.int32),
        items=np.zeros((2048, 2), dtype=np.int32),
        config_table=np.zeros(1024, dtype=np.int32),
        transitions=np.zeros((512, int(_USUAL_BOUNDARIES[:256].sum())), dtype=np.int32),
        byte_class=_classes(_USUAL_BOUNDARIES),
        used=used,
        rule_slot=np.zeros((64, 2), dtype=np.int32),
        layer=np.zeros((1024, 2), dtype=np.int32),
        stack=np.zeros(kernels.MOST_BYTES + 1, dtype=np.int32),
        runs=RUNS,
        **_scratch(256),
    )


def _scratch(size: int) -> dict[str, np.ndarray]:
    """The arrays of one step, for closures of up to `size` items."""
    return {
        "work": np.zeros((size, 3), dtype=np.int32),
        "seen": np.zeros((2 * size, 3), dtype=np.int32),
        "slots": np.zeros((size, 6), dtype=np.int32),
        "entries": np.zeros((4 * size, 3), dtype=np.int32),
        "keys": np.zeros(4 * size, dtype=np.int64),
    }


def _grown(array: np.ndarray, rows: int = 0) -> np.ndarray:
    """A copy of `array` with `rows` rows, twice as many if that is 0; the new ones are 0."""
    grown = np.zeros((rows or 2 * len(array), *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def _with_room(array: np.ndarray, rows: int) -> np.ndarray:
    """`array`, or a copy that has at least `rows` rows."""
    while len(array) < rows:
        array = _grown(array)
    return array
