r"""Which texts a pattern takes off the beginning of a longer one, as `re.match` does.

A lexer asks `re.match` and takes what it gets: of the ways in which a pattern matches, the first in the order of
trying. So `a|ab` never takes "ab", and `".*?"` ends at the first quote. These texts are found by running all ways at
once, in that order, as a list of *threads*: when one of them matches, those after it are given up (Pike's method, see
Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009).

The texts are the same wherever they stand, and what follows them makes no difference, unless the pattern looks around:

* A lookbehind, `\b`, `^` is decided by what was read before; one that would look before the terminal is refused.
* A lookahead, `\b`, `$` goes along with its thread. Behind the end of a terminal it may forbid certain characters, as
  in `[?](?![a-z])`; what it says beyond that is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any, NamedTuple

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.places import MATCH, Place, Places
from guidance_kit.grammars.regular.charset import NONE, CharSet
from guidance_kit.grammars.regular.parse import Reader, read_tree
from guidance_kit.grammars.regular.partition import Partition

__all__ = ["longest_texts", "texts_of_all_lengths"]

MAX_SITUATIONS = 10_000
"""States of the automaton of one pattern."""


@lru_cache(maxsize=1024)
def texts_of_all_lengths(pattern: str, flags: int = 0) -> Lexeme:
    """The texts that a scannerless parser may take for a terminal.

    A parser that tries every length asks `re.match` about the text ahead, and then about what that took, cut short
    after each character. So these are the texts that `re.match` takes whole when they stand alone, and everything may
    follow them that does not keep it from taking that text or a longer one.

    Raises:
        PatternError: malformed.
        UnsupportedFeature: it looks before its beginning or too far beyond its end, or it is not regular.
        LimitError: it is too large.
    """
    return read_tree(pattern, flags, partial(_lexeme, pattern=pattern, is_longest=False))


@lru_cache(maxsize=256)
def longest_texts(pattern: str, flags: int = 0) -> Lexeme:
    """The texts that a parser takes for a terminal if it does not try every length.

    What must not follow is everything that would make `re.match` take a longer text. A character that may or may not
    lead to one, depending on what comes after it, is not among those; from the end an edge leads on with it.

    Raises:
        What `texts_of_all_lengths` raises.
    """
    return read_tree(pattern, flags, partial(_lexeme, pattern=pattern, is_longest=True))


def _lexeme(reader: Reader, tree: Any, flags: int, *, pattern: str, is_longest: bool) -> Lexeme:
    return _Run(Places(reader, tree, flags), pattern).lexeme(is_longest=is_longest)


_Duty = tuple[bool, frozenset[int]]
"""A lookahead on its way: whether it is negated, and the places of its body."""

_Thread = tuple[int, frozenset[_Duty]]
"""A place that reads a character, or MATCH, with the lookaheads that are still to be decided."""


class _Situation(NamedTuple):
    """What is known after some characters.

    Attributes:
        threads: in the order of trying.
        past: for each lookbehind the places of its body.
        depth: how many characters were read, as far as lookbehinds care.
    """

    threads: tuple[_Thread, ...]
    past: tuple[frozenset[int], ...]
    depth: int


class _End(NamedTuple):
    """When a pattern matches in a situation.

    Attributes:
        never: the characters (a mask) before which it does not.
        is_good_at_last: whether it does at the end of the text.
    """

    never: int
    is_good_at_last: bool


class _Run:
    """All situations to which texts lead."""

    def __init__(self, places: Places, pattern: str) -> None:
        self._places = places.all
        self._pattern = pattern
        self._behind = [look for place in places.all for look in place.looks if not look.is_ahead]
        self._reach = max((look.width for look in self._behind), default=0)
        self._partition = Partition({place.chars for place in places.all if place.chars is not None})
        self._everything = (1 << self._partition.count) - 1
        self._masks = [0 if place.chars is None else self._partition.masks[place.chars] for place in places.all]
        past = tuple(self._spread([look.start], 0) for look in self._behind)
        self._start = _Situation(self._ordered([(places.start, frozenset())], past, 0), past, 0)

    def lexeme(self, *, is_longest: bool) -> Lexeme:
        """The automaton of the texts that are taken."""
        numbers = {self._start: 0}
        todo = [self._start]
        edges: list[list[tuple[int, int]]] = []
        for situation in todo:  # grows meanwhile
            steps: list[tuple[int, int]] = []
            for mask in self._kinds(situation):
                following = self._step(situation, mask & -mask)
                if not following.threads:
                    continue
                number = numbers.setdefault(following, len(todo))
                if number == len(todo):
                    if number >= MAX_SITUATIONS:
                        raise LimitError("max_situations", MAX_SITUATIONS, where=f"the terminal {self._pattern!r}")
                    todo.append(following)
                steps.append((mask, number))
            edges.append(steps)
        ends = [self._end(situation, is_longest) for situation in todo]
        sure = _sure(edges, ends)
        conditional = _leading_to(edges, {state for state, end in enumerate(ends) if end is not None and end.never})
        endings: list[CharSet | None] = []
        for end, steps in zip(ends, edges, strict=True):
            if end is None:
                endings.append(None)
                continue
            never = end.never
            for mask, target in steps:
                if target not in sure and (never & mask == 0 and target in conditional if is_longest else never & mask):
                    raise self._refused("a lookahead that looks more than a character beyond its terminal")
                if target in sure:  # `re` takes a longer text
                    never = never | mask if is_longest else never & ~mask
            if not end.is_good_at_last and never != self._everything:
                raise self._refused("a lookahead, \\b or $ that wants something to follow its terminal")
            is_possible = end.is_good_at_last or never != self._everything
            endings.append((self._partition.charset(never) if never else NONE) if is_possible else None)
        charset_of = self._partition.charset
        return Lexeme.smallest([[(charset_of(mask), target) for mask, target in steps] for steps in edges], endings)

    def _kinds(self, situation: _Situation) -> list[int]:
        """Sets of characters (masks) that make no difference here."""
        masks = {self._masks[place] for place, _ in situation.threads}
        whole = 0
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

    def _step(self, situation: _Situation, bit: int) -> _Situation:
        past = tuple(
            self._spread([*self._read(body, bit), look.start], bit)
            for body, look in zip(situation.past, self._behind, strict=True)
        )
        depth = min(situation.depth + 1, self._reach)
        seeds: list[_Thread] = []
        for place, duties in situation.threads:
            left = self._kept(duties, bit)
            if left is None:
                continue
            if place == MATCH:
                break
            if self._masks[place] & bit:
                seeds.append((self._places[place].ways[0], left))
        return _Situation(self._ordered(seeds, past, depth), past, depth)

    def _read(self, body: frozenset[int], bit: int) -> list[int]:
        return [self._places[place].ways[0] for place in body if self._masks[place] & bit]

    def _kept(self, duties: frozenset[_Duty], bit: int) -> frozenset[_Duty] | None:
        """What is left of lookaheads after a character; None if one has failed."""
        left: set[_Duty] = set()
        for is_negated, body in duties:
            after = self._spread(self._read(body, bit), bit)
            has_matched = MATCH in after or any(self._matches_before(place, bit) for place in body)
            if has_matched if is_negated else not after:
                return None
            if after and not has_matched:
                left.add((is_negated, after))
        return frozenset(left)

    def _matches_before(self, number: int, bit: int) -> bool:
        """Whether the body of a condition ends at a place if a character comes next; 0 for the end of the text."""
        return any(
            look.is_ahead and bool(self._masks[look.start] & bit) != look.is_negated
            for look in self._places[number].looks
        )

    def _spread(self, places: Iterable[int], before: int) -> frozenset[int]:
        """Where some places of the body of a condition lead.

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
                    raise self._refused("a condition of more than a character within a condition")
                if not look.is_ahead and not before:
                    raise self._refused("a condition that looks before the condition in which it stands")
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

    def _ordered(self, seeds: list[_Thread], past: tuple[frozenset[int], ...], depth: int) -> tuple[_Thread, ...]:
        """The threads to which some threads lead without reading, up to the first that has surely matched."""
        found: dict[_Thread, None] = {}
        seen: set[tuple[int, frozenset[_Duty], frozenset[int]]] = set()
        todo = [(number, duties, frozenset[int]()) for number, duties in reversed(seeds)]
        while todo:
            number, duties, begun = todo.pop()  # `begun`: turns that have read nothing yet
            if (number, duties, begun) in seen:
                continue
            seen.add((number, duties, begun))
            place = self._places[number]
            if number == MATCH or place.chars is not None:
                if number == MATCH or place.chars:
                    found.setdefault((number, duties))
                if number == MATCH and not duties:
                    break
                continue
            kept = self._looked(place, duties, past, depth)
            if kept is None:
                continue
            if place.before in begun:
                todo.append((place.end, kept, begun))
            else:
                begun = begun | {number} if place.end >= 0 else begun
                todo += [(way, kept, begun) for way in reversed(place.ways)]
        return tuple(found)

    def _looked(
        self, place: Place, duties: frozenset[_Duty], past: tuple[frozenset[int], ...], depth: int
    ) -> frozenset[_Duty] | None:
        """The lookaheads to be decided behind a place; None if a condition fails there."""
        for look in place.looks:
            if look.is_ahead:
                body = self._spread([look.start], 0)
                if MATCH not in body:
                    duties |= {(look.is_negated, body)}
                elif look.is_negated:
                    return None
            else:
                if depth < look.width:
                    raise self._refused("a lookbehind, ^, \\A or \\b that looks before its terminal")
                body = past[self._behind.index(look)]
                if any(self._places[place].looks for place in body):
                    raise self._refused("a lookahead within a lookbehind")
                if (MATCH in body) == look.is_negated:
                    return None
        return duties

    def _end(self, situation: _Situation, is_longest: bool) -> _End | None:
        """When `re` matches here, if nothing longer matches; None if it never does."""
        found: _End | None = None
        for k, (place, duties) in enumerate(situation.threads):
            if place != MATCH:
                continue
            ahead = situation._replace(threads=situation.threads[:k])
            below = situation._replace(threads=situation.threads[k + 1 :])
            never = 0
            for bit in (1 << kind for kind in range(self._partition.count if duties else 0)):
                left = self._kept(duties, bit)
                if left and not (
                    # if the lookaheads hold, something longer matches; if not, nothing does that was tried later
                    is_longest and self._matches_if(left, self._step(ahead, bit)) and not self._step(below, bit).threads
                ):
                    raise self._refused("a lookahead that looks more than a character beyond its terminal")
                if left is None or left:
                    never |= bit
            is_good = all(
                is_negated and not any(self._matches_before(number, 0) for number in body)
                for is_negated, body in duties
            )
            if is_good or never != self._everything:
                found = (
                    _End(never, is_good)
                    if found is None
                    else _End(found.never & never, found.is_good_at_last or is_good)
                )
        return found

    @staticmethod
    def _matches_if(duties: frozenset[_Duty], situation: _Situation) -> bool:
        """Whether a longer text matches if some lookaheads hold."""
        return any(place == MATCH and others <= duties for place, others in situation.threads)

    def _refused(self, feature: str) -> UnsupportedFeature:
        return UnsupportedFeature(
            feature, where=f"the terminal {self._pattern!r}", hint="say it in the terminal itself, or in its rules"
        )


def _sure(edges: list[list[tuple[int, int]]], ends: list[_End | None]) -> set[int]:
    """The states from which, whatever follows, `re` matches there or farther on."""
    sure = {state for state, end in enumerate(ends) if end is not None and end.is_good_at_last}
    while True:
        unsure = set()
        for state in sure:
            end = ends[state]
            never = 0 if end is None else end.never
            for mask, target in edges[state]:
                if target in sure:
                    never &= ~mask
            if never:
                unsure.add(state)
        if not unsure:
            return sure
        sure -= unsure


def _leading_to(edges: list[list[tuple[int, int]]], goals: set[int]) -> set[int]:
    """The states from which one of some states can be reached."""
    before: dict[int, list[int]] = {}
    for state, steps in enumerate(edges):
        for _, target in steps:
            before.setdefault(target, []).append(state)
    found, todo = set(goals), list(goals)
    while todo:
        for state in before.get(todo.pop(), ()):
            if state not in found:
                found.add(state)
                todo.append(state)
    return found
