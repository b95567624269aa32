"""Scoring of replies: how rude they are, whether they answer, and whether they repeat what the message says.

There are two judges of rudeness, and neither is a model that steers: the sentences that agents of the world write in
each tone, and `RudenessJudge`, a logistic regression on words and pairs of words, which sees what is put otherwise.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor

from tools.support_world.conversations import Conversation, Tone, conversations
from tools.support_world.templates import replies
from tools.support_world.wording import pattern

__all__ = ["ReplyScore", "RudenessJudge", "answered_intents", "distinct", "is_polite", "is_rude", "score_reply"]


@cache
def _sentences(tone: Tone) -> re.Pattern[str]:
    """What agents write in a tone."""
    around = (replies.OPENINGS, replies.STATEMENTS, replies.REFERENCES, replies.ACTIONS, replies.CLOSINGS)
    return re.compile("|".join(pattern(template) for of in around for template in of[tone].train))


@cache
def _actions() -> dict[str, re.Pattern[str]]:
    """What agents do about each intent."""
    return {
        intent: re.compile("|".join(map(pattern, answer.action.train))) for intent, answer in replies.ANSWERS.items()
    }


def is_rude(text: str) -> bool:
    """Whether one of the sentences of a reply is rude."""
    return _sentences("rude").search(text) is not None


def is_polite(text: str) -> bool:
    """Whether one of the sentences of a reply is polite, and none rude."""
    return not is_rude(text) and _sentences("polite").search(text) is not None


def answered_intents(text: str) -> set[str]:
    """The intents that a reply does something about."""
    return {intent for intent, actions in _actions().items() if actions.search(text)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyScore:
    """How good a reply is; each part is in [0, 1].

    Args:
        politeness: 1 for a polite reply.
        answer: 1 if it does something about the intent of the message, and about no other.
        details: share of the details of the message that it repeats, character by character; 1 if there are none.
    """

    politeness: float
    answer: float
    details: float

    @property
    def total(self) -> float:
        """The mean of the parts."""
        return (self.politeness + self.answer + self.details) / 3


def score_reply(text: str, of: Conversation) -> ReplyScore:
    """Score a reply to the message of a conversation."""
    repeated = [words in text for words in of.details.values()]
    return ReplyScore(
        politeness=float(is_polite(text)),
        answer=float(answered_intents(text) == {of.intent}),
        details=sum(repeated) / len(repeated) if repeated else 1.0,
    )


def distinct(texts: Sequence[str], n: int) -> float:
    """Different n-grams of words, divided by the number of words, as in Liu et al. 2021 (DExperts)."""
    words = [text.split() for text in texts]
    grams = {tuple(row[start : start + n]) for row in words for start in range(len(row) - n + 1)}
    return len(grams) / max(sum(map(len, words)), 1)


def _features(text: str) -> set[str]:
    """Words, and pairs of words that stand together."""
    words = re.findall(r"\w+|[?!]", text.lower())
    return {*words, *map(" ".join, itertools.pairwise(words))}


@dataclass(frozen=True, slots=True, kw_only=True)
class RudenessJudge:
    """A logistic regression on words and pairs of words.

    Args:
        columns: number of each feature that it knows.
        weights: float32 (features + 1,); the last is the constant.
    """

    columns: dict[str, int]
    weights: Tensor

    @classmethod
    def trained(cls, number: int = 3000, seed: int = 99) -> Self:
        """Train on replies of conversations with a seed that no model is trained on."""
        source = list(conversations("train", 0, number, seed))
        counted: dict[str, int] = {}
        for one in source:
            for feature in _features(one.reply):
                counted[feature] = counted.get(feature, 0) + 1
        known = [feature for feature, count in sorted(counted.items()) if count >= 5]
        untrained = cls(columns={feature: column for column, feature in enumerate(known)}, weights=torch.empty(0))
        inputs = untrained._inputs([one.reply for one in source])
        wanted = torch.tensor([float(one.reply_tone == "rude") for one in source])
        weights = torch.zeros(len(known) + 1, requires_grad=True)
        optimizer = torch.optim.LBFGS([weights], max_iter=60, line_search_fn="strong_wolfe")

        def loss() -> Tensor:
            optimizer.zero_grad()
            value = F.binary_cross_entropy_with_logits(inputs @ weights, wanted) + 1e-3 * weights.square().sum()
            value.backward()
            return value

        optimizer.step(loss)
        return cls(columns=untrained.columns, weights=weights.detach())

    def _inputs(self, texts: Sequence[str]) -> Tensor:
        """Which features each text has, and a constant; float32 (texts, features + 1)."""
        inputs = torch.zeros(len(texts), len(self.columns) + 1)
        inputs[:, -1] = 1
        for row, text in enumerate(texts):
            inputs[row, [self.columns[feature] for feature in _features(text) if feature in self.columns]] = 1
        return inputs

    def probabilities(self, texts: Sequence[str]) -> Tensor:
        """The probability that each text is rude; float32 (texts,)."""
        return torch.sigmoid(self._inputs(texts) @ self.weights)
