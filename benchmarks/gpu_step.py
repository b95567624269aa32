"""What do a constraint and steering cost a step of a large model on a GPU, beside the model alone and transformers?

    python benchmarks/gpu_step.py [--size 1.5B] [--batch 1 8 64] [--rounds 3] [--tokens 32] [--prompt 128]

Models with random weights in the shapes of Qwen2.5, in bfloat16, over 151,936 made-up tokens; a step writes one token
in each row of a batch. Texts are sampled at temperature 1:

    model                    the model alone: `TransformersModel.logits` of one more token a row
    loop                     `Model.generate`
    bias                     the same with a `LogitBias` of 100 tokens
    constraint               the same under a JSON Schema of records that go on beyond the last token
    proxy-tuning             base + (tuned - untuned), two small models of 0.5B beside the base
    proxy-tuning, constraint the same under the schema
    classifier               classifier guidance: a small model judges the 100 most likely tokens of each row
    transformers             `generate` of transformers
    transformers, xgrammar   the same under the schema, by XGrammar's logits processor

All take turns. A turn is the median over its tokens of the time between two steps, on the clock; every step reads its
tokens back, so it is over by then. The schema is compiled before, by both, and each round has other texts, so that a
few masks are new in each. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
import transformers
import xgrammar
from apply_masks import vocabulary_of
from rich import box
from rich.console import Console
from rich.table import Table
from steering_step import Mark
from transformers import LogitsProcessor, Qwen2Config, Qwen2ForCausalLM, Qwen2ForSequenceClassification
from xgrammar.contrib.hf import LogitsProcessor as XGrammarProcessor

import guidance_kit as gk
from guidance_kit.cli.warmup import compile_kernels

Run = Callable[[int], list[float]]
"""Times, in seconds, at which the steps of a turn began; it takes the number of the round."""

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2,
             "num_key_value_heads": 1, "tie_word_embeddings": True},
    "0.5B": {"hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14,
             "num_key_value_heads": 2, "tie_word_embeddings": True},
    "1.5B": {"hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28, "num_attention_heads": 12,
             "num_key_value_heads": 2, "tie_word_embeddings": True},
    "7B": {"hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28,
           "num_key_value_heads": 4, "tie_word_embeddings": False},
}  # fmt: skip

SCHEMA = {
    "type": "array",
    "minItems": 100,
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 24},
            "amount": {"type": "integer", "minimum": 0, "maximum": 10_000},
            "tags": {"type": "array", "items": {"enum": ["new", "paid", "sent"]}, "maxItems": 3},
        },
        "required": ["name", "amount", "tags"],
        "additionalProperties": False,
    },
}


def random_model(model_class: Any, size: str, rows: int, seed: int, device: str) -> Any:
    """Random model; its initial weights are so large that its logits are about as peaked as those of a trained one."""
    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=rows, max_position_embeddings=4096, initializer_range=0.13, bos_token_id=0, eos_token_id=0,
        pad_token_id=0, num_labels=2, **SIZES[size],
    )  # fmt: skip
    with torch.device(device):
        return model_class(config).to(torch.bfloat16).eval()


class Times(LogitsProcessor):
    """Processor of transformers that notes the time of each step."""

    def __init__(self) -> None:
        self.marks: list[float] = []

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        self.marks.append(time.perf_counter())
        return scores


class Bench:
    """The models, and what is run with them."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.settle = torch.cuda.synchronize if options.device != "cpu" else lambda: None
        self.words = vocabulary_of(options.rows)
        self.model, tuned, untuned = (
            gk.TransformersModel(
                random_model(Qwen2ForCausalLM, size, options.rows, seed, options.device), vocabulary=self.words
            )
            for seed, size in enumerate((options.size, options.small, options.small))
        )
        self.base = gk.Model(self.model)
        self.proxy = gk.proxy_tuning(self.base, gk.Model(tuned), gk.Model(untuned))
        judge = random_model(Qwen2ForSequenceClassification, options.small, options.rows, 3, options.device)
        self.judged = gk.classifier_guided(self.base, gk.PrefixClassifier(judge, self.words).of("LABEL_1"))
        self.constraint = gk.json_schema(SCHEMA)
        self.constraint.compile(self.words)
        info = xgrammar.TokenizerInfo(
            list(self.words.token_bytes), xgrammar.VocabType.RAW, vocab_size=options.rows, stop_token_ids=[0]
        )
        self.grammar = xgrammar.GrammarCompiler(info).compile_json_schema(json.dumps(SCHEMA), any_whitespace=False)

    def runs(self, prompts: list[list[int]]) -> dict[str, Run]:
        """All that is timed, by name."""
        bias = gk.LogitBias(dict.fromkeys(range(1, 101), 1.0))
        return {
            "model": lambda turn: self.alone(prompts, turn),
            "loop": lambda turn: self.loop(self.base, prompts, turn),
            "bias": lambda turn: self.loop(self.base, prompts, turn, guides=[bias]),
            "constraint": lambda turn: self.loop(self.base, prompts, turn, constraint=self.constraint),
            "proxy-tuning": lambda turn: self.loop(self.proxy, prompts, turn),
            "proxy-tuning, constraint": lambda turn: self.loop(self.proxy, prompts, turn, constraint=self.constraint),
            "classifier": lambda turn: self.loop(self.judged, prompts, turn),
            "transformers": lambda turn: self.theirs(prompts, turn),
            "transformers, xgrammar": lambda turn: self.theirs(prompts, turn, XGrammarProcessor(self.grammar)),
        }

    def alone(self, prompts: list[list[int]], turn: int) -> list[float]:
        """Steps of the model alone, whatever the tokens are."""
        drawn = np.random.Generator(np.random.PCG64(turn))
        rows = [list(prompt) for prompt in prompts]
        self.model.clear()
        marks = []
        for _ in range(self.options.tokens + 1):
            self.model.logits(rows)
            self.settle()
            marks.append(time.perf_counter())
            for row, token in zip(rows, drawn.integers(1, 257, size=len(rows)).tolist(), strict=True):
                row.append(token)
        return marks

    def loop(
        self, steered: gk.Model, prompts: list[list[int]], turn: int, guides: Any = (), **more: Any
    ) -> list[float]:
        """Steps of our loop."""
        mark, tokens = Mark(), self.options.tokens + 1
        self.model.clear()
        same = {"max_tokens": tokens, "seed": turn, "batch_size": len(prompts)}
        steered.generate(prompts, guides=[mark, *guides], **same, **more)
        return mark.marks

    def theirs(self, prompts: list[list[int]], turn: int, *processors: LogitsProcessor) -> list[float]:
        """Steps of transformers."""
        times, tokens = Times(), self.options.tokens + 1
        given = torch.tensor(prompts, device=self.options.device)
        torch.manual_seed(turn)
        self.model.model.generate(
            given, attention_mask=torch.ones_like(given), do_sample=True, top_k=0, max_new_tokens=tokens,
            logits_processor=[times, *processors],
        )  # fmt: skip
        return times.marks

    def measured(self, batch: int) -> dict[str, list[float]]:
        """Seconds a step of each way, in each round."""
        prompts = np.random.Generator(np.random.PCG64(0)).integers(1, 257, size=(batch, self.options.prompt)).tolist()
        times: dict[str, list[float]] = {}
        for turn in range(self.options.rounds + 1):
            for name, run in self.runs(prompts).items():
                step = float(np.median(np.diff(run(turn))))
                if turn:  # the first warms up
                    times.setdefault(name, []).append(step)
        return times


