"""Mask engine with many requests at once: memory a request, masks a second, bytes to the device.

    python benchmarks/serving/concurrent_requests.py --tokenizer FOLDER --requests 10000

No model runs. Requests write JSON records of drawn schemas, the same texts that `vllm_masks.py` draws, and stand at
drawn places in them. Printed for one schema and for several: resident memory before and after, the time of all masks of
a step where none is known and where all are, and of taking a token in each request.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
from pathlib import Path

import numpy as np
from vllm_masks import record

import guidance_kit as gk
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher


def resident() -> float:
    """Resident memory of the process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def measure(vocabulary: gk.Vocabulary, encode, requests: int, schemas: int) -> None:
    """Print one row."""
    rng = random.Random(schemas)
    drawn = [record(rng) for _ in range(schemas)]
    before = resident()
    started = time.perf_counter()
    constraints = [gk.json_schema(schema, whitespace="json").compile(vocabulary) for schema, _ in drawn]
    compiled = time.perf_counter() - started
    texts = [encode(json.dumps(value)) for _, value in drawn]
    matchers, following = [], []
    for number in range(requests):
        tokens = texts[number % schemas]
        place = rng.randrange(len(tokens))
        matcher = Matcher(constraints[number % schemas])
        matcher.advance_all(tokens[:place])
        matchers.append(matcher)
        following.append(tokens[place])
    gc.collect()
    placed = resident()
    masks = np.zeros((requests, constraints[0].words), np.int32)
    times = []
    for _ in range(3):
        started = time.perf_counter()
        failed = fill_masks(matchers, masks)
        times.append(time.perf_counter() - started)
        assert not failed
    filled = resident() - masks.nbytes / 1e6
    keys = len({matcher.mask_key for matcher in matchers})
    started = time.perf_counter()
    for matcher, token in zip(matchers, following, strict=True):
        matcher.advance(token)
    taken = time.perf_counter() - started
    print(
        f"{requests} requests, {schemas} schemas: compile {compiled:.2f} s; {placed - before:.0f} MB placed, "
        f"{filled - placed:.0f} MB masks; different masks {keys}; masks first {1e3 * times[0]:.0f} ms, known "
        f"{1e3 * min(times[1:]):.1f} ms; tokens {1e3 * taken:.0f} ms; mask {4 * constraints[0].words} bytes, "
        f"all {masks.nbytes / 1e6:.0f} MB; caches {gk.caches.statistics()}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizer", required=True, help="folder of a tokenizer of transformers")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--schemas", type=int, nargs="*", default=[1, 100, 1000])
    arguments = parser.parse_args()
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(arguments.tokenizer)
    vocabulary = gk.Vocabulary.from_tokenizer(tokenizer)
    for schemas in arguments.schemas:
        measure(vocabulary, lambda text: tokenizer.encode(text, add_special_tokens=False), arguments.requests, schemas)


if __name__ == "__main__":
    main()
