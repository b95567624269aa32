"""What does a step of a few rows cost on a CPU, as torch computes it and as `TransformersModel` has it computed?

    python benchmarks/few_rows.py [--size 12x768x32000] [--rows 1 2 3 4 8 12 16 32] [--rounds 5] [--threads 1]

A Llama with random weights, float32: layers x width x rows of the vocabulary; 110 million parameters. One token a row,
without a cache, the pass that reading the weights takes. The last line is a base and a LoRA adapter of rank 16 on all
its linear layers, one row each.

- `usual`: the model as it is.
- `as run`: under `models.few_rows.FewRows` where that finds so many rows faster on this processor, else the same.
- `difference`: the greatest between their logits, nats.

Processor time, the least of the rounds.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from stacked_models import random_model, seconds
from torch import Tensor

from guidance_kit.models.adapters import Adapters
from guidance_kit.models.few_rows import FewRows, gains_from_few_rows


def as_run(run: Any, tokens: Tensor) -> Tensor:
    """A pass as `TransformersModel` makes it."""
    with FewRows() if gains_from_few_rows(tokens.numel()) else nullcontext():
        return run(tokens)


def logits(model: Any, tokens: Tensor) -> Tensor:
    """A pass as it is."""
    return model(tokens, use_cache=False).logits


def adapted(model: Any) -> Any:
    """Passes whose first row is the base, and whose second goes through a random adapter. Changes the model."""
    from peft import LoraConfig, get_peft_model

    adapters = Adapters(model)
    with tempfile.TemporaryDirectory() as folder:
        wrapped = get_peft_model(model, LoraConfig(target_modules="all-linear", r=16, init_lora_weights=False))
        wrapped.save_pretrained(folder)
        wrapped.unload()
        model.__dict__.pop("peft_config", None)
        name = adapters.load(folder)

    def run(tokens: Tensor) -> Tensor:
        with adapters.applied([None, name]):
            return logits(model, tokens)

    return run


@torch.inference_mode()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="12x768x32000")
    parser.add_argument("--rows", nargs="+", type=int, default=[1, 2, 3, 4, 8, 12, 16, 32])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    console = Console(width=100)
    model = random_model(options.size, 0)
    taken = [rows for rows in options.rows if gains_from_few_rows(rows)]
    console.print(
        f"{torch.get_num_threads()} threads, Python {platform.python_version()}, torch {torch.__version__}; "
        f"another form is taken for {taken} rows"
    )
    table = Table(title=f"milliseconds of processor time a pass, the least of {options.rounds}")
    for column in ("rows", "usual", "as run", "as run / usual", "as run / 1 row", "difference"):
        table.add_column(column, justify="right")
    plain = partial(logits, model)
    one = seconds(partial(plain, torch.tensor([[3]])), options.rounds)
    for name, rows in [*((str(rows), rows) for rows in options.rows), ("base and adapter", 2)]:
        run = plain if name == str(rows) else adapted(model)
        tokens = torch.arange(3, 3 + rows)[:, None]
        difference = float((as_run(run, tokens) - run(tokens)).abs().max())
        usual = seconds(partial(run, tokens), options.rounds)
        ours = seconds(partial(as_run, run, tokens), options.rounds)
        table.add_row(
            name,
            f"{usual * 1e3:.1f}",
            f"{ours * 1e3:.1f}",
            f"{ours / usual:.2f}",
            f"{ours / one:.2f}",
            f"{difference:.0e}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