def show(console: Console, batch: int, times: dict[str, list[float]]) -> None:
    """A table of one batch size."""
    medians = {name: float(np.median(values)) for name, values in times.items()}
    table = Table(box=box.MARKDOWN)
    for column in ("batch", "way", "ms a step", "least to most", "beside the model", "beside the loop"):
        table.add_column(column, justify="left" if column == "way" else "right", no_wrap=True)
    for name, values in times.items():
        table.add_row(
            str(batch),
            name,
            f"{medians[name] * 1e3:.2f}",
            f"{min(values) * 1e3:.2f} to {max(values) * 1e3:.2f}",
            f"{medians[name] / medians['model']:.2f}",
            f"{medians[name] / medians['loop']:.2f}",
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="1.5B")
    parser.add_argument("--small", choices=SIZES, default="0.5B", help="of the experts and of the classifier")
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--prompt", type=int, default=128, help="tokens of a prompt")
    parser.add_argument("--rows", type=int, default=151_936)
    parser.add_argument("--device", default="cuda", help="cpu, to try it without a GPU")
    options = parser.parse_args()
    console = Console(width=160)
    compile_kernels()
    bench = Bench(options)
    count = sum(weight.numel() for weight in bench.model.model.parameters()) / 1e9
    where = platform.machine() if options.device == "cpu" else torch.cuda.get_device_name(options.device)
    console.print(
        f"{count:.2f} billion parameters, bfloat16, {options.rows:,} rows; {where}, "
        f"Python {platform.python_version()}, torch {torch.__version__}, transformers {transformers.__version__}, "
        f"xgrammar {version('xgrammar')}"
    )
    for batch in options.batch:
        show(console, batch, bench.measured(batch))


if __name__ == "__main__":
    main()
