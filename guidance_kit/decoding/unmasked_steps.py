"""Decoding steps under a constraint with probabilities from before its mask, for importance weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.loop import Pipeline, raise_no_token
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.sampling import Sampling, shape
from guidance_kit.errors import FormulaError
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Guide
from guidance_kit.vocabulary import Vocabulary

__all__ = ["UnmaskedSteps"]


class UnmaskedSteps:
    """Batch of constrained texts whose next-token probabilities are those without the constraint.

    They are the distribution from which the loop samples without a constraint: after guides, temperature, truncation
    and watermark. So truncation counts all tokens here, and may remove every allowed one.

    Args:
        prompts: token ids.
        copies: number of texts a prompt; texts of one prompt are adjacent rows.
        numbers: numbers of the prompts in error messages.
    """

    def __init__(
        self,
        distribution: Distribution,
        vocabulary: Vocabulary,
        prompts: Sequence[Sequence[int]],
        *,
        sampling: Sampling,
        constraint: ConstraintGuide,
        guides: Sequence[Guide[Any]],
        numbers: Sequence[int],
        copies: int = 1,
    ) -> None:
        self._distribution = distribution
        self._sampling = sampling
        self._padding = padding_rows(vocabulary)
        self._guided = Pipeline(vocabulary, prompts, constraint, guides)
        self._starts = [len(prompt) for prompt in prompts]
        self._numbers = list(numbers)
        self._step = 0
        if copies > 1:
            self.select([row for row in range(len(prompts)) for _ in range(copies)])

    def situations(self) -> list[tuple[int, int, int]]:
        """Automaton state of each text, see `Matcher.situation`."""
        return self._guided.situations()

    @torch.inference_mode()
    def log_probabilities(self, prefixes: Sequence[Sequence[int]]) -> Tensor:
        """Log-probabilities of the next tokens that the constraint allows.

        Args:
            prefixes: prompts with the generated tokens, one a row.
        Returns:
            Float64, (batch, rows), nats: log-probabilities without the constraint, -inf for masked tokens. The
            probabilities sum to the mass that the mask keeps, which may be 0.
        Raises:
            ModelError, FormulaError: as the loop.
            ConstraintError: the guides forbid every token, even without the constraint.
        """
        self._step += 1
        try:
            base = self._distribution.logits(prefixes, starts=self._starts)[:, -1].float()
        except FormulaError as error:
            error.add_note(f"step {self._step}, prompt {self._numbers[error.row]}")
            raise
        steered = self._guided.steer(base)
        if len(self._padding):
            self._padding = self._padding.to(steered.device)
            steered = steered.index_fill(-1, self._padding, -torch.inf)
        free = self._guided.watermark(shape(steered, self._sampling))
        total = free.double().logsumexp(-1, keepdim=True)
        for row, is_sound in enumerate(total.isfinite().all(-1).tolist()):
            if not is_sound:
                where = f"step {self._step} (prompt {self._numbers[row]})"
                raise_no_token(base[row], free[row], base[row], where)
        return self._guided.mask(free).double() - total

    def advance(self, tokens: Sequence[int]) -> None:
        """Append one allowed token to each text."""
        self._guided.advance([[token] for token in tokens])

    def select(self, rows: Sequence[int]) -> None:
        """Keep the given rows, in that order, with repetitions or without some."""
        self._guided.select(rows)
        self._starts = [self._starts[row] for row in rows]
        self._numbers = [self._numbers[row] for row in rows]
