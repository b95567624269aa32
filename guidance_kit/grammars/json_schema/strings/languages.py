"""The texts of strings and keys as regular expressions over code points."""

from __future__ import annotations

from functools import lru_cache

from guidance_kit.errors import GuidanceKitError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED, Work
from guidance_kit.grammars.json_schema.formats.table import RuleFormat, format_expression, other_strings, string_format
from guidance_kit.grammars.json_schema.normal_forms.records import Strings
from guidance_kit.grammars.regular.charset import is_spellable
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.excerpts import excerpts
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    NOTHING,
    Alternation,
    Characters,
    Concatenation,
    Expression,
    Repetition,
    alternate,
    intersect,
    length,
    literal,
)
from guidance_kit.grammars.regular.language_automaton import language_automaton
from guidance_kit.grammars.regular.liveness import is_empty
from guidance_kit.grammars.regular.minimal_automaton import minimal_automaton
from guidance_kit.grammars.regular.parse import parse_search
from guidance_kit.grammars.regular.position_sets import position_sets

__all__ = [
    "allows", "has_text", "is_member", "listed", "none_of", "pattern_complement", "pattern_expression",
    "pattern_texts", "rule_format", "string_expression",
]  # fmt: skip

MOST_TEXTS = 256
"""Greatest number of texts of a pattern that is read as a list."""

_FEW = 4
"""Greatest number of characters of a set that is read so."""


@lru_cache(maxsize=4096)
def pattern_expression(pattern: str) -> Expression:
    """Strings in which an ECMA-262 pattern has a match anywhere."""
    return parse_search(pattern, dialect="ecma")


@lru_cache(maxsize=4096)
def pattern_texts(pattern: str) -> tuple[str, ...] | None:
    """Strings of an anchored pattern of few alternatives, as `^(GET|POST)$`; None for other patterns."""
    if not (pattern.startswith(("^", "(")) and pattern.endswith(("$", ")"))):
        return None
    try:
        texts = _texts(pattern_expression(pattern))
    except GuidanceKitError:
        return None  # which will be refused where it is written, if it is
    return None if texts is None else tuple(sorted(texts))


def _texts(expression: Expression) -> set[str] | None:
    """Texts of an expression of literals, up to MOST_TEXTS; else None."""
    parts: list[set[str] | None]
    if expression is EPSILON:
        return {""}
    if isinstance(expression, Characters) and len(expression.charset) <= _FEW:
        return {chr(code) for lo, hi in expression.charset.ranges for code in range(lo, hi + 1)}
    if isinstance(expression, Alternation):
        parts = [_texts(part) for part in expression.parts]
        found = None if None in parts else set[str]().union(*filter(None, parts))
        return found if found is None or len(found) <= MOST_TEXTS else None
    if isinstance(expression, Repetition) and (expression.minimum, expression.maximum) == (0, 1):
        body = _texts(expression.body)
        return None if body is None else {"", *body}
    if not isinstance(expression, Concatenation):
        return None
    texts = {""}
    for part in expression.parts:
        following = _texts(part)
        if following is None or len(texts) * len(following) > MOST_TEXTS:
            return None
        texts = {text + more for text in texts for more in following}
    return texts


@lru_cache(maxsize=4096)
def pattern_complement(pattern: str) -> Expression:
    """Strings in which a pattern has no match."""
    return complement(pattern_expression(pattern))


def string_expression(strings: Strings) -> Expression:
    """The strings that a `Strings` allows."""
    return _expression(strings) if strings.is_of_one_text else _kept_expression(strings)


def _expression(strings: Strings) -> Expression:
    if strings.values is not None:
        return alternate(literal(value) for value in listed(strings))
    parts = [_condition(kind, text) for kind, text in strings.conditions]
    parts += (alternate(map(string_expression, clause)) for clause in strings.clauses)
    if strings.excluded:
        parts.append(none_of(strings.excluded))
    if strings.minimum or strings.maximum is not None:
        parts.append(length(strings.minimum, UNBOUNDED if strings.maximum is None else strings.maximum))
    return intersect(*parts)


_kept_expression = lru_cache(maxsize=4096)(_expression)


def listed(strings: Strings) -> tuple[str, ...]:
    """Values of a finite `Strings` that satisfy its conditions."""
    values = strings.values or ()
    if not strings.conditions and not strings.clauses:
        return values
    return tuple(value for value in values if _fulfils_all(value, strings))


def has_text(expression: Expression, work: Work | None = None) -> bool:
    """Test whether a language is non-empty, within a budget of derivatives if `work` is given."""
    return expression is ANYTHING or not is_empty(expression, work)


@lru_cache(maxsize=4096)
def is_member(text: str, expression: Expression) -> bool:
    """Test whether a string belongs to a language."""
    if expression.is_plain and expression is not NOTHING and is_spellable(text):
        positions = position_sets(expression, minimal_automaton)
        if positions is not None:
            return positions.contains(text)
    return language_automaton(expression).contains(text)


def rule_format(strings: Strings) -> RuleFormat | None:
    """The format that a `Strings` is, if that has rules instead of an expression."""
    if len(strings.conditions) != 1 or strings != Strings(conditions=strings.conditions):
        return None
    kind, name = strings.conditions[0]
    found = string_format(kind, name) if kind.endswith("format") and not kind.startswith("not ") else None
    return found if isinstance(found, RuleFormat) else None


def allows(strings: Strings, text: str) -> bool:
    """Test whether a `Strings` contains a string."""
    if len(text) < strings.minimum or (strings.maximum is not None and len(text) > strings.maximum):
        return False
    if text in strings.excluded or (strings.values is not None and text not in strings.values):
        return False
    return _fulfils_all(text, strings)


def _fulfils_all(text: str, strings: Strings) -> bool:
    """Test whether a string satisfies the conditions and clauses of a record."""
    return all(_fulfils(text, kind, condition) for kind, condition in strings.conditions) and all(
        any(allows(one, text) for one in clause) for clause in strings.clauses
    )


@lru_cache(maxsize=512)
def none_of(texts: tuple[str, ...]) -> Expression:
    """All texts but some."""
    return complement(alternate(literal(text) for text in texts))


def _fulfils(text: str, kind: str, condition: str) -> bool:
    """Test whether a string satisfies one condition."""
    if kind.endswith("format"):
        contains = string_format(kind.removeprefix("not "), condition).contains
        if contains is not None:
            return contains(text) != kind.startswith("not ")
    return is_member(text, _condition(kind, condition))


def _condition(kind: str, text: str) -> Expression:
    if kind == "not pattern":
        return pattern_complement(text)
    if kind == "excerpt":
        return excerpts(text)
    if kind == "pattern":
        return pattern_expression(text)
    found = string_format(kind.removeprefix("not "), text)
    if isinstance(found, RuleFormat):
        raise UnsupportedFeature(
            f'format "{text}" with other conditions on the same string',
            where="",
            hint="it has no automaton that could be joined; leave out the others, or let formats be "
            + ("asserted or annotations" if found.recalls else "annotations"),
        )
    return other_strings(found) if kind.startswith("not ") else format_expression(found)
