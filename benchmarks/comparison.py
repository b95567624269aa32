"""Comparison of schemas: answers and times on mutants of real schemas and on drawn pairs, judged by `jsonschema`.

python benchmarks/comparison.py mutants --count 2000     # each development schema beside a mutant of one keyword
python benchmarks/comparison.py drawn --count 10000      # pairs of random schemas, answers judged by random values

A mutant differs in one keyword at one place: it is left out, or its value is another one. Times are those of a process
(CPU), for a pair.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema

import guidance_kit as gk

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from schemas import maskbench, random_value
from test_comparison import drawn_pair

KEYWORDS = {
    "type", "enum", "const", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "items", "prefixItems", "contains",
    "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
    "maxProperties", "dependentRequired", "dependencies", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
}  # fmt: skip
"""Keywords that are mutated."""

_SLOWEST = 20
"""Slowest pairs that are printed: schemas by their names, drawn pairs by the seeds of `drawn_pair`."""


def places(schema: Any) -> list[tuple[dict[str, Any], str]]:
    """All (object, keyword) of a schema, including some in objects that are no schemas."""
    found: list[tuple[dict[str, Any], str]] = []
    todo = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            found += ((part, keyword) for keyword in part if keyword in KEYWORDS)
            todo += part.values()
        elif isinstance(part, list):
            todo += part
    return found


def mutant(schema: Any, chance: random.Random) -> Any:
    """Copy of a schema with one keyword changed; None where there is none."""
    copy = json.loads(json.dumps(schema))
    found = places(copy)
    if not found:
        return None
    part, keyword = chance.choice(found)
    value = part[keyword]
    if isinstance(value, bool):
        part[keyword] = not value
    elif isinstance(value, int | float) and chance.random() < 0.7:
        part[keyword] = value + 1
    elif isinstance(value, list) and len(value) > 1 and chance.random() < 0.7:
        del value[chance.randrange(len(value))]
    elif isinstance(value, str) and keyword == "type":
        part[keyword] = "string" if value != "string" else "integer"
    else:
        del part[keyword]
    return copy


def compare_mutants(count: int, seed: int, folder: Path) -> None:
    """Compare development schemas with mutants; print shares and times."""
    chance = random.Random(seed)
    rows = list(maskbench(folder))
    answers: Counter[str] = Counter()
    times: dict[str, float] = {}
    gk.compare({"type": "integer"}, {"type": "number"})
    for row in chance.sample(rows, min(count, len(rows))):
        schema = row["schema"]
        other = mutant(schema, chance)
        if other is None:
            answers["without keywords"] += 1
            continue
        begin = time.process_time()
        try:
            result = gk.compare(schema, other)
        except gk.ConstraintError as error:
            answers[f"refused: {type(error).__name__}"] += 1
            continue
        times[row["file"]] = time.process_time() - begin
        answers[result.relation] += 1
        for inclusion in (result.left_in_right, result.right_in_left):
            if inclusion.counterexample is not None:
                answers["counterexamples"] += 1
                answers["shortest counterexamples"] += inclusion.counterexample.is_shortest
            elif inclusion.holds is None:
                answers[f"because {inclusion.reason[:50]}"] += 1
    report(answers, times)


def compare_drawn(count: int, seed: int) -> None:
    """Compare pairs of random schemas; judge the answers by random values."""
    answers: Counter[str] = Counter()
    times: dict[str, float] = {}
    for number in range(seed * count, (seed + 1) * count):
        left, right = drawn_pair(number)
        if isinstance(right, dict) and isinstance(left, dict):
            right.setdefault("$defs", left.get("$defs", {}))
        begin = time.process_time()
        try:
            result = gk.compare(left, right)
        except gk.ConstraintError as error:
            answers[f"refused: {type(error).__name__}"] += 1
            continue
        times[str(number)] = time.process_time() - begin
        answers[result.relation] += 1
        chance = random.Random(number)
        values = [random_value(chance) for _ in range(20)]
        judges = [jsonschema.Draft202012Validator(schema) for schema in (left, right)]
        pairs = ((*judges, result.left_in_right), (*reversed(judges), result.right_in_left))
        for inner, outer, inclusion in pairs:
            example = inclusion.counterexample
            if example is not None:
                is_right = inner.is_valid(example.value) and not outer.is_valid(example.value)
                answers["counterexamples"] += 1
                answers["shortest counterexamples"] += example.is_shortest
                answers["wrong counterexamples"] += not is_right
            if inclusion.holds:
                wrong = any(inner.is_valid(value) and not outer.is_valid(value) for value in values)
                answers["wrong inclusions"] += wrong
    report(answers, times)


def report(answers: Counter[str], found: dict[str, float]) -> None:
    """Print counts, quantiles of the times, and the slowest pairs."""
    for answer, number in answers.most_common():
        print(f"{number:7,}  {answer}")
    times = sorted(found.values())
    shown = {name: times[int(len(times) * share)] for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))}
    print(*(f"{name} {value * 1e3:.1f} ms" for name, value in shown.items()), f"max {times[-1] * 1e3:.0f} ms")
    within = sum(value <= 2 for value in times) / len(times)
    print(f"{within:.2%} of {len(times):,} within 2 s")
    for name in sorted(found, key=found.__getitem__, reverse=True)[:_SLOWEST]:
        print(f"{found[name]:7.2f} s  {name}")


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("mutants", "drawn"))
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    data = os.environ.get("GUIDANCE_KIT_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data), help="folder with maskbench/")
    given = parser.parse_args()
    if given.what == "mutants":
        compare_mutants(given.count, given.seed, given.data)
    else:
        compare_drawn(given.count, given.seed)


if __name__ == "__main__":
    main()
