"""Texts that a lexer reads as its terminals, under pending obligations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from guidance_kit.errors import LimitError
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.scanner import LexerDfa, Obligations
from guidance_kit.grammars.regular.charset import NONE
from guidance_kit.grammars.regular.partition import Partition, bits_of

__all__ = ["MAX_PRODUCT_STATES", "LexerGraph", "LexerStart", "Lexing", "StatesBetween"]

MAX_PRODUCT_STATES = 10_000
"""States of one lexer under one condition."""

_Shape = tuple[tuple[tuple[tuple[int, int], ...], ...], tuple[bool, ...]]
"""Automaton over classes of characters: edges (classes, next state) of each state, and whether it is final."""


StatesBetween = tuple[int, int]
"""Start state of some texts, and the states (a mask) that they lead to."""


class Lexing(Protocol):
    """Obligations of a grammar."""

    def after(self, obligations: Obligations) -> Mapping[Obligations, int]:
        """Pending obligations after a character, each with the classes (a mask) that leave them; none have failed."""
        ...

    def mattering(self, obligations: Obligations, first: int) -> Obligations:
        """Obligations that may fail if a character of some classes (a mask) comes next, or the text ends."""
        ...


class LexerGraph:
    """DFA of the texts that lexers read, its states under pending obligations; made as far as it is reached.

    Obligations mostly end with a few characters, so what is read under different ones has nearly all states in common.
    Sets of states are masks: they are intersected for each terminal of each start.

    Args:
        lexing: what characters do to obligations.
        lexer: all terminals.
        partition: the classes of characters.
    """

    def __init__(self, lexing: Lexing, lexer: LexerDfa, partition: Partition) -> None:
        self.lexing = lexing
        self._lexer = lexer
        self._partition = partition
        self._lexemes: dict[_Shape, Lexeme] = {}
        self._numbers: dict[tuple[int, Obligations], int] = {}
        self._states: list[tuple[int, Obligations]] = []
        self._edges: dict[int, dict[int, int]] = {}  # next state: classes
        self._targets: dict[int, int] = {}
        self._ends: dict[str, dict[Obligations, int]] = {}
        self._reached: dict[int, int] = {}
        self._before: list[int] = []
        self._alive: dict[int, int] = {}
        self._between: dict[StatesBetween, Lexeme] = {}
        self._pieces: dict[tuple[object, ...], Lexeme] = {}

    @property
    def size(self) -> int:
        """Number of states."""
        return len(self._states)

    def number(self, row: int, pending: Obligations) -> int:
        """Number of a state of the lexer under pending obligations."""
        number = self._numbers.setdefault((row, pending), len(self._states))
        if number == len(self._states):
            self._states.append((row, pending))
            self._before.append(0)
        return number

    def edges(self, state: int) -> dict[int, int]:
        """Next states, each with the classes (a mask) that lead there."""
        steps = self._edges.get(state)
        if steps is None:
            steps = self._edges[state] = {}
            row, pending = self._states[state]
            for following, left, mask in self._following(row, pending):
                number = self.number(following, left)
                steps[number] = steps.get(number, 0) | mask
            bit, targets = 1 << state, 0
            for target in steps:
                targets |= 1 << target
                self._before[target] |= bit
            self._targets[state] = targets
            for name, new in self._lexer.ends(row):
                found = self._ends.setdefault(name, {})
                obligations = pending | new
                found[obligations] = found.get(obligations, 0) | bit
            self._alive.clear()
        return steps

    def reached(self, start: int) -> int:
        """States (a mask) that are reached from a state, itself included.

        Raises:
            LimitError: there are too many.
        """
        found = 1 << start
        for target in self.edges(start):
            behind = self._reached.get(target)
            if behind is None:
                behind = self._reached[target] = self._behind(target)
            found |= behind
        return _limited(found)

    def _behind(self, start: int) -> int:
        """States (a mask) that are reached from one, found one by one."""
        found, todo = 1 << start, [start]
        for state in todo:  # grows meanwhile
            self.edges(state)
            more = self._targets[state] & ~found
            if more:
                todo += bits_of(more)
                found = _limited(found | more)
        return found

    def _following(self, row: int, pending: Obligations) -> Iterator[tuple[int, Obligations, int]]:
        """States of the lexer after a character, with what is pending then, and classes (a mask) that lead there."""
        after = self.lexing.after(pending).items()
        for following, mask in self._lexer.groups(row):
            for left, kinds in after:
                if mask & kinds:
                    yield following, left, mask & kinds

    def ends(self, name: str) -> Mapping[Obligations, int]:
        """States so far (a mask) in which a terminal may end, by its obligations."""
        return self._ends.get(name, {})

    def lexeme(self, between: StatesBetween) -> Lexeme:
        """Texts that lead from a state to one of others, to which some lead."""
        found = self._between.get(between)
        if found is None:
            found = self._between[between] = self._lexeme(*between)
        return found

    def _lexeme(self, start: int, goals: int) -> Lexeme:
        alive = self._alive.get(goals)
        if alive is None:
            alive = self._alive[goals] = self._leading_to(goals)
        edges, targets = self._edges[start], self._targets[start] & alive
        masks = [edges[target] for target in bits_of(targets)]
        piece = goals, goals >> start & 1, targets, *masks
        found = self._pieces.get(piece)
        if found is None:
            shape = self._shape(start, goals, alive)
            found = self._lexemes.get(shape)
            if found is None:
                endings = [NONE if is_end else None for is_end in shape[1]]
                found = self._lexemes[shape] = Lexeme.of_classes(shape[0], endings, self._partition)
            self._pieces[piece] = found
        return found

    def _leading_to(self, goals: int) -> int:
        """States (a mask) from which some others are reached, these included."""
        alive = todo = goals
        while todo:
            state = todo.bit_length() - 1
            more = self._before[state] & ~alive
            alive |= more
            todo = todo ^ 1 << state | more
        return alive

    def _shape(self, start: int, goals: int, alive: int) -> _Shape:
        """Automaton of the states on the way from a state to others, numbered canonically."""
        numbers, members = {start: 0}, [start]
        edges: list[tuple[tuple[int, int], ...]] = []
        for state in members:  # grows meanwhile
            steps = [(self._edges[state][target], target) for target in bits_of(self._targets[state] & alive)]
            steps.sort(key=_lowest)
            for _, target in steps:
                if target not in numbers:
                    numbers[target] = len(members)
                    members.append(target)
            edges.append(tuple([(mask, numbers[target]) for mask, target in steps]))
        return tuple(edges), tuple([bool(goals >> state & 1) for state in members])


def _lowest(step: tuple[int, int]) -> int:
    """Lowest class of an edge; those of one state are disjoint."""
    return step[0] & -step[0]


class LexerStart:
    """Texts that a lexer reads if some obligations are pending.

    Args:
        graph: of all lexers.
        row: start state of the lexer.
        obligations: those pending at the start.
    Raises:
        LimitError: there are too many states.

    Attributes:
        reached: states (a mask) of the graph that are reached.
    """

    def __init__(self, graph: LexerGraph, row: int, obligations: Obligations) -> None:
        self._graph = graph
        self._start = graph.number(row, obligations)
        self.reached = graph.reached(self._start)

    def pieces(self, name: str, first: int) -> list[tuple[StatesBetween, Obligations]]:
        """Start and end states of the texts of a terminal, by obligations that may fail if some characters follow.

        Args:
            name: of the terminal.
            first: the classes of these characters (a mask).
        """
        apart: dict[Obligations, int] = {}
        for obligations, states in self._graph.ends(name).items():
            if mine := states & self.reached:
                mattering = self._graph.lexing.mattering(obligations, first)
                apart[mattering] = apart.get(mattering, 0) | mine
        return [((self._start, states), obligations) for obligations, states in apart.items()]


def _limited(states: int) -> int:
    if states.bit_count() > MAX_PRODUCT_STATES:
        raise LimitError("max_product_states", MAX_PRODUCT_STATES, where="what a lexer may read")
    return states
