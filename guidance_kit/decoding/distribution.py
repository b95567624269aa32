"""The seam of all decoding: a distribution that is a pure function of the prefix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Distribution"]


class Distribution(Protocol):
    """What comes next after a prefix, asked for in blocks of positions.

    A model, or several of them composed. Samplers, beam search and speculation see nothing else, so that each works
    with any of them. The contract: the answer depends on the prefixes alone, not on earlier questions, nor on the
    other rows of the batch (up to float rounding). An implementation may keep what it computed, keyed by prefix; a
    decoder may go back, branch, drop and add rows at any time.
    """

    @property
    def rows(self) -> int:
        """Width of the logits, at least the number of tokens in the vocabulary."""
        ...

    @property
    def context_length(self) -> int | None:
        """The greatest number of tokens in a prefix, None if any number will do."""
        ...

    def logits(self, prefixes: Sequence[Sequence[int]], positions: int = 1) -> Tensor:
        """Unnormalised log-probabilities of the token after each of the last `positions` prefixes.

        Args:
            prefixes: token ids, of any lengths, none of them empty. They are the caller's: they may change after the
                call, so what is to be kept must be copied.
            positions: how many of the last places to answer for, at least 1 and at most the length of the shortest
                prefix.
        Returns:
            Float, (batch, positions, rows), nats. [b, -1] is the next token after the whole of prefixes[b], [b, -2]
            the one after it without its last token, and so on. The caller does not change it.
        """
        ...
