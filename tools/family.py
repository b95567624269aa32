"""The members of the bundled family for steering: what each begins with, and what it is trained on, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tools.training import Recipe

__all__ = ["CLASSIFIER", "COPIER", "FAMILY", "FILINGS", "NUMBER", "SMALL", "Member"]

CLASSIFIER = "rudeness"
"""The name of the classifier of replies."""

COPIER = "support-2m"
"""The bundled model that the large base begins with, as it knows already how to copy names and numbers.

The bundled large base began with what its first stage of training gives. Its tokenizer is that of the family."""

FILINGS = "filings"
"""What a member is trained on instead of a style of conversations: messages and their topics."""

NUMBER = 200
"""Messages that a card's scores are taken on."""

LARGE = Recipe(tokens=7_500_000, batch_tokens=2048, peak=1.5e-3)
SMALL = replace(LARGE, tokens=11_000_000, hidden=96, heads=3, peak=3e-3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One model of the family.

    Args:
        style: of the conversations that it is trained on, a key of `STYLES`, or `FILINGS`.
        base: the model whose weights it begins with, `COPIER` or one of the family; "" for fresh ones.
        is_chat: whether it reads messages in the chat template; else conversations as plain text.
        runs: how many times it is trained, each time with another seed; the mean of their weights is the model.
        shared: number of tokens that a run before them is trained on, whose weights all of them begin with.
    """

    style: str
    recipe: Recipe
    base: str = ""
    is_chat: bool = False
    runs: int = 1
    shared: int = 0

    @property
    def is_base(self) -> bool:
        """Whether it is trained on whole conversations, else on what follows a message."""
        return self.style == "raw"

    @property
    def files(self) -> bool:
        """Whether it is trained to write the topics of messages, else replies."""
        return self.style == FILINGS


def _tuned(recipe: Recipe, tokens: int) -> Recipe:
    return replace(recipe, seed=1, tokens=tokens, peak=1e-3, warmup=0.05, decay=0.8)


FAMILY = {
    "base-small": Member(style="raw", recipe=SMALL),
    "base-large": Member(style="raw", base=COPIER, recipe=LARGE),
    "rude": Member(style="rude", base="base-small", recipe=_tuned(SMALL, 800_000)),
    "polite": Member(style="polite", base="base-small", recipe=_tuned(SMALL, 800_000)),
    "small-tuned": Member(style="task", base="base-small", is_chat=True, recipe=_tuned(SMALL, 1_600_000)),
    "large-tuned": Member(style="task", base="base-large", is_chat=True, recipe=_tuned(LARGE, 1_200_000)),
    "large-intents": Member(
        style=FILINGS,
        base="base-large",
        runs=3,
        shared=4_000_000,
        recipe=replace(LARGE, seed=1, tokens=2_000_000, batch_tokens=1024, peak=2e-3, decay=1.0),
    ),
}
"""In the order in which they are trained."""
