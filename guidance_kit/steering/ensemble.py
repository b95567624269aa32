"""Formula as a distribution for the generation loop, with a key-value cache for each of its models."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Allowed, PartialSum
from guidance_kit.errors import ContextLengthError, FormulaError, ModelError
from guidance_kit.prompt import Prompt
from guidance_kit.steering.combination import Part, combine, is_sound, normalised
from guidance_kit.steering.formula import Formula
from guidance_kit.steering.formula_evaluation import EvaluationPlan, FormulaEvaluation
from guidance_kit.steering.term_prompts import TermPrompts

__all__ = ["Ensemble"]


class Ensemble:
    """Distribution of a formula: the softmax of its sum, a pure function of the prefix.

    Each model keeps its own cache, keyed by prefix, so prefixes may come in any order: steps, blocks, beams, rollbacks.
    The terms of one model are rows of one batch. A model other than the base is not run where its weight is 0 at every
    position; it computes the skipped tokens when it is needed again.

    Sums are float32, or float64 if a model returns that, on the device of the base. If all terms are models and all
    weights numbers, logits are added, as constants make no difference; else log-probabilities. Rows that one of the
    models lacks are padding, and forbidden.

    Args:
        formula: over models with one vocabulary.
    Raises:
        VocabularyError: two models have different tokens; names the first of them.
    """

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self._plan = EvaluationPlan(formula)
        self._prompts = TermPrompts(formula.model_terms)
        self.vocabulary = self._plan.vocabulary
        self.rows = self.vocabulary.rows
        self.name = str(formula)
        is_padded = any(token >= self._plan.width for token in self.vocabulary.special)  # which a constraint may name
        self.has_full_support = formula.has_full_support and not is_padded

    def bound_to(self, prompts: Sequence[Prompt], tokens: Sequence[Sequence[int]]) -> Ensemble:
        """Copy that knows the caller's prompts as given, for terms with contexts that need their texts.

        Args:
            prompts: texts, token ids or conversations.
            tokens: their token ids.
        Raises:
            OptionError: contexts for another number of prompts; two equal prompts with different contexts.
            ModelError: the prompt of a term is empty, or a text and its model has no tokenizer.
        """
        made = object.__new__(Ensemble)
        made.__dict__.update(self.__dict__)
        made._prompts = self._prompts.bound_to(prompts, tokens)
        return made

    def room(self, prompt: Sequence[int]) -> int | None:
        """Number of tokens that fit after a prompt into the context of every model, None without a limit.

        Raises:
            ContextLengthError: none fit, naming the term.
        """
        least: int | None = None
        for term in self.formula.model_terms:
            own = prompt if term.context is None else self._prompts.of(term, prompt)
            room = term.source.room(own)
            if room is None:
                continue
            if room <= 0:
                raise ContextLengthError(tokens=len(own) + 1, context_length=len(own) + room, model=str(term))
            least = room if least is None else min(least, room)
        for atom in self.formula.atoms:
            room = atom.room(prompt)
            if room is not None:
                if room <= 0:
                    raise ContextLengthError(tokens=len(prompt) + 1, context_length=len(prompt) + room, model=str(atom))
                least = room if least is None else min(least, room)
        return least

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Allowed | None = None,
        base: Tensor | None = None,
    ) -> Tensor:
        """See `Distribution.logits`.

        Args:
            base: logits of the base, (batch, positions, rows), nats, if they are known already.
        Raises:
            FormulaError: a term is NaN or divides by 0, or no token is left; names the term.
            ModelError: `starts` is needed, see `FormulaEvaluation`; or as the models.
        """
        evaluation = self._evaluate(prefixes, positions, starts, allowed, base)
        return self._checked(self.formula.logits(evaluation), evaluation)

    def partial_sums(
        self, prefixes: Sequence[Sequence[int]], *, starts: Sequence[int] = (), allowed: Allowed | None = None
    ) -> tuple[Tensor, list[PartialSum]]:
        """See `Decomposable.partial_sums`: the base alone, then the sum up to each term, in the order of the formula.

        Raises:
            As `logits`.
        """
        evaluation = self._evaluate(prefixes, 1, starts, allowed)
        whole = self._checked(self.formula.logits(evaluation), evaluation)
        evaluation.allow_all()
        base = self._widened(evaluation.base())
        parts = self.formula.parts(evaluation)
        first = str(self.formula.base)
        made = [PartialSum(term=first, weight=evaluation.full(1.0)[:, 0], own=base[:, 0], logits=base[:, 0])]
        for end, part in enumerate(parts, 1):
            if end == 1 and part.name == first:
                continue
            factor = part.factor if isinstance(part.factor, Tensor) else evaluation.full(part.factor)
            logits = self._widened(_partial(parts[:end], evaluation))
            made.append(
                PartialSum(
                    term=part.name,
                    weight=factor[:, 0],
                    own=None if part.value is None else self._widened(part.value)[:, 0],
                    logits=logits[:, 0],
                )
            )
        if self.formula.is_linear:  # no constraint changes it, so the whole is its last layer, with the same zero
            made[-1] = replace(made[-1], logits=whole[:, 0])
        return whole[:, 0], made

    def _evaluate(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int,
        starts: Sequence[int],
        allowed: Allowed | None,
        base: Tensor | None = None,
    ) -> FormulaEvaluation:
        lengths = [len(prefix) for prefix in prefixes]
        if not lengths or not 1 <= positions <= min(lengths):
            shortest = f"a prefix has {min(lengths)} tokens" if lengths else "there is no prefix"
            raise ModelError(f"{positions} positions asked for, but {shortest}")
        return FormulaEvaluation(self._plan, self._prompts, prefixes, positions, starts, allowed, base)

    def _checked(self, total: Tensor, evaluation: FormulaEvaluation) -> Tensor:
        """The sum over all rows; computed again with checks of each term if it is no distribution."""
        if not is_sound(total):
            evaluation.is_careful = True
            total = self.formula.logprobs(evaluation)
            normalised(total, evaluation, self.name)
        return self._widened(total)

    def _widened(self, values: Tensor) -> Tensor:
        """Values padded to all rows by -inf."""
        missing = self.rows - values.shape[-1]
        return torch.nn.functional.pad(values, (0, missing), value=-torch.inf) if missing else values

    def __repr__(self) -> str:
        return f"Ensemble({self.name})"


def _partial(parts: Sequence[Part], evaluation: FormulaEvaluation) -> Tensor:
    """Sum of the first terms; NaN if they alone are no distribution."""
    evaluated = [part for part in parts if part.value is not None]
    if evaluated:
        with suppress(FormulaError):
            return combine(evaluated, evaluation)
    return torch.full_like(evaluation.base(), torch.nan)
