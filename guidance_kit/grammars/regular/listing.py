"""Enumeration of a small language."""

from __future__ import annotations

from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.expression import Alternation, Concatenation, Deferred, Expression, Repetition
from guidance_kit.grammars.regular.liveness import Liveness

__all__ = ["listing"]


def listing(expression: Expression, most: int) -> list[str] | None:
    """All texts of an expression, short ones first; None if there are more than `most`.

    Raises:
        LimitError: the search takes too long.
    """
    if expression.is_plain and _has_endless_turns(expression):  # of a plain expression each part has a text
        return None
    derivatives = Derivatives(expression)
    nodes, liveness = derivatives.nodes, Liveness(derivatives)
    found: list[str] = []
    beginnings = [("", derivatives.root)] if liveness.is_live(derivatives.root) else []
    while beginnings:
        found += (text for text, node in beginnings if nodes.accepts_end(node))
        longer: list[tuple[str, int]] = []
        for text, node in beginnings:
            for mask, following in derivatives.steps(node):
                if not liveness.is_live(following):
                    continue
                for first, last in nodes.partition.charset(mask).ranges:
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
