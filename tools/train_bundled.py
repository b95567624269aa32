"""Train the bundled model, support-2m: a Llama of 2 million parameters that turns short texts into JSON records.

From a seed, on text that `tools/support_world` writes while training runs; nothing is downloaded. On two cores:

    python -m tools.train_bundled                       # the shipped model: 36 million tokens, an hour and a half
    python -m tools.train_bundled --fast                # 2 million tokens, about 5 minutes; for trying things out
    python -m tools.train_bundled --resume              # go on after an interruption
    python -m tools.train_bundled --export-only --to guidance_kit/bundled/support-2m

Checkpoints, the log and the exported folder lie in out/support-2m (`--out`). A run is a function of its seed and
options, up to the order of floating-point sums, unless `--minutes` cuts it short.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Any

import torch
import torch.nn.functional as F
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from guidance_kit.models.prompts import support_prompt
from tools.support_world import examples, record_text
from tools.support_world.scoring import Score, score

__all__ = ["Recipe", "evaluate", "main", "train", "train_tokenizer"]

PAD, END, FIELDS, TEXT, RECORD = "<|pad|>", "<|end|>", "<|fields|>", "<|text|>", "<|record|>"
# Eight tokens without a meaning yet, so that a model that is tuned later can give them one.
SPECIAL = (PAD, END, FIELDS, TEXT, RECORD, *(f"<|reserved_{i}|>" for i in range(8)))

# A space belongs to the lower-case word behind it, but stands alone before names, numbers and e-mail addresses: those
# are spelt with the same tokens in a text and in a JSON string, which makes copying them easy. Digits stand alone;
# runs of JSON punctuation, as in `", "`, may become one token.
PIECES = "|".join(
    (
        r" [a-z]+(?=[\s,!?;)}]|[.:](?:\s|$)|$)",
        r"[\p{L}\p{M}]+(?:_[a-z]+)*",
        r"\d",
        r'[{}\[\]":,]+(?: ["\[{]+)?',
        r"\n+",
        r"\s",
        r"[^\s\p{L}\p{M}\d]",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything that a run depends on.

    Args:
        seed: of the weights and of the texts.
        tokens: number of tokens to train on, padding not counted.
        batch_tokens: number of tokens, with padding, in a batch.
        peak: highest learning rate; reached after `warmup` of the run, kept, and brought to zero in the last `decay`.
        warmup, decay: shares of the run, in [0, 1].
    """

    seed: int = 0
    tokens: int = 36_000_000
    vocabulary: int = 2048
    hidden: int = 192
    layers: int = 4
    heads: int = 6
    context: int = 2048
    batch_tokens: int = 4096
    peak: float = 3e-3
    warmup: float = 0.02
    decay: float = 0.4
    weight_decay: float = 0.05


def train_tokenizer(recipe: Recipe, texts: int = 12_000) -> PreTrainedTokenizerFast:
    """Train the byte-level BPE tokenizer on the first texts of the world; every byte is a token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=recipe.vocabulary,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    source = examples("train", 0, texts, seed=recipe.seed)
    markers = re.compile("|".join(map(re.escape, SPECIAL)))
    plain = [markers.sub("\n", f"{support_prompt(e.text, e.schema)}{record_text(e.record)}") for e in source]
    tokenizer.train_from_iterator(plain, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=END, padding_side="left",
        clean_up_tokenization_spaces=False,
        model_max_length=recipe.context,
    )  # fmt: skip


def build_model(recipe: Recipe, tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """A Llama with fresh weights."""
    torch.manual_seed(recipe.seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=recipe.hidden,
        intermediate_size=recipe.hidden * 8 // 3,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.heads,
        max_position_embeddings=recipe.context,
        tie_word_embeddings=True,
        initializer_range=0.04,
        bos_token_id=None,
        eos_token_id=tokenizer.convert_tokens_to_ids(END),
        pad_token_id=tokenizer.convert_tokens_to_ids(PAD),
        guidance_kit_prompt="support-v1",
    )
    return LlamaForCausalLM(config)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one prompt and record each, padded on the right.

    Args:
        tokens: int64 (batch, length).
        targets: bool (batch, length), true where the token belongs to a record and is to be predicted.
        count: number of tokens without padding.
        next_index: number of the first example after those that have been read, where a resumed run goes on.
    """

    tokens: Tensor
    targets: Tensor
    count: int
    next_index: int


