"""Scanning of terminals: side by side, each until one that is tried before it has surely matched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from guidance_kit.grammars.context_free.places import MATCH
from guidance_kit.grammars.context_free.threads import Duty, Situation, Threads

__all__ = ["IGNORED", "Ban", "Duties", "Look", "Rows", "Scanner", "Situations"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanner:
    """Scanner for some terminals.

    Args:
        order: the terminals whose patterns are tried, in that order.
        keywords: for a terminal those others that it is taken for if it has just their text, the first that fits.
    """

    order: tuple[str, ...]
    keywords: Mapping[str, tuple[str, ...]]


class Situations:
    """The situations of one terminal, by number."""

    def __init__(self, threads: Threads) -> None:
        self.threads = threads
        self._numbers: dict[Situation, int] = {}
        self.situations: list[Situation] = []
        self._steps: dict[int, list[tuple[int, bool]]] = {}
        self.start = self.number(threads.start)

    def number(self, situation: Situation) -> int:
        """The number of a situation."""
        number = self._numbers.setdefault(situation, len(self.situations))
        if number == len(self.situations):
            self.situations.append(situation)
        return number

    def step(self, number: int, kind: int) -> tuple[int, bool]:
        """The situation after a character of a class (-1 if nothing can match any more), and whether it has matched.

        It has matched, here or before, if that depends on nothing that follows.
        """
        return self.steps(number)[kind]

    def steps(self, number: int) -> list[tuple[int, bool]]:
        """The same for all classes."""
        found = self._steps.get(number)
        if found is None:
            situation = self.situations[number]
            found = self._steps[number] = [(-1, False)] * self.threads.partition.count
            for mask in self.threads.kinds(situation, with_unread=True):
                after = self._after(situation, mask & -mask)
                while mask:
                    found[(mask & -mask).bit_length() - 1] = after
                    mask &= mask - 1
        return found

    def _after(self, situation: Situation, bit: int) -> tuple[int, bool]:
        after = self.threads.step(situation, bit, remembers=True)
        is_sure = bool(after.threads) and not after.threads[-1][1] and after.threads[-1][0] in self._matched
        if after.threads and after.threads[-1] == (self.threads.done, frozenset()):
            after = after._replace(threads=after.threads[:-1])
        return (self.number(after) if after.threads else -1), is_sure

    @property
    def _matched(self) -> tuple[int, int]:
        return MATCH, self.threads.done

    def matches(self, number: int) -> Iterator[tuple[Situation, frozenset[Duty]]]:
        """The threads that match in a situation: those before it, and the lookaheads that must hold."""
        situation = self.situations[number]
        for k, (place, lookaheads) in enumerate(situation.threads):
            if place == MATCH:
                yield situation._replace(threads=situation.threads[:k]), lookaheads

    def is_matched(self, number: int) -> bool:
        """Test whether it matches in a situation, whatever follows."""
        return (MATCH, frozenset()) in self.situations[number].threads

    def matches_at_end(self, number: int) -> bool:
        """Test whether one of the threads of a situation matches if the text ends."""
        return any(
            place in self._matched and all(self.holds_at_end(duty) for duty in lookaheads)
            for place, lookaheads in self.situations[number].threads
        )

    def holds_at_end(self, duty: Duty) -> bool:
        """Test whether a lookahead holds if the text ends."""
        is_negated, body = duty
        return any(self.threads.matches_before(place, 0) for place in body) != is_negated


Ban = tuple[str, int]
"""A terminal and one of its situations: none of its threads may come to match."""

Look = tuple[str, Duty]
"""A lookahead of a terminal that must hold."""

IGNORED = ""
"""The name of all that is ignored."""

Duties = frozenset[Ban | Look]

_Row = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]
"""The situations of the terminals of a lexer that may still match, and of those that others may be taken for."""


_Steps = list[tuple[str, list[tuple[int, bool]]]]
"""For terminals the situations after each class of characters; see `Situations.steps`."""


class Rows:
    """All terminals of a scanner side by side, by the number of a row."""

    def __init__(
        self, scanner: Scanner, ignored: frozenset[str], terminals: Mapping[str, Situations], count: int
    ) -> None:
        self._count = count  # of classes of characters
        self.names = {*scanner.order, *(word for words in scanner.keywords.values() for word in words)}
        self._scanner = scanner
        self._ignored = ignored
        self._terminals = terminals
        names = {word for words in scanner.keywords.values() for word in words}
        start = (
            tuple((name, terminals[name].start) for name in scanner.order),
            tuple((name, terminals[name].start) for name in sorted(names)),
        )
        self._numbers: dict[_Row, int] = {start: 0}
        self._rows = [start]
        self._steps: dict[int, list[int]] = {}
        self._ends: dict[int, list[tuple[str, Duties]]] = {}

    def steps(self, number: int) -> list[int]:
        """The row after a character of each class; -1 if nothing longer can match."""
        found = self._steps.get(number)
        if found is None:
            tried, words = self._rows[number]
            ahead = [(name, self._terminals[name].steps(situation)) for name, situation in tried]
            behind = [(name, self._terminals[name].steps(situation)) for name, situation in words]
            found = self._steps[number] = [self._after(ahead, behind, kind) for kind in range(self._count)]
        return found

    def _after(
        self,
        ahead: list[tuple[str, list[tuple[int, bool]]]],
        behind: list[tuple[str, list[tuple[int, bool]]]],
        kind: int,
    ) -> int:
        left: list[tuple[str, int]] = []
        for name, steps in ahead:
            after, is_sure = steps[kind]
            if after >= 0:
                left.append((name, after))
            if is_sure:
                break
        if not left:
            return -1
        words: list[tuple[str, int]] = []
        if behind:
            alive = {word for name, _ in left for word in self._scanner.keywords.get(name, ())}
            words = [(name, steps[kind][0]) for name, steps in behind if steps[kind][0] >= 0 and name in alive]
        row = tuple(left), tuple(words)
        found = self._numbers.setdefault(row, len(self._rows))
        if found == len(self._rows):
            self._rows.append(row)
        return found

    def ends(self, number: int) -> list[tuple[str, Duties]]:
        """The terminals (IGNORED for what is ignored) that may have been read, and what must not follow them then."""
        found = self._ends.get(number)
        if found is None:
            found = self._ends[number] = []
            tried, words = self._rows[number]
            before: set[Ban | Look] = set()
            for name, situation in tried:
                terminal = self._terminals[name]
                for ahead, lookaheads in terminal.matches(situation):
                    duties = {*before, *((name, duty) for duty in lookaheads)}
                    if ahead.threads:
                        duties.add((name, terminal.number(ahead)))
                    found.append((self._type(name, dict(words)), frozenset(duties)))
                if terminal.is_matched(situation):
                    break
                before.add((name, situation))
        return found

    def takes_for(self, name: str, word: str) -> bool:
        """Test whether a terminal is taken for another one if it has just its text."""
        return name not in self._ignored and word in self._scanner.keywords.get(name, ())

    def _type(self, name: str, words: Mapping[str, int]) -> str:
        if name in self._ignored:
            return IGNORED
        for word in self._scanner.keywords.get(name, ()):
            if word in words and self._terminals[word].is_matched(words[word]):
                return word
        return name
