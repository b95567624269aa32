"""What stands for log-probabilities in a formula: a model, or a formula that was truncated, normalised, compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Protocol

import torch

from guidance_kit.decoding.distribution import Distribution, has_full_support
from guidance_kit.decoding.sampling import Sampling, shape
from guidance_kit.steering.combination import normalised
from guidance_kit.steering.context import Context
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from torch import Tensor

    from guidance_kit.steering.formula import Formula
    from guidance_kit.steering.formula_evaluation import FormulaEvaluation

__all__ = ["Atom", "Extremum", "ModelTerm", "Normalised", "Source", "SpecialsOf", "Truncated"]


class Source(Distribution, Protocol):
    """A model in a formula: a distribution that says what its tokens are. Two are the same if they are one object."""

    @property
    def name(self) -> str:
        """What to call it in messages."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """Its tokens."""
        ...


class Atom(ABC):
    """A value for each token, in nats."""

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas that it is made of."""
        return ()

    @property
    def depends_on_prompt_end(self) -> bool:
        """Whether it depends on where the prompt ends, apart from its formulas."""
        return False

    @property
    def has_full_support(self) -> bool:
        """Whether it forbids no token, and raises no error, of its own accord, where its formulas do not."""
        return True

    @property
    def prefix_scored(self) -> Sequence[ModelTerm]:
        """The models of which it needs to know what they gave to all that was generated so far."""
        return ()

    def room(self, prompt: Sequence[int]) -> int | None:
        """How many tokens may follow a prompt, None if any number may, apart from what its formulas say."""
        return None

    @abstractmethod
    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """Its values: float32 or float64, (batch, positions, width); -inf forbids a token."""

    def logprobs_where(self, evaluation: FormulaEvaluation, needed: Tensor) -> Tensor:
        """The same, where only some positions matter: bool, (batch, positions). Elsewhere any value will do."""
        return self.logprobs(evaluation)


@dataclass(frozen=True, slots=True)
class ModelTerm(Atom):
    """What a model says: its log-probabilities after the prompt that it reads."""

    source: Source
    context: Context | None = None

    @property
    def depends_on_prompt_end(self) -> bool:
        """With a prompt of its own it does."""
        return self.context is not None

    @property
    def has_full_support(self) -> bool:
        """Whether the model has; see `decoding.distribution.has_full_support`."""
        return has_full_support(self.source)

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`; they are normalised."""
        return evaluation.logprobs(self)

    def __str__(self) -> str:
        return self.source.name if self.context is None else f"{self.source.name} given {self.context}"


@dataclass(frozen=True, slots=True)
class Truncated(Atom):
    """A formula whose unlikely tokens are forbidden: of those that a constraint leaves, if there is one.

    Padding is forbidden before that, as everywhere, so that it takes no token's place.
    """

    body: Formula
    sampling: Sampling

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The one that is truncated."""
        return (self.body,)

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`. What is kept is not normalised anew."""
        values = self.body.logprobs(evaluation)
        allowed = evaluation.allowed()
        return shape(values if allowed is None else values.masked_fill(~allowed, -torch.inf), self.sampling)

    def __str__(self) -> str:
        limits = {"top_k": self.sampling.top_k, "top_p": self.sampling.top_p, "min_p": self.sampling.min_p}
        said = ", ".join(f"{name}={value}" for name, value in limits.items() if value is not None)
        return f"({self.body}).keep({said})"


@dataclass(frozen=True, slots=True)
class Normalised(Atom):
    """A formula whose probabilities sum to 1."""

    body: Formula

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The one that is normalised."""
        return (self.body,)

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`."""
        return normalised(self.body.logprobs(evaluation), evaluation, str(self.body))

    def __str__(self) -> str:
        return f"({self.body}).normalised()"


@dataclass(frozen=True, slots=True)
class Extremum(Atom):
    """The greatest, or the least, that several formulas say of each token.

    Source: Dekoninck et al. 2024, Controlled Text Generation via Language Model Arithmetic (union and intersection).
    """

    bodies: tuple[Formula, ...]
    is_greatest: bool

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """Those that are compared."""
        return self.bodies

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`. The result is not normalised."""
        choose = torch.maximum if self.is_greatest else torch.minimum
        return reduce(choose, (body.logprobs(evaluation) for body in self.bodies))

    def __str__(self) -> str:
        return f"{'maximum' if self.is_greatest else 'minimum'}({', '.join(map(str, self.bodies))})"


@dataclass(frozen=True, slots=True)
class SpecialsOf(Atom):
    """A formula in which another one decides on special tokens alone, see `Operand.with_special_tokens_of`."""

    body: Formula
    judge: Formula

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The body, then the judge."""
        return (self.body, self.judge)

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`; they are normalised."""
        body = self.body.logprobs(evaluation)
        special = evaluation.special()
        if not len(special):
            return normalised(body, evaluation, str(self.body))
        judge = normalised(self.judge.logprobs(evaluation), evaluation, str(self.judge))
        ends = judge.index_select(-1, special)
        left = judge.index_fill(-1, special, -torch.inf).logsumexp(-1, keepdim=True)  # exact where it is next to 0
        rest = normalised(body.index_fill(-1, special, -torch.inf), evaluation, str(self.body))
        return (rest + left).index_copy(-1, special, ends.to(rest.dtype))

    def __str__(self) -> str:
        return f"({self.body}).with_special_tokens_of({self.judge})"
