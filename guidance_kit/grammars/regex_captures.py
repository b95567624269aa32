"""Certain captures of the named groups of a pattern in a text that is still being written.

All ways in which `re.fullmatch` may match are run side by side, in the order in which it tries them, each with the
places at which groups have begun and ended (Laurikari, "NFAs with tagged transitions", 2000). Of a whole text the
first way that matches counts; what is certain of a beginning is what the first ways of all texts have in common that
begin so. These are found by going on from there until nothing new comes up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

from guidance_kit.errors import LimitError, MatchError, OptionError, UnsupportedFeature
from guidance_kit.grammars.context_free.places import MATCH, Places
from guidance_kit.grammars.context_free.threads import Situation, Threads, Trail
from guidance_kit.grammars.regular.parse import Reader, read_tree

__all__ = ["GroupReader"]

MAX_SITUATIONS = 5_000
"""Situations that are looked at to see what is certain."""

_LATER = -1
"""Instead of the number of what a group has matched: nothing yet, or something that begins later."""

_Matched = tuple[int, int]
"""Span of a group; -1 where it has not begun or ended."""

_NONE: _Matched = (-1, -1)


class GroupReader:
    """Reads a text, piece by piece.

    Args:
        pattern, flags: the pattern.
        names: of the groups; None for all.
    Raises:
        OptionError: no group has such a name.
        UnsupportedFeature: the pattern has something whose ways cannot be followed.
        LimitError: it is too large.
    """

    def __init__(self, pattern: str, flags: int, names: Iterable[str] | None) -> None:
        self._pattern = pattern
        self._ways = _Ways.of(pattern, flags)
        groups = self._ways.groups
        chosen = list(groups) if names is None else list(names)
        for name in chosen:
            if name not in groups:
                raise OptionError.unknown(name, groups, "group")
        self._groups = {name: groups[name] for name in chosen}
        self._text = ""
        self._number = 0
        self._matched = [_passed({}, marks, 0) for _, marks in self._ways.threads.start_trails]

    def read(self, piece: str) -> None:
        """Read on.

        Raises:
            MatchError: no text of the pattern begins so.
        """
        ways, place = self._ways, len(self._text)
        self._text += piece
        for character in piece:
            place += 1
            kind = ways.threads.partition.class_of(ord(character))
            try:
                found = None if kind is None else ways.step(self._number, 1 << kind)
            except UnsupportedFeature as error:
                raise _refused(error, self._pattern) from None
            if found is None:
                raise MatchError(f"no text of the pattern {self._pattern[:200]!r} begins with {self._text[:200]!r}")
            self._number, trails = found
            self._matched = [_passed(self._matched[origin], marks, place) for origin, marks in trails]

    def captures(self, *, is_whole: bool = False) -> dict[str, str | None]:
        """For each group the text that it surely begins with; None if it is not certain where, or whether, it begins.

        Args:
            is_whole: whether the text ends here.
        Raises:
            MatchError: no text of the pattern begins so, or ends so.
            LimitError: it takes too long to see.
        """
        try:
            return self._of_whole() if is_whole else self._of_beginning()
        except UnsupportedFeature as error:
            raise _refused(error, self._pattern) from None

    def _of_whole(self) -> dict[str, str | None]:
        first = self._ways.first(self._number)
        if first is None:
            raise MatchError(f"the text {self._text[:200]!r} does not match the pattern {self._pattern[:200]!r}")
        spans = {name: self._matched[first].get(group, _NONE) for name, group in self._groups.items()}
        return {name: None if begin < 0 else self._text[begin:end] for name, (begin, end) in spans.items()}

    def _of_beginning(self) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for name, group in self._groups.items():
            each = [matched.get(group, _NONE) for matched in self._matched]
            ordered = sorted(set(each) - {_NONE})
            begins = tuple(begin for begin, _ in ordered)
            possible = self._ways.possible(
                group,
                self._number,
                tuple(_LATER if one == _NONE else ordered.index(one) for one in each),
                tuple(begins.index(begin) for begin in begins),
            )
            if not possible:
                raise MatchError(f"no text of the pattern {self._pattern[:200]!r} begins with {self._text[:200]!r}")
            if _LATER in possible or len({begins[one] for one in possible}) > 1:
                found[name] = None
            else:
                ends = [ordered[one][1] for one in possible]
                found[name] = self._text[begins[min(possible)] : min(len(self._text) if e < 0 else e for e in ends)]
        return found


def _refused(error: UnsupportedFeature, pattern: str) -> UnsupportedFeature:
    return UnsupportedFeature(
        f"{error.feature.removesuffix(' in a terminal')} while a text is written",
        where=f"groups of the pattern {pattern[:200]!r}",
        hint="ask for the captures of the whole text",
    )


def _passed(matched: Mapping[int, _Matched], marks: tuple[int, ...], place: int) -> dict[int, _Matched]:
    """Captures of groups behind some marks."""
    found = dict(matched)
    for mark in marks:
        group, is_end = divmod(mark, 2)
        found[group] = (found[group][0], place) if is_end else (place, -1)
    return found


class _Ways:
    """The situations of a pattern by number, and how they lead to each other.

    Attributes:
        groups: the number of each named group.
        threads: of the pattern.
    """

    def __init__(self, reader: Reader, tree: Any, flags: int, *, pattern: str) -> None:
        self.groups: dict[str, int] = dict(tree.state.groupdict)
        places = Places(reader, tree, flags, frozenset(self.groups.values()))
        self.threads = Threads(places, pattern, is_whole=True)
        self._situations = [self.threads.start]
        self._numbers = {self.threads.start: 0}
        self._steps: dict[tuple[int, int], tuple[int, tuple[Trail, ...]] | None] = {}
        self._firsts: dict[int, int | None] = {}
        self._leading = {group: _leading_to(places, 2 * group) for group in self.groups.values()}
        self._possible: dict[tuple[Any, ...], frozenset[int]] = {}

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, pattern: str, flags: int) -> _Ways:
        """The ways of a pattern.

        Raises:
            UnsupportedFeature, LimitError: see `GroupReader`.
        """
        try:
            return read_tree(pattern, flags, partial(cls, pattern=pattern))
        except UnsupportedFeature as error:
            raise _refused(error, pattern) from None

    def step(self, number: int, bit: int) -> tuple[int, tuple[Trail, ...]] | None:
        """The situation after a character, with the trails of its threads; None if no thread is left."""
        key = number, bit
        if key not in self._steps:
            after, trails = self.threads.traced(self._situations[number], bit)
            self._steps[key] = (self._number(after), trails) if after.threads else None
        return self._steps[key]

    def _number(self, situation: Situation) -> int:
        number = self._numbers.setdefault(situation, len(self._situations))
        if number == len(self._situations):
            self._situations.append(situation)
        return number

    def first(self, number: int) -> int | None:
        """The first thread that matches if the text ends here."""
        if number not in self._firsts:
            self._firsts[number] = next(
                (
                    k
                    for k, (place, duties) in enumerate(self._situations[number].threads)
                    if place == MATCH and all(map(self._holds_at_end, duties))
                ),
                None,
            )
        return self._firsts[number]

    def _holds_at_end(self, duty: tuple[bool, frozenset[int]]) -> bool:
        is_negated, body = duty
        return any(self.threads.matches_before(place, 0) for place in body) != is_negated

    def possible(self, group: int, number: int, each: tuple[int, ...], begins: tuple[int, ...]) -> frozenset[int]:
        """Possible captures of a group here in a text that goes on in any way.

        Args:
            group: the group.
            number: of the situation.
            each: of each thread what the group has matched in it, by number; _LATER if nothing.
            begins: of each number where that begins, by number.
        Returns:
            Numbers, all of them unless that is not certain: then some, _LATER or two that begin at different places.
            Empty if no text goes on from here.
        Raises:
            LimitError: it takes too long to see.
        """
        key = group, number, each, begins
        found = self._possible.get(key)
        if found is None:
            found = self._possible[key] = frozenset(self._explored(group, number, each, begins))
        return found

    def _explored(self, group: int, number: int, each: tuple[int, ...], begins: tuple[int, ...]) -> set[int]:
        found = set[int]()
        todo, seen = [(number, each)], {(number, each)}
        for number, each in todo:  # grows meanwhile
            if len(todo) > MAX_SITUATIONS:
                raise LimitError("max_situations", MAX_SITUATIONS, where="what a group may match yet")
            if found.issuperset(each) and found and not self._may_begin(group, number):
                continue  # nothing new comes up from here
            first = self.first(number)
            if first is not None:
                found.add(each[first])
                if _LATER in found or len({begins[one] for one in found}) > 1:
                    break
            situation = self._situations[number]
            for mask in self.threads.kinds(situation):
                step = self.step(number, mask & -mask)
                if step is None:
                    continue
                after, trails = step
                there = after, tuple(_LATER if 2 * group in marks else each[origin] for origin, marks in trails)
                if there not in seen:
                    seen.add(there)
                    todo.append(there)
        return found

    def _may_begin(self, group: int, number: int) -> bool:
        """Test whether a group may begin behind a situation."""
        leading = self._leading[group]
        return any(place in leading for place, _ in self._situations[number].threads)


def _leading_to(places: Places, mark: int) -> set[int]:
    """The places from which a mark may be passed."""
    before: dict[int, list[int]] = {}
    for number, place in enumerate(places.all):
        for way in (*place.ways, *([place.end] if place.end >= 0 else [])):
            before.setdefault(way, []).append(number)
    todo = [number for number, place in enumerate(places.all) if place.mark == mark]
    found = set(todo)
    while todo:
        for number in before.get(todo.pop(), ()):
            if number not in found:
                found.add(number)
                todo.append(number)
    return found
