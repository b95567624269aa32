"""Time of a mask along one long text: does it grow with what stands before?

    python benchmarks/along.py                  all cases, the package of this checkout
    python benchmarks/along.py --root ../other  the package of another checkout
    python benchmarks/along.py --share 0.2      texts of a fifth of the length

Objects and arrays whose members may not repeat each other, of thousands of members. Microseconds of processor time of a
mask and the step after it, means of each fifth of the text, and the slowest of the last fifth. Needs GUIDANCE_KIT_DATA.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

PARTS = 5

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cases(share: float) -> dict[str, tuple[dict[str, Any], Any]]:
    """Schema and value of each case."""
    draw = random.Random(0)

    def name() -> str:
        return "".join(draw.choices(LETTERS, k=6))

    def many(count: int) -> range:
        return range(round(count * share))

    counts = {"type": "object", "additionalProperties": {"type": "integer"}}
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    return {
        "10,000 objects of two undeclared keys": (
            {"type": "array", "items": counts},
            [{name(): 1, name(): 2} for _ in many(10_000)],
        ),
        "an object of 5,000 undeclared keys": (texts, {name(): "some words of text" for _ in many(5_000)}),
        "an object of 3,000 objects": (
            {"type": "object", "additionalProperties": counts},
            {name(): {name(): 1} for _ in many(3_000)},
        ),
        "3,000 unique strings": (
            {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
            [name() for _ in many(3_000)],
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--share", type=float, default=1.0)
    options = parser.parse_args()
    sys.path.insert(0, str(options.root.resolve()))
    import numpy as np
    from loading import load_qwen
    from rich.console import Console
    from rich.table import Table

    import guidance_kit as gk
    from guidance_kit.cli.warmup import compile_kernels
    from guidance_kit.fsm import bitmask
    from guidance_kit.fsm.matcher import Matcher
    from guidance_kit.fsm.token_index import TokenIndex

    tokenizer, vocabulary = load_qwen()
    compile_kernels()
    mask = bitmask.allocate(1, vocabulary.rows)[0]
    fifths = [f"{part + 1} of {PARTS}" for part in range(PARTS)]
    table = Table("case", "tokens", *fifths, "slowest", title=f"{platform.machine()}, numba {version('numba')}")
    for case, (schema, value) in cases(options.share).items():
        tokens = tokenizer.encode(json.dumps(value), add_special_tokens=False)
        matcher = Matcher(TokenIndex.build(gk.json_schema(schema, escapes="all").network(), vocabulary))
        times = []
        for token in tokens:
            begin = time.thread_time()
            matcher.allowed(mask)
            matcher.advance(token)
            times.append(1e6 * (time.thread_time() - begin))
        parts = np.array_split(np.array(times), PARTS)
        means = (f"{part.mean():.1f}" for part in parts)
        table.add_row(case, f"{len(tokens):,}", *means, f"{parts[-1].max():,.0f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
