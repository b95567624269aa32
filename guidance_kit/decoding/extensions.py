"""Most likely extensions of prefixes by one token."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from guidance_kit.decoding.ranked_texts import descending
from guidance_kit.decoding.sampling import TIE

__all__ = ["Chosen", "Extension", "Extensions", "renormalised"]

Extension = tuple[int, int, float, bool]
"""Place of the parent, token, ln of the probability of the longer prefix, and whether the token ends the text."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Chosen extensions of one group of prefixes.

    Attributes:
        extensions: those that go on, best first, then those that end the text.
        greatest_dropped: greatest log-probability of a dropped extension that goes on; -inf if there is none.
        greatest_dropped_end: the same of those that end the text.
    """

    extensions: list[Extension]
    greatest_dropped: float
    greatest_dropped_end: float


class Extensions:
    """Extensions of the rows of a batch by their most likely tokens.

    End-of-sequence tokens are one event, whose token is the most likely of them.

    Args:
        scores: float64, (batch, rows), nats: log-probabilities of the next tokens, -inf for impossible ones.
        eos: end-of-sequence tokens.
        count: number of tokens of each row that are looked at; more are only where they are equally likely.
    """

    def __init__(self, scores: Tensor, eos: Sequence[int], count: int) -> None:
        self._ends = np.full(len(scores), -math.inf)
        self._end_tokens = np.full(len(scores), -1)
        if eos:
            places = torch.tensor(eos, device=scores.device)
            ends = scores.index_select(-1, places).cpu().numpy()
            self._ends = np.logaddexp.reduce(ends, -1)
            self._end_tokens = np.array(eos)[ends.argmax(-1)]
            scores = scores.index_fill(-1, places, -torch.inf)
        self._scores = scores
        found = scores.topk(min(count, scores.shape[-1]), dim=-1)
        self._values = found.values.cpu().numpy()
        self._tokens = found.indices.cpu().numpy()

    def best(self, rows: Sequence[int], starts: np.ndarray, count: int, *, penalties: Mapping[int, float]) -> Chosen:
        """Choose the best extensions of some rows that go on, and those that end a text and are among the best of all.

        Args:
            rows: rows of the batch.
            starts: float64, (len(rows),), nats: log-probabilities of their prefixes.
            count: number of extensions to choose, of equally likely ones (up to `TIE`) those of the first rows and of
                the lowest tokens.
            penalties: nats by which tokens count less in the choice; fewer tokens than `Extensions` looks at.
        """
        parents, tokens, totals = self._candidates(rows, starts, count, penalties)
        choice = totals - _each(tokens, penalties)
        order = descending(choice)
        chosen, dropped = order[:count], order[count:]
        ends = self._ends[rows] + starts
        possible = np.flatnonzero(ends > -math.inf)
        limits = ends[possible, None] + TIE
        rank = np.count_nonzero(choice > limits, -1) + np.count_nonzero(ends > limits, -1)
        ending = possible[rank < count]
        going_on = zip(parents[chosen].tolist(), tokens[chosen].tolist(), totals[chosen].tolist(), strict=True)
        end_tokens = self._end_tokens[rows]
        return Chosen(
            [(parent, token, total, False) for parent, token, total in going_on]
            + [(parent, int(end_tokens[parent]), float(ends[parent]), True) for parent in ending.tolist()],
            _greatest(totals[dropped]),
            _greatest(ends[possible[rank >= count]]),
        )

    def _candidates(
        self, rows: Sequence[int], starts: np.ndarray, count: int, penalties: Mapping[int, float]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Parents, tokens and log-probabilities of the candidates, in the order of parents and tokens."""
        totals = self._values[rows] + starts[:, None]
        flat = np.sort(totals - _each(self._tokens[rows], penalties), axis=None)
        limit = flat[-count] - TIE if count <= flat.size else -math.inf
        is_long = totals[:, -1] >= limit if totals.shape[1] < self._scores.shape[1] else np.zeros(len(rows), bool)
        is_long &= totals[:, -1] > -math.inf
        parents, places = np.nonzero((totals > -math.inf) & ~is_long[:, None])
        tokens, values = self._tokens[rows][parents, places], totals[parents, places]
        for parent in np.flatnonzero(
            is_long
        ).tolist():  # tokens beyond the first ones are as likely as the last of them
            row = self._scores[rows[parent]]
            more = (row >= limit - starts[parent]).nonzero()[:, 0]
            parents = np.append(parents, np.full(len(more), parent))
            tokens = np.append(tokens, more.cpu().numpy())
            values = np.append(values, row[more].cpu().numpy() + starts[parent])
        order = np.lexsort((tokens, parents))
        return parents[order], tokens[order], values[order]


def _greatest(values: np.ndarray) -> float:
    return float(values.max()) if len(values) else -math.inf


def _each(tokens: np.ndarray, penalties: Mapping[int, float]) -> np.ndarray | float:
    """Penalty of each token."""
    if not penalties:
        return 0.0
    return sum((tokens == token) * nats for token, nats in penalties.items())


def renormalised(scores: Tensor) -> Tensor:
    """Log-probabilities that sum to 1 in each row; a row of -inf stays so.

    Args:
        scores: float64, (batch, rows), nats.
    """
    totals = scores.logsumexp(-1, keepdim=True)
    return scores - totals.masked_fill(totals == -torch.inf, 0)
