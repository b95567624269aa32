"""Differences of regular languages in grammars: texts of one node that another does not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from guidance_kit.errors import LimitError, UnsupportedFeature
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import (
    Choice,
    EbnfRepetition,
    Grammar,
    Node,
    RuleReference,
    Sequence,
    Terminal,
)
from guidance_kit.grammars.regular import (
    Expression,
    alternate,
    characters,
    complement,
    concatenate,
    intersect,
    repeat,
)
from guidance_kit.grammars.regular.charset import NONE, CharSet
from guidance_kit.grammars.regular.derivative import Derivatives

__all__ = ["with_differences"]

MAX_NESTING = 200
"""Nested rules of a difference that can be read without exhausting Python's stack; only named in errors."""

MAX_PRODUCT_STATES = 10_000
"""States of the automaton of one difference."""


def with_differences(grammar: Grammar, differences: Mapping[str, tuple[Node, Node]]) -> Grammar:
    """The grammar with differences as rules.

    Args:
        grammar: with any nodes for these rules.
        differences: for each rule the node of its texts, and the node of the excluded ones.
    Raises:
        UnsupportedFeature: one of the nodes is recursive, or has a difference as part of a longer text.
        LimitError: a difference is too involved.
    """
    reader = _ExpressionReader(grammar, differences)
    rules, terminals = dict(grammar.rules), dict(grammar.terminals)
    for name in differences:
        if name in rules:
            try:
                lexeme = _lexeme(reader.rule(name), name)
            except RecursionError:
                raise LimitError("max_nesting", MAX_NESTING, where=f"rules within {name}") from None
            terminals[name] = lexeme.without_empty()
            rules[name] = Choice((Sequence(()), Terminal(name))) if lexeme.is_nullable else Terminal(name)
    return replace(grammar, rules=rules, terminals=terminals)


class _ExpressionReader:
    """Nodes without recursion as expressions."""

    def __init__(self, grammar: Grammar, differences: Mapping[str, tuple[Node, Node]]) -> None:
        self._grammar = grammar
        self._differences = differences
        self._known: dict[str, Expression | None] = {}
        self._reading = ""

    def rule(self, name: str) -> Expression:
        """The texts of a rule."""
        if name not in self._known:
            self._known[name] = None
            self._reading = name
            if name in self._differences:
                kept, excluded = self._differences[name]
                self._known[name] = intersect(self._node(kept), complement(self._node(excluded)))
            else:
                self._known[name] = self._node(self._grammar.rules[name])
        found = self._known[name]
        if found is None:
            raise UnsupportedFeature("a difference of recursive rules", where=f"the rule {name}")
        return found

    def _node(self, node: Node) -> Expression:
        if isinstance(node, RuleReference):
            return self.rule(node.name)
        if isinstance(node, Terminal):
            if self._grammar.terminals[node.name].embedded is not None:
                raise UnsupportedFeature("another constraint in a difference", where=f"the rule {self._reading}")
            return _chain(self._grammar.terminals[node.name])
        if isinstance(node, Sequence):
            return concatenate([self._part(part) for part in node.parts])
        if isinstance(node, Choice):
            return alternate([self._node(way) for way in node.ways])
        assert isinstance(node, EbnfRepetition)
        return repeat(self._part(node.body), node.minimum, node.maximum)

    def _part(self, node: Node) -> Expression:
        """A node that is a part of a longer text."""
        found = self._node(node)
        if found.is_whole:
            raise UnsupportedFeature("a difference of what contains a difference", where=f"the rule {self._reading}")
        return found


def _chain(lexeme: Lexeme) -> Expression:
    """Expression of a sequence of character sets, the form of terminals in these notations."""
    parts: list[Expression] = []
    state = 0
    while lexeme.edges[state]:
        [(chars, state)] = lexeme.edges[state]
        parts.append(characters(chars))
    return concatenate(parts) if parts or lexeme.is_nullable else alternate([])


def _lexeme(expression: Expression, name: str) -> Lexeme:
    """The automaton of an expression."""
    derivatives = Derivatives(expression)
    nodes = derivatives.nodes
    numbers, todo = {derivatives.root: 0}, [derivatives.root]
    edges: list[list[tuple[CharSet, int]]] = []
    for node in todo:  # grows meanwhile
        steps: list[tuple[CharSet, int]] = []
        for mask, following in derivatives.steps(node):
            number = numbers.setdefault(following, len(todo))
            if number == len(todo):
                if number >= MAX_PRODUCT_STATES:
                    raise LimitError("max_product_states", MAX_PRODUCT_STATES, where=f"a difference in the rule {name}")
                todo.append(following)
            steps.append((nodes.partition.charset(mask), number))
        edges.append(steps)
    return Lexeme.smallest(edges, [NONE if nodes.accepts_end(node) else None for node in todo])
