"""Lowering of expressions with derivatives: automata as network rules, built on first use.

A conjunction of a pattern and a maximal length has as many derivatives as pairs of a derivative of the pattern and a
length. Where the least number of further characters is known in each state, characters are counted in the stack frame
instead (`Network.counted`), and the states are the derivatives of the pattern alone.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.encoding import Encoding
from guidance_kit.grammars.regular.expression import (
    Alternation,
    Characters,
    Concatenation,
    Deferred,
    Expression,
    Intersection,
    Repetition,
    intersect,
    length,
    length_bounds,
)
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.grammars.regular.lower import declare_plain

__all__ = ["BoundedLength", "as_counted", "declare_derived"]

_EAGER = 4
"""States that are built at once with a rule."""


def declare_derived(network: Network, expression: Expression, encoding: Encoding, *, name: str = "") -> int:
    """Declare a rule with the texts of an expression; its derivatives are built on first use.

    Returns:
        The number of the rule.
    Raises:
        UnsatisfiableError: there is no such text.
        LimitError: the search for one takes too long.
    """
    counted = as_counted(expression)
    derivatives = Derivatives(expression if counted is None else counted.expression)
    liveness = Liveness(derivatives)
    root = derivatives.root
    if not (liveness.is_live(root) if counted is None else liveness.least(root) <= counted.maximum):
        raise UnsatisfiableError("no text matches", where=name)
    if counted is None:
        return _DerivativeWriter(derivatives, liveness, network, encoding, name).rule(root)
    writer = _CountingWriter(derivatives, liveness, network, encoding, name)
    nullable = derivatives.nodes.accepts_end(root)
    return network.counted(lambda: writer.build(root), counted.maximum, counted.slack, nullable=nullable, name=name)


class BoundedLength(NamedTuple):
    """Texts of an expression with at most `maximum` characters.

    Attributes:
        expression: all its derivatives have texts, and `Liveness.least` is the length of a shortest one.
        slack: characters that suffice to complete any text after its first character, that one included.
    """

    expression: Expression
    maximum: int
    slack: int


def as_counted(expression: Expression) -> BoundedLength | None:
    """A plain expression with a maximal length as a counted one, if possible.

    With a minimal length too, it is possible if each text that is too short can be extended by any number of
    characters.
    """
    if not isinstance(expression, Intersection) or len(expression.parts) != 2:
        return None
    for pattern, bounds in (expression.parts, expression.parts[::-1]):
        minimum, maximum = length_bounds(bounds) or (0, UNBOUNDED)
        if pattern.is_plain and maximum != UNBOUNDED:
            if pattern.least >= minimum:
                return BoundedLength(pattern, maximum, 1 + _most_left(pattern))
            if _is_padded(pattern):
                limited = intersect(pattern, length(minimum, UNBOUNDED))
                return BoundedLength(limited, maximum, 1 + max(minimum - 1, _most_left(pattern)))
    return None


def _most_left(expression: Expression) -> int:
    """Number of characters that suffice to complete any nonempty prefix of a text of a plain expression."""
    if isinstance(expression, Concatenation):
        rest = most = 0
        for part in reversed(expression.parts):
            most = max(most, _most_left(part) + rest)
            rest += part.least
        return most
    if isinstance(expression, Alternation):
        return max(map(_most_left, expression.parts))
    if isinstance(expression, Deferred):
        return expression.left
    if isinstance(expression, Repetition):
        return _most_left(expression.body) + max(0, expression.minimum - 1) * expression.body.least
    return 0


def _is_padded(expression: Expression) -> bool:
    """Test whether, for any prefix, each text with it can be extended by one character behind the prefix.

    For a plain expression that is so if all its texts end in a character that may be repeated.
    """
    if isinstance(expression, Concatenation):
        return _is_padded(expression.parts[-1])
    if isinstance(expression, Alternation):
        return all(map(_is_padded, expression.parts))
    if isinstance(expression, Repetition):
        if isinstance(expression.body, Characters):
            return expression.maximum == UNBOUNDED
        return expression.minimum > 0 and _is_padded(expression.body)
    return False


class _DerivativeWriter:
    """Writer of one automaton of derivatives into one network in one encoding."""

    def __init__(
        self, derivatives: Derivatives, liveness: Liveness, network: Network, encoding: Encoding, name: str
    ) -> None:
        self.derivatives = derivatives
        self.liveness = liveness
        self.nodes = derivatives.nodes
        self.network = network
        self.encoding = encoding
        self.name = name
        self._end = -1
        self._rules: dict[int, int] = {}
        self._states: dict[int, int] = {}  # nodes whose states have all their edges
        self._fresh: dict[int, int] = {}  # nodes whose states are being made
        self._todo: deque[int] = deque()
        self._stubs: dict[int, int] = {}  # states that lead to the rule of a node

    def rule(self, node: int) -> int:
        """The rule of a node, declared."""
        number = self._rules.get(node)
        if number is None:
            nullable = self.nodes.accepts_end(node)
            number = self.network.rule(lambda: self.build(node), nullable=nullable, name=self.name)
            self._rules[node] = number
        return number

    def build(self, node: int) -> int:
        """The state of a node, made together with those of some nodes that follow."""
        if node not in self._states:
            self.derivatives.work = self.network.work
            self._fresh = {node: self.network.state()}
            self._todo = deque([node])
            try:
                while self._todo:
                    here = self._todo.popleft()
                    if self.nodes.accepts_end(here):
                        self.network.final(self._fresh[here])
                    self._add_steps(self._fresh[here], here)
            except BaseException:
                self._forget()
                raise
            self._states |= self._fresh
        return self._states[node]

    def _forget(self) -> None:
        """Forget states that may lead to those that are being made: these will not be finished."""

    def _add_steps(self, source: int, node: int) -> None:
        """Add paths from `source` that read the characters that can follow."""
        for mask, following in self.derivatives.steps(node):
            if self.liveness.is_live(following):
                self.encoding.add(self.network, source, self.nodes.partition.charset(mask), self._place(following))

    def _place(self, node: int) -> int:
        """State from which the texts of a node are read."""
        state = self._fresh.get(node, self._states.get(node, -1))
        if state >= 0:
            return state
        return self._the_end() if node == self.nodes.epsilon else self._new_place(node)

    def _new_place(self, node: int) -> int:
        """A state for a node that has none yet."""
        if not self.nodes.is_plain[node]:
            return self._derived_place(node)
        if node not in self._rules:
            expression = self.nodes.expression(node)
            self._rules[node] = declare_plain(self.network, expression, self.encoding, name=self.name)
        return self._stub(node)

    def _derived_place(self, node: int) -> int:
        """A state to be made now, or one that leads to the rule of the node."""
        if len(self._fresh) >= _EAGER:
            return self._stub(node)
        state = self._fresh[node] = self.network.state()
        self._todo.append(node)
        return state

    def _stub(self, node: int) -> int:
        state = self._stubs.get(node, -1)
        if state < 0:
            rule, state = self.rule(node), self.network.state()
            self.network.jump(state, rule)
            self._stubs[node] = state
        return state

    def _the_end(self) -> int:
        """Final state without edges."""
        if self._end < 0:
            end = self.network.state()
            self.network.final(end)
            self._end = end
        return self._end


class _CountingWriter(_DerivativeWriter):
    """Writer of a counted rule, in which each character is a turn."""

    def __init__(
        self, derivatives: Derivatives, liveness: Liveness, network: Network, encoding: Encoding, name: str
    ) -> None:
        super().__init__(derivatives, liveness, network, encoding, name)
        self._turns: dict[int, int] = {}  # states that end a turn and go on at a node

    def _add_steps(self, source: int, node: int) -> None:
        gates: dict[int, int] = {}  # states where so many more characters are within the maximum
        for mask, following in self.derivatives.steps(node):
            needed = 1 + self.liveness.least(following)
            gate = gates.get(needed, -1)
            if gate < 0:
                gate = gates[needed] = self.network.state()
                self.network.within(source, needed, gate)
            self.encoding.add(self.network, gate, self.nodes.partition.charset(mask), self._turn(following))

    def _turn(self, node: int) -> int:
        state = self._turns.get(node, -1)
        if state < 0:
            place, state = self._place(node), self.network.state()
            self.network.turn(state, place)
            self._turns[node] = state
        return state

    def _forget(self) -> None:
        self._turns.clear()

    def _new_place(self, node: int) -> int:
        return self._derived_place(node)
