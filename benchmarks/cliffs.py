"""First and slowest masks of schemas of MaskBench that were slow, each in fresh processes.

    python benchmarks/cliffs.py                          the schemas in CASES, medians of five processes
    python benchmarks/cliffs.py --root ../other          the package of another checkout
    python benchmarks/cliffs.py --runs 1 NAME...         other schemas, by parts of their names
    python benchmarks/cliffs.py --order any --escapes all NAME...   with options of schemas
    python benchmarks/cliffs.py --keys 100 300 1000      drawn objects with so many required keys, in any order; with
                                                         --optional none is required, with --counted one of them is

Milliseconds of CPU time: reading, compiling and the first mask; the slowest later mask over all instances, or random
texts where there are none, with what earlier ones left behind; and the mean of these. Kernels are compiled before. For
drawn objects also the states and rules that are written after the first property, and megabytes of the automaton. Needs
GUIDANCE_KIT_DATA.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

WALKS = 3
"""Texts of random tokens, at most 16 each, where a schema has no instances."""

KEYS = ["Github_ultra---o12652", "Github_ultra---o12344", "Github_ultra---o65323", "Github_hard---o57432",
        "ninjs-1.3", "strmprivacy.api.entities.v1.DataContract", "sp_280_Normalized"]  # fmt: skip
"""Keys with patterns, and many declared names."""

ITEMS = ["cosmos-config", "chisel-slices", "cv.schema", "spacefile.schema", "winget-pkgs-locale-1.0.0", "vsix-publish"]
"""Arrays with `uniqueItems` over objects or strings."""

PRODUCTS = ["allany15", "allany16", "allany23"]
"""Conjunctions of alternatives of patterns with bounded lengths; without instances."""

TURNS = ["aerleon-definitions"]
"""Counted repetitions under a lookahead for the length."""

MULTIPLES = ["allany8"]
"""Multiples, and what are no multiples, with 24,024 remainders."""

CASES = [*KEYS, *ITEMS, *PRODUCTS, *TURNS, *MULTIPLES]

DIGITS = [2, 2, 3, 0, 0, 1]
"""Digits of what is measured."""

WORDS = [
    "account", "address", "amount", "author", "balance", "billing", "city", "code", "color", "company", "contact",
    "content", "count", "country", "created", "currency", "customer", "date", "default", "delivery", "description",
    "device", "discount", "email", "enabled", "error", "event", "expires", "file", "first", "format", "group",
    "height", "history", "image", "index", "invoice", "item", "key", "label", "language", "last", "length", "level",
    "limit", "link", "list", "location", "message", "method", "minimum", "model", "name", "note", "number", "option",
    "order", "owner", "page", "parent", "path", "payment", "phone", "position", "price", "product", "profile",
    "quantity", "rate", "reason", "record", "region", "result", "role", "score", "section", "sender", "session",
    "shipping", "size", "source", "start", "status", "street", "subject", "summary", "target", "tax", "text", "time",
    "title", "total", "type", "unit", "update", "url", "user", "value", "vendor", "version", "weight", "width",
]  # fmt: skip
"""Words of drawn keys."""


def measure(name: str, **options: Any) -> tuple[float, float, float]:
    """Milliseconds of the first mask of a schema, of the slowest of the others, and of these in the mean.

    Args:
        options: of `json_schema`.
    """
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
    gc.freeze()  # what is loaded, so that no mask takes the time to look through it
    clock = time.process_time
    begin = clock()
    index = TokenIndex.build(gk.json_schema(row["schema"], **options).network(), vocabulary)
    Matcher(index).allowed()
    first = clock() - begin
    times: list[float] = []

    def follow(choose: Callable[[Matcher, int], int | None], most: int) -> None:
        """Note the times of all masks along a text."""
        matcher = Matcher(index)
        for place in range(most):
            begin = clock()
            matcher.allowed()
            times.append(clock() - begin)
            token = choose(matcher, place)
            if token is None or not matcher.can_advance(token):
                break
            matcher.advance(token)

    chance = random.Random(name)
    for tokens in texts:
        follow(lambda _, place, tokens=tokens: tokens[place], len(tokens))
    for _ in range(0 if texts else WALKS):
        follow(lambda matcher, _: None if matcher.is_finished else chance.choice(matcher.allowed_tokens().tolist()), 16)
    return 1e3 * first, 1e3 * max(times), 1e3 * sum(times) / len(times)


def drawn_object(count: int) -> tuple[dict[str, Any], str]:
    """Schema of an object with `count` required keys, none else allowed, and a text with them in another order."""
    chance = random.Random(count)
    keys: dict[str, int] = {}
    while len(keys) < count:
        keys["_".join(chance.choices(WORDS, k=chance.randrange(1, 4)))] = chance.randrange(1000)
    schema = {"properties": {key: {"type": "integer"} for key in keys}, "required": [*keys]}
    order = chance.sample([*keys], count)
    return {**schema, "additionalProperties": False}, json.dumps({key: keys[key] for key in order})


def measure_keys(count: int, changed: dict[str, Any]) -> tuple[float, float, float, float, float, float]:
    """Milliseconds as `measure`; states and rules written after the first property, and megabytes of the automaton.

    Args:
        count: of keys.
        changed: keywords of the drawn object that have other values.
    """
    from loading import load_qwen

    import guidance_kit as gk
    from guidance_kit.cli.warmup import compile_kernels
    from guidance_kit.fsm.matcher import Matcher
    from guidance_kit.fsm.token_index import TokenIndex

    tokenizer, vocabulary = load_qwen()
    drawn, text = drawn_object(count)
    schema = {**drawn, **changed}
    tokens = tokenizer.encode(text)
    compile_kernels()
    warm, _ = drawn_object(3)
    Matcher(TokenIndex.build(gk.json_schema({**warm, **changed}, order="any").network(), vocabulary)).allowed()
    gc.freeze()
    clock = time.process_time
    begin = clock()
    index = TokenIndex.build(gk.json_schema(schema, order="any").network(), vocabulary)
    matcher = Matcher(index)
    matcher.allowed()
    first = clock() - begin
    times = []
    written: dict[str, int] = {}
    read = ""
    for token in tokens:
        begin = clock()
        matcher.allowed()
        times.append(clock() - begin)
        matcher.advance(token)
        read += tokenizer.decode([token])
        if not written and "," in read:
            written = index.automaton.statistics()
    assert matcher.is_complete
    end = index.automaton.statistics()
    more = end["states"] - written["states"], end["rules"] - written["rules"]
    return 1e3 * first, 1e3 * max(times), 1e3 * sum(times) / len(times), *more, end["bytes"] / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=CASES, metavar="NAME")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--order", choices=("declared", "any"), default="declared", help="of properties")
    parser.add_argument("--escapes", choices=("minimal", "ascii", "all"), default="minimal", help="of strings")
    parser.add_argument("--one", action="store_true", help="measure one schema in this process")
    parser.add_argument("--keys", action="store_true", help="the names are numbers of required keys")
    parser.add_argument("--optional", action="store_true", help="with --keys: no key is required")
    parser.add_argument("--counted", action="store_true", help="with --keys: minProperties 1 instead of required keys")
    options = parser.parse_args()
    if options.one:
        changed: dict[str, Any] = {"required": []} if options.optional or options.counted else {}
        if options.counted:
            changed["minProperties"] = 1
        name = options.names[0]
        if options.keys:
            print(json.dumps(measure_keys(int(name), changed)))
        else:
            print(json.dumps(measure(name, order=options.order, escapes=options.escapes)))
        return
    print(f"{platform.machine()}, {os.cpu_count()} cores, {options.root.resolve().name}, {options.runs} processes each")
    columns = ["first mask", "slowest mask", "mean", *["states", "rules", "MB"][: 3 if options.keys else 0]]
    print(f"| schema | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}")
    environment = {**os.environ, "PYTHONPATH": str(options.root.resolve()), "OMP_NUM_THREADS": "1"}
    for name in options.names:
        flags = [f"--{flag}" for flag in ("keys", "optional", "counted") if getattr(options, flag)]
        flags += ["--order", options.order, "--escapes", options.escapes]
        command = [sys.executable, __file__, "--one", *flags, name]
        runs = [
            json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
            for _ in range(options.runs)
        ]
        cells = (
            f"{median(run[column] for run in runs):,.{digits}f}" for column, digits in enumerate(DIGITS[: len(columns)])
        )
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
