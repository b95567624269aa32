"""Lowering of schemas: the share of development schemas that lose nothing, for each target, and times.

python benchmarks/lowering.py --count 150                     # all targets
python benchmarks/lowering.py --count 150 --for anthropic     # one of them

Schemas are those of MaskBench, development half. Times are CPU times of one schema for one target, with comparisons,
of refused ones too. Where llama-cpp-python is installed, its parser reads the grammars.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import guidance_kit as gk
from guidance_kit.grammars.json_schema.lowering.targets import TARGETS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from schemas import maskbench

try:
    import llama_cpp
except ImportError:
    llama_cpp = None


def main() -> None:
    """Lower a sample of schemas for all targets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    data = os.environ.get("GUIDANCE_KIT_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data), help="folder with maskbench/")
    parser.add_argument("--for", dest="targets", action="append", choices=[*TARGETS], help="by default all targets")
    given = parser.parse_args()
    rows = random.Random(given.seed).sample(list(maskbench(given.data)), given.count)
    gk.compare({"type": "integer"}, {"type": "number"})
    print("target       nothing lost  of all but open objects  uncertain  refused     p50 ms  within 2 s     most s")
    for target in given.targets or TARGETS:
        print(f"{target:12}", measured(target, rows), flush=True)


def measured(target: str, rows: list[dict[str, Any]]) -> str:
    """Row of the table: shares of schemas, CPU times, and the slowest schema."""
    counts: Counter[str] = Counter()
    times: list[float] = []
    slowest = ""
    for row in rows:
        begin = time.process_time()
        try:
            lowered = gk.lower(row["schema"], target)
        except gk.ConstraintError:
            counts["refused"] += 1
            continue
        finally:
            times.append(time.process_time() - begin)
            if times[-1] == max(times):
                slowest = row["file"].removesuffix(".json")
        counts["equivalent"] += lowered.is_equivalent
        others = [one for one in lowered.residue if one.keyword not in ("additionalProperties", "type")]
        counts["besides"] += not others
        counts["uncertain"] += any(not one.is_certain for one in lowered.residue)
        if lowered.grammar is not None and llama_cpp is not None:
            counts["grammars"] += 1
            counts["parsed"] += bool(llama_cpp.llama_sampler_init_grammar(None, lowered.grammar.encode(), b"root"))
    shares = (counts[name] / len(rows) for name in ("equivalent", "besides", "uncertain", "refused"))
    times.sort()
    within = sum(one <= 2 for one in times) / len(times)
    timed = f"{times[len(times) // 2] * 1e3:8.0f} {within:10.1%} {times[-1]:10.1f}   {slowest}"
    parsed = f"   llama.cpp parses {counts['parsed']} of {counts['grammars']}" if counts["grammars"] else ""
    return " ".join(f"{share:10.1%}" for share in shares) + timed + parsed


if __name__ == "__main__":
    main()
