"""From expressions to network states."""

from __future__ import annotations

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.encoding import UTF8, Encoding
from guidance_kit.grammars.regular.expression import (
    EPSILON,
    NOTHING,
    Alternation,
    Characters,
    Concatenation,
    Expression,
    Repetition,
)

__all__ = ["add", "declare"]

_MANY = 8
"""Alternations from this size on are searched for common prefixes."""


def declare(network: Network, expression: Expression, encoding: Encoding = UTF8, *, name: str = "") -> int:
    """Declare a rule with the texts of an expression; it is built on first use.

    Returns:
        The number of the rule.
    Raises:
        UnsatisfiableError: if there is no such text.
        LimitError: if it takes too long to find out.
    """
    if expression.is_plain:
        if expression is NOTHING:
            raise UnsatisfiableError("no text matches", where=name)

        def build() -> int:
            start, end = network.states(2)
            network.final(end)
            _add(network, start, expression, end, encoding)
            return start

        return network.rule(build, nullable=expression.least == 0, name=name)
    from guidance_kit.grammars.regular.derivative import Derivatives

    derivatives = Derivatives([expression])
    root = derivatives.root(expression)
    if not derivatives.is_live(root):
        raise UnsatisfiableError("no text matches", where=name)
    return derivatives.declare(network, root, encoding, name=name)


def add(network: Network, source: int, expression: Expression, target: int, encoding: Encoding = UTF8) -> None:
    """Add paths from `source` to `target` that read a text of an expression. See `declare` for what is raised."""
    if expression.is_plain and expression is not NOTHING:
        _add(network, source, expression, target, encoding)
    else:
        network.call(source, declare(network, expression, encoding), target)


def _add(network: Network, source: int, expression: Expression, target: int, encoding: Encoding) -> None:
    kind = type(expression)
    if kind is Characters:
        encoding.add(network, source, expression.charset, target)
    elif kind is Concatenation:
        parts = expression.parts
        for part in parts[:-1]:
            following = network.state()
            _add(network, source, part, following, encoding)
            source = following
        _add(network, source, parts[-1], target, encoding)
    elif kind is Repetition:
        _add_repetition(network, source, expression, target, encoding)
    elif kind is Alternation:
        _add_alternation(network, source, expression.parts, target, encoding)
    else:
        assert expression is EPSILON, expression
        network.epsilon(source, target)


def _add_repetition(network: Network, source: int, expression: Repetition, target: int, encoding: Encoding) -> None:
    body, minimum, maximum = expression.body, expression.minimum, expression.maximum
    if expression.is_counted:

        def build(end: int) -> int:
            start = network.state()
            _add_some(network, start, body, end, encoding)
            return start

        network.call(source, network.repeat(build, minimum, maximum), target)
        return
    for _ in range(minimum - 1):
        following = network.state()
        _add(network, source, body, following, encoding)
        source = following
    if maximum < 0:
        loop = network.state()
        if minimum == 0:
            network.epsilon(source, loop)
            _add(network, loop, body, loop, encoding)
            network.epsilon(loop, target)
        else:
            after = network.state()
            network.epsilon(source, loop)
            _add(network, loop, body, after, encoding)
            network.epsilon(after, loop)
            network.epsilon(after, target)
        return
    turns = maximum - max(minimum - 1, 0)
    for turn in range(turns):
        if minimum == 0 or turn > 0:
            network.epsilon(source, target)
        following = target if turn == turns - 1 else network.state()
        _add(network, source, body, following, encoding)
        source = following


def _add_some(network: Network, source: int, expression: Expression, target: int, encoding: Encoding) -> None:
    """Add the paths of a plain expression except the empty one."""
    if expression.least > 0:
        _add(network, source, expression, target, encoding)
    elif isinstance(expression, Alternation):
        for part in expression.parts:
            _add_some(network, source, part, target, encoding)
    elif isinstance(expression, Repetition):
        body, maximum = expression.body, expression.maximum
        if body.least > 0:
            _add_repetition(network, source, Repetition(body, 1, maximum), target, encoding)
            return
        # Turns that read nothing can be left out, so all turns may be required to read something.
        if maximum == 1:
            _add_some(network, source, body, target, encoding)
        elif maximum < 0:
            loop = network.state()
            after = network.state()
            network.epsilon(source, loop)
            _add_some(network, loop, body, after, encoding)
            network.epsilon(after, loop)
            network.epsilon(after, target)
        else:

            def build(end: int) -> int:
                start = network.state()
                _add_some(network, start, body, end, encoding)
                return start

            network.call(source, network.repeat(build, 1, maximum), target)
    elif isinstance(expression, Concatenation):
        # Some part is the first that reads something.
        parts = expression.parts
        places = [*network.states(len(parts) - 1), target]
        for k, part in enumerate(parts):
            _add_some(network, source, part, places[k], encoding)
            if k > 0:
                _add(network, places[k - 1], part, places[k], encoding)
    else:
        assert expression is EPSILON, expression


def _add_alternation(
    network: Network, source: int, parts: tuple[Expression, ...], target: int, encoding: Encoding
) -> None:
    if len(parts) < _MANY:
        for part in parts:
            _add(network, source, part, target, encoding)
        return
    # Group by the first character set, so that many literals become a trie, one level after the other.
    todo: list[tuple[int, list[tuple[tuple[Expression, ...], int]]]] = [
        (source, [(part.parts if isinstance(part, Concatenation) else (part,), 0) for part in parts])
    ]
    while todo:
        place, ways = todo.pop()
        groups: dict[CharSet, list[tuple[tuple[Expression, ...], int]]] = {}
        for sequence, at in ways:
            if at == len(sequence):
                network.epsilon(place, target)
                continue
            first = sequence[at]
            if isinstance(first, Characters):
                groups.setdefault(first.charset, []).append((sequence, at + 1))
            else:
                _add_sequence(network, place, sequence[at:], target, encoding)
        for charset, members in groups.items():
            if len(members) > 1:
                following = network.state()
                encoding.add(network, place, charset, following)
                todo.append((following, members))
            else:
                sequence, at = members[0]
                _add_sequence(network, place, sequence[at - 1 :], target, encoding)


def _add_sequence(
    network: Network, source: int, parts: tuple[Expression, ...], target: int, encoding: Encoding
) -> None:
    for part in parts[:-1]:
        following = network.state()
        _add(network, source, part, following, encoding)
        source = following
    _add(network, source, parts[-1], target, encoding)
