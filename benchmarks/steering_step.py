"""What does a token of a formula over three models cost, against the models alone and against the published way?

    python benchmarks/steering_step.py [--rounds 9] [--tokens 12] [--batch 1 8] [--prompt 512] [--threads 1]
        [--classified 64 256] [--candidates 100] [--architecture gpt2]
    python benchmarks/steering_step.py --adapters [...]

Proxy-tuning, `large + 1.0 * (tuned - untuned)`, over models with random weights: one of 12 layers and width 768 (124
million parameters), two of 6 layers and width 384 (30 million each), 50,257 rows, float32, prompts of 512 tokens. They
are GPT-2 models, or, with `--architecture llama`, Llamas of the same sizes, whose linear layers are those of most
models today; the classifier is a GPT-2 model.

- `models`: the sum of the three models' own steps, each alone as a `TransformersModel` with a cache, fed alike.
- `formula`: the whole loop, `Model.generate`, sampling at temperature 1, with and without a constraint.
- `transformers`: three models of transformers with a DynamicCache each, one after the other, logits added, a token
  drawn by softmax and multinomial: the loop of the published code.
- `not in calls`: what is left of a step of `formula` without its forward passes: sum, mask, draw and the loop.

With `--adapters` instead: the large model and a LoRA adapter of rank 16 on all linear layers of its blocks,
`base + 1.5 * (polite - base)`.

- `base`: the step of the base alone.
- `rows`: that of the base again, with twice as many rows.
- `both`: the base and the adapter in one pass.
- `formula`: the whole loop.

All take turns, a few tokens at a time. The figure of a turn is the median over its tokens, so that a burst of other
work on the machine hits few of them; ratios are taken turn by turn. Prompts are not counted. With one thread it is
processor time, else wall time.

And what a token of classifier guidance costs: a causal classifier of the smaller size says how surely a text with each
of 100 candidates is of a class. `siblings` is `PrefixClassifier` over its cache, which takes the last token and then
all candidates; `encoded anew` is one forward pass over 100 whole sequences, as in the published code of CAIF.
"""

from __future__ import annotations

import argparse
import copy
import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from transformers import (
    DynamicCache,
    GPT2Config,
    GPT2ForSequenceClassification,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
)

import guidance_kit as gk
from guidance_kit.guides.guide import Stage
from guidance_kit.models.prefix_classifier import PrefixClassifier
from guidance_kit.models.transformers_model import TransformersModel


def now() -> float:
    """Seconds: of the processor, where one thread does all the work, since those depend less on what else runs."""
    return time.process_time() if torch.get_num_threads() == 1 else time.perf_counter()


