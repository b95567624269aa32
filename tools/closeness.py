"""How close the sentences that are held out are to those of training, and whether models find only the close ones.

    python -m tools.closeness

The closeness of a sentence is the largest share of its words that a sentence of training has too, in the same order.
Capitals and punctuation do not count, and an entity is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from types import ModuleType
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.evaluation import sets
from tools.support_world.conversations import INTENTS, WORDINGS, sentence, topic
from tools.support_world.filings import SENTENCES
from tools.support_world.kinds import REQUESTED
from tools.support_world.templates import appointments, bookings, meetings, orders, shared
from tools.support_world.templates.blind_requests import BLIND_REQUESTS
from tools.support_world.wording import Draft, Wordings, expansions, parsed

__all__ = ["close", "closeness", "main", "wordings_in"]

CLOSE = 0.75
"""A sentence with at least this share of its words in a sentence of training is close to it."""

FILLINGS = 5
"""With how many names, numbers and products each sentence is tried."""

_WORD = re.compile(r"\{\w+\}|[\w'@-]+")


def words(text: str) -> list[str]:
    """The words of a text or of a part of a template, in lower case."""
    return _WORD.findall(text.lower())


def closeness(said: str, template: str) -> float:
    """The largest share of a sentence's words that a sentence of a template has, in the same order, in [0, 1].

    The longest common subsequence with all sentences of the template at once: where a template has alternatives, what
    the best of them reaches for each beginning of the sentence is gone on with.
    """
    wanted = words(said)

    def after(parts: Iterable[Any], best: list[int]) -> list[int]:
        """`best[i]`: the most words of the first i that any way through the template so far has in common."""
        for part in parts:
            if isinstance(part, str):
                for word in words(part):
                    best = _one_more(best, word)
            else:
                best = [max(column) for column in zip(*(after(option, best) for option in part), strict=True)]
        return best

    def _one_more(best: list[int], word: str) -> list[int]:
        found = [0]
        for i, one in enumerate(wanted):
            found.append(max(found[i], best[i + 1], best[i] + (one == word)))
        return found

    return after(parsed(template), [0] * (len(wanted) + 1))[-1] / max(len(wanted), 1)


def close(sentences: Iterable[str], templates: Iterable[str]) -> list[bool]:
    """Which of the sentences are close to one of the templates'."""
    known = list(templates)
    return [any(closeness(one, of) >= CLOSE for of in known) for one in sentences]


def wordings_in(found: Any) -> Iterator[Wordings]:
    """The wordings in a module's table, or in one."""
    if isinstance(found, dict):
        for inner in found.values():
            yield from wordings_in(inner)
    elif isinstance(found, Wordings):
        yield found


def _of(module: ModuleType) -> list[Wordings]:
    return [of for name in module.__all__ for of in wordings_in(getattr(module, name))]


def main() -> None:
    """Print how close what is held out is to what is trained on."""
    table = Table(
        "held out", "sentences", "close to the first stage", "to all of training", "found: close", "not close"
    )
    texts = {"tickets": list(REQUESTED.values())}
    for module in (orders, meetings, appointments, bookings, shared):
        texts[module.__name__.rpartition(".")[2]] = _of(module)
    for name, some in texts.items():
        counted = [(of.held_out, of.train, of.train + of.wide) for of in some]
        table.add_row(name, *_counts(counted), "–", "–")
    model = gk.load("large-intents")
    for name, of in (("intents", SENTENCES), ("intents, another writer", BLIND_REQUESTS)):
        counted = [(of[intent].held_out, WORDINGS[intent].train, SENTENCES[intent].train) for intent in INTENTS]
        table.add_row(name, *_counts(counted), *_found(model, {intent: of[intent].held_out for intent in INTENTS}))
    Console().print(table)


def _counts(some: Iterable[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]) -> tuple[str, ...]:
    """Held-out sentences, those close to the first templates, and those close to all."""
    counts = [0, 0, 0]
    for held_out, first, every in some:
        sentences = [text for template in held_out for text in expansions(template)]
        counts[0] += len(sentences)
        counts[1] += sum(close(sentences, first))
        counts[2] += sum(close(sentences, every))
    return tuple(map(str, counts))


def _found(model: gk.Model, held_out: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The share of sentences, filled five times each and without a text around them, whose intents a model finds."""
    right: dict[bool, list[bool]] = {True: [], False: []}
    for intent, templates in held_out.items():
        for is_near, template in zip(close(templates, SENTENCES[intent].train), templates, strict=True):
            drafts = (Draft(Random(f"{template}:{number}"), "held_out", "held_out") for number in range(FILLINGS))
            filled = [sentence(draft, Wordings((), (template,))) for draft in drafts]
            found = model.classify(filled, [topic(one) for one in INTENTS], prompt=sets.FILING.format)
            right[is_near] += [one.label == topic(intent) for one in found]
    return tuple(f"{sum(some) / len(some):.1%}" if some else "–" for some in (right[True], right[False]))


if __name__ == "__main__":
    typer.run(main)
