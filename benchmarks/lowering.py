"""Lowering of schemas: the share of development schemas that lose nothing, for each target, and times.

python benchmarks/lowering.py --count 150                     # all targets
python benchmarks/lowering.py --count 150 --for anthropic     # one of them

Schemas are those of MaskBench, development half. Times are CPU times of one schema for one target, with comparisons.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path

import guidance_kit as gk
from guidance_kit.grammars.json_schema.lowering.targets import TARGETS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from schemas import maskbench


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
    times: list[float] = []
    print("target       nothing lost  of all but open objects  uncertain  refused")
    for target in given.targets or TARGETS:
        counts: Counter[str] = Counter()
        for row in rows:
            begin = time.process_time()
            try:
                lowered = gk.lower(row["schema"], target)
            except gk.ConstraintError:
                counts["refused"] += 1
                continue
            times.append(time.process_time() - begin)
            counts["equivalent"] += lowered.is_equivalent
            others = [one for one in lowered.residue if one.keyword not in ("additionalProperties", "type")]
            counts["besides"] += not others
            counts["uncertain"] += any(not one.is_certain for one in lowered.residue)
        shares = [counts[name] / given.count for name in ("equivalent", "besides", "uncertain", "refused")]
        print(f"{target:12}", *(f"{share:10.1%}" for share in shares), flush=True)
    times.sort()
    refused = given.count * len(given.targets or TARGETS) - len(times)
    print(
        f"p50 {times[len(times) // 2] * 1e3:.0f} ms, p99 {times[int(len(times) * 0.99)]:.2f} s, max {times[-1]:.1f} s"
    )
    print(f"{refused} refused; {sum(value <= 2 for value in times) / len(times):.2%} of {len(times):,} within 2 s")


if __name__ == "__main__":
    main()
