"""Automaton of a terminal from a regular expression with intersections and complements."""

from __future__ import annotations

from guidance_kit.errors import LimitError
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.regular.charset import NONE, CharSet
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.expression import EPSILON, Expression

__all__ = ["lexeme_of"]

MAX_STATES = 20_000
"""States of the automaton of one terminal."""


def lexeme_of(expression: Expression, *, where: str, is_lazy: bool = False) -> Lexeme:
    """Automaton of a terminal, behind which any text may follow.

    Args:
        expression: its texts.
        where: the terminal, for messages.
        is_lazy: whether it ends at its first text.
    Raises:
        LimitError: it has too many states.
    """
    if expression is EPSILON:
        return Lexeme.of_literal([])
    derivatives = Derivatives(expression)
    nodes = derivatives.nodes
    numbers, todo = {derivatives.root: 0}, [derivatives.root]
    edges: list[list[tuple[int, int]]] = []
    endings: list[CharSet | None] = []
    for state in todo:  # grows meanwhile
        is_final = nodes.accepts_end(state)
        steps: list[tuple[int, int]] = []
        for mask, target in () if is_lazy and is_final else derivatives.steps(state):
            number = numbers.setdefault(target, len(todo))
            if number == len(todo):
                if number >= MAX_STATES:
                    raise LimitError("max_states", MAX_STATES, where=where)
                todo.append(target)
            steps.append((mask, number))
        edges.append(steps)
        endings.append(NONE if is_final else None)
    return Lexeme.of_classes(edges, endings, nodes.partition)
