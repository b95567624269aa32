"""Terminals of XGrammar's EBNF: rules without recursion as regular expressions, and automata as nodes."""

from __future__ import annotations

from guidance_kit.errors import LimitError
from guidance_kit.grammars.context_free.expression_lexeme import MAX_STATES, lexeme_of
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.source import GrammarScanner
from guidance_kit.grammars.context_free.tree import Choice, EbnfRepetition, Node, RuleReference, Sequence, Terminal
from guidance_kit.grammars.regular.charset import NONE, CharSet
from guidance_kit.grammars.regular.expression import Expression, alternate, characters, concatenate, repeat

__all__ = ["ending_from", "lexeme_of_rule", "terminal"]


def terminal(source: GrammarScanner, lexeme: Lexeme, shown: str) -> Node:
    """Node of the texts of an automaton, the empty one among them if it has that."""
    nonempty = lexeme.without_empty() if lexeme.is_nullable else lexeme
    found: Node = Choice(())
    if not nonempty.is_empty:
        name = next(
            name
            for name in (shown, *(f"{shown} {number}" for number in range(2, len(source.terminals) + 3)))
            if source.terminals.get(name, nonempty) == nonempty
        )
        source.terminals[name] = nonempty
        found = Terminal(name)
    return Choice((Sequence(()), found)) if lexeme.is_nullable else found


def ending_from(lexeme: Lexeme, count: int) -> Lexeme:
    """The texts that end at the first possible place after `count` characters, or before.

    Raises:
        LimitError: there are too many states.
    """
    numbers, todo = {(0, 0): 0}, [(0, 0)]
    edges: list[list[tuple[CharSet, int]]] = []
    for state, read in todo:  # grows meanwhile
        steps: list[tuple[CharSet, int]] = []
        for chars, target in () if read == count and lexeme.endings[state] is not None else lexeme.edges[state]:
            pair = target, min(read + 1, count)
            number = numbers.setdefault(pair, len(todo))
            if number == len(todo):
                if number >= MAX_STATES:
                    raise LimitError("max_states", MAX_STATES, where=f"max_chars={count} of a rule")
                todo.append(pair)
            steps.append((chars, number))
        edges.append(steps)
    return Lexeme.smallest(edges, [lexeme.endings[state] for state, _ in todo])


def lexeme_of_rule(name: str, source: GrammarScanner, place: int) -> Lexeme:
    """Automaton of a rule without recursion, or of one macro.

    Raises:
        GrammarError: there is recursion in it, or a token, or a macro beside others.
        LimitError: it has too many states.
    """
    node = source.rules[name]
    while isinstance(node, Sequence) and len(node.parts) == 1:
        node = node.parts[0]
    if isinstance(node, Terminal):
        return source.terminals[node.name]
    if isinstance(node, Choice) and len(node.ways) == 2 and node.ways[0] == Sequence(()):
        only = node.ways[1]
        if isinstance(only, Terminal):  # as `terminal` makes it: no edge leads back to the start
            lexeme = source.terminals[only.name]
            return Lexeme(lexeme.edges, (NONE, *lexeme.endings[1:]))
    return lexeme_of(_expression_of(node, source, place), where=f"the rule {name}")


def _expression_of(node: Node, source: GrammarScanner, place: int, inside: tuple[str, ...] = ()) -> Expression:
    """Regular expression of a node without recursion; `inside` has the rules around it.

    Raises:
        GrammarError: there is recursion, or a token or macro in it.
    """
    if isinstance(node, Sequence):
        return concatenate(_expression_of(part, source, place, inside) for part in node.parts)
    if isinstance(node, Choice):
        return alternate(_expression_of(way, source, place, inside) for way in node.ways)
    if isinstance(node, RuleReference) and node.name not in inside and node.name in source.rules:
        return _expression_of(source.rules[node.name], source, place, (*inside, node.name))
    if isinstance(node, EbnfRepetition):
        return repeat(_expression_of(node.body, source, place, inside), node.minimum, node.maximum)
    edges = source.terminals[node.name].edges if isinstance(node, Terminal) else ()
    if isinstance(node, RuleReference) or any(len(steps) > 1 for steps in edges):
        raise source.error(
            "a rule with lazy or max_chars has one macro, or no recursion, tokens and macros, in it", place
        )
    return concatenate(characters(steps[0][0]) for steps in edges if steps)
