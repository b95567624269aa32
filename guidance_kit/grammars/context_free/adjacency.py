"""Adjacent terminals in texts of a grammar, and keywords that run into the next word."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import partial

from guidance_kit.grammars.context_free.diagram import CountedCall, Diagram, Symbol
from guidance_kit.grammars.context_free.lalr import LexedGrammar
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.reduction import usable_diagrams
from guidance_kit.grammars.context_free.tree import Grammar, RuleReference, Terminal
from guidance_kit.grammars.regular.charset import CharSet, typical, words

__all__ = ["run_together"]

_MOST_SPELLINGS = 4
"""Characters at one place of a keyword whose case does not matter: s, S and the long s."""


def run_together(grammar: Grammar | LexedGrammar) -> Mapping[tuple[str, str], str]:
    """Pairs of a keyword and the terminal that may follow it without white space, so that both read as one word.

    A keyword is a terminal of two or more word characters, the first of which is no digit, in any case of its letters.

    Returns:
        For each pair a text of both, as `selectsaw` of "select" and NAME.
    """
    diagrams = usable_diagrams(grammar.rules, grammar.terminals_with_texts)
    if grammar.start not in diagrams:
        return {}
    following, firsts = _following(diagrams, grammar.start)
    if isinstance(grammar, LexedGrammar):
        return _lexed(grammar, following, firsts)
    found: dict[tuple[str, str], str] = {}
    for name, others in following.items():
        keyword = grammar.terminals[name]
        if _is_keyword(keyword):
            for other in sorted(others):
                text = _joined(keyword, grammar.terminals[other])
                if text is not None:
                    found[name, other] = text
    return found


def _lexed(
    grammar: LexedGrammar, following: Mapping[str, AbstractSet[str]], firsts: AbstractSet[str]
) -> Mapping[tuple[str, str], str]:
    """Pairs of `run_together` for a grammar with a lexer."""
    maximal_munch = grammar.maximal_munch
    before: dict[str, set[int]] = {name: {maximal_munch.first_lexer} for name in firsts}
    for name, others in following.items():
        for other in others:
            before.setdefault(other, set()).add(maximal_munch.read_of(name).lexer)
    found: dict[tuple[str, str], str] = {}
    for name, others in sorted(following.items()):
        terminal = maximal_munch.read_of(name).terminal
        for lexer in sorted(before.get(name, ())):
            for keyword, duties in maximal_munch.pieces(name, lexer):
                if not _is_keyword(keyword):
                    continue
                for other in sorted(others):
                    pair = terminal, maximal_munch.read_of(other).terminal
                    for piece, _ in maximal_munch.pieces(other, maximal_munch.read_of(name).lexer, duties):
                        text = None if pair in found else _joined(keyword, piece)
                        if text is not None:
                            found[pair] = text
    return found


def _following(diagrams: Mapping[str, Diagram[Symbol]], start: str) -> tuple[dict[str, set[str]], set[str]]:
    """Terminals that may follow each terminal, and those that may start a text, without ignored ones."""
    is_passed = partial(_is_empty, nullable=_nullable(diagrams))
    first: dict[str, set[str]] = {name: set() for name in diagrams}
    last: dict[str, set[str]] = {name: set() for name in diagrams}
    begins = {name: list(_reached(diagram, [0], is_passed)) for name, diagram in diagrams.items()}
    ends = {name: list(_ending(diagram, is_passed)) for name, diagram in diagrams.items()}
    _close(first, begins)
    _close(last, ends)
    found: dict[str, set[str]] = {}
    for diagram in diagrams.values():
        behind = [list(_reached(diagram, [state], is_passed)) for state in range(len(diagram.edges))]
        for steps in diagram.edges:
            for symbol, target in steps.items():
                heads = set().union(*(_members(other, first) for other in behind[target]))
                for tail in _members(symbol, last):
                    found.setdefault(tail, set()).update(heads)
                if isinstance(symbol, CountedCall) and symbol.maximum != 1:
                    for tail in last[symbol.name]:
                        found.setdefault(tail, set()).update(first[symbol.name])
    return found, first[start]


def _nullable(diagrams: Mapping[str, Diagram[Symbol]]) -> set[str]:
    """The rules that have the empty text."""
    found: set[str] = set()
    count = -1
    while count < len(found):
        count = len(found)
        is_empty = partial(_is_empty, nullable=frozenset(found))
        found |= {name for name, diagram in diagrams.items() if diagram.finals & _states(diagram, [0], is_empty)}
    return found


def _is_empty(symbol: Symbol, nullable: AbstractSet[str]) -> bool:
    """Test whether a symbol may be passed without reading a text."""
    return (
        symbol.name in nullable if isinstance(symbol, RuleReference | CountedCall) else not isinstance(symbol, Terminal)
    )


def _states(diagram: Diagram[Symbol], starts: Iterable[int], is_passed: Callable[[Symbol], bool]) -> set[int]:
    """The states that are reached without reading a text."""
    todo = list(starts)
    found = set(todo)
    while todo:
        for symbol, target in diagram.edges[todo.pop()].items():
            if target not in found and is_passed(symbol):
                found.add(target)
                todo.append(target)
    return found


def _reached(diagram: Diagram[Symbol], starts: Iterable[int], is_passed: Callable[[Symbol], bool]) -> set[Symbol]:
    """The symbols that may be read next."""
    return {symbol for state in _states(diagram, starts, is_passed) for symbol in diagram.edges[state]}


def _ending(diagram: Diagram[Symbol], is_passed: Callable[[Symbol], bool]) -> Iterator[Symbol]:
    """The symbols that may be read last."""
    for steps in diagram.edges:
        for symbol, target in steps.items():
            if diagram.finals & _states(diagram, [target], is_passed):
                yield symbol


def _members(symbol: Symbol, of_rules: Mapping[str, set[str]]) -> set[str]:
    """The terminals of a symbol: its own name, or those of its rule."""
    if isinstance(symbol, RuleReference | CountedCall):
        return of_rules[symbol.name]
    return {symbol.name} if isinstance(symbol, Terminal) else set()


def _close(sets: dict[str, set[str]], symbols: Mapping[str, Iterable[Symbol]]) -> None:
    """Add to the set of each rule the terminals of its symbols, until nothing changes."""
    users: dict[str, list[str]] = {}
    for name, members in symbols.items():
        for symbol in members:
            if isinstance(symbol, RuleReference | CountedCall):
                users.setdefault(symbol.name, []).append(name)
    todo = deque(sets)
    while todo:
        name = todo.popleft()
        more = set().union(*(_members(symbol, sets) for symbol in symbols[name])) - sets[name]
        if more:
            sets[name] |= more
            todo.extend(users.get(name, ()))


def _is_keyword(lexeme: Lexeme) -> bool:
    """Test whether its texts are one word of two or more characters, in any case of the letters."""
    word, length = words(), len(lexeme.edges) - 1
    return (
        length >= 2
        and lexeme.embedded is None
        and lexeme.endings[-1] is not None
        and all(ending is None for ending in lexeme.endings[:-1])
        and all(
            len(steps) == 1 and steps[0][1] == state + 1 and steps[0][0] <= word and len(steps[0][0]) <= _MOST_SPELLINGS
            for state, steps in enumerate(lexeme.edges[:length])
        )
        and not typical(lexeme.edges[0][0][0]).isdigit()
    )


def _joined(keyword: Lexeme, other: Lexeme) -> str | None:
    """A text of a keyword and a shortest one of another terminal that continues the word; None if there is none."""
    barred = keyword.endings[-1]
    if barred is None or other.embedded is not None:
        return None
    first = words() - barred
    todo = deque([(0, "")])
    seen = {0}
    while todo:
        state, text = todo.popleft()
        if text and other.endings[state] is not None:
            return "".join(typical(steps[0][0]) for steps in keyword.edges if steps) + text
        for chars, target in other.edges[state]:
            possible: CharSet = chars & first if not text else chars
            if possible and target not in seen:
                seen.add(target)
                todo.append((target, text + typical(possible)))
    return None
