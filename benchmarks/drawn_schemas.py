"""First masks of drawn schemas whose products are large: overlapping patterns of keys, and nested branches.

    python benchmarks/drawn_schemas.py                   both families
    python benchmarks/drawn_schemas.py --root ../other   the package of another checkout
    python benchmarks/drawn_schemas.py --each branches   a line for each schema of one family

"layers": objects with `patternProperties` that overlap, in several schemas under `allOf` and `anyOf`. "branches":
nested `oneOf` of objects, told apart by the constant of a property that need not be there. Processor time in
milliseconds of reading, compiling and the first mask, with the caches of the process emptied before each schema, but
for the vocabulary's. Schemas are drawn by seeds 0 to 99. Needs GUIDANCE_KIT_DATA.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SEEDS = range(100)

PATTERNS = [
    "^x-", "_id$", "^[a-z]+$", "[0-9]", "^[A-Z][a-zA-Z0-9]*$", "name", "^.{3,20}$", "date|time", "^(get|set|is)[A-Z]",
    "[-_.]", "^[a-z]+_[a-z]+$", "s$", "^[^_]*$", "ab.*cd", "^.*[aeiou]{2}.*$", "^[a-zA-Z0-9._-]+$", "^(?!x-)",
    "^[0-9a-f]{8}$", r"^\w+$", "^[a-z][a-z0-9-]*[a-z0-9]$", "url", r"^\$", "(_|-)(min|max)$",
    r"^[a-z]{1,63}(\.[a-z]{1,63})*$",
]  # fmt: skip
"""Patterns of keys."""

KEYS = ["name", "x-a", "user_id", "getX", "date", "url", "abcd"]
"""Declared keys."""

VALUES: list[Any] = [
    {"type": "integer"}, {"type": "string"}, {"type": "number", "minimum": 0}, {"type": ["string", "null"]},
    {"maxLength": 20}, {"minimum": 3}, {"type": "object"}, {"enum": [1, "a", None]}, {"type": "array"}, True,
    {"pattern": "^a"},
]  # fmt: skip
"""Schemas of values."""


def layers(seed: int) -> dict[str, Any]:
    """An object with several schemas for its keys."""
    chance = random.Random(seed)
    patterns, count = chance.randrange(2, 5), chance.randrange(2, 5)

    def layer(most: int = patterns) -> dict[str, Any]:
        schema: dict[str, Any] = {
            "patternProperties": {key: chance.choice(VALUES) for key in chance.sample(PATTERNS, most)}
        }
        if chance.random() < 0.4:
            schema["additionalProperties"] = chance.choice([False, {"type": "string"}, {"type": "integer"}])
        if chance.random() < 0.4:
            schema["properties"] = {key: chance.choice(VALUES) for key in chance.sample(KEYS, 3)}
        return schema

    def several(most: int = count) -> list[dict[str, Any]]:
        return [layer() for _ in range(most)]

    if seed % 4 == 0:
        return {"type": "object", "allOf": several()}
    if seed % 4 == 1:
        return {"type": "object", "anyOf": several(), **layer(2)}
    if seed % 4 == 2:
        return {"type": "object", "allOf": [{"anyOf": several(2)} for _ in range(count)]}
    properties = {"a": {"allOf": several()}, "b": {"type": "array", "items": {"anyOf": several()}}}
    without = {"patternProperties": {chance.choice(PATTERNS): chance.choice(VALUES[:6])}}
    return {"type": "object", "properties": properties, "not": without}


def branches(seed: int) -> dict[str, Any]:
    """A `oneOf` of objects that have others in them."""
    chance = random.Random(seed)
    depth, required = chance.randrange(1, 4), chance.choice([0, 0.3, 0.8])

    def branch(number: int, depth: int) -> dict[str, Any]:
        properties: dict[str, Any] = {"kind": {"const": f"k{depth}{number}"}}
        for field in range(chance.randrange(1, 4)):
            properties[f"f{depth}{number}{field}"] = chance.choice(VALUES[:8])
        if chance.random() < 0.5:
            properties["shared"] = chance.choice(VALUES[:6])
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if chance.random() < required:
            schema["required"] = ["kind"]
        if chance.random() < 0.3:
            schema["additionalProperties"] = False
        if depth and chance.random() < 0.6:
            properties["inner"] = one_of(depth - 1)
        return schema

    def one_of(depth: int) -> dict[str, Any]:
        return {"oneOf": [branch(number, depth) for number in range(chance.randrange(2, 7))]}

    return one_of(depth)


FAMILIES: dict[str, Callable[[int], dict[str, Any]]] = {"layers": layers, "branches": branches}


def measure(family: str, *, is_each: bool) -> None:
    """Print a row of a table: times of the schemas that are taken, and of those that are refused."""
    from loading import load_qwen

    import guidance_kit as gk
    from guidance_kit.cli.warmup import compile_kernels
    from guidance_kit.fsm.matcher import Matcher
    from guidance_kit.fsm.token_index import TokenIndex

    _, vocabulary = load_qwen()
    compile_kernels()
    Matcher(TokenIndex.build(gk.json_schema({"type": "object"}).network(), vocabulary)).allowed()
    times: dict[str, list[float]] = {"taken": [], "refused": []}
    for seed in SEEDS:
        schema = FAMILIES[family](seed)
        gk.caches.clear(*gk.caches.statistics().keys() - {"arenas", "vocabularies"})
        begin, kind, why = time.process_time(), "taken", ""
        try:
            Matcher(TokenIndex.build(gk.json_schema(schema).network(), vocabulary)).allowed()
        except gk.GuidanceKitError as error:
            kind, why = "refused", str(error)[:80]
        times[kind].append(1e3 * (time.process_time() - begin))
        if is_each:
            print(f"{seed} {times[kind][-1]:.1f} {why}", flush=True)
    cells: list[str] = []
    for found in map(sorted, times.values()):
        cells += [f"{len(found)}", *(f"{found[place]:,.0f}" if found else "" for place in (len(found) // 2, -1))]
    print(f"| {family} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--each", choices=FAMILIES, help="a line for each schema of a family, in this process")
    parser.add_argument("--family", choices=FAMILIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.each or options.family:
        measure(options.each or options.family, is_each=bool(options.each))
        return
    print("| family | taken | p50 | max | refused | p50 | max |\n|---|--:|--:|--:|--:|--:|--:|", flush=True)
    environment = {**os.environ, "PYTHONPATH": str(options.root.resolve()), "OMP_NUM_THREADS": "1"}
    for family in FAMILIES:
        subprocess.run([sys.executable, __file__, "--family", family], env=environment, check=True)


if __name__ == "__main__":
    main()
