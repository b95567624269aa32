"""Cost and loss of pruning prompts by attention.

    python benchmarks/prompt_pruning.py [--texts 60]

LazyLLM (Fu et al. 2024) drops prompt tokens to which the last token attends little. Here the prompts of the extraction
job lose a share of their tokens at once, positions kept, by the attention of the last token in the first layers, or at
random; the loss is in nats a token of the right record, given the rest. The times are those of reading prompts with
fused attention, with weights that can be read (`output_attentions`), and of half a prompt.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from random import Random
from statistics import median
from typing import Any

import torch
from rich import box
from rich.console import Console
from rich.table import Table
from transformers import AutoModelForCausalLM

import guidance_kit as gk
from guidance_kit.evaluation.sets import tickets
from guidance_kit.model_source import bundled_folder

SHARES = (1.0, 0.9, 0.7, 0.5, 0.3)
LENGTHS = (256, 512, 1024, 2000)


def kept_by_attention(model: Any, prompt: list[int], count: int, layers: int) -> list[int]:
    """Places with the greatest attention of the last token, over the heads of the first layers; the last is kept."""
    attentions = model(input_ids=torch.tensor([prompt]), output_attentions=True).attentions[:layers]
    scores = torch.stack([one[0, :, -1].mean(0) for one in attentions]).mean(0)
    scores[-1] = torch.inf
    return sorted(scores.topk(count).indices.tolist())


def loss(model: Any, prompt: list[int], kept: list[int], answer: list[int]) -> float:
    """Mean negative log-probability of the answer after the kept tokens, at their positions in the whole prompt."""
    tokens = torch.tensor([[*(prompt[place] for place in kept), *answer]])
    positions = torch.tensor([[*kept, *range(len(prompt), len(prompt) + len(answer))]])
    logits = model(input_ids=tokens, position_ids=positions).logits[0, len(kept) - 1 : -1]
    return float(torch.nn.functional.cross_entropy(logits.float(), torch.tensor(answer)))


@torch.inference_mode()
def losses(number: int) -> Table:
    """Loss by share of the prompt that is kept."""
    table = Table("kept", "first layer", "first 2 layers", "all 4 layers", "random", box=box.MARKDOWN)
    model = gk.load()
    eager: Any = AutoModelForCausalLM.from_pretrained(
        bundled_folder() / "support-2m", attn_implementation="eager", dtype=torch.float32
    ).eval()
    encode = model.language_model.encode
    pairs = [
        (
            model.extraction_prompt(one.text, one.schema),
            encode(json.dumps(one.record), with_special_tokens=False),
        )
        for one in tickets()[:number]
    ]
    for share in SHARES:
        rows: list[list[float]] = [[], [], [], []]
        for number_of_pair, (prompt, answer) in enumerate(pairs):
            count = max(1, round(share * len(prompt)))
            for row, layers in zip(rows, (1, 2, 4), strict=False):
                row.append(loss(eager, prompt, kept_by_attention(eager, prompt, count, layers), answer))
            places = Random(number_of_pair).sample(range(len(prompt) - 1), count - 1)
            rows[3].append(loss(eager, prompt, sorted([*places, len(prompt) - 1]), answer))
        table.add_row(f"{share:.0%}", *(f"{sum(row) / len(row):.3f}" for row in rows))
    return table


@torch.inference_mode()
def times() -> Table:
    """Milliseconds to read a prompt."""
    table = Table("tokens", "fused", "with attention weights", "half of the tokens, fused", box=box.MARKDOWN)
    folder = bundled_folder() / "base-large"
    fused, eager = (
        AutoModelForCausalLM.from_pretrained(folder, attn_implementation=kind, dtype=torch.float32).eval()
        for kind in ("sdpa", "eager")
    )
    calls: dict[str, Callable[[int], Any]] = {
        "fused": lambda length: fused(input_ids=torch.full((1, length), 7), logits_to_keep=1),
        "weights": lambda length: eager(input_ids=torch.full((1, length), 7), output_attentions=True, logits_to_keep=1),
        "half": lambda length: fused(input_ids=torch.full((1, length // 2), 7), logits_to_keep=1),
    }
    for length in LENGTHS:
        found: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(7):
            for name, call in calls.items():
                begin = time.perf_counter()
                call(length)
                found[name].append(1000 * (time.perf_counter() - begin))
        table.add_row(str(length), *(f"{median(row[1:]):.1f}" for row in found.values()))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=60)
    out = Console(width=120)
    out.print(losses(parser.parse_args().texts))
    out.print(times())


if __name__ == "__main__":
    main()
