"""Cache of the log-probabilities that models give to the tokens generated so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from guidance_kit.steering.formula_evaluation import batched_logits

if TYPE_CHECKING:
    from guidance_kit.steering.formula_evaluation import Source

__all__ = ["PrefixScores"]


class _PrefixEntry(NamedTuple):
    """Cached prefix: log-probability of its generated tokens, and of each next token, float64, (width,); nats."""

    score: float
    following: Tensor


class PrefixScores:
    """Sums of log-probabilities of generated tokens, cached for the prefixes of the last call.

    Models that share weights run in one batch, so they share an entry. As with every cache the results depend on the
    prefixes alone: sums that are not cached are computed from a block of positions.
    """

    def __init__(self) -> None:
        self._known: dict[Source, dict[tuple[Source, int, tuple[int, ...]], _PrefixEntry]] = {}

    def logits_and_scores(
        self,
        sources: Sequence[Source],
        prefixes: Sequence[Sequence[int]],
        starts: Sequence[int],
        positions: int,
        width: int,
    ) -> tuple[Tensor, Tensor]:
        """Logits of the last positions, and the scores of the prefixes that end there.

        Args:
            sources: one a prefix, as in `batched_logits`.
            prefixes, positions, starts: as in `Distribution.logits`.
            width: number of rows used; log-probabilities are normalised over these.
        Returns:
            Logits, float, (batch, positions, width); and scores, float64, (batch, positions), nats: the sum of the
            log-probabilities of the tokens from the start up to each position.
        """
        known = self._known.get(sources[0], {})
        lengths = sorted({len(tokens) for *_, tokens in known}, reverse=True)
        found: list[tuple[int, _PrefixEntry | None]] = []
        for source, prefix, start in zip(sources, prefixes, starts, strict=True):
            first = len(prefix) - positions + 1  # length of the shortest prefix
            usable = (length for length in lengths if start <= length <= first)
            nearest = next((n for n in usable if (source, start, tuple(prefix[:n])) in known), None)
            entry = None if nearest is None else known[source, start, tuple(prefix[:nearest])]
            found.append((start if nearest is None else nearest, entry))
        depths = [
            max(positions, len(prefix) - length + (entry is None))
            for prefix, (length, entry) in zip(prefixes, found, strict=True)
        ]
        shortest = min(map(len, prefixes))
        if max(depths) <= shortest:
            blocks = batched_logits(sources, prefixes, max(depths), starts)
            rows = [block[-depth:, :width] for block, depth in zip(blocks, depths, strict=True)]
        else:  # uncached texts of very different lengths
            rows = [
                source.logits([prefix], depth, starts=[start])[0, :, :width]
                for source, prefix, start, depth in zip(sources, prefixes, starts, depths, strict=True)
            ]
        kept: dict[tuple[Source, int, tuple[int, ...]], _PrefixEntry] = {}
        sums: list[list[float]] = []
        for source, prefix, start, (length, entry), row in zip(sources, prefixes, starts, found, rows, strict=True):
            logprobs = row.double().log_softmax(-1)
            scores = _scores(prefix, length, entry, logprobs)[-positions:]
            for back, score in enumerate(reversed(scores)):
                end = len(prefix) - back
                kept[source, start, tuple(prefix[:end])] = _PrefixEntry(score, logprobs[-1 - back])
            sums.append(scores)
        self._known[sources[0]] = kept
        return torch.stack([row[-positions:] for row in rows]), torch.tensor(sums, dtype=torch.float64)


def _scores(prefix: Sequence[int], length: int, entry: _PrefixEntry | None, logprobs: Tensor) -> list[float]:
    """Scores at the positions of `logprobs`, the last ones of the prefix.

    Args:
        length: length of the prefix whose score is known: that of `entry`, or 0 without one.
    """
    scores = {length: 0.0 if entry is None else entry.score}
    first = len(prefix) - len(logprobs) + 1
    for end in range(length + 1, len(prefix) + 1):
        before = end - 1
        following = entry.following if entry is not None and before == length else logprobs[before - first]
        scores[end] = scores[before] + float(following[prefix[end - 1]])
    return [scores[end] for end in range(max(first, length), len(prefix) + 1)]
