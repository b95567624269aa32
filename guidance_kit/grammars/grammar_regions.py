"""Rules of a grammar with budgets and sampling settings of their own, as regions of a sequence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.composition import sequence
from guidance_kit.grammars.constraint import Constraint, Origin
from guidance_kit.grammars.context_free import (
    Choice,
    CompiledGrammar,
    EbnfRepetition,
    Grammar,
    Node,
    RuleReference,
    Sequence,
    Terminal,
)
from guidance_kit.grammars.context_free.tree import reachable_rules, rules_in, terminals_in
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.region import region

__all__ = ["sequence_with_regions"]

_PART = "part of the start rule"


def sequence_with_regions(
    grammar: Grammar, text: str, options: tuple[tuple[str, Any], ...], origin: Origin
) -> Constraint:
    """Texts of a grammar as a sequence of parts, of which the rules with settings are regions.

    A text of the grammar behind such a rule belongs to its region, and ends it.

    Args:
        grammar: with `regions`.
        text: its source.
        options, origin: of its constraint.
    Raises:
        UnsupportedFeature: a rule with settings is in an alternative, in a repetition or in a rule that contains
            itself; or the text beside it depends on where the rule ends.
    """
    parts = _StartRule(grammar)
    made: list[Constraint] = []
    for number, (nodes, settings) in enumerate(parts.units()):
        part = Constraint(
            kind="grammar",
            source=text,
            options=(*options, ("part", number)),
            language=_GrammarPart(CompiledGrammar(parts.grammar(nodes))),
            origin=(_part, (origin, number), {}),
        )
        made.append(part if settings is None else region(part, **settings))
    return replace(sequence(*made), origin=origin)


def _part(origin: Origin, number: int) -> Constraint:
    """A part of the constraint that an origin makes, without the settings of a region."""
    make, arguments, named = origin
    found = cast(Constraint, make(*arguments, **named).source[number])
    return cast(Constraint, found.source[0]) if found.kind == "region" else found


@dataclass(frozen=True, slots=True)
class _GrammarPart(Language):
    """Texts of a part of a grammar."""

    compiled: CompiledGrammar

    def declare(self, network: Network) -> int:
        return self.compiled.declare(network)


class _StartRule:
    """Start rule of a grammar, in parts."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._nodes = list(self._flat(RuleReference(grammar.start), ()))

    def grammar(self, nodes: list[Node]) -> Grammar:
        """The grammar of some parts."""
        rules = reachable_rules({**self._grammar.rules, _PART: Sequence(tuple(nodes))}, _PART)
        names = {name for node in rules.values() for name in terminals_in(node)}
        terminals = {name: lexeme for name, lexeme in self._grammar.terminals.items() if name in names}
        return replace(self._grammar, start=_PART, rules=rules, terminals=terminals)

    def units(self) -> Iterator[tuple[list[Node], Mapping[str, Any] | None]]:
        """Nodes of each unit, with the settings of a region."""
        regions, plain = self._grammar.regions, list[Node]()
        nodes = self._nodes
        for place, node in enumerate(nodes):
            if not (isinstance(node, RuleReference) and node.name in regions):
                if not (place and self._is_text(node) and self._is_region(nodes[place - 1])):
                    plain.append(node)
                continue
            if place and not self._ends_freely(nodes[place - 1], ()):
                self._refuse(node.name, "put a text before it, at which the part before it ends")
            if plain:
                yield plain, None
                plain = []
            unit: list[Node] = [node]
            if place + 1 < len(nodes):
                if self._is_text(nodes[place + 1]):
                    unit.append(nodes[place + 1])
                elif not self._ends_freely(node, ()):
                    self._refuse(node.name, "put a text behind it, or let it end by itself with suffix=")
            yield unit, regions[node.name].values
        if plain:
            yield plain, None

    def _is_region(self, node: Node) -> bool:
        return isinstance(node, RuleReference) and node.name in self._grammar.regions

    def _is_text(self, node: Node) -> bool:
        """Test for a terminal of one text."""
        if not isinstance(node, Terminal):
            return False
        lexeme = self._grammar.terminals[node.name]
        return lexeme.embedded is None and lexeme.tail == 0

    def _flat(self, node: Node, within: tuple[str, ...]) -> Iterator[Node]:
        """Parts of a node one after the other; rules without settings that use others with settings are opened."""
        regions, rules = self._grammar.regions, self._grammar.rules
        if isinstance(node, Sequence):
            for part in node.parts:
                yield from self._flat(part, within)
            return
        used = {name for called in rules_in(node) for name in reachable_rules(rules, called)} & regions.keys()
        if isinstance(node, RuleReference) and node.name in regions:
            inner = {name for called in rules_in(rules[node.name]) for name in reachable_rules(rules, called)}
            if inner & regions.keys():
                self._refuse(node.name, "no rule within it, nor it itself, may have settings of its own")
        elif isinstance(node, RuleReference) and used and node.name not in within:
            yield from self._flat(rules[node.name], (*within, node.name))
            return
        elif used:
            self._refuse(min(used), "let it be a part of the start rule, not of an alternative or a repetition")
        yield node

    def _ends_freely(self, node: Node, within: tuple[str, ...]) -> bool:
        """Test whether a node has a last terminal, which no following character continues."""
        if isinstance(node, Terminal):
            return not any(self._grammar.terminals[node.name].endings)
        if isinstance(node, RuleReference):
            body = self._grammar.rules[node.name]
            return node.name not in within and self._ends_freely(body, (*within, node.name))
        if isinstance(node, Sequence):
            return bool(node.parts) and self._ends_freely(node.parts[-1], within)
        if isinstance(node, Choice):
            return bool(node.ways) and all(self._ends_freely(way, within) for way in node.ways)
        return isinstance(node, EbnfRepetition) and node.minimum > 0 and self._ends_freely(node.body, within)

    def _refuse(self, name: str, hint: str) -> None:
        found = self._grammar.regions[name]
        raise UnsupportedFeature(f"{' and '.join(found.values)} of the rule {name!r}", where=found.where, hint=hint)