def gpt2(size: str, rows: int) -> GPT2Config:
    """A model of layers x width."""
    layers, width = map(int, size.split("x"))
    return GPT2Config(vocab_size=rows, n_layer=layers, n_embd=width, n_head=width // 64, n_positions=1024)


def llama(size: str, rows: int) -> LlamaConfig:
    """A model of layers x width."""
    layers, width = map(int, size.split("x"))
    return LlamaConfig(
        vocab_size=rows, num_hidden_layers=layers, hidden_size=width, num_attention_heads=width // 64,
        intermediate_size=width * 8 // 3, max_position_embeddings=1024, tie_word_embeddings=True,
    )  # fmt: skip


def random_model(architecture: str, size: str, rows: int, seed: int) -> PreTrainedModel:
    """A model with random weights."""
    torch.manual_seed(seed)
    if architecture == "llama":
        return LlamaForCausalLM(llama(size, rows)).eval()
    return GPT2LMHeadModel(gpt2(size, rows)).eval()


def vocabulary(rows: int) -> gk.Vocabulary:
    """Bytes, pairs of letters and the like: as many texts as there are rows."""
    texts = [bytes([byte]) for byte in range(256)]
    letters = [bytes([byte]) for byte in range(97, 123)] + [b" "]
    texts += [a + b + c + d for a in letters for b in letters for c in letters for d in letters]
    return gk.Vocabulary(
        token_bytes=tuple(texts[: rows - 1]), special=frozenset({rows - 1}), eos=(rows - 1,), rows=rows
    )


def with_adapter(base: TransformersModel) -> TransformersModel:
    """The model with a random adapter."""
    from peft import LoraConfig, get_peft_model

    is_transposed = isinstance(base.model, GPT2LMHeadModel)
    modules = ["c_attn", "c_proj", "c_fc"] if is_transposed else "all-linear"
    config = LoraConfig(r=16, target_modules=modules, fan_in_fan_out=is_transposed, init_lora_weights=False)
    with tempfile.TemporaryDirectory() as folder:
        get_peft_model(copy.deepcopy(base.model), config).save_pretrained(folder)
        return base.with_adapter(folder)


def own_step(ask: Callable[[list[list[int]]], Any], prompts: list[list[int]], tokens: int) -> float:
    """Seconds a token of one model, whatever the tokens are."""
    drawn = np.random.Generator(np.random.PCG64(1)).integers(0, 256, size=(len(prompts), tokens)).tolist()
    rows = [list(prompt) for prompt in prompts]
    ask(rows)
    marks = [now()]
    for place in range(tokens):
        for row, new in zip(rows, drawn, strict=True):
            row.append(new[place])
        ask(rows)
        marks.append(now())
    return float(np.median(np.diff(marks)))


def own_steps(models: list[TransformersModel], prompts: list[list[int]], tokens: int) -> float:
    """Seconds a token: each model alone, one step after the other."""
    total = 0.0
    for model in models:
        model.clear()
        total += own_step(model.logits, prompts, tokens)
    return total


class Mark:
    """A guide that notes when each step comes by, and how long its forward passes took."""

    stage = Stage.BIAS

    def __init__(self, models: Sequence[Any] = ()) -> None:
        self.marks: list[float] = []
        self.calls: list[float] = []
        self._seconds = 0.0
        for model in models:
            model.logits = self._timed(model.logits)

    def _timed(self, ask: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
        def run(*arguments: Any, **named: Any) -> torch.Tensor:
            begin = now()
            logits = ask(*arguments, **named)
            self._seconds += now() - begin
            return logits

        return run

    def start(self, prompts: Sequence[Sequence[int]]) -> None:
        """See `Guide`: there is no state."""

    def adjust(self, logits: torch.Tensor, state: None) -> torch.Tensor:
        """See `Guide`: nothing is changed."""
        self.marks.append(now())
        self.calls.append(self._seconds)
        self._seconds = 0.0
        return logits

    def advance(self, state: None, tokens: Sequence[Sequence[int]]) -> None:
        """See `Guide`."""

    def select(self, state: None, rows: Sequence[int]) -> None:
        """See `Guide`."""

    def join(self, states: Sequence[None]) -> None:
        """See `Guide`."""


def formula(
    steered: gk.Model, models: Sequence[Any], prompts: list[list[int]], tokens: int, constraint: Any
) -> tuple[float, float]:
    """Seconds a token: the loop after the first token, and of these what is no forward pass."""
    for model in models:
        model.clear()
    mark = Mark(models)
    steered.generate(prompts, constraint, guides=[mark], max_tokens=tokens + 1, seed=1, batch_size=len(prompts))
    for model in models:
        del model.logits  # the method is found again
    steps = np.diff(mark.marks)
    if len(steps) != tokens:
        raise SystemExit(f"all texts ended after {len(steps)} tokens; take fewer")
    return float(np.median(steps)), float(np.median(steps - np.array(mark.calls[1:])))


@torch.inference_mode()
def published(models: list[PreTrainedModel], prompts: list[list[int]], tokens: int) -> float:
    """Seconds a token: transformers, one model after the other."""
    caches = [DynamicCache(config=model.config) for model in models]
    generator = torch.Generator().manual_seed(1)
    given = torch.tensor(prompts)
    mask = torch.ones_like(given)
    marks: list[float] = []
    for _ in range(tokens + 1):
        large, tuned, untuned = (
            model(input_ids=given, attention_mask=mask, past_key_values=cache, use_cache=True).logits[:, -1]
            for model, cache in zip(models, caches, strict=True)
        )
        chances = (large + 1.0 * (tuned - untuned)).softmax(-1)
        given = torch.multinomial(chances, 1, generator=generator)
        mask = torch.cat([mask, torch.ones_like(given)], dim=1)
        marks.append(now())
    return float(np.median(np.diff(marks)))


def classified(size: str, rows: int, length: int, count: int, tokens: int) -> tuple[float, float, float]:
    """Seconds a token, by siblings and by encoding anew; and the greatest difference of what they say."""
    torch.manual_seed(3)
    config = gpt2(size, rows)
    config.num_labels, config.pad_token_id = 2, rows - 1
    raw = GPT2ForSequenceClassification(config).eval()
    classifier = PrefixClassifier(raw, start=0)
    drawn = np.random.Generator(np.random.PCG64(2))
    prefix = drawn.integers(1, 256, size=length).tolist()
    candidates = torch.from_numpy(drawn.choice(np.arange(1, 20_000), size=(1, count), replace=False))
    classifier.outputs([prefix], candidates)
    steps: list[float] = []
    for _ in range(tokens):
        prefix = [*prefix, int(drawn.integers(1, 256))]
        begin = now()
        found = classifier.outputs([prefix], candidates)[0]
        steps.append(now() - begin)
    whole = torch.tensor([[0, *prefix, token] for token in candidates[0].tolist()])
    with torch.inference_mode():
        begin = now()
        anew = raw(input_ids=whole, attention_mask=torch.ones_like(whole)).logits
        seconds = now() - begin
    return float(np.median(steps)), seconds, float((found - anew).abs().max())


def adapters(large: PreTrainedModel, words: gk.Vocabulary, options: argparse.Namespace) -> Table:
    """An adapter and its base in one pass, against the base alone."""
    base = TransformersModel(large, vocabulary=words)
    plain = TransformersModel(copy.deepcopy(large), vocabulary=words)
    polite = with_adapter(base)
    door = gk.Model(base)
    steered = door + 1.5 * (gk.Model(polite) - door)
    table = Table(title=f"milliseconds a token, and ratios; medians of {options.rounds} rounds (least to most)")
    for column in ("batch", "base", "rows", "both", "formula", "both / base", "both / rows", "formula / base"):
        table.add_column(column, justify="right")
    for batch in options.batch:
        prompts = np.random.Generator(np.random.PCG64(0)).integers(0, 256, size=(batch, options.prompt)).tolist()
        others = np.random.Generator(np.random.PCG64(2)).integers(0, 256, size=(batch, options.prompt)).tolist()
        names = [None] * batch + [polite.adapter] * batch
        rounds = []
        for _ in range(options.rounds + 1):
            base.clear()
            plain.clear()
            alone = own_step(plain.logits, prompts, options.tokens)
            wide = own_step(plain.logits, prompts + others, options.tokens)
            both = own_step(partial(base.weights.logits, adapters=names), prompts + prompts, options.tokens)
            loop, _ = formula(steered, [base.weights], prompts, options.tokens, None)
            rounds.append((alone, wide, both, loop))
        alone, wide, both, loop = np.array(rounds[1:]).T
        table.add_row(
            str(batch),
            *(f"{np.median(seconds) * 1e3:.1f}" for seconds in (alone, wide, both, loop)),
            *(f"{np.median(ratio):.2f} ({min(ratio):.2f} to {max(ratio):.2f})"
              for ratio in (both / alone, both / wide, loop / alone)),
        )  # fmt: skip
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tokens", type=int, default=12)
    parser.add_argument("--batch", type=int, nargs="*", default=[1, 8])
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--sizes", nargs=2, default=["12x768", "6x384"])
    parser.add_argument("--classified", type=int, nargs="*", default=[64, 256], help="tokens before the candidates")
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--architecture", choices=["gpt2", "llama"], default="gpt2")
    parser.add_argument("--rows", type=int, default=50_257)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--adapters", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    large, small = options.sizes
    if options.adapters:
        console = Console(width=160)
        console.print(f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, torch {torch.__version__}")
        model = random_model(options.architecture, large, options.rows, 0)
        console.print(adapters(model, vocabulary(options.rows), options))
        return
    sized = enumerate((large, small, small))
    raw = [random_model(options.architecture, size, options.rows, seed) for seed, size in sized]
    words = vocabulary(options.rows)
    models = [TransformersModel(copy.deepcopy(model), vocabulary=words) for model in raw]
    doors = [gk.Model(model) for model in models]
    steered = doors[0] + 1.0 * (doors[1] - doors[2])
    sizes = ", ".join(f"{sum(weight.numel() for weight in model.parameters()) / 1e6:.0f}M" for model in raw)
    console = Console(width=160)
    console.print(
        f"{sizes}; {os.cpu_count()} cores, {torch.get_num_threads()} threads, Python {platform.python_version()}, "
        f"torch {torch.__version__}"
    )
    table = Table(title=f"milliseconds a token, and ratios; medians of {options.rounds} rounds (least to most)")
    for column in (
        "batch", "models", "formula", "constrained", "transformers", "formula / models", "transformers / formula",
        "not in calls", "the same, constrained",
    ):  # fmt: skip
        table.add_column(column, justify="right")
    constraint = gk.regex(r"[a-z ]{1000,2000}")
    for batch in options.batch:
        drawn = np.random.Generator(np.random.PCG64(0)).integers(0, 256, size=(batch, options.prompt)).tolist()
        rounds = []
        for _ in range(options.rounds + 1):
            alone = own_steps(models, drawn, options.tokens)
            free, loop = formula(steered, models, drawn, options.tokens, None)
            bound, bound_loop = formula(steered, models, drawn, options.tokens, constraint)
            theirs = published(raw, drawn, options.tokens)
            rounds.append((alone, free, bound, theirs, loop, bound_loop))
        alone, free, bound, theirs, loop, bound_loop = np.array(rounds[1:]).T
        ratios = (free / alone, theirs / free, loop / free, bound_loop / bound)
        table.add_row(
            str(batch),
            *(f"{np.median(seconds) * 1e3:.1f}" for seconds in (alone, free, bound, theirs)),
            *(f"{np.median(ratio):.2f} ({min(ratio):.2f} to {max(ratio):.2f})" for ratio in ratios[:2]),
            *(f"{np.median(ratio):.1%} ({min(ratio):.1%} to {max(ratio):.1%})" for ratio in ratios[2:]),
        )
    if options.batch:
        console.print(table)
    table = Table(title=f"a causal classifier of {sizes.split(', ')[1]}, {options.candidates} candidates, batch 1")
    for column in ("tokens before", "siblings, ms", "encoded anew, ms", "anew / siblings", "greatest difference"):
        table.add_column(column, justify="right")
    for length in options.classified:
        rounds = [classified(small, options.rows, length, options.candidates, options.tokens) for _ in range(3)]
        ours, theirs, difference = np.array(rounds).T
        ratios = theirs / ours
        table.add_row(
            str(length),
            f"{np.median(ours) * 1e3:.1f}",
            f"{np.median(theirs) * 1e3:,.0f}",
            f"{np.median(ratios):.0f} ({min(ratios):.0f} to {max(ratios):.0f})",
            f"{max(difference):.1g}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
