"""Power of the test for a watermark, by the length and the entropy of a text.

    python benchmarks/watermark_power.py [--texts 60]

By length and by entropy (the temperature changes it) for texts of base-large; and for constrained texts in which
most is fixed, by the naive detector, with the constraint replayed, and with the model's weights. Each cell has the
share of texts with a p-value of 1e-5 or less, and the median of -log10 p.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import median
from typing import Any

import torch
from marked_texts import KINDS, PROMPT, keyed, logs, marked_texts, own_key, share_found, z_of
from rich import box
from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.errors import UndecidableError

LENGTHS = (25, 50, 100, 200)
TEMPERATURES = (0.5, 0.7, 1.0, 1.3)
NAMES = ("green", "gumbel", "tournament")

FORM = gk.regex(
    r"\{\"reference number\": \"R-1\", \"department\": \"customer service\", \"note\": \"[A-Z][a-z ,]{24}\"\}"
    r"(, \{\"reference number\": \"R-1\", \"department\": \"customer service\", \"note\": \"[A-Z][a-z ,]{24}\"\}){4}"
)
"""Records of which all but the notes is fixed."""


def by_length(model: gk.Model, number: int) -> Table:
    """Power by tokens and temperature, with the mean entropy of a token."""
    table = Table("watermark", "temperature", "nats a token", *map(str, LENGTHS), box=box.MARKDOWN)
    for name in NAMES:
        for temperature in TEMPERATURES:
            watermark = keyed(number, **KINDS[name])
            options = {"temperature": temperature, "max_tokens": LENGTHS[-1], "min_tokens": LENGTHS[-1]}
            texts = marked_texts(model, number, watermark, **options)
            cells: list[str] = []
            for length in LENGTHS:
                found = [
                    p_value(text.tokens[:length], own_key(watermark, text), model, temperature=temperature)
                    for text in texts
                ]
                cells.append(f"{share_found(found):.0%}, {logs(found):.1f}")
            table.add_row(name, f"{temperature:g}", f"{entropy(model, texts, temperature):.2f}", *cells)
    return table


def p_value(tokens: Sequence[int], watermark: gk.Watermark, model: gk.Model, **options: Any) -> float:
    """P-value of a text; 1 for one without tokens that can be scored."""
    try:
        return gk.detect(tokens, watermark, model, prompt=PROMPT, significance=0.5, **options).p_value
    except UndecidableError:
        return 1.0


def entropy(model: gk.Model, texts: list[gk.Completion], temperature: float) -> float:
    """Mean entropy of the distributions from which tokens were drawn, in nats, over ten texts."""
    before, found = model.language_model.encode(PROMPT), list[float]()
    for text in texts[:10]:
        logits = model.language_model.logits([[*before, *text.tokens[:-1]]], len(text.tokens))[0]
        found.append(float(torch.distributions.Categorical(logits=logits / temperature).entropy().mean()))
    return sum(found) / len(found)


def on_records(model: gk.Model, number: int) -> Table:
    """Evidence in records: z of the median p-value, and the share found, for three detectors."""
    table = Table(
        "watermark",
        "tokens",
        "not forced",
        "with a weight",
        "naive z",
        "constraint replayed z",
        "and weighted z",
        "found",
        box=box.MARKDOWN,
    )
    for name in NAMES:
        watermark = keyed(number, **KINDS[name])
        texts = marked_texts(model, number, watermark, FORM, max_tokens=500, temperature=1.0)
        found: list[list[float]] = [[], [], []]
        free, weighty = list[float](), list[float]()
        for text in texts:
            key = own_key(watermark, text)
            replayed = gk.detect(text, key, model.vocabulary, constraint=FORM, significance=0.5)
            free.append(sum(one.status != "forced" for one in replayed.tokens) / len(replayed.tokens))
            weighted = gk.detect(text, key, model, constraint=FORM, prompt=PROMPT, significance=0.5)
            weighty.append(weighted.scored / len(text.tokens))
            naive = gk.detect(text, key, model.vocabulary, significance=0.5)
            for row, one in zip(found, (naive, replayed, weighted), strict=True):
                row.append(one.p_value)
        table.add_row(
            name, f"{median(len(text.tokens) for text in texts):.0f}", f"{median(free):.0%}",
            f"{median(weighty):.0%}", *(f"{z_of(median(row)):.1f}" for row in found),
            ", ".join(f"{share_found(row):.0%}" for row in found),
        )  # fmt: skip
    return table


def on_extracted(model: gk.Model, number: int) -> Table:
    """Evidence in the records of the support world, drawn at temperature 1: what a model is sure of holds no mark."""
    from guidance_kit.evaluation.sets import tickets

    table = Table("watermark", "records", "undecidable", "found", "-log10 p", box=box.MARKDOWN)
    some = tickets()[:number]
    constraints = [gk.json_schema(one.schema) for one in some]
    prompts = [model.extraction_prompt(one.text, one.schema) for one in some]
    for name in NAMES:
        watermark = keyed(1, **KINDS[name])
        options = {"complete": True, "max_tokens": 400, "temperature": 1.0, "seed": 0, "watermark": watermark}
        texts = model.generate(prompts, constraints, **options)
        found, undecidable = list[float](), 0
        for text, constraint, prompt in zip(texts, constraints, prompts, strict=True):
            try:
                found.append(gk.detect(text, watermark, model, constraint=constraint, prompt=prompt).p_value)
            except UndecidableError:
                undecidable += 1
        shown = (f"{share_found(found):.0%}", f"{logs(found):.1f}") if found else ("-", "-")
        table.add_row(name, str(number), str(undecidable), *shown)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=60)
    asked = parser.parse_args()
    model, out = gk.load("base-large"), Console(width=140)
    out.print(on_records(model, asked.texts))
    out.print(on_extracted(gk.load(), asked.texts))
    out.print(by_length(model, asked.texts))


if __name__ == "__main__":
    main()
