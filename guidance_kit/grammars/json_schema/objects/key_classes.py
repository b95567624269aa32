"""Partition of the undeclared keys of an object by the patterns that match them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, compress
from typing import NamedTuple

import numpy as np

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED, Work
from guidance_kit.grammars.json_schema.strings.languages import (
    is_member,
    none_of,
    pattern_complement,
    pattern_expression,
)
from guidance_kit.grammars.regular.expression import ANYTHING, Expression, intersect
from guidance_kit.grammars.regular.joint_automaton import MOST_CHARACTERS, JointAutomaton, joint_automaton
from guidance_kit.grammars.regular.language_automaton import LanguageAutomaton, are_disjoint, language_automaton
from guidance_kit.grammars.regular.listing import has_endless_texts, listing

__all__ = ["KeyClass", "key_classes"]

MAX_KEY_CLASSES = 256
"""Greatest number of combinations of key patterns in one object."""

MAX_KEY_WORK = 1_000_000
"""Greatest number of derivatives for the overlaps of key patterns of one object; a few seconds."""

_MOST_COUNTED = 1_000
"""Number of keys of a class from which on they are not counted, where fewer are declared."""


@dataclass(frozen=True)
class KeyClass:
    """Undeclared keys that match the same patterns.

    Args:
        language: all keys that do.
        declared: those of them that are declared.
        patterns: those that match.
        least: a lower bound of the number of undeclared keys.
    """

    language: Expression
    declared: tuple[str, ...]
    patterns: tuple[str, ...]
    least: int = 1

    @cached_property
    def keys(self) -> Expression:
        """The undeclared keys, written when they are first asked for, as those without values never are."""
        return intersect(self.language, none_of(self.declared)) if self.declared else self.language


def key_classes(
    allowed: Expression, patterns: tuple[str, ...], declared: Iterable[str], work: Work | None = None
) -> list[KeyClass]:
    """Partition the keys of a language, except declared ones, by the patterns that match them.

    Classes without keys are left out. Where patterns overlap, their joint automaton has all classes; where it would be
    large, or patterns are disjoint, each pattern in turn splits the classes before it. A class has an undeclared key if
    its language has more texts than there are declared keys in it; so these are counted, and only those in it are
    excluded from its language.

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
    declared = tuple(declared)
    splitter = _Splitter(allowed, patterns, declared, work)
    if splitter.has_overlaps:
        joint = joint_automaton((allowed, *map(pattern_expression, patterns)), work)
        if joint is not None:
            return _of_joint(joint, allowed, patterns, declared, work)
    classes = [_Class((), ())]
    for pattern in patterns:
        classes = list(chain.from_iterable(splitter.split(one, pattern) for one in classes))
        if len(classes) > MAX_KEY_CLASSES:
            classes = list(filter(splitter.is_inhabited, classes))
        if len(classes) > MAX_KEY_CLASSES:
            raise _too_many_classes()
    return [splitter.key_class(one) for one in classes if splitter.is_inhabited(one)]


def _too_many_classes() -> UnsupportedFeature:
    return UnsupportedFeature(
        "patternProperties with so many overlapping patterns", where="an object", hint="use fewer patterns"
    )


