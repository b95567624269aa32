"""Train the bundled model, support-2m: a Llama of 2 million parameters that turns short texts into JSON records.

From a seed, on text that `tools/support_world` writes while training runs; nothing is downloaded. In three stages:

    python -m tools.train_bundled --out out/first                                # 36 million tokens, 90 minutes
    python -m tools.train_bundled --stage 2 --from out/first/model --out out/second   # 15 million, 50 minutes
    python -m tools.train_bundled --stage 3 --from out/second/model                   # 9 million, 30 minutes
    python -m tools.train_bundled --fast                    # a twentieth of a stage; for trying things out
    python -m tools.train_bundled --stage 3 --from out/second/model --resume     # go on after an interruption
    python -m tools.train_bundled --export-only --to guidance_kit/bundled/support-2m

The first takes two cores, each of the others one, with `--compile`.

The second stage shows the wide side of the world: more words, many more sentences, longer lists and more meeting notes,
so that the model copies what it has never seen instead of what it knows. In the third two texts in five are short, and
labels alone are asked, which are few tokens among those that are copied. Checkpoints, the log and the exported folder
lie in out/support-2m (`--out`). `tools/training.py` has the loop.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from rich.console import Console
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from guidance_kit.evaluation.records import Score, score
from guidance_kit.models.prompts import support_prompt
from tools import training
from tools.support_world import examples, record_text
from tools.training import END, PAD, Recipe, Row, Rows, Run

__all__ = ["begun", "evaluate", "main", "train_tokenizer"]

FIELDS, TEXT, RECORD = "<|fields|>", "<|text|>", "<|record|>"
# Eight tokens without a meaning yet, so that a model that is tuned later can give them one.
SPECIAL = (PAD, END, FIELDS, TEXT, RECORD, *(f"<|reserved_{i}|>" for i in range(8)))

STAGES = {
    1: ("train", Recipe()),
    2: ("wide", Recipe(seed=1, tokens=15_000_000, peak=2e-3, decay=0.8)),
    3: ("labels", Recipe(seed=2, tokens=9_000_000, peak=1.5e-3, decay=0.9)),
}
"""What each stage is trained on, a split of the world, and how."""


def train_tokenizer(recipe: Recipe, texts: int = 12_000) -> PreTrainedTokenizerFast:
    """Train the tokenizer on the first texts of the world."""
    source = examples("train", 0, texts, seed=recipe.seed)
    markers = re.compile("|".join(map(re.escape, SPECIAL)))
    plain = [markers.sub("\n", f"{support_prompt(e.text, e.schema)}{record_text(e.record)}") for e in source]
    return training.train_tokenizer(recipe, plain, SPECIAL)


def build_model(recipe: Recipe, tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """A Llama with fresh weights that says which prompts it wants."""
    return training.build_model(recipe, tokenizer, guidance_kit_prompt="support-v1")


def begun(recipe: Recipe, folder: Path) -> Run:
    """A later stage before its training: an exported model, with its tokenizer."""
    model = LlamaForCausalLM.from_pretrained(folder).float()
    return Run(recipe, PreTrainedTokenizerFast.from_pretrained(folder), model)


def rows_of(recipe: Recipe, tokenizer: PreTrainedTokenizerFast, split: str = "train") -> Rows:
    """Prompts of a split with their records, of which the records are to be predicted."""
    record = tokenizer.convert_tokens_to_ids(RECORD)

    def rows(start: int, stop: int) -> list[Row]:
        source = examples(split, start, stop, seed=recipe.seed)
        texts = [f"{support_prompt(e.text, e.schema)}{record_text(e.record)}{END}" for e in source]
        encoded: Any = tokenizer(texts, padding=False)["input_ids"]  # whatever the tokenizer was used for before
        return [(ids, ids.index(record) + 1) for ids in encoded]

    return rows


@torch.no_grad()
def evaluate(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, split: str, number: int, *, batch: int = 50
) -> tuple[Score, dict[str, Score]]:
    """Score greedy, unconstrained records of the first texts of a split: altogether, and by kind of text and schema."""
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
    return total, kinds


def _batched(items: list[Any], size: int) -> Iterator[list[Any]]:
    for first in range(0, len(items), size):
        yield items[first : first + size]


def judge(run: Run, final: bool) -> dict[str, Any]:
    """What the log says about a model."""
    line = {}
    for split in ("new_entities", "new_wordings"):
        total, kinds = evaluate(run.model, run.tokenizer, split, 300 if final else 60)
        usual = sum((v for k, v in kinds.items() if k.startswith("usual")), Score())
        line[split] = {
            "usual fields": round(usual.field_accuracy, 4),
            "usual records": round(usual.record_accuracy, 4),
            "fields": round(total.field_accuracy, 4),
            "records": round(total.record_accuracy, 4),
            "valid": round(total.valid_rate, 4),
            "kinds": {k: round(v.field_accuracy, 3) for k, v in sorted(kinds.items())},
        }
    return line


def main(
    out: Annotated[Path, typer.Option(help="Folder for checkpoints and the exported model.")] = Path("out/support-2m"),
    stage: Annotated[int, typer.Option(min=1, max=len(STAGES), help="Which stage to train.")] = 1,
    begin: Annotated[
        Path | None, typer.Option("--from", help="The exported model of the stage before, for the second and third.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of weights and texts.")] = None,
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
        run = training.load_checkpoint(out, build_model)
        training.export(run.model, run.tokenizer, to or out / "model")
        return
    if (begin is None) != (stage == 1):
        raise typer.BadParameter(f"stage {stage} {'begins with nothing' if begin else 'needs --from'}")
    split, usual = STAGES[stage]
    recipe = replace(
        usual,
        seed=usual.seed if seed is None else seed,
        tokens=tokens or (usual.tokens // 20 if fast else usual.tokens),
    )
    if begin:
        run = begun(recipe, begin)
    else:
        if resume and (out / "checkpoint.pt").exists():
            tokenizer = PreTrainedTokenizerFast.from_pretrained(out / "model")
        else:
            Console().print("training the tokenizer")
            tokenizer = train_tokenizer(recipe)
        run = Run(recipe, tokenizer, build_model(recipe, tokenizer))
    training.train(
        run, rows_of(recipe, run.tokenizer, split), out, judge=judge, minutes=minutes,
        resume=resume, every=every, compiler=training.compiler(use_compile),
    )  # fmt: skip


if __name__ == "__main__":
    typer.run(main)
