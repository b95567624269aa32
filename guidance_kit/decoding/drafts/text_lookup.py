"""Draft by text lookup: what followed the last characters earlier in the prompt or the text, however they were cut."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from guidance_kit.decoding.drafts.draft import NOTHING, Binding, Proposal
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import OptionError
from guidance_kit.models.token_tree import TokenTree

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["BoundTextLookup", "TextLookup", "text_places"]

_WITHIN = 16384
"""Number of last tokens of a prefix that are searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLookup:
    """Propose what followed the last bytes of the text where they occurred before, whatever tokens they were.

    The first token of an excerpt seldom stands in the document as such: `Mar` after a quotation mark is ` Mar` there.
    So bytes are sought, and the tokens behind them are proposed; of a token that the occurrence divides, the rest, if
    it is a token. Several continuations are paths of one tree. Texts are those without a draft.

    Args:
        longest, shortest: number of bytes that are sought, at least 1. The longest of `longest`, its half, and so on,
            that occur count.
        branches: maximum number of continuations, the latest first; those at the beginning of a word come before
            others where the text is at the beginning of one.
        length: maximum number of tokens of each.
    Raises:
        OptionError: a number out of range.
    Source: Saxena 2023, Prompt Lookup Decoding, by bytes in place of tokens.
    """

    longest: int = 32
    shortest: int = 1
    branches: int = 2
    length: int = 12

    def __post_init__(self) -> None:
        for name in ("longest", "shortest", "branches", "length"):
            require_integer(name, getattr(self, name), least=1)
        if self.shortest > self.longest:
            raise OptionError(f"shortest is {self.shortest}, more than longest, {self.longest}")

    def bound(self, binding: Binding) -> BoundTextLookup:
        """Draft of a call."""
        return BoundTextLookup(self)


@dataclass(slots=True)
class BoundTextLookup:
    """Text lookup in one call.

    Args:
        settings: see `TextLookup`.
    """

    settings: TextLookup
    name: str = "text lookup"
    _numbers: dict[bytes, int] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """Greatest number of tokens of a path."""
        return self.settings.length

    def nodes(self, ahead: int) -> int:
        """Greatest number of nodes of a tree of so many tokens in depth."""
        return self.settings.branches * min(ahead, self.settings.length)

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: every row can be looked up."""

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`; a count limits the depth."""
        return [
            self._proposal(walk.vocabulary, row, min(count, self.settings.length)) if count else NOTHING
            for row, count in zip(walk.rows, counts, strict=True)
        ]

    def _proposal(self, vocabulary: Vocabulary, row: Row, count: int) -> Proposal:
        """Proposal for one row: a sequence if there is one continuation."""
        paths = self.continuations(vocabulary, row.prefix[-_WITHIN:], count)
        if len(paths) < 2:
            return Proposal(tokens=paths[0], draft=self.name) if paths else NOTHING
        tree = TokenTree.of(paths)
        return Proposal(tokens=tree.tokens, tree=tree, draft=self.name)

    def continuations(self, vocabulary: Vocabulary, tokens: Sequence[int], count: int) -> list[list[int]]:
        """Continuations of at most `count` tokens, the first ones first.

        >>> from guidance_kit.vocabulary import Vocabulary
        >>> texts = (b" Mar", b"Mar", b"ia", b'"', b"a")
        >>> vocabulary = Vocabulary(token_bytes=texts, special=frozenset(), eos=(), rows=5)
        >>> BoundTextLookup(TextLookup()).continuations(vocabulary, [0, 2, 3, 1], 2)
        [[2, 3]]
        """
        settings = self.settings
        pieces = [vocabulary.text_of([token]) for token in tokens]
        text = b"".join(pieces)
        ends = list(itertools.accumulate(map(len, pieces)))
        found: list[list[int]] = []
        for place in text_places(text, settings.longest, settings.shortest, 4 * settings.branches):
            at = bisect_left(ends, place)  # the token in which the occurrence ends
            rest = pieces[at][len(pieces[at]) - (ends[at] - place) :] if ends[at] > place else b""
            path = [] if not rest else [self._number(vocabulary, rest)]
            path = [*path, *tokens[at + 1 : at + 1 + count - len(path)]]
            if None not in path and path and path not in found:
                found.append([token for token in path if token is not None])
            if len(found) == settings.branches:
                break
        return found

    def _number(self, vocabulary: Vocabulary, text: bytes) -> int | None:
        """Token with these bytes; None if there is none."""
        if not self._numbers:
            self._numbers.update(
                {one: token for token, one in reversed(list(enumerate(vocabulary.token_bytes))) if one}
            )
        return self._numbers.get(text)


def text_places(text: bytes, longest: int, shortest: int, most: int) -> list[int]:
    """Ends of earlier occurrences of the last bytes of a text, those of more bytes first, then the latest.

    Where the sought bytes stand behind no letter or digit, occurrences that do so too come first.

    Args:
        longest, shortest: numbers of bytes: `longest` are sought, then half as many, and so on.
        most: maximum number of occurrences of each.

    >>> text_places(b"to be, not to b", 4, 1, 8)
    [4]
    >>> text_places(b"cab, a bus and b", 1, 1, 8)
    [8, 3]
    """
    found: list[int] = []
    size = longest
    while True:
        size = max(size, shortest)
        if size < len(text):
            sought = text[-size:]
            begins_word = not text[-size - 1 : -size].isalnum()
            places: list[int] = []
            end = len(text) - 1
            while len(places) < most and (at := text.rfind(sought, 0, end)) >= 0:
                places.append(at + size)
                end = at + size - 1
            places.sort(key=lambda place: begins_word and text[place - size - 1 : place - size].isalnum())
            found += [place for place in places if place not in found]
        if size == shortest or len(found) >= most:
            return found
        size //= 2
