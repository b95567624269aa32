"""`any_token`: one token of a model's vocabulary, whatever its text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from guidance_kit.errors import OptionError
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_set import TokenSet
from guidance_kit.grammars.argument_checks import as_items
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regular.charset import is_spellable

__all__ = ["any_token"]

MOST = 2**24
"""Tokens that a vocabulary may have."""


def any_token(
    of: Iterable[int | range | str] | None = None, *, without: Iterable[int | range | str] = ()
) -> Constraint:
    """One token of the model's vocabulary, by its number, whatever its text.

    By default any token but the end-of-sequence tokens. A text does not determine such a token: constraints with one
    have no `parse`, and `Matcher.advance_bytes` never reads it. `sample` spells it as grammars do, `<[0-99]>`.

    Args:
        of: allowed tokens: numbers, ranges of numbers, and names of special tokens or texts of others; None: all but
            the end-of-sequence tokens.
        without: tokens excluded besides the end-of-sequence tokens, in the same form.
    Raises:
        OptionError: an empty list, or an item that is no number or name; both `of` and `without`.
        VocabularyError: on use with a vocabulary that has fewer tokens, or none of a name.

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
        language=_AnyToken(tokens),
        origin=(_of_set, (tokens,), {}),
    )


@dataclass(frozen=True, slots=True)
class _AnyToken(Language):
    """A token of a set, taken by its number."""

    tokens: TokenSet

    def declare(self, network: Network) -> int:
        return network.tokens(self.tokens)
