"""`any_token`: one token of a model's vocabulary, whatever its text."""

from __future__ import annotations

from collections.abc import Iterable

from guidance_kit.errors import OptionError
from guidance_kit.fsm.token_set import TokenSet
from guidance_kit.grammars.choice import is_spellable
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.given import as_items

__all__ = ["any_token"]

MOST = 2**24
"""Tokens that a vocabulary may have."""


def any_token(
    of: Iterable[int | range | str] | None = None, *, without: Iterable[int | range | str] = ()
) -> Constraint:
    """One token of the model's vocabulary, by its number, whatever its text.

    It is any token but those that end a sequence; or one of those that are listed, which may be such; or any but those
    that are listed. What text it has is for the vocabulary to say: so there is no `parse` of what it is a part of, and
    `Matcher.advance_bytes` never takes a text for it. In `sample` it stands as grammars write it, `<[0-99]>`.

    Args:
        of: numbers, ranges of numbers, and names of special tokens, or texts of others; None: all tokens.
        without: the same of tokens that it is not.
    Raises:
        OptionError: nothing is listed, or no number or name; both `of` and `without` are.
        VocabularyError: when it is used with a vocabulary that has fewer tokens, or none of a name.

    >>> any_token([range(0, 100), 128010])
    Constraint(kind='any_token', source='<[0-99,128010]>', options=())
    >>> any_token(without=["<|eot_id|>"]).source
    "<[^'<|eot_id|>']>"
    """
    excluded = as_items(without, "without", "tokens")
    if of is not None and excluded:
        raise OptionError("tokens are those of some, or all without some: either `of` or `without`")
    ranges: list[tuple[int, int]] = []
    names: list[str] = []
    for one in excluded if of is None else as_items(of, "any_token()", "tokens"):
        if isinstance(one, str) and one and is_spellable(one):
            names.append(one)
        elif isinstance(one, range) and one.step == 1 and 0 <= one.start < one.stop <= MOST:
            ranges.append((one.start, one.stop - 1))
        elif isinstance(one, int) and not isinstance(one, bool) and 0 <= one < MOST:
            ranges.append((one, one))
        else:
            raise OptionError(f"tokens are numbers, ranges of them that go up by 1, and names, which {one!r} is not")
    if of is not None and not (ranges or names):
        raise OptionError("a set of tokens has at least one")
    tokens = TokenSet(ranges=tuple(ranges), names=tuple(names), is_negated=of is None)
    return _of_set(tokens)


def _of_set(tokens: TokenSet) -> Constraint:
    """The constraint of one token of a set."""
    return Constraint(
        kind="any_token",
        source=str(tokens),
        declare=lambda network: network.tokens(tokens),
        origin=(_of_set, (tokens,), {}),
    )
