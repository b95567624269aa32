"""Classification by label probabilities: calibration, biases, and abstention."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypedDict

import numpy as np

from guidance_kit.decoding.label_scores import End
from guidance_kit.decoding.partial_results import results_of
from guidance_kit.decoding.sampling import TIE, require_integer, require_number
from guidance_kit.errors import BatchError, ModelError, OptionError
from guidance_kit.prompt import read_texts

__all__ = [
    "CONTENT_FREE", "Calibration", "Classification", "ClassifyOptions", "DecisionRule", "LabelClassifier",
    "LabelMassWarning", "LabelScore", "Tokenizations", "described_labels",
]  # fmt: skip

Calibration = Literal["contextual", "batch"]

Tokenizations = Literal["usual", "all"]
"""Tokenisations of a label that count: the "usual" one, or "all"."""

CONTENT_FREE = ("N/A", "[MASK]", "")
"""Content-free inputs of Zhao et al. 2021, Calibrate Before Use."""


class ClassifyOptions(TypedDict, total=False):
    """Options of classification as keyword arguments; see `DecisionRule`."""

    end: End
    tokenizations: Tokenizations
    calibration: Calibration | None
    content_free: Sequence[str]
    biases: Mapping[str, float]
    threshold: float
    margin: float
    top_k: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScore:
    """Score of one label.

    Attributes:
        label: the label.
        probability: probability among all labels, after calibration and biases.
        logprob: log-probability under the model after the prompt, before calibration and biases, nats.
    """

    label: str
    probability: float
    logprob: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """Classification of one text.

    Attributes:
        label: the most likely label; None if the classifier abstained (`threshold`, `margin`).
        probability: probability of the most likely label, also after an abstention.
        scores: labels in descending order of probability, all of them or the first `top_k`. Equally likely ones (up to
            `decoding.sampling.TIE`, relative) keep the order in which they were given.
        mass: total probability of all labels under the model, before calibration and biases. If it is small, the prompt
            does not make the model answer with a label.
    """

    label: str | None
    probability: float
    scores: tuple[LabelScore, ...]
    mass: float

    @property
    def abstained(self) -> bool:
        """Test for an abstention: no label reached the threshold and the margin."""
        return self.label is None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRule:
    """Decision rule: from the log-probabilities of labels to a label or an abstention.

    Args:
        end: end of a label, "any" or "eos", see `score_labels`.
        tokenizations: "usual" counts the tokens by which the tokenizer spells a label, "all" sums over every sequence
            of tokens with its text, see `score_label_paths`.
        calibration: None uses the probabilities of the model. The others divide by a prior, against a bias of the model
            for some labels: "contextual" (Zhao et al. 2021) by the mean probabilities after content-free texts, "batch"
            (Zhou et al. 2023) by the mean probabilities over the texts of one call. Both renormalise: q(y) is
            proportional to p(y) / prior(y).
        content_free: the texts for "contextual".
        biases: nats added to labels after calibration; -inf forbids a label.
        threshold: minimum probability of the most likely label; below it the classifier abstains.
        margin: minimum difference to the probability of the second label. Threshold and margin have a tolerance for
            rounding, at most `decoding.sampling.TIE`; 1 has none.
        top_k: number of scores to return; all by default. Probabilities are over all labels in any case.
    Raises:
        OptionError: a value out of range.
    Source: Zhao et al. 2021, Calibrate Before Use: Improving Few-Shot Performance of Language Models; Zhou et al. 2023,
        Batch Calibration: Rethinking Calibration for In-Context Learning and Prompt Engineering.
    """

    end: End = "any"
    tokenizations: Tokenizations = "usual"
    calibration: Calibration | None = None
    content_free: Sequence[str] = CONTENT_FREE
    biases: Mapping[str, float] | None = None
    threshold: float = 0.0
    margin: float = 0.0
    top_k: int | None = None

    def __post_init__(self) -> None:
        if self.end not in ("any", "eos"):
            raise OptionError.unknown(str(self.end), ("any", "eos"), "end of labels")
        if self.tokenizations not in ("usual", "all"):
            raise OptionError.unknown(str(self.tokenizations), ("usual", "all"), "tokenizations of labels")
        if self.calibration not in (None, "contextual", "batch"):
            raise OptionError.unknown(str(self.calibration), ("contextual", "batch"), "calibration")
        if isinstance(self.content_free, str) or not self.content_free:
            raise OptionError(f"content_free must be texts, at least one, not {self.content_free!r}")
        for name in ("threshold", "margin"):
            require_number(name, getattr(self, name), "a number from 0 to 1", lambda value: 0 <= value <= 1)
        for label, bias in (self.biases or {}).items():
            require_number(f"the bias of {label!r}", bias, "a number of nats", lambda value: value < math.inf)
        if self.top_k is not None:
            require_integer("top_k", self.top_k, least=1)

    @classmethod
    def from_keywords(cls, options: Mapping[str, object]) -> DecisionRule:
        """Decision rule from keyword arguments.

        Raises:
            OptionError: an unknown option (the message has the nearest one); a value out of range.
        """
        known = cls.__dataclass_fields__
        for name in options:
            if name not in known:
                raise OptionError.unknown(name, known)
        return cls(**options)  # pyright: ignore[reportArgumentType]

    def biases_of(self, labels: Sequence[str]) -> np.ndarray:
        """Bias of each label: float64, (labels,), nats.

        Raises:
            OptionError: a bias for an unknown label (the message has the nearest one); all labels are forbidden.
        """
        biases = self.biases or {}
        for label in biases:
            if label not in labels:
                raise OptionError.unknown(label, labels, "label with a bias")
        found = np.array([biases.get(label, 0.0) for label in labels])
        if np.isneginf(found).all():
            raise OptionError("the biases forbid all labels")
        return found


LEAST_MASS = 0.01
"""Mass of the labels below which a `LabelMassWarning` is given."""


class LabelMassWarning(UserWarning):
    """Labels of hardly any probability, whose proportions are unreliable; see `Classification.mass`."""


class LabelClassifier:
    """Classifier of texts, built by `Model.classifier`. The prior of contextual calibration is computed once.

    Args:
        labels: the labels.
        logprobs: function from texts to log-probabilities of the labels after their prompts: float64, (texts, labels).
        rule: the decision rule.
    Raises:
        OptionError: a bias for an unknown label; all labels are forbidden.
    """

    def __init__(
        self, labels: Sequence[str], logprobs: Callable[[Sequence[str]], np.ndarray], rule: DecisionRule
    ) -> None:
        self.labels = tuple(labels)
        self._logprobs = logprobs
        self._rule = rule
        self._biases = rule.biases_of(self.labels)
        self._has_warned = False

    def __call__(self, texts: Iterable[str]) -> list[Classification]:
        """Classify each text.

        Raises:
            OptionError: a single text, or no list of texts; batch calibration of fewer than two texts.
            ModelError: no label is possible after a text; a label is possible there and has the prior 0.
            BatchError: one of several texts fails, for these reasons or those of `score_labels`; `results` has the
                classifications of the others. Batch calibration takes its mean over these.
            GuidanceKitError: as `score_labels`.
        Warns:
            LabelMassWarning: the labels have less than `LEAST_MASS` of the probability after a text; once a classifier.
        """
        texts, is_single = read_texts(texts)
        if is_single:
            raise OptionError("a classifier takes a list of texts; put the text into one")
        if self._rule.calibration == "batch" and len(texts) < 2:
            raise OptionError(
                f"batch calibration needs the other texts of a batch, and there are {len(texts)} texts; give at least "
                'two, or take calibration="contextual"'
            )
        if not texts:
            return []
        scores, errors = results_of(lambda: list(self._logprobs(texts)))
        prior = self._prior([logprobs for logprobs in scores if logprobs is not None])
        found: list[Classification | None] = []
        for number, logprobs in enumerate(scores):
            if logprobs is None:
                found.append(None)
                continue
            try:
                shifted = self._calibrated(logprobs, prior, number) + self._biases
                found.append(self._decide(_normalised(shifted[None], "text", number)[0], logprobs))
            except ModelError as error:
                found.append(None)
                errors[number] = error
        self._warn_of_small_mass(found)
        if errors:
            first = errors[min(errors)]
            if len(found) == 1:
                raise first
            raise BatchError(errors, found) from first
        return [one for one in found if one is not None]

    def _prior(self, scores: Sequence[np.ndarray]) -> np.ndarray:
        """Log-prior of the labels: float64, (labels,); zeros without calibration.

        Args:
            scores: log-probabilities of the labels after each text, (labels,) each.
        """
        if self._rule.calibration == "contextual":
            return self._contextual
        possible = [logprobs for logprobs in scores if not np.isneginf(logprobs).all()]
        if self._rule.calibration is None or not possible:
            return np.zeros(len(self.labels))
        return log_mean(_normalised(np.array(possible), "text"))

    def _warn_of_small_mass(self, found: Sequence[Classification | None]) -> None:
        """Warn if the labels have hardly any mass after one of the texts."""
        masses = {number: one.mass for number, one in enumerate(found) if one is not None and one.mass < LEAST_MASS}
        if not masses or self._has_warned:
            return
        self._has_warned = True
        first = next(iter(masses))
        warnings.warn(
            f"the labels have {masses[first]:.2g} of the probability after text {first}, and less than {LEAST_MASS:g} "
            f"after {len(masses)} of {len(found)} texts: the model would write something else, so the proportions of "
            "the labels say little; give a prompt after which it answers with a label, or other labels",
            LabelMassWarning,
            stacklevel=3,
        )

    @cached_property
    def _contextual(self) -> np.ndarray:
        """Log of the mean label probabilities after the content-free texts: float64, (labels,)."""
        try:
            scores = self._logprobs(list(self._rule.content_free))
        except BatchError as error:
            number, first = next(iter(error.errors.items()))
            first.add_note(f"while the prior of the labels was computed, of which this is content-free text {number}")
            raise first from None
        return log_mean(_normalised(scores, "content-free text"))

    def _calibrated(self, scores: np.ndarray, prior: np.ndarray, text: int) -> np.ndarray:
        """Scores of a text divided by the prior, (labels,) each, nats; impossible labels stay impossible."""
        is_lost = np.isneginf(prior) & ~np.isneginf(scores)
        if is_lost.any():
            label = int(np.argmax(is_lost))
            raise ModelError(
                f"label {self.labels[label]!r} is possible after text {text}, but after none of the content-free texts:"
                " its prior is 0, and nothing can be divided by it; take other content_free texts, or no calibration"
            )
        return scores - np.where(np.isneginf(prior), 0.0, prior)

    def _decide(self, logs: np.ndarray, logprobs: np.ndarray) -> Classification:
        """Classification of one text, from the normalised and the model's log-probabilities: (labels,) each."""
        chances = np.exp(logs)
        order = _descending_order(chances)
        best = float(chances[order[0]])
        second = float(chances[order[1]]) if len(order) > 1 else 0.0
        least, margin = self._rule.threshold, self._rule.margin
        is_likely = best >= least - TIE * least * (1 - least)
        is_sure = is_likely and best - second >= margin - TIE * (1 - margin)
        return Classification(
            label=self.labels[order[0]] if is_sure else None,
            probability=best,
            scores=tuple(
                LabelScore(label=self.labels[place], probability=float(chances[place]), logprob=float(logprobs[place]))
                for place in order[: self._rule.top_k]
            ),
            mass=float(np.exp(logprobs).sum()),
        )


