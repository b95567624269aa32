"""Simulation of a pattern's NFA by prioritised threads, as in Pike's virtual machine.

All matches of a pattern are followed at once, as a list of *threads* in the order in which `re` tries them: when one
matches, those of lower priority are dropped. A thread carries its pending lookaheads; a lookbehind is decided by the
characters read so far.

Source: Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.context_free.pattern_nfa import MATCH, NfaState, PatternNfa
from guidance_kit.grammars.regular.partition import Partition

__all__ = ["PendingLookahead", "Thread", "ThreadList", "Threads", "Trail"]

PendingLookahead = tuple[bool, frozenset[int]]
"""A lookahead that is not decided yet: whether it is negated, and the states of its body."""

Thread = tuple[int, frozenset[PendingLookahead]]
"""A state that reads a character, or MATCH, with its pending lookaheads."""


_Seed = tuple[int, frozenset[PendingLookahead], int]
"""A state with pending lookaheads, and the number of the thread that led to it."""

Trail = tuple[int, tuple[int, ...]]
"""Origin of a thread: number of the thread before the last character, and the marks passed since."""


class ThreadList(NamedTuple):
    """Threads after a prefix.

    Attributes:
        threads: by priority.
        past: for each lookbehind the states of its body.
        depth: number of characters read, up to the width of the widest lookbehind.
    """

    threads: tuple[Thread, ...]
    past: tuple[frozenset[int], ...]
    depth: int


class Threads:
    """Transitions between thread lists.

    Args:
        places: NFA of the pattern.
        shown: the pattern, for messages.
        partition: classes of characters that the pattern distinguishes, or finer ones; None for those of the pattern.
        is_whole: whether the pattern must match a whole text; otherwise it matches a prefix of the rest of a text, and
            the characters before that rest are unknown.

    Attributes:
        partition: the classes; a *bit* is the mask of one of them.
        everything: mask of all classes.
        done: state of a thread that has matched and has pending lookaheads (see `step`).
        start: thread list before the first character.
        start_trails: trails of its threads.
    """

    def __init__(
        self, nfa: PatternNfa, shown: str, partition: Partition | None = None, *, is_whole: bool = False
    ) -> None:
        self._states = [*nfa.states, NfaState()]
        self.done = len(nfa.states)
        self._shown = shown
        self._is_whole = is_whole
        self._behind = [look for state in nfa.states for look in state.lookarounds if not look.is_ahead]
        self._reach = max((look.width for look in self._behind), default=0)
        self.partition = partition or Partition(nfa.charsets)
        self.everything = (1 << self.partition.count) - 1
        self._masks = [0 if state.chars is None else self.partition.masks[state.chars] for state in self._states]
        past = tuple(self._spread([look.start], 0) for look in self._behind)
        found = self._ordered([(nfa.start, frozenset(), 0)], past, 0)
        self.start, self.start_trails = ThreadList(tuple(found), past, 0), tuple(found.values())

    def kinds(self, current: ThreadList, *, with_unread: bool = False) -> list[int]:
        """Equivalence classes (masks) of the characters that threads read; with `with_unread` of all characters."""
        masks = {self._masks[state] for state, _ in current.threads}
        whole = self.everything if with_unread else 0
        for mask in masks:
            whole |= mask
        bodies = [body for _, lookaheads in current.threads for _, body in lookaheads]
        masks.update([self._masks[state] for body in (*bodies, *current.past) for state in body])
        looks = [look for body in bodies for state in body for look in self._states[state].lookarounds]
        masks.update([self._masks[look.start] for look in looks])
        kinds = [whole] if whole else []
        for mask in masks:
            kinds = [part for kind in kinds for part in (kind & mask, kind & ~mask) if part]
        return kinds

    def step(self, current: ThreadList, bit: int, *, remembers: bool = False) -> ThreadList:
        """Thread list after a character.

        Args:
            current: thread list before it; threads that have matched are dropped.
            bit: the character.
            remembers: whether matched threads with pending lookaheads stay in the state `done`. A matched thread
                without them has certainly matched and is the last one.
        """
        return self.traced(current, bit, remembers=remembers)[0]

    def traced(self, current: ThreadList, bit: int, *, remembers: bool = False) -> tuple[ThreadList, tuple[Trail, ...]]:
        """Thread list after a character, and the trails of its threads. See `step`."""
        past = tuple(
            self._spread([*self._read(body, bit), look.start], bit)
            for body, look in zip(current.past, self._behind, strict=True)
        )
        depth = 0 if self._is_whole else min(current.depth + 1, self._reach)
        seeds: list[_Seed] = []
        for number, (state, lookaheads) in enumerate(current.threads):
            left = self.kept(lookaheads, bit)
            if left is None:
                continue
            if state in (MATCH, self.done):
                if remembers:
                    seeds.append((self.done, left, number))
                if self._is_whole or (left and remembers):
                    continue
                break
            if self._masks[state] & bit:
                seeds.append((self._states[state].targets[0], left, number))
        found = self._ordered(seeds, past, depth)
        return ThreadList(tuple(found), past, depth), tuple(found.values())

    def _read(self, body: frozenset[int], bit: int) -> list[int]:
        return [self._states[state].targets[0] for state in body if self._masks[state] & bit]

    def kept(self, lookaheads: frozenset[PendingLookahead], bit: int) -> frozenset[PendingLookahead] | None:
        """Pending lookaheads after a character; None if one has failed."""
        if not lookaheads:
            return lookaheads
        left: set[PendingLookahead] = set()
        for is_negated, body in lookaheads:
            after = self._spread(self._read(body, bit), bit)
            has_matched = MATCH in after or any(self.matches_before(state, bit) for state in body)
            if has_matched:
                if is_negated:
                    return None
            elif after:
                left.add((is_negated, after))
            elif not is_negated:
                return None
        return frozenset(left)

    def matches_before(self, number: int, bit: int) -> bool:
        """Test whether the body of a lookaround matches in a state before a character; bit 0 is the end of the text."""
        return any(
            look.is_ahead and bool(self._masks[look.start] & bit) != look.is_negated
            for look in self._states[number].lookarounds
        )

    def _spread(self, states: Iterable[int], before: int) -> frozenset[int]:
        """Epsilon closure of states of the body of a lookaround.

        Args:
            before: the character (a mask) read before, 0 at the start of the body.
        Returns:
            States that read a character, MATCH, and states with nothing but a lookahead for one character before MATCH.
        """
        todo, seen = list(states), set(states)
        found: set[int] = set()
        while todo:
            number = todo.pop()
            state = self._states[number]
            if number == MATCH or state.chars is not None:
                if number == MATCH or state.chars:
                    found.add(number)
                continue
            is_ahead = False
            for look in state.lookarounds:
                if self._states[look.start].targets != (MATCH,) or (look.is_ahead and state.targets != (MATCH,)):
                    raise self.refused("a condition of more than a character within a condition")
                if not look.is_ahead and not before:
                    raise self.refused("a condition that looks before the condition in which it stands")
                is_ahead = is_ahead or look.is_ahead
            if any(
                not look.is_ahead and bool(self._masks[look.start] & before) == look.is_negated
                for look in state.lookarounds
            ):
                continue
            if is_ahead:
                found.add(number)
                continue
            for target in state.targets:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return frozenset(found)

    def _ordered(self, seeds: list[_Seed], past: tuple[frozenset[int], ...], depth: int) -> dict[Thread, Trail]:
        """Epsilon closure of threads by priority, up to the first that has certainly matched."""
        found: dict[Thread, Trail] = {}
        seen: set[tuple[int, frozenset[PendingLookahead], frozenset[int]]] = set()
        todo: list[tuple[int, frozenset[PendingLookahead], frozenset[int], Trail]] = [
            (number, lookaheads, frozenset(), (origin, ())) for number, lookaheads, origin in reversed(seeds)
        ]
        while todo:
            number, lookaheads, begun, trail = todo.pop()  # `begun`: turns that are empty so far
            if (number, lookaheads, begun) in seen:
                continue
            seen.add((number, lookaheads, begun))
            state = self._states[number]
            has_matched = number in (MATCH, self.done)
            if has_matched or state.chars is not None:
                if has_matched or state.chars:
                    found.setdefault((number, lookaheads), trail)
                if has_matched and not lookaheads and not self._is_whole:
                    break
                continue
            kept = self._looked(state, lookaheads, past, depth)
            if kept is None:
                continue
            if state.mark >= 0:
                trail = trail[0], (*trail[1], state.mark)
            if state.before in begun:
                todo.append((state.end, kept, begun, trail))
            else:
                begun = begun | {number} if state.end >= 0 else begun
                todo += [(target, kept, begun, trail) for target in reversed(state.targets)]
        return found

    def _looked(
        self, state: NfaState, lookaheads: frozenset[PendingLookahead], past: tuple[frozenset[int], ...], depth: int
    ) -> frozenset[PendingLookahead] | None:
        """Pending lookaheads behind a state; None if one of its conditions fails."""
        for look in state.lookarounds:
            if look.is_ahead:
                body = self._spread([look.start], 0)
                if MATCH not in body:
                    lookaheads |= {(look.is_negated, body)}
                elif look.is_negated:
                    return None
            else:
                if depth < look.width and not self._is_whole:
                    raise self.refused("a lookbehind, ^, \\A or \\b that looks before its terminal")
                body = past[self._behind.index(look)]
                if any(self._states[state].lookarounds for state in body):
                    raise self.refused("a lookahead within a lookbehind")
                if (MATCH in body) == look.is_negated:
                    return None
        return lookaheads

    def refused(self, feature: str) -> UnsupportedFeature:
        return UnsupportedFeature(
            feature, where=f"the terminal {self._shown!r}", hint="say it in the terminal itself, or in its rules"
        )
