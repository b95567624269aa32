"""Removal of ignored text at the beginning of a grammar, where llguidance allows none."""

from __future__ import annotations

from collections.abc import Collection

from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.tree import Choice, EbnfRepetition, Node, RuleReference, Sequence

__all__ = ["without_initial_skip"]


def without_initial_skip(rules: dict[str, Node], start: str, skips: Collection[str], embedded: Collection[str]) -> Node:
    """Node of the texts of a rule that do not begin with ignored text.

    Rules of the nonempty such texts are added to `rules`, with a prime behind their names.

    Args:
        rules: by name; ignored text is a reference to one of `skips`, before a terminal.
        start: the rule.
        skips: rules of ignored text.
        embedded: rules that other constraints stand for, which are taken to have no empty text.
    """
    nullable = _nullable({name: node for name, node in rules.items() if name not in embedded})

    def nonempty(node: Node) -> Node:
        """Nonempty texts of a node, without ignored text before them."""
        if isinstance(node, RuleReference):
            if node.name in embedded:
                return node
            name = f"{node.name}'"
            if name not in rules:
                rules[name] = Sequence(())
                rules[name] = nonempty(rules[node.name])
            return RuleReference(name)
        if isinstance(node, Choice):
            return Choice(tuple(map(nonempty, node.ways)))
        if isinstance(node, EbnfRepetition):
            fewer = node.maximum - 1 if node.maximum != UNBOUNDED else UNBOUNDED
            return Sequence((nonempty(node.body), EbnfRepetition(node.body, max(node.minimum - 1, 0), fewer)))
        if not isinstance(node, Sequence):
            return node
        parts, ways = node.parts, list[Node]()
        for place, part in enumerate(parts):
            if isinstance(part, RuleReference) and part.name in skips:
                ways.append(Sequence(parts[place + 1 :]))
                break
            ways.append(Sequence((nonempty(part), *parts[place + 1 :])))
            if not _is_nullable(part, nullable):
                break
        return ways[0] if len(ways) == 1 else Choice(tuple(ways))

    found = nonempty(RuleReference(start))
    return Choice((Sequence(()), found)) if start in nullable else found


def _nullable(rules: dict[str, Node]) -> set[str]:
    """Rules that have the empty text."""
    found: set[str] = set()
    while True:
        more = {name for name, node in rules.items() if name not in found and _is_nullable(node, found)}
        if not more:
            return found
        found |= more


def _is_nullable(node: Node, nullable: set[str]) -> bool:
    if isinstance(node, RuleReference):
        return node.name in nullable
    if isinstance(node, Sequence):
        return all(_is_nullable(part, nullable) for part in node.parts)
    if isinstance(node, Choice):
        return any(_is_nullable(way, nullable) for way in node.ways)
    return isinstance(node, EbnfRepetition) and (node.minimum == 0 or _is_nullable(node.body, nullable))
