"""Syntax tree of a grammar in llguidance's dialect, before rules and terminals are told apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from guidance_kit.fsm.token_set import TokenSet

__all__ = [
    "Alternatives",
    "Attributes",
    "CharacterRange",
    "ConditionalAlternative",
    "Definition",
    "Excerpts",
    "GrammarDocument",
    "GrammarUse",
    "InlineGrammar",
    "InlineSchema",
    "Item",
    "Literal",
    "NameUse",
    "Negation",
    "Pattern",
    "TokenUse",
    "Turns",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Literal:
    """A text; `ignores_case` with the flag `i`."""

    text: str
    ignores_case: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression between slashes."""

    pattern: str
    flags: str
    place: int


@dataclass(frozen=True, slots=True)
class CharacterRange:
    """One character between two, both included."""

    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Excerpts:
    """Runs of chunks of a text, or nothing: `%regex {"substring_chunks": ...}`."""

    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameUse:
    """A rule or terminal; `parameter` computes the parameter of the rule from that of the rule around it."""

    name: str
    place: int
    parameter: Callable[[int], int] | None = None
    needs_parameter: bool = False


@dataclass(frozen=True, slots=True)
class TokenUse:
    """One token of the vocabulary."""

    written: str
    tokens: TokenSet
    place: int


@dataclass(frozen=True, slots=True)
class GrammarUse:
    """Another grammar of the list, or a constraint of `rules`, by its name: `@name`."""

    name: str
    place: int


@dataclass(frozen=True, slots=True)
class InlineSchema:
    """JSON of a schema: `%json {...}`."""

    schema: Any
    place: int


@dataclass(frozen=True, slots=True)
class InlineGrammar:
    """A grammar with names of its own: `%lark {...}`."""

    document: GrammarDocument
    place: int


@dataclass(frozen=True, slots=True)
class Negation:
    """Texts that do not belong to an item: `~item`; in terminals."""

    body: Item
    place: int


@dataclass(frozen=True, slots=True)
class Turns:
    """An item between `minimum` and `maximum` (which may be `network.UNBOUNDED`) times."""

    body: Item
    minimum: int
    maximum: int
    place: int


@dataclass(frozen=True, slots=True)
class ConditionalAlternative:
    """Conjunction of sequences, of which rules have one; with the condition of `%if` on the parameter."""

    conjuncts: tuple[tuple[Item, ...], ...]
    condition: Callable[[int], bool] | None
    place: int


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several alternatives."""

    ways: tuple[ConditionalAlternative, ...]


Item = (
    Literal
    | Pattern
    | CharacterRange
    | Excerpts
    | NameUse
    | TokenUse
    | GrammarUse
    | InlineSchema
    | InlineGrammar
    | Negation
    | Turns
    | Alternatives
)


@dataclass(slots=True)
class Attributes:
    """Attributes of a rule, in brackets behind its name.

    Attributes:
        end: text that ends the rule, of `stop` or `suffix`; None without one. Unless it is empty, the rule is lazy.
        is_lazy: whether the rule ends as soon as it can: `lazy`.
        max_tokens, temperature: of the generation of the rule.
    """

    end: Item | None = None
    is_lazy: bool = False
    max_tokens: int | None = None
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A rule or terminal."""

    name: str
    place: int
    body: Alternatives
    is_parametric: bool = False
    attributes: Attributes = field(default_factory=Attributes)


@dataclass(slots=True)
class GrammarDocument:
    """A grammar.

    Attributes:
        definitions: its rules and terminals.
        ignored: of `%ignore`.
        options: of `%llguidance`.
    """

    definitions: dict[str, Definition] = field(default_factory=dict[str, Definition])
    ignored: list[Alternatives] = field(default_factory=list[Alternatives])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