def batches(tokenizer: PreTrainedTokenizerFast, recipe: Recipe, start: int, chunk: int = 1024) -> Iterator[Batch]:
    """Batches of texts of similar length, for ever, from example `start` on."""
    record_id, pad = tokenizer.convert_tokens_to_ids(RECORD), tokenizer.pad_token_id
    for first in itertools.count(start, chunk):
        source = examples("train", first, first + chunk, seed=recipe.seed)
        texts = [f"{support_prompt(e.text, e.schema)}{record_text(e.record)}{END}" for e in source]
        rows = sorted((e.ids for e in tokenizer.backend_tokenizer.encode_batch(texts)), key=len)
        groups: list[list[list[int]]] = [[]]
        for row in rows:
            if groups[-1] and len(row) * (len(groups[-1]) + 1) > recipe.batch_tokens:
                groups.append([])
            groups[-1].append(row[: recipe.context])
        Random(f"{recipe.seed}:{first}").shuffle(groups)
        for number, group in enumerate(groups):
            length = len(max(group, key=len))
            tokens = torch.full((len(group), length), pad)
            targets = torch.zeros((len(group), length), dtype=torch.bool)
            for index, row in enumerate(group):
                tokens[index, : len(row)] = torch.tensor(row)
                targets[index, row.index(record_id) + 1 : len(row)] = True
            last = number == len(groups) - 1
            yield Batch(tokens, targets, sum(map(len, group)), first + chunk if last else first)


def loss_of(model: LlamaForCausalLM, batch: Batch, body: Callable[..., Any] | None = None) -> Tensor:
    """Mean cross-entropy over the tokens of the records, nats; `body` stands in for `model.model`, e.g. compiled."""
    body = model.model if body is None else body
    wanted = batch.targets[:, 1:]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = body(input_ids=batch.tokens[:, :-1], use_cache=False).last_hidden_state
        logits = model.lm_head(hidden[wanted])
    return F.cross_entropy(logits.float(), batch.tokens[:, 1:][wanted])


def learning_rate(recipe: Recipe, progress: float) -> float:
    """Learning rate at a share of the run: up in a line, flat, down along a cosine."""
    if progress < recipe.warmup:
        return recipe.peak * max(progress / recipe.warmup, 0.01)
    left = min((1 - progress) / recipe.decay, 1.0)
    return recipe.peak * (1 - math.cos(math.pi * max(left, 0.0))) / 2


