"""What customers want, by the exact probabilities of labels: nothing is sampled.

python -m examples.classify_intents "Where is my parcel?" "I forgot my password."

Other models: --model Qwen/Qwen3-0.6B --read "" asks with the prompt that `model.classify` writes.
"""

from __future__ import annotations

from typing import Annotated

import typer

import guidance_kit as gk

MESSAGES = [
    "Where is my parcel? The order number is 48213.",
    "You charged me twice for the toaster.",
    "I forgot my password.",
    "Can you deliver order 77120 on 3 May 2026?",
    "Your shop is great, I love the kettle.",
]
LABELS = (
    "order status, late delivery, missing item, wrong item, damaged item, defective product, return request, "
    "refund request, exchange request, cancel order, change address, change quantity, invoice request, "
    "payment failed, double charge, discount code, price question, stock question, warranty claim, account locked, "
    "password reset, delete account, change email, unsubscribe, complaint, praise, delivery schedule"
)


def main(
    messages: Annotated[list[str] | None, typer.Argument(help="What customers wrote.")] = None,
    model: Annotated[str, typer.Option(help="The model.")] = "large-intents",
    labels: Annotated[str, typer.Option(help="Between commas.")] = LABELS,
    read: Annotated[
        str, typer.Option(help="The prompt, with {} for the message; '' for that of the library.")
    ] = "Customer: {}\nTopic:",
    threshold: Annotated[float, typer.Option(help="Below this probability, no label.")] = 0.3,
) -> None:
    """Print the likeliest label of each message, and its three nearest."""
    asked = messages or MESSAGES
    named = [label.strip() for label in labels.split(",")]
    classifier = gk.load(model).classifier(
        [f" {label}" for label in named] if read else named, prompt=read.format if read else None, threshold=threshold
    )
    for message, found in zip(asked, classifier(asked), strict=True):
        nearest = ", ".join(f"{score.label.strip()} {score.probability:.2f}" for score in found.scores[:3])
        print(f"{(found.label or 'unsure').strip()}: {message}\n  {nearest}")


if __name__ == "__main__":
    typer.run(main)
