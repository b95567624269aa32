"""Train the bundled family for steering: six small Llamas that write conversations of a support desk, and a classifier.

From seeds, on what `tools/support_world/conversations` writes while training runs; nothing is downloaded. On one core:

    python -m tools.train_family                        # all of them, one after the other
    python -m tools.train_family --fast                 # minutes; for trying things out
    python -m tools.train_family base-small rude        # some of them; those that are tuned need their base
    python -m tools.train_family --resume               # go on after an interruption

Checkpoints, logs and exported folders lie in out/family/NAME (`--out`); each exported model has its card. `--resume
--to guidance_kit/bundled` copies those that are finished to where `gk.load` finds them, and trains the others.
`guidance-kit evaluate --family out/family` measures what the family is for.
"""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import torch
import typer
from rich.console import Console
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

import guidance_kit as gk
from guidance_kit.evaluation.judges import mean_score, perplexity
from guidance_kit.evaluation.sets import FILING, Message, World, transcript
from guidance_kit.models import LanguageModel
from guidance_kit.models.chat import chat_text
from tools.support_world.conversations import INTENTS, STYLES, Conversation, conversations, document, topic
from tools.training import END, PAD, Recipe, Row, Rows, Run, build_model, train

__all__ = [
    "CLASSIFIER", "FAMILY", "USER", "Member", "begun", "card", "main", "rows_of", "scores_of", "tokenizer_of_family",
    "train_classifier",
]  # fmt: skip

USER, ASSISTANT = "<|user|>", "<|assistant|>"
BUNDLED = Path(gk.__file__).resolve().parent / "bundled"

MEANINGS = {"<|reserved_0|>": USER, "<|reserved_1|>": ASSISTANT}
"""What tokens stand for that had no meaning in the tokenizer of `COPIER`."""

CLASSIFIER = "rudeness"
"""The name of the classifier of replies."""

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|user|>' if message['role'] == 'user' else '<|assistant|>' }}{{ message['content'] }}"
    "{% if message['role'] != 'user' %}<|end|>{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)

COPIER = "support-2m"
"""The bundled model that the large base begins with, as it knows already how to copy names and numbers.

Its tokenizer is that of the family."""

LARGE = Recipe(tokens=7_500_000, batch_tokens=2048, peak=1.5e-3)
SMALL = replace(LARGE, tokens=11_000_000, hidden=96, heads=3, peak=3e-3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One model of the family.

    Args:
        style: of the conversations that it is trained on, a key of `STYLES`.
        base: the model whose weights it begins with, `COPIER` or one of the family; "" for fresh ones.
        is_chat: whether it reads messages in the chat template; else conversations as plain text.
    """

    style: str
    recipe: Recipe
    base: str = ""
    is_chat: bool = False

    @property
    def is_base(self) -> bool:
        """Whether it is trained on whole conversations, else on replies alone."""
        return self.style == "raw"


def _tuned(recipe: Recipe, tokens: int) -> Recipe:
    return replace(recipe, seed=1, tokens=tokens, peak=1e-3, warmup=0.05, decay=0.8)


FAMILY = {
    "base-small": Member(style="raw", recipe=SMALL),
    "base-large": Member(style="raw", base=COPIER, recipe=LARGE),
    "rude": Member(style="rude", base="base-small", recipe=_tuned(SMALL, 800_000)),
    "polite": Member(style="polite", base="base-small", recipe=_tuned(SMALL, 800_000)),
    "small-tuned": Member(style="task", base="base-small", is_chat=True, recipe=_tuned(SMALL, 1_600_000)),
    "large-tuned": Member(style="task", base="base-large", is_chat=True, recipe=_tuned(LARGE, 1_200_000)),
}
"""In the order in which they are trained."""


def tokenizer_of_family() -> PreTrainedTokenizerFast:
    """The tokenizer that all members share: that of `COPIER`, with tokens and a template for chats."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(BUNDLED / COPIER)
    written = tokenizer.backend_tokenizer.to_str()
    for token, meaning in MEANINGS.items():
        written = written.replace(json.dumps(token), json.dumps(meaning))
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(written), pad_token=PAD, eos_token=END, padding_side="left",
        clean_up_tokenization_spaces=False, model_max_length=tokenizer.model_max_length, chat_template=CHAT_TEMPLATE,
    )  # fmt: skip


