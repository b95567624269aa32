"""Constraints that break engines, and the memory that many of them take.

    python benchmarks/hard_cases.py                     first mask and slowest mask of each
    python benchmarks/hard_cases.py --memory 5000       resident memory after so many schemas of MaskBench

The vocabulary is that of Qwen 2.5; a limit that is reached is named. "Slowest" is over all masks but the first, on the
first 400 tokens of a text of the language. Needs the extra `bench` and GUIDANCE_KIT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from loading import load_qwen, maskbench
from peers import LLGuidance, Ours, Session
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

import guidance_kit as gk


def tool(number: int) -> dict:
    """The schema of a call of one of many tools."""
    arguments = {
        "type": "object",
        "properties": {f"argument_{number}_{k}": {"type": ("string", "integer", "boolean")[k % 3]} for k in range(8)},
        "required": [f"argument_{number}_0"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"name": {"const": f"tool_{number}"}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def nested_arrays(depth: int) -> dict:
    schema: dict = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema, "minItems": 1, "maxItems": 9}
    return schema


LINKED = {"$ref": "#/$defs/node", "$defs": {"node": {
    "type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
    "required": ["next"], "additionalProperties": False}}}  # fmt: skip

CHOICES = [f"product {number:06}" for number in range(100_000)]

CASES: list[tuple[str, str, Any, str]] = [
    ("string, maxLength 100000", "schema", {"type": "string", "maxLength": 100_000}, json.dumps("some words " * 100)),
    ("one of 128 tool calls", "schema", {"anyOf": [tool(n) for n in range(128)]},
     '{"name": "tool_77", "arguments": {"argument_77_0": "value", "argument_77_1": 12}}'),
    ("one of 100,000 texts", "choice", CHOICES, CHOICES[77_777]),
    ("linked list, 10,000 deep", "schema", LINKED, '{"next": ' * 10_000 + "null" + "}" * 10_000),
    ("arrays of 1 to 9 items, 8 deep", "schema", nested_arrays(8), json.dumps([[[[[[[[1, 2], [3]]]]]]]])),
    ("(a|aa)*b", "regex", "(a|aa)*b", "a" * 500 + "b"),
    ("(.*a){20}", "regex", "(.*a){20}", "banana " * 30 + "a"),
    ("(a*)*(a*)*(a*)*b", "regex", "(a*)*(a*)*(a*)*b", "a" * 300 + "b"),
    ("(x{0,300}y{0,300}){0,300}", "regex", "(x{0,300}y{0,300}){0,300}", "xxyyy" * 60),
    ("([a-z]+ *){0,1000}", "regex", "([a-z]+ *){0,1000}", "some words and more " * 60),
    ("[ab]*a[ab]{200}", "regex", "[ab]*a[ab]{200}", "ab" * 150),
]  # fmt: skip
"""Name, kind, source, text."""


def measure(make: Callable[[], Session], tokens: list[int]) -> tuple[str, str, str]:
    """Milliseconds to the first mask and for the slowest of the others, and what else there is to say."""
    clock = time.perf_counter
    begin = clock()
    try:
        session = make()
        session.mask()
    except Exception as error:  # a limit, or a peer's way to refuse
        return f"{1e3 * (clock() - begin):,.1f}", "-", f"{type(error).__name__}: {str(error)[:70]}"
    first = clock() - begin
    slowest = 0.0
    for number, token in enumerate(tokens[:400]):
        begin = clock()
        try:
            session.mask()
            middle = clock()
            if not session.take(token):
                return f"{1e3 * first:,.1f}", f"{1e3 * slowest:,.2f}", f"refuses token {number} of the text"
        except Exception as error:
            return f"{1e3 * first:,.1f}", f"{1e3 * slowest:,.2f}", f"{type(error).__name__}: {str(error)[:70]}"
        if number:
            slowest = max(slowest, middle - begin)
    return f"{1e3 * first:,.1f}", f"{1e3 * slowest:,.2f}", ""


def resident() -> float:
    """Megabytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def memory(count: int, vocabulary: gk.Vocabulary, tokenizer: Any, console: Console) -> None:
    """Follow one instance of each of many schemas, all compiled as a server does, and print the resident memory."""
    cases = maskbench()
    from guidance_kit.fsm.matcher import Matcher

    gk.json_schema({}).compile(vocabulary).mask(1)
    out = np.zeros(-(-vocabulary.rows // 32), dtype=np.int32)
    console.print(f"{resident():,.0f} MB with the vocabulary; {len(cases)} different schemas")
    done = 0
    for number in track(range(count), "schemas", console=console):
        # A schema that comes again is made another one, so that nothing is found in a cache.
        _, schema, instance = cases[number % len(cases)]
        if number >= len(cases) and isinstance(schema, dict):
            schema = {**schema, "$comment": f"{number // len(cases)}"}
        try:
            matcher = Matcher(gk.json_schema(schema).compile(vocabulary))
        except gk.GuidanceKitError:
            continue
        for token in tokenizer.encode(json.dumps(instance, ensure_ascii=False), add_special_tokens=False):
            matcher.allowed(out)
            if not matcher.can_advance(token):
                break
            matcher.advance(token)
        done += 1
        if (number + 1) % max(1, count // 5) == 0:
            console.print(f"{resident():,.0f} MB after {number + 1} schemas ({done} of them supported)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", type=int, default=0, metavar="N", help="follow N schemas instead")
    options = parser.parse_args()
    tokenizer, vocabulary = load_qwen()
    console = Console(width=160)
    if options.memory:
        memory(options.memory, vocabulary, tokenizer, console)
        return
    engines = [Ours(vocabulary, tokenizer), LLGuidance(vocabulary, tokenizer)]
    for engine in engines:  # what a process does once, with its first schema
        engine.schema({"type": "object", "properties": {"a": {"type": "string"}}}).mask()
    console.print(f"{platform.machine()}, {os.cpu_count()} cores, llguidance {version('llguidance')}")
    table = Table(title="milliseconds: first mask / slowest of the others")
    for column in ("case", *(engine.name for engine in engines), "said"):
        table.add_column(column, justify="right" if column != "case" else "left")
    for name, kind, source, text in CASES:
        tokens = tokenizer.encode(text, add_special_tokens=False)
        cells, said = [], []
        for engine in engines:
            if not hasattr(engine, kind):
                cells.append("-")
                continue
            first, slowest, remark = measure(partial(getattr(engine, kind), source), tokens)
            cells.append(f"{first} / {slowest}")
            said += [f"{engine.name}: {remark}"] if remark else []
        table.add_row(Text(name), *cells, "\n".join(said))
    console.print(table)


if __name__ == "__main__":
    main()
