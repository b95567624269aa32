"""Utilities of minimum Bayes risk decoding: similarity of a candidate to a reference."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from guidance_kit.decoding.sampled_texts import fields_of
from guidance_kit.decoding.sampling import require_integer, require_number
from guidance_kit.errors import ModelError

__all__ = ["AggregatedUtility", "ChrF", "Utility", "field_f1", "sentence_bleu"]


class Utility(Protocol):
    """Utility of a candidate if a reference is right: one finite number, greater is better."""

    def __call__(self, candidate: Any, reference: Any, /) -> float: ...


@runtime_checkable
class AggregatedUtility(Protocol):
    """Utility that compares a candidate with all references at once, in one pass over them."""

    def aggregated(self, references: Sequence[Any], weights: Sequence[float]) -> Callable[[Any], float]:
        """Utility of a candidate against an aggregate of the references.

        Args:
            references: distinct references.
            weights: weight of each; they sum to 1.
        """
        ...


@dataclass(frozen=True, slots=True)
class ChrF:
    """Character n-gram F-score of two texts, from 0 to 100, without whitespace; that of sacrebleu's `CHRF`.

    `aggregated` compares a candidate with the mean n-gram counts of all references: linear in the number of samples
    where pairs are quadratic, and close to the mean of the pairs, not equal to it.

    Args:
        order: longest n-grams, at least 1.
        beta: weight of recall, above 0.
    Raises:
        OptionError: a value is out of range.
    Source:
        Popovic 2015, chrF: character n-gram F-score for automatic MT evaluation; DeNero, Chiang and Knight 2009, Fast
        Consensus Decoding over Translation Forests, and Vamvas and Sennrich 2024, Linear-time Minimum Bayes Risk
        Decoding with Reference Aggregation, for the aggregate.
    """

    order: int = 6
    beta: float = 2.0

    def __post_init__(self) -> None:
        require_integer("order", self.order, least=1)
        require_number("beta", self.beta, "a number above 0", lambda beta: 0 < beta < float("inf"))

    def __call__(self, candidate: str, reference: str, /) -> float:
        return self._score(self._counts(candidate), self._counts(reference))

    def aggregated(self, references: Sequence[str], weights: Sequence[float]) -> Callable[[str], float]:
        """See `AggregatedUtility.aggregated`."""
        total: list[dict[str, float]] = [{} for _ in range(self.order)]
        for reference, weight in zip(references, weights, strict=True):
            for mean, counts in zip(total, self._counts(reference), strict=True):
                for gram, count in counts.items():
                    mean[gram] = mean.get(gram, 0.0) + weight * count
        return lambda candidate: self._score(self._counts(candidate), total)

    def _counts(self, text: str) -> list[Counter[str]]:
        """Counts of the n-grams of each length."""
        plain = "".join(text.split())
        return [
            Counter(plain[place : place + length] for place in range(len(plain) - length + 1))
            for length in range(1, self.order + 1)
        ]

    def _score(self, candidate: Sequence[dict[str, int]], reference: Sequence[Any]) -> float:
        precision = recall = 0.0
        orders = 0
        for own, wanted in zip(candidate, reference, strict=True):
            if own and wanted:
                matches = sum(min(count, wanted.get(gram, 0)) for gram, count in own.items())
                precision += matches / sum(own.values())
                recall += matches / sum(wanted.values())
                orders += 1
        if not precision:
            return 0.0
        square = self.beta**2
        return 100 * (1 + square) * precision * recall / (square * precision + recall) / orders


def field_f1(candidate: Any, reference: Any, /) -> float:
    """F1 of the fields of two JSON values, in [0, 1]: leaves at the same JSON pointer with the same value.

    For `MBR(over="values")`.
    """
    own, wanted = (
        {(name, json.dumps(leaf, sort_keys=True)) for name, leaf in fields_of(value).items()}
        for value in (candidate, reference)
    )
    return 2 * len(own & wanted) / (len(own) + len(wanted))


def sentence_bleu(candidate: str, reference: str, /) -> float:
    """Sentence BLEU of sacrebleu with its defaults and effective order, from 0 to 100.

    Raises:
        ModelError: sacrebleu is not installed.
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise ModelError("utility='bleu' needs sacrebleu: pip install guidance-kit[mbr]") from error
    return BLEU(effective_order=True).sentence_score(candidate, [reference]).score
