"""Scanning of terminals by lazy DFAs, in parallel, each up to a certain match of one of higher priority."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from guidance_kit.grammars.context_free.pattern_nfa import MATCH
from guidance_kit.grammars.context_free.threads import PendingLookahead, ThreadList, Threads

__all__ = [
    "IGNORED",
    "MATCHED",
    "Exclusion",
    "LexerDfa",
    "Obligations",
    "PathDfa",
    "Requirement",
    "Scanner",
    "TerminalDfa",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanner:
    """Scanner for some terminals.

    Args:
        order: terminals by priority.
        keywords: for a terminal the keywords that it is replaced by if it has exactly their text, by priority.
    """

    order: tuple[str, ...]
    keywords: Mapping[str, tuple[str, ...]]


MATCHED = -2
"""State of a terminal from its first match on."""

_Step = tuple[int, int, bool]
"""Classes of characters (a mask), the state after one of them, and whether the terminal has certainly matched."""


class TerminalDfa:
    """Lazy DFA of one terminal: its states are thread lists, by number."""

    def __init__(self, threads: Threads) -> None:
        self.threads = threads
        self._numbers: dict[ThreadList, int] = {}
        self.lists: list[ThreadList] = []
        self._steps: dict[int, list[_Step]] = {}
        self._until_match: dict[int, list[tuple[int, int]]] = {}
        self.start = self.number(threads.start)

    def number(self, threads: ThreadList) -> int:
        """Number of the state of a thread list."""
        number = self._numbers.setdefault(threads, len(self.lists))
        if number == len(self.lists):
            self.lists.append(threads)
        return number

    def step(self, number: int, kind: int) -> tuple[int, bool]:
        """State after a character of a class, -1 if nothing can match any more, and whether it has certainly matched.

        A match here or before is certain if it does not depend on the following text.
        """
        return next(((after, is_sure) for mask, after, is_sure in self.steps(number) if mask >> kind & 1), (-1, False))

    def steps(self, number: int) -> list[_Step]:
        """Results of `step` that are not (-1, False), each with the classes (a mask) that have it."""
        found = self._steps.get(number)
        if found is None:
            threads = self.lists[number]
            found = self._steps[number] = []
            has_matched = any(state in self._matched for state, _ in threads.threads)
            for mask in self.threads.kinds(threads, with_unread=has_matched):
                after, is_sure = self._after(threads, mask & -mask)
                if after >= 0 or is_sure:
                    found.append((mask, after, is_sure))
        return found

    def until_match(self, number: int) -> list[tuple[int, int]]:
        """States after a character, MATCHED if it matches there, each with the classes (a mask) that lead there."""
        found = self._until_match.get(number)
        if found is None:
            found = self._until_match[number] = [
                (mask, MATCHED if any(self.matches(after)) else after)
                for mask, after, _ in self.steps(number)
                if after >= 0
            ]
        return found

    def _after(self, threads: ThreadList, bit: int) -> tuple[int, bool]:
        after = self.threads.step(threads, bit, remembers=True)
        is_sure = bool(after.threads) and not after.threads[-1][1] and after.threads[-1][0] in self._matched
        if after.threads and after.threads[-1] == (self.threads.done, frozenset()):
            after = after._replace(threads=after.threads[:-1])
        return (self.number(after) if after.threads else -1), is_sure

    @property
    def _matched(self) -> tuple[int, int]:
        return MATCH, self.threads.done

    def matches(self, number: int) -> Iterator[tuple[ThreadList, frozenset[PendingLookahead]]]:
        """Matching threads of a state: the threads of higher priority, and the lookaheads that must hold."""
        threads = self.lists[number]
        for k, (state, lookaheads) in enumerate(threads.threads):
            if state == MATCH:
                yield threads._replace(threads=threads.threads[:k]), lookaheads

    def is_matched(self, number: int) -> bool:
        """Test whether it matches in a state, whatever follows."""
        return (MATCH, frozenset()) in self.lists[number].threads

    def matches_at_end(self, number: int) -> bool:
        """Test whether one of the threads of a state matches if the text ends."""
        return any(
            state in self._matched and all(self.holds_at_end(lookahead) for lookahead in lookaheads)
            for state, lookaheads in self.lists[number].threads
        )

    def holds_at_end(self, lookahead: PendingLookahead) -> bool:
        """Test whether a lookahead holds if the text ends."""
        is_negated, body = lookahead
        return any(self.threads.matches_before(state, 0) for state in body) != is_negated


class PathDfa(TerminalDfa):
    """DFA of a terminal of one character of each of some sets; its states are the numbers of characters read.

    It has no thread lists: nothing has priority over its only match.

    Args:
        characters: the sets, as classes (masks).
        everything: all classes (a mask).
    """

    def __init__(self, characters: Sequence[int], everything: int) -> None:
        self.start, self._end = 0, len(characters)
        self._until_match: dict[int, list[tuple[int, int]]] = {}
        self._all_steps: list[list[_Step]] = [
            [(mask, number, number == self._end)] if mask else [] for number, mask in enumerate(characters, 1)
        ]
        self._all_steps.append([(everything, -1, True)])

    def steps(self, number: int) -> list[_Step]:
        """See `TerminalDfa`."""
        return self._all_steps[number]

    def matches(self, number: int) -> Iterator[tuple[ThreadList, frozenset[PendingLookahead]]]:
        """See `TerminalDfa`."""
        if number == self._end:
            yield ThreadList((), (), 0), frozenset()

    def is_matched(self, number: int) -> bool:
        """See `TerminalDfa`."""
        return number == self._end

    def matches_at_end(self, number: int) -> bool:
        """See `TerminalDfa`."""
        return number == self._end


Exclusion = tuple[str, int]
"""A terminal and a state of its DFA: none of the threads may match in the following text."""

Requirement = tuple[str, PendingLookahead]
"""A terminal and one of its lookaheads, which must hold."""

IGNORED = ""
"""Name of all ignored terminals."""

Obligations = frozenset[Exclusion | Requirement]
"""Conditions on the text after a terminal."""

_Live = tuple[tuple[str, int], ...]
"""States of some terminals."""

_Row = tuple[_Live, _Live]
"""States of the terminals of a lexer that may still match, and of keywords that may replace them."""

_Part = tuple[int, _Live]
"""Classes of characters (a mask), and states after one of them."""


class LexerDfa:
    """Lazy DFA of all lexers of a grammar: its states are rows of states of terminals, by number.

    Behind a few characters lexers mostly have the same rows.

    Args:
        keywords: of the scanner for all terminals.
        ignored: ignored terminals.
        terminals: all terminals.
    """

    def __init__(
        self, keywords: Mapping[str, tuple[str, ...]], ignored: frozenset[str], terminals: Mapping[str, TerminalDfa]
    ) -> None:
        self._keywords = keywords
        self._ignored = ignored
        self._terminals = terminals
        self._numbers: dict[_Row, int] = {}
        self._rows: list[_Row] = []
        self._groups: dict[int, list[tuple[int, int]]] = {}
        self._ends: dict[int, list[tuple[str, Obligations]]] = {}

    def start(self, scanner: Scanner) -> int:
        """Number of the start state of the lexer with a scanner."""
        words = {word for words in scanner.keywords.values() for word in words}
        return self._number((self._started(scanner.order), self._started(sorted(words))))

    def _started(self, names: Iterable[str]) -> _Live:
        return tuple([(name, self._terminals[name].start) for name in names])

    def _number(self, row: _Row) -> int:
        number = self._numbers.setdefault(row, len(self._rows))
        if number == len(self._rows):
            self._rows.append(row)
        return number

    def groups(self, number: int) -> list[tuple[int, int]]:
        """States after a character, each with the classes (a mask) that lead there."""
        found = self._groups.get(number)
        if found is None:
            tried, words = self._rows[number]
            parts: list[_Part] = []
            decided = 0  # classes after which one has certainly matched
            for name, state in tried:
                for mask, after, is_sure in self._terminals[name].steps(state):
                    if after >= 0 and mask & ~decided:
                        _split(parts, mask & ~decided, (name, after))
                    if is_sure:
                        decided |= mask
            masks: dict[int, int] = {}
            for mask, row in self._with_words(parts, words):
                following = self._number(row)
                masks[following] = masks.get(following, 0) | mask
            found = self._groups[number] = list(masks.items())
        return found

    def _with_words(self, parts: list[_Part], words: _Live) -> Iterator[tuple[int, _Row]]:
        """States of the terminals after a character, and of the keywords that may replace one of these."""
        for part, left in parts:
            replaceable = {word for name, _ in left for word in self._keywords.get(name, ())} if words else ()
            behind: list[_Part] = [(part, ())]
            for name, state in words:
                for mask, after, _ in self._terminals[name].steps(state):
                    if name in replaceable and after >= 0 and mask & part:
                        _split(behind, mask & part, (name, after))
            for mask, alive in behind:
                yield mask, (left, alive)

    def ends(self, number: int) -> list[tuple[str, Obligations]]:
        """Terminals (or IGNORED) that may end in a state, and their obligations."""
        found = self._ends.get(number)
        if found is None:
            found = self._ends[number] = []
            tried, words = self._rows[number]
            before: set[Exclusion | Requirement] = set()
            for name, state in tried:
                terminal = self._terminals[name]
                for ahead, lookaheads in terminal.matches(state):
                    obligations = {*before, *((name, obligation) for obligation in lookaheads)}
                    if ahead.threads:
                        obligations.add((name, terminal.number(ahead)))
                    found.append((self._type(name, dict(words)), frozenset(obligations)))
                if terminal.is_matched(state):
                    break
                before.add((name, state))
        return found

    def takes_for(self, name: str, word: str) -> bool:
        """Test whether a terminal is replaced by a keyword if it has exactly its text."""
        return name not in self._ignored and word in self._keywords.get(name, ())

    def _type(self, name: str, words: Mapping[str, int]) -> str:
        if name in self._ignored:
            return IGNORED
        for word in self._keywords.get(name, ()):
            if word in words and self._terminals[word].is_matched(words[word]):
                return word
        return name


def _split(parts: list[_Part], mask: int, state: tuple[str, int]) -> None:
    """Add a state after some classes (a mask) to disjoint parts."""
    for k in range(len(parts)):
        part, states = parts[k]
        if inside := part & mask:
            parts[k] = inside, (*states, state)
            if inside != part:
                parts.append((part ^ inside, states))
            mask ^= inside
            if not mask:
                return
    parts.append((mask, (state,)))
