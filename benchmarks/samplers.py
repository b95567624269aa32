"""What does each sampler add to a step, beside plain sampling and the warper of transformers?

    python benchmarks/samplers.py [--rows 32000] [--batch 1] [--repeats 40]

Normal logits of standard deviation 3, float32, on one thread of the CPU. Times are CPU time of the thread, which other
work on the machine disturbs less than time on the clock. A line of the first table has the median of one call of a
truncation, of the whole draw with it (truncation, softmax, random number), and of the warper of transformers with the
same meaning. All calls of a round are made one after the other, and the rounds alternate. The second table has guides
against repetition after a text of 1,000 tokens. No model runs: its pass is the same for all.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
import transformers
from rich import box
from rich.console import Console
from rich.table import Table
from transformers.generation import logits_process

import guidance_kit as gk
from guidance_kit.decoding.draw import Draw, InverseTransform
from guidance_kit.decoding.sampling import Sampling, shape

SAMPLERS: dict[str, tuple[dict[str, Any], Any]] = {
    "plain": ({}, None),
    "temperature": ({"temperature": 0.7}, logits_process.TemperatureLogitsWarper(0.7)),
    "top_k": ({"top_k": 50}, logits_process.TopKLogitsWarper(50)),
    "top_p": ({"top_p": 0.9}, logits_process.TopPLogitsWarper(0.9)),
    "min_p": ({"min_p": 0.05}, logits_process.MinPLogitsWarper(0.05)),
    "typical_p": ({"typical_p": 0.9}, logits_process.TypicalLogitsWarper(0.9)),
    "epsilon_cutoff": ({"epsilon_cutoff": 3e-4}, logits_process.EpsilonLogitsWarper(3e-4)),
    "eta_cutoff": ({"eta_cutoff": 3e-4}, logits_process.EtaLogitsWarper(3e-4)),
    "top_n_sigma": ({"top_n_sigma": 1.0}, None),
    "top_a": ({"top_a": 0.2}, None),
    "DynamicTemperature": ({"temperature": gk.DynamicTemperature(0.5, 1.5)}, None),
    "EntropyTemperature": ({"temperature": gk.EntropyTemperature(1.0)}, None),
}
DRAWS: dict[str, Draw] = {"Mirostat": gk.Mirostat(), "MirostatV1": gk.MirostatV1()}


def median(times: Sequence[float]) -> str:
    return f"{statistics.median(times) * 1e6:,.0f}"


def timed(calls: dict[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """CPU seconds of each call in each round, after one round that does not count."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(repeats + 1):
        for name, call in calls.items():
            start = time.thread_time()
            call()
            if number:
                found[name].append(time.thread_time() - start)
    return found


def drawn(draw: Draw, logits: torch.Tensor, sampling: Sampling) -> object:
    """Whole stage: truncation and draw."""
    states = [draw.start(seed) for seed in range(len(logits))]
    return draw.draw(shape(logits, sampling), states, [[0]] * len(logits), [1] * len(logits))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=32_000)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=40)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    logits = 3 * torch.randn(chosen.batch, chosen.rows, generator=torch.Generator().manual_seed(0))
    calls: dict[str, Callable[[], object]] = {}
    for name, (options, warper) in SAMPLERS.items():
        sampling = Sampling(**options)
        calls[f"{name} shape"] = lambda sampling=sampling: shape(logits, sampling)
        calls[f"{name} draw"] = lambda sampling=sampling: drawn(InverseTransform(), logits, sampling)
        if warper is not None:
            calls[f"{name} warper"] = lambda warper=warper: warper(None, logits)
    for name, draw in DRAWS.items():
        calls[f"{name} draw"] = lambda draw=draw: drawn(draw, logits, Sampling())
    found = timed(calls, chosen.repeats)
    console = Console()
    about = (
        f"{chosen.batch} x {chosen.rows:,} logits, torch {torch.__version__}, transformers {transformers.__version__}"
    )
    table = Table("microseconds", "truncation", "with the draw", "warper", title=about, box=box.MARKDOWN)
    for name in [*SAMPLERS, *DRAWS]:
        cells = [found.get(f"{name} {part}") for part in ("shape", "draw", "warper")]
        table.add_row(name, *("" if cell is None else median(cell) for cell in cells))
    console.print(table)

    generator = torch.Generator().manual_seed(1)
    text = torch.randint(0, 200, (chosen.batch, 1000), generator=generator).tolist()
    guides: dict[str, Any] = {
        "NoRepeatNgrams(3)": gk.NoRepeatNgrams(3),
        "Dry()": gk.Dry(),
        "Penalties": gk.Penalties(presence=0.5),
    }
    starts = {name: guide.start(text) for name, guide in guides.items()}
    guided: dict[str, Callable[[], object]] = {
        name: lambda name=name: guides[name].adjust(logits, guides[name].advance(starts[name], [[1]] * len(text)))
        for name in guides
    }
    theirs: Any = logits_process.NoRepeatNGramLogitsProcessor(3)
    ids = torch.tensor(text)
    guided["NoRepeatNGramLogitsProcessor(3)"] = lambda: theirs(ids, logits)
    table = Table("microseconds", "a step", title="after 1,000 tokens", box=box.MARKDOWN)
    for name, times in timed(guided, chosen.repeats).items():
        table.add_row(name, median(times))
    console.print(table)


if __name__ == "__main__":
    main()
