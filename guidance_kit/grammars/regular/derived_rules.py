"""Automata of derivatives as network rules, which are built where texts lead to them."""

from __future__ import annotations

from collections import deque

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.encoding import Encoding
from guidance_kit.grammars.regular.expression import EPSILON, Expression
from guidance_kit.grammars.regular.liveness import Liveness
from guidance_kit.grammars.regular.plain_rules import declare_plain

__all__ = ["declare_derived"]

_EAGER = 4
"""States that are built at once when a rule is built."""


def declare_derived(network: Network, expression: Expression, encoding: Encoding, *, name: str = "") -> int:
    """Declare a rule with the texts of an expression; what follows from it is built where texts lead to it.

    Returns:
        The number of the rule.
    Raises:
        UnsatisfiableError: if there is no such text.
        LimitError: if it takes too long to find out.
    """
    derivatives = Derivatives(expression)
    liveness = Liveness(derivatives)
    if not liveness.is_live(derivatives.root):
        raise UnsatisfiableError("no text matches", where=name)
    return _Writer(derivatives, liveness, network, encoding, name).rule(derivatives.root)


class _Writer:
    """Writes one automaton of derivatives into one network in one encoding."""

    def __init__(
        self, derivatives: Derivatives, liveness: Liveness, network: Network, encoding: Encoding, name: str
    ) -> None:
        self.derivatives = derivatives
        self.liveness = liveness
        self.nodes = derivatives.nodes
        self.network = network
        self.encoding = encoding
        self.name = name
        self.end = -1
        self.rules: dict[int, int] = {}
        self.states: dict[int, int] = {}  # nodes whose states have all their edges
        self.stubs: dict[int, int] = {}  # states that call the rule of a node

    def rule(self, node: int) -> int:
        """The rule of a node, declared."""
        number = self.rules.get(node)
        if number is None:
            nullable = self.nodes.accepts_end(node)
            number = self.network.rule(lambda: self._build(node), nullable=nullable, name=self.name)
            self.rules[node] = number
        return number

    def _build(self, node: int) -> int:
        """The state of a node, made together with those of some nodes that follow."""
        if self.end < 0:
            self.end = self.network.state()
            self.network.final(self.end)
        if node not in self.states:
            fresh: dict[int, int] = {node: self.network.state()}
            todo = deque([node])
            while todo:
                self._add_edges(todo.popleft(), fresh, todo)
            self.states.update(fresh)
        return self.states[node]

    def _add_edges(self, node: int, fresh: dict[int, int], todo: deque[int]) -> None:
        nodes, network = self.nodes, self.network
        source = fresh[node]
        if nodes.accepts_end(node):
            network.final(source)
        for mask, following in self.derivatives.steps(node):
            if not self.liveness.is_live(following):
                continue
            target = fresh.get(following, self.states.get(following, -1))
            if target < 0:
                plain = nodes.expression(following) if nodes.is_plain[following] else None
                if plain is EPSILON:
                    target = self.end
                elif plain is None and len(fresh) < _EAGER:
                    target = fresh[following] = network.state()
                    todo.append(following)
                else:
                    target = self._stub(following, plain)
            self.encoding.add(network, source, nodes.partition.charset(mask), target)

    def _stub(self, node: int, plain: Expression | None) -> int:
        """A state that calls the rule of a node, as the last thing its own rule does."""
        state = self.stubs.get(node, -1)
        if state < 0:
            if plain is not None and node not in self.rules:
                self.rules[node] = declare_plain(self.network, plain, self.encoding, name=self.name)
            state = self.stubs[node] = self.network.state()
            self.network.call(state, self.rule(node), self.end)
        return state
