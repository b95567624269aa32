"""Macros of XGrammar's EBNF."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from guidance_kit.errors import PatternError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.fsm.token_set import TokenSet
from guidance_kit.grammars.context_free.chunk_runs import chunk_runs
from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.expression_lexeme import lexeme_of
from guidance_kit.grammars.context_free.rust_pattern import translate_rust
from guidance_kit.grammars.context_free.source import GrammarScanner
from guidance_kit.grammars.context_free.tree import Choice, EbnfRepetition, Node, RuleReference, Sequence
from guidance_kit.grammars.context_free.xgrammar_terminals import terminal
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    Alternation,
    Characters,
    Concatenation,
    Expression,
    Repetition,
    alternate,
    characters,
    concatenate,
    intersect,
    length,
    literal,
    repeat,
)
from guidance_kit.grammars.regular.lower import declare
from guidance_kit.grammars.regular.parse import parse

__all__ = ["MACROS", "MacroArguments", "RuleName"]


class RuleName(NamedTuple):
    """A rule as an argument of a macro."""

    name: str


@dataclass(slots=True)
class MacroArguments:
    """Arguments of a macro.

    Attributes:
        macro: its name.
        place: where it is.
    """

    macro: str
    place: int
    positional: list[object] = field(default_factory=list[object])
    named: dict[str, object] = field(default_factory=dict[str, object])

    def take(self, source: GrammarScanner, name: str, kind: type, default: Any) -> Any:
        """A named argument of a type."""
        value = self.named.pop(name, default)
        if not isinstance(value, kind):
            raise source.error(f"{name} of {self.macro} is not of the right kind", self.place)
        return value

    def close(self, source: GrammarScanner) -> None:
        """Refuse named arguments that are left."""
        if self.named:
            raise source.error(f"{self.macro} has no argument {next(iter(self.named))!r}", self.place)


def _regex(source: GrammarScanner, place: int, given: MacroArguments) -> Node:
    """Texts of a pattern."""
    flags = given.take(source, "flags", str, "s")
    in_json = given.take(source, "json_string", bool, False)
    given.close(source)
    if len(given.positional) != 1 or not isinstance(pattern := given.positional[0], str):
        raise source.error("Regex takes one pattern", place)
    if set(flags) - set("isu"):
        raise source.error(f"Regex has no flags {flags!r}; there are i, s and u", place)
    bits = (re.IGNORECASE if "i" in flags else 0) | (re.DOTALL if "s" in flags else 0)
    try:
        expression = parse(translate_rust(pattern), int(bits | re.ASCII))
    except PatternError as error:
        raise source.error(f"the pattern is malformed: {error}", place) from None
    if not expression.is_plain:
        hint = "write it as rules"
        raise UnsupportedFeature("an anchor, or \\b, within a pattern", where=source.where(place), hint=hint)
    if in_json:
        expression = _without(expression, _ESCAPED_IN_JSON)
    shown = f"Regex({pattern!r})"
    if _has_counter(expression):
        counted = EmbeddedConstraint(f"{shown} {flags} {in_json}", lambda network: declare(network, expression))
        return source.embed(counted, place)
    return terminal(source, lexeme_of(expression, where=f"the pattern {pattern}"), shown)


_ESCAPED_IN_JSON = CharSet.of([(0x00, 0x1F), (0x22, 0x22), (0x5C, 0x5C)])
"""Characters that JSON strings have as escapes alone."""


def _without(expression: Expression, excluded: CharSet) -> Expression:
    """Texts of a plain expression without some characters."""
    if isinstance(expression, Characters):
        return characters(expression.charset - excluded)
    if isinstance(expression, Repetition):
        return repeat(_without(expression.body, excluded), expression.minimum, expression.maximum)
    if isinstance(expression, Concatenation):
        return concatenate(_without(part, excluded) for part in expression.parts)
    if isinstance(expression, Alternation):
        return alternate(_without(part, excluded) for part in expression.parts)
    return intersect(expression, repeat(characters(~excluded), 0, UNBOUNDED))


def _has_counter(expression: Expression) -> bool:
    """Test whether a plain expression has a repetition that is too large to be unrolled."""
    if isinstance(expression, Repetition):
        return expression.is_counted or _has_counter(expression.body)
    return isinstance(expression, Concatenation | Alternation) and any(map(_has_counter, expression.parts))


def _substring(source: GrammarScanner, place: int, given: MacroArguments) -> Node:
    """Runs of chunks."""
    given.close(source)
    chunks = _strings(source, given.positional, "Substring takes texts", place, can_be_empty=True)
    return terminal(source, lexeme_of(chunk_runs([one for one in chunks if one]), where="Substring"), "Substring")


def _token(source: GrammarScanner, place: int, given: MacroArguments) -> Node:
    """One of some tokens."""
    given.close(source)
    return _embedded(source, _token_set(source, given.positional, place, is_negated=False), place)


def _exclude_token(source: GrammarScanner, place: int, given: MacroArguments) -> Node:
    """One token but some."""
    given.close(source)
    return _embedded(source, _token_set(source, given.positional, place, is_negated=True), place)


def _tag_dispatch(source: GrammarScanner, place: int, given: MacroArguments) -> Node:
    """Free text, in which each tag is followed by its rule."""
    is_loop = given.take(source, "loop_after_dispatch", bool, True)
    excluded = given.take(source, "excludes", tuple, ())
    given.close(source)
    pairs = _pairs(source, given, str, place)
    excludes = _strings(source, excluded, "excludes of TagDispatch takes texts", place)
    stops = [*dict.fromkeys([*(tag for tag, _ in pairs), *excludes])]
    begun = alternate(map(literal, stops))
    free = complement(concatenate([ANYTHING, begun, ANYTHING])) if stops else ANYTHING
    ways: list[Node] = []
    for tag, rule in pairs:
        if any(tag.startswith(one) for one in excludes):
            raise source.error(f"the tag {tag!r} begins with an excluded text", place)
        sooner = concatenate([ANYTHING, begun, length(1, UNBOUNDED)])
        opening = intersect(concatenate([ANYTHING, literal(tag)]), complement(sooner))
        ways.append(Sequence((_free(source, opening, f"text before {tag!r}"), RuleReference(rule.name))))
    rest = _free(source, free, "free text")
    if is_loop:
        return Sequence((EbnfRepetition(Choice(tuple(ways)), 0, UNBOUNDED), rest)) if ways else rest
    return Choice((*ways, rest))


def _free(source: GrammarScanner, expression: Expression, shown: str) -> Node:
    return terminal(source, lexeme_of(expression, where="TagDispatch"), shown)


def _token_tag_dispatch(source: GrammarScanner, place: int, given: MacroArguments) -> Node:
    """Any tokens, among which each trigger is followed by its rule."""
    is_loop = given.take(source, "loop_after_dispatch", bool, True)
    excluded = given.take(source, "excludes", tuple, ())
    given.close(source)
    pairs = _pairs(source, given, int, place)
    stops = [*(token for token, _ in pairs), *excluded]
    other = _token_set(source, stops, place, is_negated=True) if stops else TokenSet(is_negated=True)
    rest = EbnfRepetition(_embedded(source, other, place), 0, UNBOUNDED)
    ways = tuple(
        Sequence((_embedded(source, TokenSet(ranges=((token, token),)), place), RuleReference(rule.name)))
        for token, rule in pairs
    )
    if is_loop:
        return Sequence((rest, EbnfRepetition(Sequence((Choice(ways), rest)), 0, UNBOUNDED))) if ways else rest
    return Sequence((rest, Choice((Sequence(()), *ways))))


def _embedded(source: GrammarScanner, tokens: TokenSet, place: int) -> Node:
    return source.embed(EmbeddedConstraint.of_tokens(str(tokens), tokens), place)


def _token_set(source: GrammarScanner, values: Any, place: int, *, is_negated: bool) -> TokenSet:
    if not values or not all(type(value) is int for value in values):
        raise source.error("tokens are given by their numbers, at least one", place)
    return TokenSet(ranges=tuple((value, value) for value in values), is_negated=is_negated)


def _pairs(source: GrammarScanner, given: MacroArguments, kind: type, place: int) -> list[tuple[Any, RuleName]]:
    """Pairs of a tag, or a token, and a rule."""
    found: list[tuple[Any, RuleName]] = []
    for pair in given.positional:
        if not isinstance(pair, tuple) or len(pair) != 2 or type(pair[0]) is not kind or pair[0] == "":
            raise source.error(f"{given.macro} takes pairs, as in {given.macro}((tag, rule))", place)
        if not isinstance(pair[1], RuleName):
            raise source.error(f"{given.macro} takes pairs with the name of a rule", place)
        found.append((pair[0], pair[1]))
    return found


def _strings(source: GrammarScanner, values: Any, wrong: str, place: int, *, can_be_empty: bool = False) -> list[str]:
    if not all(isinstance(value, str) and (value or can_be_empty) for value in values):
        raise source.error(wrong, place)
    return list(values)


MACROS: dict[str, Callable[[GrammarScanner, int, MacroArguments], Node]] = {
    "Regex": _regex,
    "Substring": _substring,
    "Token": _token,
    "ExcludeToken": _exclude_token,
    "TagDispatch": _tag_dispatch,
    "TokenTagDispatch": _token_tag_dispatch,
}
"""Macros by name: functions that make the node of a call."""
