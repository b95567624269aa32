"""Wait of a vLLM's running requests while constraints arrive that it has not met, and the first token of these.

    NUMBA_CACHE_DIR=$PWD/.venv-engines/kernels .venv-engines/bin/python benchmarks/serving/cold_constraints.py \\
        --tokenizer FOLDER [--schemas development.jsonl.xz --results benchmarks/maskbench/results/development.jsonl.xz]

An engine as `vllm serve` has it: front end, core and worker are processes. Four requests write lists of numbers all the
time (the same texts for all backends, see `scripted_texts`). After a quiet phase one request a second brings a new
schema, with at most two tokens to write: drawn JSON records, or with `--schemas` the schemas that took guidance_kit
longest of MaskBench's development half, some of which a backend may refuse. Reported are the times between tokens of
the four, the longest step of the engine (between calls of a logits processor), and the times until the first token of
the others. Backends take turns; each runs in a process of its own. Milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from engine_steps import HERE, SETTINGS, write_served_model
from vllm_masks import BACKENDS, record

RUNNING = 4
SLOWEST = 50


def slowest_schemas(schemas: Path, results: Path) -> list[Any]:
    """Schemas with the longest time to the first mask of guidance_kit, the longest first."""
    with lzma.open(results, "rt") as lines:
        found = [json.loads(line) for line in lines]
    times = {one["schema"]: one.get("ttfm_us", 0) for one in found if one["engine"] == "guidance_kit"}
    names = sorted(times, key=lambda name: -times[name])[:SLOWEST]
    with lzma.open(schemas, "rt") as lines:
        read = {one["file"].removesuffix(".json"): one["schema"] for one in map(json.loads, lines)}
    return [read[name] for name in names]


def percentile(values: Sequence[float], share: float) -> float:
    """Value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def measure(backend: str, model: str, cold: list[Any], seconds: float) -> dict[str, float]:
    """Figures of one backend."""
    from vllm import SamplingParams
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.exceptions import VLLMValidationError
    from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams
    from vllm.v1.engine.async_llm import AsyncLLM

    chosen = "xgrammar" if backend == "guidance_kit" else backend
    engine = AsyncLLM.from_engine_args(
        AsyncEngineArgs(
            model=model,
            dtype="float32",
            enforce_eager=True,
            max_model_len=2048,
            max_num_seqs=16,
            enable_prefix_caching=False,
            logits_processors=["scripted_texts:ScriptedTexts"],
            structured_outputs_config={"backend": chosen},
        )
    )
    tokenizer: Any = engine.get_tokenizer()
    schema = {"type": "array", "items": {"type": "integer"}}
    script = tokenizer.encode(json.dumps([*range(1000)]), add_special_tokens=False)[:1500]
    gaps: list[tuple[float, float]] = []
    is_over = False

    def parameters(schema: Any, most: int, **options: Any) -> SamplingParams:
        return SamplingParams(
            temperature=0,
            max_tokens=most,
            structured_outputs=StructuredOutputsParams(json=schema),
            output_kind=RequestOutputKind.DELTA,
            **options,
        )

    async def run(name: str) -> None:
        number = 0
        while not is_over:
            number += 1
            before: float | None = None
            asked = parameters(schema, len(script), extra_args={"script": script})
            async for _ in engine.generate({"prompt_token_ids": [9707]}, asked, f"{name}, {number}"):
                now = time.monotonic()
                if before is not None:
                    gaps.append((now, now - before))
                before = now
                if is_over:
                    break

    async def first_token(number: int, schema: Any) -> float | None:
        begin = time.monotonic()
        try:
            async for output in engine.generate({"prompt_token_ids": [9707]}, parameters(schema, 2), f"cold {number}"):
                if output.outputs[0].finish_reason == "error":
                    return None
                return time.monotonic() - begin
        except (ValueError, VLLMValidationError):
            return None
        return None

    running = [asyncio.create_task(run(f"running {number}")) for number in range(RUNNING)]
    await first_token(-1, {"type": "object", "properties": {"a": {"type": "string"}}})
    await asyncio.sleep(3)
    start = time.monotonic()
    await asyncio.sleep(seconds)
    middle = time.monotonic()
    others = []
    for number, one in enumerate(cold):
        others.append(asyncio.create_task(first_token(number, one)))
        await asyncio.sleep(1)
    end = time.monotonic()
    firsts = await asyncio.gather(*others)
    is_over = True
    await asyncio.gather(*running)
    raw = Path(os.environ["STEP_LOG"]).read_bytes()
    times = struct.unpack(f"{len(raw) // 8}d", raw)
    engine.shutdown()

    def longest(first: float, last: float) -> float:
        inside = [at for at in times if first <= at <= last]
        return max(later - earlier for earlier, later in pairwise(inside))

    quiet = [gap for at, gap in gaps if start <= at <= middle]
    busy = [gap for at, gap in gaps if middle <= at <= end]
    answered = [one for one in firsts if one is not None]
    figures = {
        "quiet p50": median(quiet),
        "quiet p99": percentile(quiet, 0.99),
        "cold p99": percentile(busy, 0.99),
        "quiet longest step": longest(start, middle),
        "cold longest step": longest(middle, end),
        "first token p50": median(answered),
        "first token p90": percentile(answered, 0.9),
        "first token max": max(answered),
    }
    found = {name: 1e3 * value for name, value in figures.items()}
    return found | {"ratio of p99": figures["cold p99"] / figures["quiet p99"], "refused": len(firsts) - len(answered)}


