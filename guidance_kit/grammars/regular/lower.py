"""Lowering of expressions to network states."""

from __future__ import annotations

from typing import TypeGuard

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.fragment import Mark, constant_rule, copy_in_a_row
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.encoding import UTF8, Encoding
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    NOTHING,
    Alternation,
    Characters,
    Concatenation,
    Deferred,
    Expression,
    Repetition,
)

__all__ = ["add", "declare", "declare_plain"]

_MANY = 8
"""Alternations from this size on are searched for common prefixes."""

_MANY_TURNS = 12
"""Turns in a row from which on all but two are copies."""


def declare(network: Network, expression: Expression, encoding: Encoding = UTF8, *, name: str = "") -> int:
    """Declare a rule with the texts of an expression; it is built on first use.

    Returns:
        The number of the rule.
    Raises:
        UnsatisfiableError: there is no such text.
        LimitError: the search for one takes too long.
    """
    if expression is NOTHING:
        raise UnsatisfiableError("no text matches", where=name)
    if expression.is_plain:
        return declare_plain(network, expression, encoding, name=name)
    from guidance_kit.grammars.regular.derived_rules import declare_derived  # which lowers its plain parts here

    return declare_derived(network, expression, encoding, name=name)


def add(network: Network, source: int, expression: Expression, target: int, encoding: Encoding = UTF8) -> None:
    """Add paths from `source` to `target` that read a text of an expression. Raises what `declare` raises."""
    if expression.is_plain and expression is not NOTHING:
        _PlainWriter(network, encoding).all(source, expression, target)
    else:
        network.call(source, declare(network, expression, encoding), target)


def declare_plain(network: Network, expression: Expression, encoding: Encoding, *, name: str = "") -> int:
    """Declare a rule with the texts of a plain expression that has some; it is built on first use.

    Returns:
        The number of the rule.
    """
    return network.rule(lambda: _build(network, expression, encoding), nullable=expression.least == 0, name=name)


def _build(network: Network, expression: Expression, encoding: Encoding) -> int:
    """Write the states of a rule; return its start."""
    start, end = network.states(2)
    network.final(end)
    _PlainWriter(network, encoding).all(start, expression, end)
    return start


