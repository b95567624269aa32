"""Reduction of the diagrams of a grammar to few calls: rules that are not recursive are inlined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


_NumberedDiagram = Diagram[int]
"""A diagram whose labels are numbers of symbols; those of rules come first, and number the rules, too."""


def reduced_diagrams(rules: Mapping[str, Node], start: str, terminals: AbstractSet[str]) -> dict[str, Diagram[Symbol]]:
    """Diagrams of the productive and reachable rules; without `start` if that is not productive.

    A rule with itself in first or last position becomes a repetition. A rule that is small, or used once, and does not
    call itself is inlined, so that rules with each other in first position become one with itself.

    Args:
        rules: by name.
        start: the rule of whole texts.
        terminals: those that have texts.
    """
    found = usable_diagrams(rules, terminals)
    if start not in found:
        return {}
    symbols: dict[Symbol, int] = {RuleReference(name): number for number, name in enumerate(found)}
    for diagram in found.values():
        for steps in diagram.edges:
            for symbol in steps:
                symbols.setdefault(symbol, len(symbols))
    diagrams: dict[int, _NumberedDiagram] = {}
    for number, diagram in enumerate(found.values()):
        diagrams[number] = diagram.relabelled(symbols.__getitem__).without_own_recursion(number)
    names, shown = list(found), list(symbols)
    kept = {names.index(start), *(names.index(each.name) for each in shown if isinstance(each, CountedCall))}
    reduced = _inlined(diagrams, kept)
    return {names[number]: diagram.relabelled(shown.__getitem__) for number, diagram in reduced.items()}


def usable_diagrams(rules: Mapping[str, Node], terminals: AbstractSet[str]) -> dict[str, Diagram[Symbol]]:
    """Diagrams of the productive rules, without calls of others."""
    diagrams = plain_diagrams(rules)
    usable = productive_rules(diagrams, terminals)
    passable = {True, *usable}
    symbols = {symbol for diagram in diagrams.values() for symbol in diagram.uses}
    passed = {symbol for symbol in symbols if _needed(symbol, terminals) in passable}
    return {name: diagram.restricted(passed) for name, diagram in diagrams.items() if name in usable}


def plain_diagrams(rules: Mapping[str, Node]) -> dict[str, Diagram[Symbol]]:
    """The diagrams of rules, and of the bodies of repetitions that are counted while a text is read."""
    known = dict(rules)
    diagrams: dict[str, Diagram[Symbol]] = {}
    todo = list(known)
    for name in todo:  # grows meanwhile
        count = len(known)
        diagrams[name] = diagram_of(known[name], known, name)
        todo += list(known)[count:]
    return diagrams


def productive_rules(diagrams: Mapping[str, Diagram[Symbol]], terminals: AbstractSet[str]) -> set[str]:
    """The rules that have a text, if some terminals have one."""
    return productive(diagrams, lambda symbol: _needed(symbol, terminals))


def _needed(symbol: Symbol, terminals: AbstractSet[str]) -> bool | str:
    """Test whether a symbol has a text, or the rule that must have one for that."""
    if isinstance(symbol, (RuleReference, CountedCall)):
        return symbol.name
    return isinstance(symbol, Unless) or symbol.name in terminals


def _inlined(diagrams: dict[int, _NumberedDiagram], kept: AbstractSet[int]) -> dict[int, _NumberedDiagram]:
    """Diagrams with rules inlined, but for some that are kept; the rule that adds the fewest edges comes first."""
    skipped: set[tuple[int, int]] = set()
    users: dict[int, set[int]] = {number: set() for number in diagrams}
    for user, diagram in diagrams.items():
        for called in diagram.uses.keys() & diagrams.keys():
            users[called].add(user)
    while len(diagrams) <= _MOST_RULES:
        best: tuple[int, int, int] | None = None
        for number, diagram in diagrams.items():
            if number in kept or number in diagram.uses or (number, diagram.size) in skipped:
                continue
            calling = [diagrams[user] for user in users[number]]
            added = (sum([user.uses[number] for user in calling]) - 1) * diagram.size
            if added <= _MOST_ADDED:
                size = diagram.size + sum([user.size for user in calling])  # small ones take no time
                if best is None or (added, size, number) < best:
                    best = added, size, number
        if best is None:
            break
        number = best[2]
        changed = _without(number, diagrams, users[number])
        if changed is None:
            skipped.add((number, diagrams[number].size))
            continue
        for called in diagrams[number].uses.keys() & diagrams.keys():
            users[called] = (users[called] | users[number]) - {number}
        diagrams |= changed
        del diagrams[number]
    return diagrams


def _without(
    number: int, diagrams: Mapping[int, _NumberedDiagram], users: Iterable[int]
) -> dict[int, _NumberedDiagram] | None:
    """The diagrams of the users of a rule with the rule inlined; None if one becomes too large."""
    changed: dict[int, _NumberedDiagram] = {}
    for user in users:
        try:
            changed[user] = diagrams[user].with_rule(number, diagrams[number]).without_own_recursion(user)
        except LimitError:
            return None
        if changed[user].size > _MOST_EDGES:
            return None
    return changed
