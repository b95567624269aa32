"""Are the estimates of `gk.estimate` those of models that run?

    python benchmarks/cost_estimates.py [--threads 2]

Bundled models, and five architectures built to size with random weights, in float32: bytes of weights and caches,
estimated from the configuration alone and held, and tokens a second, the bound of the estimate and measured in steps of
one token a text with the library's cache. The machine is measured first.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from typing import Any

import torch
import transformers
from rich import box
from rich.console import Console
from rich.table import Table
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

import guidance_kit as gk
from guidance_kit.models import TransformersModel

_WIDE = {"vocab_size": 8192, "max_position_embeddings": 1024, "pad_token_id": None}
BUILT: dict[str, dict[str, Any]] = {
    "llama": {"hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 8, "num_attention_heads": 16,
              "num_key_value_heads": 4},
    "gemma3_text": {"hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 8, "num_attention_heads": 16,
                    "num_key_value_heads": 4, "head_dim": 64, "sliding_window": 128},
    "deepseek_v3": {"hidden_size": 512, "intermediate_size": 2048, "moe_intermediate_size": 512,
                    "num_hidden_layers": 8, "num_attention_heads": 8, "num_key_value_heads": 8, "q_lora_rank": 256,
                    "kv_lora_rank": 128, "qk_rope_head_dim": 32, "qk_nope_head_dim": 64, "v_head_dim": 64,
                    "n_routed_experts": 16, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1,
                    "first_k_dense_replace": 1},
    "mixtral": {"hidden_size": 768, "intermediate_size": 1024, "num_hidden_layers": 8, "num_attention_heads": 12,
                "num_key_value_heads": 4, "num_local_experts": 8, "num_experts_per_tok": 2},
    "mamba2": {"hidden_size": 1024, "num_hidden_layers": 8, "num_heads": 32, "head_dim": 64, "expand": 2},
}  # fmt: skip
"""Grouped queries; sliding windows; latent attention with experts; experts; recurrent states."""
PROMPT, STEPS = 128, 12


def built(family: str) -> TransformersModel:
    """Model with random weights and bytes as its tokens."""
    known = CONFIG_MAPPING[family]()
    config = CONFIG_MAPPING[family](
        **{**{name: v for name, v in _WIDE.items() if hasattr(known, name)}, **BUILT[family]}
    )
    torch.manual_seed(0)
    kind: Any = transformers.AutoModelForCausalLM
    model = kind.from_config(config, dtype=torch.float32)
    vocabulary = gk.Vocabulary.from_bytes(rows=_WIDE["vocab_size"], eos=257)
    return TransformersModel(model, vocabulary=vocabulary, name=family)


def seconds_per_step(model: TransformersModel, batch: int) -> float:
    """Median time of a step."""
    rows = [[5 + row, *range(10, 9 + PROMPT)] for row in range(batch)]
    model.logits(rows)
    found: list[float] = []
    for step in range(STEPS):
        for number, row in enumerate(rows):
            row.append(7 + (step + number) % 50)
        begin = time.perf_counter()
        model.logits(rows)
        found.append(time.perf_counter() - begin)
    return sorted(found)[STEPS // 2]


def compared(machine: gk.Machine) -> Table:
    """Estimates beside what was measured."""
    table = Table(
        "model", "texts", "weights", "held", "cache with room", "held", "bound by bandwidth", "by compute",
        "measured tokens/s", "of the bound", box=box.MARKDOWN,
    )  # fmt: skip
    for name in ("base-small", "base-large", "support-2m", *BUILT):
        model: Any = built(name) if name in BUILT else gk.load(name, dtype="float32").language_model
        weights = sum(one.nbytes for one in (*model.model.parameters(), *model.model.buffers()))
        with tempfile.TemporaryDirectory() as folder:
            model.model.config.save_pretrained(folder)
            for batch in (1, 8):
                options: dict[str, Any] = {"batch": batch, "dtype": "float32", "machine": machine}
                found = gk.estimate(folder, prompt_tokens=PROMPT, max_tokens=STEPS, **options)
                model.weights.clear()
                model.logits([[5 + row, *range(10, 9 + PROMPT + STEPS)] for row in range(batch)])
                held = model.bytes
                model.weights.clear()
                speed = batch / seconds_per_step(model, batch)
                Console(stderr=True).print(name, batch, f"{speed:,.0f} tokens a second")
                table.add_row(
                    name, str(batch), f"{found.weights:,}", f"{weights:,}", f"{found.models[0].reserved:,}",
                    f"{held:,}", f"{found.tokens_per_second_by_bandwidth:,.0f}",
                    f"{found.tokens_per_second_by_compute:,.0f}", f"{speed:,.0f}",
                    f"{speed / found.tokens_per_second:.0%}",
                )  # fmt: skip
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    torch.set_num_threads(parser.parse_args().threads)
    machine = gk.Machine.measured()
    out = Console(width=170)
    out.print(f"{machine.bandwidth / 1e9:.1f} GB/s, {machine.compute / 1e12:.3f} TFLOP/s, torch {torch.__version__}")
    out.print(compared(machine))


if __name__ == "__main__":
    main()
