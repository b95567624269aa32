"""First and slowest masks of schemas of MaskBench that were slow, each in fresh processes.

    python benchmarks/cliffs.py                          the schemas in CASES, medians of five processes
    python benchmarks/cliffs.py --root ../other          the package of another checkout
    python benchmarks/cliffs.py --runs 1 NAME...         other schemas, by parts of their names

Milliseconds of CPU time: reading, compiling and the first mask; the slowest later mask over all instances, with what
earlier ones left behind; and the mean of these. Kernels are compiled before. Needs GUIDANCE_KIT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

KEYS = ["Github_ultra---o12652", "Github_ultra---o12344", "Github_ultra---o65323", "Github_hard---o57432",
        "ninjs-1.3", "strmprivacy.api.entities.v1.DataContract", "sp_280_Normalized"]  # fmt: skip
"""Keys with patterns, and many declared names."""

ITEMS = ["cosmos-config", "chisel-slices", "cv.schema", "spacefile.schema", "winget-pkgs-locale-1.0.0", "vsix-publish"]
"""Arrays with `uniqueItems` over objects or strings."""

CASES = [*KEYS, *ITEMS]


def measure(name: str) -> tuple[float, float, float]:
    """Milliseconds of the first mask of a schema, of the slowest of the others, and of these in the mean."""
    from loading import load_qwen, maskbench_rows

    import guidance_kit as gk
    from guidance_kit.cli.warmup import compile_kernels
    from guidance_kit.fsm.matcher import Matcher
    from guidance_kit.fsm.token_index import TokenIndex

    tokenizer, vocabulary = load_qwen()
    row = next(row for row in maskbench_rows() if name in row["file"])
    texts = [tokenizer.encode(json.dumps(test["data"], ensure_ascii=False)) for test in row["tests"]]
    compile_kernels()
    Matcher(TokenIndex.build(gk.json_schema({"type": "object"}).network(), vocabulary)).allowed()
    clock = time.process_time
    begin = clock()
    index = TokenIndex.build(gk.json_schema(row["schema"]).network(), vocabulary)
    Matcher(index).allowed()
    first = clock() - begin
    times = []
    for tokens in texts:
        matcher = Matcher(index)
        for token in tokens:
            begin = clock()
            matcher.allowed()
            times.append(clock() - begin)
            if not matcher.can_advance(token):
                break
            matcher.advance(token)
    return 1e3 * first, 1e3 * max(times), 1e3 * sum(times) / len(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=CASES, metavar="NAME")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--one", action="store_true", help="measure one schema in this process")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.names[0])))
        return
    print(f"{platform.machine()}, {os.cpu_count()} cores, {options.root.resolve().name}, {options.runs} processes each")
    print("| schema | first mask | slowest mask | mean |\n|---|--:|--:|--:|")
    environment = {**os.environ, "PYTHONPATH": str(options.root.resolve()), "OMP_NUM_THREADS": "1"}
    for name in options.names:
        command = [sys.executable, __file__, "--one", name]
        runs = [
            json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
            for _ in range(options.runs)
        ]
        cells = (f"{median(run[column] for run in runs):,.2f}" for column in range(3))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
