"""Constraints made of others: one after the other, one of several, some times; and special tokens.

A part is a constraint, or a str, which stands for itself. Each part becomes a rule of one network, so what holds for a
constraint holds for what is made of some: it is as exact, and may be a part of another one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from guidance_kit.errors import MatchError, OptionError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.choice import declare_words, is_spellable, spelled
from guidance_kit.grammars.constraint import Constraint, Origin, choice
from guidance_kit.grammars.given import as_number
from guidance_kit.grammars.values import in_common

if TYPE_CHECKING:
    from guidance_kit.grammars.reading import Reader, Way

__all__ = [
    "Part", "as_constraint", "choose", "either", "optional", "plainly", "reader_of", "repeat", "sequence",
    "special_token", "way",
]  # fmt: skip

Part = str | Constraint
"""Parts of constraints; a str is a constraint of one text."""

_MOST_COPIES = 64
"""Turns of what may be empty that are written out."""


def sequence(*parts: Part) -> Constraint:
    """A text of each part, one after the other.

    `parse` returns a tuple with the value of each part if one of them stands for a value (a JSON Schema, say), else the
    text. Where a text can be cut in several ways, earlier parts take as much as possible.

    Raises:
        OptionError: a part is neither a str nor a constraint.

    >>> from guidance_kit import json_schema
    >>> sequence("n = ", json_schema({"type": "integer"}), ";").parse("n = 12;")
    ('n = ', 12, ';')
    """
    members = tuple(as_constraint(part, f"part {place} of the sequence") for place, part in enumerate(parts))

    def declare(network: Network) -> int:
        rules = [member.declare(network) for member in members]

        def build() -> int:
            start = state = network.state()
            for rule in rules:
                following = network.state()
                network.call(state, rule, following)
                state = following
            network.final(state)
            return start

        return network.rule(build, nullable=_are_nullable(network, rules), name="sequence")

    def to_value(text: str) -> tuple[Any, ...]:
        reader = reader_of(text)
        return tuple(reader.value(*found) for found in zip(members, reader.sequence(members), strict=True))

    def to_partial_value(text: str, is_whole: bool) -> tuple[Any, ...]:
        reader, count = reader_of(text), len(members)
        if is_whole:
            return tuple(reader.plain(*found) for found in zip(members, reader.sequence(members), strict=True))
        return tuple(
            reader.beginning(
                0,
                lambda place: [way(members[place], place + 1)] if place < count else [],
                is_end=lambda place: place == count,
            )
        )

    return _composed("sequence", parts, members, declare, to_value, to_partial_value, origin=(sequence, parts, {}))


def either(parts: Iterable[Part]) -> Constraint:
    """A text of one of the parts: `choice` where constraints are among them."""
    given = tuple(parts)
    members = [as_constraint(part, f"choice {place}") for place, part in enumerate(given)]
    source = tuple(dict.fromkeys(given))
    others = [part for part in source if isinstance(part, Constraint)]
    texts = [part for part in source if isinstance(part, str)]
    words = spelled(texts) if texts else []

    def declare(network: Network) -> int:
        rules = [member.declare(network) for member in others]
        if words:
            rules.append(declare_words(network, words))
        return choose(network, rules)

    def to_value(text: str) -> Any:
        reader = reader_of(text)
        member = next((member for member in members if reader.is_text_of(member)), None)
        if member is None:
            raise MatchError("the text does not belong to the constraint")
        return reader.value(member)

    def to_partial_value(text: str, is_whole: bool) -> Any:
        reader = reader_of(text)
        fits = reader.is_text_of if is_whole else reader.is_beginning_of
        found = [member for member in members if fits(member)]
        if not found:
            raise MatchError("no text of the constraint begins so")
        return plainly(found[0], text, True) if is_whole else reduce(in_common, (plainly(one, text) for one in found))

    return _composed("choice", source, members, declare, to_value, to_partial_value, origin=(either, (source,), {}))


def optional(part: Part) -> Constraint:
    """A text of a part, or nothing.

    `parse` returns None for the empty text, else the value of the part, if it stands for one.

    >>> optional("very ").kind
    'optional'
    """
    member = as_constraint(part, "the optional part")

    def declare(network: Network) -> int:
        return choose(network, [member.declare(network)], is_optional=True)

    def to_value(text: str) -> Any:
        return reader_of(text).value(member) if text else None

    def to_partial_value(text: str, is_whole: bool) -> Any:
        return plainly(member, text, is_whole) if text else None

    return _composed(
        "optional", (part,), (member,), declare, to_value, to_partial_value, origin=(optional, (part,), {})
    )


def repeat(part: Part, minimum: int = 0, maximum: int | None = None) -> Constraint:
    """Between `minimum` and `maximum` texts of a part, one after the other.

    `parse` returns a list with the value of each if the part stands for one, else the text.

    Args:
        part: what comes again.
        minimum: at least 0.
        maximum: at least 1 and `minimum`; None for any number.
    Raises:
        OptionError: other numbers.
        UnsupportedFeature: a maximum of more than 64 for a part that may be empty.

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

    def declare(network: Network) -> int:
        rule = member.declare(network)
        return _repeat(network, rule, minimum, UNBOUNDED if maximum is None else maximum)

    def to_value(text: str) -> list[Any]:
        reader = reader_of(text)
        return [reader.value(member, span) for span in reader.turns(member, minimum, maximum)]

    def to_partial_value(text: str, is_whole: bool) -> list[Any]:
        reader = reader_of(text)
        if is_whole:
            return [reader.plain(member, span) for span in reader.turns(member, minimum, maximum)]

        def ways(done: int) -> list[Way]:
            if maximum is None:
                return [way(member, min(done + 1, minimum))]
            return [way(member, done + 1)] if done < maximum else []

        return reader.beginning(0, ways, is_end=lambda done: done >= minimum)

    if maximum is not None and maximum > _MOST_COPIES:
        declare(Network())  # which refuses what may be empty
    options = tuple((name, value) for name, value in (("minimum", minimum), ("maximum", maximum)) if value)
    origin = (repeat, (part, minimum, maximum), {})
    return _composed("repeat", (part,), (member,), declare, to_value, to_partial_value, options, origin=origin)


