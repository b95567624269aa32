"""Terms of a formula: a weight times an atom.

Atoms are models, and formulas that are truncated, normalised or compared token by token.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from numbers import Real
from typing import TYPE_CHECKING

import torch

from guidance_kit.decoding.distribution import has_full_support
from guidance_kit.decoding.sampling import GREATEST, Sampling, require_number, shape
from guidance_kit.errors import OptionError
from guidance_kit.steering.context import Context
from guidance_kit.steering.formula_evaluation import FormulaEvaluation, Source, normalised

if TYPE_CHECKING:
    from torch import Tensor

    from guidance_kit.steering.formula import Formula
    from guidance_kit.steering.schedules import KLBudget

__all__ = [
    "Atom", "Extremum", "ModelTerm", "Multiplier", "Normalised", "Schedule", "SpecialsOf", "Term", "Truncated",
    "Weight",
]  # fmt: skip


class Multiplier(ABC):
    """Factor of a formula besides a number; it can be multiplied by numbers and by other factors."""

    __slots__ = ()

    @property
    @abstractmethod
    def weight(self) -> Weight:
        """The factor as a weight."""

    def __mul__(self, other: float | Multiplier) -> Weight:
        if not isinstance(other, Real | Multiplier):
            return NotImplemented
        return self.weight.times(Weight.of(other))

    __rmul__ = __mul__

    def __neg__(self) -> Weight:
        return self * -1.0


class Schedule(Multiplier):
    """Weight as a function of the prefix."""

    __slots__ = ()

    @property
    def weight(self) -> Weight:
        """The schedule alone."""
        return Weight(1.0, (self,))

    @property
    def depends_on_prompt_end(self) -> bool:
        """Dependence on the end of the prompt."""
        return False

    @abstractmethod
    def values(self, evaluation: FormulaEvaluation) -> Tensor:
        """Weight at each position: float64, (batch, positions), on the device of the base."""


@dataclass(frozen=True, slots=True)
class Weight(Multiplier):
    """Coefficient times any number of schedules, or times the weight found by a KL budget.

    Raises:
        OptionError: the coefficient is no number, or exceeds `GREATEST`; a budget beside schedules.
    """

    coefficient: float
    schedules: tuple[Schedule, ...] = ()
    budget: KLBudget | None = None

    def __post_init__(self) -> None:
        require_number(
            "a weight", self.coefficient, f"a finite number, at most {GREATEST:g}", lambda w: abs(w) <= GREATEST
        )
        object.__setattr__(self, "coefficient", float(self.coefficient))
        if self.budget is not None and self.schedules:
            raise OptionError("kl_budget finds the weight itself; it cannot be multiplied by a schedule")

    @classmethod
    def of(cls, value: float | Multiplier) -> Weight:
        """Weight from a number or a multiplier."""
        return value.weight if isinstance(value, Multiplier) else cls(value)

    @property
    def weight(self) -> Weight:
        """Itself."""
        return self

    def times(self, other: Weight) -> Weight:
        """Product of two weights.

        Raises:
            OptionError: two budgets, or a budget and a schedule.
        """
        if self.budget is not None and other.budget is not None:
            raise OptionError("a term has one kl_budget; it is multiplied by another one")
        return Weight(
            self.coefficient * other.coefficient, (*self.schedules, *other.schedules), self.budget or other.budget
        )

    def values(self, evaluation: FormulaEvaluation) -> Tensor:
        """Weight at each position, without the factor of a budget: float64, (batch, positions)."""
        found = evaluation.full(self.coefficient)
        for schedule in self.schedules:
            found = found * schedule.values(evaluation)
        return found

    def __str__(self) -> str:
        budget = [] if self.budget is None else [str(self.budget)]
        return " * ".join([f"{self.coefficient:g}", *map(str, self.schedules), *budget])


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


@dataclass(frozen=True, slots=True)
class Term:
    """Weight times an atom."""

    weight: Weight
    atom: Atom

    def __neg__(self) -> Term:
        return Term(-self.weight, self.atom)

    def __str__(self) -> str:
        return str(self.atom) if self.weight == Weight(1.0) else f"{self.weight} * {self.atom}"
