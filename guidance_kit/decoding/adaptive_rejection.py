"""Adaptive weighted rejection sampling: tokens by a predicate that is evaluated on drawn tokens alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

__all__ = ["Accepted", "Accepts", "draw_accepted"]

Accepts = Callable[[list[tuple[int, int]]], list[bool]]
"""Predicate on pairs of a row and a token."""

Accepted = tuple[int, float]
"""Drawn token, and ln of the estimated mass of the accepted ones. That is -inf where there is no token."""


def draw_accepted(
    logprobs: Tensor, accepts: Accepts, seeds: Sequence[int], *, max_rejections: int | None = None
) -> list[Accepted]:
    """Draw a token of each row among those that a predicate accepts, with an estimate of their mass.

    Tokens are drawn one after the other, and rejected ones are not drawn again, until one is accepted: it has the
    distribution of `logprobs` given acceptance, exactly. Then drawing goes on until a second acceptance, with the first
    token among the candidates. With l_j the mass that was left after j rejections and m rejections in all, the estimate
    of the mass of accepted tokens is 1 / (1/l_0 + ... + 1/l_m). It is the probability, given the rejections, that the
    very first draw was accepted, times l_0; so it is unbiased, and independent of the drawn token. If drawing ends with
    the K-th rejection, the sum has its first K terms, or there is no token and the estimate is 0; unbiased as well.

    Args:
        logprobs: float64, (batch, rows), nats; -inf for tokens that are not allowed. They need not sum to 1.
        accepts: deterministic; called with the next candidate of each row.
        seeds: seeds of the rows, from which alone the results depend, besides their other arguments.
        max_rejections: maximum number K of rejections of a row.
    Source: Lipkin et al. 2025, Fast Controlled Generation from Language Models with Adaptive Weighted Rejection
        Sampling; the estimate is derived here as the conditional expectation of an indicator (Rao and Blackwell).
    """
    trials = [
        _Trial(row, np.random.Generator(np.random.PCG64(seed))) for row, seed in zip(logprobs, seeds, strict=True)
    ]
    running = [row for row, trial in enumerate(trials) if trial.is_running]
    while running:
        tokens = [trials[row].candidate() for row in running]
        unknown = [(row, token) for row, token in zip(running, tokens, strict=True) if token != trials[row].token]
        answers = dict(zip(unknown, accepts(unknown) if unknown else [], strict=True))
        for row, token in zip(running, tokens, strict=True):
            trials[row].judge(token, is_accepted=answers.get((row, token), True), most=max_rejections)
        running = [row for row in running if trials[row].is_running]
    return [(trial.token or 0, trial.log_mass) for trial in trials]


class _Trial:
    """Draws of one row. Candidates come in the order of Gumbel keys: so each is drawn from those that are left."""

    def __init__(self, logprobs: Tensor, generator: np.random.Generator) -> None:
        self.token: int | None = None
        self.log_mass = -math.inf
        self._generator = generator
        self._left = logprobs.clone()
        self._rejections = 0
        self._masses = [float(logprobs.logsumexp(-1))]
        self.is_running = self._masses[0] > -math.inf
        self._shuffle()

    def candidate(self) -> int:
        """Next token."""
        return int(self._keys.argmax())

    def judge(self, token: int, *, is_accepted: bool, most: int | None) -> None:
        """Note the answer for a candidate."""
        if is_accepted:
            if self.token is not None:
                self._end()
            else:
                self.token = token
                self._shuffle()
            return
        self._rejections += 1
        self._left[token] = self._keys[token] = -torch.inf
        left = float(self._left.logsumexp(-1))
        if left == -math.inf or self._rejections == most:
            self._end()
        else:
            self._masses.append(left)

    def _end(self) -> None:
        self.is_running = False
        if self.token is not None:
            self.log_mass = -float(np.logaddexp.reduce([-mass for mass in self._masses]))

    def _shuffle(self) -> None:
        """New keys for all candidates that are left."""
        uniforms = np.clip(self._generator.random(len(self._left)), 1e-300, None)
        self._keys = self._left - torch.from_numpy(-np.log(uniforms)).log().to(self._left)
