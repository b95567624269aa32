"""Train the draft heads of the bundled model, support-2m, on texts that `tools/support_world` writes.

python -m tools.train_draft_heads     # minutes on one core; writes guidance_kit/bundled/support-2m
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import guidance_kit as gk
from guidance_kit.model_source import BUNDLED, bundled_folder
from guidance_kit.models.draft_heads import FILE
from guidance_kit.models.prompts import support_prompt
from tools.support_world import examples, record_text

__all__ = ["main", "texts_of"]

PLACE = bundled_folder() / BUNDLED / FILE


def texts_of(count: int, start: int = 0) -> list[tuple[str, str]]:
    """Prompts of the wide side of the world, and their records."""
    source = examples("wide", start, start + count, seed=3)
    return [(support_prompt(one.text, one.schema), record_text(one.record)) for one in source]


def main(
    to: Annotated[Path, typer.Option(help="File to write.")] = PLACE,
    texts: Annotated[int, typer.Option(help="Number of texts.")] = 600,
    heads: Annotated[int, typer.Option(help="Number of heads.")] = 4,
    epochs: Annotated[int, typer.Option(help="Number of times that each text is read.")] = 3,
) -> None:
    """Train the heads and write them."""
    console = Console(stderr=True)
    model = gk.load(BUNDLED).language_model
    assert isinstance(model, gk.TransformersModel)

    def show(epoch: int, loss: float) -> None:
        console.print(f"epoch {epoch}: {loss:.3f} nats")

    gk.train_draft_heads(model, texts_of(texts), heads=heads, epochs=epochs, on_epoch=show).save(to)


if __name__ == "__main__":
    typer.run(main)
