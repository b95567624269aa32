"""Tokens a call and time of trees of drafts, early layers and a bounded cache, on the bundled model.

python -m benchmarks.tree_drafts

Records of held-out messages, greedy, on one thread; the texts of exact kinds are compared with those without a draft.
"""

from __future__ import annotations

import argparse
import platform
import time
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


def main() -> None:
    """Print the table, a row a draft."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=6)
    parser.add_argument("--tokens", type=int, default=48)
    given = parser.parse_args()
    torch.set_num_threads(1)
    model = gk.load("support-2m")
    prompts = [support_prompt(one.text, one.schema) for one in examples("wide", 100_000, 100_000 + given.texts, seed=3)]
    print(f"{platform.machine()}, torch {torch.__version__}, {given.texts} texts of at most {given.tokens} tokens")
    print("| draft | tokens a call | accepted | processor time against none | same texts |")
    print("|---|--:|--:|--:|---|")
    alone: tuple[float, list[gk.Completion]] | None = None
    for name, options in kinds(model).items():
        begin = time.process_time()
        texts = [model.generate(prompt, temperature=0, max_tokens=given.tokens, **options) for prompt in prompts]
        seconds = time.process_time() - begin
        alone = alone or (seconds, texts)
        found = [one.speculation for one in texts if one.speculation is not None]
        calls, tokens = sum(one.blocks for one in found), sum(one.tokens for one in found)
        good, bad = sum(one.accepted for one in found), sum(one.rejected for one in found)
        same = sum(one.tokens == other.tokens for one, other in zip(texts, alone[1], strict=True))
        print(
            f"| {name} | {tokens / calls if calls else 1:.2f} | {good / max(1, good + bad):.2f} | "
            f"{seconds / alone[0]:.2f} | {same} of {len(texts)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
