"""Train the bundled family for steering: seven small Llamas that read and write at a support desk, and a classifier.

From seeds, on what `tools/support_world` writes while training runs; nothing is downloaded. On one core:

    python -m tools.train_family                        # all of them, one after the other
    python -m tools.train_family --fast                 # minutes; for trying things out
    python -m tools.train_family base-small rude        # some of them; a base that is not in `--out` is the bundled one
    python -m tools.train_family --resume               # go on after an interruption

Checkpoints, logs and exported folders lie in out/family/NAME (`--out`); each exported model has its card. `--resume
--to guidance_kit/bundled` copies those that are finished to where `gk.load` finds them, and trains the others.
`guidance-kit evaluate --family out/family` measures what the family is for.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Any, cast

import torch
import typer
from rich.console import Console
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

import guidance_kit as gk
from guidance_kit.evaluation.judges import mean_score, perplexity
from guidance_kit.evaluation.sets import FILING, Message, World, transcript
from guidance_kit.models import TransformersModel
from guidance_kit.models.chat import chat_text
from tools.family import CLASSIFIER, COPIER, FAMILY, NUMBER, SMALL, Member
from tools.family_cards import card, classifier_card
from tools.support_world.conversations import INTENTS, STYLES, Conversation, conversations, document, topic
from tools.support_world.filings import filings, hurried
from tools.training import END, Row, Rows, Run, build_model, compiler, export, train, wrapped

__all__ = [
    "USER", "averaged", "begun", "main", "rows_of", "scores_of", "tokenizer_of_family", "train_classifier", "trained",
]  # fmt: skip

USER, ASSISTANT = "<|user|>", "<|assistant|>"
BUNDLED = Path(gk.__file__).resolve().parent / "bundled"

MEANINGS = {"<|reserved_0|>": USER, "<|reserved_1|>": ASSISTANT}
"""What tokens stand for that had no meaning in the tokenizer of `COPIER`."""

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|user|>' if message['role'] == 'user' else '<|assistant|>' }}{{ message['content'] }}"
    "{% if message['role'] != 'user' %}<|end|>{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tokenizer_of_family() -> PreTrainedTokenizerFast:
    """The tokenizer that all members share: that of `COPIER`, with tokens and a template for chats."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(BUNDLED / COPIER)
    written = tokenizer.backend_tokenizer.to_str()
    for token, meaning in MEANINGS.items():
        written = written.replace(json.dumps(token), json.dumps(meaning))
    return wrapped(Tokenizer.from_str(written), tokenizer.model_max_length, CHAT_TEMPLATE)


def rows_of(member: Member, tokenizer: PreTrainedTokenizerFast) -> Rows:
    """What a member is trained on, see `Member`."""
    assistant = tokenizer.convert_tokens_to_ids(ASSISTANT)

    def rows(start: int, stop: int) -> list[Row]:
        if member.files:
            return _filing_rows(tokenizer, start, stop, member.recipe.seed)
        source = list(conversations("train", start, stop, member.recipe.seed, style=STYLES[member.style]))
        if member.is_chat:
            texts = [f"{USER}{one.message}{ASSISTANT}{one.reply}{END}" for one in source]
            return [(ids, ids.index(assistant) + 1) for ids in _encoded(tokenizer, texts)]
        if member.is_base:
            return [(ids, 1) for ids in _encoded(tokenizer, [f"{document(one)}{END}" for one in source])]
        prompts = [transcript(one.message) for one in source]
        return _completed(tokenizer, prompts, [f"{one.reply}\n{END}" for one in source])

    return rows


def _filing_rows(tokenizer: PreTrainedTokenizerFast, start: int, stop: int, seed: int) -> list[Row]:
    """Messages and topics; the topics are predicted, and one message in twelve too, against learning by heart."""
    found = list(filings("wide", start, stop, seed))
    random = [Random(f"hurried:{seed}:{number}") for number in range(start, stop)]
    prompts = [FILING.format(hurried(one, drawn)) for one, drawn in zip(found, random, strict=True)]
    rows = _completed(tokenizer, prompts, [one.written for one in found])
    return [(ids, 1 if drawn.random() < 0.08 else begin) for (ids, begin), drawn in zip(rows, random, strict=True)]


def _completed(tokenizer: PreTrainedTokenizerFast, prompts: list[str], texts: list[str]) -> list[Row]:
    """Rows in which the texts are predicted, not the prompts before them."""
    whole = _encoded(tokenizer, [prompt + text for prompt, text in zip(prompts, texts, strict=True)])
    return [(ids, len(before)) for ids, before in zip(whole, _encoded(tokenizer, prompts), strict=True)]


