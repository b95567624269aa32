"""The seam of all decoding: a distribution that is a pure function of the prefix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["Allowed", "Decomposable", "Distribution", "PartialSum", "has_full_support"]

Allowed = Callable[["torch.device"], "Tensor"]
"""Finds the tokens that a constraint leaves: bool, (batch, positions, rows), on a device. Called only if needed."""


class Distribution(Protocol):
    """What comes next after a prefix, asked for in blocks of positions.

    A model, or several of them composed. Samplers, beam search and speculation see nothing else, so that each works
    with any of them. The contract: the answer depends on the prefixes, their starts and the allowed tokens alone, not
    on earlier questions, nor on the other rows of the batch (up to float rounding). An implementation may keep what it
    computed, keyed by prefix; a decoder may go back, branch, drop and add rows at any time.

    One that never gives a token that stands for text probability 0, and never raises a FormulaError, may say so by an
    attribute `has_full_support = True`; see `has_full_support`.
    """

    @property
    def rows(self) -> int:
        """Width of the logits, at least the number of tokens in the vocabulary."""
        ...

    def room(self, prompt: Sequence[int]) -> int | None:
        """How many tokens may follow a prompt, None if any number may; 0 or less if it is too long itself."""
        ...

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
    ) -> Tensor:
        """Unnormalised log-probabilities of the token after each of the last `positions` prefixes.

        Args:
            prefixes: token ids, of any lengths, none of them empty. They are the caller's: they may change after the
                call, so what is to be kept must be copied.
            positions: how many of the last places to answer for, at least 1 and at most the length of the shortest
                prefix.
            starts: for each prefix the length of the prompt that it begins with; what follows was generated. A model
                does not ask where its text comes from. A formula may, whose terms have prompts of their own, or weights
                that change along the text. Left out where nobody knows.
            allowed: the tokens that will be left over. A formula that truncates does so among these, since it could
                remove all of them otherwise; it need not remove the others. None for all
                that stand for a token: padding is never among what a truncation keeps.
        Returns:
            Float, (batch, positions, rows), nats. [b, -1] is the next token after the whole of prefixes[b], [b, -2]
            the one after it without its last token, and so on. The caller does not change it.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialSum:
    """What a composed distribution has come to after one of its terms.

    Attributes:
        term: the name of the term.
        weight: float, (batch,): by which it was multiplied.
        own: float, (batch, rows), nats: log-probabilities that the term itself gives; None where it was not asked,
            because its weight is 0 in every row.
        logits: float, (batch, rows), nats, unnormalised: the sum of this term and of those before it.
    """

    term: str
    weight: Tensor
    own: Tensor | None
    logits: Tensor


def has_full_support(given: Any) -> bool:
    """Test for a declaration that no probability is 0: of a distribution, a term of a formula, or a classifier.

    Without one, 0 is possible, so a token is looked up even where a constraint allows no other.
    """
    return bool(getattr(given, "has_full_support", False))


@runtime_checkable
class Decomposable(Protocol):
    """A distribution that can show how its logits come about."""

    def partial_sums(
        self, prefixes: Sequence[Sequence[int]], *, starts: Sequence[int] = (), allowed: Allowed | None = None
    ) -> tuple[Tensor, list[PartialSum]]:
        """What `logits` gives for the next token, (batch, rows), and its layers, as they are with all tokens allowed.

        The first layer is the base alone, the last the whole.
        """
        ...
