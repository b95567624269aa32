"""Report on a grammar that can be used."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import cached_property
from itertools import combinations

from guidance_kit.grammars.context_free.adjacency import run_together
from guidance_kit.grammars.context_free.lalr import LexedGrammar
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.reduction import NumberedRules
from guidance_kit.grammars.context_free.tree import Grammar, rules_in
from guidance_kit.grammars.regular.charset import typical
from guidance_kit.grammars.regular.shorthands import Shorthand, wide_shorthands

__all__ = ["GrammarReport", "rule_at_fault"]

_MOST_STATES = 10_000
"""Pairs of states searched for a common text of two terminals."""


class GrammarReport:
    """Report on a grammar, computed when it is needed."""

    def __init__(self, grammar: Grammar | LexedGrammar) -> None:
        self._grammar = grammar

    @property
    def rules(self) -> int:
        """Number of used rules."""
        return len({_named(name) for name in self._grammar.rules} - {""})

    @property
    def terminals(self) -> int:
        """Number of used terminals."""
        return len(self._grammar.terminals)

    @property
    def unused(self) -> tuple[str, ...]:
        """Rules that are defined and cannot be reached."""
        return self._grammar.unused

    @cached_property
    def without_texts(self) -> tuple[str, ...]:
        """Rules that can be reached and have no text, so that nothing ever goes through them."""
        productive = _productive(self._grammar)
        named = dict.fromkeys(_named(name) for name in self._grammar.rules if name not in productive)
        return tuple(name for name in named if name)

    @property
    def has_lexer(self) -> bool:
        """True if a lexer determines the terminals of a text."""
        return isinstance(self._grammar, LexedGrammar)

    @cached_property
    def collisions(self) -> Mapping[tuple[str, str], str]:
        """For two terminals a shortest common text. That is no error: both are tried.

        With a lexer, only pairs of terminals of one lexer state are listed; the first of them matches the text.
        """
        if isinstance(self._grammar, LexedGrammar):
            return self._grammar.maximal_munch.collisions()
        found: dict[tuple[str, str], str] = {}
        for (one, a), (other, b) in combinations(sorted(self._grammar.terminals.items()), 2):
            shared = _shared(a, b)
            if shared is not None:
                found[one, other] = shared
        return found

    @cached_property
    def shorthands(self) -> Mapping[str, tuple[Shorthand, ...]]:
        r"""Terminals with the shorthands among `\d`, `\w` and `\s` in their patterns, which match more than ASCII."""
        found = {name: wide_shorthands(pattern) for name, pattern in self._grammar.patterns.items()}
        return {name: shorthands for name, shorthands in found.items() if shorthands}

    @cached_property
    def run_together(self) -> Mapping[tuple[str, str], str]:
        r"""For a keyword and a terminal that may follow it without white space, so that both read as one word, a text.

        That is no error, as lark reads such texts too; white space that must separate them belongs into the grammar, or
        the keyword needs a lookahead: `/select\b/`.
        """
        return run_together(self._grammar)


def _named(name: str) -> str:
    """Name of a rule in the grammar, "" for an internal rule of a repetition; a `LexedGrammar` has copies of rules."""
    return "" if name.startswith("__") else name.partition(" #")[0]


def rule_at_fault(grammar: Grammar | LexedGrammar) -> str:
    """Of a grammar without texts: an unproductive rule that does not depend on another one."""
    productive = _productive(grammar)
    name, seen = grammar.start, set[str]()
    while name not in seen:
        seen.add(name)
        name = next((called for called in rules_in(grammar.rules[name]) if called not in productive), name)
    return name


def _productive(grammar: Grammar | LexedGrammar) -> set[str]:
    return NumberedRules.of(grammar.rules).productive(grammar.terminals_with_texts)


def _shared(a: Lexeme, b: Lexeme) -> str | None:
    """A shortest text that two terminals have."""
    if not (a.first & b.first):
        return None
    todo = deque([(0, 0, "")])
    seen = {(0, 0)}
    while todo and len(seen) < _MOST_STATES:
        one, other, text = todo.popleft()
        if a.endings[one] is not None and b.endings[other] is not None:
            return text
        for chars, target in a.edges[one]:
            for others, following in b.edges[other]:
                both = chars & others
                if both and (target, following) not in seen:
                    seen.add((target, following))
                    todo.append((target, following, text + typical(both)))
    return None
