"""Masks inside vLLM: what a step spends in a structured-output backend, beside XGrammar and guidance.

    NUMBA_CACHE_DIR=$PWD/.venv-engines/kernels .venv-engines/bin/python benchmarks/serving/vllm_masks.py --model FOLDER

vLLM's own `StructuredOutputManager` is driven without its engine: `grammar_bitmask` for a batch of requests that write
JSON records, then `accept_tokens` for each. The texts are the same for all backends: records of drawn schemas, as
`json.dumps` writes them, cut by the tokenizer of the model. Each backend runs in a process of its own; they take turns.
"compile" lasts from the first request until all grammars are ready. Milliseconds, medians of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from statistics import mean, median
from types import SimpleNamespace
from typing import Any

BACKENDS = ("guidance_kit", "xgrammar", "guidance")
BATCHES = ((1, 1), (32, 1), (32, 32), (256, 1), (256, 256))
"""Requests, and different schemas among them."""


def record(rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A schema and a value of it."""
    properties: dict[str, Any] = {}
    value: dict[str, Any] = {}
    for _ in range(rng.randint(4, 8)):
        name = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz_", k=rng.randint(3, 9)))
        kind = rng.choice(["string", "integer", "boolean", "enum", "array", "object"])
        if kind == "enum":
            texts = ["".join(rng.choices("abcdefgh", k=6)) for _ in range(4)]
            properties[name], value[name] = {"enum": texts}, rng.choice(texts)
        elif kind == "array":
            properties[name] = {"type": "array", "items": {"type": "integer"}, "maxItems": 5}
            value[name] = [rng.randint(0, 999) for _ in range(rng.randint(0, 5))]
        elif kind == "object":
            inner = {"x": {"type": "number"}, "y": {"type": "string"}}
            properties[name] = {"type": "object", "properties": inner, "required": ["x", "y"]}
            properties[name]["additionalProperties"] = False
            value[name] = {"x": rng.randint(0, 99) / 4, "y": "a short text"}
        else:
            properties[name] = {"type": kind}
            value[name] = {"string": "some words of a text", "integer": rng.randint(-999, 999), "boolean": True}[kind]
    schema = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
    return schema, value


def measure(backend: str, model: str, requests: int, schemas: int) -> dict[str, float]:
    """Drive one batch to its end, twice; the second time all masks are known."""
    if backend == "guidance_kit":
        os.environ["GUIDANCE_KIT_VLLM"] = "1"
    from vllm.engine.arg_utils import EngineArgs
    from vllm.plugins import load_general_plugins
    from vllm.sampling_params import SamplingParams, StructuredOutputsParams
    from vllm.v1.structured_output import StructuredOutputManager
    from vllm.v1.structured_output.request import StructuredOutputRequest

    load_general_plugins()
    config = EngineArgs(model=model, dtype="float32", max_model_len=512, max_num_seqs=256).create_engine_config()
    manager = StructuredOutputManager(config)
    rng = random.Random(5)
    records = [record(rng) for _ in range(schemas)]
    ends = [manager.tokenizer.eos_token_id]

    def start(number: int) -> tuple[Any, list[int]]:
        schema, value = records[number % schemas]
        parameters = SamplingParams(structured_outputs=StructuredOutputsParams(json=schema))
        parameters.structured_outputs._backend = "guidance" if backend == "guidance" else "xgrammar"
        parameters._all_stop_token_ids.update(ends)
        request = SimpleNamespace(
            request_id=str(number),
            sampling_params=parameters,
            structured_output_request=StructuredOutputRequest(parameters.structured_outputs),
            use_structured_output=True,
            prompt_token_ids=[],
        )
        return request, [*manager.tokenizer.encode(json.dumps(value), add_special_tokens=False), *ends]

    found: dict[str, float] = {}
    for run in ("cold", "warm"):
        batch = [start(number) for number in range(requests)]
        begin = time.perf_counter()
        for request, _ in batch:
            manager.grammar_init(request)
        for request, _ in batch:
            while not request.structured_output_request.is_grammar_ready:
                time.sleep(0.0002)
        found[f"compile {run}"] = time.perf_counter() - begin
        running = {request.request_id: (request, tokens) for request, tokens in batch}
        masks: list[float] = []
        accepts: list[float] = []
        for step in range(40):
            running = {name: one for name, one in running.items() if step < len(one[1])}
            if len(running) < requests / 2:
                break
            begin = time.perf_counter()
            manager.grammar_bitmask({name: one[0] for name, one in running.items()}, [*running], {})
            middle = time.perf_counter()
            for request, tokens in running.values():
                if not manager.accept_tokens(request, [tokens[step]]):
                    raise RuntimeError(f"{backend} refuses token {step} of {tokens}")
            masks.append(middle - begin)
            accepts.append(time.perf_counter() - middle)
        found |= {f"masks {run}": mean(masks), f"slowest masks {run}": max(masks), f"accept {run}": mean(accepts)}
    return {name: 1e3 * seconds for name, seconds in found.items()}


COLUMNS = {
    "compile": "compile cold",
    "masks": "masks cold",
    "slowest": "slowest masks cold",
    "accept": "accept cold",
    "compile warm": "compile warm",
    "masks warm": "masks warm",
    "accept warm": "accept warm",
}
"""Figures, by the heads of their columns."""


def measured(backend: str, model: str, requests: int, schemas: int) -> dict[str, float]:
    """Figures of `measure` in a new process."""
    command = [sys.executable, __file__, "--model", model, "--work", backend, str(requests), str(schemas)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    if not lines:
        sys.exit(done.stderr[-3000:])
    return json.loads(lines[0].removeprefix("FOUND"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="folder of a model, of which only the tokenizer is used")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        backend, requests, schemas = options.work
        print("FOUND", json.dumps(measure(backend, options.model, int(requests), int(schemas))), flush=True)
        return
    print(f"| requests, schemas | backend | {' | '.join(COLUMNS)} |")
    print(f"|---|---|{'--:|' * len(COLUMNS)}")
    for requests, schemas in BATCHES:
        times: dict[str, list[dict[str, float]]] = {name: [] for name in BACKENDS}
        for _ in range(options.rounds):
            for name in BACKENDS:
                times[name].append(measured(name, options.model, requests, schemas))
        for name in BACKENDS:
            figures = [f"{median(one[column] for one in times[name]):.3g}" for column in COLUMNS.values()]
            print(f"| {requests}, {schemas} | {name} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