def described_labels(labels: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Labels with their descriptions, "" for labels without one.

    Raises:
        OptionError: no labels, an empty one, two equal ones, a label or description that is no text.
    """
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable) or not labels:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"labels must be a list of texts, or a mapping from texts to descriptions, not {labels!r}")
    pairs = list(labels.items()) if isinstance(labels, Mapping) else [(label, "") for label in labels]
    described: dict[str, str] = {}
    for number, (label, meaning) in enumerate(pairs):
        if not isinstance(label, str) or not isinstance(meaning, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"label {number} is {label!r}, described by {meaning!r}; both must be texts")
        if not label:
            raise OptionError(f"label {number} is empty; a model needs something to write")
        if label in described:
            raise OptionError(f"label {label!r} is given twice")
        described[label] = meaning
    return described


def _descending_order(chances: np.ndarray) -> np.ndarray:
    """Indices of labels in descending order of probability: int64, (labels,); ties with the first keep their order."""
    order = np.argsort(-chances, kind="stable")
    first = 0
    for place in range(1, len(order) + 1):
        if place == len(order) or chances[order[place]] < (1 - TIE) * chances[order[first]]:
            order[first:place].sort()
            first = place
    return order


def log_mean(logs: np.ndarray) -> np.ndarray:
    """Log of the mean probability over the first axis, from log-probabilities, without underflow."""
    return np.logaddexp.reduce(logs, axis=0) - math.log(len(logs))


def _normalised(logs: np.ndarray, what: str, first: int = 0) -> np.ndarray:
    """Log-probabilities normalised in each row.

    Args:
        what: name of a row in messages.
        first: number of the first row.
    Raises:
        ModelError: a row has no possible label.
    """
    total = np.logaddexp.reduce(logs, axis=1, keepdims=True)
    if np.isneginf(total).any():
        number = first + int(np.argmax(np.isneginf(total)))
        raise ModelError(
            f"no label is possible after {what} {number}: the model, or the biases, give each of them probability 0"
        )
    return logs - total
