"""Atoms of a formula: models, and formulas that are truncated, normalised or compared token by token."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Protocol, runtime_checkable

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

__all__ = [
    "Atom",
    "Extremum",
    "ModelTerm",
    "Normalised",
    "SharedWeights",
    "Sharing",
    "Source",
    "SpecialsOf",
    "Truncated",
    "batched_logits",
    "sharing_key",
]


class Source(Distribution, Protocol):
    """Model in a formula: a distribution with a name and a vocabulary. Sources are compared by identity."""

    @property
    def name(self) -> str:
        """Name for messages."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """Tokens of the model."""
        ...


class SharedWeights(Protocol):
    """Weights of several models that differ in their adapters."""

    def logits(
        self, prefixes: Sequence[Sequence[int]], positions: int = 1, *, adapters: Sequence[str | None] = ()
    ) -> Tensor:
        """See `Distribution.logits`; each prefix runs with its adapter, None for the model without one."""
        ...


@runtime_checkable
class Sharing(Protocol):
    """Source whose weights other sources may share."""

    @property
    def weights(self) -> SharedWeights:
        """Shared weights: one object for all sources that share them."""
        ...

    @property
    def adapter(self) -> str | None:
        """Name of the adapter; None for the model without one."""
        ...


def sharing_key(source: Source) -> object:
    """Batching key of a source: sources with equal keys run in one batch."""
    return source.weights if isinstance(source, Sharing) else source


def batched_logits(
    sources: Sequence[Source], prefixes: Sequence[Sequence[int]], positions: int, starts: Sequence[int]
) -> Tensor:
    """Logits of each source after its prefix, in one batch; see `Distribution.logits`.

    Args:
        sources: one a prefix, with equal `sharing_key`.
    """
    first = sources[0]
    if any(source is not first for source in sources) and isinstance(first, Sharing):
        adapters = [source.adapter for source in sources if isinstance(source, Sharing)]
        return first.weights.logits(prefixes, positions, adapters=adapters)
    return first.logits(prefixes, positions, starts=starts)


class Atom(ABC):
    """Operand of a weighted sum: a value for each token, in nats."""

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """Formulas inside the atom."""
        return ()

    @property
    def depends_on_prompt_end(self) -> bool:
        """Dependence on the end of the prompt, apart from that of the formulas inside."""
        return False

    @property
    def has_full_support(self) -> bool:
        """Full support: no token is forbidden and no FormulaError raised, unless a formula inside does so."""
        return True

    @property
    def prefix_scored(self) -> Sequence[ModelTerm]:
        """Models whose log-probability of the tokens generated so far is needed."""
        return ()

    def room(self, prompt: Sequence[int]) -> int | None:
        """Number of tokens that may follow a prompt, None without a limit, apart from the formulas inside."""
        return None

    @abstractmethod
    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """Values of the atom: float32 or float64, (batch, positions, width), nats; -inf forbids a token."""

    def logprobs_where(self, evaluation: FormulaEvaluation, needed: Tensor) -> Tensor:
        """Values at some positions only.

        Args:
            needed: bool, (batch, positions); elsewhere the values are arbitrary.
        """
        return self.logprobs(evaluation)


@dataclass(frozen=True, slots=True)
class ModelTerm(Atom):
    """Log-probabilities of a model after the caller's prompt, or after a prompt of the term's own."""

    source: Source
    context: Context | None = None

    @property
    def depends_on_prompt_end(self) -> bool:
        """True with a prompt of its own."""
        return self.context is not None

    @property
    def has_full_support(self) -> bool:
        """Full support of the model; see `decoding.distribution.has_full_support`."""
        return has_full_support(self.source)

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`; they are normalised."""
        return evaluation.logprobs(self)

    def __str__(self) -> str:
        return self.source.name if self.context is None else f"{self.source.name} given {self.context}"


@dataclass(frozen=True, slots=True)
class Truncated(Atom):
    """Truncated formula: unlikely tokens are forbidden.

    Truncation counts only tokens that the constraint allows, and never padding.
    """

    body: Formula
    sampling: Sampling

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The truncated formula."""
        return (self.body,)

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`. The remaining tokens are not renormalised."""
        values = self.body.logprobs(evaluation)
        allowed = evaluation.allowed()
        return shape(values if allowed is None else values.masked_fill(~allowed, -torch.inf), self.sampling)

    def __str__(self) -> str:
        limits = {"top_k": self.sampling.top_k, "top_p": self.sampling.top_p, "min_p": self.sampling.min_p}
        limits_shown = ", ".join(f"{name}={value}" for name, value in limits.items() if value is not None)
        return f"({self.body}).keep({limits_shown})"


@dataclass(frozen=True, slots=True)
class Normalised(Atom):
    """Normalised formula: its probabilities sum to 1."""

    body: Formula

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The normalised formula."""
        return (self.body,)

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`."""
        return normalised(self.body.logprobs(evaluation), evaluation, str(self.body))

    def __str__(self) -> str:
        return f"({self.body}).normalised()"


@dataclass(frozen=True, slots=True)
class Extremum(Atom):
    """Token-wise maximum or minimum of the log-probabilities of several formulas.

    Source: Dekoninck et al. 2024, Controlled Text Generation via Language Model Arithmetic (union and intersection).
    """

    bodies: tuple[Formula, ...]
    is_greatest: bool

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The compared formulas."""
        return self.bodies

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`. The result is not normalised."""
        choose = torch.maximum if self.is_greatest else torch.minimum
        return reduce(choose, (body.logprobs(evaluation) for body in self.bodies))

    def __str__(self) -> str:
        return f"{'maximum' if self.is_greatest else 'minimum'}({', '.join(map(str, self.bodies))})"


@dataclass(frozen=True, slots=True)
class SpecialsOf(Atom):
    """Formula whose special tokens get their probability from another one, see `Operand.with_special_tokens_of`."""

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
