"""All ways in which a pattern matches at once, in the order in which `re` tries them.

The ways are a list of *threads*: when one of them matches, those after it are given up (Pike's method, see Cox,
"Regular Expression Matching: the Virtual Machine Approach", 2009). A lookahead goes along with its thread; a lookbehind
is decided by what was read before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.context_free.places import MATCH, Place, Places
from guidance_kit.grammars.regular.partition import Partition

__all__ = ["Duty", "Situation", "Thread", "Threads", "Trail"]

Duty = tuple[bool, frozenset[int]]
"""A lookahead on its way: whether it is negated, and the places of its body."""

Thread = tuple[int, frozenset[Duty]]
"""A place that reads a character, or MATCH, with the lookaheads that are still to be decided."""


_Seed = tuple[int, frozenset[Duty], int]
"""A place with lookaheads, and the number of the thread that has led there."""

Trail = tuple[int, tuple[int, ...]]
"""From which thread of the situation before a thread comes, by number, and the marks that it has passed since."""


class Situation(NamedTuple):
    """State of the threads after some characters.

    Attributes:
        threads: in the order of trying.
        past: for each lookbehind the places of its body.
        depth: how many characters were read, as far as lookbehinds care.
    """

    threads: tuple[Thread, ...]
    past: tuple[frozenset[int], ...]
    depth: int


class Threads:
    """The situations to which texts lead.

    Args:
        places: of the pattern.
        shown: the pattern, for messages.
        partition: classes of characters that tell apart what the pattern does; None for those of the pattern.
        is_whole: whether the pattern must match the whole text, before which there is nothing; otherwise it is matched
            with the beginning of what is left of a text, and what stands before that is not known.

    Attributes:
        partition: the classes; a *bit* is the mask of one of them.
        everything: the mask of all of them.
        done: the place of a thread that has matched and whose lookaheads are still to be decided (see `step`).
        start: the situation before the first character.
        start_trails: of its threads.
    """

    def __init__(
        self, places: Places, shown: str, partition: Partition | None = None, *, is_whole: bool = False
    ) -> None:
        self._places = [*places.all, Place()]
        self.done = len(places.all)
        self._shown = shown
        self._is_whole = is_whole
        self._behind = [look for place in places.all for look in place.looks if not look.is_ahead]
        self._reach = max((look.width for look in self._behind), default=0)
        self.partition = partition or Partition(places.charsets)
        self.everything = (1 << self.partition.count) - 1
        self._masks = [0 if place.chars is None else self.partition.masks[place.chars] for place in self._places]
        past = tuple(self._spread([look.start], 0) for look in self._behind)
        found = self._ordered([(places.start, frozenset(), 0)], past, 0)
        self.start, self.start_trails = Situation(tuple(found), past, 0), tuple(found.values())

    def kinds(self, situation: Situation, *, with_unread: bool = False) -> list[int]:
        """Sets of characters (masks) that make no difference here: of those that some thread reads, or of all."""
        masks = {self._masks[place] for place, _ in situation.threads}
        whole = self.everything if with_unread else 0
        for mask in masks:
            whole |= mask
        for _, duties in situation.threads:
            masks.update(self._masks[place] for _, body in duties for place in body)
        masks.update(self._masks[place] for body in situation.past for place in body)
        bodies = (body for _, duties in situation.threads for _, body in duties)
        masks.update(self._masks[look.start] for body in bodies for place in body for look in self._places[place].looks)
        kinds = [whole] if whole else []
        for mask in masks:
            kinds = [part for kind in kinds for part in (kind & mask, kind & ~mask) if part]
        return kinds

    def step(self, situation: Situation, bit: int, *, remembers: bool = False) -> Situation:
        """The situation after a character.

        Args:
            situation: the one before it; threads that have matched are left behind.
            bit: the character.
            remembers: whether threads that have matched, but for their lookaheads, stay at the place `done`. One that
                has no more lookaheads is the last thread, since it has matched for sure.
        """
        return self.traced(situation, bit, remembers=remembers)[0]

    def traced(self, situation: Situation, bit: int, *, remembers: bool = False) -> tuple[Situation, tuple[Trail, ...]]:
        """The situation after a character, and the trails of its threads. See `step`."""
        past = tuple(
            self._spread([*self._read(body, bit), look.start], bit)
            for body, look in zip(situation.past, self._behind, strict=True)
        )
        depth = 0 if self._is_whole else min(situation.depth + 1, self._reach)
        seeds: list[_Seed] = []
        for number, (place, duties) in enumerate(situation.threads):
            left = self.kept(duties, bit)
            if left is None:
                continue
            if place in (MATCH, self.done):
                if remembers:
                    seeds.append((self.done, left, number))
                if self._is_whole or (left and remembers):
                    continue
                break
            if self._masks[place] & bit:
                seeds.append((self._places[place].ways[0], left, number))
        found = self._ordered(seeds, past, depth)
        return Situation(tuple(found), past, depth), tuple(found.values())

    def _read(self, body: frozenset[int], bit: int) -> list[int]:
        return [self._places[place].ways[0] for place in body if self._masks[place] & bit]

    def kept(self, duties: frozenset[Duty], bit: int) -> frozenset[Duty] | None:
        """Remaining lookaheads after a character; None if one has failed."""
        left: set[Duty] = set()
        for is_negated, body in duties:
            after = self._spread(self._read(body, bit), bit)
            has_matched = MATCH in after or any(self.matches_before(place, bit) for place in body)
            if has_matched:
                if is_negated:
                    return None
            elif after:
                left.add((is_negated, after))
            elif not is_negated:
                return None
        return frozenset(left)

    def matches_before(self, number: int, bit: int) -> bool:
        """Test whether the body of a condition ends at a place if a character comes next; 0 for the end of the text."""
        return any(
            look.is_ahead and bool(self._masks[look.start] & bit) != look.is_negated
            for look in self._places[number].looks
        )

    def _spread(self, places: Iterable[int], before: int) -> frozenset[int]:
        """Places that some places of the body of a condition lead to.

        Args:
            before: the character (a mask) that was read before, 0 if that was not in the body.
        Returns:
            Places that read a character, MATCH, and places behind which only a lookahead for one character is left.
        """
        todo, seen = list(places), set(places)
        found: set[int] = set()
        while todo:
            number = todo.pop()
            place = self._places[number]
            if number == MATCH or place.chars is not None:
                if number == MATCH or place.chars:
                    found.add(number)
                continue
            is_ahead = False
            for look in place.looks:
                if self._places[look.start].ways != (MATCH,) or (look.is_ahead and place.ways != (MATCH,)):
                    raise self.refused("a condition of more than a character within a condition")
                if not look.is_ahead and not before:
                    raise self.refused("a condition that looks before the condition in which it stands")
                is_ahead = is_ahead or look.is_ahead
            if any(
                not look.is_ahead and bool(self._masks[look.start] & before) == look.is_negated for look in place.looks
            ):
                continue
            if is_ahead:
                found.add(number)
                continue
            for way in place.ways:
                if way not in seen:
                    seen.add(way)
                    todo.append(way)
        return frozenset(found)

    def _ordered(self, seeds: list[_Seed], past: tuple[frozenset[int], ...], depth: int) -> dict[Thread, Trail]:
        """The threads to which some threads lead without reading, up to the first that has surely matched."""
        found: dict[Thread, Trail] = {}
        seen: set[tuple[int, frozenset[Duty], frozenset[int]]] = set()
        todo: list[tuple[int, frozenset[Duty], frozenset[int], Trail]] = [
            (number, duties, frozenset(), (origin, ())) for number, duties, origin in reversed(seeds)
        ]
        while todo:
            number, duties, begun, trail = todo.pop()  # `begun`: turns that have read nothing yet
            if (number, duties, begun) in seen:
                continue
            seen.add((number, duties, begun))
            place = self._places[number]
            has_matched = number in (MATCH, self.done)
            if has_matched or place.chars is not None:
                if has_matched or place.chars:
                    found.setdefault((number, duties), trail)
                if has_matched and not duties and not self._is_whole:
                    break
                continue
            kept = self._looked(place, duties, past, depth)
            if kept is None:
                continue
            if place.mark >= 0:
                trail = trail[0], (*trail[1], place.mark)
            if place.before in begun:
                todo.append((place.end, kept, begun, trail))
            else:
                begun = begun | {number} if place.end >= 0 else begun
                todo += [(way, kept, begun, trail) for way in reversed(place.ways)]
        return found

    def _looked(
        self, place: Place, duties: frozenset[Duty], past: tuple[frozenset[int], ...], depth: int
    ) -> frozenset[Duty] | None:
        """The lookaheads to be decided behind a place; None if a condition fails there."""
        for look in place.looks:
            if look.is_ahead:
                body = self._spread([look.start], 0)
                if MATCH not in body:
                    duties |= {(look.is_negated, body)}
                elif look.is_negated:
                    return None
            else:
                if depth < look.width and not self._is_whole:
                    raise self.refused("a lookbehind, ^, \\A or \\b that looks before its terminal")
                body = past[self._behind.index(look)]
                if any(self._places[place].looks for place in body):
                    raise self.refused("a lookahead within a lookbehind")
                if (MATCH in body) == look.is_negated:
                    return None
        return duties

    def refused(self, feature: str) -> UnsupportedFeature:
        return UnsupportedFeature(
            feature, where=f"the terminal {self._shown!r}", hint="say it in the terminal itself, or in its rules"
        )
