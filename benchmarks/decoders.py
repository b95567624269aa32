"""Cost of a step of each decoder, beside the sampling loop with as many rows and beside beams of transformers.

    python benchmarks/decoders.py [--model NAME] [--rounds 7] [--width 8] [--tokens 48]

All alternate in one process. A step is the time of a text over its number of tokens: no text ends, as the end of the
sequence is forbidden. The ratio is the median over the rounds of the time of a decoder over that of the loop.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable

import torch

import guidance_kit as gk

PROMPT = "My order 48213 never arrived. I paid 49.90 EUR for it, and nobody answers me. "


def runs(model: gk.Model, width: int, tokens: int) -> dict[str, Callable[[], object]]:
    """Each decoder by name, and a run of it."""
    no_end = gk.LogitBias(dict.fromkeys(model.vocabulary.eos, -math.inf))
    options = {"max_tokens": tokens, "guides": no_end, "seed": 1, "batch_size": 2 * width + 2}
    decoders = {
        f"beam of {width}": gk.Beam(width),
        f"beam of {width} in 4 groups": gk.Beam(width, groups=4),
        f"{width - 1} without replacement": gk.StochasticBeam(width - 1),
        f"best of {width} by probability": gk.BestOf(width),
        f"best of {width} by vote": gk.BestOf(width, "majority"),
        f"MBR over {width}": gk.MBR(width),
        f"MBR over {width}, aggregate": gk.MBR(width, aggregate=True),
    }
    found: dict[str, Callable[[], object]] = {
        f"loop, {width} samples": lambda: model.generate(PROMPT, n=width, **options)
    }
    for name, decoder in decoders.items():
        found[name] = lambda decoder=decoder: model.generate(PROMPT, decoder=decoder, **options)
    own = model.language_model
    if isinstance(own, gk.TransformersModel):
        prompt = torch.tensor([own.encode(PROMPT)], device=own.model.device)
        fixed = {
            "max_new_tokens": tokens, "min_new_tokens": tokens, "pad_token_id": 0,
            "attention_mask": torch.ones_like(prompt),
        }  # fmt: skip
        found[f"transformers, {width} samples"] = lambda: own.model.generate(
            prompt, do_sample=True, num_return_sequences=width, **fixed
        )
        found[f"transformers, beam of {width}"] = lambda: own.model.generate(
            prompt, do_sample=False, num_beams=width, **fixed
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model")
    parser.add_argument("--device")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=48)
    chosen = parser.parse_args()
    model = gk.load(chosen.model, **({"device": chosen.device} if chosen.device else {}))
    every = runs(model, chosen.width, chosen.tokens)
    times: dict[str, list[float]] = {name: [] for name in every}
    for number in range(chosen.rounds + 1):
        for name, run in every.items():
            begin = time.perf_counter()
            run()
            if number:  # the first round warms up
                times[name].append((time.perf_counter() - begin) / chosen.tokens)
    loop = next(iter(times.values()))
    print("| decoder | ms a step, median | ratio to the loop | lowest and highest ratio |\n|---|--:|--:|--:|")
    for name, own in times.items():
        ratios = [one / other for one, other in zip(own, loop, strict=True)]
        middle = statistics.median(ratios)
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"| {name} | {1000 * statistics.median(own):.2f} | {middle:.2f} | {spread} |")


if __name__ == "__main__":
    main()