def _of_joint(
    joint: JointAutomaton, allowed: Expression, patterns: tuple[str, ...], declared: tuple[str, ...], work: Work
) -> list[KeyClass]:
    """`key_classes` by the joint automaton of the allowed keys and the patterns."""
    is_allowed = joint.combinations[:, 0]
    vectors = joint.combinations[is_allowed]
    if len(vectors) > MAX_KEY_CLASSES + len(declared):  # each declared key is alone in one of them at most
        raise _too_many_classes()
    declared_in: dict[bytes, list[str]] = {}
    for key in declared:
        declared_in.setdefault(joint.languages_of(key).tobytes(), []).append(key)
    languages: list[Expression] = []
    for vector in vectors:
        telling = [*zip(patterns, vector[1:].tolist(), _telling(vector, vectors)[1:].tolist(), strict=True)]
        found = (pattern_expression(pattern) for pattern, is_found, tells in telling if tells and is_found)
        missed = (pattern_complement(pattern) for pattern, is_found, tells in telling if tells and not is_found)
        languages.append(intersect(allowed, *found, *missed))
    keys_of = [tuple(declared_in.get(vector.tobytes(), ())) for vector in vectors]
    is_asked = np.zeros(len(is_allowed), dtype=bool)
    is_asked[is_allowed] = [bool(keys) or one.most >= 0 for keys, one in zip(keys_of, languages, strict=True)]
    numbers = joint.numbers(is_asked, max(len(declared) + 1, _MOST_COUNTED))[is_allowed].tolist()
    classes: list[KeyClass] = []
    for vector, language, keys, number in zip(vectors.tolist(), languages, keys_of, numbers, strict=True):
        if keys:
            is_exact = 0 <= language.most <= MOST_CHARACTERS
            if number <= len(keys) and (is_exact or not LanguageAutomaton(language).has_more(len(keys), work)):
                continue
            work.spend(sum(map(len, keys)), "an object")
        found = tuple(compress(patterns, vector[1:]))
        classes.append(KeyClass(language, keys, found, max(number - len(keys), 1)))
    if len(classes) > MAX_KEY_CLASSES:
        raise _too_many_classes()
    return classes


def _telling(vector: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Few languages in which the texts of a combination differ from those of each other one: bool (languages,).

    Languages that the texts do not belong to are left out first.
    """
    is_other = vectors != vector
    is_other = is_other[is_other.any(axis=1)]
    telling = np.ones(len(vector), dtype=bool)
    ways = is_other.sum(axis=1)
    for number in np.argsort(vector, stable=True).tolist():
        fewer = ways - is_other[:, number]
        if fewer.all():
            telling[number], ways = False, fewer
    return telling


class _Class(NamedTuple):
    """Keys that match all patterns in `found` and none in `missed`; others are disjoint from one in `found`."""

    found: tuple[str, ...]
    missed: tuple[str, ...]


class _Splitter:
    """Splitter of the keys of a language by patterns."""

    def __init__(self, allowed: Expression, patterns: tuple[str, ...], declared: tuple[str, ...], work: Work) -> None:
        self._allowed = allowed
        self._patterns = patterns
        self._keys = declared
        self._work = work
        self._disjoint: dict[tuple[str, str], bool] = {}

    @cached_property
    def _patterns_of(self) -> dict[str, frozenset[str]]:
        """Patterns that match each declared key of the language."""
        return {
            key: frozenset(pattern for pattern in self._patterns if is_member(key, pattern_expression(pattern)))
            for key in self._keys
            if is_member(key, self._allowed)
        }

    @property
    def has_overlaps(self) -> bool:
        """True if some key matches two patterns, whether it is allowed or not."""
        return any(not self._are_disjoint(*pair) for pair in combinations(self._patterns, 2))

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
        endless = tuple(pattern for pattern in one.missed if pattern_expression(pattern).most == UNBOUNDED)
        if has_endless_texts(self._language(_Class(one.found, endless))):
            return True  # finitely many keys less do not matter
        language, declared = self._language(one), len(self._declared(one))
        if language.is_plain and 0 <= language.most <= MOST_CHARACTERS:
            texts = listing(language, declared)
            return texts is None or len(texts) > declared
        is_pattern = len(one.found) == 1 and not one.missed and self._allowed is ANYTHING
        automaton = language_automaton(language) if is_pattern else LanguageAutomaton(language)
        return automaton.has_more(declared, self._work)

    def key_class(self, one: _Class) -> KeyClass:
        """The undeclared keys of a class."""
        declared = self._declared(one)
        self._work.spend(sum(map(len, declared)), "an object")
        return KeyClass(self._language(one), declared, one.found)

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