def _encoded(tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> list[list[int]]:
    """Token ids, without padding, whatever the tokenizer was used for before."""
    ids: Any = tokenizer(texts, padding=False)["input_ids"]
    return ids


def train_classifier(folder: Path, replies: int) -> float:
    """Train the classifier of rude and civil replies, which answers after every token, and write it with its card.

    Args:
        replies: how many it learns from, those of whole conversations.
    Returns:
        The share of 500 replies, of conversations with unseen names and sentences, that it tells rightly when it has
        read them whole.
    """
    tokenizer = tokenizer_of_family()
    reader = TransformersModel(LlamaForCausalLM.from_pretrained(BUNDLED / COPIER), tokenizer)
    texts, labels = _replies("train", replies)
    console = Console()
    made = gk.train_prefix_classifier(
        reader, texts, labels, layers=2, width=64, epochs=2, seed=SMALL.seed,
        on_epoch=lambda epoch, loss: console.print(f"{CLASSIFIER}, epoch {epoch}: loss {loss:.4f}"),
    )  # fmt: skip
    right = 0
    held_out = list(zip(*_replies("new_wordings", 500), strict=True))
    for text, label in held_out:
        *tokens, last = reader.encode(text, with_special_tokens=False)
        found = made.of("rude").logprobs([tokens], torch.tensor([[last]]), reader.vocabulary)
        right += (found.item() > math.log(0.5)) == (label == "rude")
    cast(torch.nn.Module, made.model).half()
    made.save(folder)
    parameters, share = sum(p.numel() for p in made.model.parameters()), right / len(held_out)
    (folder / "MODEL_CARD.md").write_text(classifier_card(parameters, replies, share), encoding="utf-8")
    return share


def _replies(split: str, number: int) -> tuple[list[str], list[str]]:
    """Replies as they end, and whether they are rude."""
    source = list(conversations(split, 0, number, SMALL.seed + 1))
    return [f"{one.reply}\n" for one in source], ["rude" if one.reply_tone == "rude" else "civil" for one in source]


def begun(name: str, member: Member, out: Path) -> Run:
    """A member before its training."""
    tokenizer = tokenizer_of_family()
    if not member.base:
        return Run(member.recipe, tokenizer, build_model(member.recipe, tokenizer))
    folder = out / member.base / "model"
    if not folder.is_dir():
        folder = BUNDLED / member.base
    if not folder.is_dir():
        raise typer.BadParameter(f"{name} begins with {member.base}, which is not in {out}; train it first")
    Console().print(f"{name} begins with {folder}")
    # Training in bfloat16 on short texts takes a third less time than with the fused attention, whose gradient is slow.
    model = LlamaForCausalLM.from_pretrained(folder, attn_implementation="eager").float()
    return Run(member.recipe, tokenizer, model)


def scores_of(member: Member, run: Run, number: int) -> dict[str, float]:
    """How a member does on held-out messages: its loss on replies of its style, and the replies that it writes."""
    model = gk.Model(TransformersModel(run.model, run.tokenizer))
    if member.files:
        return {"intents found": _found(model, list(conversations("new_wordings", 0, number)))}
    world = World.bundled()
    source = list(conversations("new_wordings", 0, number, style=STYLES[member.style]))
    asked = [one.message for one in source]
    reads = model.given(gk.as_chat() if member.is_chat else transcript)
    options = {"max_tokens": 120, "stop": "\n", "batch_size": 100}
    sampled = reads.generate(asked, seed=0, **options)
    greedy = reads.generate(asked, temperature=0, **options)
    mean = mean_score([reply.text for reply in greedy], [_message(one) for one in source], world)
    if member.is_chat:
        read = [chat_text(run.tokenizer, [{"role": "user", "content": message}], {}) for message in asked]
    else:
        read = [transcript(message) for message in asked]
    scores = {
        "perplexity of held-out replies": perplexity(model, read, [one.reply for one in source]),
        "rude, of sampled replies": sum(world.is_rude(reply.text) for reply in sampled) / number,
        "polite, of greedy replies": mean.politeness,
        "right answer, of greedy replies": mean.answer,
        "details repeated by greedy replies": mean.details,
    }
    if member.is_base:
        scores["intents found"] = _found(model, source)
    return {name: round(value, 4) for name, value in scores.items()}


def _found(model: gk.Model, source: Sequence[Conversation]) -> float:
    """Share of the messages whose intent is the likeliest topic."""
    topics = [topic(intent) for intent in INTENTS]
    found = model.classify([one.message for one in source], topics, prompt=FILING.format)
    return sum(label.label == topic(one.intent) for label, one in zip(found, source, strict=True)) / len(source)


def _message(one: Conversation) -> Message:
    return Message(text=one.message, intent=one.intent, tone=one.tone, details=tuple(one.details.values()))


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Which models; all by default.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for checkpoints and exported models.")] = Path("out/family"),
    minutes: Annotated[float, typer.Option(help="End each model after this many minutes.")] = math.inf,
    fast: Annotated[bool, typer.Option("--fast", help="A run of minutes.")] = False,
    to: Annotated[Path | None, typer.Option(help="Copy the finished models to this folder.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoints.")] = False,
    every: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 240.0,
    threads: Annotated[int, typer.Option(help="Threads; 1 is faster than 2 where other work shares the cores.")] = 1,
    use_compile: Annotated[bool, typer.Option("--compile", help="Use torch.compile.")] = False,
) -> None:
    """Train the bundled family."""
    torch.set_num_threads(threads)
    transformers_logging.disable_progress_bar()
    for name in names or [*FAMILY, CLASSIFIER]:
        if name not in (*FAMILY, CLASSIFIER):
            raise typer.BadParameter(f"there is no model {name}, but {', '.join((*FAMILY, CLASSIFIER))}")
        exported = out / name / "model"
        if name == CLASSIFIER:
            train_classifier(exported, 1000 if fast else 12_000)
            _copy(exported, to)
            continue
        member = FAMILY[name]
        if fast:
            recipe = replace(member.recipe, tokens=member.recipe.tokens // 20)
            member = replace(member, recipe=recipe, shared=member.shared // 20)
        work = partial(train, minutes=minutes, resume=resume, every=every, compiler=compiler(use_compile))
        run, line = trained(name, member, out, work) if member.runs == 1 else averaged(name, member, out, work)
        (exported / "MODEL_CARD.md").write_text(card(name, run, line), encoding="utf-8")
        _copy(exported, to)


def trained(name: str, member: Member, out: Path, work: Callable[..., dict[str, Any]]) -> tuple[Run, dict[str, Any]]:
    """Train a member in one run, and export it.

    Args:
        work: `train`, told how long and how often.
    Returns:
        The run and the last line of its log.
    """
    run = begun(name, member, out)

    def judge(_: Run, final: bool) -> dict[str, Any]:
        return {"scores": scores_of(member, run, NUMBER if final else 40)}

    return run, work(run, rows_of(member, run.tokenizer), out / name, judge=judge)


def averaged(name: str, member: Member, out: Path, work: Callable[..., dict[str, Any]]) -> tuple[Run, dict[str, Any]]:
    """Train a member in several runs, each with texts of its own, and export the mean of their weights.

    What they share is trained at the highest rate, which each of them brings down. None of them is scored: only the
    mean meets what is held out.

    Source: Wortsman et al. 2022, "Model soups", arXiv:2203.05482; all weights count alike.
    """

    def part(folder: str, seed: int, **changed: Any) -> tuple[Run, int]:
        one = replace(member, recipe=replace(member.recipe, seed=seed, **changed))
        run = begun(name, one, out)
        if first is not None:
            run.model.load_state_dict(first.model.state_dict())
        line = work(run, rows_of(one, run.tokenizer), out / name / folder, judge=lambda *_: {})
        return run, line["tokens"]

    first, tokens, seed = None, 0, member.recipe.seed
    if member.shared:
        first, tokens = part("shared", seed + member.runs, tokens=member.shared, decay=1e-9)  # which is never reached
    mean = begun(name, member, out)
    runs = [part(f"run-{number}", seed + number) for number in range(member.runs)]
    tokens += sum(number for _, number in runs)
    states = [run.model.state_dict() for run, _ in runs]
    mean.model.load_state_dict({key: torch.stack([state[key] for state in states]).mean(0) for key in states[0]})
    export(mean.model.eval(), mean.tokenizer, out / name / "model")
    return mean, {"tokens": tokens, "scores": scores_of(member, mean, NUMBER)}


def _copy(exported: Path, to: Path | None) -> None:
    """Put a finished model where it is wanted."""
    if to is not None:
        shutil.copytree(exported, to / exported.parent.name, dirs_exist_ok=True)


if __name__ == "__main__":
    typer.run(main)
