"""Constraints made of others: sequences, options and repetitions.

A part is a constraint, or a str, which is a constraint of one text. Each part becomes a rule of one network, so a
composition is as exact as its parts, and may be a part in turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from guidance_kit.errors import OptionError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.argument_checks import as_number
from guidance_kit.grammars.choice import Part, as_constraint, declare_choice
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.segmentation import Segmenter, Transition, transition

__all__ = ["optional", "repeat", "sequence"]

_MOST_COPIES = 64
"""Turns of a nullable part that are written out."""


def sequence(*parts: Part) -> Constraint:
    """A text of each part, one after the other.

    If a part has values (as a JSON Schema), `parse` returns a tuple with the value of each part, else the text. Of
    several segmentations of a text the one with the longest earlier parts counts.

    Raises:
        OptionError: a part is neither a str nor a constraint.

    >>> from guidance_kit import json_schema
    >>> sequence("n = ", json_schema({"type": "integer"}), ";").parse("n = 12;")
    ('n = ', 12, ';')
    """
    members = tuple(as_constraint(part, f"part {place} of the sequence") for place, part in enumerate(parts))
    language = _Sequence(members, has_values=any(member.has_values for member in members))
    return Constraint(kind="sequence", source=parts, language=language, origin=(sequence, parts, {}))


def optional(part: Part) -> Constraint:
    """A text of a part, or the empty text.

    `parse` returns None for the empty text, else the value of the part, if it has one.

    >>> optional("very ").kind
    'optional'
    """
    member = as_constraint(part, "the optional part")
    return Constraint(
        kind="optional",
        source=(part,),
        language=_Optional(member, has_values=member.has_values),
        origin=(optional, (part,), {}),
    )


def repeat(part: Part, minimum: int = 0, maximum: int | None = None) -> Constraint:
    """Between `minimum` and `maximum` texts of a part, one after the other.

    `parse` returns a list with the value of each if the part has values, else the text.

    Args:
        part: the repeated part.
        minimum: at least 0.
        maximum: at least 1 and `minimum`; None for any number.
    Raises:
        OptionError: other numbers.
        UnsupportedFeature: a maximum of more than 64 for a part that has the empty text.

    >>> from guidance_kit import json_schema
    >>> repeat(json_schema({"type": "boolean"}), 1, 3).parse("truefalse")
    [True, False]
    """
    member = as_constraint(part, "the part that is repeated")
    minimum = as_number(minimum, "minimum")
    if maximum is not None:
        maximum = as_number(maximum, "maximum")
    if minimum < 0 or (maximum is not None and maximum < max(1, minimum)):
        raise OptionError(f"a repetition between {minimum} and {maximum} times")
    options = tuple((name, value) for name, value in (("minimum", minimum), ("maximum", maximum)) if value)
    repeated = Constraint(
        kind="repeat",
        source=(part,),
        options=options,
        language=_Repetition(member, minimum, maximum, has_values=member.has_values),
        origin=(repeat, (part, minimum, maximum), {}),
    )
    # Only a nullable part has a bound, so other repetitions need no check.
    return repeated.checked() if maximum is not None and maximum > _MOST_COPIES else repeated


@dataclass(frozen=True, slots=True)
class _Sequence(Language):
    """A text of each member, one after the other."""

    members: tuple[Constraint, ...]
    has_values: bool

    def declare(self, network: Network) -> int:
        rules = [member.language.declare(network) for member in self.members]

        def build() -> int:
            start = state = network.state()
            for rule in rules:
                following = network.state()
                network.call(state, rule, following)
                state = following
            network.final(state)
            return start

        is_nullable = all(network.rules[rule].nullable for rule in rules)
        return network.rule(build, nullable=is_nullable, name="sequence")

    def to_value(self, text: str) -> tuple[Any, ...]:
        segmenter = Segmenter(text)
        return tuple(map(segmenter.value, self.members, segmenter.sequence(self.members)))

    def to_partial_value(self, text: str, is_whole: bool) -> tuple[Any, ...]:
        segmenter, members = Segmenter(text), self.members
        if is_whole:
            return tuple(map(segmenter.plain_value, members, segmenter.sequence(members)))

        def transitions(done: int) -> Iterable[Transition]:
            return [transition(members[done], done + 1)] if done < len(members) else []

        return tuple(segmenter.prefix_values(0, transitions, is_final=lambda done: done == len(members)))


@dataclass(frozen=True, slots=True)
class _Optional(Language):
    """A text of a member, or the empty text."""

    member: Constraint
    has_values: bool

    def declare(self, network: Network) -> int:
        return declare_choice(network, [self.member.language.declare(network)], is_optional=True)

    def to_value(self, text: str) -> Any:
        return self.member.value_of(text) if text else None

    def to_partial_value(self, text: str, is_whole: bool) -> Any:
        return self.member.partial_value_of(text, is_whole) if text else None


@dataclass(frozen=True, slots=True)
class _Repetition(Language):
    """Texts of a member, one after the other."""

    member: Constraint
    minimum: int
    maximum: int | None
    has_values: bool

    def declare(self, network: Network) -> int:
        rule = self.member.language.declare(network)
        return _declare_repetition(network, rule, self.minimum, UNBOUNDED if self.maximum is None else self.maximum)

    def to_value(self, text: str) -> list[Any]:
        segmenter = Segmenter(text)
        spans = segmenter.repetition(self.member, self.minimum, self.maximum)
        return [segmenter.value(self.member, span) for span in spans]

    def to_partial_value(self, text: str, is_whole: bool) -> list[Any]:
        segmenter, member, maximum = Segmenter(text), self.member, self.maximum
        if is_whole:
            spans = segmenter.repetition(member, self.minimum, maximum)
            return [segmenter.plain_value(member, span) for span in spans]

        def transitions(done: int) -> Iterable[Transition]:
            if maximum is None:
                return [transition(member, min(done + 1, self.minimum))]
            return [transition(member, done + 1)] if done < maximum else []

        return segmenter.prefix_values(0, transitions, is_final=lambda done: done >= self.minimum)


def _declare_repetition(network: Network, rule: int, minimum: int, maximum: int) -> int:
    """Declare the rule of several texts of another one.

    Raises:
        UnsupportedFeature: the rule is nullable, and `maximum` is greater than 64.
    """
    is_nullable = network.rules[rule].nullable
    if maximum == 1:
        return declare_choice(network, [rule], is_optional=minimum == 0)
    if not is_nullable:

        def build(end: int) -> int:
            start = network.state()
            network.call(start, rule, end)
            return start

        return network.repeat(build, minimum, maximum, name="repeat")
    if maximum > _MOST_COPIES:
        raise UnsupportedFeature(
            f"a maximum of more than {_MOST_COPIES}",
            where="a repetition of what may be empty",
            hint="leave the empty text out of it, and let the repetition begin with 0",
        )

    def build_nullable() -> int:
        states = network.states(1 if maximum == UNBOUNDED else maximum + 1)
        for state in states:
            network.final(state)
            following = state if maximum == UNBOUNDED else state + 1
            if following in states:
                network.call(state, rule, following)
        return states[0]

    return network.rule(build_nullable, nullable=True, name="repeat")
