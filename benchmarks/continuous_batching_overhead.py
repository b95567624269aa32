"""Cost of constraints a token in continuous batching of transformers, beside `generate_batch` alone.

    python benchmarks/continuous_batching_overhead.py [--requests 16] [--rounds 5]

The model is a random Llama of one layer with the vocabulary of the bundled model, so that nearly all of the time is
that of drawing a token. All texts have the same number of tokens, greedily, so a constraint that allows any characters
does not shorten them. The runs alternate; the figures are medians over the rounds of processor time a token.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from transformers import ContinuousBatchingConfig, GenerationConfig, LlamaConfig, LlamaForCausalLM

import guidance_kit as gk
from guidance_kit.integrations.continuous_batching import guided_batch
from guidance_kit.models import TransformersModel

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
TOKENS = 48
PATTERN = "[a-z ,.]{400,}"


def random_model() -> gk.Model:
    """A random model of one layer, whose texts end only where they are cut."""
    tokenizer = gk.load().language_model.tokenizer
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, head_dim=32, max_position_embeddings=1024, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    return gk.Model(TransformersModel(LlamaForCausalLM(config).eval(), tokenizer))


def main() -> None:
    """Print the medians as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    model = random_model()
    prompts = [model.language_model.encode(f"Message {number}: ") for number in range(given.requests)]
    plain = model.language_model.model

    def settings() -> dict[str, object]:
        return {
            "generation_config": GenerationConfig(
                do_sample=False, eos_token_id=-1, pad_token_id=0, max_new_tokens=TOKENS
            ),
            "continuous_batching_config": ContinuousBatchingConfig(
                page_size=16, num_blocks=256, max_batch_tokens=256, use_async_batching=False, use_cuda_graph=False
            ),
        }

    runs: dict[str, Callable[[], object]] = {
        "generate_batch alone": lambda: plain.generate_batch(prompts, **settings()),
        "without a constraint": lambda: guided_batch(model, prompts, max_new_tokens=TOKENS, **settings()),
        "with a constraint": lambda: guided_batch(
            model, prompts, gk.regex(PATTERN), max_new_tokens=TOKENS, **settings()
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in runs}
    for round_number in range(given.rounds + 1):
        for name, run in runs.items():
            begin = time.process_time()
            run()
            if round_number:  # the first compiles and fills caches
                times[name].append(1e6 * (time.process_time() - begin) / (TOKENS * given.requests))
    print(
        json.dumps(
            {
                "microseconds of processor time a token": {n: round(statistics.median(t), 1) for n, t in times.items()},
                "requests": given.requests,
                "transformers": transformers.__version__,
                "processor": platform.processor() or platform.machine(),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
