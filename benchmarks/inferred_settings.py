"""Coverage of the intervals of `gk.infer_settings`: how often they hold the settings of the sampler.

    python benchmarks/inferred_settings.py [--texts 12] [--runs 20]

For each row of settings base-large writes texts of up to 40 tokens, a number of times; the table has the share
of runs whose interval holds each setting, the share that found exactly the settings, and the median width of the
intervals.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

import guidance_kit as gk

SETTINGS: list[dict[str, float]] = [
    {"temperature": 1.0},
    {"temperature": 0.7},
    {"temperature": 1.0, "top_k": 10},
    {"temperature": 0.8, "top_p": 0.8},
    {"temperature": 1.2, "min_p": 0.05},
]
PROMPTS = ["Customer:", "Customer: My order", "Topic:", "Agent: Thank you"]


def coverage(model: gk.Model, number: int, runs: int) -> Table:
    """Coverage of the intervals, and the settings that were found."""
    table = Table("settings", "in its interval", "settings found", "ambiguous", "median width", box=box.MARKDOWN)
    for settings in SETTINGS:
        inside: dict[str, int] = dict.fromkeys(settings, 0)
        widths: dict[str, list[float]] = {name: [] for name in settings}
        exact = ambiguous = 0
        for run in range(runs):
            options: dict[str, Any] = {**settings, "max_tokens": 40, "seed": 1000 * run}
            texts = model.generate(PROMPTS, n=number // len(PROMPTS), **options)
            pairs = [(prompt, text) for prompt, several in zip(PROMPTS, texts, strict=True) for text in several]
            found = gk.infer_settings(pairs, model, penalties=False)
            estimates = {"temperature": found.temperature, **found.truncations}
            exact += set(found.truncations) == set(settings) - {"temperature"}
            ambiguous += bool(found.alternatives)
            for name, value in settings.items():
                if name in estimates:
                    inside[name] += estimates[name].low <= value <= estimates[name].high
                    widths[name].append(estimates[name].high - estimates[name].low)
        table.add_row(
            ", ".join(f"{name} {value:g}" for name, value in settings.items()),
            ", ".join(f"{count / runs:.0%}" for count in inside.values()),
            f"{exact / runs:.0%}",
            f"{ambiguous / runs:.0%}",
            ", ".join(f"{median(one):.3g}" if one else "-" for one in widths.values()),
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=12)
    parser.add_argument("--runs", type=int, default=20)
    asked = parser.parse_args()
    Console(width=140).print(coverage(gk.load("base-large"), asked.texts, asked.runs))


if __name__ == "__main__":
    main()
