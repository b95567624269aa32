"""Train the bundled model `tracker`, which follows a shuffled object: `guidance-kit evaluate reasoning` measures it.

    python -m tools.train_tracker                 # one thread, half an hour
    python -m tools.train_tracker --tokens 100000 # for trying things out
    python -m tools.train_tracker --export-only --to guidance_kit/bundled/tracker

One model learns all modes, with the same steps for all, and with an equal number of tokens for each in every 1,024
rows. Checkpoints, the log and the exported folder lie in out/tracker (`--out`). `tools/training.py` has the loop.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from guidance_kit.evaluation.shuffled_objects import MODES, Mode, ShuffledObject, held_out, training_problems
from guidance_kit.thinking import BEGIN, BETWEEN, END, SKETCHED
from tools import training
from tools.training import PAD, Recipe, Row, Rows, Run

__all__ = ["RECIPE", "balanced", "main", "rows_of", "train_tokenizer"]

RECIPE = Recipe(tokens=8_000_000, vocabulary=384, hidden=128, layers=3, heads=4, context=512, warmup=0.04, decay=0.55)

SPECIAL = (PAD, training.END)


def train_tokenizer(recipe: Recipe, problems: int = 2_000) -> PreTrainedTokenizerFast:
    """Train the tokenizer on the texts of the first problems."""
    some = training_problems(0, problems, seed=recipe.seed)
    texts = ["".join(part for parts in _texts(one, mode) for part in parts) for one in some for mode in MODES]
    return training.train_tokenizer(recipe, texts, SPECIAL)


def rows_of(recipe: Recipe, tokenizer: PreTrainedTokenizerFast) -> Rows:
    """Rows of training problems, as many tokens of each mode."""
    end = tokenizer.get_vocab()[training.END]

    def rows(start: int, stop: int) -> list[Row]:
        problems = training_problems(start, stop, seed=recipe.seed)
        return list(itertools.chain.from_iterable(rows for _, rows in balanced(problems, tokenizer, end)))

    return rows


def balanced(
    problems: list[ShuffledObject], tokenizer: PreTrainedTokenizerFast, end: int
) -> list[tuple[Mode, list[Row]]]:
    """Rows of each problem in one mode: that which has had the fewest tokens so far."""
    seen = dict.fromkeys(MODES, 0)
    found: list[tuple[Mode, list[Row]]] = []
    for one in problems:
        mode = min(MODES, key=seen.__getitem__)
        rows = [_row(given, wanted, tokenizer, end) for given, wanted in _texts(one, mode)]
        seen[mode] += sum(len(tokens) for tokens, _ in rows)
        found.append((mode, rows))
    return found


def _texts(one: ShuffledObject, mode: Mode) -> list[tuple[str, str]]:
    """Pairs of a prompt and what is to be predicted after it."""
    prompt = one.prompt(mode)
    if mode == "schema at once":
        return [(prompt, one.record_text)]
    if mode == "thoughts first":
        return [(prompt + BEGIN, f"{one.thoughts}{END}{BETWEEN}{one.record_text}")]
    return [(prompt, one.sketch), (f"{prompt}{one.sketch}{SKETCHED}", one.record_text)]


def _row(given: str, wanted: str, tokenizer: PreTrainedTokenizerFast, end: int) -> Row:
    before, after = (tokenizer(text, padding=False)["input_ids"] for text in (given, wanted))
    return [*before, *after, end], len(before)


@torch.no_grad()
def judge(run: Run, final: bool) -> dict[str, Any]:
    """Share of held-out problems whose texts are predicted without an error, in each mode, teacher-forced."""
    end = run.tokenizer.get_vocab()[training.END]
    line: dict[str, Any] = {}
    for mode in MODES:
        right: list[bool] = []
        for one in held_out(50 if final else 10):
            exact = True
            for given, wanted in _texts(one, mode):
                tokens, begin = _row(given, wanted, run.tokenizer, end)
                logits = run.model(torch.tensor([tokens[:-1]])).logits[0, begin - 1 :]
                exact &= logits.argmax(-1).tolist() == tokens[begin:]
            right.append(exact)
        line[mode] = sum(right) / len(right)
    return line


def main(
    out: Annotated[Path, typer.Option(help="Folder for checkpoints and the exported model.")] = Path("out/tracker"),
    tokens: Annotated[int, typer.Option(help="Tokens to train on.")] = RECIPE.tokens,
    minutes: Annotated[float, typer.Option(help="End after this many minutes.")] = math.inf,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
    every: Annotated[float, typer.Option(help="Seconds between evaluations.")] = 240.0,
    export_only: Annotated[
        bool, typer.Option("--export-only", help="Do not train; write the checkpoint's model.")
    ] = False,
    to: Annotated[Path | None, typer.Option(help="With --export-only: the folder to write.")] = None,
) -> None:
    """Train the model that follows a shuffled object."""
    torch.set_num_threads(1)
    transformers_logging.disable_progress_bar()
    if export_only:
        run = training.load_checkpoint(out, training.build_model)
        training.export(run.model, run.tokenizer, to or out / "model")
        return
    recipe = replace(RECIPE, tokens=tokens)
    if resume and (out / "checkpoint.pt").exists():
        tokenizer = PreTrainedTokenizerFast.from_pretrained(out / "model")
    else:
        tokenizer = train_tokenizer(recipe)
    model: LlamaForCausalLM = training.build_model(recipe, tokenizer)
    run = Run(recipe, tokenizer, model)
    training.train(run, rows_of(recipe, tokenizer), out, judge=judge, minutes=minutes, resume=resume, every=every)


if __name__ == "__main__":
    typer.run(main)
