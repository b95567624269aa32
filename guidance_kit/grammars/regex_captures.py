"""Captures of the named groups of a pattern in a prefix of a text.

Threads follow all possible matches of `re.fullmatch` at once, by priority, each with the positions at which groups
start and end. In a whole text the first thread that matches has the captures. In a prefix, captures are certain if the
first matching threads of all completions agree; these are found by a search of the states from there on.

Source: Laurikari, "NFAs with tagged transitions", 2000.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

from guidance_kit.errors import LimitError, MatchError, OptionError, UnsupportedFeature
from guidance_kit.grammars.context_free.pattern_nfa import MATCH, PatternNfa
from guidance_kit.grammars.context_free.threads import ThreadList, Threads, Trail
from guidance_kit.grammars.regular.parse import TreeReader, read_tree

__all__ = ["GroupReader"]

MAX_PRODUCT_STATES = 5_000
"""States of the search for certain captures."""

_LATER = -1
"""Number of a capture that has not started, or starts again later."""

_Matched = tuple[int, int]
"""Span of a group; -1 where it has not begun or ended."""

_NONE: _Matched = (-1, -1)


class GroupReader:
    """Incremental reader of the captures of groups; see `CaptureReader`.

    Args:
        pattern, flags: the pattern.
        names: of the groups; None for all.
    Raises:
        OptionError: no group has such a name.
        UnsupportedFeature: threads cannot follow a part of the pattern.
        LimitError: it is too large.
    """

    def __init__(self, pattern: str, flags: int, names: Iterable[str] | None) -> None:
        self._pattern = pattern
        self._dfa = _GroupDfa.of(pattern, flags)
        groups = self._dfa.groups
        chosen = list(groups) if names is None else list(names)
        for name in chosen:
            if name not in groups:
                raise OptionError.unknown(name, groups, "group")
        self._groups = {name: groups[name] for name in chosen}
        self._text = ""
        self._number = 0
        self._matched = [_passed({}, marks, 0) for _, marks in self._dfa.threads.start_trails]

    def read(self, piece: str) -> None:
        """Read the next piece of the text.

        Raises:
            MatchError: no text of the pattern has this prefix.
        """
        dfa, position = self._dfa, len(self._text)
        self._text += piece
        for character in piece:
            position += 1
            kind = dfa.threads.partition.class_of(ord(character))
            try:
                found = None if kind is None else dfa.step(self._number, 1 << kind)
            except UnsupportedFeature as error:
                raise _refused(error, self._pattern) from None
            if found is None:
                raise MatchError(f"no text of the pattern {self._pattern[:200]!r} begins with {self._text[:200]!r}")
            self._number, trails = found
            self._matched = [_passed(self._matched[origin], marks, position) for origin, marks in trails]

    def captures(self, *, is_whole: bool = False) -> dict[str, str | None]:
        """Certain prefix of the capture of each group; None if its start is not certain.

        Args:
            is_whole: whether the text ends here.
        Raises:
            MatchError: no text of the pattern has this prefix, or is this text.
            LimitError: the search takes too long.
        """
        try:
            return self._of_whole() if is_whole else self._of_beginning()
        except UnsupportedFeature as error:
            raise _refused(error, self._pattern) from None

    def _of_whole(self) -> dict[str, str | None]:
        first = self._dfa.first(self._number)
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
            possible = self._dfa.possible(
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


def _passed(matched: Mapping[int, _Matched], marks: tuple[int, ...], position: int) -> dict[int, _Matched]:
    """Captures of groups after some marks."""
    found = dict(matched)
    for mark in marks:
        group, is_end = divmod(mark, 2)
        found[group] = (found[group][0], position) if is_end else (position, -1)
    return found


class _GroupDfa:
    """Lazy DFA of a pattern with trails of its threads; its states are thread lists, by number.

    Attributes:
        groups: the number of each named group.
        threads: of the pattern.
    """

    def __init__(self, reader: TreeReader, tree: Any, flags: int, *, pattern: str) -> None:
        self.groups: dict[str, int] = dict(tree.state.groupdict)
        nfa = PatternNfa(reader, tree, flags, frozenset(self.groups.values()))
        self.threads = Threads(nfa, pattern, is_whole=True)
        self._lists = [self.threads.start]
        self._numbers = {self.threads.start: 0}
        self._steps: dict[tuple[int, int], tuple[int, tuple[Trail, ...]] | None] = {}
        self._firsts: dict[int, int | None] = {}
        self._leading = {group: _leading_to(nfa, 2 * group) for group in self.groups.values()}
        self._possible: dict[tuple[Any, ...], frozenset[int]] = {}

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, pattern: str, flags: int) -> _GroupDfa:
        """Cached DFA of a pattern.

        Raises:
            UnsupportedFeature, LimitError: see `GroupReader`.
        """
        try:
            return read_tree(pattern, flags, partial(cls, pattern=pattern))
        except UnsupportedFeature as error:
            raise _refused(error, pattern) from None

    def step(self, number: int, bit: int) -> tuple[int, tuple[Trail, ...]] | None:
        """State after a character, with the trails of its threads; None if no thread is left."""
        key = number, bit
        if key not in self._steps:
            after, trails = self.threads.traced(self._lists[number], bit)
            self._steps[key] = (self._number(after), trails) if after.threads else None
        return self._steps[key]

    def _number(self, current: ThreadList) -> int:
        number = self._numbers.setdefault(current, len(self._lists))
        if number == len(self._lists):
            self._lists.append(current)
        return number

    def first(self, number: int) -> int | None:
        """The first thread that matches if the text ends here."""
        if number not in self._firsts:
            self._firsts[number] = next(
                (
                    k
                    for k, (state, lookaheads) in enumerate(self._lists[number].threads)
                    if state == MATCH and all(map(self._holds_at_end, lookaheads))
                ),
                None,
            )
        return self._firsts[number]

    def _holds_at_end(self, lookahead: tuple[bool, frozenset[int]]) -> bool:
        is_negated, body = lookahead
        return any(self.threads.matches_before(state, 0) for state in body) != is_negated

    def possible(self, group: int, number: int, each: tuple[int, ...], begins: tuple[int, ...]) -> frozenset[int]:
        """Possible captures of a group in all completions of the text.

        Args:
            group: the group.
            number: of the state.
            each: number of the capture of the group in each thread; _LATER if it has none.
            begins: number of the start of each capture.
        Returns:
            Numbers of captures: all, or only as many as show that the start is not certain: _LATER, or two with
            different starts. Empty if the text has no completion.
        Raises:
            LimitError: the search takes too long.
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
            if len(todo) > MAX_PRODUCT_STATES:
                raise LimitError("max_product_states", MAX_PRODUCT_STATES, where="what a group may match yet")
            if found.issuperset(each) and found and not self._may_begin(group, number):
                continue  # no new capture from here on
            first = self.first(number)
            if first is not None:
                found.add(each[first])
                if _LATER in found or len({begins[one] for one in found}) > 1:
                    break
            current = self._lists[number]
            for mask in self.threads.kinds(current):
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
        """Test whether a group may start after a state."""
        leading = self._leading[group]
        return any(state in leading for state, _ in self._lists[number].threads)


def _leading_to(nfa: PatternNfa, mark: int) -> set[int]:
    """States of the NFA from which a mark may be passed."""
    before: dict[int, list[int]] = {}
    for number, state in enumerate(nfa.states):
        for target in (*state.targets, *([state.end] if state.end >= 0 else [])):
            before.setdefault(target, []).append(number)
    todo = [number for number, state in enumerate(nfa.states) if state.mark == mark]
    found = set(todo)
    while todo:
        for number in before.get(todo.pop(), ()):
            if number not in found:
                found.add(number)
                todo.append(number)
    return found
