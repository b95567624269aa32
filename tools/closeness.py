"""How close the sentences that are held out are to those of training, and whether models find only the close ones.

    python -m tools.closeness

The closeness of a sentence is the largest share of its words that a sentence of training has too, in the same order.
Capitals and punctuation do not count, and an entity is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
    rows = Table("held out", "sentences", "close to the first stage", "close to all of training")
    texts = {"tickets": list(REQUESTED.values())}
    for module in (orders, meetings, appointments, bookings, shared):
        texts[module.__name__.rpartition(".")[2]] = _of(module)
    for name, some in texts.items():
        rows.add_row(name, *_counts([(of.held_out, of.train, of.train + of.wide) for of in some]))
    pairs = [(of.held_out, WORDINGS[name].train, of.train) for name, of in SENTENCES.items()]
    rows.add_row("intents", *_counts(pairs))
    pairs = [(BLIND_REQUESTS[name].held_out, WORDINGS[name].train, of.train) for name, of in SENTENCES.items()]
    rows.add_row("intents, another writer", *_counts(pairs))
    console = Console()
    console.print(rows)
    console.print(_found(gk.load("large-intents")))


def _counts(some: Iterable[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]) -> tuple[str, str, str]:
    """Held-out sentences, those close to the first templates, and those close to all."""
    counts = [0, 0, 0]
    for held_out, first, every in some:
        sentences = [text for template in held_out for text in expansions(template)]
        counts[0] += len(sentences)
        counts[1] += sum(close(sentences, first))
        counts[2] += sum(close(sentences, every))
    return tuple(map(str, counts))


def _found(model: gk.Model) -> Table:
    """How many intents a model finds in the sentences of another writer, close to training and not."""
    right: dict[bool, list[bool]] = {True: [], False: []}
    for intent, of in BLIND_REQUESTS.items():
        near = close(of.held_out, SENTENCES[intent].train)
        drafts = [Draft(Random(f"{intent}:{number}"), "held_out", "held_out") for number in range(len(near))]
        filled = [sentence(draft, Wordings((), (one,))) for draft, one in zip(drafts, of.held_out, strict=True)]
        found = model.classify(filled, [topic(one) for one in INTENTS], prompt=sets.FILING.format)
        for is_near, one in zip(near, found, strict=True):
            right[is_near].append(one.label == topic(intent))
    table = Table("intents, another writer, the sentence alone", "sentences", "found")
    for is_near, name in ((True, "close"), (False, "not close")):
        table.add_row(name, str(len(right[is_near])), f"{sum(right[is_near]) / max(len(right[is_near]), 1):.1%}")
    return table


if __name__ == "__main__":
    typer.run(main)
