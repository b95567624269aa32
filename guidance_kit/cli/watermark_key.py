"""`guidance-kit watermark-key`: draw secret keys, and write a key file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from guidance_kit.cli.arguments import TrustRemoteCode, load_model
from guidance_kit.cli.terminal import Debug, note

__all__ = ["watermark_key"]


def watermark_key(
    keyfile: Annotated[Path, typer.Argument(metavar="KEYFILE", help="Key file to write; it must not exist.")],
    kind: Annotated[
        Literal["green", "gumbel", "tournament"],
        typer.Option(metavar="KIND", help="Rule of the watermark: green, gumbel or tournament."),
    ] = "gumbel",
    keys: Annotated[int, typer.Option(metavar="N", min=1, help="Number of keys; the seed of a text selects one.")] = 1,
    width: Annotated[int, typer.Option(metavar="N", min=0, help="Tokens of context.")] = 4,
    green_share: Annotated[
        float | None, typer.Option(metavar="P", help="Share of green tokens; 0.25.", show_default=False)
    ] = None,
    bias: Annotated[
        float | None,
        typer.Option(metavar="NATS", help="Bias of green tokens; inf forbids all others; 2.", show_default=False),
    ] = None,
    hashing: Annotated[
        Literal["left", "self"] | None,
        typer.Option(metavar="NAME", help="Hashing of green lists: left or self; left.", show_default=False),
    ] = None,
    layers: Annotated[
        int | None, typer.Option(metavar="N", help="Layers of a tournament; 30.", show_default=False)
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="Bind the key to the tokenizer of a model: folder or hub name.",
            show_default=False,
        ),
    ] = None,
    trust_remote_code: TrustRemoteCode = False,
    debug: Debug = False,
) -> None:
    """Draw secret keys for a watermark, and write them to a file that its owner alone can read.

    Whoever has the file can detect the watermark, and forge it. Texts that were marked with lost keys are never found
    again.

    \b
    Examples:
      guidance-kit watermark-key key.json
      guidance-kit watermark-key key.json --kind green --hashing self --model big
    """
    from guidance_kit.decoding.watermark import Watermark

    options: dict[str, Any] = {
        "width": width, "green_share": green_share, "bias": bias, "hashing": hashing, "layers": layers,
    }  # fmt: skip
    made = Watermark.random(kind, keys=keys, **options)
    if model is not None:
        made = made.bound_to(load_model(model, None, trust_remote_code=trust_remote_code).vocabulary)
    made.save(keyfile)
    note(f"{keyfile}: {keys:,} {'key' if keys == 1 else 'keys'} of a {kind} watermark; keep it secret, and keep it")
