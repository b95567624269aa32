"""Syntax tree of a grammar, common to all notations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.lexeme import Lexeme

__all__ = [
    "Choice",
    "EbnfRepetition",
    "Grammar",
    "Node",
    "RuleReference",
    "RuleSettings",
    "Sequence",
    "Terminal",
    "Unless",
    "reachable_rules",
    "rules_in",
    "terminals_in",
    "with_terminals",
]


@dataclass(frozen=True, slots=True)
class RuleReference:
    """A text of the rule of a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Terminal:
    """A text of the terminal of a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other; the empty text if there are none."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several nodes; no text if there are none."""

    ways: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class EbnfRepetition:
    """Between `minimum` and `maximum` (which may be `network.UNBOUNDED`) texts of a body."""

    body: Node
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Unless:
    """The empty text, where none of some terminals comes next; of grammars with a lexer."""

    names: frozenset[str]


Node = RuleReference | Terminal | Sequence | Choice | EbnfRepetition | Unless


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """Settings of a rule that is generated as a region.

    Args:
        values: `max_tokens` and sampling settings.
        where: line and column of the rule, in words.
    """

    values: Mapping[str, int | float]
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """A context-free grammar.

    Args:
        start: the rule of whole texts.
        rules: all used rules.
        terminals: all used terminals; none has the empty text.
        ignored: ignored text, any number of which may precede a terminal or end the text.
        tries_all_lengths: whether a terminal may match any of its texts (`first_match.texts_of_all_lengths`), or only
            that of `re.match` (`first_match.longest_texts`), as ignored text always does.
        unused: rules that are defined and not in `rules`.
        embedded: embedded constraints in use, which terminals stand for; see `Lexeme.embedded`.
        patterns: patterns of `re` of terminals, used or ignored, in Lark's notation.
        regions: rules with settings of their own, by name.
    """

    start: str
    rules: Mapping[str, Node]
    terminals: Mapping[str, Lexeme]
    ignored: tuple[Lexeme, ...] = ()
    tries_all_lengths: bool = True
    unused: tuple[str, ...] = ()
    embedded: tuple[EmbeddedConstraint, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict[str, str])
    regions: Mapping[str, RuleSettings] = field(default_factory=dict[str, RuleSettings])

    @property
    def terminals_with_texts(self) -> set[str]:
        """The terminals that have a text."""
        return {name for name, lexeme in self.terminals.items() if not lexeme.is_empty}

    @property
    def fingerprint(self) -> int:
        """The same number for equal grammars, within one process."""
        return hash((self.start, *self.rules.items(), *self.terminals.items(), self.ignored, self.tries_all_lengths))

    def with_embedded(self, embedded: Iterable[EmbeddedConstraint]) -> Grammar:
        """The grammar with other constraints as rules of some names."""
        used = tuple(constraint for constraint in embedded if constraint.name in self.rules)
        rules, terminals = dict(self.rules), dict(self.terminals)
        for number, constraint in enumerate(used):
            terminals[constraint.name] = Lexeme.of_embedded(number)
            this = Terminal(constraint.name)
            rules[constraint.name] = Choice((Sequence(()), this)) if constraint.is_nullable else this
        return replace(self, rules=rules, terminals=terminals, embedded=used)


def reachable_rules(rules: Mapping[str, Node], start: str) -> dict[str, Node]:
    """The rules that a start rule uses, itself among them."""
    found, todo = {start: rules[start]}, [start]
    for name in todo:  # grows meanwhile
        for called in rules_in(found[name]):
            if called not in found:
                found[called] = rules[called]
                todo.append(called)
    return found


def rules_in(node: Node) -> Iterator[str]:
    """Names of the rules in a node."""
    return (symbol.name for symbol in _symbols_in(node) if isinstance(symbol, RuleReference))


def terminals_in(node: Node) -> Iterator[str]:
    """Names of the terminals in a node."""
    return (symbol.name for symbol in _symbols_in(node) if isinstance(symbol, Terminal))


def with_terminals(node: Node, others: Mapping[str, Node]) -> Node:
    """A node with other nodes in place of some terminals, by their names."""
    if isinstance(node, Terminal):
        return others.get(node.name, node)
    if isinstance(node, Sequence):
        return Sequence(tuple([with_terminals(part, others) for part in node.parts]))
    if isinstance(node, Choice):
        return Choice(tuple([with_terminals(way, others) for way in node.ways]))
    return replace(node, body=with_terminals(node.body, others)) if isinstance(node, EbnfRepetition) else node


def _symbols_in(node: Node) -> Iterator[RuleReference | Terminal]:
    """Rules and terminals in a node."""
    todo = [node]
    while todo:
        node = todo.pop()
        if isinstance(node, (RuleReference, Terminal)):
            yield node
        elif isinstance(node, Sequence):
            todo += reversed(node.parts)
        elif isinstance(node, Choice):
            todo += reversed(node.ways)
        elif isinstance(node, EbnfRepetition):
            todo.append(node.body)
