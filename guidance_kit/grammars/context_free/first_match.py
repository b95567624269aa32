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

import re
import re._constants as op  # pyright: ignore[reportMissingImports]
from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any, NamedTuple

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.regular import charset
from guidance_kit.grammars.regular.charset import ALL, NONE, CharSet
from guidance_kit.grammars.regular.parse import Reader, combined_flags, read_tree, turns
from guidance_kit.grammars.regular.partition import Partition

__all__ = ["ignored_texts", "token_texts"]

MAX_PLACES = 50_000
"""Places of one pattern, its repetitions written out."""

MAX_SITUATIONS = 10_000
"""States of the automaton of one pattern."""


@lru_cache(maxsize=1024)
def token_texts(pattern: str, flags: int = 0) -> Lexeme:
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
def ignored_texts(pattern: str, flags: int = 0) -> Lexeme:
    """The texts that a scannerless parser takes for something ignored, for which it does not try every length.

    So what must not follow is everything that would make `re.match` take a longer text. A character that may or may not
    lead to one, depending on what comes after it, is not among those; from the end an edge leads on with it.

    Raises:
        What `token_texts` raises.
    """
    return read_tree(pattern, flags, partial(_lexeme, pattern=pattern, is_longest=True))


def _lexeme(reader: Reader, tree: Any, flags: int, *, pattern: str, is_longest: bool) -> Lexeme:
    return _Run(_Places(reader, tree, flags), pattern).lexeme(is_longest=is_longest)


class _Look(NamedTuple):
    """A condition: whether a body that begins at the place `start` matches, ahead or behind."""

    start: int
    is_ahead: bool
    is_negated: bool
    width: int = 1


class _Place(NamedTuple):
    """A place in a pattern.

    Attributes:
        ways: where to go on, in the order of trying.
        chars: a character of these is read first; None if nothing is read.
        looks: conditions that must all hold here.
        end: the place is the head of a repetition; who comes back to it without having read goes on here. -1 if it is
            none.
    """

    ways: tuple[int, ...] = ()
    chars: CharSet | None = None
    looks: tuple[_Look, ...] = ()
    end: int = -1


MATCH = 0
"""The place at which a pattern, or the body of a condition, has matched."""


