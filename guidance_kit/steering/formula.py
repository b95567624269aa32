"""Formulas: sums of weighted log-probabilities of models, written with operators."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any, Self, cast

import torch
from torch import Tensor

from guidance_kit.decoding.sampling import Sampling
from guidance_kit.errors import OptionError
from guidance_kit.steering.context import Before, Context, OnePerPrompt, Rewrite, Rewritten
from guidance_kit.steering.formula_evaluation import FormulaEvaluation, Part, Source, combine, normalised
from guidance_kit.steering.terms import (
    Atom,
    Extremum,
    ModelTerm,
    Multiplier,
    Normalised,
    SpecialsOf,
    Term,
    Truncated,
    Weight,
)

if TYPE_CHECKING:
    from guidance_kit.steering.schedules import KLBudget

__all__ = ["Formula", "Operand", "maximum", "minimum"]


class Operand(ABC):
    """Operand of the model arithmetic: a model or a formula, with `+`, `-`, `*` and `/`.

    A model denotes its log-probabilities of the next token. Sums, differences and multiples are taken token by token;
    the softmax of the result is the distribution, so `a + w * (b - c)` is the product of powers p_a (p_b / p_c)^w,
    normalised once at the end. Nothing is divided by a sum of coefficients: `a + b` is not an average, `(a + b) / 2`
    is (the geometric one).

    Source: Dekoninck et al. 2024, Controlled Text Generation via Language Model Arithmetic.
    """

    @property
    @abstractmethod
    def formula(self) -> Formula:
        """The operand as a formula."""

    @abstractmethod
    def _with(self, formula: Formula) -> Self:
        """Operand of the same class with another formula."""

    def __add__(self, other: Operand) -> Self:
        if not isinstance(other, Operand):
            return NotImplemented
        return self._with(Formula((*self.formula.terms, *other.formula.terms)))

    def __radd__(self, other: int) -> Self:
        if other != 0:  # where sum() begins
            return NotImplemented
        return self

    def __sub__(self, other: Operand) -> Self:
        if not isinstance(other, Operand):
            return NotImplemented
        return self._with(Formula((*self.formula.terms, *(-other.formula).terms)))

    def __mul__(self, weight: float | Multiplier) -> Self:
        if not isinstance(weight, Real | Multiplier):
            return NotImplemented
        by = Weight.of(weight)
        return self._with(Formula(tuple(Term(term.weight.times(by), term.atom) for term in self.formula.terms)))

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Self:
        if not isinstance(divisor, Real):
            return NotImplemented
        if divisor == 0:
            raise OptionError("a formula is divided by 0")
        return self * (1 / divisor)

    def __neg__(self) -> Self:
        return self * -1.0

    def given(self, context: str | Rewrite | Sequence[str | Rewrite]) -> Self:
        """Condition the model on another prompt, which the generated tokens follow.

        Args:
            context: a text before the caller's prompt; or a function from the caller's prompt, as given, to a text,
                token ids or the messages of a conversation, which replaces it (see `as_chat`); or a list of either,
                one for each of the caller's prompts.
        Raises:
            OptionError: this is not a single model, or it has a prompt of its own already.
        """
        return self._reading(_context(context))

    def keep(self, *, top_k: int | None = None, top_p: float | None = None, min_p: float | None = None) -> Self:
        """Truncate before steering: tokens that are unlikely here stay forbidden whatever is added.

        Under a constraint only allowed tokens count, as in the sampler, so that a token always remains.

        Args:
            top_k, top_p, min_p: as in `Sampling`.
        Raises:
            OptionError: a value is out of range.
        """
        return self._with(_single(Truncated(self.formula, Sampling(top_k=top_k, top_p=top_p, min_p=min_p))))

    def normalised(self) -> Self:
        """Normalise: add the constant by which the probabilities sum to 1.

        It makes a difference only under `maximum` and `minimum`: models are normalised, sums are not.
        """
        return self._with(_single(Normalised(self.formula)))

    def with_special_tokens_of(self, judge: Operand) -> Self:
        """Let one model alone decide on end-of-sequence and other special tokens.

        With S the special tokens: p(s) = p_judge(s) for s in S, and all other tokens share 1 - p_judge(S) in the
        proportions of this formula. A model that was never tuned to end a turn gives such tokens next to no
        probability, and a ratio to it means nothing.

        Raises:
            OptionError: the judge is no model and no formula.
        """
        return self._with(_single(SpecialsOf(self.formula, _formula_of(judge))))

    def _reading(self, context: Context) -> Self:
        term = self.formula.model_term
        if term is None:
            raise OptionError(f"only a single model can read another prompt, not {self.formula}")
        if term.context is not None:
            raise OptionError(f"{term} has a prompt of its own already")
        return self._with(_single(ModelTerm(term.source, context)))


MOST_NESTED = 50
"""Maximum nesting depth of a formula."""


@dataclass(frozen=True, slots=True)
class Formula(Operand):
    """Sum of terms. Terms of weight 0 are ignored, and their models are never run.

    The first model in it is its *base*: entropy gates measure it, attribution begins with it, and its tokenizer encodes
    the prompts.

    Attributes:
        depth: nesting depth, by `keep`, `normalised`, `maximum` and the like; 1 for a sum of models.
    Raises:
        OptionError: more than one `kl_budget`; nested deeper than `MOST_NESTED`.
    """

    terms: tuple[Term, ...]
    depth: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        depth = 1 + max((inner.depth for term in self.terms for inner in term.atom.formulas), default=0)
        if depth > MOST_NESTED:
            raise OptionError(
                f"formulas are nested more than {MOST_NESTED} deep; add their terms in one sum, of any length, instead"
            )
        object.__setattr__(self, "depth", depth)
        if len({id(term.weight.budget) for term in self.terms if term.weight.budget is not None}) > 1:
            raise OptionError("a formula has one kl_budget; multiply a sum of terms by it, or nest with normalised()")

    @classmethod
    def of(cls, source: Source) -> Formula:
        """Formula of a single model."""
        return _single(ModelTerm(source))

    @property
    def formula(self) -> Formula:
        """Itself."""
        return self

    def _with(self, formula: Formula) -> Self:
        return type(self)(formula.terms)

    @property
    def active(self) -> tuple[Term, ...]:
        """Terms whose weight is not 0."""
        return tuple(term for term in self.terms if term.weight.coefficient)

    @property
    def atoms(self) -> Iterator[Atom]:
        """All atoms of active terms, nested ones included, in the order of writing.

        Raises:
            OptionError: there is none; a `kl_budget` without other terms.
        """
        if not self.active:
            raise OptionError(f"every weight in {self} is 0; there is no distribution to sample from")
        if all(term.weight.budget is not None for term in self.active):
            raise OptionError(f"kl_budget moves away from other terms, and there are none in {self}")
        for term in self.active:
            yield term.atom
            for inner in term.atom.formulas:
                yield from inner.atoms

    @property
    def model_terms(self) -> list[ModelTerm]:
        """Distinct pairs of a model and a prompt of the term's own, in the order of writing."""
        return list(dict.fromkeys(atom for atom in self.atoms if isinstance(atom, ModelTerm)))

    @property
    def unscheduled(self) -> Iterator[ModelTerm]:
        """Models that run after every prefix, because no schedule can set their weight to 0."""
        for term in self.active:
            if term.weight.schedules:
                continue
            if isinstance(term.atom, ModelTerm):
                yield term.atom
            for inner in term.atom.formulas:
                yield from inner.unscheduled

    @property
    def base(self) -> ModelTerm:
        """First model of the formula whose weight is not 0."""
        first = (self.active or self.terms)[0].atom
        return first if isinstance(first, ModelTerm) else first.formulas[0].base

    @property
    def model_term(self) -> ModelTerm | None:
        """The single model of the formula, with its prompt; None if there is more to it."""
        only = self.active[0] if len(self.active) == 1 else None
        return only.atom if only and only.weight == Weight(1.0) and isinstance(only.atom, ModelTerm) else None

    @property
    def source(self) -> Source | None:
        """The single model of the formula; None if there is more to it, or the term has a prompt of its own."""
        return self.model_term.source if self.model_term is not None and self.model_term.context is None else None

    @property
    def is_linear(self) -> bool:
        """Test for a sum of models with numbers for weights: constants added to their logits change nothing."""
        return all(
            isinstance(term.atom, ModelTerm) and not term.weight.schedules and term.weight.budget is None
            for term in self.active
        )

    @property
    def depends_on_prompt_end(self) -> bool:
        """Dependence of the distribution on the end of the prompt."""
        return any(
            any(schedule.depends_on_prompt_end for schedule in term.weight.schedules)
            or term.atom.depends_on_prompt_end
            or any(inner.depends_on_prompt_end for inner in term.atom.formulas)
            for term in self.active
        )

    @property
    def has_full_support(self) -> bool:
        """Full support: a token that is the only one allowed is never forbidden, and some weight is constant."""
        is_weighted = any(not term.weight.schedules and term.weight.budget is None for term in self.active)
        return is_weighted and all(
            term.atom.has_full_support and all(inner.has_full_support for inner in term.atom.formulas)
            for term in self.active
        )

    def parts(self, evaluation: FormulaEvaluation) -> list[Part]:
        """Evaluated terms. A term whose weight is 0 at every position has no value, and its model is not run."""
        budget: KLBudget | None = None
        found: list[Part] = []
        for term in self.active:
            factor: float | Tensor = term.weight.coefficient
            if term.weight.budget is not None:
                budget = term.weight.budget
            elif term.weight.schedules:
                factor = term.weight.values(evaluation)
                value = term.atom.logprobs_where(evaluation, factor != 0) if bool(factor.any()) else None
                found.append(Part(str(term), factor, value))
                continue
            found.append(Part(str(term), factor, term.atom.logprobs(evaluation)))
        return found if budget is None else self._within(budget, found, evaluation)

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """Sum of the terms: float, (batch, positions, width), nats, unnormalised."""
        return combine(self.parts(evaluation), evaluation)

    def logits(self, evaluation: FormulaEvaluation) -> Tensor:
        """Sum of the terms up to a constant at each position: for a linear formula without a softmax for each model."""
        if not self.is_linear:
            return self.logprobs(evaluation)
        values = [evaluation.logits(cast(ModelTerm, term.atom)) for term in self.active]
        weights = [term.weight.coefficient for term in self.active]
        subtracted = (value for value, weight in zip(values, weights, strict=True) if weight < 0)
        if any(bool((value.amax(-1) == torch.inf).any()) for value in subtracted):
            return self.logprobs(evaluation)  # NaN there; here a subtracted +inf would forbid the token
        names = map(str, self.active)
        return combine([Part(*part) for part in zip(names, weights, values, strict=True)], evaluation)

    def _within(self, budget: KLBudget, parts: list[Part], evaluation: FormulaEvaluation) -> list[Part]:
        """Evaluated terms, those under the budget weighted by what it allows."""
        steered = [term.weight.budget is not None for term in self.active]
        others = [part for part, is_steered in zip(parts, steered, strict=True) if not is_steered]
        rest = combine(others, evaluation)
        direction = combine([part for part, is_steered in zip(parts, steered, strict=True) if is_steered], evaluation)
        weight = budget.solve(normalised(rest, evaluation, str(self)), direction)
        return [
            Part(part.name, weight * part.factor, part.value) if is_steered else part
            for part, is_steered in zip(parts, steered, strict=True)
        ]

    def __str__(self) -> str:
        first, *others = self.terms
        signed = (f" - {-term}" if term.weight.coefficient < 0 else f" + {term}" for term in others)
        return f"{first}{''.join(signed)}"


