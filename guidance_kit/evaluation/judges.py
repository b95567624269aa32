"""Judges and metrics independent of the steering models: bag-of-words classifier, sentence patterns, perplexity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.evaluation.sets import Answered, Message, World
from guidance_kit.models.transformers_model import TransformersModel

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["ReplyScore", "WordClassifier", "calibration_error", "distinct", "mean_score", "perplexity", "score_reply"]


class WordClassifier:
    """Logistic regression on TF-IDF weighted unigrams and bigrams of words, trained in the constructor.

    Args:
        texts, labels: training set.
    Raises:
        OptionError: scikit-learn is not installed.
    """

    def __init__(self, texts: Sequence[str], labels: Sequence[str]) -> None:
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
            from sklearn.linear_model import LogisticRegression
            from sklearn.pipeline import make_pipeline
        except ImportError:
            raise OptionError("evaluation needs scikit-learn: pip install 'guidance-kit[evaluate]'") from None
        words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\w+|[?!]")
        self._made: Any = make_pipeline(words, LogisticRegression(C=20.0, max_iter=1000))
        self._made.fit(list(texts), list(labels))

    @classmethod
    def of_rudeness(cls, some: Sequence[Answered]) -> WordClassifier:
        """Classifier of rude against other replies."""
        return cls([one.reply for one in some], ["rude" if one.tone == "rude" else "other" for one in some])

    @property
    def labels(self) -> list[str]:
        """Labels in the order of the columns of `probabilities`."""
        return [str(label) for label in self._made.classes_]

    def probabilities(self, texts: Sequence[str]) -> list[list[float]]:
        """Probability of each label, for each text."""
        return self._made.predict_proba(list(texts)).tolist()

    def rudeness(self, texts: Sequence[str]) -> list[float]:
        """Probability that each text is rude; for a classifier from `of_rudeness`."""
        column = self.labels.index("rude")
        return [row[column] for row in self.probabilities(texts)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyScore:
    """Score of a reply; each part is in [0, 1].

    Args:
        politeness: 1 for a polite reply.
        answer: 1 if it acts on the intent of the message, and on no other.
        details: share of the details of the message that it repeats verbatim; 1 if there are none.
    """

    politeness: float
    answer: float
    details: float

    @property
    def total(self) -> float:
        """Mean of the parts."""
        return (self.politeness + self.answer + self.details) / 3


def score_reply(reply: str, message: Message, world: World) -> ReplyScore:
    """Score a reply to a message."""
    repeated = [words in reply for words in message.details]
    return ReplyScore(
        politeness=float(world.is_polite(reply)),
        answer=float(world.answered(reply) == {message.intent}),
        details=sum(repeated) / len(repeated) if repeated else 1.0,
    )


def mean_score(replies: Sequence[str], source: Sequence[Message], world: World) -> ReplyScore:
    """Mean score of replies, one to each message."""
    scores = [score_reply(reply, message, world) for reply, message in zip(replies, source, strict=True)]
    parts = ("politeness", "answer", "details")
    return ReplyScore(**{part: sum(getattr(score, part) for score in scores) / len(scores) for part in parts})


def distinct(texts: Sequence[str], n: int) -> float:
    """Dist-n: distinct n-grams of words divided by the number of words, as in Liu et al. 2021 (DExperts)."""
    words = [text.split() for text in texts]
    grams = {tuple(row[start : start + n]) for row in words for start in range(len(row) - n + 1)}
    return len(grams) / max(sum(map(len, words)), 1)


def perplexity(model: Model, prompts: Sequence[str], texts: Sequence[str], batch: int = 50) -> float:
    """Mean perplexity of the non-empty texts after their prompts.

    Raises:
        ModelError: the model is of another backend than transformers, or all texts are empty.
    Source: Liu et al. 2021 (DExperts).
    """
    judge = model.language_model
    if not isinstance(judge, TransformersModel):
        raise ModelError(f"the perplexity is that of a model of transformers, and {judge.name} is none")
    encode = judge.encode
    pairs = [
        (encode(prompt), encode(text, with_special_tokens=False))
        for prompt, text in zip(prompts, texts, strict=True)
        if text
    ]
    found: list[float] = []
    for first in range(0, len(pairs), batch):
        some = pairs[first : first + batch]
        tokens = torch.nn.utils.rnn.pad_sequence([torch.tensor([*a, *b]) for a, b in some], batch_first=True)
        tokens = tokens.to(judge.device)
        with torch.no_grad():
            logits = judge.model(tokens[:, :-1]).logits.float()
        losses = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
        for row, (a, b) in zip(losses, some, strict=True):
            found.append(math.exp(row[len(a) - 1 : len(a) + len(b) - 1].mean().item()))
    if not found:
        raise ModelError("all texts are empty, so they have no perplexity")
    return sum(found) / len(found)


def calibration_error(confidences: Sequence[float], are_right: Sequence[bool], bins: int = 10) -> float:
    """Expected calibration error: weighted mean distance of confidence and accuracy over bins of equal width.

    Source: Guo et al. 2017, On Calibration of Modern Neural Networks.

    >>> round(calibration_error([0.95, 0.95, 0.95, 0.95], [True, True, True, False]), 3)
    0.2
    """
    groups: dict[int, list[tuple[float, bool]]] = {}
    for confidence, is_right in zip(confidences, are_right, strict=True):
        groups.setdefault(min(int(confidence * bins), bins - 1), []).append((confidence, is_right))
    gaps = (abs(sum(c - r for c, r in group)) for group in groups.values())
    return sum(gaps) / max(len(confidences), 1)
