"""Productions of the rules of a grammar, in which repetitions are rules of their own."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.lalr_table import Production
from guidance_kit.grammars.context_free.tree import Choice, EbnfRepetition, Node, RuleReference, Sequence, Terminal

__all__ = ["productions_of", "ways_of"]


def productions_of(rules: Mapping[str, Node]) -> list[Production]:
    """Productions of rules without duplicates, as lark has them: equal repetitions are one left-recursive rule.

    Args:
        rules: by name; repetitions are `?`, `*` and `+`.
    """
    repetitions: dict[Node, str] = {}
    productions: list[Production] = []
    todo = list(rules.items())

    def name_of(symbol: Node, rule: str) -> str:
        if isinstance(symbol, (RuleReference, Terminal)):
            return symbol.name
        assert isinstance(symbol, EbnfRepetition)
        name = repetitions.get(symbol.body)
        if name is None:
            name = repetitions[symbol.body] = f"__{rule}_{len(repetitions)}"
            todo.append((name, Choice((symbol.body, Sequence((RuleReference(name), symbol.body))))))
        return name

    for rule, node in todo:  # grows meanwhile
        for way in dict.fromkeys(ways_of(node)):
            productions.append((rule, tuple([name_of(symbol, rule) for symbol in way])))
    return productions


def ways_of(node: Node) -> list[tuple[Node, ...]]:
    """Alternatives of a node: sequences of terminals, rules, and repetitions of one or more of a body."""
    if isinstance(node, Sequence):
        ways = itertools.product(*map(ways_of, node.parts))
        return [tuple(itertools.chain.from_iterable(way)) for way in ways]
    if isinstance(node, Choice):
        return [way for each in node.ways for way in ways_of(each)]
    if isinstance(node, EbnfRepetition):
        once: list[tuple[Node, ...]] = [(EbnfRepetition(node.body, 1, UNBOUNDED),)]
        once = ways_of(node.body) if node.maximum == 1 else once
        return once if node.minimum else [*once, ()]
    return [(node,)]
