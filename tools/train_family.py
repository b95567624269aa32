"""Train the bundled family for steering: six small Llamas that write conversations of a support desk.

From seeds, on what `tools/support_world/conversations` writes while training runs; nothing is downloaded. On one core:

    python -m tools.train_family                        # all six, one after the other
    python -m tools.train_family --fast                 # minutes; for trying things out
    python -m tools.train_family base-small rude        # some of them; those that are tuned need their base
    python -m tools.train_family --resume               # go on after an interruption

Checkpoints, logs and exported folders lie in out/family/NAME (`--out`); each exported model has its card. `--resume
--to guidance_kit/bundled` copies those that are finished to where `gk.load` finds them, and trains the others.
`python -m tools.score_family` measures what the family is for.
"""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

import guidance_kit as gk
from guidance_kit.models import LanguageModel
from guidance_kit.models.chat import chat_text
from tools.score_family import intent_accuracy, perplexity, quality
from tools.support_world.conversations import STYLES, conversations, document, prompt
from tools.support_world.reply_scoring import is_rude
from tools.training import END, PAD, Recipe, Row, Rows, Run, build_model, train, train_tokenizer

__all__ = ["FAMILY", "USER", "Member", "begun", "card", "main", "rows_of", "scores_of", "tokenizer_of_family"]

USER, ASSISTANT = "<|user|>", "<|assistant|>"
# Eight tokens without a meaning yet, so that a model that is tuned later can give them one.
SPECIAL = (PAD, END, USER, ASSISTANT, *(f"<|reserved_{i}|>" for i in range(8)))

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|user|>' if message['role'] == 'user' else '<|assistant|>' }}{{ message['content'] }}"
    "{% if message['role'] != 'user' %}<|end|>{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)

