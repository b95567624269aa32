"""Excerpts of a text: runs of its words, as an expression whose parts are constructed on first use."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache, partial

import regex

from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.expression import (
    EPSILON,
    NOTHING,
    Expression,
    alternate,
    concatenate,
    deferred,
    literal,
)

__all__ = ["excerpts"]

_UNSPACED = r"[\p{Line_Break=Complex_Context}\p{Line_Break=Ideographic}\p{Line_Break=Conditional_Japanese_Starter}]"
"""Characters of scripts that put no spaces between words, such as Han and Thai."""

_WORD = regex.compile(rf"{_UNSPACED}\p{{M}}*+|(?:(?!{_UNSPACED})\w)++|\S\p{{M}}*+")
_SURROGATES = regex.compile(r"\p{Cs}+")


@lru_cache(maxsize=64)
def excerpts(text: str) -> Expression:
    r"""The empty text, and each run of words of a text with the characters between them.

    A word is a run of letters, digits, marks and underscores, or one character of any other kind but white space; in
    scripts without spaces between words each character is one. White space between words may also be written as one
    space. Lone surrogates, which have no UTF-8, count as white space.

    >>> from guidance_kit.grammars.regular.listing import listing
    >>> listing(excerpts("Ann\n Lee!"), 20)
    ['', '!', 'Ann', 'Lee', 'Lee!', 'Ann Lee', 'Ann\n Lee', 'Ann Lee!', 'Ann\n Lee!']
    """
    return _Excerpts(_SURROGATES.sub(" ", text)).whole


class _Excerpts:
    """Lazy suffix automaton of one text.

    A state is a set of positions in the text. An excerpt may end at the end of a word, not within or before one.

    Attributes:
        whole: all excerpts.
    """

    def __init__(self, text: str) -> None:
        spans = [found.span() for found in _WORD.finditer(text)]
        self._text = text
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]
        self._stops = frozenset(self._ends)
        self._charsets = tuple(map(CharSet.single, sorted({ord(" "), *map(ord, text)})))
        # Behind any beginning, what is left of the white space and the word in which it ends is enough.
        befores = [0, *self._ends[:-1]]
        self._left = max((end - before - 1 for before, end in zip(befores, self._ends, strict=False)), default=0)
        self._known: dict[tuple[int, ...], Expression] = {}
        self.whole = alternate((EPSILON, self._further(tuple(self._starts))))

    def _after(self, places: tuple[int, ...]) -> Expression:
        """Expression of the texts that follow some positions."""
        further = self._further(places)
        return further if self._stops.isdisjoint(places) else alternate((EPSILON, further))

    def _further(self, places: tuple[int, ...]) -> Expression:
        """Expression of the non-empty texts that follow some positions."""
        found = self._known.get(places)
        if found is None:
            lengths = [length for place in places if (length := self._to_end(place))]
            found = NOTHING
            if lengths:
                found = deferred(partial(self._made, places), min(lengths), self._left, self._charsets, is_common=False)
            self._known[places] = found
        return found

    def _to_end(self, place: int) -> int:
        """Characters from a position to the next end of a word behind it; 0 if there is none."""
        word = bisect_right(self._ends, place)
        if word == len(self._ends):
            return 0
        start, end = self._starts[word], self._ends[word]
        return 1 + end - start if place in self._stops and place < start else end - place

    def _made(self, places: tuple[int, ...]) -> Expression:
        """Expression of the non-empty texts that follow several positions, by first character."""
        targets: dict[str, set[int]] = {}
        for place in places:
            word = bisect_right(self._ends, place)
            if word == len(self._ends):
                continue
            targets.setdefault(self._text[place], set()).add(place + 1)
            start = self._starts[word]
            if place in self._stops and place < start:
                targets.setdefault(" ", set()).add(start)
        ways: list[Expression] = []
        for character, reached in targets.items():
            if len(reached) == 1:
                (place,) = reached
                end = self._ends[bisect_right(self._ends, place - 1)]  # no choice before the end of the word
                ways.append(concatenate((literal(character + self._text[place:end]), self._after((end,)))))
            else:
                ways.append(concatenate((literal(character), self._after(tuple(sorted(reached))))))
        return alternate(ways)
