"""Maximal munch: terminals that a lexer takes off a text, one after the other, and what must not follow them.

A lexer asks `re.match` about one pattern after the other, in a fixed order, and takes the first that matches. So a
terminal is taken where none that is tried before it matches, and its text is the one that `re.match` takes: both depend
on what follows. Behind a name no letter may follow; behind `1` no `.5` may, though `.` may; and if comments are tried
before the `/` of divisions, then behind `/` a `*` may follow only if no `*/` does in the whole rest of the text.

All terminals are run side by side (`threads`), each as far as none that is tried before it has surely matched. Where
one ends, the threads that would be preferred become *duties*: none of them may come to match in what follows. Duties
are carried from one terminal to the next as a part of the condition that is pending, with the lexer that looks for the
next terminal. A lexer that looks for fewer terminals than another one, all of which it takes off the same texts, is
replaced by the larger one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from guidance_kit.errors import LimitError
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.places import Places
from guidance_kit.grammars.context_free.scanner import IGNORED, Ban, Duties, Look, Rows, Scanner, Situations
from guidance_kit.grammars.context_free.threads import Threads
from guidance_kit.grammars.regular.charset import NONE
from guidance_kit.grammars.regular.liveness import typical
from guidance_kit.grammars.regular.partition import Partition

__all__ = ["Munch"]

MAX_SITUATIONS = 10_000
"""Situations of one lexer under one condition."""

MAX_CONDITIONS = 2_000
"""Conditions that may be pending: lexers, and what must not follow."""


@dataclass(frozen=True, slots=True)
class _Condition:
    """Condition on the next terminals: those that a lexer finds, but for some, under some duties."""

    lexer: int
    duties: Duties = frozenset()
    unless: frozenset[str] = frozenset()


class Read(NamedTuple):
    """A terminal that was read.

    Attributes:
        terminal: its name in the grammar.
        lexer: number of the lexer behind it.
        first: mask of the classes of characters that may follow it.
    """

    terminal: str
    lexer: int
    first: int


class Munch:
    """The conditions of a grammar with a lexer. See `weaving.Conditions`.

    Args:
        patterns: of all terminals, in the order in which a lexer that looks for all of them tries them.
        ignored: those that are ignored wherever they are found.
        scanner_of: how a lexer looks for some terminals.
        expected: for what lexers look, what is ignored aside; the first one does so at the beginning of the text.
        end: the name of the end of the text.
    Raises:
        UnsupportedFeature: a terminal cannot be enforced exactly.
    """

    def __init__(
        self,
        patterns: Mapping[str, Places],
        ignored: frozenset[str],
        scanner_of: Callable[[frozenset[str]], Scanner],
        expected: Sequence[frozenset[str]],
        end: str,
    ) -> None:
        self._end = end
        self._ignored = ignored
        self._partition = Partition({chars for places in patterns.values() for chars in places.charsets})
        self._kinds = range(self._partition.count)
        self._terminals = {
            name: Situations(Threads(places, name, self._partition)) for name, places in patterns.items()
        }
        self._first = {name: self._kinds_of_first(terminal) for name, terminal in self._terminals.items()}
        self._looked_for = [looked | ignored for looked in expected]
        self._lexers: list[Rows] = []
        self._lexer_of: dict[frozenset[str], int] = {}
        for names, members in self._merged(scanner_of(frozenset(patterns))):
            self._lexer_of |= dict.fromkeys(members, len(self._lexers))
            self._lexers.append(Rows(scanner_of(names), ignored, self._terminals, self._partition.count))
        self._firsts = [self._first_of(lexer.names) for lexer in self._lexers]
        self._matters_behind: dict[str, int] = {}
        self._kinds_known: dict[Ban | Look, int] = {}
        self._behind: dict[str, Read] = {}
        self._names: dict[tuple[str, frozenset[str]], str] = {}
        first = _Condition(self._lexer_of[self._looked_for[0]])
        self._conditions = [first]
        self._numbers = {first: 0}
        self._read: dict[tuple[str, int], list[tuple[Lexeme, int]]] = {}
        self._graphs: dict[tuple[int, Duties], _Graph] = {}

    def name(self, terminal: str, expected: frozenset[str]) -> str:
        """A name for a terminal behind which a lexer looks for others; the same where that makes no difference."""
        name = self._names.get((terminal, expected))
        if name is None:
            looked_for = expected | self._ignored
            lexer = self._lexer_of[looked_for]
            matters = self._mattering(terminal)
            first = self._first_of(looked_for) & matters
            name = self._names[terminal, expected] = f"{terminal} {lexer} {first:x}"
            self._behind[name] = Read(terminal, lexer, first | self._firsts[lexer] & ~matters)
        return name

    @property
    def first_lexer(self) -> int:
        """Number of the lexer at the beginning of a text."""
        return self._conditions[0].lexer

    def read_of(self, name: str) -> Read:
        """Terminal of the name `name`."""
        return self._behind[name]

    def pieces(self, name: str, lexer: int, duties: Duties = frozenset()) -> Iterator[tuple[Lexeme, Duties]]:
        """The texts that a lexer reads as a terminal, apart by the duties that they leave.

        Args:
            name: of the terminal, from `name`.
            lexer: number of the lexer.
            duties: what must not follow the text before.
        """
        read = self._behind[name]
        return self._graph(_Condition(lexer, duties)).pieces(read.terminal, read.first)

    def terminal(self, name: str, pending: int) -> Sequence[tuple[Lexeme, int]]:
        """See `Conditions`."""
        found = self._read.get((name, pending))
        if found is None:
            terminal, lexer, first = self._behind[name]
            condition = self._conditions[pending]
            found = self._read[name, pending] = [
                (piece, self._number(_Condition(lexer, duties)))
                for piece, duties in self._graph(condition).pieces(terminal, first)
                if terminal not in condition.unless
            ]
        return found

    def ignored(self, pending: int) -> Sequence[tuple[Lexeme, int]]:
        """See `Conditions`."""
        condition = self._conditions[pending]
        return [
            (piece, self._number(replace(condition, duties=duties)))
            for piece, duties in self._graph(condition).pieces(IGNORED, self._firsts[condition.lexer])
        ]

    def unless(self, names: frozenset[str], pending: int) -> int:
        """See `Conditions`."""
        condition = self._conditions[pending]
        return self._number(replace(condition, unless=condition.unless | names))

    def may_end(self, pending: int) -> bool:
        """See `Conditions`."""
        condition = self._conditions[pending]
        return self._end not in condition.unless and not any(map(self.fails_at_end, condition.duties))

    def collisions(self) -> dict[tuple[str, str], str]:
        """Two terminals for which a lexer looks at the same time: a shortest text that both match.

        The first one is preferred.
        """
        found: dict[tuple[str, str], str] = {}
        for one, other in combinations(self._terminals, 2):
            together = next((names for names in self._looked_for if one in names and other in names), None)
            text = None if together is None else self._shared(one, other)
            if together is not None and text is not None:
                is_word = self._lexers[self._lexer_of[together]].takes_for(one, other)
                found[(other, one) if is_word else (one, other)] = text
        return found

    def _shared(self, one: str, other: str) -> str | None:
        if not self._first[one] & self._first[other]:
            return None
        a, b = self._terminals[one], self._terminals[other]
        todo = deque([(a.start, b.start, "")])
        seen = {(a.start, b.start)}
        while todo and len(seen) < MAX_SITUATIONS:
            here, there, text = todo.popleft()
            if any(a.matches(here)) and any(b.matches(there)):
                return text
            for kind in self._kinds:
                after = a.step(here, kind)[0], b.step(there, kind)[0]
                if min(after) >= 0 and after not in seen:
                    seen.add(after)
                    todo.append((*after, text + typical(self._partition.charset(1 << kind))))
        return None

    def after(self, duties: Duties, kind: int) -> Duties | None:
        """Remaining duties after a character of a class; None if one of them has failed."""
        left: set[Ban | Look] = set()
        for name, duty in duties:
            if isinstance(duty, int):
                following, is_sure = self._terminals[name].step(duty, kind)
                if is_sure:
                    return None
                if following >= 0:
                    left.add((name, following))
            else:
                kept = self._terminals[name].threads.kept(frozenset((duty,)), 1 << kind)
                if kept is None:
                    return None
                left.update((name, other) for other in kept)
        return frozenset(left)

    def fails_at_end(self, duty: Ban | Look) -> bool:
        """Test whether a duty fails if the text ends."""
        name, what = duty
        terminal = self._terminals[name]
        return terminal.matches_at_end(what) if isinstance(what, int) else not terminal.holds_at_end(what)

    def mattering(self, duties: Duties, first: int) -> Duties:
        """The duties that may fail if a character of some classes (a mask) comes next, or the text ends."""
        return frozenset(duty for duty in duties if self.fails_at_end(duty) or self._kinds_for(duty) & first)

    def _kinds_for(self, duty: Ban | Look) -> int:
        """The classes (a mask) of characters that do not settle a duty at once."""
        found = self._kinds_known.get(duty)
        if found is None:
            found = 0
            for kind in self._kinds:
                if self.after(frozenset((duty,)), kind) != frozenset():
                    found |= 1 << kind
            self._kinds_known[duty] = found
        return found

    def _mattering(self, terminal: str) -> int:
        """The classes (a mask) of characters that do not settle at once what must not follow a terminal."""
        if not self._matters_behind:
            self._matters_behind = dict.fromkeys(self._terminals, 0)
            for number in range(len(self._lexers)):
                for name, duties in self._graph(_Condition(number)).all_ends():
                    for duty in duties if name != IGNORED else ():
                        self._matters_behind[name] |= self._kinds_for(duty)
        return self._matters_behind[terminal]

    def _number(self, condition: _Condition) -> int:
        number = self._numbers.setdefault(condition, len(self._conditions))
        if number == len(self._conditions):
            if number >= MAX_CONDITIONS:
                raise LimitError("max_conditions", MAX_CONDITIONS, where="what may follow a terminal")
            self._conditions.append(condition)
        return number

    def _graph(self, condition: _Condition) -> _Graph:
        key = condition.lexer, condition.duties
        found = self._graphs.get(key)
        if found is None:
            found = self._graphs[key] = _Graph(self, self._lexers[condition.lexer], condition.duties, self._partition)
        return found

    def _kinds_of_first(self, terminal: Situations) -> int:
        return sum(1 << kind for kind in self._kinds if terminal.step(terminal.start, kind)[0] >= 0)

    def _first_of(self, names: Iterable[str]) -> int:
        """The classes (a mask) of characters with which one of some terminals may begin."""
        mask = 0
        for name in names:
            mask |= self._first[name]
        return mask

    def _merged(self, whole: Scanner) -> list[tuple[frozenset[str], list[frozenset[str]]]]:
        """Sets of terminals for which to look, each with those in place of which one may do so."""
        disturbing = self._disturbing(whole)
        found: list[tuple[frozenset[str], frozenset[str], list[frozenset[str]]]] = []
        for names in sorted(set(self._looked_for), key=lambda names: (-len(names), sorted(names))):
            others = frozenset(other for name in names for other in disturbing[name]) - names
            for k, (union, kept_out, members) in enumerate(found):
                if not ((union | names) & (kept_out | others)):
                    found[k] = union | names, kept_out | others, [*members, names]
                    break
            else:
                found.append((names, others, [names]))
        return [(union, members) for union, _, members in found]

    def _disturbing(self, whole: Scanner) -> dict[str, set[str]]:
        """For each terminal those that make a difference for what is taken for it."""
        found: dict[str, set[str]] = {name: set() for name in self._terminals}
        meeting: dict[str, set[str]] = {name: set() for name in self._terminals}
        for one, other in combinations(self._terminals, 2):  # one is tried before the other
            if self._meet(one, other):
                found[other].add(one)
                meeting[one].add(other)
                meeting[other].add(one)
        for name, words in whole.keywords.items():
            for word in words:
                found[name].add(word)
                found[word] |= {name, *meeting[word]}
        return found

    def _meet(self, one: str, other: str) -> bool:
        """Test whether there is a text that begins with a text of either terminal."""
        if not self._first[one] & self._first[other]:
            return False
        a, b = self._terminals[one], self._terminals[other]
        todo = [(a.start, b.start)]
        seen = set(todo)
        while todo:
            here, there = todo.pop()
            for kind in self._kinds:
                after = _until_match(a, here, kind), _until_match(b, there, kind)
                if after == (_MATCHED, _MATCHED):
                    return True
                if -1 not in after and after not in seen:
                    seen.add(after)
                    todo.append(after)
        return False


_MATCHED = -2


def _until_match(terminal: Situations, number: int, kind: int) -> int:
    """The situation after a character, _MATCHED from the first match on."""
    if number == _MATCHED:
        return _MATCHED
    after = terminal.step(number, kind)[0]
    return _MATCHED if after >= 0 and any(terminal.matches(after)) else after


class _Graph:
    """Deterministic automaton of the texts that a lexer reads under some duties."""

    def __init__(self, munch: Munch, lexer: Rows, duties: Duties, partition: Partition) -> None:
        self._munch = munch
        self._partition = partition
        numbers = {(0, duties): 0}
        todo = [(0, duties)]
        self._edges: list[dict[int, int]] = []  # next state: classes
        self._ends: dict[str, dict[Duties, list[int]]] = {}
        for state, (row, pending) in enumerate(todo):  # grows meanwhile
            for name, new in lexer.ends(row):
                self._ends.setdefault(name, {}).setdefault(pending | new, []).append(state)
            steps: dict[int, int] = {}
            for kind, following in enumerate(lexer.steps(row)):
                left = munch.after(pending, kind) if following >= 0 else None
                if left is None:
                    continue
                number = numbers.setdefault((following, left), len(todo))
                if number == len(todo):
                    if number >= MAX_SITUATIONS:
                        raise LimitError("max_situations", MAX_SITUATIONS, where="what a lexer may read")
                    todo.append((following, left))
                steps[number] = steps.get(number, 0) | 1 << kind
            self._edges.append(steps)
        self._before: list[list[int]] = [[] for _ in self._edges]
        for state, steps in enumerate(self._edges):
            for target in steps:
                self._before[target].append(state)
        self._pieces: dict[tuple[str, tuple[int, ...]], Lexeme] = {}

    def all_ends(self) -> Iterator[tuple[str, Duties]]:
        """All terminals that may have been read, and what must not follow."""
        return ((name, duties) for name, found in self._ends.items() for duties in found)

    def pieces(self, name: str, first: int) -> Iterator[tuple[Lexeme, Duties]]:
        """The texts of a terminal, apart by the duties that they leave if some characters (a mask) may follow."""
        apart: dict[Duties, list[int]] = {}
        for duties, states in self._ends.get(name, {}).items():
            apart.setdefault(self._munch.mattering(duties, first), []).extend(states)
        return ((self._piece(name, tuple(sorted(set(states)))), duties) for duties, states in apart.items())

    def _piece(self, name: str, goals: tuple[int, ...]) -> Lexeme:
        found = self._pieces.get((name, goals))
        if found is None:
            todo = list(goals)
            alive = set(todo)
            while todo:
                for state in self._before[todo.pop()]:
                    if state not in alive:
                        alive.add(state)
                        todo.append(state)
            places = {state: place for place, state in enumerate(sorted(alive))}
            ends = set(goals)
            charset = self._partition.charset
            edges = [
                [(charset(mask), places[target]) for target, mask in self._edges[state].items() if target in alive]
                for state in places
            ]
            endings = [NONE if state in ends else None for state in places]
            found = self._pieces[name, goals] = Lexeme.smallest(edges, endings)
        return found
