"""Enumeration of a small language."""

from __future__ import annotations

from collections.abc import Callable

from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.expression import (
    NOTHING,
    Alternation,
    Concatenation,
    Deferred,
    Expression,
    Repetition,
)
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.grammars.regular.minimal_automaton import minimal_automaton
from guidance_kit.grammars.regular.partition import Partition
from guidance_kit.grammars.regular.position_sets import position_sets

__all__ = ["has_endless_texts", "listing"]


def listing(expression: Expression, most: int) -> list[str] | None:
    """All texts of an expression, short ones first; None if there are more than `most`.

    Raises:
        LimitError: the search takes too long.
    """
    if has_endless_texts(expression):
        return None
    positions = (
        position_sets(expression, minimal_automaton) if expression.is_plain and expression is not NOTHING else None
    )
    if positions is not None:
        return _listed(positions.root, positions.steps, positions.is_final, positions.letters, most)
    derivatives = Derivatives(expression)
    nodes, is_live = derivatives.nodes, Liveness(derivatives).is_live
    if not is_live(derivatives.root):
        return []

    def steps(node: int) -> list[tuple[int, int]]:
        return [(mask, following) for mask, following in derivatives.steps(node) if is_live(following)]

    return _listed(derivatives.root, steps, nodes.accepts_end, nodes.partition, most)


def has_endless_texts(expression: Expression) -> bool:
    """Test whether an expression is plain, and has infinitely many texts."""
    return expression.is_plain and _has_endless_turns(expression)  # of a plain expression each part has a text


def _listed(
    root: int,
    steps: Callable[[int], list[tuple[int, int]]],
    is_final: Callable[[int], bool],
    partition: Partition,
    most: int,
) -> list[str] | None:
    """All texts of an automaton, from each state of which there is one; None if there are more than `most`."""
    found: list[str] = []
    beginnings = [("", root)]
    while beginnings:
        found += (text for text, state in beginnings if is_final(state))
        longer: list[tuple[str, int]] = []
        for text, state in beginnings:
            for mask, following in steps(state):
                for first, last in partition.charset(mask).ranges:
                    if len(found) + len(longer) + last - first >= most:  # each beginning has a text of its own
                        return None
                    longer += ((text + chr(code), following) for code in range(first, last + 1))
        beginnings = longer
    return found


def _has_endless_turns(expression: Expression) -> bool:
    """Test whether some part of a plain expression, which is not empty, may come any number of times."""
    if isinstance(expression, Repetition):
        return expression.most != 0 and (expression.maximum < 0 or _has_endless_turns(expression.body))
    if isinstance(expression, Concatenation | Alternation):
        return any(map(_has_endless_turns, expression.parts))
    return isinstance(expression, Deferred) and _has_endless_turns(expression.body)
