"""Score the bundled family: DExperts against rudeness, proxy-tuning, and intents by the probabilities of labels.

    python -m tools.score_family                        # the bundled models; prints the tables of docs/family.md
    python -m tools.score_family --folder out/family    # models that have just been trained

Messages are held out: their names, numbers and sentences were never in training. Rudeness is judged by the sentences of
the world and by a classifier on words, not by the models that steer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import torch
import torch.nn.functional as F
import typer
from transformers import PreTrainedTokenizerBase

import guidance_kit as gk
from tools.support_world.conversations import (
    HELD_OUT_INTENTS,
    INTENTS,
    Conversation,
    conversations,
    filing,
    prompt,
    topic,
)
from tools.support_world.reply_scoring import ReplyScore, RudenessJudge, distinct, is_rude, score_reply

__all__ = ["Steered", "gap_closed", "intent_accuracy", "main", "perplexity", "proxy_tuned", "quality", "steered"]

Load = Callable[[str], gk.Model]
"""From the name of a member of the family to the model."""

MAX_TOKENS = 120
BUNDLED = Path(gk.__file__).resolve().parent / "bundled"


def perplexity(model: gk.Model, prompts: Sequence[str], texts: Sequence[str], batch: int = 50) -> float:
    """The perplexity of each text after its prompt, averaged over the texts that have a token.

    Source: Liu et al. 2021 (DExperts).
    """
    tokenizer = model.language_model.tokenizer
    assert isinstance(tokenizer, PreTrainedTokenizerBase)
    found: list[float] = []
    for first in range(0, len(prompts), batch):
        read = tokenizer(list(prompts[first : first + batch]))["input_ids"]
        written = tokenizer(list(texts[first : first + batch]))["input_ids"]
        rows = [torch.tensor(a + b) for a, b in zip(read, written, strict=True)]
        tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        with torch.no_grad():
            logits = model.language_model.model(tokens[:, :-1]).logits.float()
        losses = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
        for row, a, b in zip(losses, read, written, strict=True):
            if b:
                found.append(math.exp(row[len(a) - 1 : len(a) + len(b) - 1].mean().item()))
    return sum(found) / len(found)


def quality(model: gk.Model, source: Sequence[Conversation]) -> ReplyScore:
    """The mean scores of the greedy replies of a model that reads messages, see `Operand.given`."""
    written = model.generate(
        [one.message for one in source], max_tokens=MAX_TOKENS, temperature=0, stop="\n", batch_size=100
    )
    scores = [score_reply(reply.text, one) for reply, one in zip(written, source, strict=True)]
    return ReplyScore(
        **{
            part: sum(getattr(score, part) for score in scores) / len(scores)
            for part in ("politeness", "answer", "details")
        }
    )


def proxy_tuned(large: gk.Model, small_tuned: gk.Model, small: gk.Model, alpha: float) -> gk.Model:
    """The formula of proxy-tuning over messages: base models read a transcript, the tuned one its chat template."""
    return gk.proxy_tuning(large.given(prompt), small_tuned.given(gk.as_chat()), small.given(prompt), alpha=alpha)


def gap_closed(base: ReplyScore, proxy: ReplyScore, ceiling: ReplyScore) -> float:
    """How much of what tuning the large model would bring the proxy brings; 1 is all of it. Liu et al. 2024."""
    return (proxy.total - base.total) / (ceiling.total - base.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steered:
    """What came out of sampling several replies to each message.

    Args:
        rude: share of the replies with a rude sentence.
        judged_rude: share of the replies that `RudenessJudge` calls rude.
        any_rude: share of the messages with a rude reply among theirs.
        perplexity: of the replies under the base, which is not steered.
        distinct: dist-1, dist-2 and dist-3, over the replies to one message, averaged.
    """

    rude: float
    judged_rude: float
    any_rude: float
    perplexity: float
    distinct: tuple[float, float, float]


def steered(
    model: gk.Model, base: gk.Model, messages: Sequence[str], judge: RudenessJudge, *, samples: int, seed: int = 0
) -> Steered:
    """Sample replies and judge them. `model` reads the prompts that `base` reads."""
    prompts = [prompt(message) for message in messages for _ in range(samples)]
    texts = [one.text for one in model.generate(prompts, max_tokens=MAX_TOKENS, seed=seed, stop="\n", batch_size=100)]
    rude = [is_rude(text) for text in texts]
    groups = [texts[first : first + samples] for first in range(0, len(texts), samples)]
    one, two, three = (sum(distinct(group, n) for group in groups) / len(groups) for n in (1, 2, 3))
    return Steered(
        rude=sum(rude) / len(rude),
        judged_rude=(judge.probabilities(texts) > 0.5).float().mean().item(),
        any_rude=sum(any(rude[first : first + samples]) for first in range(0, len(rude), samples)) / len(messages),
        perplexity=perplexity(base, prompts, texts),
        distinct=(one, two, three),
    )


def intent_accuracy(model: gk.Model, source: Sequence[Conversation]) -> float:
    """Share of the messages whose intent is the likeliest, by the exact probabilities of all labels as topics."""
    labels = [topic(intent) for intent in INTENTS]
    found = model.classify([one.message for one in source], labels, prompt=filing)
    return sum(one.label == topic(of.intent) for one, of in zip(found, source, strict=True)) / len(source)


def rudeness_table(load: Load, number: int, samples: int) -> Iterator[str]:
    """How rude replies to rude messages are, by the strength of DExperts."""
    yield "| alpha | rude replies | judged rude | messages with one | perplexity | dist-1 | dist-2 | dist-3 |"
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|"
    judge = RudenessJudge.trained()
    large, polite, rude = load("base-large"), load("polite"), load("rude")
    messages = [one.message for one in conversations("new_wordings", 0, 4 * number) if one.tone == "rude"][:number]
    for alpha in (0.0, 0.1, 0.25, 0.5, 1.0, 2.0):
        made = steered(gk.dexperts(large, polite, rude, alpha=alpha), large, messages, judge, samples=samples)
        spread = " | ".join(f"{value:.2f}" for value in made.distinct)
        yield (
            f"| {alpha:g} | {made.rude:.1%} | {made.judged_rude:.1%} | {made.any_rude:.1%} | {made.perplexity:.2f} "
            f"| {spread} |"
        )


def replies_table(load: Load, number: int, intents: tuple[str, ...]) -> Iterator[str]:
    """How good the replies to messages with some intents are, by what writes them."""
    yield "| written by | polite | right answer | details repeated | mean | gap closed |"
    yield "|---|--:|--:|--:|--:|--:|"
    small, large = load("base-small"), load("base-large")
    small_tuned, large_tuned = load("small-tuned"), load("large-tuned")
    writers: dict[str, gk.Model] = {
        "`base-small`": small.given(prompt),
        "`base-large`": large.given(prompt),
        "`small-tuned`": small_tuned.given(gk.as_chat()),
        **{f"proxy-tuned, alpha {a:g}": proxy_tuned(large, small_tuned, small, a) for a in (0.5, 1.0, 1.5)},
        "`large-tuned`": large_tuned.given(gk.as_chat()),
    }
    source = list(conversations("new_wordings", 0, number, intents=intents))
    found = {name: quality(model, source) for name, model in writers.items()}
    for name, of in found.items():
        closed = gap_closed(found["`base-large`"], of, found["`large-tuned`"])
        yield f"| {name} | {of.politeness:.1%} | {of.answer:.1%} | {of.details:.1%} | {of.total:.3f} | {closed:.0%} |"


def intents_table(load: Load, number: int) -> Iterator[str]:
    """How many messages have their intent as the likeliest of all topics."""
    yield "| messages | `base-large` | `base-small` |"
    yield "|---|--:|--:|"
    for split, name in (("new_entities", "unseen names and numbers"), ("new_wordings", "unseen sentences too")):
        source = list(conversations(split, 0, number))
        shares = (intent_accuracy(load(model), source) for model in ("base-large", "base-small"))
        yield f"| {name} | {' | '.join(f'{share:.1%}' for share in shares)} |"


def main(
    parts: Annotated[list[str] | None, typer.Argument(help="Tables; all by default.")] = None,
    folder: Annotated[Path, typer.Option(help="Folder with the models.")] = BUNDLED,
    number: Annotated[int, typer.Option(help="Messages of each table.")] = 200,
    samples: Annotated[int, typer.Option(help="Replies to a message, for rudeness.")] = 5,
    threads: Annotated[int, typer.Option(help="Threads.")] = 1,
) -> None:
    """Score the bundled family."""
    torch.set_num_threads(threads)

    @cache
    def load(name: str) -> gk.Model:
        trained = folder / name / "model"
        return gk.load(trained if trained.is_dir() else folder / name, device="cpu")

    tables = {
        "rudeness": ("Rudeness of replies to rude messages", rudeness_table(load, number, samples)),
        "replies": ("Replies to messages with any intent", replies_table(load, number, INTENTS)),
        "unseen": ("Replies about intents that tuning left out", replies_table(load, number, HELD_OUT_INTENTS)),
        "intents": ("Intents, the likeliest of 27 labels", intents_table(load, number)),
    }
    for part in parts or tables:
        if part not in tables:
            raise typer.BadParameter(f"there is no table {part}, but {', '.join(tables)}")
        title, lines = tables[part]
        print(f"\n### {title}\n")
        for line in lines:
            print(line, flush=True)


if __name__ == "__main__":
    typer.run(main)
