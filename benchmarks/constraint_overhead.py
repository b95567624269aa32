"""How much slower is generation under a constraint than without, on the bundled model and its main job?

    python benchmarks/constraint_overhead.py [--rounds 9] [--batch 1 8 32]

The same prompts, messages of tools/support_world that training never showed, with and without the schema of
examples/ticket.py. The two alternate, and ratios are taken round by round, so that a machine that gets slower slows
both. The schema is compiled before and its masks are partly known after the first round, as in any job of more than one
batch.

"a token" is the wall time of a whole call over all tokens that it wrote, prompts included. "a step" is the same over
the number of times that the model was asked: tokens that have no alternative are written without asking it, which
hides what the constraint costs in the first figure.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import guidance_kit as gk

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from examples.ticket import Ticket
from tools.support_world import examples


class Run:
    """One call of `generate`, timed."""

    def __init__(self, model: gk.Model, prompts: list[list[int]], constraint: gk.Constraint | None) -> None:
        self.steps = 0
        ask = model.language_model.logits

        def counted(*arguments: Any, **named: Any) -> torch.Tensor:
            self.steps += 1
            return ask(*arguments, **named)

        model.language_model.clear()
        model.language_model.logits = counted
        begin = time.perf_counter()
        completions = model.generate(prompts, constraint, temperature=0.0, max_tokens=256, batch_size=len(prompts))
        self.seconds = time.perf_counter() - begin
        del model.language_model.logits  # the method is found again
        self.tokens = sum(len(completion.tokens) for completion in completions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8, 32])
    options = parser.parse_args()
    model = gk.load()
    constraint = gk.json_schema(Ticket)
    tickets = [one.text for one in examples("new_entities", 0, 200) if one.kind == "ticket"]
    console = Console(width=120)
    console.print(
        f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, Python {platform.python_version()}, "
        f"torch {torch.__version__}"
    )
    table = Table(title=f"medians of {options.rounds} rounds; overhead: median (least to most)")
    for column in ("batch", "free tokens/s", "constrained tokens/s", "overhead a token", "overhead a step", "forced"):
        table.add_column(column, justify="right")
    for batch in options.batch:
        prompts = [model.extraction_prompt(text, constraint) for text in tickets[:batch]]
        rounds = [[Run(model, prompts, each) for each in (None, constraint)] for _ in range(options.rounds + 1)][1:]
        free, bound = zip(*rounds, strict=True)
        per_token = [b.seconds / b.tokens / (f.seconds / f.tokens) - 1 for f, b in rounds]
        per_step = [b.seconds / b.steps / (f.seconds / f.steps) - 1 for f, b in rounds]
        table.add_row(
            str(batch),
            *(f"{np.median([run.tokens / run.seconds for run in runs]):,.0f}" for runs in (free, bound)),
            *(
                f"{np.median(ratios):+.1%} ({min(ratios):+.1%} to {max(ratios):+.1%})"
                for ratios in (per_token, per_step)
            ),
            f"{1 - bound[0].steps * batch / bound[0].tokens:.0%}" if batch == 1 else "",
        )
    console.print(table)


if __name__ == "__main__":
    main()
