"""Sums of probabilities over all tokenisations of outcomes, by a best-first search with a bound of what is left."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor

__all__ = ["PathStep", "PathSums", "TokenPath", "TokenPaths", "log_sum", "next_logprobs", "sum_paths"]

K = TypeVar("K", bound=Hashable)
S = TypeVar("S")


class PathStep(NamedTuple, Generic[K, S]):
    """Tokens after a state that have the same consequence: an outcome, or else a further state.

    Attributes:
        tokens: token ids; several only with an outcome, whose probabilities are added.
        outcome: outcome that these tokens decide; None if it is still open.
        state: state after the token; None with an outcome.
    """

    tokens: Sequence[int]
    outcome: K | None
    state: S | None


class TokenPaths(Protocol[K, S]):
    """Tree of token sequences, each of which ends where an outcome is decided."""

    @property
    def start(self) -> S:
        """State before the first token."""
        ...

    def tokens(self, state: S) -> tuple[int, ...]:
        """Tokens from the start to a state."""
        ...

    def steps(self, state: S) -> Iterable[PathStep[K, S]]:
        """Steps after a state; none of their tokens is in two of them."""
        ...


class TokenPath(NamedTuple):
    """Token sequence that decides an outcome, with ln of its probability, nats."""

    logprob: float
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathSums(Generic[K]):
    """Probability of each outcome, summed over token sequences.

    Attributes:
        logs: ln of the probability of each outcome over the sequences that were followed, nats.
        paths: most likely sequences of each outcome, in descending order of probability.
        left: ln of the probability of all sequences that were not followed to their end, nats; -inf if all were.
        prefixes: number of prefixes whose next-token distribution was computed.
    """

    logs: dict[K, float] = field(default_factory=dict)
    paths: dict[K, list[TokenPath]] = field(default_factory=dict)
    left: float = -math.inf
    prefixes: int = 0

    @property
    def total(self) -> float:
        """Ln of the probability of all outcomes so far, nats."""
        return log_sum(self.logs.values())

    def bounds(self, outcome: K) -> tuple[float, float]:
        """Bounds of the share of an outcome among all, whatever the sequences left lead to."""
        own, whole = self.logs.get(outcome, -math.inf), log_sum([self.total, self.left])
        if whole == -math.inf:
            return 0.0, 1.0
        return math.exp(own - whole), min(1.0, math.exp(log_sum([own, self.left]) - whole))


def sum_paths(
    paths: TokenPaths[K, S],
    logprobs: Callable[[Sequence[tuple[int, ...]]], Tensor],
    *,
    most_prefixes: int,
    tolerance: float = 0.0,
    batch_size: int = 32,
    kept: int = 1,
) -> PathSums[K]:
    """Sum the probabilities of token sequences by outcome, the most likely prefixes first.

    Args:
        paths: the sequences.
        logprobs: function from token sequences to log-probabilities of the next token: float64, (count, rows), nats.
        most_prefixes: maximum number of prefixes to compute.
        tolerance: share of the probability found so far that may be left; 0 follows every sequence.
        batch_size: number of prefixes that are computed at once.
        kept: maximum number of sequences to keep for each outcome.
    Returns:
        The sums, whose `left` tells how much is missing; with the tolerance 0 and enough prefixes they are exact.
    """
    numbers = itertools.count()
    heap: list[tuple[float, int, S]] = [(0.0, next(numbers), paths.start)]
    logs: dict[K, float] = {}
    found: dict[K, list[TokenPath]] = {}
    computed, left = 0, 0.0
    while heap and computed < most_prefixes:
        if tolerance and left <= log_sum(logs.values()) + math.log(tolerance):
            break
        count = min(batch_size, len(heap), most_prefixes - computed)
        batch = [heapq.heappop(heap) for _ in range(count)]
        computed += count
        rows = logprobs([paths.tokens(state) for _, _, state in batch]).cpu().numpy()
        for (cost, _, state), row in zip(batch, rows, strict=True):
            for step in paths.steps(state):
                chances = row[np.asarray(step.tokens)]
                logprob = float(np.logaddexp.reduce(chances)) - cost
                if logprob == -math.inf:
                    continue
                if step.outcome is None:
                    assert step.state is not None
                    heapq.heappush(heap, (-logprob, next(numbers), step.state))
                    continue
                logs[step.outcome] = float(np.logaddexp(logs.get(step.outcome, -math.inf), logprob))
                likeliest = int(np.argmax(chances))
                path = TokenPath(float(chances[likeliest]) - cost, (*paths.tokens(state), step.tokens[likeliest]))
                ways = found.setdefault(step.outcome, [])
                ways.append(path)
                if len(ways) > 2 * kept:
                    ways[:] = heapq.nlargest(kept, ways)
        left = log_sum(-cost for cost, _, _ in heap)
    best = {outcome: heapq.nlargest(kept, ways) for outcome, ways in found.items()}
    return PathSums(logs=logs, paths=best, left=left if heap else -math.inf, prefixes=computed)


def next_logprobs(logits: Tensor, padding: Tensor) -> Tensor:
    """Log-probabilities from logits, without padding rows: float64, (count, rows), nats.

    Args:
        logits: float, (count, rows), nats; not changed.
        padding: rows that stand for no token, see `padding_rows`.
    """
    logits = logits.to(torch.float64, copy=True)
    logits[:, padding.to(logits.device)] = -torch.inf
    return logits.log_softmax(-1)


def log_sum(logs: Iterable[float]) -> float:
    """Ln of a sum of probabilities from their logarithms, nats; -inf of none.

    >>> round(log_sum([math.log(0.25), math.log(0.5)]), 12) == round(math.log(0.75), 12)
    True
    """
    values = [value for value in logs if value > -math.inf]
    if not values:
        return -math.inf
    top = max(values)
    return top + math.log(math.fsum(math.exp(value - top) for value in values))
