"""How much does it save to spell JSON strings only as `json.dumps(ensure_ascii=False)` does?

    python benchmarks/string_escapes.py [--schemas 100]

Schemas of MaskBench with a valid instance, which is written with an indent of 2 and followed token by token, with
`escapes="minimal"` and `escapes="all"` in turns. "forced" is the share of the tokens that no mask is needed for: the
text that `Matcher.forced_text` is sure of, cut into tokens. One process, one thread, kernels compiled before.

Needs GUIDANCE_KIT_DATA (the tokenizer; MaskBench).
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
from loading import load_qwen, maskbench
from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.matcher import Matcher

ESCAPES = ("minimal", "all")


def follow(index: Any, tokens: list[int], encode: Any, out: np.ndarray) -> tuple[list[float], int]:
    """Microseconds of each mask before a text's tokens, and how many tokens are forced."""
    matcher, times, forced, known = Matcher(index), [], 0, 0
    for place, token in enumerate(tokens):
        began = time.perf_counter()
        matcher.allowed(out)
        times.append((time.perf_counter() - began) * 1e6)
        if place >= known and (text := matcher.forced_text()):
            count = len(encode(text.decode("utf-8", "ignore"), add_special_tokens=False))
            forced, known = forced + count, place + count
        if not matcher.can_advance(token):
            break
        matcher.advance(token)
    return times, forced


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schemas", type=int, default=100, metavar="N")
    options = parser.parse_args()
    tokenizer, vocabulary = load_qwen()
    out = np.zeros(bitmask.words(vocabulary.rows), dtype=np.int32)
    compile_kernels()
    times: dict[str, list[float]] = {name: [] for name in ESCAPES}
    forced = dict.fromkeys(ESCAPES, 0)
    for number, (_, schema, instance) in enumerate(maskbench(options.schemas)):
        tokens = tokenizer.encode(json.dumps(instance, ensure_ascii=False, indent=2), add_special_tokens=False)
        for name in ESCAPES[:: 1 if number % 2 else -1]:
            try:
                index = gk.json_schema(schema, escapes=name).compile(vocabulary)
            except gk.GuidanceKitError:
                continue
            found, count = follow(index, tokens, tokenizer.encode, out)
            times[name] += found
            forced[name] += count
    table = Table("escapes", "masks", "forced", "mean us", "median us", "p99 us")
    for name in ESCAPES:
        ordered = np.array(times[name])
        figures = (ordered.mean(), np.median(ordered), np.percentile(ordered, 99))
        table.add_row(
            name, f"{len(ordered):,}", f"{forced[name] / len(ordered):.1%}", *(f"{one:.1f}" for one in figures)
        )
    Console().print(table)


if __name__ == "__main__":
    main()
