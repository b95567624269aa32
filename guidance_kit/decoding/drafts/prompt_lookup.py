"""Draft by prompt lookup: the tokens that followed the last ones earlier in the prompt or the text."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guidance_kit.decoding.drafts.draft import Proposal
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.row import Row
    from guidance_kit.decoding.walk import Walk

__all__ = ["PromptLookup", "continuation", "occurrences"]

_WITHIN = 65536
"""Number of last tokens of a prefix that are searched."""


@dataclass(frozen=True, slots=True)
class PromptLookup:
    """Propose what followed the last tokens where they occurred last before, in the prompt or in the text.

    Where a text repeats its prompt, as a record with excerpts repeats its document, the prompt is the best draft. The
    longest n-gram that occurred before counts. A proposal is a function of the prefix, so texts are those without it.

    Args:
        longest, shortest: lengths of the n-grams, `longest` at least `shortest`, that at least 1.
    Raises:
        OptionError: a value out of range.
    Source: Saxena 2023, Prompt Lookup Decoding.
    """

    longest: int = 4
    shortest: int = 2

    def __post_init__(self) -> None:
        require_integer("shortest", self.shortest, least=1)
        require_integer("longest", self.longest, least=1)
        if self.longest < self.shortest:
            raise OptionError(f"longest is {self.longest}, less than shortest, {self.shortest}")

    @property
    def name(self) -> str:
        """See `Draft`."""
        return "lookup"

    def check(self, rows: Sequence[Row]) -> None:
        """See `Draft.check`: every row can be looked up."""

    def propose(self, walk: Walk, counts: Sequence[int]) -> list[Proposal]:
        """See `Draft.propose`."""
        return [
            Proposal(
                tokens=continuation(row.prefix[-_WITHIN:], count, self.longest, self.shortest) if count else (),
                draft=self.name,
            )
            for row, count in zip(walk.rows, counts, strict=True)
        ]


def continuation(tokens: Sequence[int], count: int, longest: int, shortest: int = 1) -> list[int]:
    """Tokens after the last earlier occurrence of the longest n-gram at the end of a sequence.

    At the end of the sequence they go on from their beginning, as the sequence would if it repeated itself.

    Args:
        tokens: token ids below 2^32.
        count: maximum number of tokens.
        longest, shortest: lengths of the n-grams.

    >>> continuation([1, 2, 3, 4, 9, 1, 2], 3, 4)
    [3, 4, 9]
    >>> continuation([1, 2, 1, 2, 1, 2], 3, 2)
    [1, 2, 1]
    >>> continuation([1, 2, 3], 3, 4)
    []
    """
    for place in occurrences(tokens, longest, shortest):
        known = list(tokens[place:])
        while len(known) < count:
            known += known
        return known[:count]
    return []


def occurrences(tokens: Sequence[int], longest: int, shortest: int = 1) -> Iterator[int]:
    """Places behind earlier occurrences of the n-gram at the end of a sequence: of the longest first, then the latest.

    Args:
        tokens: token ids below 2^32.
        longest, shortest: lengths of the n-grams.

    >>> list(occurrences([1, 2, 9, 2, 1, 2], 2))
    [2, 4, 2]
    """
    whole = array("I", tokens).tobytes()
    for length in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        pattern = whole[-4 * length :]
        end = len(whole) - 1  # one byte less, so that the end itself is no occurrence
        while (found := whole.rfind(pattern, 0, end)) >= 0:
            if found % 4 == 0:
                yield found // 4 + length
            end = found + len(pattern) - 1
