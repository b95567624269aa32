"""The diagrams of a grammar, with as few calls as possible: what is not recursive is written where it is used."""

from __future__ import annotations

from guidance_kit.errors import LimitError
from guidance_kit.grammars.context_free.diagram import Counted, Diagram, Symbol, diagram_of
from guidance_kit.grammars.context_free.tree import Grammar, Node, Rule, Terminal

__all__ = ["productive_rules", "reduced_diagrams"]

_MOST_ADDED = 48
"""Edges by which the grammar may grow when a rule is written where it is used."""

_MOST_RULES = 500
"""Grammars with more rules are left as they are."""

_MOST_EDGES = 400
"""Edges of a diagram that is made so."""


def reduced_diagrams(grammar: Grammar) -> dict[str, Diagram]:
    """The diagrams of the rules that have texts and can be reached; without `grammar.start` if that has no text.

    A rule that begins or ends with itself repeats what else it consists of. A rule that is small, or used once, and
    does not call itself is written where it is used, so that rules that begin with each other become one that begins
    with itself.
    """
    rules: dict[str, Node] = dict(grammar.rules)
    diagrams: dict[str, Diagram] = {}
    todo = list(rules)
    for name in todo:  # grows meanwhile
        known = len(rules)
        diagrams[name] = diagram_of(rules[name], rules, name)
        todo += list(rules)[known:]
    terminals = {name for name, lexeme in grammar.terminals.items() if not lexeme.is_empty}
    usable = productive_rules(diagrams, terminals)
    diagrams = {
        name: diagrams[name]
        .restricted(symbol for symbol in diagrams[name].symbols if _is_usable(symbol, usable, terminals))
        .without_own_recursion(name)
        for name in usable
    }
    return _written_out(diagrams, grammar.start) if grammar.start in diagrams else {}


def productive_rules(diagrams: dict[str, Diagram], terminals: set[str]) -> set[str]:
    """The rules that have a text, if some terminals have one."""
    usable: set[str] = set()
    known = -1
    while known < len(usable):
        known = len(usable)
        for name in reversed(diagrams):  # rules are mostly defined behind those that use them
            if name not in usable and _reaches_its_end(diagrams[name], usable, terminals):
                usable.add(name)
    return usable


def _reaches_its_end(diagram: Diagram, usable: set[str], terminals: set[str]) -> bool:
    todo, seen = [0], {0}
    while todo:
        state = todo.pop()
        if state in diagram.finals:
            return True
        for symbol, target in diagram.edges[state].items():
            if _is_usable(symbol, usable, terminals) and target not in seen:
                seen.add(target)
                todo.append(target)
    return False


def _is_usable(symbol: Symbol, usable: set[str], terminals: set[str]) -> bool:
    return symbol.name in (terminals if isinstance(symbol, Terminal) else usable)


def _written_out(diagrams: dict[str, Diagram], start: str) -> dict[str, Diagram]:
    counted = {
        symbol.name for diagram in diagrams.values() for symbol in diagram.symbols if isinstance(symbol, Counted)
    }
    skipped: set[tuple[str, int]] = set()
    while len(diagrams) <= _MOST_RULES:
        users: dict[str, set[str]] = {}
        for name, diagram in diagrams.items():
            for symbol in diagram.symbols:
                if isinstance(symbol, Rule):
                    users.setdefault(symbol.name, set()).add(name)
        best: tuple[int, str] | None = None
        for name, diagram in diagrams.items():
            if name == start or name in counted or name in users.get(name, ()) or (name, diagram.size) in skipped:
                continue
            added = (sum(diagrams[user].uses(name) for user in users.get(name, ())) - 1) * diagram.size
            if added <= _MOST_ADDED and (best is None or (added, name) < best):
                best = added, name
        if best is None:
            break
        name = best[1]
        changed = _without(name, diagrams, users.get(name, set()))
        if changed is None:
            skipped.add((name, diagrams[name].size))
        else:
            diagrams |= changed
            del diagrams[name]
    return diagrams


def _without(name: str, diagrams: dict[str, Diagram], users: set[str]) -> dict[str, Diagram] | None:
    """The diagrams of the users of a rule with the rule written out; None if one becomes too large."""
    changed: dict[str, Diagram] = {}
    for user in sorted(users):
        try:
            changed[user] = diagrams[user].with_rule(name, diagrams[name]).without_own_recursion(user)
        except LimitError:
            return None
        if changed[user].size > _MOST_EDGES:
            return None
    return changed
