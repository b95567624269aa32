"""First and later masks of long enumerations: strings, strings beside a pattern, and numbers.

    python benchmarks/enumerations.py                 # 2,000, 10,000 and 50,000 members
    python benchmarks/enumerations.py 5000            # so many

Milliseconds of CPU time in one process, with the vocabulary of Qwen 2.5: reading, compiling and the first mask; the
mean of the others along the text of a member; and megabytes of the automaton. Kernels are compiled before. Needs
GUIDANCE_KIT_DATA.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
from collections.abc import Iterator
from typing import Any

from loading import load_qwen

import guidance_kit as gk
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.fsm.matcher import Matcher

GREEK = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
)


def enumerations(count: int) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Name and schema of each kind of enumeration, and one of its members."""
    chance = random.Random(count)
    names = [f"{'_'.join(chance.choices(GREEK, k=3))}{number}" for number in range(count)]
    with_nu = [name for name in names if "nu" in name]
    yield "strings", {"enum": names}, names[count // 2]
    yield "strings and a pattern", {"enum": names, "pattern": "nu"}, with_nu[len(with_nu) // 2]
    yield "integers", {"enum": [7 * number + 3 for number in range(count)]}, 7 * (count // 2) + 3
    yield "decimals", {"enum": [number + 0.25 for number in range(count)]}, count // 2 + 0.25


def main() -> None:
    """Measure each kind at each length, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", nargs="*", type=int, default=[2_000, 10_000, 50_000])
    counts = parser.parse_args().counts
    tokenizer, vocabulary = load_qwen()
    compile_kernels()
    clock = time.process_time
    Matcher(gk.json_schema({"enum": ["a", 1]}).compile(vocabulary)).allowed()
    print("| members | first mask | mean | MB |\n|---|--:|--:|--:|")
    for count in counts:
        for name, schema, member in enumerations(count):
            begin = clock()
            matcher = Matcher(gk.json_schema(schema).compile(vocabulary))
            matcher.allowed()
            first = clock() - begin
            tokens = tokenizer.encode(json.dumps(member))
            gc.collect()  # of those before
            begin = clock()
            for token in tokens:
                matcher.allowed()
                matcher.advance(token)
            mean = (clock() - begin) / len(tokens)
            size = matcher.index.automaton.statistics()["bytes"] / 1e6
            print(f"| {count:,} {name} | {1e3 * first:.1f} | {1e3 * mean:.3f} | {size:.0f} |", flush=True)


if __name__ == "__main__":
    main()
