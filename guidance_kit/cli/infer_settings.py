"""`guidance-kit infer-settings`: infer the settings of a sampler from its texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from guidance_kit.cli.arguments import Adapter, Device, Dtype, ModelName, TrustRemoteCode, load_model
from guidance_kit.cli.terminal import Debug, warn
from guidance_kit.errors import OptionError

__all__ = ["infer_settings"]


def infer_settings(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help='JSON lines with "prompt" and "text", or "tokens" for a text.')
    ],
    penalties: Annotated[
        bool, typer.Option("--penalties/--no-penalties", help="Search for penalties on repetition.")
    ] = True,
    min_tokens: Annotated[
        int, typer.Option(metavar="N", min=0, help="Tokens of each text before which it could not end.")
    ] = 0,
    model: ModelName = None,
    device: Device = None,
    dtype: Dtype = None,
    adapter: Adapter = None,
    trust_remote_code: TrustRemoteCode = False,
    debug: Debug = False,
) -> None:
    """Infer temperature, top-k, top-p, min-p and penalties with which a model generated texts.

    Each line of the output has a setting, its estimate, and the values under which the texts are at least 1/20 as
    likely. Settings without which the texts would not be improbable are left out.

    \b
    Examples:
      guidance-kit infer-settings texts.jsonl --model big
    """
    pairs = _read(file)
    from guidance_kit.analysis.settings import infer_settings as infer

    loaded = load_model(model, device, dtype, adapter, trust_remote_code=trust_remote_code)
    texts = [
        (prompt, loaded.language_model.encode(text, with_special_tokens=False) if isinstance(text, str) else text)
        for prompt, text in pairs
    ]
    found = infer(texts, loaded, penalties=penalties, min_tokens=min_tokens)
    for name, estimate in {"temperature": found.temperature, **found.truncations, **found.penalties}.items():
        typer.echo(f"{name}\t{estimate}")
    for other in found.alternatives:
        warn(f"{', '.join(f'{name}={value:.4g}' for name, value in other.items())} explains the texts nearly as well")


def _read(file: str) -> list[tuple[str, Any]]:
    """Prompts and texts of a file.

    Raises:
        OptionError: it cannot be read; a line that is no prompt with a text.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"{file} cannot be read: {error}") from None
    pairs: list[tuple[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            read: Any = json.loads(line)
        except ValueError:
            raise OptionError(f"{file} is not JSON at line {number}") from None
        entry = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
        text = entry.get("tokens", entry.get("text"))
        if not isinstance(entry.get("prompt"), str) or not isinstance(text, str | list):
            raise OptionError(f'{file}, line {number}: an object with "prompt" and "text", or "tokens", is needed')
        pairs.append((entry["prompt"], text))
    return pairs
