"""Filings: messages of customers and their topics, for the model that is tuned to find the topic.

The messages are those of conversations, except that each intent can be said in seven times as many sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tools.support_world.conversations import INTENTS, WORDINGS, Tone, customer_message, sentence, topic
from tools.support_world.noise import typos
from tools.support_world.splits import SPLITS
from tools.support_world.templates.more_requests import MORE_REQUESTS
from tools.support_world.templates.shared import TONES
from tools.support_world.wording import Draft

__all__ = ["SENTENCES", "Filing", "filing", "filings", "hurried"]

SENTENCES = {intent: of.lengthened(MORE_REQUESTS[intent].train) for intent, of in WORDINGS.items()}
"""For each intent, the sentences that say it; held out are those of conversations, and what can say one is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing:
    """A message and what it is about.

    Args:
        message: one line.
        sentence: the part of it that says the intent.
        other: another sentence that says the intent, of the same things.
        intent: a key of `SENTENCES`.
    """

    message: str
    sentence: str
    other: str
    intent: str

    @property
    def written(self) -> str:
        """What a model writes after "Topic:"."""
        return f"{topic(self.intent)}\n"


def filing(split: str, index: int, seed: int = 0) -> Filing:
    """Filing number `index` of a split."""
    where = SPLITS[split]
    random = Random(f"filings-1:{seed}:{split}:{index}")
    draft = Draft(random, where.entities, where.templates)
    intent = random.choice(INTENTS)
    tone: Tone = random.choice(TONES)
    said = sentence(draft, SENTENCES[intent])
    message = customer_message(draft, said, tone)
    return Filing(message=message, sentence=said, other=sentence(draft, SENTENCES[intent]), intent=intent)


def filings(split: str, start: int, stop: int, seed: int = 0) -> Iterator[Filing]:
    """Filings `start` to `stop` of a split."""
    for index in range(start, stop):
        yield filing(split, index, seed)


def hurried(one: Filing, random: Random) -> str:
    """The message as a model reads it in training.

    Two in five begin as one sentence and end as another of the same intent; the others mostly are their sentence alone.
    Then words are left out of many, and some are misspelt. Whoever has to tell the topic from what is left learns from
    every word, not only from the shape of a sentence.
    """
    if random.random() < 0.4:
        begin, end = one.sentence.split(), one.other.split()
        text = " ".join(begin[: random.randint(1, len(begin))] + end[random.randrange(len(end)) :])
    else:
        text = one.sentence if random.random() < 0.6 else one.message
    if random.random() < 0.05:
        text = typos(text, random)
    if random.random() < 0.1:
        text = text.lower()
    if random.random() < 0.6:
        rate = 0.3 * random.random()
        text = " ".join(word for word in text.split() if random.random() > rate) or text
    return text
