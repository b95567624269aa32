"""Texts that a lexer reads as its terminals, under pending obligations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from guidance_kit.errors import LimitError
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.scanner import LexerDfa, Obligations
from guidance_kit.grammars.regular.charset import NONE
from guidance_kit.grammars.regular.partition import Partition

__all__ = ["MAX_PRODUCT_STATES", "LexerGraph", "Lexing"]

MAX_PRODUCT_STATES = 10_000
"""States of one lexer under one condition."""


class Lexing(Protocol):
    """Obligations of a grammar."""

    def after(self, obligations: Obligations, kind: int) -> Obligations | None:
        """Pending obligations after a character of a class; None if one has failed."""
        ...

    def mattering(self, obligations: Obligations, first: int) -> Obligations:
        """Obligations that may fail if a character of some classes (a mask) comes next, or the text ends."""
        ...


class LexerGraph:
    """DFA of the texts that a lexer reads under pending obligations.

    Args:
        lexing: what characters do to obligations.
        lexer: all terminals that are looked for.
        obligations: those pending at the start.
        partition: the classes of characters.
    Raises:
        LimitError: there are too many states.
    """

    def __init__(self, lexing: Lexing, lexer: LexerDfa, obligations: Obligations, partition: Partition) -> None:
        self._lexing = lexing
        self._partition = partition
        numbers = {(0, obligations): 0}
        todo = [(0, obligations)]
        self._edges: list[dict[int, int]] = []  # next state: classes
        self._ends: dict[str, dict[Obligations, list[int]]] = {}
        for state, (row, pending) in enumerate(todo):  # grows meanwhile
            for name, new in lexer.ends(row):
                self._ends.setdefault(name, {}).setdefault(pending | new, []).append(state)
            steps: dict[int, int] = {}
            for following, left, mask in self._following(lexer, row, pending):
                number = numbers.setdefault((following, left), len(todo))
                if number == len(todo):
                    if number >= MAX_PRODUCT_STATES:
                        raise LimitError("max_product_states", MAX_PRODUCT_STATES, where="what a lexer may read")
                    todo.append((following, left))
                steps[number] = steps.get(number, 0) | mask
            self._edges.append(steps)
        self._before: list[list[int]] = [[] for _ in self._edges]
        for state, steps in enumerate(self._edges):
            for target in steps:
                self._before[target].append(state)
        self._pieces: dict[tuple[str, tuple[int, ...]], Lexeme] = {}

    def _following(self, lexer: LexerDfa, row: int, pending: Obligations) -> Iterator[tuple[int, Obligations, int]]:
        """States of the lexer after a character, with what is pending then, and classes (a mask) that lead there."""
        if not pending:
            for following, mask in lexer.groups(row):
                yield following, pending, mask
            return
        for kind, following in enumerate(lexer.steps(row)):
            left = self._lexing.after(pending, kind) if following >= 0 else None
            if left is not None:
                yield following, left, 1 << kind

    @property
    def size(self) -> int:
        """Number of states."""
        return len(self._edges)

    def all_ends(self) -> Iterator[tuple[str, Obligations]]:
        """All terminals that may be read, with their obligations."""
        return ((name, obligations) for name, found in self._ends.items() for obligations in found)

    def pieces(self, name: str, first: int) -> Iterator[tuple[Lexeme, Obligations]]:
        """Texts of a terminal, grouped by obligations that may fail if some characters (a mask) follow."""
        apart: dict[Obligations, list[int]] = {}
        for obligations, states in self._ends.get(name, {}).items():
            apart.setdefault(self._lexing.mattering(obligations, first), []).extend(states)
        return ((self._piece(name, tuple(sorted(set(states)))), obligations) for obligations, states in apart.items())

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
            nfa = {state: place for place, state in enumerate(sorted(alive))}
            ends = set(goals)
            charset = self._partition.charset
            edges = [
                [(charset(mask), nfa[target]) for target, mask in self._edges[state].items() if target in alive]
                for state in nfa
            ]
            endings = [NONE if state in ends else None for state in nfa]
            found = self._pieces[name, goals] = Lexeme.smallest(edges, endings)
        return found
