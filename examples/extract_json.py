"""Records out of texts: whatever the model does, they conform to the schema.

python -m examples.extract_json "Ann Lee here, order 48213 never arrived. I paid 49.90 EUR."

Other models: --model Qwen/Qwen3-0.6B
"""

from __future__ import annotations

from typing import Annotated

import typer

import guidance_kit as gk
from examples.ticket import Ticket

MESSAGES = [
    "Hello, my name is Laura Smith. Order 48213 has not arrived yet. I ordered on 3 May 2026.",
    "Please refund 49.90 EUR for the desk lamp. You can reach me at omar.hassan@mail.net. Kind regards, Omar Hassan",
    "The toaster arrived broken. This is ridiculous! Fix it.",
]


def main(
    messages: Annotated[list[str] | None, typer.Argument(help="The texts.")] = None,
    model: Annotated[str, typer.Option(help="The model.")] = "support-2m",
) -> None:
    """Print the record of each text."""
    asked = messages or MESSAGES
    for message, ticket in zip(asked, gk.load(model).extract(asked, Ticket), strict=True):
        print(f"{message}\n  {ticket.model_dump_json(exclude_none=True)}")


if __name__ == "__main__":
    typer.run(main)