class _Places:
    """A pattern as places, written from its end."""

    def __init__(self, reader: Reader, tree: Any, flags: int) -> None:
        self._reader = reader
        self.all: list[_Place] = [_Place()]
        self.start = self._sequence(tree, flags, MATCH)

    def _add(self, place: _Place) -> int:
        if len(self.all) >= MAX_PLACES:
            raise LimitError("max_places", MAX_PLACES, where="a terminal with its repetitions written out")
        self.all.append(place)
        return len(self.all) - 1

    def _sequence(self, tree: Any, flags: int, target: int) -> int:
        for kind, value in reversed(list(tree)):
            target = self._node(kind, value, flags, target)
        return target

    def _node(self, kind: Any, value: Any, flags: int, target: int) -> int:
        chars = self._reader.charset(kind, value, flags)
        if chars is not None:
            return self._add(_Place((target,), chars=chars))
        if kind is op.SUBPATTERN:
            return self._sequence(value[3], combined_flags(flags, value[1], value[2]), target)
        if kind is op.BRANCH:
            return self._add(_Place(tuple(self._sequence(branch, flags, target) for branch in value[1])))
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            return self._repetition(value, flags, target, is_greedy=kind is op.MAX_REPEAT)
        if kind is op.AT:
            return self._at(value, flags, target)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            direction, body = value
            start = self._sequence(body, flags, MATCH)
            look = _Look(start, direction > 0, kind is op.ASSERT_NOT, int(body.getwidth()[1]))
            return self._add(_Place((target,), looks=(look,)))
        if kind is op.FAILURE:
            return self._add(_Place())
        raise UnsupportedFeature(
            f"{str(kind).lower().replace('_', ' ')} in a terminal", where=repr(self._reader.written.origin)
        )

    def _repetition(self, value: Any, flags: int, target: int, *, is_greedy: bool) -> int:
        minimum, maximum = turns(value)
        if maximum == UNBOUNDED:
            head = self._add(_Place())
            turn = self._sequence(value[2], flags, head)
            self.all[head] = _Place((turn, target) if is_greedy else (target, turn), end=target)
            following = head
        else:
            following = target
            for _ in range(maximum - minimum):
                turn = self._sequence(value[2], flags, following)
                following = self._add(_Place((turn, target) if is_greedy else (target, turn)))
        for _ in range(minimum):
            following = self._sequence(value[2], flags, following)
        return following

    def _at(self, value: Any, flags: int, target: int) -> int:
        r"""The condition of ^, $, \A, \Z, \b or \B."""
        newline = CharSet.single(0x0A)
        if value is op.AT_BEGINNING and flags & re.MULTILINE:
            ways = [(self._near(~newline, is_ahead=False, is_negated=True),)]
        elif value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            ways = [(self._near(ALL, is_ahead=False, is_negated=True),)]
        elif value is op.AT_END and flags & re.MULTILINE:
            ways = [(self._near(~newline, is_ahead=True, is_negated=True),)]
        elif value is op.AT_END:
            more = self._add(_Place((self._add(_Place((MATCH,), chars=ALL)),), chars=newline))
            other = self._add(_Place((MATCH,), chars=~newline))
            ways = [(_Look(self._add(_Place((more, other))), is_ahead=True, is_negated=True, width=2),)]
        elif value is op.AT_END_STRING:
            ways = [(self._near(ALL, is_ahead=True, is_negated=True),)]
        else:
            word = charset.words() if flags & re.UNICODE else charset.ASCII_WORD
            ways = [
                (
                    self._near(before, is_ahead=False, is_negated=False),
                    self._near(word, is_ahead=True, is_negated=(before is word) == (value is op.AT_BOUNDARY)),
                )
                for before in (word, ~word)
            ]
        return self._add(_Place(tuple(self._add(_Place((target,), looks=looks)) for looks in ways)))

    def _near(self, chars: CharSet, *, is_ahead: bool, is_negated: bool) -> _Look:
        return _Look(self._add(_Place((MATCH,), chars=chars)), is_ahead, is_negated)


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