def special_token(name: str, *, or_text: bool = False) -> Constraint:
    """One special token of the model's vocabulary, like `<|python_tag|>`, which no text spells.

    In the text of a completion the token shows its name, and there `parse` looks for it. An end-of-sequence token ends
    the text, unless it is named where the text stands.

    Args:
        name: how the token is written.
        or_text: whether its name as text will do for a vocabulary without such a special token. It may have one of text
            that is written so, as some have for `<tool_call>`.
    Raises:
        OptionError: no name.
        VocabularyError: when it is used with a vocabulary without such a special token, unless `or_text` is set.

    >>> special_token("<|eot_id|>")
    Constraint(kind='special_token', source='<|eot_id|>', options=())
    """
    if not isinstance(name, str) or not name or not is_spellable(name):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"a special token has a name, which {name!r} is not")
    return Constraint(
        kind="special_token",
        source=name,
        options=(("or_text", True),) if or_text else (),
        declare=lambda network: network.special(name, or_text=or_text),
        origin=(special_token, (name,), {"or_text": or_text}),
    )


def as_constraint(part: object, where: str) -> Constraint:
    """The constraint that a part is.

    Raises:
        OptionError: it is neither a str nor a constraint, or has a lone surrogate; names the place.
    """
    if isinstance(part, Constraint):
        return part
    if not isinstance(part, str):
        raise OptionError(f"{where} must be a str or a constraint, not {type(part).__name__}")
    if not is_spellable(part):
        raise OptionError(f"{where} has a lone surrogate: {part!r}")
    words = [part.encode()]
    return Constraint(
        kind="choice",
        source=(part,),
        declare=lambda network: declare_words(network, words),
        origin=(choice, ((part,),), {}),
    )


def _composed(
    kind: str,
    parts: Sequence[Part],
    members: Sequence[Constraint],
    declare: Callable[[Network], int],
    to_value: Callable[[str], Any],
    to_partial_value: Callable[[str, bool], Any],
    options: tuple[tuple[str, Any], ...] = (),
    *,
    origin: Origin,
) -> Constraint:
    has_values = any(member.to_value is not None for member in members)
    return Constraint(
        kind=kind,
        source=tuple(parts),
        options=options,
        declare=declare,
        to_value=to_value if has_values else None,
        to_partial_value=to_partial_value if has_values else None,
        origin=origin,
    )


def plainly(part: Constraint, text: str, is_whole: bool = False) -> Any:
    """Partial value of a prefix of a text of `part`, or of a whole one, as `Constraint.partial` gives it."""
    return text if part.to_partial_value is None else part.to_partial_value(text, is_whole)


def way(part: Constraint, target: Hashable, values: Callable[[str, bool], Iterable[Any]] | None = None) -> Way:
    """A way to go on by `part`; unless `values` says something else, it brings its value, once there is one."""
    from guidance_kit.grammars.reading import Way  # brings numba, which a constraint alone does not need

    def value(text: str, is_whole: bool) -> list[Any]:
        found = plainly(part, text, is_whole) if text or is_whole else None
        return [found] if is_whole or found is not None else []

    return Way(part, target, values or value)


def reader_of(text: str) -> Reader:
    """Reader that cuts a text into parts."""
    from guidance_kit.grammars.reading import Reader  # brings numba, which a constraint alone does not need

    return Reader(text)


def _are_nullable(network: Network, rules: Iterable[int]) -> bool:
    return all(network.rules[rule].nullable for rule in rules)


def choose(network: Network, rules: Sequence[int], *, is_optional: bool = False) -> int:
    """Declare the rule of a text of one of some rules, or, if that is wanted, of nothing."""

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


def _repeat(network: Network, rule: int, minimum: int, maximum: int) -> int:
    """Declare the rule of some texts of another one."""
    is_nullable = network.rules[rule].nullable
    if maximum == 1:
        return choose(network, [rule], is_optional=minimum == 0)
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