COLUMNS = (
    "quiet p50", "quiet p99", "cold p99", "ratio of p99", "quiet longest step", "cold longest step", "first token p50",
    "first token p90", "first token max", "refused",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", help="folder of a tokenizer of transformers")
    parser.add_argument("--schemas", type=Path, help=".jsonl.xz file of MaskBench's schemas")
    parser.add_argument("--results", type=Path, help=".jsonl.xz file of results, which has their times")
    parser.add_argument(
        "--seconds", type=int, default=20, help="length of the quiet phase, and number of drawn records"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--runs", type=Path, help="file to which the figures of each process are added; all count")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        backend, model, cold, seconds = options.work
        schemas = json.loads(Path(cold).read_text())
        print("FOUND", json.dumps(asyncio.run(measure(backend, model, schemas, float(seconds)))), flush=True)
        return
    if options.schemas:
        cold = slowest_schemas(options.schemas, options.results)
    else:
        rng = random.Random(3)
        cold = [record(rng)[0] for _ in range(options.seconds)]
    runs = [json.loads(line) for line in options.runs.open()] if options.runs and options.runs.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        write_served_model(options.tokenizer, Path(folder))
        (Path(folder) / "cold.json").write_text(json.dumps(cold))
        for _ in range(options.rounds):
            for name in options.backends:
                (Path(folder) / "steps").unlink(missing_ok=True)
                environment = {**os.environ, **SETTINGS, "PYTHONPATH": str(HERE), "STEP_LOG": f"{folder}/steps"}
                environment["GUIDANCE_KIT_VLLM"] = "1" if name == "guidance_kit" else "0"
                command = [sys.executable, __file__, "--work", name, folder, f"{folder}/cold.json"]
                command.append(str(options.seconds))
                done = subprocess.run(command, capture_output=True, text=True, env=environment)
                lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
                if not lines:
                    sys.exit(done.stderr[-3000:])
                runs.append([name, json.loads(lines[0].removeprefix("FOUND"))])
                if options.runs:
                    with options.runs.open("a") as file:
                        print(json.dumps(runs[-1]), file=file)
    print(f"| backend | {' | '.join(COLUMNS)} |")
    print(f"|---|{'--:|' * len(COLUMNS)}")
    for name in BACKENDS:
        of_backend = [figures for backend, figures in runs if backend == name]
        if of_backend:
            shown = [f"{median(one[column] for one in of_backend):.3g}" for column in COLUMNS]
            print(f"| {name} | {' | '.join(shown)} |")


if __name__ == "__main__":
    main()
