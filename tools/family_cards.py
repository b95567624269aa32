"""The cards of the bundled family: what each model is, what it was trained on, and how good it is."""

from __future__ import annotations

from typing import Any

from tools.family import FAMILY, NUMBER, Member
from tools.training import Run

__all__ = ["card", "classifier_card"]

CARD = """---
license: apache-2.0
library_name: transformers
pipeline_tag: text-generation
---

# {name}

{what}

It is one of seven models of guidance_kit that read and write conversations of an invented support desk, so that
steering can be tried offline; docs/family.md of the repository has the others, and what they do together.

| | |
|---|---|
| architecture | `LlamaForCausalLM`: hidden {hidden}, {layers} layers, {heads} heads, tied embeddings |
| context | {context:,} tokens |
| parameters | {parameters:,} |
| tokenizer | byte-level BPE, {rows:,} tokens, every byte is one; that of the whole family |
| weights | float16, safetensors |
| trained on | {tokens:,} tokens of {text}, {seeds} |
| begins with | {base} |
| licence | Apache-2.0, as guidance_kit |

Everything that it was trained on is written by `tools/support_world/{writer}.py`; no real person, company or
message is in it. `python -m tools.train_family {name}` trains it again.

## How good it is

On {number} messages with names, numbers and sentences that training never showed:

| | |
|---|--:|
{scores}

{judged}

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
    "filings": "messages of customers, each with its topic after it, in one run and three that went on from it, whose "
    "weights were averaged",
}

JUDGED = """One in eleven messages has no details, which counts as all repeated. {intents}What the
judges of replies are stands in `guidance_kit/evaluation/judges.py`."""

FOUND = """Intents are found by the probabilities of all 27 as topics."""


def card(name: str, run: Run, line: dict[str, Any]) -> str:
    """The model card of a member.

    Args:
        line: the last of the log.
    """
    member, recipe, scores = FAMILY[name], run.recipe, line["scores"]
    lines = [
        f"| {key} | {value:.2f} |" if key.startswith("perplexity") else f"| {key} | {value:.1%} |"
        for key, value in scores.items()
    ]
    return CARD.format(
        name=name, what=_what(member),
        parameters=sum(p.numel() for p in run.model.parameters()),
        hidden=recipe.hidden, layers=recipe.layers, heads=recipe.heads, context=recipe.context,
        rows=len(run.tokenizer), tokens=line["tokens"], text=TEXTS[member.style], seeds=_seeds(member, recipe.seed),
        base=f"`{member.base}`" if member.base else "fresh weights", number=NUMBER, scores="\n".join(lines),
        judged=FOUND if member.files else JUDGED.format(intents=f"{FOUND} " if member.is_base else ""),
        writer="filings" if member.files else "conversations", prompt=_prompt(member),
        warning="" if member.files or member.style in ("polite", "task") else " It insults people.",
    )  # fmt: skip


def classifier_card(parameters: int, replies: int, share: float) -> str:
    """The card of the classifier of replies.

    Args:
        replies: how many it was trained on.
        share: of held-out replies that it tells rightly, in [0, 1].
    """
    return CLASSIFIER_CARD.format(parameters=parameters, replies=replies, share=share)


def _seeds(member: Member, first: int) -> str:
    further = member.runs - 1 + (member.shared > 0)
    return f"seeds {first} to {first + further}" if further else f"seed {first}"


def _what(member: Member) -> str:
    if member.is_base:
        return "A base model: it continues conversations."
    if member.files:
        return "Tuned to find the topic of a customer's message, of 27."
    return "A chat model, tuned to reply politely." if member.is_chat else "An expert, for one tone of reply."


def _prompt(member: Member) -> str:
    if member.is_chat:
        return "The chat template of the tokenizer: `gk.as_chat()`, `model.chat`."
    if member.files:
        return "`Customer: <message>\\nTopic:`, after which it writes the topic and a line break."
    replies = "`Customer: <message>\\nAgent: ` with the space at the end; the reply ends with a line break."
    return replies + ("\nAfter `Customer: <message>\\nTopic:` it writes the intent." if member.is_base else "")
