"""Everything at once: a base model, tuned by proxy and steered towards civil replies, writes a record under a schema.

python -m examples.steered_record "Wake up! You charged me twice for the toaster. The order number is 48213."

Other models with one tokenizer: --model Qwen/Qwen3-4B-Base --tuned Qwen/Qwen3-0.6B --untuned Qwen/Qwen3-0.6B-Base
--expert ... --anti-expert ... --read "Question: {} Answer: "
"""

from __future__ import annotations

from typing import Annotated

import typer

import guidance_kit as gk

MESSAGES = [
    "Wake up! You charged me twice for the toaster. The order number is 48213.",
    "Seriously? Please refund order 77120. My name is Laura.",
]

SENTENCE = "[A-Z][A-Za-z0-9]*[ ,][A-Za-z0-9 ,'-]*[.!]"
SCHEMA = {
    "type": "object",
    "properties": {
        "reply": {"type": "string", "maxLength": 300, "pattern": f"^({SENTENCE} ){{2,3}}{SENTENCE}$"},
        "urgency": {"enum": ["low", "normal", "high"]},
    },
    "required": ["reply", "urgency"],
    "additionalProperties": False,
}


def main(
    messages: Annotated[list[str] | None, typer.Argument(help="What customers wrote.")] = None,
    model: Annotated[str, typer.Option(help="The large model.")] = "base-large",
    tuned: Annotated[str, typer.Option(help="A small model after tuning, with a chat template.")] = "small-tuned",
    untuned: Annotated[str, typer.Option(help="The small model before tuning.")] = "base-small",
    expert: Annotated[str, typer.Option(help="A model of the tone that is wanted.")] = "polite",
    anti_expert: Annotated[str, typer.Option(help="A model of the tone that is not.")] = "rude",
    read: Annotated[str, typer.Option(help="What untuned models read; {} is the message.")] = "Customer: {}\nAgent: ",
) -> None:
    """Print a record for each message, and how much of the model's mass the schema removed."""
    asked = messages or MESSAGES
    base, small, polite, rude = (gk.load(name).given(read.format) for name in (model, untuned, expert, anti_expert))
    steered = base + 1.0 * (gk.load(tuned).given(gk.as_chat()) - small) + 0.5 * (polite - rude)
    constraint = gk.json_schema(SCHEMA, whitespace="compact")
    written = steered.generate(asked, constraint, temperature=0, max_tokens=200, complete=True, logprobs=0)
    for message, one in zip(asked, written, strict=True):
        removed = [record.removed_mass for record in one.logprobs or ()]
        print(f"{message}\n  {one.text}\n  mean mass removed by the schema: {sum(removed) / len(removed):.1%}")


if __name__ == "__main__":
    typer.run(main)