class _PlainWriter:
    """Writer of plain expressions into one rule of a network."""

    def __init__(self, network: Network, encoding: Encoding) -> None:
        self.network = network
        self.encoding = encoding
        self.loops: dict[int, int] = {}  # target -> state of a loop over any characters before it

    def all(self, source: int, expression: Expression, target: int) -> None:
        """Add the paths of a plain expression."""
        if isinstance(expression, Characters):
            self.encoding.add(self.network, source, expression.charset, target)
        elif isinstance(expression, Concatenation):
            self.sequence(source, expression.parts, target)
        elif expression is ANYTHING:
            self.network.epsilon(source, self.loop(target))
        elif isinstance(expression, Repetition):
            self.repetition(source, expression, target)
        elif isinstance(expression, Alternation):
            self.alternation(source, expression.parts, target)
        elif isinstance(expression, Deferred):
            self.network.call(source, self.later(expression), target)
        else:
            assert expression is EPSILON, expression
            self.network.epsilon(source, target)

    def later(self, expression: Deferred) -> int:
        """Rule of a deferred part, which is built on first use."""
        network, encoding = self.network, self.encoding
        key = "deferred", encoding, expression
        if expression.is_common:
            return constant_rule(network, key, lambda other: _build(other, expression.body, encoding))
        rule = network.shared.get(key)
        if rule is None:
            rule = network.rule(lambda: _build(network, expression.body, encoding), nullable=False)
            network.shared[key] = rule
        return rule

    def repetition(self, source: int, expression: Repetition, target: int, *, is_absorbed: bool = False) -> None:
        """Add the paths of a repetition; `is_absorbed` as in `Network.repeat`."""
        body, minimum, maximum = expression.body, expression.minimum, expression.maximum
        if expression.is_counted:

            def build(end: int) -> int:
                start = self.network.state()
                self.some(start, body, end)
                return start

            rule = self.network.repeat(build, minimum, maximum, is_absorbed=is_absorbed)
            self.network.call(source, rule, target)
            return
        if maximum < 0:
            source = self.turns(source, body, minimum - 1)
            loop = self.network.state()
            if minimum == 0:
                self.network.epsilon(source, loop)
                self.all(loop, body, loop)
                self.network.epsilon(loop, target)
            else:
                after = self.network.state()
                self.network.epsilon(source, loop)
                self.all(loop, body, after)
                self.network.epsilon(after, loop)
                self.network.epsilon(after, target)
            return
        source = self.turns(source, body, minimum if minimum < maximum else minimum - 1)
        if minimum < maximum:
            source = self.turns(source, body, maximum - minimum - 1, way_out=target)
            self.network.epsilon(source, target)
        self.all(source, body, target)

    def turns(self, source: int, body: Expression, count: int, *, way_out: int | None = None) -> int:
        """Add turns one after the other; return the state after them.

        Args:
            way_out: where to go on instead of a turn; None: no turn may be left out.
        """
        for turn in range(count):
            begun = Mark.of(self.network) if turn == 1 and count >= _MANY_TURNS else None
            if way_out is not None:
                self.network.epsilon(source, way_out)
            following = self.network.state()
            self.all(source, body, following)
            if begun is not None:
                end = copy_in_a_row(self.network, begun, source, following, count - 2)
                if end is not None:
                    return end
            source = following
        return source

    def some(self, source: int, expression: Expression, target: int) -> None:
        """Add the paths of a plain expression except the empty one."""
        if expression.least > 0:
            self.all(source, expression, target)
        elif isinstance(expression, Alternation):
            for part in expression.parts:
                self.some(source, part, target)
        elif isinstance(expression, Repetition):
            body, maximum = expression.body, expression.maximum
            if body.least > 0:
                self.repetition(source, Repetition(body, 1, maximum), target)
                return
            # Turns that read nothing can be left out, so all turns may be required to read something.
            if maximum == 1:
                self.some(source, body, target)
            elif maximum < 0:
                loop = self.network.state()
                after = self.network.state()
                self.network.epsilon(source, loop)
                self.some(loop, body, after)
                self.network.epsilon(after, loop)
                self.network.epsilon(after, target)
            else:

                def build(end: int) -> int:
                    start = self.network.state()
                    self.some(start, body, end)
                    return start

                self.network.call(source, self.network.repeat(build, 1, maximum), target)
        elif isinstance(expression, Concatenation):
            # Some part is the first that reads something.
            parts = expression.parts
            places = [*self.network.states(len(parts) - 1), target]
            for k, part in enumerate(parts):
                self.some(source, part, places[k])
                if k > 0:
                    self.all(places[k - 1], part, places[k])
        else:
            assert expression is EPSILON, expression

    def alternation(self, source: int, parts: tuple[Expression, ...], target: int) -> None:
        if len(parts) < _MANY:
            for part in parts:
                self.all(source, part, target)
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
                    self.network.epsilon(place, target)
                    continue
                first = sequence[at]
                if isinstance(first, Characters):
                    groups.setdefault(first.charset, []).append((sequence, at + 1))
                else:
                    self.sequence(place, sequence[at:], target)
            for charset, members in groups.items():
                if len(members) > 1:
                    following = self.network.state()
                    self.encoding.add(self.network, place, charset, following)
                    todo.append((following, members))
                else:
                    sequence, at = members[0]
                    self.sequence(place, sequence[at - 1 :], target)

    def loop(self, target: int) -> int:
        """State of a loop over any characters before `target`, shared in the rule."""
        state = self.loops.get(target)
        if state is None:
            state = self.loops[target] = self.network.state()
            self.encoding.add(self.network, state, ALL, state)
            self.network.epsilon(state, target)
        return state

    def sequence(self, source: int, parts: tuple[Expression, ...], target: int) -> None:
        is_before_anything = len(parts) > 1 and parts[-1] is ANYTHING
        if is_before_anything:
            target = self.loop(target)
            parts = parts[:-1]
        for left, part in zip(range(len(parts) - 1, -1, -1), parts, strict=True):
            following = self.network.state() if left else target
            if is_before_anything and not left and _has_many_turns(part):
                fewest = Repetition(part.body, part.minimum, part.minimum)
                self.repetition(source, fewest, following, is_absorbed=True)
            else:
                self.all(source, part, following)
            source = following


def _has_many_turns(part: Expression) -> TypeGuard[Repetition]:
    """Test for a counted repetition of at least two turns."""
    return isinstance(part, Repetition) and part.is_counted and part.minimum > 1
