"""How often does a text count as marked by a key that did not mark it?

    python benchmarks/watermark_false_positives.py [--millions 10]

Pairs of a text and a key, and the number of them with a p-value of 1e-5 or less, beside the number that the exact law
expects. A key has 65,536 (context, token) pairs; 32 shuffles cut them into texts of 32 tokens each, so a token is in 32
of the texts of its key, and two texts of a key rarely have a token in common.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.analysis.null_laws import gamma_tail, lattice_tail
from guidance_kit.analysis.token_scores import exponentials, null_law, unit_scores

LEVEL = 1e-5
KINDS: dict[str, dict[str, Any]] = {
    "green, left": {"kind": "green"},
    "green, self": {"kind": "green", "hashing": "self"},
    "gumbel": {"kind": "gumbel"},
    "tournament": {"kind": "tournament"},
}
POOL, LENGTH, SHUFFLES = 65_536, 32, 32


def false_positives(millions: float) -> Table:
    """Pairs, false positives and their expected number for each kind."""
    table = Table("watermark", "pairs", "p ≤ 1e-5", "expected", "sd", box=box.MARKDOWN)
    keys = math.ceil(millions * 1e6 / (POOL // LENGTH * SHUFFLES))
    for name, options in KINDS.items():
        generator = np.random.Generator(np.random.PCG64(1))
        law = null_law(gk.Watermark(b"key for its law.", **options))
        least = next(total for total in range(LENGTH * len(law)) if lattice_tail(law, {1: LENGTH}, total) <= LEVEL)
        least_sum = _gamma_threshold()
        found = 0
        for _ in range(keys):
            watermark = gk.Watermark(generator.bytes(16), **options)
            contexts = generator.integers(0, 50_000, (POOL, watermark.width)).tolist()
            words, _ = watermark.words_of(watermark.keys[0], contexts, generator.integers(0, 50_000, POOL).tolist())
            is_gumbel = watermark.kind == "gumbel"
            scores = exponentials(watermark, words) if is_gumbel else unit_scores(watermark, words)
            for _ in range(SHUFFLES):
                totals = generator.permutation(scores).reshape(-1, LENGTH).sum(1)
                found += int((totals >= (least_sum if is_gumbel else least)).sum())
        size = LEVEL if options["kind"] == "gumbel" else lattice_tail(law, {1: LENGTH}, least)
        pairs = keys * (POOL // LENGTH) * SHUFFLES
        table.add_row(name, f"{pairs:,}", str(found), f"{size * pairs:.1f}", f"{math.sqrt(size * pairs):.1f}")
    return table


def _gamma_threshold() -> float:
    """Sum of `LENGTH` exponentials with the tail `LEVEL`, by bisection."""
    low, high = float(LENGTH), 8.0 * LENGTH
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if gamma_tail(LENGTH, middle) > LEVEL else (low, middle)
    return high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millions", type=float, default=10.0)
    Console(width=120).print(false_positives(parser.parse_args().millions))


if __name__ == "__main__":
    main()
