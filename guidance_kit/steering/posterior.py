"""Generative classifier by Bayes' rule over class-conditional language models, as a term of a formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import torch

from guidance_kit.decoding.sampling import require_number
from guidance_kit.errors import OptionError
from guidance_kit.steering.terms import Atom, ModelTerm

if TYPE_CHECKING:
    from torch import Tensor

    from guidance_kit.steering.formula import Formula
    from guidance_kit.steering.formula_evaluation import FormulaEvaluation

__all__ = ["Posterior"]


@dataclass(frozen=True, slots=True)
class Posterior(Atom):
    """Log-posterior of the first class given the generated tokens and each next token.

    With the model p_c and the prior pi_c of a class c, P(c | x_1..t) is proportional to pi_c p_c(x_1..t)^s. The product
    runs over generated tokens, not over the prompt; s is 1, or 1/t if `is_averaged`.

    Args:
        classes: one model each, the desired class first.
        priors: probabilities of the classes, which sum to 1.
        is_averaged: divide log-likelihoods by the number of tokens.
    Raises:
        OptionError: fewer than two classes; a class that is not a single model; invalid priors.
    Source: Krause et al. 2021, GeDi: Generative Discriminator Guided Sequence Generation.
    """

    classes: tuple[Formula, ...]
    priors: tuple[float, ...]
    is_averaged: bool = False

    def __post_init__(self) -> None:
        if len(self.classes) < 2:
            raise OptionError("a class is told from others; give at least one other")
        if len(self.priors) != len(self.classes):
            raise OptionError(f"{len(self.priors)} priors for {len(self.classes)} classes")
        for prior in self.priors:
            require_number("a prior", prior, "a number greater than 0 and below 1", lambda value: 0 < value < 1)
        if abs(sum(self.priors) - 1) > 1e-6:
            raise OptionError(f"the priors of the classes sum to {sum(self.priors):g}, not to 1")
        _ = self.model_terms

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The classes."""
        return self.classes

    @property
    def depends_on_prompt_end(self) -> bool:
        """True: the prompt does not count."""
        return True

    @property
    def model_terms(self) -> list[ModelTerm]:
        """Models of the classes."""
        model_terms = [formula.model_term for formula in self.classes if formula.model_term is not None]
        if len(model_terms) != len(self.classes):
            raise OptionError(f"each class is a single model, not {' and '.join(map(str, self.classes))}")
        return model_terms

    @property
    def prefix_scored(self) -> Sequence[ModelTerm]:
        """See `Atom.prefix_scored`."""
        return self.model_terms

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`. A token that is impossible in every class is forbidden."""
        scale = 1.0
        if self.is_averaged:
            lengths = torch.tensor(evaluation.elapsed(), dtype=torch.float64, device=evaluation.device) + 1
            scale = (1 / lengths)[..., None]
        scores = torch.stack([
            log(prior) + scale * (evaluation.prefix_scores(term)[..., None] + formula.logprobs(evaluation).double())
            for formula, term, prior in zip(self.classes, self.model_terms, self.priors, strict=True)
        ])  # fmt: skip
        return (scores[0] - scores.logsumexp(0)).masked_fill((scores == -torch.inf).all(0), -torch.inf)

    def __str__(self) -> str:
        return f"posterior({self.classes[0]} against {', '.join(map(str, self.classes[1:]))})"
