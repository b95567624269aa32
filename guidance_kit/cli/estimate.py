"""`guidance-kit estimate`: memory and speed of models, without their weights."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guidance_kit.cli.arguments import Dtype, TrustRemoteCode
from guidance_kit.cli.terminal import Debug, note

if TYPE_CHECKING:
    from guidance_kit.analysis.cost_estimate import CostEstimate

__all__ = ["estimate"]


def estimate(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL...",
            help="Folders, config.json files, hub names, or names of bundled models; support-2m if left out. A model "
            "named twice has its weights once, and runs for twice as many texts.",
            show_default=False,
        ),
    ] = None,
    prompt_tokens: Annotated[int, typer.Option(metavar="N", min=1, help="Tokens of each prompt.")] = 512,
    max_tokens: Annotated[int, typer.Option(metavar="N", min=1, help="Generated tokens of each text.")] = 512,
    batch: Annotated[int, typer.Option(metavar="N", min=1, help="Texts at once.")] = 1,
    dtype: Dtype = None,
    weight_bits: Annotated[
        float | None,
        typer.Option(
            metavar="BITS", help="Bits of a weight of the layers, scales included: 4.5, 8.5.", show_default=False
        ),
    ] = None,
    cache_bits: Annotated[
        float | None,
        typer.Option(
            metavar="BITS", help="Bits of a number in the key-value cache, scales included.", show_default=False
        ),
    ] = None,
    bandwidth: Annotated[
        float | None,
        typer.Option(
            metavar="GB/S", help="Memory bandwidth, 10^9 bytes a second; measured here if left out.", show_default=False
        ),
    ] = None,
    compute: Annotated[
        float | None,
        typer.Option(
            metavar="TFLOP/S",
            help="Speed, 10^12 floating-point operations a second; measured here if left out.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, in bytes and operations.")] = False,
    trust_remote_code: TrustRemoteCode = False,
    debug: Debug = False,
) -> None:
    """Estimate memory and speed of models, alone or as an ensemble, from their configurations.

    Tokens a second are bounds, by the bytes and the operations of a step; weights are not loaded.

    \b
    Examples:
      guidance-kit estimate big small-tuned small --batch 8
      guidance-kit estimate path/to/config.json --weight-bits 4.5 --bandwidth 3350 --compute 990
    """
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # read when transformers is imported
    from guidance_kit.analysis.cost_estimate import estimate as estimated
    from guidance_kit.analysis.machine import Machine

    given: dict[str, Any] = {
        "prompt_tokens": prompt_tokens, "max_tokens": max_tokens, "batch": batch, "dtype": dtype,
        "weight_bits": weight_bits, "cache_bits": cache_bits, "trust_remote_code": trust_remote_code,
    }  # fmt: skip
    if bandwidth is not None and compute is not None:
        machine = Machine(bandwidth=bandwidth * 1e9, compute=compute * 1e12)
    else:
        machine = None
    found = estimated(*(models or ()), **given, machine=machine)
    if machine is None:
        measured = Machine.measured(dtype=dtype if dtype not in (None, "auto") else "float32")
        machine = Machine(
            bandwidth=measured.bandwidth if bandwidth is None else bandwidth * 1e9,
            compute=measured.compute if compute is None else compute * 1e12,
        )
        note(f"This machine: {machine.bandwidth / 1e9:.1f} GB/s, {machine.compute / 1e12:.3f} TFLOP/s")
        found = found.on(machine)
    typer.echo(json.dumps(_values(found), indent=2) if as_json else _table(found))


def _values(found: CostEstimate) -> dict[str, Any]:
    """All numbers of an estimate."""
    return {
        **asdict(found),
        "weights": found.weights,
        "cache": found.cache,
        "memory": found.memory,
        "tokens_per_second": found.tokens_per_second,
        "tokens_per_second_by_bandwidth": found.tokens_per_second_by_bandwidth,
        "tokens_per_second_by_compute": found.tokens_per_second_by_compute,
        "seconds_to_first_token": found.seconds_to_first_token,
    }


def _table(found: CostEstimate) -> str:
    """Lines for a reader: columns separated by tabs."""
    lines = ["model\tparameters\tweights\tcache\twith room"]
    lines += [
        f"{one.name}\t{one.parameters:,}\t{_size(one.weights)}\t{_size(one.cache)}\t{_size(one.reserved)}"
        for one in found.models
    ]
    lines += [
        f"memory\t{_size(found.memory)}",
        f"tokens a second\tat most {found.tokens_per_second:,.4g}",
        f"by bandwidth\t{found.tokens_per_second_by_bandwidth:,.4g}",
        f"by compute\t{found.tokens_per_second_by_compute:,.4g}",
        f"first token\tafter {found.seconds_to_first_token:.3g} s at least",
    ]
    return "\n".join(lines)


def _size(count: float) -> str:
    """Bytes in the unit that leaves one to four digits."""
    units = ["B", "KiB", "MiB", "GiB", "TiB"]
    while count >= 1024 and len(units) > 1:
        count /= 1024
        units.pop(0)
    return f"{count:,.0f} B" if units[0] == "B" else f"{count:,.1f} {units[0]}"
