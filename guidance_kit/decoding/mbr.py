"""Minimum Bayes risk decoding: the sample with the greatest expected utility over the samples."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.ranked_texts import descending
from guidance_kit.decoding.ranking import Ranking
from guidance_kit.decoding.row import Piece
from guidance_kit.decoding.sampled_texts import (
    MOST_SAMPLES,
    check_samples,
    checked_numbers,
    distinct,
    piece_of,
    samples_of_prompts,
    usable,
    value_of,
)
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.utilities import AggregatedUtility, ChrF, Utility, field_f1, sentence_bleu
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["MBR"]

UtilityName = Literal["chrf", "bleu", "field_f1"]

_NAMED: Mapping[str, Utility] = {"chrf": ChrF(), "bleu": sentence_bleu, "field_f1": field_f1}


@dataclass(frozen=True, slots=True)
class MBR:
    """Minimum Bayes risk decoding: of n samples the one with the greatest mean utility against all of them.

    The samples are those of `n=` without a decoder, and each counts as a reference as often as it was drawn. Samples
    that were cut count only if none ended. `Ranking.score` is the expected utility; `n=` gives the texts in its order.

    Args:
        n: number of samples, from 1 to `MOST_SAMPLES`.
        utility: function of a candidate and a reference; "chrf", "bleu" (needs sacrebleu) or "field_f1".
        over: "texts", or "values": parsed JSON, or the text where it is no JSON.
        aggregate: compare each candidate with the aggregate of the references, see `AggregatedUtility`: n comparisons
            instead of n squared.
    Raises:
        OptionError: a value is out of range; `aggregate` with a utility that has no aggregate.
    Source:
        Kumar and Byrne 2004, Minimum Bayes-Risk Decoding for Statistical Machine Translation; Eikema and Aziz 2022,
        Sampling-Based Approximations to Minimum Bayes Risk Decoding for Neural Machine Translation, equation 3.
    """

    takes_drafts: ClassVar[bool] = True

    n: int = 16
    utility: UtilityName | Utility = "chrf"
    over: Literal["texts", "values"] = "texts"
    aggregate: bool = False

    def __post_init__(self) -> None:
        require_integer("n", self.n, least=1, most=MOST_SAMPLES)
        if isinstance(self.utility, str) and self.utility not in _NAMED:
            raise OptionError.unknown(self.utility, _NAMED, "utility")
        if not callable(self.chosen_utility):
            raise OptionError(f"utility must be a function of a candidate and a reference, not {self.utility!r}")
        if self.over not in ("texts", "values"):
            raise OptionError.unknown(str(self.over), ("texts", "values"), "kind of over")
        if self.aggregate and not isinstance(self.chosen_utility, AggregatedUtility):
            raise OptionError(
                f"aggregate needs a utility with a method `aggregated`, as ChrF has, not {self.utility!r}"
            )

    @property
    def chosen_utility(self) -> Utility:
        """The utility itself, also where a name was given."""
        return _NAMED[self.utility] if isinstance(self.utility, str) else self.utility

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.n

    @property
    def texts_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.n

    def check(self, options: Options) -> None:
        """See `Decoder.check`."""
        check_samples(options)

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`.

        Yields:
            One piece a prompt, the text with the greatest expected utility with the others; or an OptionError if the
            utility fails for the prompt.
        """
        for row, samples in samples_of_prompts(walk, self.n, options):
            texts = usable(samples)
            try:
                scores = self._expected(texts, row.number)
            except OptionError as error:
                yield Piece(row.place, "", error=error)
                continue
            order = descending(np.array(scores))
            ranked = (replace(texts[place], ranking=Ranking(rank=0, score=scores[place])) for place in order)
            yield piece_of(row, distinct(ranked))

    def _expected(self, texts: Sequence[Completion], number: int) -> list[float]:
        """Expected utility of each text."""
        values = [value_of(text.text) if self.over == "values" else text.text for text in texts]
        keys = [json.dumps(value, sort_keys=True) for value in values]
        references: dict[str, Any] = dict(zip(keys, values, strict=True))
        weights = [keys.count(key) / len(keys) for key in references]
        against = self._against(list(references.values()), weights)
        scores = checked_numbers(
            "utility", lambda: [against(one) for one in references.values()], len(references), number
        )
        by_key = dict(zip(references, scores, strict=True))
        return [by_key[key] for key in keys]

    def _against(self, references: Sequence[Any], weights: Sequence[float]) -> Callable[[Any], float]:
        """Expected utility of a candidate as a function of it."""
        utility = self.chosen_utility
        if self.aggregate and isinstance(utility, AggregatedUtility):
            return utility.aggregated(references, weights)
        pairs = list(zip(references, weights, strict=True))
        return lambda candidate: sum(weight * utility(candidate, reference) for reference, weight in pairs)
