"""`choice`: the constraint of one of several texts, or of a text of one of several constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from guidance_kit.errors import MatchError, OptionError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.argument_checks import as_items
from guidance_kit.grammars.common_prefix import common_prefix
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regular.charset import is_spellable
from guidance_kit.grammars.segmentation import Segmenter
from guidance_kit.grammars.word_trie import declare_words, encoded_words

__all__ = ["Part", "as_constraint", "choice", "declare_choice"]

Part = str | Constraint
"""Parts of constraints; a str is a constraint of one text."""


def choice(parts: Iterable[Part]) -> Constraint:
    """One of the given texts, of which there may be very many, or a text of one of the given constraints.

    With constraints among the parts, `parse` returns the value of the first one that matches.

    Raises:
        UnsatisfiableError: there are no parts.
        OptionError: the argument is a single part; a part is neither a str nor a constraint.

    >>> choice(["yes", "no"])
    Constraint(kind='choice', source=('yes', 'no'), options=())
    """
    given = parts if isinstance(parts, str) else as_items(parts, "choice()", "texts or constraints")
    if any(isinstance(part, Constraint) for part in given):
        members = tuple(as_constraint(part, f"choice {place}") for place, part in enumerate(given))
        source = tuple(dict.fromkeys(given))
        words = [part for part in source if isinstance(part, str)]
        language: Language = _Union(
            members=members,
            others=tuple(part for part in source if isinstance(part, Constraint)),
            words=encoded_words(words) if words else [],
            has_values=any(member.has_values for member in members),
        )
    else:
        words = encoded_words(given)
        source = tuple(dict.fromkeys(given))
        language = _SortedTexts(words)
    return Constraint(kind="choice", source=source, language=language, origin=(choice, (source,), {}))


def as_constraint(part: object, where: str) -> Constraint:
    """The constraint of a part.

    Raises:
        OptionError: it is neither a str nor a constraint, or has a lone surrogate; names the place.
    """
    if isinstance(part, Constraint):
        return part
    if not isinstance(part, str):
        raise OptionError(f"{where} must be a str or a constraint, not {type(part).__name__}")
    if not is_spellable(part):
        raise OptionError(f"{where} has a lone surrogate: {part!r}")
    return Constraint(
        kind="choice", source=(part,), language=_SortedTexts([part.encode()]), origin=(choice, ((part,),), {})
    )


def declare_choice(network: Network, rules: Sequence[int], *, is_optional: bool = False) -> int:
    """Declare the rule of the texts of several rules, and of the empty text if `is_optional`."""

    def build() -> int:
        start, end = network.states(2)
        network.final(end)
        if is_optional:
            network.final(start)
        for rule in rules:
            network.call(start, rule, end)
        return start

    is_nullable = is_optional or any(network.rules[rule].nullable for rule in rules)
    return network.rule(build, nullable=is_nullable, name="choice")


@dataclass(frozen=True, slots=True)
class _SortedTexts(Language):
    """Texts, encoded and sorted."""

    words: list[bytes]

    def declare(self, network: Network) -> int:
        return declare_words(network, self.words)


@dataclass(frozen=True, slots=True)
class _Union(Language):
    """Texts of several constraints.

    Attributes:
        members: all parts, in the order of preference.
        others: constraints among the parts, each once.
        words: the other parts, encoded and sorted.
    """

    members: tuple[Constraint, ...]
    others: tuple[Constraint, ...]
    words: list[bytes]
    has_values: bool

    def declare(self, network: Network) -> int:
        rules = [member.language.declare(network) for member in self.others]
        if self.words:
            rules.append(declare_words(network, self.words))
        return declare_choice(network, rules)

    def to_value(self, text: str) -> Any:
        segmenter = Segmenter(text)
        member = next((member for member in self.members if segmenter.matches(member)), None)
        if member is None:
            raise MatchError("the text does not belong to the constraint")
        return member.value_of(text)

    def to_partial_value(self, text: str, is_whole: bool) -> Any:
        segmenter = Segmenter(text)
        matches = segmenter.matches if is_whole else segmenter.is_prefix_of
        found = [member for member in self.members if matches(member)]
        if not found:
            raise MatchError("no text of the constraint begins so")
        if is_whole:
            return found[0].partial_value_of(text, True)
        return reduce(common_prefix, (member.partial_value_of(text) for member in found))
