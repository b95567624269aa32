"""Steps of a running vLLM: the share of a structured-output backend, masks and tokens a second, beside its others.

    NUMBA_CACHE_DIR=$PWD/.venv-engines/kernels .venv-engines/bin/python benchmarks/serving/engine_steps.py \\
        --tokenizer FOLDER

The engine runs in the process that measures, with a random Llama of two layers (64 wide) and the given tokenizer. All
backends write the same JSON records (`scripted_texts`); each batch is written once with unknown schemas ("cold") and
once more ("warm"). Backends run in processes of their own and take turns. A step is a call of the engine's `step`; of
it, "mask" is the time in `grammar_bitmask`, "accept" that in `accept_tokens` of all requests. Medians of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import Any

from vllm_masks import BACKENDS, BATCHES, record

HERE = Path(__file__).parent
SETTINGS = {
    "VLLM_CPU_KVCACHE_SPACE": "2",
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
}
"""Environment of an engine."""


def write_served_model(tokenizer: str, folder: Path, *, rows: int = 151_936) -> None:
    """Write a random Llama of two layers, 64 wide, with a tokenizer.

    Args:
        tokenizer: folder of the tokenizer.
        folder: where to.
        rows: width of the logits.
    """
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    read = AutoTokenizer.from_pretrained(tokenizer)
    read.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=rows,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=8192,
        eos_token_id=read.eos_token_id,
        bos_token_id=None,
        tie_word_embeddings=False,
        dtype="float32",
    )
    LlamaForCausalLM(config).save_pretrained(folder)


def timed(owner: Any, name: str, times: list[float]) -> None:
    """Replace a method by itself, with its times noted."""
    method: Callable[..., Any] = getattr(owner, name)

    def measured(*arguments: Any, **options: Any) -> Any:
        begin = time.perf_counter()
        try:
            return method(*arguments, **options)
        finally:
            times.append(time.perf_counter() - begin)

    setattr(owner, name, measured)


def measure(backend: str, model: str) -> dict[str, dict[str, float]]:
    """Figures of all batches, by "requests, schemas, cold or warm"."""
    from vllm import LLM, SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    chosen = "xgrammar" if backend == "guidance_kit" else backend  # the plugin puts ours in the place of any
    llm = LLM(
        model,
        dtype="float32",
        enforce_eager=True,
        max_model_len=512,
        max_num_seqs=256,
        enable_prefix_caching=False,
        logits_processors=["scripted_texts:ScriptedTexts"],
        structured_outputs_config={"backend": chosen},
    )
    tokenizer = llm.get_tokenizer()
    engine: Any = llm.llm_engine
    manager = engine.engine_core.engine_core.structured_output_manager
    masks: list[float] = []
    accepts: list[float] = []
    steps: list[float] = []
    timed(manager, "grammar_bitmask", masks)
    timed(manager, "accept_tokens", accepts)
    timed(engine, "step", steps)

    def write(count: int, records: list[Any]) -> tuple[float, list[Any]]:
        parameters = []
        for number in range(count):
            schema, value = records[number % len(records)]
            script = [*tokenizer.encode(json.dumps(value), add_special_tokens=False), tokenizer.eos_token_id]
            parameters.append(
                SamplingParams(
                    temperature=0,
                    max_tokens=200,
                    structured_outputs=StructuredOutputsParams(json=schema),
                    extra_args={"script": script},
                )
            )
        begin = time.perf_counter()
        outputs = llm.generate([{"prompt_token_ids": [9707]}] * count, parameters, use_tqdm=False)
        return time.perf_counter() - begin, [
            (list(output.outputs[0].token_ids), one.extra_args["script"])
            for output, one in zip(outputs, parameters, strict=True)
        ]

    write(2, [record(random.Random(1))])  # loads everything
    found: dict[str, dict[str, float]] = {}
    for requests, schemas in BATCHES:
        rng = random.Random(f"{requests}, {schemas}")
        records = [record(rng) for _ in range(schemas)]
        for run in ("cold", "warm"):
            for times in (masks, accepts, steps):
                times.clear()
            elapsed, written = write(requests, records)
            wrong = sum(tokens != script for tokens, script in written)
            tokens = sum(len(tokens) for tokens, _ in written)
            if wrong:
                print(f"{backend}: {wrong} of {requests} texts are not those of the script", file=sys.stderr)
            spent = sum(masks) + sum(accepts)
            found[f"{requests}, {schemas}, {run}"] = {
                "step": 1e3 * mean(steps),
                "longest": 1e3 * max(steps),
                "mask": 1e3 * sum(masks) / len(steps),
                "accept": 1e3 * sum(accepts) / len(steps),
                "share": 100 * spent / sum(steps),
                "masks a second": tokens / sum(masks),
                "tokens a second": tokens / elapsed,
                "wrong": wrong,
            }
    return found


COLUMNS = ("step", "longest", "mask", "accept", "share", "masks a second", "tokens a second")


def measured(backend: str, model: Path) -> dict[str, dict[str, float]]:
    """Figures of `measure` in a new process."""
    switch = {"GUIDANCE_KIT_VLLM": "1" if backend == "guidance_kit" else "0", "VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
    environment = {**os.environ, **SETTINGS, **switch, "PYTHONPATH": str(HERE)}
    command = [sys.executable, __file__, "--work", backend, str(model)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    if not lines:
        sys.exit(done.stderr[-3000:])
    sys.stderr.write("".join(line + "\n" for line in done.stderr.splitlines() if "of the script" in line))
    return json.loads(lines[0].removeprefix("FOUND"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", help="folder of a tokenizer of transformers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--runs", type=Path, help="file to which the figures of each process are added; all count")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        print("FOUND", json.dumps(measure(*options.work)), flush=True)
        return
    runs = [json.loads(line) for line in options.runs.open()] if options.runs and options.runs.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        write_served_model(options.tokenizer, Path(folder))
        for _ in range(options.rounds):
            for name in options.backends:
                runs.append([name, measured(name, Path(folder))])
                if options.runs:
                    with options.runs.open("a") as file:
                        print(json.dumps(runs[-1]), file=file)
    print(f"| requests, schemas, run | backend | {' | '.join(COLUMNS)} |")
    print(f"|---|---|{'--:|' * len(COLUMNS)}")
    for case in runs[0][1]:
        for name in BACKENDS:
            of_backend = [figures[case] for backend, figures in runs if backend == name]
            if of_backend:
                shown = [f"{median(one[column] for one in of_backend):.4g}" for column in COLUMNS]
                print(f"| {case} | {name} | {' | '.join(shown)} |")


if __name__ == "__main__":
    main()