def maximum(first: Operand, *others: Operand) -> Any:
    """Union of Dekoninck et al. 2024: the maximum of the operands' log-probabilities, token by token.

    Returns:
        An operand of the class of `first`.
    Raises:
        OptionError: an operand is neither a model nor a formula.
    """
    return _extremum(first, others, is_greatest=True)


def minimum(first: Operand, *others: Operand) -> Any:
    """Intersection of Dekoninck et al. 2024: the minimum of the operands' log-probabilities, token by token.

    Returns:
        An operand of the class of `first`.
    Raises:
        OptionError: an operand is neither a model nor a formula.
    """
    return _extremum(first, others, is_greatest=False)


def _extremum(first: Operand, others: Sequence[Operand], *, is_greatest: bool) -> Any:
    """See `maximum` and `minimum`."""
    bodies = tuple(map(_formula_of, (first, *others)))
    return first._with(_single(Extremum(bodies, is_greatest=is_greatest)))


def _formula_of(operand: Operand) -> Formula:
    """Formula of an operand; an OptionError for anything else."""
    if not isinstance(operand, Operand):
        raise OptionError(f"formulas are made of models and formulas, not of {operand!r}")
    return operand.formula


def _single(atom: Atom) -> Formula:
    """Formula of one atom with the weight 1."""
    return Formula((Term(Weight(1.0), atom),))


def _context(context: str | Rewrite | Sequence[str | Rewrite]) -> Context:
    """Context from the argument of `given`."""
    if isinstance(context, str):
        return Before(context)
    if callable(context):
        return Rewritten(context)
    if isinstance(context, list | tuple) and context:
        return OnePerPrompt(tuple(map(_context, context)))
    raise OptionError(f"a model is given a text, a function of the prompt, or a list of these, not {context!r}")
