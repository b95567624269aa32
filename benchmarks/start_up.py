"""How long until the first mask in a new process, with compiled kernels and tries on disk and without?

    python benchmarks/start_up.py [--runs 5] [--commands]

Each figure is measured in fresh processes: `import guidance_kit`; then a Pydantic model to its first mask over a
vocabulary of 256 bytes (so that the figure is ours, not the tokenizer's), and over the real one of Qwen 2.5 (151,936
rows) where GUIDANCE_KIT_DATA has it, its own loading not counted. Then whole commands, with seconds of the processor
beside those of the clock, since most of a start is reading files; and what torch and transformers take of it alone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from loading import QWEN
from rich.console import Console
from rich.table import Table

CHILD = """
import json, sys, time
clock = time.perf_counter
marks = {}
begin = clock()
import guidance_kit as gk
marks["import guidance_kit"] = clock() - begin
if sys.argv[1] == "bytes":
    vocabulary = gk.Vocabulary.from_bytes()
else:
    from transformers import AutoTokenizer
    tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
    begin = clock()
    vocabulary = gk.Vocabulary.from_tokenizer(tokenizer, rows=151_936)
    marks["vocabulary"] = clock() - begin
begin = clock()
properties = {"name": {"type": "string"}, "age": {"type": "integer"}}
schema = {"type": "object", "properties": properties, "required": ["name"]}
gk.json_schema(schema).compile(vocabulary).mask(1)
marks["first mask"] = clock() - begin
begin = clock()
gk.json_schema({"type": "array", "items": schema}).compile(vocabulary).mask(1)
marks["first mask of a second schema"] = clock() - begin
marks["total"] = sum(marks.values())
print(json.dumps(marks))
"""


def run(vocabulary: str, cache: str) -> dict[str, float]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "GUIDANCE_KIT_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, vocabulary], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


COMMANDS = {
    "--help": ["-m", "guidance_kit", "--help"],
    "generate x --top-p 0 (refused)": ["-m", "guidance_kit", "generate", "x", "--top-p", "0"],
    "sample --regex '[0-9]+'": ["-m", "guidance_kit", "sample", "--regex", "[0-9]+"],
    "generate x --choice yes --choice no": ["-m", "guidance_kit", "generate", "x", "--choice", "yes", "--choice", "no"],
    "(python: import torch)": ["-c", "import torch"],
    "(python: and the models of transformers)": ["-c", "import torch, transformers.modeling_utils"],
}


def run_command(arguments: list[str]) -> tuple[float, float]:
    """Seconds of the clock and of the processor that a process takes."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(runs: int) -> Table:
    """The commands, each run once before it is measured."""
    table = Table("command", title="commands: seconds, compiled kernels and files in the cache")
    for column in ("clock: median", "clock: max", "processor: median"):
        table.add_column(column, justify="right")
    for name, arguments in COMMANDS.items():
        run_command(arguments)
        clock, processor = zip(*(run_command(arguments) for _ in range(runs)), strict=True)
        table.add_row(name, f"{np.median(clock):.2f}", f"{max(clock):.2f}", f"{np.median(processor):.2f}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="processes per figure with a warm cache (default: 5)")
    parser.add_argument("--commands", action="store_true", help="measure only the commands")
    options = parser.parse_args()
    console = Console(width=120)
    if options.commands:
        console.print(commands(options.runs))
        return
    for name, vocabulary in [("256 bytes", "bytes"), *([("Qwen 2.5", str(QWEN))] if QWEN.is_dir() else [])]:
        with tempfile.TemporaryDirectory() as cache:
            cold = run(vocabulary, cache)
            warm = [run(vocabulary, cache) for _ in range(options.runs)]
        table = Table("step", title=f"{name}: seconds")
        for column in ("kernels not compiled yet", "compiled: median", "compiled: max"):
            table.add_column(column, justify="right")
        for step in cold:
            values = [times[step] for times in warm]
            table.add_row(step, f"{cold[step]:.3f}", f"{np.median(values):.3f}", f"{max(values):.3f}")
        console.print(table)
    console.print(commands(options.runs))


if __name__ == "__main__":
    main()
