"""Cost of a step of each decoder and sampler, beside the sampling loop with as many rows and beside transformers.

    python benchmarks/decoders.py [--model NAME] [--rounds 7] [--width 8] [--tokens 48] [--only WORD] [--hidden N]

All alternate in one process, on one thread of the CPU, whose CPU time is measured: other work disturbs it less than
time on the clock, which is measured on a GPU. A step is the time of a text over its number of tokens: no text ends, as
the end of the sequence is forbidden. A ratio is the median over the rounds of the time of a decoder over that of the
loop at the head of its part: with as many rows, without a constraint or under one that allows nearly every token.
transformers has contrastive search, DoLa and groups of beams no more; their code is fetched from its hub.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import guidance_kit as gk

PROMPT = "My order 48213 never arrived. I paid 49.90 EUR for it, and nobody answers me. "

Run = Callable[[], object]


def is_good(texts: Sequence[str]) -> list[bool]:
    """Predicate that costs nothing and holds."""
    return [True] * len(texts)


def parts(model: gk.Model, width: int, tokens: int) -> list[dict[str, Run]]:
    """Runs by name; the first of each part is the loop with which the others are compared."""
    no_end = gk.LogitBias(dict.fromkeys(model.vocabulary.eos, -math.inf))
    long = gk.regex(rf"[\s\S]{{{20 * tokens},}}")

    def run(**options: Any) -> Run:
        fixed: dict[str, Any] = {"max_tokens": tokens, "guides": no_end, "seed": 1, "batch_size": 2 * width + 2}
        return lambda: model.generate(PROMPT, **(fixed | options))

    def dola(**options: Any) -> Run:
        layers = max(2, len(model.language_model.model.model.layers))  # pyright: ignore
        steered = gk.dola(model, model.early_exit(range(0, layers, 2)))
        fixed: dict[str, Any] = {"max_tokens": tokens, "seed": 1}
        return lambda: steered.generate(PROMPT, **(fixed | options))

    many = {
        f"loop, {width} samples": run(n=width),
        f"beam of {width}": run(decoder=gk.Beam(width)),
        f"beam of {width} in 4 groups": run(decoder=gk.Beam(width, groups=4)),
        f"one of {width} beams": run(decoder=gk.SampleAmongBeams(width)),
        f"{width - 1} without replacement": run(decoder=gk.StochasticBeam(width - 1)),
        f"best of {width} by probability": run(decoder=gk.BestOf(width)),
        f"best of {width} by vote": run(decoder=gk.BestOf(width, "majority")),
        f"MBR over {width}": run(decoder=gk.MBR(width)),
        f"MBR over {width}, aggregate": run(decoder=gk.MBR(width, aggregate=True)),
        f"{width} particles": run(decoder=gk.Particles(width, potential=is_good)),
        f"{width} particles by rejection": run(
            decoder=gk.Particles(width, potential=is_good, proposal="rejection")
        ),
    }  # fmt: skip
    constrained = {
        f"loop, {width} samples, constraint": run(n=width, constraint=long),
        f"beam of {width}, constraint": run(decoder=gk.Beam(width), constraint=long),
        f"importance, {width}, constraint": run(decoder=gk.Importance(width), constraint=long),
    }
    single = {
        "loop, 1 sample": run(),
        "typical_p": run(typical_p=0.9),
        "Mirostat": run(draw=gk.Mirostat()),
        "no repeated 3-grams": run(guides=[no_end, gk.NoRepeatNgrams(3)]),
        "contrastive search, k = 5": run(decoder=gk.ContrastiveSearch(5)),
    }
    bounded = {
        "loop, 1 sample, constraint": run(constraint=long),
        "DoLa, constraint": dola(constraint=long),
        "ASAp, 1 sample, constraint": run(decoder=gk.Asap(1), constraint=long),
    }
    own = model.language_model
    if isinstance(own, gk.TransformersModel):
        prompt = torch.tensor([own.encode(PROMPT)], device=own.model.device)
        fixed = {
            "max_new_tokens": tokens, "min_new_tokens": tokens, "pad_token_id": 0,
            "attention_mask": torch.ones_like(prompt),
        }  # fmt: skip

        def theirs(**options: Any) -> Run:
            return lambda: own.model.generate(prompt, **fixed, **options)  # pyright: ignore

        many[f"transformers, {width} samples"] = theirs(do_sample=True, num_return_sequences=width)
        many[f"transformers, beam of {width}"] = theirs(do_sample=False, num_beams=width)
        many[f"transformers, sampled beam of {width}"] = theirs(do_sample=True, num_beams=width)
        single["transformers, 1 sample"] = theirs(do_sample=True)
        single["transformers, typical_p"] = theirs(do_sample=True, typical_p=0.9)
        single["transformers, no repeated 3-grams"] = theirs(do_sample=True, no_repeat_ngram_size=3)
    return [many, constrained, single, bounded]


def measured(runs: Mapping[str, Run], rounds: int, tokens: int, clock: Callable[[], float]) -> dict[str, list[float]]:
    """Seconds a step of each run, in each round."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            begin = clock()
            run()
            if number:  # the first round warms up
                times[name].append((clock() - begin) / tokens)
    return times


def random_llama(hidden: int, device: str) -> gk.Model:
    """Random model of 8 layers with the bundled tokenizer, for steps that take longer."""
    torch.manual_seed(0)
    small = gk.load().language_model
    assert isinstance(small, gk.TransformersModel)
    config = LlamaConfig(
        vocab_size=small.rows, hidden_size=hidden, intermediate_size=11 * hidden // 4, num_hidden_layers=8,
        num_attention_heads=hidden // 64, eos_token_id=small.model.config.eos_token_id,
    )  # fmt: skip
    return gk.load(LlamaForCausalLM(config).to(device).eval(), tokenizer=small.tokenizer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--only", default="", metavar="WORD", help="only the loops and what has this in its name")
    parser.add_argument("--hidden", type=int, metavar="N", help="a random Llama of this width in place of a model")
    chosen = parser.parse_args()
    if chosen.hidden:
        model = random_llama(chosen.hidden, chosen.device)
    else:
        model = gk.load(chosen.model, device=chosen.device)
    torch.set_num_threads(1)
    clock = time.perf_counter if chosen.device.startswith("cuda") else time.thread_time
    print("| decoder | ms a step, median | ratio to the loop | lowest and highest ratio |\n|---|--:|--:|--:|")
    for part in parts(model, chosen.width, chosen.tokens):
        head = next(iter(part))
        runs = {name: run for name, run in part.items() if name == head or chosen.only in name}
        if len(runs) == 1:
            continue
        times = measured(runs, chosen.rounds, chosen.tokens, clock)
        for name, own in times.items():
            ratios = [one / other for one, other in zip(own, times[head], strict=True)]
            spread = f"{min(ratios):.2f} to {max(ratios):.2f}" if name != head else ""
            print(f"| {name} | {1000 * statistics.median(own):.2f} | {statistics.median(ratios):.2f} | {spread} |")


if __name__ == "__main__":
    main()
