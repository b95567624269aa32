"""Tokens a call and time of trees of drafts, early layers and a bounded cache, on the bundled model.

python -m benchmarks.tree_drafts --repeat 3

Extraction of held-out messages, greedy and under their schemas; each kind of draft beside none, alternating. The texts
of all exact kinds are compared with those without a draft.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Sequence
from typing import Any

import torch

import guidance_kit as gk
from guidance_kit.models.prompts import support_prompt
from tools.support_world import examples


def kinds(model: gk.Model) -> dict[str, dict[str, Any]]:
    """Options of each kind of draft."""
    heads = gk.DraftHeads.load("support-2m")
    early = model.early_layers(2)
    return {
        "none": {},
        "early layers, 2 of 4": {"draft": early, "ahead": 3},
        "bounded cache, 64": {"draft": model.bounded_cache(window=64), "ahead": 3},
        "chain: early layers, bounded cache": {"draft": [early, model.bounded_cache(window=64)], "ahead": 3},
        "LookupTree": {"draft": gk.LookupTree(), "ahead": 6},
        "LookaheadTree": {"draft": gk.LookaheadTree(), "ahead": 5},
        "ModelTree, early layers": {"draft": gk.ModelTree(early, (3, 2, 1)), "ahead": 3},
        "HeadTree": {"draft": gk.HeadTree(heads), "ahead": 4},
        "HeadTree, ahead=None": {"draft": gk.HeadTree(heads)},
        "HeadTree, typical acceptance (lossy)": {
            "draft": gk.HeadTree(heads, acceptance=gk.TypicalAcceptance()), "ahead": 4,
        },
    }  # fmt: skip


def run(model: gk.Model, prompts: Sequence[str], schemas: Sequence[Any], options: dict[str, Any]) -> tuple[float, Any]:
    """Seconds, and the texts."""
    begin = time.perf_counter()
    texts = [
        model.generate(prompt, gk.json_schema(schema), temperature=0, max_tokens=160, **options)
        for prompt, schema in zip(prompts, schemas, strict=True)
    ]
    return time.perf_counter() - begin, texts


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=12)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    model = gk.load("support-2m")
    source = list(examples("wide", 100_000, 100_000 + given.texts, seed=3))
    prompts = [support_prompt(one.text, one.schema) for one in source]
    schemas = [one.schema for one in source]
    all_kinds = kinds(model)
    seconds: dict[str, list[float]] = {name: [] for name in all_kinds}
    texts: dict[str, Any] = {}
    for options in all_kinds.values():
        run(model, prompts[:2], schemas[:2], options)
    for _ in range(given.repeat):
        for name, options in all_kinds.items():
            took, texts[name] = run(model, prompts, schemas, options)
            seconds[name].append(took)
    print(f"{platform.processor() or platform.machine()}, torch {torch.__version__}, {torch.get_num_threads()} threads")
    print("| draft | tokens a call | accepted | time against none | same texts |")
    print("|---|--:|--:|--:|---|")
    for name, own in texts.items():
        found = [one.speculation for one in own if one.speculation is not None]
        calls, tokens = sum(one.blocks for one in found), sum(one.tokens for one in found)
        good, bad = sum(one.accepted for one in found), sum(one.rejected for one in found)
        ratio = statistics.median(seconds[name]) / statistics.median(seconds["none"])
        same = sum(one.tokens == other.tokens for one, other in zip(own, texts["none"], strict=True))
        print(
            f"| {name} | {tokens / calls if calls else 1:.2f} | {good / max(1, good + bad):.2f} | {ratio:.2f} | "
            f"{same} of {len(own)} |"
        )


if __name__ == "__main__":
    main()
