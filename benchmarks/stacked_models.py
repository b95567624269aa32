"""Are two models of one architecture faster as one with stacked weights than one after the other?

    python benchmarks/stacked_models.py [--sizes 4x192x2048 12x768x32000] [--batch 1 8] [--rounds 7] [--threads 1]

Llamas with random weights, float32: layers x width x rows; the first size is that of the bundled model, the second has
110 million parameters. One token a row, without a cache, the pass that reading the weights takes.

- `apart`: one model after the other.
- `stacked`: `torch.vmap` over `functional_call` with the weights of `stack_module_state`, as one pass.
- `difference`: the greatest between their logits, nats.

Processor time, the least of the rounds: other work on the machine adds nothing to it but lost caches.
"""

from __future__ import annotations

import argparse
import copy
import platform
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch.func import functional_call, stack_module_state
from transformers import LlamaConfig, LlamaForCausalLM


def random_model(size: str, seed: int) -> Any:
    """A model of layers x width x rows. Its attention is written out, since the others do not go through `vmap`."""
    layers, width, rows = map(int, size.split("x"))
    torch.manual_seed(seed)
    config = LlamaConfig(
        num_hidden_layers=layers,
        hidden_size=width,
        intermediate_size=width * 8 // 3,
        num_attention_heads=width // 32,
        vocab_size=rows,
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    return LlamaForCausalLM(config).eval()


def apart(models: list[Any], tokens: Tensor) -> Tensor:
    """One model after the other: float, (models, batch, length, rows)."""
    return torch.stack([model(tokens, use_cache=False).logits for model in models])


def stacked(models: list[Any]) -> Callable[[Tensor], Tensor]:
    """The same as one pass: int64 (batch, length) to float (models, batch, length, rows)."""
    weights, buffers = stack_module_state(models)
    skeleton = copy.deepcopy(models[0])

    def one(weights: dict[str, Tensor], buffers: dict[str, Tensor], tokens: Tensor) -> Tensor:
        return functional_call(skeleton, (weights, buffers), (tokens,), {"use_cache": False}).logits

    every = torch.vmap(one, in_dims=(0, 0, None))
    return lambda tokens: every(weights, buffers, tokens)


def seconds(run: Callable[[], object], rounds: int) -> float:
    """The least processor time of a run."""
    least = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        run()
        least = min(least, time.process_time() - start)
    return least


@torch.inference_mode()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["4x192x2048", "12x768x32000"])
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 8])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    console = Console(width=100)
    console.print(f"{torch.get_num_threads()} threads, Python {platform.python_version()}, torch {torch.__version__}")
    table = Table(title=f"milliseconds of processor time a pass, the least of {options.rounds}")
    for column in ("layers x width x rows", "batch", "apart", "stacked", "stacked / apart", "difference"):
        table.add_column(column, justify="right")
    for size in options.sizes:
        models = [random_model(size, seed) for seed in (0, 1)]
        together = stacked(models)
        for batch in options.batch:
            tokens = torch.arange(3, 3 + batch)[:, None]
            difference = float((together(tokens) - apart(models, tokens)).abs().max())
            alone = seconds(partial(apart, models, tokens), options.rounds)
            both = seconds(partial(together, tokens), options.rounds)
            table.add_row(
                size, str(batch), f"{alone * 1e3:.2f}", f"{both * 1e3:.2f}", f"{both / alone:.2f}", f"{difference:.0e}"
            )
    console.print(table)


if __name__ == "__main__":
    main()
