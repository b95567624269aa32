"""Formats of structural tags that take tokens, which texts do not determine: most have no parsed value."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from guidance_kit.grammars.any_token import any_token
from guidance_kit.grammars.choice import Part, choice
from guidance_kit.grammars.composition import optional, repeat, sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.special_token import special_token
from guidance_kit.grammars.structural_object import FormatObject

__all__ = ["any_tokens", "dispatched_tokens", "other_token", "read_token", "token_dispatch"]


def read_token(format_: FormatObject) -> Constraint:
    """One token, by its number or its name."""
    number = format_.only("type", "token").fields.get("token")
    if isinstance(number, int):
        return any_token([number])
    name = format_.text("token")
    if not name:
        raise format_.wrong("token", "a string that is not empty")
    return special_token(name)


def other_token(format_: FormatObject) -> Constraint:
    """One token but some."""
    return _other(format_.only("type", "exclude_tokens"))


def any_tokens(format_: FormatObject) -> Constraint:
    """Any tokens but some."""
    format_.only("type", "exclude_tokens", "max_tokens")
    most = format_.budget("max_tokens")
    return choice([""]) if most == 0 else repeat(_other(format_), 0, most)


def token_dispatch(format_: FormatObject, read: Callable[[FormatObject], Constraint]) -> Constraint:
    """Any tokens, among which each of some is followed by its format."""
    format_.only("type", "rules", "loop", "exclude_tokens")
    rules = format_.pairs("rules", int | str, "a token")
    turns = [sequence(any_token([token]), read(inner)) for token, inner in rules]
    other = any_token(without=[*(token for token, _ in rules), *format_.tokens("exclude_tokens")])
    return _among(other, turns, is_loop=format_.get("loop", bool, "true or false", True))


def dispatched_tokens(
    format_: FormatObject, turns: Iterable[tuple[Part, ...]], *, is_first: bool, is_last: bool
) -> Constraint:
    """Any tokens, among which some begin tags.

    Args:
        format_: with `trigger_tokens`.
        turns: parts of the tags.
        is_first: whether a tag comes first.
        is_last: whether one tag ends the text.
    """
    ways = [sequence(*parts) for parts in turns]
    if is_first and is_last:
        return choice(ways)
    among = _among(_other(format_, format_.tokens("trigger_tokens")), ways, is_loop=not is_last)
    return sequence(choice(ways), among) if is_first else among


def _other(format_: FormatObject, without: Iterable[int | str] = ()) -> Constraint:
    """One token that is neither excluded nor the end of the tag around it."""
    return any_token(without=[*without, *format_.tokens("exclude_tokens"), *format_.end.tokens])


def _among(other: Constraint, turns: list[Constraint], *, is_loop: bool) -> Constraint:
    """Turns among other tokens: any number of them, or at most one, which then is the last."""
    turn = choice(turns)
    return repeat(choice([other, turn])) if is_loop else sequence(repeat(other), optional(turn))
