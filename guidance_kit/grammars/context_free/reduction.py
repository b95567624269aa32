"""Reduction of the diagrams of a grammar to few calls: rules that are not recursive are inlined."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from guidance_kit.errors import LimitError
from guidance_kit.grammars.context_free.diagram import CountedCall, Diagram, Symbol, diagram_of
from guidance_kit.grammars.context_free.productive import productive
from guidance_kit.grammars.context_free.tree import Node, RuleReference, Unless

__all__ = ["plain_diagrams", "productive_rules", "reduced_diagrams", "usable_diagrams"]

_MOST_ADDED = 48
"""Edges that inlining a rule may add to the grammar."""

_MOST_RULES = 500
"""Grammars with more rules are left as they are."""

_MOST_EDGES = 400
"""Edges of a diagram that is made so."""


def reduced_diagrams(rules: Mapping[str, Node], start: str, terminals: AbstractSet[str]) -> dict[str, Diagram]:
    """Diagrams of the productive and reachable rules; without `start` if that is not productive.

    A rule with itself in first or last position becomes a repetition. A rule that is small, or used once, and does not
    call itself is inlined, so that rules with each other in first position become one with itself.

    Args:
        rules: by name.
        start: the rule of whole texts.
        terminals: those that have texts.
    """
    diagrams = usable_diagrams(rules, terminals)
    diagrams = {name: diagram.without_own_recursion(name) for name, diagram in diagrams.items()}
    return _written_out(diagrams, start) if start in diagrams else {}


def usable_diagrams(rules: Mapping[str, Node], terminals: AbstractSet[str]) -> dict[str, Diagram]:
    """Diagrams of the productive rules, without calls of others."""
    diagrams = plain_diagrams(rules)
    usable = productive_rules(diagrams, terminals)
    passable = {True, *usable}
    return {
        name: diagram.restricted(symbol for symbol in diagram.symbols if _needed(symbol, terminals) in passable)
        for name, diagram in diagrams.items()
        if name in usable
    }


def plain_diagrams(rules: Mapping[str, Node]) -> dict[str, Diagram]:
    """The diagrams of rules, and of the bodies of repetitions that are counted while a text is read."""
    known = dict(rules)
    diagrams: dict[str, Diagram] = {}
    todo = list(known)
    for name in todo:  # grows meanwhile
        count = len(known)
        diagrams[name] = diagram_of(known[name], known, name)
        todo += list(known)[count:]
    return diagrams


def productive_rules(diagrams: Mapping[str, Diagram], terminals: AbstractSet[str]) -> set[str]:
    """The rules that have a text, if some terminals have one."""
    return productive(diagrams, lambda symbol: _needed(symbol, terminals))


def _needed(symbol: Symbol, terminals: AbstractSet[str]) -> bool | str:
    """Test whether a symbol has a text, or the rule that must have one for that."""
    if isinstance(symbol, RuleReference | CountedCall):
        return symbol.name
    return isinstance(symbol, Unless) or symbol.name in terminals


def _written_out(diagrams: dict[str, Diagram], start: str) -> dict[str, Diagram]:
    counted = {
        symbol.name for diagram in diagrams.values() for symbol in diagram.symbols if isinstance(symbol, CountedCall)
    }
    skipped: set[tuple[str, int]] = set()
    while len(diagrams) <= _MOST_RULES:
        users: dict[str, set[str]] = {}
        for name, diagram in diagrams.items():
            for called in diagram.uses:
                users.setdefault(called, set()).add(name)
        best: tuple[int, int, str] | None = None
        for name, diagram in diagrams.items():
            if name == start or name in counted or name in users.get(name, ()) or (name, diagram.size) in skipped:
                continue
            added = (sum(diagrams[user].uses[name] for user in users.get(name, ())) - 1) * diagram.size
            size = diagram.size + sum(diagrams[user].size for user in users.get(name, ()))  # small ones take no time
            if added <= _MOST_ADDED and (best is None or (added, size, name) < best):
                best = added, size, name
        if best is None:
            break
        name = best[2]
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
