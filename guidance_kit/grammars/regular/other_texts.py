"""All texts but some, written out along their trie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby

from guidance_kit.grammars.regular.charset import CharSet, is_spellable
from guidance_kit.grammars.regular.expression import (
    ANY_CHARACTER,
    ANYTHING,
    LONGEST_IN_TRIE,
    Alternation,
    Characters,
    Concatenation,
    Expression,
    Repetition,
    alternate,
    complement,
    literal,
    single,
)

__all__ = ["other_texts"]

_NONEMPTY = Concatenation((ANY_CHARACTER, ANYTHING))


def other_texts(texts: Iterable[str]) -> Expression:
    """All texts but some: what `complement` makes of them, without a look at each way to combine expressions."""
    members = sorted(filter(is_spellable, set(texts)))
    if not members or max(map(len, members)) > LONGEST_IN_TRIE:
        return complement(alternate(map(literal, members)))
    return _others(members, 0)


def _others(texts: Sequence[str], place: int) -> Expression:
    """The rests of texts that are none of some, which are sorted and have their first `place` characters in common."""
    if len(texts) == 1:
        return _others_than_one(texts[0][place:])
    is_text = len(texts[0]) == place
    ways = [
        (character, _others([*group], place + 1))
        for character, group in groupby(texts[is_text:], lambda text: text[place])
    ]
    beyond = _beyond("".join(character for character, _ in ways))
    result = Alternation((*(_after(character, rest) for character, rest in ways), beyond))
    return result if is_text else Repetition(result, 0, 1)


@lru_cache(maxsize=4096)
def _others_than_one(text: str) -> Expression:
    """The texts that are not this one. Keys of different objects have many ends in common."""
    if not text:
        return _NONEMPTY
    way = _after(text[0], _others_than_one(text[1:]))
    return Repetition(Alternation((way, _beyond(text[0]))), 0, 1)


def _after(character: str, rest: Expression) -> Expression:
    """A character and the rest behind it."""
    parts = rest.parts if isinstance(rest, Concatenation) else (rest,)
    return Concatenation((single(ord(character)), *parts))


@lru_cache(maxsize=512)
def _beyond(beginnings: str) -> Expression:
    """Texts that begin with no character of some."""
    return Concatenation((Characters(~CharSet.characters(beginnings)), ANYTHING))
