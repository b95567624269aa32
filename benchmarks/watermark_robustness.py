"""Robustness of watermarks: evidence left after edits, and in texts of which a part is marked.

    python benchmarks/watermark_robustness.py [--texts 60] [--tokens 200]

Texts of base-large are edited and read again by its tokenizer. Each cell has the share of texts with a p-value
of 1e-5 or less and the median of -log10 p; the detector has the model, but not the original.

* synonym: a share of the tokens becomes the most likely other token of the model at its place.
* reorder: the words are cut into runs of the length named, which are shuffled.
* deletion: a share of the words is left out.
* splice: after each so many words, half as many words of an unmarked text are put in.
* mixed: one unmarked text with a marked part; "part" is the p-value of the scan.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from random import Random

import torch
from marked_texts import KINDS, LEVEL, PROMPT, keyed, logs, marked_texts, own_key, share_found
from rich import box
from rich.console import Console
from rich.table import Table

import guidance_kit as gk

Edit = Callable[[gk.Model, gk.Completion, str, Random], str]


def synonym(share: float) -> Edit:
    """Replacement of tokens by the most likely other ones."""

    def edit(model: gk.Model, text: gk.Completion, other: str, rng: Random) -> str:
        before, tokens = model.language_model.encode(PROMPT), list(text.tokens)
        whole = [*before, *tokens]
        logits = model.language_model.logits([whole[:-1]], len(tokens))[0]
        likely = logits.scatter(1, torch.tensor(tokens)[:, None], -torch.inf).argmax(1).tolist()
        for place in rng.sample(range(len(tokens)), round(share * len(tokens))):
            tokens[place] = likely[place]
        return model.vocabulary.text_of(tokens).decode(errors="replace")

    return edit


def reorder(length: int) -> Edit:
    """Shuffled runs of words."""

    def edit(model: gk.Model, text: gk.Completion, other: str, rng: Random) -> str:
        words = text.text.split(" ")
        runs = [words[start : start + length] for start in range(0, len(words), length)]
        rng.shuffle(runs)
        return " ".join(word for run in runs for word in run)

    return edit


def deletion(share: float) -> Edit:
    """Words left out."""

    def edit(model: gk.Model, text: gk.Completion, other: str, rng: Random) -> str:
        return " ".join(word for word in text.text.split(" ") if rng.random() >= share)

    return edit


def splice(every: int) -> Edit:
    """Words of an unmarked text between marked ones."""

    def edit(model: gk.Model, text: gk.Completion, other: str, rng: Random) -> str:
        words, foreign = text.text.split(" "), other.split(" ")
        mixed: list[str] = []
        for start in range(0, len(words), every):
            mixed += words[start : start + every]
            mixed += foreign[start // 2 : start // 2 + every // 2]
        return " ".join(mixed)

    return edit


EDITS: dict[str, Edit] = {
    "none": lambda model, text, other, rng: text.text,
    "synonym 10 %": synonym(0.1),
    "synonym 30 %": synonym(0.3),
    "synonym 50 %": synonym(0.5),
    "reorder, runs of 10": reorder(10),
    "reorder, runs of 3": reorder(3),
    "deletion 10 %": deletion(0.1),
    "deletion 30 %": deletion(0.3),
    "splice after 10 words": splice(10),
    "splice after 4 words": splice(4),
}


def edits(model: gk.Model, number: int, tokens: int) -> Table:
    """Evidence after each edit."""
    table = Table("edit", *KINDS, box=box.MARKDOWN)
    others = [one.text for one in marked_texts(model, number, None, max_tokens=tokens, min_tokens=tokens)]
    cells: dict[str, list[str]] = {name: [] for name in EDITS}
    for options in KINDS.values():
        watermark = keyed(number, **options)
        texts = marked_texts(model, number, watermark, max_tokens=tokens, min_tokens=tokens)
        for name, edit in EDITS.items():
            found: list[float] = []
            for place, text in enumerate(texts):
                edited = edit(model, text, others[place - 1], Random(place))
                key = own_key(watermark, text)
                found.append(gk.detect(edited, key, model, prompt=PROMPT, significance=0.5).p_value)
            cells[name].append(f"{share_found(found):.0%}, {logs(found):.1f}")
    for name, row in cells.items():
        table.add_row(name, *row)
    return table


def mixed(model: gk.Model, number: int, tokens: int) -> Table:
    """Evidence of texts with a marked part in the middle: by the whole text, by the scan, and by both."""
    table = Table("marked part", "watermark", "whole", "part", "marked at 1e-5", box=box.MARKDOWN)
    plain = marked_texts(model, number, None, max_tokens=2 * tokens, min_tokens=2 * tokens)
    for share in (1 / 2, 1 / 4, 1 / 8):
        length = round(share * 2 * tokens)
        for name in ("green", "gumbel", "tournament"):
            watermark = keyed(number, **KINDS[name])
            texts = marked_texts(model, number, watermark, max_tokens=length, min_tokens=length)
            whole, parts, marked = list[float](), list[float](), 0
            for place, text in enumerate(texts):
                around = plain[place - 1].tokens
                edge = (2 * tokens - length) // 2
                joined = [*around[:edge], *text.tokens, *around[edge : 2 * edge]]
                found = gk.detect(joined, own_key(watermark, text), model, prompt=PROMPT, significance=LEVEL)
                whole.append(found.p_value)
                parts.append(1.0 if found.part is None else found.part.p_value)
                marked += found.is_marked
            table.add_row(
                f"{length} of {2 * tokens} tokens", name, f"{share_found(whole):.0%}, {logs(whole):.1f}",
                f"{share_found(parts):.0%}, {logs(parts):.1f}", f"{marked / number:.0%}",
            )  # fmt: skip
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=60)
    parser.add_argument("--tokens", type=int, default=200)
    asked = parser.parse_args()
    model = gk.load("base-large")
    Console(width=140).print(edits(model, asked.texts, asked.tokens))
    Console(width=140).print(mixed(model, asked.texts, asked.tokens))


if __name__ == "__main__":
    main()
