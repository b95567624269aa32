"""Maximal munch: conditions under which a lexer splits a text into given terminals.

A lexer tries `re.match` with one pattern after the other, in a fixed order, and takes the first match. So a terminal
matches only if none of higher priority does, and its text is the one that `re.match` finds: both depend on the
following text. No letter may follow a name; no `.5` may follow `1`, though `.` may; and if comments have priority over
the `/` of divisions, a `*` may follow `/` only if the rest of the text has no `*/`.

Embedded constraints are no terminals of a lexer: where the parser accepts one, its texts are read beside the terminals
that the lexer finds. Before a token the lexer reads as at the end of the text. Before another constraint the lexer sees
its characters, so the first of them must decide all obligations, or the grammar is refused.

All terminals run in parallel (`threads`), each up to a certain match of one of higher priority. Where a terminal ends,
the threads of higher priority become *obligations*: none of them may match in the following text. Obligations are part
of the pending condition that is carried from one terminal to the next, with the lexer for the next terminal. A lexer
for fewer terminals than another one, which finds all of them in the same texts, is replaced by the larger one
(`merged_lexers`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import NamedTuple

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.context_free.condition_product import Piece
from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.lexer_graph import MAX_PRODUCT_STATES, LexerGraph, LexerStart
from guidance_kit.grammars.context_free.merged_lexers import merged_lexers
from guidance_kit.grammars.context_free.pattern_nfa import PatternNfa
from guidance_kit.grammars.context_free.scanner import (
    IGNORED,
    Exclusion,
    LexerDfa,
    Obligations,
    PathDfa,
    Requirement,
    Scanner,
    TerminalDfa,
)
from guidance_kit.grammars.context_free.threads import Threads
from guidance_kit.grammars.regular.charset import CharSet, typical
from guidance_kit.grammars.regular.partition import Partition

__all__ = ["MaximalMunch"]

MAX_CONDITIONS = 2_000
"""Pending conditions: pairs of a lexer and obligations."""


class _LexerCondition(NamedTuple):
    """Condition on the following text: a lexer, terminals that it must not find next, and obligations."""

    lexer: int
    obligations: Obligations = frozenset()
    unless: frozenset[str] = frozenset()


class Read(NamedTuple):
    """A terminal and its follow set.

    Attributes:
        terminal: name in the grammar.
        lexer: number of the lexer behind it.
        first: mask of the classes of characters that may follow, and of others that let no further obligation fail.
    """

    terminal: str
    lexer: int
    first: int


class MaximalMunch:
    """Conditions of a grammar with a lexer; see `condition_product.Conditions`.

    Args:
        patterns: NFAs of all terminals, or texts, by priority in a lexer for all of them.
        ignored: ignored terminals.
        scanner_of: scanner of a lexer for a set of terminals.
        expected: the set of terminals, embedded constraints among them, of each lexer, without ignored ones; the first
            is that of the start of the text.
        behind: the terminals that are expected behind each one, likewise.
        end: name of the end of the text.
        embedded: embedded constraints, in the order of their numbers, which terminals of their names stand for.
    Raises:
        UnsupportedFeature: a terminal cannot be enforced exactly.
    """

    def __init__(
        self,
        patterns: Mapping[str, PatternNfa | str],
        ignored: frozenset[str],
        scanner_of: Callable[[frozenset[str]], Scanner],
        expected: Sequence[frozenset[str]],
        behind: Mapping[str, AbstractSet[str]],
        end: str,
        embedded: Sequence[EmbeddedConstraint],
    ) -> None:
        self._end = end
        self._partition = Partition({chars for pattern in patterns.values() for chars in _charsets(pattern)})
        self._kinds = range(self._partition.count)
        self._all_kinds = (1 << self._partition.count) - 1
        self._terminals = {name: _dfa_of(name, pattern, self._partition) for name, pattern in patterns.items()}
        self._embedded = {one.name: (Lexeme.of_embedded(k), one) for k, one in enumerate(embedded)}
        self._first = {name: self._kinds_of_first(terminal) for name, terminal in self._terminals.items()}
        self._first |= {one.name: 0 if one.is_token else self._all_kinds for one in embedded}
        looked_for = {names: names.difference(self._embedded) | ignored for names in expected}
        self._looked_for = [*looked_for.values()]
        whole = scanner_of(frozenset(patterns))
        self._lexer = LexerDfa(whole.keywords, ignored, self._terminals)
        self._rows: list[int] = []  # start states of lexers
        self._firsts: list[int] = []
        numbers: dict[frozenset[str], int] = {}
        of_ignored = self._first_of(ignored)
        following = {name: self._first_of(behind.get(name, ())) | of_ignored for name in patterns}
        following |= dict.fromkeys(ignored, self._all_kinds)
        for names, members in merged_lexers(self._terminals, whole.keywords, self._first, following, self._looked_for):
            numbers |= dict.fromkeys(members, len(self._rows))
            self._rows.append(self._lexer.start(scanner_of(names)))
            self._firsts.append(self._first_of(names))
        self._lexers: dict[frozenset[str], tuple[int, int]] = {}  # and the first sets of what is expected
        for names, searched in looked_for.items():
            first = self._first_of(names) | of_ignored
            self._firsts[numbers[searched]] |= first
            self._lexers[names] = numbers[searched], first
        self._undecided: dict[str, list[int]] = {}
        self._ways_known: dict[Exclusion | Requirement, list[tuple[int, Obligations]]] = {}
        self._kinds_known: dict[Exclusion | Requirement, int] = {}
        self._mattering_known: dict[tuple[Obligations, int], Obligations] = {}
        self._after: dict[Obligations, dict[Obligations, int]] = {}
        self._fails_at_end: dict[Exclusion | Requirement, bool] = {}
        self._behind: dict[str, Read] = {}
        self._names: dict[tuple[str, frozenset[str]], str] = {}
        condition = _LexerCondition(self._lexers[expected[0]][0])
        self._conditions = [condition]
        self._numbers = {condition: 0}
        self._read: dict[tuple[str, int], tuple[tuple[Piece, int], ...]] = {}
        self._skipped: dict[int, list[tuple[Piece, int]]] = {}  # ignored text
        self._graph = LexerGraph(self, self._lexer, self._partition)
        self._starts: dict[tuple[int, Obligations], LexerStart] = {}
        self._start_of: dict[int, LexerStart] = {}  # by the number of the condition
        self._numbers_behind: dict[int, dict[Obligations, int]] = {}  # of conditions of each lexer

    def name(self, terminal: str, expected: frozenset[str]) -> str:
        """Name of a terminal before a lexer for some terminals; equal names where the lexer makes no difference."""
        name = self._names.get((terminal, expected))
        if name is None:
            lexer, first = self._lexers[expected]
            first, others = self._first_behind(terminal, first)
            name = self._names[terminal, expected] = f"{terminal} {lexer} {first:x}"
            self._behind[name] = Read(terminal, lexer, first | self._firsts[lexer] & others)
        return name

    @property
    def names(self) -> AbstractSet[str]:
        """All names that `name` gave."""
        return self._behind.keys()

    @property
    def states(self) -> int:
        """Number of states of all lexers, under all conditions so far."""
        return self._graph.size

    @property
    def first_lexer(self) -> int:
        """Number of the lexer at the beginning of a text."""
        return self._conditions[0].lexer

    def read_of(self, name: str) -> Read:
        """Terminal of the name `name`."""
        return self._behind[name]

    def pieces(
        self, name: str, lexer: int, obligations: Obligations = frozenset()
    ) -> Iterator[tuple[Lexeme, Obligations]]:
        """Texts that a lexer reads as a terminal, grouped by their obligations.

        Args:
            name: of the terminal, from `name`.
            lexer: number of the lexer.
            obligations: those pending before the terminal.
        """
        read = self._behind[name]
        pieces = self._start(lexer, obligations).pieces(read.terminal, read.first)
        return ((self._graph.lexeme(between), others) for between, others in pieces)

    def lexeme(self, piece: Piece) -> Lexeme:
        """See `Conditions`."""
        return piece if isinstance(piece, Lexeme) else self._graph.lexeme(piece)

    def terminal(self, name: str, pending: int) -> Sequence[tuple[Piece, int]]:
        """See `Conditions`."""
        found = self._read.get((name, pending))
        if found is None:
            terminal, lexer, first = self._behind[name]
            condition = self._conditions[pending]
            if terminal in condition.unless:
                pieces = []
            elif terminal in self._embedded:
                pieces = self._embedded_pieces(terminal, condition.obligations)
            else:
                pieces = self._start_under(pending).pieces(terminal, first)
            numbers = self._numbers_behind.setdefault(lexer, {})
            behind: list[tuple[Piece, int]] = []
            for piece, obligations in pieces:
                number = numbers.get(obligations)
                if number is None:
                    number = numbers[obligations] = self._number(_LexerCondition(lexer, obligations))
                behind.append((piece, number))
            found = self._read[name, pending] = tuple(behind)
        return found

    def _embedded_pieces(self, name: str, obligations: Obligations) -> list[tuple[Lexeme, Obligations]]:
        """An embedded constraint, if it may follow.

        Raises:
            UnsupportedFeature: its texts may decide the obligations in different ways, or later than by a character.
        """
        lexeme, constraint = self._embedded[name]
        fails = any(map(self.fails_at_end, obligations))
        if not constraint.is_token:
            if fails:
                raise UnsupportedFeature(
                    "a constraint behind a terminal that asks for certain text after it",
                    where=f"the rule {constraint.name}",
                    hint="write the condition into the rules",
                )
            undecided = 0
            for obligation in obligations:
                undecided |= self._kinds_for(obligation)
            constraint.check(self._partition.charset(undecided), None)
        return [] if fails else [(lexeme, frozenset())]

    def ignored(self, pending: int) -> Sequence[tuple[Piece, int]]:
        """See `Conditions`."""
        found = self._skipped.get(pending)
        if found is None:
            condition = self._conditions[pending]
            found = self._skipped[pending] = [
                (piece, self._number(condition._replace(obligations=obligations)))
                for piece, obligations in self._start_under(pending).pieces(IGNORED, self._firsts[condition.lexer])
            ]
        return found

    def unless(self, names: frozenset[str], pending: int) -> int:
        """See `Conditions`."""
        condition = self._conditions[pending]
        return self._number(condition._replace(unless=condition.unless | names))

    def may_end(self, pending: int) -> bool:
        """See `Conditions`."""
        condition = self._conditions[pending]
        return self._end not in condition.unless and not any(map(self.fails_at_end, condition.obligations))

    def collisions(self) -> dict[tuple[str, str], str]:
        """For each two terminals of one lexer a shortest text that both match.

        The first one has priority.
        """
        found: dict[tuple[str, str], str] = {}
        for one, other in combinations(self._terminals, 2):
            together = next((names for names in self._looked_for if one in names and other in names), None)
            text = None if together is None else self._shared(one, other)
            if together is not None and text is not None:
                is_word = self._lexer.takes_for(one, other)
                found[(other, one) if is_word else (one, other)] = text
        return found

    def _shared(self, one: str, other: str) -> str | None:
        if not self._first[one] & self._first[other]:
            return None
        a, b = self._terminals[one], self._terminals[other]
        todo = deque([(a.start, b.start, "")])
        seen = {(a.start, b.start)}
        while todo and len(seen) < MAX_PRODUCT_STATES:
            here, there, text = todo.popleft()
            if any(a.matches(here)) and any(b.matches(there)):
                return text
            for kind in self._kinds:
                after = a.step(here, kind)[0], b.step(there, kind)[0]
                if min(after) >= 0 and after not in seen:
                    seen.add(after)
                    todo.append((*after, text + typical(self._partition.charset(1 << kind))))
        return None

    def after(self, obligations: Obligations) -> Mapping[Obligations, int]:
        """See `Lexing`."""
        found = self._after.get(obligations)
        if found is None:
            found = self._after[obligations] = {}
            parts: list[tuple[int, Obligations]] = [(self._all_kinds, frozenset())]
            for obligation in obligations:
                ways = self._ways(obligation)
                parts = [(part & mask, left | new) for part, left in parts for mask, new in ways if part & mask]
            for mask, left in parts:
                found[left] = found.get(left, 0) | mask
        return found

    def _ways(self, obligation: Exclusion | Requirement) -> list[tuple[int, Obligations]]:
        """Obligations that a character leaves of one, each with its classes (a mask); it fails after others."""
        found = self._ways_known.get(obligation)
        if found is None:
            found = self._ways_known[obligation] = []
            name, what = obligation
            if isinstance(what, int):
                decided = self._all_kinds
                for mask, following, is_sure in self._terminals[name].steps(what):
                    decided &= ~mask
                    if not is_sure:
                        found.append((mask, frozenset(((name, following),))))
                if decided:
                    found.append((decided, frozenset()))
            else:
                for kind in self._kinds:
                    kept = self._terminals[name].threads.kept(frozenset((what,)), 1 << kind)
                    if kept is not None:
                        found.append((1 << kind, frozenset((name, other) for other in kept)))
        return found

    def fails_at_end(self, obligation: Exclusion | Requirement) -> bool:
        """Test whether an obligation fails if the text ends."""
        found = self._fails_at_end.get(obligation)
        if found is None:
            name, what = obligation
            terminal = self._terminals[name]
            found = terminal.matches_at_end(what) if isinstance(what, int) else not terminal.holds_at_end(what)
            self._fails_at_end[obligation] = found
        return found

    def mattering(self, obligations: Obligations, first: int) -> Obligations:
        """Obligations that may fail if a character of some classes (a mask) comes next, or the text ends."""
        if not obligations:
            return obligations
        found = self._mattering_known.get((obligations, first))
        if found is None:
            found = self._mattering_known[obligations, first] = frozenset(
                obligation
                for obligation in obligations
                if self.fails_at_end(obligation) or self._kinds_for(obligation) & first
            )
        return found

    def _kinds_for(self, obligation: Exclusion | Requirement) -> int:
        """Mask of the classes of characters that do not decide an obligation at once."""
        found = self._kinds_known.get(obligation)
        if found is None:
            decided = sum(mask for mask, left in self._ways(obligation) if not left)
            found = self._kinds_known[obligation] = self._all_kinds & ~decided
        return found

    def _first_behind(self, terminal: str, first: int) -> tuple[int, int]:
        """Follow set of a terminal, enlarged by what lets no further obligation fail: equal for equal obligations.

        Args:
            terminal: the terminal.
            first: its follow set: classes of characters (a mask).

        Returns:
            The enlarged set without the classes that decide all obligations at once, and these (masks).
        """
        matter = left = 0
        for kinds in self._undecided_behind(terminal):
            if kinds & first:
                matter |= kinds
            else:
                left |= kinds
        return matter & ~left, self._all_kinds & ~(matter | left)

    def _undecided_behind(self, terminal: str) -> Sequence[int]:
        """Of each obligation of a terminal the classes of characters (a mask) that do not decide it at once."""
        if not self._undecided:
            reached = 0
            for number in range(len(self._rows)):
                reached |= self._start(number, frozenset()).reached
            for name in self._terminals:
                pending = (found for found, states in self._graph.ends(name).items() if states & reached)
                obligations = frozenset().union(*pending)
                self._undecided[name] = list({self._kinds_for(obligation) for obligation in obligations})
        return self._undecided.get(terminal, ())  # nothing behind an embedded constraint

    def _number(self, condition: _LexerCondition) -> int:
        number = self._numbers.setdefault(condition, len(self._conditions))
        if number == len(self._conditions):
            if number >= MAX_CONDITIONS:
                raise LimitError("max_conditions", MAX_CONDITIONS, where="what may follow a terminal")
            self._conditions.append(condition)
        return number

    def _start_under(self, pending: int) -> LexerStart:
        found = self._start_of.get(pending)
        if found is None:
            condition = self._conditions[pending]
            found = self._start_of[pending] = self._start(condition.lexer, condition.obligations)
        return found

    def _start(self, lexer: int, obligations: Obligations) -> LexerStart:
        found = self._starts.get((lexer, obligations))
        if found is None:
            found = self._starts[lexer, obligations] = LexerStart(self._graph, self._rows[lexer], obligations)
        return found

    def _kinds_of_first(self, terminal: TerminalDfa) -> int:
        return sum(mask for mask, after, _ in terminal.steps(terminal.start) if after >= 0)

    def _first_of(self, names: Iterable[str]) -> int:
        """First set of several terminals: mask of the classes of characters."""
        mask = 0
        for name in names:
            mask |= self._first[name]
        return mask


def _charsets(pattern: PatternNfa | str) -> set[CharSet]:
    """Sets of characters that a terminal reads."""
    return {CharSet.single(ord(char)) for char in pattern} if isinstance(pattern, str) else pattern.charsets


def _dfa_of(name: str, pattern: PatternNfa | str, partition: Partition) -> TerminalDfa:
    path = [CharSet.single(ord(char)) for char in pattern] if isinstance(pattern, str) else pattern.path
    if path is None:
        assert isinstance(pattern, PatternNfa)
        return TerminalDfa(Threads(pattern, name, partition))
    return PathDfa([partition.masks[chars] for chars in path], (1 << partition.count) - 1)
