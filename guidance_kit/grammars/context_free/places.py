"""A pattern as places, between which ways lead in the order in which `re` tries them."""

from __future__ import annotations

import re
import re._constants as op  # pyright: ignore[reportMissingImports]
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.regular import charset
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.parse import Reader, combined_flags, turns

__all__ = ["MATCH", "Look", "Place", "Places"]

MAX_PLACES = 50_000
"""Places of one pattern, its repetitions written out."""


class Look(NamedTuple):
    """A condition: whether a body that begins at the place `start` matches, ahead or behind."""

    start: int
    is_ahead: bool
    is_negated: bool
    width: int = 1


class Place(NamedTuple):
    """A place in a pattern.

    Attributes:
        ways: where to go on, in the order of trying.
        chars: a character of these is read first; None if nothing is read.
        looks: conditions that must all hold here.
        end, before: where a turn of a repetition may begin that need not read anything: the place behind the
            repetition, and the place where the turn before began (-1 for the first). `re` tries no other turn after one
            that has read nothing. -1 for all other places.
        mark: where group g begins, 2 g; where it ends, 2 g + 1; -1 for all other places.
    """

    ways: tuple[int, ...] = ()
    chars: CharSet | None = None
    looks: tuple[Look, ...] = ()
    end: int = -1
    before: int = -1
    mark: int = -1


MATCH = 0
"""The place at which a pattern, or the body of a condition, has matched."""


class Places:
    """A pattern as places, written from its end.

    Args:
        reader, tree, flags: of the pattern, see `read_tree`.
        marked: the groups, by number, whose beginnings and ends are places.
    """

    def __init__(self, reader: Reader, tree: Any, flags: int, marked: AbstractSet[int] = frozenset()) -> None:
        self._reader = reader
        self._marked = marked
        self.all: list[Place] = [Place()]
        self.start = self._sequence(tree, flags, MATCH)

    @property
    def charsets(self) -> set[CharSet]:
        """The sets of characters that are read."""
        return {place.chars for place in self.all if place.chars is not None}

    def _add(self, place: Place) -> int:
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
            return self._add(Place((target,), chars=chars))
        if kind is op.SUBPATTERN:
            group, added, removed, body = value
            if group not in self._marked:
                return self._sequence(body, combined_flags(flags, added, removed), target)
            end = self._add(Place((target,), mark=2 * group + 1))
            start = self._sequence(body, combined_flags(flags, added, removed), end)
            return self._add(Place((start,), mark=2 * group))
        if kind is op.BRANCH:
            return self._add(Place(tuple(self._sequence(branch, flags, target) for branch in value[1])))
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            return self._repetition(value, flags, target, is_greedy=kind is op.MAX_REPEAT)
        if kind is op.AT:
            return self._at(value, flags, target)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            direction, body = value
            start = self._sequence(body, flags, MATCH)
            look = Look(start, direction > 0, kind is op.ASSERT_NOT, int(body.getwidth()[1]))
            return self._add(Place((target,), looks=(look,)))
        if kind is op.FAILURE:
            return self._add(Place())
        raise UnsupportedFeature(
            f"{str(kind).lower().replace('_', ' ')} in a terminal", where=repr(self._reader.written.origin)
        )

    def _repetition(self, value: Any, flags: int, target: int, *, is_greedy: bool) -> int:
        minimum, maximum = turns(value)
        end = target if value[2].getwidth()[0] == 0 else -1
        following = target
        if maximum == UNBOUNDED:
            following = self._add(Place())
            turn = self._sequence(value[2], flags, following)
            self.all[following] = Place((turn, target) if is_greedy else (target, turn), end=end, before=following)
        for _ in range(maximum - minimum):
            turn = self._sequence(value[2], flags, following)
            head = self._add(Place((turn, target) if is_greedy else (target, turn), end=end))
            if following != target:
                self.all[following] = self.all[following]._replace(before=head)
            following = head
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
            more = self._add(Place((self._add(Place((MATCH,), chars=ALL)),), chars=newline))
            other = self._add(Place((MATCH,), chars=~newline))
            ways = [(Look(self._add(Place((more, other))), is_ahead=True, is_negated=True, width=2),)]
        elif value is op.AT_END_STRING:
            ways = [(self._near(ALL, is_ahead=True, is_negated=True),)]
        else:
            word = charset.words() if flags & re.UNICODE else charset.ASCII_WORD
            ways = [
                (
                    self._near(word, is_ahead=False, is_negated=not is_behind),
                    self._near(word, is_ahead=True, is_negated=is_behind == (value is op.AT_BOUNDARY)),
                )
                for is_behind in (True, False)
            ]
        return self._add(Place(tuple(self._add(Place((target,), looks=looks)) for looks in ways)))

    def _near(self, chars: CharSet, *, is_ahead: bool, is_negated: bool) -> Look:
        return Look(self._add(Place((MATCH,), chars=chars)), is_ahead, is_negated)
