"""Grammar as an Earley parser needs it: rules as they are written, with conditions on the following text."""

from __future__ import annotations

from typing import NamedTuple

from guidance_kit.grammars.context_free.condition_product import ConditionProduct, Key, ProductRule
from guidance_kit.grammars.context_free.lalr import LexedGrammar
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.reduction import usable_diagrams
from guidance_kit.grammars.context_free.scannerless import Scannerless
from guidance_kit.grammars.context_free.tree import (
    Grammar,
    Node,
    RuleReference,
    Terminal,
    terminals_in,
    with_terminals,
)

__all__ = ["EarleyGrammar", "plain_name"]


class _RuleState(NamedTuple):
    """A state of a rule: its edges by kind, each with the next state, and whether it is final."""

    skips: list[int]
    calls: list[tuple[Key, int]]
    lexemes: list[tuple[Lexeme, int]]
    is_final: bool


class EarleyGrammar:
    """Rules of a grammar, each with its pending conditions.

    Args:
        grammar: a grammar without embedded constraints.
        terminals: terminals with captures; each becomes a rule.
    """

    def __init__(self, grammar: Grammar | LexedGrammar, terminals: frozenset[str]) -> None:
        wanted = {
            name for node in grammar.rules.values() for name in terminals_in(node) if plain_name(name) in terminals
        }
        called: dict[str, Node] = {name: RuleReference(_WRAPPER + name) for name in wanted}
        rules: dict[str, Node] = {name: with_terminals(node, called) for name, node in grammar.rules.items()}
        rules |= {_WRAPPER + name: Terminal(name) for name in wanted}
        conditions = Scannerless(grammar) if isinstance(grammar, Grammar) else grammar.maximal_munch
        diagrams = usable_diagrams(rules, grammar.terminals_with_texts)
        self._product = ConditionProduct(grammar.start, diagrams, conditions)
        self.root = self._product.root
        self._states: dict[Key, list[_RuleState]] = {}
        self._steps: dict[tuple[Lexeme, int, str], int] = {}

    def states(self, key: Key) -> list[_RuleState]:
        """States of a rule under its conditions."""
        found = self._states.get(key)
        if found is None:
            name, before, behind = key
            rule = ProductRule()
            members = [self._product.add(name, before, rule)]
            numbers = {members[0]: 0}

            def numbered(state: int) -> int:
                if state not in numbers:
                    numbers[state] = len(members)
                    members.append(state)
                return numbers[state]

            found = self._states[key] = []
            for member in members:  # grows meanwhile
                state = _RuleState([], [], [], rule.ends[member] == behind)
                for symbol, target in rule.edges[member]:
                    if not rule.exits[target] >> behind & 1:
                        continue
                    if symbol is None:
                        state.skips.append(numbered(target))
                    elif isinstance(symbol, Lexeme):
                        state.lexemes.append((symbol, numbered(target)))
                    else:
                        assert isinstance(symbol, tuple), "Lark's notation has no counted repetitions"
                        state.calls.append((symbol, numbered(target)))
                found.append(state)
        return found

    def after(self, lexeme: Lexeme, state: int, character: str) -> int:
        """State of a terminal after a character, -1 if it cannot be read."""
        key = lexeme, state, character
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = lexeme.after(state, ord(character))
        return found


_WRAPPER = "="
"""Prefix of the rule of a terminal with captures."""


def plain_name(name: str) -> str:
    """Name in the grammar; with a lexer, rules and terminals have several copies, under names with a space."""
    return name.removeprefix(_WRAPPER).partition(" ")[0]
