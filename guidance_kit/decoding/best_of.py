"""Best of n samples: by probability, by a reward or verifier, or by a vote."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

import numpy as np

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.ranked_texts import descending
from guidance_kit.decoding.ranking import Ranking
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampled_texts import (
    MOST_SAMPLES,
    check_samples,
    checked_numbers,
    distinct,
    fields_of,
    piece_of,
    samples_of_prompts,
    usable,
    value_of,
)
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.scoring import score_completions
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["BestOf", "Reward", "votes"]

RULES = ("log_probability", "mean_log_probability", "majority")


class Reward(Protocol):
    """Reward or verifier of texts."""

    def __call__(self, prompt: str, completions: Sequence[Completion], /) -> Sequence[float]:
        """Score the samples of one prompt: one finite number each, greater is better.

        Args:
            prompt: text of the prompt's tokens, without special tokens.
            completions: the samples, with their constraint: `value` is the parsed value of a text that ended.
        """
        ...


@dataclass(frozen=True, slots=True)
class BestOf:
    """Best of n independent samples of a prompt; `n=` of `generate` gives several, best first, each text once.

    The samples are those of `n=` without a decoder. Samples that were cut count only if none ended.

    Args:
        n: number of samples, from 1 to `MOST_SAMPLES`.
        by: "log_probability", that under the formula as `Beam` has it, at temperature 1; "mean_log_probability", per
            token; "majority", a vote field by field (self-consistency): the score of a text is the mean, over the
            fields of all samples, of the share of samples with its value there, where no value counts as one. A text
            that is no JSON is one field. `Ranking.agreement` has the shares. Or a `Reward`.
    Raises:
        OptionError: a value is out of range.
    Source:
        Wang et al. 2023, Self-Consistency Improves Chain of Thought Reasoning in Language Models, for the vote.
    """

    takes_drafts: ClassVar[bool] = True

    n: int = 8
    by: Literal["log_probability", "mean_log_probability", "majority"] | Reward = "log_probability"

    def __post_init__(self) -> None:
        require_integer("n", self.n, least=1, most=MOST_SAMPLES)
        if isinstance(self.by, str):
            if self.by not in RULES:
                raise OptionError.unknown(self.by, RULES, "rule of by")
        elif not callable(self.by):
            raise OptionError(f"by must be one of {', '.join(RULES)}, or a function, not {self.by!r}")

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
            One piece a prompt, the best text with the others; or an OptionError if the reward fails for the prompt.
        """
        begin = walk.fork()
        for row, samples in samples_of_prompts(walk, self.n, options):
            texts = usable(samples)
            try:
                rankings = self._rankings(begin, row, texts)
            except OptionError as error:
                yield Piece(row.place, "", error=error)
                continue
            order = descending(np.array([ranking.score for ranking in rankings]))
            yield piece_of(row, distinct(replace(texts[place], ranking=rankings[place]) for place in order))

    def _rankings(self, begin: Walk, row: Row, texts: Sequence[Completion]) -> list[Ranking]:
        """Score of each text.

        Args:
            begin: walk with the prompts, before any token.
        """
        if self.by == "majority":
            scores, shares = votes([value_of(text.text) for text in texts])
            pairs = zip(scores, shares, strict=True)
            return [Ranking(rank=0, score=score, agreement=share) for score, share in pairs]
        if isinstance(self.by, str):
            is_mean = self.by == "mean_log_probability"
            return [
                Ranking(
                    rank=0,
                    score=one.log_probability / (max(1, len(one.tokens)) if is_mean else 1),
                    log_probability=one.log_probability,
                )
                for one in score_completions(begin, row.place, texts)
            ]
        reward = self.by
        prompt = begin.vocabulary.text_of(row.prefix[: row.prompt_tokens]).decode("utf-8", "replace")
        numbers = checked_numbers("by", lambda: reward(prompt, texts), len(texts), row.number)
        return [Ranking(rank=0, score=number) for number in numbers]


def votes(values: Sequence[object]) -> tuple[list[float], list[dict[str, float]]]:
    """Votes of JSON values on each other, field by field.

    Args:
        values: parsed values, at least one.
    Returns:
        The score of each value in [0, 1], and the share of the values that agree with each of its fields, by JSON
        pointer.
    """
    fields = [{name: json.dumps(leaf, sort_keys=True) for name, leaf in fields_of(value).items()} for value in values]
    names = sorted({name for one in fields for name in one})
    counts = {name: Counter(one.get(name) for one in fields) for name in names}
    share = [{name: counts[name][one.get(name)] / len(values) for name in names} for one in fields]
    scores = [sum(one.values()) / len(names) for one in share]
    return scores, [{name: one[name] for name in own} for one, own in zip(share, fields, strict=True)]
