"""Reduction of the diagrams of a grammar to few calls: rules that are not recursive are inlined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Items
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from guidance_kit.errors import LimitError
from guidance_kit.grammars.context_free.diagram import CountedCall, Diagram, Symbol, diagram_of
from guidance_kit.grammars.context_free.productive import productive
from guidance_kit.grammars.context_free.tree import Node, RuleReference, Unless

__all__ = ["NumberedRules", "reduced_diagrams", "usable_diagrams"]

_MOST_ADDED = 48
"""Edges that inlining a rule may add to the grammar."""

_MOST_RULES = 500
"""Grammars with more rules are left as they are."""

_MOST_EDGES = 400
"""Edges of a diagram that is made so."""


_NumberedDiagram = Diagram[int]
"""A diagram whose labels are numbers of symbols."""


@dataclass(frozen=True, slots=True)
class NumberedRules:
    """Rules as diagrams over the numbers of their symbols, which are found faster than symbols.

    Attributes:
        symbols: by number.
        names: of the rules, by the numbers of their references.
        diagrams: likewise.
    """

    symbols: Items[Symbol]
    names: Mapping[int, str]
    diagrams: Mapping[int, _NumberedDiagram]

    @classmethod
    def of(cls, rules: Mapping[str, Node]) -> NumberedRules:
        """Numbered rules, and the bodies of repetitions that are counted while a text is read."""
        bodies = dict(rules)
        numbers: dict[Symbol, int] = {RuleReference(name): number for number, name in enumerate(rules)}
        names: dict[int, str] = {}
        diagrams: dict[int, _NumberedDiagram] = {}
        todo = list(rules)
        for name in todo:  # grows meanwhile
            count = len(bodies)
            number = numbers.setdefault(RuleReference(name), len(numbers))
            names[number] = name
            diagrams[number] = diagram_of(bodies[name], bodies, name, numbers)
            todo += list(bodies)[count:]
        return cls(list(numbers), names, diagrams)

    def usable(self, terminals: AbstractSet[str]) -> dict[int, _NumberedDiagram]:
        """Diagrams of the productive rules, without calls of others, if some terminals have texts."""
        needed = self._needed(terminals)
        found = productive(self.diagrams, needed.__getitem__)
        passed = {number for number, one in enumerate(needed) if one is True or (one is not False and one in found)}
        if len(passed) == len(needed):
            return dict(self.diagrams)
        return {number: diagram.restricted(passed) for number, diagram in self.diagrams.items() if number in found}

    def productive(self, terminals: AbstractSet[str]) -> set[str]:
        """The rules that have a text, if some terminals have one."""
        return {self.names[number] for number in productive(self.diagrams, self._needed(terminals).__getitem__)}

    def _needed(self, terminals: AbstractSet[str]) -> list[bool | int]:
        """For each symbol whether it has a text, or the rule that must have one for that."""
        numbers = {name: number for number, name in self.names.items()}
        return [
            numbers[symbol.name]
            if isinstance(symbol, (RuleReference, CountedCall))
            else isinstance(symbol, Unless) or symbol.name in terminals
            for symbol in self.symbols
        ]


def reduced_diagrams(rules: NumberedRules, start: str, terminals: AbstractSet[str]) -> dict[str, Diagram[Symbol]]:
    """Diagrams of the productive and reachable rules; without `start` if that is not productive.

    A rule with itself in first or last position becomes a repetition. A rule that is small, or used once, and does not
    call itself is inlined, so that rules with each other in first position become one with itself.

    Args:
        rules: the rules.
        start: the rule of whole texts.
        terminals: those that have texts.
    """
    found = rules.usable(terminals)
    shown, names = rules.symbols, rules.names
    counted = {symbol.name for symbol in shown if isinstance(symbol, CountedCall)}
    kept = {number for number in found if names[number] == start or names[number] in counted}
    if start not in map(names.__getitem__, kept):
        return {}
    diagrams = {number: diagram.without_own_recursion(number) for number, diagram in found.items()}
    reduced = _inlined(diagrams, kept)
    return {names[number]: diagram.relabelled(shown.__getitem__) for number, diagram in reduced.items()}


def usable_diagrams(rules: Mapping[str, Node], terminals: AbstractSet[str]) -> dict[str, Diagram[Symbol]]:
    """Diagrams of the productive rules, without calls of others."""
    numbered = NumberedRules.of(rules)
    shown = numbered.symbols.__getitem__
    found = numbered.usable(terminals)
    return {numbered.names[number]: diagram.relabelled(shown) for number, diagram in found.items()}


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
            changed[user] = diagrams[user].with_rule(user, number, diagrams[number])
        except LimitError:
            return None
        if changed[user].size > _MOST_EDGES:
            return None
    return changed
