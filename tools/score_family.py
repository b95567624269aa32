"""Score the bundled family: DExperts against rudeness, proxy-tuning, and intents by the probabilities of labels.

    python -m tools.score_family                        # the bundled models; prints the tables of docs/family.md
    python -m tools.score_family --folder out/family    # models that have just been trained

Messages are held out: their names, numbers and sentences were never in training. Rudeness is judged by the sentences of
the world and by a classifier on words, not by the models that steer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
    written = model.generate([one.message for one in source], max_tokens=MAX_TOKENS, temperature=0, stop="\n")
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
    texts = [one.text for one in model.generate(prompts, max_tokens=MAX_TOKENS, seed=seed, stop="\n", batch_size=64)]
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


def main(
    folder: Annotated[Path, typer.Option(help="Folder with the models.")] = BUNDLED,
    number: Annotated[int, typer.Option(help="Messages of each table.")] = 200,
    samples: Annotated[int, typer.Option(help="Replies to a message, for rudeness.")] = 5,
    threads: Annotated[int, typer.Option(help="Threads.")] = 1,
) -> None:
    """Score the bundled family."""
    torch.set_num_threads(threads)

    def load(name: str) -> gk.Model:
        trained = folder / name / "model"
        return gk.load(trained if trained.is_dir() else folder / name, device="cpu")

    large, small = load("base-large"), load("base-small")
    source = list(conversations("new_wordings", 0, number))

    print("\n### Rudeness, by the strength of DExperts\n")
    print("| alpha | rude replies | judged rude | messages with one | perplexity | dist-1 | dist-2 | dist-3 |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    judge = RudenessJudge.trained()
    polite, rude = load("polite"), load("rude")
    messages = [one.message for one in source if one.tone == "rude"]
    for alpha in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0):
        model = gk.dexperts(large, polite, rude, alpha=alpha)
        made = steered(model, large, messages, judge, samples=samples)
        spread = " | ".join(f"{value:.2f}" for value in made.distinct)
        print(
            f"| {alpha:g} | {made.rude:.1%} | {made.judged_rude:.1%} | {made.any_rude:.1%} | {made.perplexity:.2f} "
            f"| {spread} |",
            flush=True,
        )

    small_tuned, large_tuned = load("small-tuned"), load("large-tuned")
    alphas = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
    writers: dict[str, gk.Model] = {
        "`base-small`": small.given(prompt),
        "`base-large`": large.given(prompt),
        "`small-tuned`": small_tuned.given(gk.as_chat()),
        **{f"proxy-tuned, alpha {alpha:g}": proxy_tuned(large, small_tuned, small, alpha) for alpha in alphas},
        "`large-tuned`": large_tuned.given(gk.as_chat()),
    }
    asked = {
        "to messages about all intents": source,
        "to messages about the intents that tuning left out": list(
            conversations("new_wordings", 0, number, intents=HELD_OUT_INTENTS)
        ),
    }
    for whose, messages_of in asked.items():
        print(f"\n### Replies {whose}\n")
        print("| written by | polite | right answer | details repeated | mean | gap closed |")
        print("|---|--:|--:|--:|--:|--:|")
        found = {name: quality(model, messages_of) for name, model in writers.items()}
        for name, of in found.items():
            closed = gap_closed(found["`base-large`"], of, found["`large-tuned`"])
            print(
                f"| {name} | {of.politeness:.1%} | {of.answer:.1%} | {of.details:.1%} | {of.total:.3f} | {closed:.0%} |"
            )

    print("\n### Intents, by the probabilities of 27 labels\n")
    print("| messages | `base-large` | `base-small` |")
    print("|---|--:|--:|")
    for split, name in (("new_entities", "unseen names and numbers"), ("new_wordings", "unseen sentences too")):
        texts = list(conversations(split, 0, number))
        print(f"| {name} | {intent_accuracy(large, texts):.1%} | {intent_accuracy(small, texts):.1%} |")


if __name__ == "__main__":
    typer.run(main)