def optimizers_of(model: LlamaForCausalLM, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, AdamW for the embedding and the norms.

    Muon's updates are scaled to the size of AdamW's (Liu et al. 2025, arXiv:2502.16982, section 2.2), so that both
    take one learning rate.
    """
    matrices = [p for p in model.model.layers.parameters() if p.ndim == 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    decay = recipe.weight_decay
    muon = torch.optim.Muon(matrices, lr=recipe.peak, weight_decay=decay, adjust_lr_fn="match_rms_adamw")
    rest = [
        {"params": [model.model.embed_tokens.weight], "weight_decay": decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return [muon, torch.optim.AdamW(rest, lr=recipe.peak, betas=(0.9, 0.98), eps=1e-8)]


@torch.no_grad()
def evaluate(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, split: str, number: int, *, batch: int = 50
) -> tuple[Score, dict[str, Score]]:
    """Score greedy, unconstrained records of the first texts of a split: altogether, and by kind of text and schema."""
    model.eval()
    source = sorted(examples(split, 0, number), key=lambda e: len(e.text))
    total, kinds = Score(), {}
    for group in _batched(source, batch):
        inputs = tokenizer([support_prompt(e.text, e.schema) for e in group], return_tensors="pt", padding=True)
        inputs.pop("token_type_ids", None)
        output = model.generate(**inputs, max_new_tokens=320, do_sample=False)
        written = tokenizer.batch_decode(output[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        for one, text in zip(group, written, strict=True):
            result = score(text, one.record)
            total += result
            kind = f"usual {one.kind}" if one.is_usual else one.kind
            kinds[kind] = kinds.get(kind, Score()) + result
    model.train()
    return total, kinds


def _batched(items: list[Any], size: int) -> Iterator[list[Any]]:
    for first in range(0, len(items), size):
        yield items[first : first + size]


def export(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write what `transformers` loads: float16 weights, the configurations and the tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    half = build_copy(model).half()
    half.generation_config.update(do_sample=False, max_new_tokens=512, eos_token_id=half.config.eos_token_id)
    half.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def build_copy(model: LlamaForCausalLM) -> LlamaForCausalLM:
    """A copy of a model that can be changed freely."""
    copy = LlamaForCausalLM(model.config)
    copy.load_state_dict(model.state_dict())
    return copy.eval()


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write a checkpoint so that an interruption leaves either the old one or the new one."""
    part = path.with_suffix(".part")
    torch.save(state, part)
    os.replace(part, path)


def train(
    recipe: Recipe,
    out: Path,
    *,
    minutes: float = math.inf,
    resume: bool = False,
    every: float = 420.0,
    compiler: Callable[[Any], Callable[..., Any]] = lambda body: body,
) -> None:
    """Train, evaluate and export.

    Args:
        out: folder for the checkpoint, log.jsonl and the exported model.
        minutes: end the run after this time; the learning rate is brought down in time for it.
        resume: go on from the checkpoint in `out` where there is one.
        every: seconds between two evaluations with export.
        compiler: applied to the model's body for training, e.g. `torch.compile`; evaluation does without.
    """
    console = Console()
    out.mkdir(parents=True, exist_ok=True)
    checkpoint, exported = out / "checkpoint.pt", out / "model"
    resume = resume and checkpoint.exists()
    if resume:
        tokenizer = PreTrainedTokenizerFast.from_pretrained(exported)
    else:
        console.print("training the tokenizer")
        tokenizer = train_tokenizer(recipe)
    model = build_model(recipe, tokenizer).train()
    optimizers = optimizers_of(model, recipe)
    seen, step, index, spent = 0, 0, 0, 0.0
    if resume:
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        for optimizer, saved in zip(optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        seen, step, index, spent = (state[k] for k in ("seen", "step", "index", "spent"))
    else:
        export(model, tokenizer, exported)
    body = compiler(model.model)
    parameters = sum(p.numel() for p in model.parameters())
    console.print(f"{parameters:,} parameters, {len(tokenizer)} tokens, {asdict(recipe)}")
    started = time.monotonic() - spent
    marked, losses = time.monotonic(), []

    def write(line: dict[str, Any]) -> None:
        with (out / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        console.print_json(data=line, indent=None)

    def mark(final: bool = False) -> None:
        """Checkpoint, export, evaluate, log."""
        elapsed = time.monotonic() - started
        save_checkpoint(
            checkpoint,
            {"model": model.state_dict(), "optimizers": [optimizer.state_dict() for optimizer in optimizers],
             "seen": seen, "step": step, "index": index, "spent": elapsed, "recipe": asdict(recipe)},
        )  # fmt: skip
        export(model, tokenizer, exported)
        line: dict[str, Any] = {
            "step": step,
            "tokens": seen,
            "seconds": round(elapsed),
            "loss": sum(losses) / max(len(losses), 1),
        }
        for split in ("new_entities", "new_wordings"):
            total, kinds = evaluate(model, tokenizer, split, 300 if final else 60)
            usual = sum((v for k, v in kinds.items() if k.startswith("usual")), Score())
            line[split] = {
                "usual fields": round(usual.field_accuracy, 4),
                "usual records": round(usual.record_accuracy, 4),
                "fields": round(total.field_accuracy, 4),
                "records": round(total.record_accuracy, 4),
                "valid": round(total.valid_rate, 4),
                "kinds": {k: round(v.field_accuracy, 3) for k, v in sorted(kinds.items())},
            }
        losses.clear()
        write(line)

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        shown = bar.add_task("tokens", total=recipe.tokens, completed=seen)
        for batch in batches(tokenizer, recipe, index):
            progress = max(seen / recipe.tokens, (time.monotonic() - started) / (60 * minutes))
            if progress >= 1:
                break
            for group in itertools.chain.from_iterable(optimizer.param_groups for optimizer in optimizers):
                group["lr"] = learning_rate(recipe, progress)
            with torch.autocast("cpu", torch.bfloat16):
                loss = loss_of(model, batch, body)
            model.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for optimizer in optimizers:
                optimizer.step()
            seen, step, index = seen + batch.count, step + 1, batch.next_index
            losses.append(loss.item())
            if step % 100 == 0:
                write({"step": step, "tokens": seen, "loss": round(sum(losses[-100:]) / len(losses[-100:]), 4)})
            bar.update(shown, completed=seen, description=f"loss {loss.item():.3f}")
            if time.monotonic() - marked > every:
                mark()
                marked = time.monotonic()
    mark(final=True)


def main(
    out: Annotated[Path, typer.Option(help="Folder for checkpoints and the exported model.")] = Path("out/support-2m"),
    seed: Annotated[int, typer.Option(help="Seed of weights and texts.")] = 0,
    tokens: Annotated[int | None, typer.Option(help="Tokens to train on.")] = None,
    minutes: Annotated[float, typer.Option(help="End after this many minutes.")] = math.inf,
    fast: Annotated[bool, typer.Option("--fast", help="A run of minutes.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
    every: Annotated[float, typer.Option(help="Seconds between evaluations.")] = 420.0,
    threads: Annotated[int, typer.Option(help="Threads; 1 is faster than 2 where other work shares the cores.")] = 2,
    use_compile: Annotated[bool, typer.Option("--compile", help="Use torch.compile.")] = False,
    export_only: Annotated[
        bool, typer.Option("--export-only", help="Do not train; write the checkpoint's model.")
    ] = False,
    to: Annotated[Path | None, typer.Option(help="With --export-only: the folder to write.")] = None,
) -> None:
    """Train the bundled model."""
    torch.set_num_threads(threads)
    transformers_logging.disable_progress_bar()
    if export_only:
        tokenizer = PreTrainedTokenizerFast.from_pretrained(out / "model")
        state = torch.load(out / "checkpoint.pt")
        model = build_model(Recipe(**state["recipe"]), tokenizer)
        model.load_state_dict(state["model"])
        export(model, tokenizer, to or out / "model")
        return
    total = tokens or (2_000_000 if fast else Recipe().tokens)
    compiler = partial(torch.compile, dynamic=True) if use_compile else lambda body: body
    train(Recipe(seed=seed, tokens=total), out, minutes=minutes, resume=resume, every=every, compiler=compiler)


if __name__ == "__main__":
    typer.run(main)
