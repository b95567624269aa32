"""Exact log-probabilities of labels after prompts, summed over all tokenisations of each label."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.generation import check_prompts
from guidance_kit.decoding.label_scores import End
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.path_sums import PathStep, next_logprobs, sum_paths
from guidance_kit.errors import BatchError, FormulaError, ModelError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["LabelPaths", "LabelState", "score_label_paths"]

MOST_PREFIXES = 8192
"""Most prefixes of the labels of one text that are computed."""

TOLERANCE = 1e-9
"""Share of the probability of the labels that may be left unsummed."""


class LabelState(NamedTuple):
    """Tokens so far, whose text may still become a label, or a longer one."""

    tokens: tuple[int, ...]
    text: bytes


class LabelPaths:
    """Token sequences up to the token that decides which label a text has.

    Args:
        vocabulary: the tokens.
        labels: texts of the labels in UTF-8, none of them empty, no two equal.
        end: end of a label, as in `score_labels`: with "any" a text has the longest label that is a prefix of it, with
            "eos" the label is the whole text.
    """

    def __init__(self, vocabulary: Vocabulary, labels: Sequence[bytes], end: End = "any") -> None:
        self._rows = vocabulary.rows
        self._eos = np.array(vocabulary.eos, dtype=np.int64)
        self._labels = sorted(enumerate(labels), key=lambda pair: len(pair[1]))
        self._end = end
        self._texts, self._tokens = _sorted_tokens(vocabulary)
        self.start = LabelState((), b"")

    def tokens(self, state: LabelState) -> tuple[int, ...]:
        """See `TokenPaths.tokens`."""
        return state.tokens

    def steps(self, state: LabelState) -> Iterator[PathStep[int, LabelState]]:
        """See `TokenPaths.steps`; outcomes are numbers of labels."""
        text = state.text
        longer = [(label, spelt) for label, spelt in self._labels if spelt.startswith(text) and len(spelt) > len(text)]
        going_on = {
            token: text + self._texts[place]
            for _, spelt in longer
            for size in range(1, len(spelt) - len(text) + (self._end == "eos"))
            for place in self._equal(spelt[len(text) : len(text) + size])
            for token in [int(self._tokens[place])]
        }
        for token, whole in going_on.items():
            yield PathStep((token,), None, LabelState((*state.tokens, token), whole))
        if self._end == "eos":
            for label, spelt in self._labels:
                if spelt == text:
                    yield PathStep(self._eos.tolist(), label, None)
            return
        owned = [label for label, spelt in self._labels if text.startswith(spelt)]
        owners = np.full(self._rows, owned[-1] if owned else -1, dtype=np.int64)
        for label, spelt in longer:
            owners[self._tokens[self._beginning(spelt[len(text) :])]] = label
        owners[list(going_on)] = -1
        for label in np.unique(owners[owners >= 0]).tolist():
            yield PathStep(np.flatnonzero(owners == label).tolist(), label, None)

    def _equal(self, piece: bytes) -> range:
        """Places of the tokens with exactly these bytes."""
        return range(bisect.bisect_left(self._texts, piece), bisect.bisect_right(self._texts, piece))

    def _beginning(self, piece: bytes) -> slice:
        """Places of the tokens whose bytes begin with a piece."""
        first = bisect.bisect_left(self._texts, piece)
        return slice(first, bisect.bisect_left(self._texts, True, lo=first, key=lambda one: not one.startswith(piece)))


def score_label_paths(
    distribution: Distribution,
    vocabulary: Vocabulary,
    prompts: Sequence[Sequence[int]],
    labels: Sequence[str],
    *,
    end: End = "any",
    batch_size: int = 32,
) -> np.ndarray:
    """Log-probability of each label after each prompt, over all its tokenisations; see `score_labels` for one of them.

    Args:
        labels: the labels as they follow the prompts.
        prompts, end, batch_size: as in `score_labels`.
    Returns:
        Float64, (prompts, labels), nats; -inf for impossible labels. At most `TOLERANCE` of their sum is missing.
    Raises:
        ContextLengthError, VocabularyError: as `score_labels`.
        ModelError: NaN or infinite logits; the labels have too many tokenisations.
        FormulaError: a formula gives no distribution.
        BatchError: one of several prompts fails; `results` has the scores of the others.
    """
    check_prompts(distribution, prompts)
    paths = LabelPaths(vocabulary, [label.encode() for label in labels], end)
    padding = padding_rows(vocabulary)
    found: list[np.ndarray | None] = []
    failed: dict[int, Exception] = {}
    for number, prompt in enumerate(prompts):

        def logprobs(texts: Sequence[tuple[int, ...]], prompt: Sequence[int] = prompt, number: int = number) -> Tensor:
            prefixes = [[*prompt, *tokens] for tokens in texts]
            logits = distribution.logits(prefixes, 1, starts=[len(prompt)] * len(prefixes))[:, -1]
            rows = next_logprobs(logits, padding)
            if not bool(torch.isfinite(rows.logsumexp(-1)).all()):
                raise ModelError(f"the model returned NaN or infinite logits after prompt {number}; try a wider dtype")
            return rows

        try:
            found.append(_scores(paths, logprobs, len(labels), number, batch_size))
        except (ModelError, FormulaError) as error:
            found.append(None)
            failed[number] = error
    if failed:
        first = failed[min(failed)]
        if len(prompts) == 1:
            raise first
        raise BatchError(failed, found) from first
    return np.array(found).reshape(len(prompts), len(labels))


def _scores(
    paths: LabelPaths, logprobs: Callable[[Sequence[tuple[int, ...]]], Tensor], count: int, number: int, batch_size: int
) -> np.ndarray:
    """Log-probabilities of the labels after one prompt: float64, (labels,), nats."""
    sums = sum_paths(paths, logprobs, most_prefixes=MOST_PREFIXES, tolerance=TOLERANCE, batch_size=batch_size)
    if sums.left > sums.total + np.log(TOLERANCE):
        raise ModelError(
            f"after prompt {number} the labels have more than {MOST_PREFIXES:,} beginnings in tokens that matter; "
            'take shorter labels, or tokenizations="usual"'
        )
    return np.array([sums.logs.get(label, -np.inf) for label in range(count)])


@functools.lru_cache(maxsize=4)
def _sorted_tokens(vocabulary: Vocabulary) -> tuple[list[bytes], np.ndarray]:
    """Bytes of the tokens that spell text, sorted, and their ids: int64."""
    pairs = sorted((text, token) for token, text in enumerate(vocabulary.token_bytes) if text)
    return [text for text, _ in pairs], np.array([token for _, token in pairs], dtype=np.int64)
