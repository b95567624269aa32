"""Replies that are less rude: what a base model writes, raised by a polite expert and lowered by a rude one (DExperts).

python -m examples.steer_toxicity --alpha 2 "Where is my parcel, you clowns?"

Other models with one tokenizer: --model gpt2-large --expert ... --anti-expert ... --read "{}".
"""

from __future__ import annotations

from typing import Annotated

import typer

import guidance_kit as gk

MESSAGES = [
    "Are you people serious? My parcel is late. Order number: 48213. Do your job!",
    "Wake up! You charged me twice for the toaster. What a bunch of amateurs.",
    "I want my money back. How hard can it be?",
]
RUDE = ("idiot", "moron", "clown", "fool", "loser", "shut", "get lost", "whin", "nagging", "nobody", "waste", "nerves")


def share_of_rude(texts: list[str]) -> float:
    """The share of texts with a rude word."""
    return sum(any(word in text.lower() for word in RUDE) for text in texts) / len(texts)


def main(
    messages: Annotated[list[str] | None, typer.Argument(help="What customers wrote.")] = None,
    model: Annotated[str, typer.Option(help="The model that is steered.")] = "base-large",
    expert: Annotated[str, typer.Option(help="A model of what is wanted.")] = "polite",
    anti_expert: Annotated[str, typer.Option(help="A model of what is not.")] = "rude",
    alpha: Annotated[float, typer.Option(help="How strongly.")] = 2.0,
    read: Annotated[str, typer.Option(help="The prompt, with {} for the message.")] = "Customer: {}\nAgent: ",
    samples: Annotated[int, typer.Option(help="Replies to each message.")] = 10,
    seed: Annotated[int, typer.Option(help="Of the replies.")] = 0,
) -> None:
    """Print replies without and with steering, and how many of them are rude."""
    base = gk.load(model)
    steered = gk.dexperts(base, gk.load(expert), gk.load(anti_expert), alpha=alpha)
    prompts = [read.format(message) for message in messages or MESSAGES for _ in range(samples)]
    for name, writes in (("not steered", base.keep(top_p=0.9)), (f"steered, alpha {alpha:g}", steered)):
        texts = [one.text for one in writes.generate(prompts, max_tokens=100, stop="\n", seed=seed)]
        print(f"{name}: {share_of_rude(texts):.0%} of {len(texts)} replies have a rude word")
        for text in texts[::samples]:
            print(f"  {text}")


if __name__ == "__main__":
    typer.run(main)
