"""The loop that trains every bundled model, and what it needs: tokenizer, weights, batches, checkpoints, export.

A recipe says how; rows of tokens, written while training runs, say on what. A run is a function of its recipe and its
rows, up to the order of floating-point sums, unless `minutes` cuts it short.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

__all__ = [
    "END", "PAD", "Batch", "Recipe", "Row", "Rows", "Run", "batches", "build_model", "compiler", "export",
    "load_checkpoint", "train", "train_tokenizer", "wrapped",
]  # fmt: skip

PAD, END = "<|pad|>", "<|end|>"

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
    """Everything that a run depends on, but for its rows.

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


Row = tuple[list[int], int]
"""Tokens of one text, and the place of the first that is to be predicted, at least 1."""

Rows = Callable[[int, int], list[Row]]
"""The rows of the examples from one number to another."""


def train_tokenizer(recipe: Recipe, texts: Iterable[str], special: tuple[str, ...]) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer; every byte is a token.

    Args:
        texts: without special tokens.
        special: the special tokens, `PAD` and `END` among them.
    """
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
        special_tokens=list(special),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return wrapped(tokenizer, recipe.context)


def wrapped(tokenizer: Tokenizer, context: int, template: str | None = None) -> PreTrainedTokenizerFast:
    """A tokenizer as all bundled models have it, with or without a template for chats."""
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=END, padding_side="left",
        clean_up_tokenization_spaces=False, model_max_length=context,
        **({} if template is None else {"chat_template": template}),
    )  # fmt: skip


def build_model(recipe: Recipe, tokenizer: PreTrainedTokenizerFast, **config: Any) -> LlamaForCausalLM:
    """A Llama with fresh weights; `config` has further entries of its config.json."""
    torch.manual_seed(recipe.seed)
    return LlamaForCausalLM(
        LlamaConfig(
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
            **config,
        )
    )


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of tokens, padded on the right.

    Args:
        tokens: int64 (batch, length).
        targets: bool (batch, length), true where the token is to be predicted.
        count: number of tokens without padding.
        next_index: number of the first example after those that have been read, where a resumed run goes on.
    """

    tokens: Tensor
    targets: Tensor
    count: int
    next_index: int


def batches(rows: Rows, recipe: Recipe, pad: int, start: int, chunk: int = 1024) -> Iterator[Batch]:
    """Batches of rows of similar length, for ever, from example `start` on."""
    for first in itertools.count(start, chunk):
        groups: list[list[Row]] = [[]]
        for row in sorted(rows(first, first + chunk), key=lambda row: len(row[0])):
            if groups[-1] and len(row[0]) * (len(groups[-1]) + 1) > recipe.batch_tokens:
                groups.append([])
            groups[-1].append((row[0][: recipe.context], row[1]))
        Random(f"{recipe.seed}:{first}").shuffle(groups)
        for number, group in enumerate(groups):
            length = max(len(tokens) for tokens, _ in group)
            tokens = torch.full((len(group), length), pad)
            targets = torch.zeros((len(group), length), dtype=torch.bool)
            for index, (row, begin) in enumerate(group):
                tokens[index, : len(row)] = torch.tensor(row)
                targets[index, begin : len(row)] = True
            last = number == len(groups) - 1
            yield Batch(tokens, targets, sum(len(row) for row, _ in group), first + chunk if last else first)


def loss_of(model: LlamaForCausalLM, batch: Batch, body: Callable[..., Any] | None = None) -> Tensor:
    """Mean cross-entropy over the targets, nats; `body` stands in for `model.model`, e.g. compiled."""
    body = model.model if body is None else body
    wanted = batch.targets[:, 1:]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = body(input_ids=batch.tokens[:, :-1], use_cache=False).last_hidden_state
        logits = model.lm_head(hidden[wanted])
    return F.cross_entropy(logits.float(), batch.tokens[:, 1:][wanted])


def compiler(wanted: bool) -> Callable[[Any], Callable[..., Any]]:
    """What a model's body goes through before training: `torch.compile`, or nothing."""
    return partial(torch.compile, dynamic=True) if wanted else lambda body: body


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


def export(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write what `transformers` loads: float16 weights, the configurations and the tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    half = LlamaForCausalLM(model.config).eval()
    half.load_state_dict(model.state_dict())
    half = half.half()
    half.generation_config.update(do_sample=False, max_new_tokens=512, eos_token_id=half.config.eos_token_id)
    half.save_pretrained(folder)
    backend = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    backend.no_padding()  # nor any other trace of where the tokenizer was loaded from, and how it was used
    wrapped(backend, tokenizer.model_max_length, tokenizer.chat_template).save_pretrained(folder)


def _save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write a checkpoint so that an interruption leaves either the old one or the new one."""
    part = path.with_suffix(".part")
    torch.save(state, part)
    os.replace(part, path)


def load_checkpoint(out: Path, build: Callable[[Recipe, PreTrainedTokenizerFast], LlamaForCausalLM]) -> Run:
    """The run in a folder, as far as it got."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(out / "model")
    state = torch.load(out / "checkpoint.pt")
    recipe = Recipe(**state["recipe"])
    model = build(recipe, tokenizer)
    model.load_state_dict(state["model"])
    return Run(recipe, tokenizer, model)


@dataclass(frozen=True, slots=True)
class Run:
    """What is trained, how, and the tokenizer that it reads with."""

    recipe: Recipe
    tokenizer: PreTrainedTokenizerFast
    model: LlamaForCausalLM


def train(
    run: Run,
    rows: Rows,
    out: Path,
    *,
    judge: Callable[[Run, bool], dict[str, Any]],
    minutes: float = math.inf,
    resume: bool = False,
    every: float = 420.0,
    compiler: Callable[[Any], Callable[..., Any]] = lambda body: body,
) -> dict[str, Any]:
    """Train, evaluate and export.

    Args:
        run: its model is changed in place.
        out: folder for the checkpoint, log.jsonl and the exported model.
        judge: scores the model, for the log; is told whether the run is over.
        minutes: end the run after this time; the learning rate is brought down in time for it.
        resume: go on from the checkpoint in `out` where there is one.
        every: seconds between two evaluations with export.
        compiler: applied to the model's body for training; evaluation does without.
    Returns:
        The last line of the log.
    """
    recipe, tokenizer, model = run.recipe, run.tokenizer, run.model
    console = Console()
    out.mkdir(parents=True, exist_ok=True)
    checkpoint, exported = out / "checkpoint.pt", out / "model"
    model.train()
    optimizers = optimizers_of(model, recipe)
    seen, step, index, spent = 0, 0, 0, 0.0
    if resume and checkpoint.exists():
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

    def mark(final: bool = False) -> dict[str, Any]:
        """Checkpoint, export, evaluate, log."""
        elapsed = time.monotonic() - started
        _save_checkpoint(
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
        model.eval()
        line |= judge(run, final)
        model.train()
        losses.clear()
        write(line)
        return line

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        shown = bar.add_task("tokens", total=recipe.tokens, completed=seen)
        for batch in batches(rows, recipe, tokenizer.pad_token_id, index):
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
    return mark(final=True)