class _Run:
    """All situations to which texts lead."""

    def __init__(self, places: _Places, pattern: str) -> None:
        self._places = places.all
        self._pattern = pattern
        self._behind = [look for place in places.all for look in place.looks if not look.is_ahead]
        self._reach = max((look.width for look in self._behind), default=0)
        self._partition = Partition({place.chars for place in places.all if place.chars is not None})
        self._masks = [0 if place.chars is None else self._partition.masks[place.chars] for place in places.all]
        past = tuple(self._spread([look.start]) for look in self._behind)
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
        forbidden = [self._forbidden(situation) for situation in todo]
        sure = _sure(edges, forbidden)
        endings: list[CharSet | None] = []
        for never, steps in zip(forbidden, edges, strict=True):
            if never is None:
                endings.append(None)
                continue
            for mask, target in steps:
                if target not in sure and (never & mask or (is_longest and any(forbidden))):
                    raise self._refused("a lookahead that looks more than a character beyond its terminal")
                if target in sure:  # `re` takes a longer text
                    never = never | mask if is_longest else never & ~mask
            endings.append(self._partition.charset(never) if never else NONE)
        charset_of = self._partition.charset
        return Lexeme.trimmed([[(charset_of(mask), target) for mask, target in steps] for steps in edges], endings)

    def _kinds(self, situation: _Situation) -> list[int]:
        """Sets of characters (masks) that make no difference here."""
        masks = {self._masks[place] for place, _ in situation.threads}
        whole = 0
        for mask in masks:
            whole |= mask
        for _, duties in situation.threads:
            masks.update(self._masks[place] for _, body in duties for place in body)
        masks.update(self._masks[place] for body in situation.past for place in body)
        kinds = [whole] if whole else []
        for mask in masks:
            kinds = [part for kind in kinds for part in (kind & mask, kind & ~mask) if part]
        return kinds

    def _step(self, situation: _Situation, bit: int) -> _Situation:
        past = tuple(
            self._spread([*self._read(body, bit), look.start])
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
            after = self._spread(self._read(body, bit))
            has_matched = MATCH in after
            if has_matched if is_negated else not after:
                return None
            if after and not has_matched:
                left.add((is_negated, after))
        return frozenset(left)

    def _spread(self, places: Iterable[int]) -> frozenset[int]:
        """The places that read a character, and MATCH, to which some places of the body of a condition lead."""
        todo, seen = list(places), set(places)
        while todo:
            place = self._places[todo.pop()]
            if place.looks:
                raise self._refused("a condition within a lookahead or lookbehind")
            for way in place.ways if place.chars is None else ():
                if way not in seen:
                    seen.add(way)
                    todo.append(way)
        return frozenset(place for place in seen if place == MATCH or self._masks[place])

    def _ordered(self, seeds: list[_Thread], past: tuple[frozenset[int], ...], depth: int) -> tuple[_Thread, ...]:
        """The threads to which some threads lead without reading, up to the first that has surely matched."""
        found: list[_Thread] = []
        seen: set[_Thread] = set()
        todo = seeds[::-1]
        while todo:
            number, duties = todo.pop()
            place = self._places[number]
            if (number, duties) in seen:
                if place.end >= 0:
                    todo.append((place.end, duties))
                continue
            seen.add((number, duties))
            if number == MATCH:
                found.append((number, duties))
                if not duties:
                    break
            elif place.chars is not None:
                if place.chars:
                    found.append((number, duties))
            else:
                kept = self._looked(place, duties, past, depth)
                if kept is not None:
                    todo += [(way, kept) for way in reversed(place.ways)]
        return tuple(found)

    def _looked(
        self, place: _Place, duties: frozenset[_Duty], past: tuple[frozenset[int], ...], depth: int
    ) -> frozenset[_Duty] | None:
        """The lookaheads to be decided behind a place; None if a condition fails there."""
        for look in place.looks:
            if look.is_ahead:
                body = self._spread([look.start])
                if MATCH not in body:
                    duties |= {(look.is_negated, body)}
                elif look.is_negated:
                    return None
            else:
                if depth < look.width:
                    raise self._refused("a lookbehind, ^, \\A or \\b that looks before its terminal")
                if (MATCH in past[self._behind.index(look)]) == look.is_negated:
                    return None
        return duties

    def _forbidden(self, situation: _Situation) -> int | None:
        """The characters (a mask) before which `re` does not match here; None if it never does."""
        matches = [duties for place, duties in situation.threads if place == MATCH]
        if not matches:
            return None
        never = (1 << self._partition.count) - 1
        for duties in matches:
            if any(not is_negated for is_negated, _ in duties):
                raise self._refused("a positive lookahead or \\b that looks beyond its terminal")
            forbidden = 0
            for k in range(self._partition.count if duties else 0):
                left = self._kept(duties, 1 << k)
                if left is None:
                    forbidden |= 1 << k
                elif left:
                    raise self._refused("a lookahead that looks more than a character beyond its terminal")
            never &= forbidden
        return never

    def _refused(self, feature: str) -> UnsupportedFeature:
        return UnsupportedFeature(
            feature, where=f"the terminal {self._pattern!r}", hint="say it in the terminal itself, or in its rules"
        )


def _sure(edges: list[list[tuple[int, int]]], forbidden: list[int | None]) -> set[int]:
    """The states from which, whatever follows, `re` matches there or farther on."""
    sure = {state for state, never in enumerate(forbidden) if never is not None}
    while True:
        unsure = set()
        for state in sure:
            never = forbidden[state] or 0
            for mask, target in edges[state]:
                if target in sure:
                    never &= ~mask
            if never:
                unsure.add(state)
        if not unsure:
            return sure
        sure -= unsure