def rows_of(member: Member, tokenizer: PreTrainedTokenizerFast) -> Rows:
    """What a member is trained on, see `Member`."""
    assistant = tokenizer.convert_tokens_to_ids(ASSISTANT)

    def rows(start: int, stop: int) -> list[Row]:
        source = list(conversations("train", start, stop, member.recipe.seed, style=STYLES[member.style]))
        if member.is_chat:
            texts = [f"{USER}{one.message}{ASSISTANT}{one.reply}{END}" for one in source]
        elif not member.is_base:
            texts = [f"{transcript(one.message)}{one.reply}\n{END}" for one in source]
        else:
            texts = [f"{document(one)}{END}" for one in source]
        encoded = _encoded(tokenizer, texts)
        if member.is_chat:
            return [(ids, ids.index(assistant) + 1) for ids in encoded]
        if member.is_base:
            return [(ids, 1) for ids in encoded]
        prompts = _encoded(tokenizer, [transcript(one.message) for one in source])
        return [(ids, len(read)) for ids, read in zip(encoded, prompts, strict=True)]

    return rows


def _encoded(tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> list[list[int]]:
    """Token ids, without padding, whatever the tokenizer was used for before."""
    ids: Any = tokenizer(texts, padding=False)["input_ids"]
    return ids


def train_classifier(folder: Path, replies: int) -> float:
    """Train the classifier of rude and civil replies, which answers after every token, and write it with its card.

    Args:
        replies: how many it learns from, those of whole conversations.
    Returns:
        The share of 500 replies, of conversations with unseen names and sentences, that it tells rightly when it has
        read them whole.
    """
    tokenizer = tokenizer_of_family()
    reader = LanguageModel(LlamaForCausalLM.from_pretrained(BUNDLED / COPIER), tokenizer)
    texts, labels = _replies("train", replies)
    console = Console()
    made = gk.train_prefix_classifier(
        reader, texts, labels, layers=2, width=64, epochs=2, seed=SMALL.seed,
        on_epoch=lambda epoch, loss: console.print(f"{CLASSIFIER}, epoch {epoch}: loss {loss:.4f}"),
    )  # fmt: skip
    right = 0
    held_out = list(zip(*_replies("new_wordings", 500), strict=True))
    for text, label in held_out:
        *tokens, last = reader.encode(text, with_special_tokens=False)
        found = made.of("rude").logprobs([tokens], torch.tensor([[last]]), reader.vocabulary)
        right += (found.item() > math.log(0.5)) == (label == "rude")
    cast(torch.nn.Module, made.model).half()
    made.save(folder)
    (folder / "MODEL_CARD.md").write_text(
        CLASSIFIER_CARD.format(
            parameters=sum(p.numel() for p in made.model.parameters()), replies=replies, share=right / len(held_out)
        ),
        encoding="utf-8",
    )
    return right / len(held_out)


def _replies(split: str, number: int) -> tuple[list[str], list[str]]:
    """Replies as they end, and whether they are rude."""
    source = list(conversations(split, 0, number, SMALL.seed + 1))
    return [f"{one.reply}\n" for one in source], ["rude" if one.reply_tone == "rude" else "civil" for one in source]


def begun(name: str, member: Member, out: Path) -> Run:
    """A member before its training."""
    tokenizer = tokenizer_of_family()
    if not member.base:
        return Run(member.recipe, tokenizer, build_model(member.recipe, tokenizer))
    folder = BUNDLED / COPIER if member.base == COPIER else out / member.base / "model"
    if not folder.is_dir():
        raise typer.BadParameter(f"{name} begins with {member.base}, which is not in {out}; train it first")
    return Run(member.recipe, tokenizer, LlamaForCausalLM.from_pretrained(folder).float())


def scores_of(member: Member, run: Run, number: int) -> dict[str, float]:
    """How a member does on held-out messages: its loss on replies of its style, and the replies that it writes."""
    model = gk.Model(LanguageModel(run.model, run.tokenizer))
    world = World.bundled()
    source = list(conversations("new_wordings", 0, number, style=STYLES[member.style]))
    asked = [one.message for one in source]
    reads = model.given(gk.as_chat() if member.is_chat else transcript)
    options = {"max_tokens": 120, "stop": "\n", "batch_size": 100}
    sampled = reads.generate(asked, seed=0, **options)
    greedy = reads.generate(asked, temperature=0, **options)
    mean = mean_score([reply.text for reply in greedy], [_message(one) for one in source], world)
    if member.is_chat:
        read = [chat_text(run.tokenizer, [{"role": "user", "content": message}], {}) for message in asked]
    else:
        read = [transcript(message) for message in asked]
    scores = {
        "perplexity of held-out replies": perplexity(model, read, [one.reply for one in source]),
        "rude, of sampled replies": sum(world.is_rude(reply.text) for reply in sampled) / number,
        "polite, of greedy replies": mean.politeness,
        "right answer, of greedy replies": mean.answer,
        "details repeated by greedy replies": mean.details,
    }
    if member.is_base:
        found = model.classify(asked, [topic(intent) for intent in INTENTS], prompt=FILING.format)
        right = sum(label.label == topic(one.intent) for label, one in zip(found, source, strict=True))
        scores["intents found"] = right / number
    return {name: round(value, 4) for name, value in scores.items()}


def _message(one: Conversation) -> Message:
    return Message(text=one.message, intent=one.intent, tone=one.tone, details=tuple(one.details.values()))


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
judges of replies are stands in `guidance_kit/evaluation/judges.py`.

## Prompt

{prompt}

## What it is not for

Anything but trying out steering: it knows no other text than this.{warning}
"""

CLASSIFIER_CARD = """---
license: apache-2.0
library_name: transformers
pipeline_tag: text-classification
---

# rudeness

A classifier that says after every token of an agent's reply how probably the whole of it will be rude: what
`gk.classifier_guided` steers by. It comes with guidance_kit and reads the tokens of its family of models.

| | |
|---|---|
| architecture | `LlamaForSequenceClassification`, {parameters:,} parameters, causal |
| labels | civil, rude |
| trained on | {replies:,} replies of `tools/support_world/conversations.py`, of agents in all tones |
| right | {share:.1%} of 500 held-out replies, read to their end |
| licence | Apache-2.0, as guidance_kit |

    classifier = gk.PrefixClassifier.load("rudeness")
    civil = gk.classifier_guided(gk.load("base-large"), classifier.of("civil"), alpha=2.0)

`python -m tools.train_family rudeness` trains it again. It knows nothing but the replies of an invented support desk.
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
        what="A base model: it continues conversations." if member.is_base else tuned,
        parameters=sum(p.numel() for p in run.model.parameters()),
        hidden=recipe.hidden, layers=recipe.layers, heads=recipe.heads, context=recipe.context,
        rows=len(run.tokenizer), tokens=line["tokens"], text=TEXTS[member.style], seed=recipe.seed,
        base=f"`{member.base}`" if member.base else "fresh weights", number=NUMBER, scores="\n".join(lines),
        prompt="The chat template of the tokenizer: `gk.as_chat()`, `model.chat`." if member.is_chat
        else "`Customer: <message>\\nAgent: ` with the space at the end; the reply ends with a line break."
        + ("" if not member.is_base else "\nAfter `Customer: <message>\\nTopic:` it writes the intent."),
        intents="" if not member.is_base else "Intents are found by the probabilities of all 27 as topics. ",
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
    for name in names or [*FAMILY, CLASSIFIER]:
        if name not in (*FAMILY, CLASSIFIER):
            raise typer.BadParameter(f"there is no model {name}, but {', '.join((*FAMILY, CLASSIFIER))}")
        exported = out / name / "model"
        if name == CLASSIFIER:
            train_classifier(exported, 1000 if fast else 12_000)
            _copy(exported, to)
            continue
        member = FAMILY[name]
        if fast:
            member = replace(member, recipe=replace(member.recipe, tokens=member.recipe.tokens // 20))
        run = begun(name, member, out)
        rows = rows_of(member, run.tokenizer)
        judge = partial(_judge, member)
        line = train(run, rows, out / name, judge=judge, minutes=minutes, resume=resume, every=every)
        (exported / "MODEL_CARD.md").write_text(card(name, run, line), encoding="utf-8")
        _copy(exported, to)


def _copy(exported: Path, to: Path | None) -> None:
    """Put a finished model where it is wanted."""
    if to is not None:
        shutil.copytree(exported, to / exported.parent.name, dirs_exist_ok=True)


def _judge(member: Member, run: Run, final: bool) -> dict[str, Any]:
    """What the log says about a member."""
    return {"scores": scores_of(member, run, NUMBER if final else 40)}


if __name__ == "__main__":
    typer.run(main)
