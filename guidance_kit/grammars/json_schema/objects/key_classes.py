"""Partition of the undeclared keys of an object by the patterns that match them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.network import Work
from guidance_kit.grammars.json_schema.strings.languages import (
    is_member,
    none_of,
    pattern_complement,
    pattern_expression,
)
from guidance_kit.grammars.regular.expression import ANYTHING, Expression, intersect
from guidance_kit.grammars.regular.language_automaton import LanguageAutomaton, are_disjoint, language_automaton

__all__ = ["KeyClass", "key_classes"]

MAX_KEY_CLASSES = 256
"""Greatest number of combinations of key patterns in one object."""

MAX_KEY_WORK = 1_000_000
"""Greatest number of derivatives for the overlaps of key patterns of one object; a few seconds."""


class KeyClass(NamedTuple):
    """Keys that match the same patterns.

    Args:
        keys: the undeclared ones of them.
        patterns: those that match.
    """

    keys: Expression
    patterns: tuple[str, ...]


def key_classes(
    allowed: Expression, patterns: tuple[str, ...], declared: Iterable[str], work: Work | None = None
) -> list[KeyClass]:
    """Partition the keys of a language, except declared ones, by the patterns that match them.

    Classes without keys are left out. A class has an undeclared key if its language has more texts than there are
    declared keys in it; so these are counted, and only those in it are excluded from its language.

    Args:
        allowed: the language of all keys.
        patterns: ECMA-262 patterns, found anywhere in a key.
        declared: keys that are excluded.
        work: from which the derivatives are taken; None for MAX_KEY_WORK.
    Raises:
        UnsupportedFeature: there are too many classes.
        LimitError: to tell them apart takes too many derivatives.
    """
    if work is None:
        work = Work(MAX_KEY_WORK, name="max_key_work", reason=f", as {len(patterns)} patterns of keys are")
    splitter = _Splitter(allowed, patterns, declared, work)
    classes = [_Class((), ())]
    for pattern in patterns:
        classes = list(chain.from_iterable(splitter.split(one, pattern) for one in classes))
        if len(classes) > MAX_KEY_CLASSES:
            classes = list(filter(splitter.is_inhabited, classes))
        if len(classes) > MAX_KEY_CLASSES:
            raise UnsupportedFeature(
                "patternProperties with so many overlapping patterns", where="an object", hint="use fewer patterns"
            )
    return [KeyClass(splitter.undeclared(one), one.found) for one in classes if splitter.is_inhabited(one)]


class _Class(NamedTuple):
    """Keys that match all patterns in `found` and none in `missed`; others are disjoint from one in `found`."""

    found: tuple[str, ...]
    missed: tuple[str, ...]


class _Splitter:
    """Splitter of the keys of a language by patterns."""

    def __init__(self, allowed: Expression, patterns: tuple[str, ...], declared: Iterable[str], work: Work) -> None:
        self._allowed = allowed
        self._work = work
        self._patterns_of = {
            key: frozenset(pattern for pattern in patterns if is_member(key, pattern_expression(pattern)))
            for key in declared
            if is_member(key, allowed)
        }
        self._disjoint: dict[tuple[str, str], bool] = {}

    def split(self, one: _Class, pattern: str) -> list[_Class]:
        """The part of a class that a pattern matches, if it has undeclared keys, and the other, which need not."""
        if any(self._are_disjoint(other, pattern) for other in one.found):
            return [one]
        missed = tuple(other for other in one.missed if not self._are_disjoint(other, pattern))
        inside = _Class((*one.found, pattern), missed)
        outside = _Class(one.found, (*one.missed, pattern))
        return [inside, outside] if self.is_inhabited(inside) else [outside]

    def is_inhabited(self, one: _Class) -> bool:
        """Test whether a class has undeclared keys."""
        language = self._language(one)
        if language is ANYTHING:
            return True
        is_pattern = len(one.found) == 1 and not one.missed and self._allowed is ANYTHING
        automaton = language_automaton(language) if is_pattern else LanguageAutomaton(language)
        return automaton.has_more(len(self._declared(one)), self._work)

    def undeclared(self, one: _Class) -> Expression:
        """Undeclared keys of a class."""
        declared = self._declared(one)
        self._work.spend(sum(map(len, declared)), "an object")
        return intersect(self._language(one), none_of(declared)) if declared else self._language(one)

    def _declared(self, one: _Class) -> tuple[str, ...]:
        """Declared keys in a class."""
        return tuple(
            key
            for key, patterns in self._patterns_of.items()
            if patterns.issuperset(one.found) and patterns.isdisjoint(one.missed)
        )

    def _language(self, one: _Class) -> Expression:
        """Keys of a class, declared ones included."""
        found = map(pattern_expression, one.found)
        return intersect(self._allowed, *found, *map(pattern_complement, one.missed))

    def _are_disjoint(self, first: str, second: str) -> bool:
        """Test whether no key matches both of two patterns."""
        known = self._disjoint.get((first, second))
        if known is None:
            known = are_disjoint(pattern_expression(first), pattern_expression(second), self._work)
            self._disjoint[first, second] = known
        return known
