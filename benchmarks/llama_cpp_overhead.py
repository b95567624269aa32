"""Cost of a constraint a token in llama.cpp: our logits processor, our own loop, and llama.cpp's grammars (GBNF).

    python benchmarks/llama_cpp_overhead.py [--tokenizer FOLDER] [--rounds 5]

The model is a random Llama of one layer with the vocabulary of the bundled model, or of a folder with a byte-level BPE,
so that nearly all of the time is that of drawing a token. The runs alternate; the figures are medians over the rounds
of processor time a token, over that of the same loop without a constraint. Needs llama-cpp-python and gguf.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import json
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import llama_cpp
import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

import guidance_kit as gk
from guidance_kit.integrations.llama_cpp_python import LlamaProcessor, vocabulary_of

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from guidance_kit.model_source import located
from tools.write_gguf import write_gguf

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "order_id": {"type": "integer"},
        "tags": {"type": "array", "items": {"enum": ["late", "broken", "lost"]}, "maxItems": 5},
        "note": {"type": "string", "maxLength": 200},
    },
    "required": ["name", "order_id", "tags", "note"],
    "additionalProperties": False,
}
TOKENS = 48


def random_model(tokenizer: str, folder: Path) -> Path:
    """A random model in a GGUF file with the vocabulary of a tokenizer."""
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(Path(tokenizer) / file, folder / file)
    size = len(AutoTokenizer.from_pretrained(folder))
    torch.manual_seed(0)
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=size, hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
            num_key_value_heads=2, head_dim=32, max_position_embeddings=1024, dtype="float32",
        )
    ).save_pretrained(folder)  # fmt: skip
    write_gguf(folder, folder / "model.gguf")
    return folder / "model.gguf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizer", default=located("support-2m"))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # a second one would wait in a loop, which counts as processor time
    with tempfile.TemporaryDirectory() as folder:
        file = random_model(arguments.tokenizer, Path(folder))
        measure(file, arguments.rounds)


def measure(file: Path, rounds: int) -> None:
    llama = llama_cpp.Llama(str(file), n_ctx=512, n_threads=1, verbose=False)
    vocabulary = vocabulary_of(llama)
    model = gk.load(file, threads=1)
    prompt = model.language_model.encode("Hello")
    constraint = gk.json_schema(SCHEMA)

    def free(seed: int) -> int:
        return complete(seed, {})

    def complete(seed: int, options: dict) -> int:
        made = llama.create_completion(prompt, max_tokens=TOKENS, temperature=1.0, seed=seed, **options)
        return made["usage"]["completion_tokens"]

    def ours(seed: int) -> int:
        return complete(seed, LlamaProcessor(llama, vocabulary, constraint=constraint).arguments)

    def processor_alone(seed: int) -> int:
        return complete(seed, {"logits_processor": llama_cpp.LogitsProcessorList([lambda tokens, scores: scores])})

    def gbnf(seed: int) -> int:
        grammar = llama_cpp.LlamaGrammar.from_json_schema(json.dumps(SCHEMA), verbose=False)
        return complete(seed, {"grammar": grammar})

    def loop_free(seed: int) -> int:
        return len(model.generate(prompt, seed=seed, max_tokens=TOKENS).tokens)

    def loop(seed: int) -> int:
        return len(model.generate(prompt, constraint, seed=seed, max_tokens=TOKENS).tokens)

    runs: dict[str, Callable[[int], int]] = {
        "llama.cpp, no constraint": free,
        "llama.cpp, a processor that does nothing": processor_alone,
        "llama.cpp, our processor": ours,
        "llama.cpp, its grammar (GBNF)": gbnf,
        "our loop, no constraint": loop_free,
        "our loop, constraint": loop,
    }
    times: dict[str, list[float]] = {name: [] for name in runs}
    for seed in range(rounds + 1):
        for name, run in runs.items():
            begin = time.process_time()
            tokens = run(seed)
            if seed:  # the first round compiles and warms up
                times[name].append((time.process_time() - begin) / tokens * 1e6)
    print(f"{platform.processor() or platform.machine()}, llama-cpp-python {llama_cpp.__version__}, {rounds} rounds")
    print(f"{len(vocabulary):,} tokens; microseconds of processor time a token, median and range")
    for name, found in times.items():
        print(f"{name:<42} {statistics.median(found):>10,.0f}  {min(found):>9,.0f} .. {max(found):,.0f}")


if __name__ == "__main__":
    main()
