"""What tuning gave a small model, given to a large one that was never tuned (proxy-tuning).

python -m examples.proxy_tune "My toaster arrived broken. The order number is 48213."

Other models with one tokenizer, of which the small one was tuned to chat:
--model Qwen/Qwen3-4B-Base --tuned Qwen/Qwen3-0.6B --untuned Qwen/Qwen3-0.6B-Base --read "Question: {} Answer: "
"""

from __future__ import annotations

from typing import Annotated

import typer

import guidance_kit as gk

MESSAGES = [
    "Hello there. The toaster is missing. Order number: 48213. I paid 49.90 EUR.",
    "Seriously? Please refund order 77120. My name is Laura.",
    "Can you reset my password? Kind regards, Omar",
]


def main(
    messages: Annotated[list[str] | None, typer.Argument(help="What the model is asked.")] = None,
    model: Annotated[str, typer.Option(help="The large model.")] = "base-large",
    tuned: Annotated[str, typer.Option(help="A small model after tuning, with a chat template.")] = "small-tuned",
    untuned: Annotated[str, typer.Option(help="The small model before tuning.")] = "base-small",
    alpha: Annotated[float, typer.Option(help="How strongly.")] = 1.0,
    read: Annotated[str, typer.Option(help="What untuned models read; {} is the message.")] = "Customer: {}\nAgent: ",
    max_tokens: Annotated[int, typer.Option(help="Tokens of a reply.")] = 120,
) -> None:
    """Print what the large model replies, before and after, and which tokens the small ones moved most."""
    asked = messages or MESSAGES
    large = gk.load(model).given(read.format)
    small, small_tuned = gk.load(untuned).given(read.format), gk.load(tuned).given(gk.as_chat())
    proxy = gk.proxy_tuning(large, small_tuned, small, alpha=alpha)
    before = large.generate(asked, temperature=0, max_tokens=max_tokens, stop="\n")
    after = proxy.generate(asked, temperature=0, max_tokens=max_tokens, stop="\n", logprobs=1)
    for message, one, other in zip(asked, before, after, strict=True):
        moved = sorted(other.logprobs or [], key=lambda record: record.logprob - record.guided_logprob)[:5]
        words = ", ".join(repr(large.vocabulary.token_bytes[record.token].decode(errors="replace")) for record in moved)
        print(f"message: {message}\nbefore:  {one.text}\nafter:   {other.text}\nmoved:   {words}\n")


if __name__ == "__main__":
    typer.run(main)
