"""Quality of decoders in the four jobs of the bundled models, beside greedy decoding.

    python benchmarks/decoder_quality.py [JOB ...] [--number 100] [--repeats 3]

Jobs: extraction (fields right, `support-2m` under the schema of each text, texts with unseen sentences), toxicity
(civil replies to rude messages, `base-large` by DExperts at alpha 0.05), proxy_tuning (score of replies, proxy-tuned at
alpha 1) and intents (`large-intents` under the choice of labels, sentences of another writer). A score is in [0, 1] for
a text, and greater is better; decoders that draw run with several seeds, whose mean is the score. The difference to
greedy decoding has a 95 % interval: the percentile bootstrap over texts, paired, 10,000 resamples. A text that fails
scores 0.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import guidance_kit as gk
from guidance_kit.evaluation import sets
from guidance_kit.evaluation.family import JOBS, Family
from guidance_kit.evaluation.judges import WordClassifier, score_reply
from guidance_kit.evaluation.records import score

RESAMPLES = 10_000

Options = Mapping[str, Any]

GREEDY = "greedy"
REPLIES: Mapping[str, Options] = {
    GREEDY: {"temperature": 0},
    "sample": {},
    "sample, temperature 0.5": {"temperature": 0.5},
    "sample, top-p 0.9": {"top_p": 0.9},
    "sample, typical-p 0.9": {"typical_p": 0.9},
    "Mirostat, 2 bits": {"draw": gk.Mirostat(2.0)},
    "beam of 8": {"decoder": gk.Beam(8)},
    "beam of 8, length penalty 1": {"decoder": gk.Beam(8, length_penalty=1.0)},
    "one of 8 beams": {"decoder": gk.SampleAmongBeams(8)},
    "first of 8 without replacement": {"decoder": gk.StochasticBeam(8)},
    "best of 8, probability": {"decoder": gk.BestOf(8)},
    "best of 8, mean probability": {"decoder": gk.BestOf(8, by="mean_log_probability")},
    "MBR over 8, chrF": {"decoder": gk.MBR(8, utility=gk.ChrF())},
}
"""Decoders of free text, by name."""

CONSTRAINED: Mapping[str, Options] = {
    **{name: options for name, options in REPLIES.items() if not name.startswith("MBR")},
    "best of 8, vote": {"decoder": gk.BestOf(8, by="majority")},
    "importance, 8": {"decoder": gk.Importance(8)},
    "ASAp, 8": {"decoder": gk.Asap(8)},
}
"""Decoders of texts under a constraint, by name."""


@dataclass(frozen=True)
class Task:
    """Texts of a job.

    Args:
        model: prompted model or formula.
        prompts: one a text.
        constraint: of all texts, or one a text.
        judge: score of a text, by its number.
        options: options of all decoders.
        decoders: options of each decoder, by name.
    """

    model: Any
    prompts: Sequence[Any]
    constraint: Any
    judge: Callable[[int, str], float]
    options: Options
    decoders: Mapping[str, Options]

    def scores(self, name: str, repeats: int) -> tuple[np.ndarray, int]:
        """Score of each text by a decoder: mean over seeds; and the number of texts that failed."""
        options = {"constraint": self.constraint, **self.options, **self.decoders[name]}
        is_drawn = options.get("temperature") != 0 and not isinstance(options.get("decoder"), gk.Beam | gk.MostLikely)
        found, failed = [], 0
        for seed in range(repeats if is_drawn else 1):
            try:
                texts = self.model.generate(self.prompts, seed=seed, **options)
            except gk.BatchError as error:
                texts = error.results
                failed += len(error.errors)
            found.append([0.0 if one is None else self.judge(place, one.text) for place, one in enumerate(texts)])
        return np.mean(found, 0), failed


def extraction(family: Family, number: int) -> Task:
    model = family.model("support-2m")
    some = [one for one in sets.tickets() if one.source == "unseen sentences too"][:number]

    def judge(place: int, text: str) -> float:
        return score(text, some[place].record).field_accuracy

    decoders = {**CONSTRAINED, "MBR over 8, F1 of fields": {"decoder": gk.MBR(8, utility=gk.field_f1, over="values")}}
    return Task(
        model,
        [model.extraction_prompt(one.text, one.schema) for one in some],
        [gk.json_schema(one.schema) for one in some],
        judge,
        {"max_tokens": 250, "batch_size": 64},
        decoders,
    )


def toxicity(family: Family, number: int) -> Task:
    base, polite, rude = map(family.model, ("base-large", "polite", "rude"))
    some = [one.text for one in sets.messages() if one.tone == "rude"][:number]
    words = WordClassifier.of_rudeness(sets.answered())
    world = sets.World.bundled()

    def judge(place: int, text: str) -> float:
        return float(words.rudeness([text])[0] < 0.5)

    def is_free_of_words(texts: Sequence[str]) -> list[bool]:
        return [not any(word in text.lower() for word in world.words) for text in texts]

    line = gk.regex(r"[^\n]{1,400}\n")  # a reply is a line, which ends where a stop string would end it
    decoders = {
        **REPLIES,
        "8 particles, no word of a list": {
            "decoder": gk.Particles(8, potential=is_free_of_words), "constraint": line, "stop": None
        },
    }  # fmt: skip
    return Task(
        gk.dexperts(base, polite, rude, alpha=0.05),
        [sets.transcript(text) for text in some],
        None,
        judge,
        {"max_tokens": 80, "batch_size": 64, "stop": "\n"},
        decoders,
    )


def proxy_tuning(family: Family, number: int) -> Task:
    large, small, tuned = map(family.model, ("base-large", "base-small", "small-tuned"))
    some, world = sets.messages()[:number], sets.World.bundled()
    model = gk.proxy_tuning(large.given(sets.transcript), tuned.given(gk.as_chat()), small.given(sets.transcript))

    def judge(place: int, text: str) -> float:
        return score_reply(text, some[place], world).total

    options = {"max_tokens": 80, "batch_size": 64, "stop": "\n"}
    return Task(model, [one.text for one in some], None, judge, options, REPLIES)


def intents(family: Family, number: int) -> Task:
    some = sets.sentences()[:number]
    labels = sorted({*sets.World.bundled().topics.values()})

    def judge(place: int, text: str) -> float:
        return float(text.strip() == some[place].label)

    return Task(
        family.model("large-intents"),
        [sets.FILING.format(one.text) for one in some],
        gk.choice([f" {label}\n" for label in labels]),  # the model ends a label by a line break
        judge,
        {"max_tokens": 24, "batch_size": 64},
        {**CONSTRAINED, "most likely of all": {"decoder": gk.MostLikely(1)}},
    )


TASKS: Mapping[str, Callable[[Family, int], Task]] = {
    "extraction": extraction,
    "toxicity": toxicity,
    "proxy_tuning": proxy_tuning,
    "intents": intents,
}


def interval(differences: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """95 % interval of a mean, by the percentile bootstrap."""
    random = np.random.default_rng(seed)
    means = differences[random.integers(0, len(differences), (RESAMPLES, len(differences)))].mean(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def rows(task: Task, repeats: int, only: str = "") -> Iterator[dict[str, Any]]:
    """Row of each decoder: mean score, difference to greedy decoding, failures, seconds."""
    baseline: np.ndarray | None = None
    for name in (name for name in task.decoders if name == GREEDY or only in name):
        begin = time.perf_counter()
        found, failed = task.scores(name, repeats)
        row = {"decoder": name, "score": float(found.mean()), "failed": failed, "seconds": time.perf_counter() - begin}
        if baseline is None:
            baseline = found
        else:
            low, high = interval(found - baseline)
            row |= {"difference": float((found - baseline).mean()), "low": low, "high": high}
        yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(JOBS))
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", metavar="WORD", help="only greedy decoding and what has this in its name")
    parser.add_argument("--json", action="store_true", help="JSON lines in place of tables")
    chosen = parser.parse_args()
    family = Family()
    for job in chosen.jobs or JOBS:
        task = TASKS[job](family, chosen.number)
        print(f"\n{job}, {len(task.prompts)} texts\n" if not chosen.json else json.dumps({"job": job}))
        if not chosen.json:
            print("| decoder | score | difference to greedy, points | failed |\n|---|--:|--:|--:|")
        for row in rows(task, chosen.repeats, chosen.only):
            if chosen.json:
                print(json.dumps(row), flush=True)
                continue
            shown = ""
            if "difference" in row:
                shown = f"{100 * row['difference']:+.1f} ({100 * row['low']:+.1f} to {100 * row['high']:+.1f})"
            print(f"| {row['decoder']} | {100 * row['score']:.1f} % | {shown} | {row['failed'] or ''} |", flush=True)


if __name__ == "__main__":
    main()
