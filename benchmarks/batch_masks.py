"""Cost of the masks of a whole batch, known and new.

    python benchmarks/batch_masks.py [--rows 64]

256 rows, or as many as `--rows` says, over the vocabulary of Qwen 2.5, at different places of their texts; once with
one constraint, once with one for each row. "Known": all masks were asked for before, so that they are only copied;
what that takes beyond copying as much memory is the overhead. "New": none was. llguidance fills the same rows one by
one, and on its own thread pool.

Needs the extra `bench` and GUIDANCE_KIT_DATA (the tokenizer).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from loading import load_qwen
from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.mask_batch import fill_masks, helping_threads
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex


def schema_of(number: int) -> dict:
    """A schema that differs from the others in a name and a bound."""
    return {
        "type": "object",
        "properties": {
            f"name_{number}": {"type": "string", "maxLength": 40 + number},
            "amount": {"type": "number", "minimum": 0},
            "tags": {"type": "array", "items": {"enum": ["new", "paid", "sent"]}},
        },
        "required": [f"name_{number}", "amount"],
    }


def text_of(number: int) -> str:
    return json.dumps({f"name_{number}": "Ada Lovelace of London", "amount": 19.5, "tags": ["new", "sent"]})


def seconds(function: Callable[[], object], repeat: int) -> float:
    """Median over so many calls."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def main() -> None:
    import llguidance
    import llguidance.hf
    import llguidance.numpy

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=256)
    count: int = parser.parse_args().rows
    tokenizer, vocabulary = load_qwen()
    peer_tokenizer = llguidance.hf.from_tokenizer(tokenizer, n_vocab=vocabulary.rows)
    compile_kernels()
    pool = helping_threads()
    peer_pool = llguidance.LLExecutor()
    console = Console(width=160)
    console.print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"numba {version('numba')}, llguidance {version('llguidance')}"
    )
    table = Table(title=f"{count} rows, microseconds a row (median)")
    ours = "copying memory", "known", "overhead", "known, one by one", "new", "new, threads"
    for column in ("constraints", *ours, "llguidance, one by one", "llguidance, threads"):
        table.add_column(column, justify="left" if column == "constraints" else "right")
    out = bitmask.allocate(count, vocabulary.rows)
    source = out.copy()
    source[:] = 1
    for constraints in (1, count):
        numbers = [row % constraints for row in range(count)]
        tokens = [tokenizer.encode(text_of(number), add_special_tokens=False) for number in numbers]
        places = [row % len(tokens[row]) for row in range(count)]

        def fresh(constraints: int = constraints, tokens: list = tokens, places: list = places) -> list[Matcher]:
            indexes = [
                TokenIndex.build(gk.json_schema(schema_of(n), escapes="all").network(), vocabulary)
                for n in range(constraints)
            ]
            matchers = [Matcher(indexes[row % constraints]) for row in range(count)]
            for row, matcher in enumerate(matchers):
                matcher.advance_all(tokens[row][: places[row]])
            return matchers

        def peers(constraints: int = constraints, tokens: list = tokens, places: list = places) -> list:
            grammars = [
                llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema_of(n))) for n in range(constraints)
            ]
            first = [llguidance.LLMatcher(peer_tokenizer, grammar) for grammar in grammars]
            matchers = [first[row % constraints].deep_copy() for row in range(count)]
            for row, matcher in enumerate(matchers):
                for token in tokens[row][: places[row]]:
                    matcher.consume_token(token)
            return matchers

        matchers = fresh()
        fill_masks(matchers, out)
        copying = seconds(lambda: np.copyto(out, source), 31)
        known = seconds(lambda matchers=matchers: fill_masks(matchers, out), 31)
        single = seconds(lambda matchers=matchers: [m.allowed(row) for m, row in zip(matchers, out, strict=True)], 31)
        new, threaded, peer_single, peer = [], [], [], []
        for _ in range(3):
            batch = fresh()
            new.append(seconds(lambda batch=batch: fill_masks(batch, out), 1))
            batch = fresh()
            threaded.append(seconds(lambda batch=batch: fill_masks(batch, out, threads=pool), 1))
            rows = list(zip(peers(), range(count), strict=True))
            peer_single.append(
                seconds(lambda rows=rows: [llguidance.numpy.fill_next_token_bitmask(m, out, row) for m, row in rows], 1)
            )
            rows = list(zip(peers(), range(count), strict=True))
            peer.append(
                seconds(lambda rows=rows: llguidance.numpy.fill_next_token_bitmask_par(peer_pool, rows, out), 1)
            )
        row = copying, known, known - copying, single, *map(np.median, (new, threaded, peer_single, peer))
        table.add_row(str(constraints), *(f"{1e6 * value / count:.2f}" for value in row))
    console.print(table)


if __name__ == "__main__":
    main()
