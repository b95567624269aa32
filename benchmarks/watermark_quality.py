"""Quality cost of watermarks: perplexity, and the four jobs of the bundled models.

    python benchmarks/watermark_quality.py [--texts 100]

All texts are drawn at temperature 1, with keys that vary by text. In brackets: the difference from unmarked texts in
standard errors.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from marked_texts import PROMPT, keyed, marked_texts
from rich import box
from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.evaluation import sets
from guidance_kit.evaluation.family import Family
from guidance_kit.evaluation.judges import WordClassifier, score_reply
from guidance_kit.evaluation.records import score
from guidance_kit.steering.context import as_chat

MARKS: dict[str, dict[str, Any] | None] = {
    "none": None,
    "green, 1 nat": {"kind": "green", "bias": 1.0},
    "green, 2 nats": {"kind": "green", "bias": 2.0},
    "green, 4 nats": {"kind": "green", "bias": 4.0},
    "gumbel": {"kind": "gumbel"},
    "tournament": {"kind": "tournament"},
}
Values = Sequence[float]


def marked(options: dict[str, Any] | None, number: int) -> dict[str, Any]:
    """Option of `generate` for one row of the tables."""
    return {} if options is None else {"watermark": keyed(number, **options)}


def surprises(model: gk.Model, number: int, given: dict[str, Any]) -> Values:
    """Mean negative log-probability of the tokens of each text under the model, nats; their mean is ln perplexity."""
    texts = marked_texts(model, number, given.get("watermark"), max_tokens=150)
    scores = model.score([one.tokens for one in texts], [PROMPT] * number)
    return [-one.log_probability / len(text.tokens) for one, text in zip(scores, texts, strict=True)]


def fields_right(family: Family, number: int, given: dict[str, Any]) -> Values:
    """Share of the fields of each record that are right, under the schema with excerpts."""
    model, some = family.model("support-2m"), sets.tickets()[:number]
    constraints = [gk.json_schema(one.schema, excerpts_of=one.text) for one in some]
    prompts = [model.extraction_prompt(one.text, one.schema) for one in some]
    texts = model.generate(prompts, constraints, complete=True, max_tokens=400, batch_size=25, seed=1, **given)
    return [score(text.text, one.record).field_accuracy for text, one in zip(texts, some, strict=True)]


def rude_replies(family: Family, number: int, given: dict[str, Any]) -> Values:
    """Probability of rudeness of each reply to a rude message, steered by DExperts with alpha 1."""
    messages = [one.text for one in sets.messages() if one.tone == "rude"][:number]
    steered = gk.dexperts(*(family.model(name) for name in ("base-large", "polite", "rude")), alpha=1.0)
    prompts = [sets.transcript(message) for message in messages]
    texts = steered.generate(prompts, max_tokens=120, stop="\n", batch_size=100, seed=1, **given)
    judge = WordClassifier.of_rudeness(sets.answered())
    column = judge.labels.index("rude")
    return [row[column] for row in judge.probabilities([one.text for one in texts])]


def reply_scores(family: Family, number: int, given: dict[str, Any]) -> Values:
    """Score of each reply of the large model, tuned by the small one."""
    some, world = sets.messages()[:number], sets.World.bundled()
    large, tuned, small = (family.model(name) for name in ("base-large", "small-tuned", "base-small"))
    proxy = gk.proxy_tuning(large.given(sets.transcript), tuned.given(as_chat()), small.given(sets.transcript))
    texts = proxy.generate([one.text for one in some], max_tokens=120, stop="\n", batch_size=100, seed=1, **given)
    return [score_reply(text.text, one, world).total for text, one in zip(texts, some, strict=True)]


def intents_right(family: Family, number: int, given: dict[str, Any]) -> Values:
    """Written intents that are right, among the names of all."""
    topics = sets.World.bundled().topics
    some = sets.messages()[:number]
    constraint = gk.choice([f" {name}" for name in topics.values()])
    prompts = [sets.FILING.format(one.text) for one in some]
    texts = family.model("large-intents").generate(prompts, constraint, batch_size=100, seed=1, **given)
    return [float(text.text.strip() == topics[one.intent]) for text, one in zip(texts, some, strict=True)]


def quality(number: int) -> Table:
    """Means of all measures for each watermark, with z beside the unmarked texts."""
    family = Family()
    model = family.model("base-large")
    measures = {
        "nats a token": lambda given: surprises(model, number, given),
        "fields right": lambda given: fields_right(family, number, given),
        "rudeness, steered": lambda given: rude_replies(family, number, given),
        "reply score, proxy-tuned": lambda given: reply_scores(family, number, given),
        "intents right": lambda given: intents_right(family, number, given),
    }
    table = Table("watermark", *measures, box=box.MARKDOWN)
    unmarked: dict[str, np.ndarray] = {}
    for name, options in MARKS.items():
        cells: list[str] = []
        for measure, values in measures.items():
            found = np.array(values(marked(options, number)))
            base = unmarked.setdefault(measure, found)
            error = math.sqrt(found.var(ddof=1) / len(found) + base.var(ddof=1) / len(base))
            z = (found.mean() - base.mean()) / error if error else 0.0
            cells.append(f"{found.mean():.3f}" + ("" if options is None else f" ({z:+.1f})"))
        table.add_row(name, *cells)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=100)
    Console(width=140).print(quality(parser.parse_args().texts))


if __name__ == "__main__":
    main()
