"""Masks left to a text after those along a likely instance of its schema were computed ahead, and without.

    python benchmarks/serving/masks_ahead.py --tokenizer FOLDER --schemas development.jsonl.xz [--every 24]

Each schema is compiled, a likely instance of it is followed to its end (see `integrations.vllm.masks_ahead`; in an
engine this goes on beside the steps), and then the first valid instance of MaskBench is written, at most 400 tokens.
Both ways run in turn, each in a process of its own. Processor time.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
import sys
import time
from pathlib import Path

from transformers import AutoTokenizer

import guidance_kit as gk
from guidance_kit.integrations.vllm.masks_ahead import MasksAhead

MOST_TOKENS = 400


def measure(tokenizer: str, schemas: Path, every: int, *, is_ahead: bool) -> str:
    """Row of the table for one way."""
    read = AutoTokenizer.from_pretrained(tokenizer)
    vocabulary = gk.Vocabulary.from_tokenizer(read)

    def encode(text: str) -> list[int]:
        return read.encode(text, add_special_tokens=False)

    gk.Matcher(gk.json_schema({"type": "object"}).compile(vocabulary)).allowed()  # loads the kernels
    with lzma.open(schemas, "rt") as lines:
        chosen = [json.loads(line) for line in lines][::every]
    masks: list[float] = []
    slowest: list[float] = []
    for one in chosen:
        instances = [test["data"] for test in one["tests"] if test["valid"]]
        if not instances:
            continue
        schema = json.dumps(one["schema"])
        try:
            matcher = gk.Matcher(gk.json_schema(schema).compile(vocabulary))
            matcher.allowed()
        except gk.GuidanceKitError:
            continue
        if is_ahead:
            ahead = MasksAhead(encode)
            ahead.follow(matcher, schema)
            ahead.close(wait=True)
        times: list[float] = []
        for token in encode(json.dumps(instances[0]))[:MOST_TOKENS]:
            begin = time.thread_time()
            matcher.allowed()
            times.append(time.thread_time() - begin)
            if not matcher.try_advance(token):
                break
        masks += times
        slowest.append(max(times))
    masks.sort()
    slowest.sort()
    shown = [
        1e6 * sum(masks) / len(masks),
        *(1e3 * slowest[int(share * (len(slowest) - 1))] for share in (0.5, 0.9, 0.99, 1)),
    ]
    return (
        f"| {'ahead' if is_ahead else 'without'} | {len(slowest)} | " + " | ".join(f"{one:.3g}" for one in shown) + " |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", required=True, help="folder of a tokenizer of transformers")
    parser.add_argument("--schemas", type=Path, required=True, help=".jsonl.xz file of MaskBench's schemas")
    parser.add_argument("--every", type=int, default=24, help="each n-th schema")
    parser.add_argument("--work", choices=("without", "ahead"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        print(measure(options.tokenizer, options.schemas, options.every, is_ahead=options.work == "ahead"))
        return
    print(
        "| masks | schemas | mean, us | slowest p50, ms | p90 | p99 | max |\n|---|--:|--:|--:|--:|--:|--:|", flush=True
    )
    for way in ("without", "ahead"):
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--work", way], check=True)


if __name__ == "__main__":
    main()
