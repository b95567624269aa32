"""Readings of texts by the rules of a grammar as they stand in it, with conditions on what follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from guidance_kit.grammars.context_free.lalr import LexedGrammar
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.reduction import usable_diagrams
from guidance_kit.grammars.context_free.scannerless import Scannerless
from guidance_kit.grammars.context_free.tree import Choice, Grammar, Node, Repetition, Rule, Sequence, Terminal
from guidance_kit.grammars.context_free.weaving import Key, Weaver

__all__ = ["Readings", "plain_name"]


class _State(NamedTuple):
    """A state of a rule: what can be read from it, each with the next state, and whether the rule may end there."""

    skips: list[int]
    calls: list[tuple[Key, int]]
    lexemes: list[tuple[Lexeme, int]]
    is_final: bool


class Readings:
    """Readings of the texts of a grammar.

    Args:
        grammar: the grammar; no other constraints stand in it.
        terminals: those of which it matters what they match.
    """

    def __init__(self, grammar: Grammar | LexedGrammar, terminals: frozenset[str]) -> None:
        wanted = {
            name for node in grammar.rules.values() for name in _terminals_in(node) if plain_name(name) in terminals
        }
        rules: dict[str, Node] = {name: _wrapped(node, wanted) for name, node in grammar.rules.items()}
        rules |= {_WRAPPER + name: Terminal(name) for name in wanted}
        conditions = Scannerless(grammar) if isinstance(grammar, Grammar) else grammar.munch
        diagrams = usable_diagrams(rules, grammar.terminals_with_texts)
        self._weaver = Weaver(grammar.start, diagrams, conditions)
        self.root = self._weaver.root
        self._states: dict[Key, list[_State]] = {}
        self._steps: dict[tuple[Lexeme, int, str], int] = {}

    def states(self, key: Key) -> list[_State]:
        """The states of a rule under its conditions."""
        found = self._states.get(key)
        if found is None:
            woven = self._weaver.rule(key)
            found = self._states[key] = []
            for number, edges in enumerate(woven.edges):
                state = _State([], [], [], number in woven.finals)
                for symbol, target in edges:
                    if symbol is None:
                        state.skips.append(target)
                    elif isinstance(symbol, Lexeme):
                        state.lexemes.append((symbol, target))
                    else:
                        assert isinstance(symbol, tuple), "Lark's notation has no counted repetitions"
                        state.calls.append((symbol, target))
                found.append(state)
        return found

    def after(self, lexeme: Lexeme, state: int, character: str) -> int:
        """The state of a lexeme after a character, -1 if it cannot be read."""
        key = lexeme, state, character
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = lexeme.after(state, ord(character))
        return found


_WRAPPER = "="
"""Before the name of a terminal: the rule that is this terminal."""


def plain_name(name: str) -> str:
    """The name in the grammar; with a lexer, rules and terminals are taken several times, under names with a space."""
    return name.removeprefix(_WRAPPER).partition(" ")[0]


def _terminals_in(node: Node) -> Iterator[str]:
    if isinstance(node, Terminal):
        yield node.name
    for part in _parts(node):
        yield from _terminals_in(part)


def _parts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Sequence):
        return node.parts
    if isinstance(node, Choice):
        return node.ways
    return (node.body,) if isinstance(node, Repetition) else ()


def _wrapped(node: Node, terminals: set[str]) -> Node:
    """A node in which rules stand for some terminals."""
    if isinstance(node, Terminal) and node.name in terminals:
        return Rule(_WRAPPER + node.name)
    if isinstance(node, Sequence):
        return Sequence(tuple(_wrapped(part, terminals) for part in node.parts))
    if isinstance(node, Choice):
        return Choice(tuple(_wrapped(way, terminals) for way in node.ways))
    return replace(node, body=_wrapped(node.body, terminals)) if isinstance(node, Repetition) else node