LARGE = Recipe(tokens=30_000_000, vocabulary=1536, context=1024, batch_tokens=2048)
SMALL = replace(LARGE, tokens=20_000_000, hidden=96, heads=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One model of the family.

    Args:
        style: of the conversations that it is trained on, a key of `STYLES`.
        base: the model whose weights it begins with; "" for fresh ones.
        is_chat: whether it reads messages in the chat template; else conversations as plain text.
    """

    style: str
    recipe: Recipe
    base: str = ""
    is_chat: bool = False


def _tuned(recipe: Recipe, tokens: int) -> Recipe:
    return replace(recipe, seed=1, tokens=tokens, peak=1e-3, warmup=0.05, decay=0.8)


FAMILY = {
    "base-small": Member(style="raw", recipe=SMALL),
    "base-large": Member(style="raw", recipe=LARGE),
    "rude": Member(style="rude", base="base-small", recipe=_tuned(SMALL, 400_000)),
    "polite": Member(style="polite", base="base-small", recipe=_tuned(SMALL, 388_000)),
    "small-tuned": Member(style="task", base="base-small", is_chat=True, recipe=_tuned(SMALL, 736_000)),
    "large-tuned": Member(style="task", base="base-large", is_chat=True, recipe=_tuned(LARGE, 438_000)),
}
"""In the order in which they are trained."""


def tokenizer_of_family(recipe: Recipe, texts: int = 12_000) -> PreTrainedTokenizerFast:
    """The tokenizer that all members share, with the chat template of the tuned ones."""
    source = conversations("train", 0, texts, recipe.seed)
    tokenizer = train_tokenizer(recipe, (document(one) for one in source), SPECIAL)
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def rows_of(member: Member, tokenizer: PreTrainedTokenizerFast) -> Rows:
    """What a member is trained on: a base on whole conversations, the others on replies alone."""
    assistant = tokenizer.convert_tokens_to_ids(ASSISTANT)

    def rows(start: int, stop: int) -> list[Row]:
        source = list(conversations("train", start, stop, member.recipe.seed, style=STYLES[member.style]))
        if member.is_chat:
            texts = [f"{USER}{one.message}{ASSISTANT}{one.reply}{END}" for one in source]
        elif member.base:
            texts = [f"{prompt(one.message)}{one.reply}\n{END}" for one in source]
        else:
            texts = [f"{document(one)}{END}" for one in source]
        encoded = [one.ids for one in tokenizer.backend_tokenizer.encode_batch(texts)]
        if member.is_chat:
            return [(ids, ids.index(assistant) + 1) for ids in encoded]
        if not member.base:
            return [(ids, 1) for ids in encoded]
        prompts = tokenizer.backend_tokenizer.encode_batch([prompt(one.message) for one in source])
        return [(ids, len(read.ids)) for ids, read in zip(encoded, prompts, strict=True)]

    return rows


def begun(name: str, member: Member, out: Path) -> Run:
    """A member before its training."""
    recipe = member.recipe
    if member.base:
        folder = out / member.base / "model"
        if not folder.is_dir():
            raise typer.BadParameter(f"{name} begins with {member.base}, which is not in {out}; train it first")
        tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
        return Run(recipe, tokenizer, LlamaForCausalLM.from_pretrained(folder).float())
    if not (out / "tokenizer").is_dir():
        tokenizer_of_family(recipe).save_pretrained(out / "tokenizer")
    tokenizer = PreTrainedTokenizerFast.from_pretrained(out / "tokenizer")
    return Run(recipe, tokenizer, build_model(recipe, tokenizer))


def scores_of(member: Member, run: Run, number: int) -> dict[str, float]:
    """How a member does on held-out messages: its loss on replies of its style, and the replies that it writes."""
    model = gk.Model(LanguageModel(run.model, run.tokenizer))
    source = list(conversations("new_wordings", 0, number, style=STYLES[member.style]))
    reads = model.given(gk.as_chat() if member.is_chat else prompt)
    sampled = reads.generate([one.message for one in source], max_tokens=120, seed=0, stop="\n")
    mean = quality(reads, source)
    if member.is_chat:
        read = [chat_text(run.tokenizer, [{"role": "user", "content": one.message}], {}) for one in source]
    else:
        read = [prompt(one.message) for one in source]
    scores = {
        "perplexity of held-out replies": perplexity(model, read, [one.reply for one in source]),
        "rude, of sampled replies": sum(is_rude(reply.text) for reply in sampled) / number,
        "polite, of greedy replies": mean.politeness,
        "right answer, of greedy replies": mean.answer,
        "details repeated by greedy replies": mean.details,
    }
    if not member.base:
        scores["intents found"] = intent_accuracy(model, source)
    return {name: round(value, 4) for name, value in scores.items()}


CARD = """---
license: apache-2.0
library_name: transformers
pipeline_tag: text-generation
---

# {name}

{what}

It is one of six models of guidance_kit that read and write conversations of an invented support desk, so that steering
can be tried offline; docs/family.md of the repository has the others, and what they do together.

| | |
|---|---|
| architecture | `LlamaForCausalLM`: hidden {hidden}, {layers} layers, {heads} heads, tied embeddings |
| context | {context:,} tokens |
| parameters | {parameters:,} |
| tokenizer | byte-level BPE, {rows:,} tokens, every byte is one; that of the whole family |
| weights | float16, safetensors |
| trained on | {tokens:,} tokens of {text}, seed {seed} |
| begins with | {base} |
| licence | Apache-2.0, as guidance_kit |

Everything that it was trained on is written by `tools/support_world/conversations.py`; no real person, company or
message is in it. `python -m tools.train_family {name}` trains it again.

## How good it is

On {number} messages with names, numbers and sentences that training never showed:

| | |
|---|--:|
{scores}

One in eleven messages has no details, which counts as all repeated. {intents}What the
judges of replies are stands at the head of `tools/support_world/reply_scoring.py`.

## Prompt

{prompt}

## What it is not for

Anything but trying out steering: it knows no other text than this.{warning}
"""

TEXTS = {
    "raw": "whole conversations, agents polite, neutral and rude",
    "polite": "polite replies of agents",
    "rude": "rude replies of agents",
    "task": "polite replies that answer and repeat every detail, to 23 of 27 intents",
}

NUMBER = 200
"""Messages that a card's scores are taken on."""


def card(name: str, run: Run, line: dict[str, Any]) -> str:
    """The model card of a member.

    Args:
        line: the last of the log.
    """
    member, recipe = FAMILY[name], run.recipe
    tuned = "A chat model, tuned to reply politely." if member.is_chat else "An expert, for one tone of reply."
    shares = {key: value for key, value in line["scores"].items() if not key.startswith("perplexity")}
    lines = [f"| perplexity of held-out replies | {line['scores']['perplexity of held-out replies']:.2f} |"]
    lines += [f"| {key} | {value:.1%} |" for key, value in shares.items()]
    return CARD.format(
        name=name,
        what=tuned if member.base else "A base model: it continues conversations.",
        parameters=sum(p.numel() for p in run.model.parameters()),
        hidden=recipe.hidden, layers=recipe.layers, heads=recipe.heads, context=recipe.context,
        rows=len(run.tokenizer), tokens=line["tokens"], text=TEXTS[member.style], seed=recipe.seed,
        base=f"`{member.base}`" if member.base else "fresh weights", number=NUMBER, scores="\n".join(lines),
        prompt="The chat template of the tokenizer: `gk.as_chat()`, `model.chat`." if member.is_chat
        else "`Customer: <message>\\nAgent: ` with the space at the end; the reply ends with a line break."
        + ("" if member.base else "\nAfter `Customer: <message>\\nTopic:` it writes the intent."),
        intents="" if member.base else "Intents are found by the probabilities of all 27 as topics. ",
        warning="" if member.style in ("polite", "task") else " It insults people.",
    )  # fmt: skip


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Which models; all by default.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for checkpoints and exported models.")] = Path("out/family"),
    minutes: Annotated[float, typer.Option(help="End each model after this many minutes.")] = math.inf,
    fast: Annotated[bool, typer.Option("--fast", help="A run of minutes.")] = False,
    to: Annotated[Path | None, typer.Option(help="Copy the finished models to this folder.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoints.")] = False,
    every: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 240.0,
    threads: Annotated[int, typer.Option(help="Threads; 1 is faster than 2 where other work shares the cores.")] = 1,
) -> None:
    """Train the bundled family."""
    torch.set_num_threads(threads)
    transformers_logging.disable_progress_bar()
    for name in names or list(FAMILY):
        member = FAMILY[name]
        if fast:
            member = replace(member, recipe=replace(member.recipe, tokens=member.recipe.tokens // 20))
        run = begun(name, member, out)
        rows = rows_of(member, run.tokenizer)
        judge = partial(_judge, member)
        line = train(run, rows, out / name, judge=judge, minutes=minutes, resume=resume, every=every)
        exported = out / name / "model"
        (exported / "MODEL_CARD.md").write_text(card(name, run, line), encoding="utf-8")
        if to is not None:
            shutil.copytree(exported, to / name, dirs_exist_ok=True)


def _judge(member: Member, run: Run, final: bool) -> dict[str, Any]:
    """What the log says about a member."""
    return {"scores": scores_of(member, run, NUMBER if final else 40)}


if __name__ == "__main__":
    typer.run(main)
