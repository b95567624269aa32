"""How many tokens per second with and without a constraint, on the bundled model?

    python benchmarks/constraint_overhead.py [--rounds 5] [--batch 1 8]

The same prompts; without a constraint the model writes what it likes, with one a long list of records. What counts is
the time per token, over all tokens of a batch. The two alternate, and the ratio is taken round by round, so that a
machine that gets slower slows both.
"""

from __future__ import annotations

import argparse
import os
import platform
import time

import numpy as np
from rich.console import Console
from rich.table import Table

import guidance_kit as gk

SCHEMA = {
    "type": "array",
    "minItems": 6,
    "maxItems": 40,
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 3, "maxLength": 40},
            "amount": {"type": "number"},
            "city": {"enum": ["Paris", "Lyon", "Nice", "Lille"]},
        },
        "required": ["name", "amount", "city"],
        "additionalProperties": False,
    },
}


def seconds_per_token(model: gk.Model, prompts: list[str], constraint: gk.Constraint | None, tokens: int) -> float:
    """Wall time over all tokens written, prefill included (it is the same for both)."""
    begin = time.perf_counter()
    done = model.generate(
        prompts, constraint=constraint, max_tokens=tokens, temperature=0.0, ignore_eos=constraint is None
    )
    return (time.perf_counter() - begin) / sum(len(completion.tokens) for completion in done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8])
    options = parser.parse_args()
    model = gk.load()
    constraint = gk.json_schema(SCHEMA)
    console = Console(width=120)
    console.print(f"{os.cpu_count()} cores, Python {platform.python_version()}, bundled model")
    table = Table("batch", title=f"{options.tokens} tokens a row, {options.rounds} rounds")
    for column in ("free: tokens/s", "constrained: tokens/s", "overhead: median", "min", "max"):
        table.add_column(column, justify="right")
    for batch in options.batch:
        prompts = [f"Order {k}: two tickets to Lyon for Ada, 19.50 each." for k in range(batch)]
        for each in (None, constraint):
            seconds_per_token(model, prompts, each, options.tokens)
        pairs = np.array(
            [
                [seconds_per_token(model, prompts, each, options.tokens) for each in (None, constraint)]
                for _ in range(options.rounds)
            ]
        )
        ratio = pairs[:, 1] / pairs[:, 0] - 1
        free, constrained = 1 / np.median(pairs, axis=0)
        table.add_row(
            str(batch),
            f"{free:,.0f}",
            f"{constrained:,.0f}",
            *(f"{100 * x:+.1f} %" for x in (np.median(ratio), ratio.min(), ratio.max())),
        )
    console.print(table)


if __name__ == "__main__":
    main()
