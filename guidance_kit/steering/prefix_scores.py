"""What models gave to the tokens generated so far, without computing it anew at every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from guidance_kit.steering.sharing import batched_logits

if TYPE_CHECKING:
    from guidance_kit.steering.atoms import Source

__all__ = ["PrefixScores"]


class _Entry(NamedTuple):
    """A prefix that was asked about: log-probability of what it generated, and of each token after it (width,)."""

    score: float
    following: Tensor


class PrefixScores:
    """Sums of log-probabilities of generated tokens, remembered for the prefixes of the last question.

    Models that share their weights are asked together, so one question is remembered for all of them. It is a cache:
    what it answers depends on the prefixes alone. Whatever is not known is asked of the model, as a block of positions.
    """

    def __init__(self) -> None:
        self._known: dict[Source, dict[tuple[Source, int, tuple[int, ...]], _Entry]] = {}

    def logits_and_scores(
        self,
        sources: Sequence[Source],
        prefixes: Sequence[Sequence[int]],
        starts: Sequence[int],
        positions: int,
        width: int,
    ) -> tuple[Tensor, Tensor]:
        """Ask a model about the last positions, and about as many before as have to be summed.

        Args:
            sources: one a prefix, as in `batched_logits`.
            prefixes, positions, starts: as in `Distribution.logits`.
            width: number of rows to look at; log-probabilities are normalised over these.
        Returns:
            Logits (batch, positions, width), and float64 (batch, positions): for each position the sum of the
            log-probabilities of the tokens from the start up to it, nats.
        """
        known = self._known.get(sources[0], {})
        lengths = sorted({len(tokens) for *_, tokens in known}, reverse=True)
        found: list[tuple[int, _Entry | None]] = []
        for source, prefix, start in zip(sources, prefixes, starts, strict=True):
            first = len(prefix) - positions + 1  # the shortest prefix that is asked about
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
        else:  # texts of very different lengths of which nothing is known
            rows = [
                source.logits([prefix], depth, starts=[start])[0, :, :width]
                for source, prefix, start, depth in zip(sources, prefixes, starts, depths, strict=True)
            ]
        kept: dict[tuple[Source, int, tuple[int, ...]], _Entry] = {}
        sums: list[list[float]] = []
        for source, prefix, start, (length, entry), row in zip(sources, prefixes, starts, found, rows, strict=True):
            logprobs = row.double().log_softmax(-1)
            scores = _scores(prefix, length, entry, logprobs)[-positions:]
            for back, score in enumerate(reversed(scores)):
                end = len(prefix) - back
                kept[source, start, tuple(prefix[:end])] = _Entry(score, logprobs[-1 - back])
            sums.append(scores)
        self._known[sources[0]] = kept
        return torch.stack([row[-positions:] for row in rows]), torch.tensor(sums, dtype=torch.float64)


def _scores(prefix: Sequence[int], length: int, entry: _Entry | None, logprobs: Tensor) -> list[float]:
    """The sums at the positions of `logprobs`, which are the last ones of the prefix.

    Args:
        length: where the sum is known: to be that of `entry`, or, without one, 0.
    """
    scores = {length: 0.0 if entry is None else entry.score}
    first = len(prefix) - len(logprobs) + 1
    for end in range(length + 1, len(prefix) + 1):
        before = end - 1
        following = entry.following if entry is not None and before == length else logprobs[before - first]
        scores[end] = scores[before] + float(following[prefix[end - 1]])
    return [scores[end] for end in range(max(first, length), len(prefix) + 1)]
