"""Retrieval-augmented classification: the labels of similar messages are the prior, the model's are the likelihood.

python -m examples.retrieve_and_classify "I would like to know where my parcel is."

A retriever (BM25, `pip install bm25s`) finds similar messages that somebody has labelled. ln of the share of each label
among them, smoothed, is added to the log-probability of the label under the model. Without an argument it prints the
accuracy with and without retrieval on messages of a writer whose sentences the model has not seen.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Annotated

import typer

import guidance_kit as gk
from examples.retrieve_and_extract import Retriever
from guidance_kit.evaluation.sets import FILING, Labelled, filed, sentences


class RetrievalClassifier:
    """Classifier with labelled messages at hand.

    Args:
        model: the model.
        known: labelled messages.
        k: number of similar messages whose labels count.
        smoothing: count that each label has without a message.
    """

    def __init__(self, model: gk.Model, known: list[Labelled], *, k: int = 8, smoothing: float = 0.5) -> None:
        self._model, self._known = model, known
        self._retriever = Retriever([one.text for one in known])
        self._k, self._smoothing = k, smoothing
        self.labels = sorted({one.label for one in known})

    def label(self, texts: list[str], *, has_retrieval: bool = True) -> list[str]:
        """Most probable label of each text."""
        found: list[str] = []
        written = [f" {label}" for label in self.labels]
        for text, scored in zip(texts, self._model.classify(texts, written, prompt=FILING.format), strict=True):
            votes = Counter(self._known[place].label for place in self._retriever.best(text, self._k))
            prior = {label: math.log(votes[label] + self._smoothing) * has_retrieval for label in self.labels}
            best = max(scored.scores, key=lambda one: one.logprob + prior[one.label.strip()])
            found.append(best.label.strip())
        return found


def main(
    messages: Annotated[list[str] | None, typer.Argument(help="What customers wrote.")] = None,
    model: Annotated[str, typer.Option(help="The model.")] = "large-intents",
    known: Annotated[int, typer.Option(help="Number of labelled messages to search.")] = 10_000,
) -> None:
    """Print the label of each message, or the accuracy with and without retrieval."""
    classifier = RetrievalClassifier(gk.load(model), filed()[:known])
    if messages:
        for message, label in zip(messages, classifier.label(messages), strict=True):
            print(f"{label}: {message}")
        return
    wanted = sentences()
    for has_retrieval in (False, True):
        found = classifier.label([one.text for one in wanted], has_retrieval=has_retrieval)
        right = sum(label == one.label for label, one in zip(found, wanted, strict=True))
        print(f"{'with' if has_retrieval else 'without'} retrieval: {right} of {len(wanted)} labels are right")


if __name__ == "__main__":
    typer.run(main)
