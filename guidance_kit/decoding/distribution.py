"""Next-token distributions as pure functions of the prefix: the protocol between models and decoders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["Allowed", "Decomposable", "Distribution", "PartialSum", "has_full_support"]

Allowed = Callable[["torch.device"], "Tensor"]
"""Function from a device to the tokens that the constraint allows: bool, (batch, positions, rows). Called if needed."""


class Distribution(Protocol):
    """Next-token distribution of a model or of a composition of models, computed in blocks of positions.

    Decoders use nothing else of a model, so each of them works with any distribution. The contract: the logits depend
    on the prefixes, their starts and the allowed tokens alone, not on earlier calls, nor on other rows of the batch (up
    to float rounding). An implementation may cache by prefix; a decoder may roll back, branch, drop and add rows at any
    time.

    A distribution that gives every token with text a probability above 0, and never raises a FormulaError, may declare
    it by an attribute `has_full_support = True`; see `has_full_support`.
    """

    @property
    def rows(self) -> int:
        """Width of the logits, at least the number of tokens in the vocabulary."""
        ...

    def room(self, prompt: Sequence[int]) -> int | None:
        """Number of tokens that fit after a prompt, None without a limit; 0 or less if the prompt fills the context."""
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
            prefixes: token ids, of any lengths, none of them empty. The caller may change them after the call, so a
                cache must copy them.
            positions: number of last positions, at least 1 and at most the length of the shortest prefix.
            starts: for each prefix the length of its prompt; the tokens after it are generated. Models ignore it.
                Formulas need it if their terms have prompts of their own, or weights that change along the text. Empty
                if unknown.
            allowed: tokens that the mask allows. A truncating formula truncates among these, as it could remove all of
                them otherwise; it need not remove the others. None allows all tokens: padding never counts in a
                truncation.
        Returns:
            Float, (batch, positions, rows), nats. [b, -1] is the next token after the whole of prefixes[b], [b, -2]
            the one after it without its last token, and so on. The caller does not change it.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialSum:
    """Partial sum of a formula: its logits up to and including one term.

    Attributes:
        term: name of the term.
        weight: float, (batch, positions): factor of the term.
        own: float, (batch, positions, rows), nats: log-probabilities of the term itself; None if its weight is 0
            everywhere, so that its model did not run.
        logits: float, (batch, positions, rows), nats, unnormalised: sum of this term and those before it.
    """

    term: str
    weight: Tensor
    own: Tensor | None
    logits: Tensor

    def at(self, index: Any) -> PartialSum:
        """Partial sum at some places of the batch and positions, by an index of tensors."""
        own = None if self.own is None else self.own[index]
        return PartialSum(term=self.term, weight=self.weight[index], own=own, logits=self.logits[index])


def has_full_support(given: Any) -> bool:
    """Test for a declaration that no probability is 0: of a distribution, a term of a formula, or a classifier.

    Without the declaration a token may have probability 0, so the model runs even where only one token is allowed.
    """
    return bool(getattr(given, "has_full_support", False))


@runtime_checkable
class Decomposable(Protocol):
    """Distribution that decomposes its logits into partial sums."""

    def partial_sums(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
        known: Mapping[Any, Tensor] | None = None,
    ) -> tuple[Tensor, list[PartialSum]]:
        """Logits as `logits` has them, and their partial sums as they are with all tokens allowed.

        The first partial sum is the base alone, the last the whole.

        Args:
            known: logits of terms that need not be computed, (batch, positions, rows), nats, by term.
        """
        ...
