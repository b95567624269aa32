"""Sets of tokens, by their numbers in a vocabulary or by how they are written."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from guidance_kit.errors import VocabularyError

if TYPE_CHECKING:
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["TokenSet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSet:
    """Some tokens of a vocabulary, whatever their texts.

    Args:
        ranges: first and last number of each range.
        names: how other tokens of it are written: special tokens, or tokens whose text is just that.
        is_negated: whether it is all tokens but these, and but those that end a sequence.
    """

    ranges: tuple[tuple[int, int], ...] = ()
    names: tuple[str, ...] = ()
    is_negated: bool = False

    def __str__(self) -> str:
        if len(self.names) == 1 and not self.ranges and not self.is_negated:
            return self.names[0]
        ranges = (str(first) if first == last else f"{first}-{last}" for first, last in self.ranges)
        listed = ",".join([*ranges, *map(repr, self.names)])
        return f"<[{'^' * self.is_negated}{listed}]>" if listed or not self.is_negated else "<[*]>"

    def of(self, vocabulary: Vocabulary) -> np.ndarray:
        """The tokens of a vocabulary that are in the set: bool, (rows,).

        Numbers within a range that no token has are not in it.

        Raises:
            VocabularyError: a number lies beyond the vocabulary; there is no token of a name; there are none at all.
        """
        size = len(vocabulary)
        listed = np.zeros(vocabulary.rows, dtype=bool)
        for first, last in self.ranges:
            if last >= size:
                shown = f"token {last}" if first == last else f"tokens {first}-{last}"
                raise VocabularyError(f"{self} names {shown}, but the vocabulary has {size} tokens, 0-{size - 1}")
            listed[first : last + 1] = True
        for name in self.names:
            listed[_called(name, vocabulary)] = True
        is_token = np.zeros(vocabulary.rows, dtype=bool)
        is_token[:size] = [bool(text) for text in vocabulary.token_bytes]
        is_token[sorted(vocabulary.special)] = True
        is_token[size:] = False
        if self.is_negated:
            listed = ~listed
            listed[list(vocabulary.eos)] = False
        found = listed & is_token
        if not found.any():
            raise VocabularyError(f"no token of the vocabulary is in {self}")
        return found


def _called(name: str, vocabulary: Vocabulary) -> list[int]:
    """The special tokens of a name; if there are none, the tokens of that text."""
    tokens = [token for token, called in vocabulary.special_names.items() if called == name]
    if not tokens:
        tokens = [token for token, text in enumerate(vocabulary.token_bytes) if text == name.encode()]
    if not tokens:
        near = difflib.get_close_matches(name, vocabulary.special_names.values(), n=1, cutoff=0.5)
        raise VocabularyError(
            f"the vocabulary has no token {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
        )
    return tokens
