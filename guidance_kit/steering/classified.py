"""Classifier guidance: log P(class | prefix + token) of the top-k tokens, as a term of a formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import has_full_support
from guidance_kit.errors import FormulaError, ModelError
from guidance_kit.steering.classifiers import Classifier
from guidance_kit.steering.terms import Atom

if TYPE_CHECKING:
    from guidance_kit.steering.formula import Formula
    from guidance_kit.steering.formula_evaluation import FormulaEvaluation

__all__ = ["Classified", "Others"]

Others = Literal["removed", "least"]
"""Treatment of the tokens outside the top k: "removed" forbids them, "least" gives them the least score inside."""


@dataclass(frozen=True, slots=True)
class Classified(Atom):
    """Log-probability of a class for the most likely next tokens, given the text with each of them appended.

    Args:
        body: the steered formula. Its `top_k` most likely tokens among the allowed ones are classified; ties go to the
            lowest ids.
        classifier: scores the texts.
        top_k: number of classified tokens, at least 1.
        others: treatment of all other tokens.
        has_prompt: give the classifier the prompt too, not only the generated tokens.
    """

    body: Formula
    classifier: Classifier
    top_k: int
    others: Others
    has_prompt: bool

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The steered formula."""
        return (self.body,)

    @property
    def depends_on_prompt_end(self) -> bool:
        """True if the prompt is left out."""
        return not self.has_prompt

    @property
    def has_full_support(self) -> bool:
        """Full support of the classifier: a token that is the only one allowed is always classified."""
        return has_full_support(self.classifier)

    def room(self, prompt: Sequence[int]) -> int | None:
        """See `Atom.room`."""
        return self.classifier.room(len(prompt) if self.has_prompt else 0)

    def logprobs(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Atom.logprobs`."""
        return self.logprobs_where(evaluation, evaluation.full(1.0) > 0)

    def logprobs_where(self, evaluation: FormulaEvaluation, needed: Tensor) -> Tensor:
        """See `Atom.logprobs_where`.

        Raises:
            FormulaError: a score is NaN or +inf.
            ModelError: the classifier returns no scores, or scores of another shape. A note has the term.
        """
        values = self.body.logprobs(evaluation)
        allowed = evaluation.allowed()
        if allowed is not None:
            values = values.masked_fill(~allowed, -torch.inf)
        scores = torch.zeros_like(values)
        places = needed.nonzero().tolist()
        if not places:
            return scores
        chances, candidates = _top_values(values[needed], self.top_k)
        is_there = chances > -torch.inf
        count = int(is_there.sum(-1).max())
        if not count:
            return scores.masked_fill_(needed[..., None], -torch.inf)
        is_there, candidates = is_there[:, :count], candidates[:, :count]
        candidates = torch.where(is_there, candidates, candidates[:, :1])  # rows with fewer ask about one repeatedly
        key = (id(self), str(places), str(candidates.tolist()))
        found = evaluation.once(key, lambda: self._scores(evaluation, places, candidates)).to(values)
        self._require_sound(found, is_there, candidates, places, evaluation)
        found = torch.where(is_there, found, found[:, :1]).masked_fill(~is_there[:, :1], -torch.inf)
        least = found.amin(-1, keepdim=True) if self.others == "least" else found.new_full((len(found), 1), -torch.inf)
        scores[needed] = least.expand(-1, values.shape[-1]).scatter(-1, candidates, found)
        return scores

    def _scores(self, evaluation: FormulaEvaluation, places: Sequence[Sequence[int]], candidates: Tensor) -> Tensor:
        """Classifier scores of the candidates: float, (places, candidates)."""
        prefixes = [evaluation.generated(row, place, has_prompt=self.has_prompt) for row, place in places]
        try:
            found = self.classifier.logprobs(prefixes, candidates, evaluation.plan.vocabulary)
            shape = getattr(found, "shape", None)  # it may be of somebody else's making
            if shape != candidates.shape:
                returned = f"a {type(found).__name__}" if shape is None else f"scores of shape {tuple(shape)}"
                raise ModelError(
                    f"the classifier returned {returned} for candidates of shape {tuple(candidates.shape)}"
                )
        except ModelError as error:
            error.add_note(f"in the term {self}")
            raise
        return found

    def _require_sound(
        self,
        found: Tensor,
        is_there: Tensor,
        candidates: Tensor,
        places: Sequence[list[int]],
        evaluation: FormulaEvaluation,
    ) -> None:
        broken = is_there & (found.isnan() | found.isposinf())
        if bool(broken.any()):
            number, place = broken.nonzero()[0].tolist()
            raise FormulaError(
                f"the classifier of the term {self} returned {float(found[number, place])} for token "
                f"{int(candidates[number, place])}{evaluation.where(*places[number])}",
                term=str(self),
                row=places[number][0],
            )

    def __str__(self) -> str:
        return f"classifier({self.classifier}, top_k={self.top_k})"


def _top_values(values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Greatest values of each row and their indices; of equal values those with the lowest indices."""
    count = min(count, values.shape[-1])
    found = values.topk(count, dim=-1)
    is_tied = (values >= found.values[:, -1:]).sum(-1) > count
    if bool((is_tied & (found.values[:, -1] > -torch.inf)).any()):
        ordered = values.sort(dim=-1, descending=True, stable=True)
        return ordered.values[:, :count], ordered.indices[:, :count]
    return found.values, found.indices
