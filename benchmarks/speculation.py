"""Speed of a steered, constrained large model with a draft, and the cost of the draft.

    python benchmarks/speculation.py [--parameters 200] [--tokens 48] [--rounds 3] [--dtype bfloat16] [--threads 1]
        [--acceptances 0.6 0.8 0.9] [--batches 1 8] [--steered]

There is no large trained model here. The bundled `base-large` is grown to the size asked for without a change of its
function: wider by dimensions that are 0, with more heads, wider and more layers whose outputs are 0, so that a step
costs what a model of that size costs. Noise on its output embeddings then lowers the agreement with the draft, until
the acceptance on the timed texts, four tokens ahead, is about as asked for; 0.9 is about that of the family as it is.
`small-tuned` and `base-small` stay as they are, so the draft is cheaper than usual (c).

- `plain`: the grown model alone, without steering. `vanilla`: large + (tuned - untuned) without a draft.
- `expert`: the same with draft="expert" and the number of tokens chosen by measured times.
- `formula`: (v(g+1) + c v'(g+1) + (g+1) c) (1 - b) / (1 - b^(g+1)) with all of them as measured, in plain steps.
- `nothing accepted`: a draft whose tokens are always rejected, over 256 tokens.
- `extraction`: with excerpts by the grown `support-2m`, without a draft, and with draft="excerpts": forced tokens,
  lookups by mask and by text.
- `assisted`: assisted generation of transformers, same draft and target, greedy, without steering, and ours.

With batch 1 four texts are generated one after the other. All take turns; a figure is the median of the rounds. With
one thread it is processor time, else wall time; both leave out the loading, and include the prompts.
"""

from __future__ import annotations

import argparse
import copy
import os
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any, cast

import torch
import transformers
from rich.console import Console
from rich.table import Table
from transformers import LlamaConfig, LlamaForCausalLM

import guidance_kit as gk
from guidance_kit.decoding.draft_length import expected_tokens
from guidance_kit.models import TransformersModel

MESSAGES = [
    "Wake up! You charged me twice for the toaster. The order number is 48213.", "My parcel 77 is late.",
    "Where is my lamp?", "The kettle broke.", "I want my money back.", "Is the shop open on Sunday?",
    "Hello, my invoice is wrong.", "Please cancel order 9914.",
]  # fmt: skip
TRANSCRIPT = "Customer: {}\nAgent: ".format
SCHEMA = {
    "type": "object",
    "properties": {
        name: {"type": "string"} for name in ("customer_name", "order_number", "product", "delivery_address")
    },
    "required": ["customer_name", "order_number", "product", "delivery_address"],
}
DOCUMENT = (
    "From: Maria Delgado. Order number 48213-AX-2291. The blue electric kettle with the long cable arrived broken. "
    "Please send another one to 17 Rue des Marronniers, 69002 Lyon, France."
)


WIDTHS = (1, 2, 3, 5, 9)
"""Numbers of positions of a call that are timed."""

Clock = Callable[[], float]


def grown(model: TransformersModel, parameters: int, dtype: torch.dtype) -> TransformersModel:
    """The same function with about so many million parameters."""
    old: Any = model.model.float()
    config = old.config
    width = 1024
    hidden = 2816
    per_layer = 4 * width * width + 3 * width * hidden
    layers = max(config.num_hidden_layers, round((parameters * 1e6 - config.vocab_size * width) / per_layer))
    heads = width // config.head_dim
    made: Any = LlamaForCausalLM(
        LlamaConfig(
            **{
                **config.to_dict(), "hidden_size": width, "intermediate_size": hidden, "num_hidden_layers": layers,
                "num_attention_heads": heads, "num_key_value_heads": heads, "tie_word_embeddings": False,
                "rms_norm_eps": config.rms_norm_eps * config.hidden_size / width,
            }
        )
    )  # fmt: skip
    share = (config.hidden_size / width) ** 0.5
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            is_output = name.endswith(("o_proj.weight", "down_proj.weight", "embed_tokens.weight", "lm_head.weight"))
            parameter.zero_() if is_output or "norm" in name else parameter.normal_(std=0.02)
            known = dict(old.named_parameters()).get("model.embed_tokens.weight" if "lm_head" in name else name)
            if known is None:
                continue
            if known.dim() == 1:
                parameter[: len(known)] = known * share
            else:
                parameter[: len(known)].zero_()
                parameter[: len(known), : known.shape[1]] = known
    return TransformersModel(made.to(dtype), model.tokenizer, name=f"grown {model.name}")


def disturbed(model: TransformersModel, scale: float) -> TransformersModel:
    """The model with noise on its output embeddings."""
    made: Any = copy.copy(model)
    weights: Any = copy.copy(model.model)
    weights._modules = dict(weights._modules)
    head: Any = copy.deepcopy(model.model.get_output_embeddings())
    weights._modules["lm_head"] = head
    noise = torch.randn(head.weight.shape, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        head.weight += (scale * head.weight.float().std() * noise).to(head.weight.dtype)
    return TransformersModel(weights, made.tokenizer, name="large")


def steered(large: TransformersModel, tuned: gk.Model, small: gk.Model) -> gk.Model:
    """Proxy-tuning of the grown model."""
    return gk.Model(large).given(TRANSCRIPT) + 1.0 * (tuned.given(gk.as_chat()) - small.given(TRANSCRIPT))


def timed(options: argparse.Namespace, batch: int) -> tuple[list[str], dict[str, Any]]:
    """Messages that are timed in batches of this size, and the options of their texts."""
    same = {"max_tokens": options.tokens, "min_tokens": options.tokens, "seed": 3}
    return MESSAGES[: max(4, batch)], same


def acceptance(texts: list[gk.Completion]) -> float:
    """Share of accepted tokens."""
    found = [one.speculation for one in texts if one.speculation]
    accepted = sum(one.accepted for one in found)
    return accepted / (accepted + sum(one.rejected for one in found))


def scale_for(
    options: argparse.Namespace, large: TransformersModel, tuned: gk.Model, small: gk.Model, wanted: float, batch: int
) -> float:
    """Noise with which the acceptance on the timed texts is nearest to the wanted one, by bisection."""
    given, same = timed(options, batch)
    low, high = 0.0, 4.0
    tried: list[tuple[float, float]] = []
    for _ in range(7):
        middle = (low + high) / 2
        formula = steered(disturbed(large, middle), tuned, small)
        found = acceptance(formula.generate(given, draft="expert", ahead=4, **same))
        tried.append((abs(found - wanted), middle))
        low, high = (middle, high) if found > wanted else (low, middle)
    return min(tried)[1]


def seconds(run: Callable[[], Any], clock: Clock) -> tuple[float, Any]:
    """Time of a call, and its result."""
    begin = clock()
    result = run()
    return clock() - begin, result


def tokens_of(result: Any) -> int:
    """Number of tokens of one text, or of several."""
    return sum(len(one.tokens) for one in (result if isinstance(result, list) else [result]))


def step_seconds(model: TransformersModel, width: int, clock: Clock, times: int = 5) -> float:
    """Time of a call for so many new positions after 48 tokens: median."""
    prefix = list(range(10, 58))
    found = []
    for turn in range(times):
        model.logits([prefix])
        block = [[*prefix, *range(100 + turn, 100 + turn + width)]]
        found.append(seconds(lambda block=block: model.logits(block, width), clock)[0])
    return statistics.median(found)


def medians(runs: dict[str, Callable[[], Any]], rounds: int, clock: Clock) -> dict[str, tuple[float, Any]]:
    """Median time of a token of each run, taken in turns, with a result of it."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    results: dict[str, Any] = {}
    for _ in range(rounds):
        for name, run in runs.items():
            taken, results[name] = seconds(run, clock)
            found[name].append(taken / tokens_of(results[name]))
    return {name: (statistics.median(times), results[name]) for name, times in found.items()}


def speculated(options: argparse.Namespace, large: TransformersModel, clock: Clock, out: Console) -> None:
    """Proxy-tuning with and without the expert as draft."""
    tuned, small = gk.load("small-tuned"), gk.load("base-small")
    names = (
        "acceptance",
        "batch",
        "c",
        "g",
        "plain ms",
        "vanilla ms",
        "expert ms",
        "x plain",
        "x vanilla",
        "/ formula",
    )
    table = Table(*names)
    for wanted in options.acceptances:
        v = {width: step_seconds(large, width, clock) for width in WIDTHS}
        w = {width: step_seconds(cast(TransformersModel, small.language_model), width, clock) for width in WIDTHS}
        for batch in options.batches:
            model = disturbed(large, scale_for(options, large, tuned, small, wanted, batch))
            table.add_row(*compared(options, model, steered(model, tuned, small), batch, v, w, clock))
        widths = ", ".join(f"{width}: {v[width] / v[1]:.2f}" for width in WIDTHS)
        out.print(f"v(k) / v(1): {widths}; v(1) {v[1] * 1e3:.1f} ms", highlight=False)
        out.print(table)  # so far


def compared(
    options: argparse.Namespace,
    model: TransformersModel,
    formula: gk.Model,
    batch: int,
    v: dict[int, float],
    w: dict[int, float],
    clock: Clock,
) -> list[str]:
    """One line of the table.

    Args:
        v, w: seconds of a call of the large and of a small model, by its number of positions.
    """
    given, same = timed(options, batch)
    same["batch_size"] = batch
    plain_model = gk.Model(model).given(TRANSCRIPT)
    found = medians(
        {
            "plain": lambda: plain_model.generate(given, **same),
            "vanilla": lambda: formula.generate(given, **same),
            "expert": lambda: formula.generate(given, draft="expert", **same),
        },
        options.rounds,
        clock,
    )
    statistics_of_texts = [one.speculation for one in found["expert"][1]]
    rate = acceptance(found["expert"][1])
    tokens_per_call = sum(one.tokens for one in statistics_of_texts) / sum(one.blocks for one in statistics_of_texts)
    ahead = min(range(17), key=lambda g: abs(expected_tokens(rate, g) - tokens_per_call))
    plain, vanilla, own = (found[name][0] for name in ("plain", "vanilla", "expert"))
    width = min(WIDTHS, key=lambda one: abs(one - ahead - 1))
    predicted = (v[width] + w[width] + width * w[1]) / expected_tokens(rate, width - 1)
    numbers = [f"{one * 1e3:.1f}" for one in (plain, vanilla, own)]
    ratios = [f"{plain / own:.2f}", f"{vanilla / own:.2f}", f"{own / predicted:.2f}" if batch == 1 else ""]
    return [f"{rate:.2f}", str(batch), f"{w[1] / v[1]:.2f}", str(ahead), *numbers, *ratios]


def others(options: argparse.Namespace, large: TransformersModel, clock: Clock, out: Console) -> None:
    """A draft that never helps, extraction by lookup, and assisted generation."""
    table = Table("figure", "without ms", "with ms", "with / without")
    model, small = gk.Model(large), gk.load("base-small")
    small_model: Any = small.language_model
    wrong = gk.Model(disturbed(small_model, 40.0))
    same: Any = {"max_tokens": 256, "min_tokens": 256, "seed": 3}
    runs = {
        "without": lambda: model.generate("Customer: Hello\nAgent: ", **same),
        "with": lambda: model.generate("Customer: Hello\nAgent: ", draft=wrong, **same),
    }
    found = medians(runs, max(1, options.rounds - 1), clock)
    rows = {"nothing accepted, 256 tokens": (found["without"][0], found["with"][0])}
    extractor = gk.Model(grown(gk.load().language_model, options.parameters, options.torch_dtype))  # pyright: ignore[reportArgumentType]
    prompt = extractor.extraction_prompt(DOCUMENT, SCHEMA)
    record = gk.json_schema(SCHEMA).excerpts_of(DOCUMENT)
    greedy: Any = {"temperature": 0, "max_tokens": 120}
    runs = {
        "without": lambda: extractor.generate(prompt, record, **greedy),
        "with": lambda: extractor.generate(prompt, record, draft="excerpts", **greedy),
    }
    found = medians(runs, options.rounds, clock)
    assert found["without"][1].text == found["with"][1].text
    rows['extraction with excerpts, draft="excerpts"'] = (found["without"][0], found["with"][0])
    tokens = torch.tensor([large.encode(TRANSCRIPT(MESSAGES[0]))])
    assistant: Any = small_model.model
    target: Any = large.model
    plain: Any = {"max_new_tokens": options.tokens, "min_new_tokens": options.tokens, "do_sample": False}
    own: Any = {"max_tokens": options.tokens, "min_tokens": options.tokens, "temperature": 0, "draft": small}

    def assisted() -> Any:
        text = target.generate(tokens, attention_mask=torch.ones_like(tokens), assistant_model=assistant, **plain)
        return argparse.Namespace(tokens=text[0, tokens.shape[1] :].tolist())

    found = medians(
        {"assisted": assisted, "ours": lambda: model.generate(tokens[0].tolist(), **own)}, options.rounds, clock
    )
    rows["greedy, base-small as draft: transformers' assisted generation, and ours"] = (
        found["assisted"][0], found["ours"][0],
    )  # fmt: skip
    for name, (before, after) in rows.items():
        table.add_row(name, f"{before * 1e3:.1f}", f"{after * 1e3:.1f}", f"{after / before:.2f}")
    out.print(table)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parameters", type=int, default=200, help="millions")
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--acceptances", type=float, nargs="*", default=[0.6, 0.8, 0.9])
    parser.add_argument("--batches", type=int, nargs="*", default=[1, 8])
    parser.add_argument("--steered", action="store_true", help="only the figures of proxy-tuning")
    options = parser.parse_args()
    options.torch_dtype = getattr(torch, options.dtype)
    torch.set_num_threads(options.threads)
    clock = time.process_time if options.threads == 1 else time.perf_counter
    out = Console(width=140)
    base: Any = gk.load("base-large").language_model
    large = grown(base, options.parameters, options.torch_dtype)
    exact = grown(gk.load("base-large").language_model, 60, torch.float32)  # pyright: ignore[reportArgumentType]
    prefix = [large.encode(TRANSCRIPT(MESSAGES[0]))]
    difference = (exact.logits(prefix) - gk.load("base-large").language_model.logits(prefix)).abs().max()
    count = sum(one.numel() for one in large.model.parameters()) / 1e6
    out.print(
        f"{count:.0f} million parameters, {options.dtype}; greatest change of a logit by growing to 60 million in "
        f"float32: {difference:.1e}; {platform.machine()}, {os.cpu_count()} cores, {options.threads} "
        f"thread(s), load {os.getloadavg()[0]:.0f}, Python {platform.python_version()}, torch {torch.__version__}, "
        f"transformers {transformers.__version__}",
        highlight=False,
    )
    if options.acceptances:
        speculated(options, large, clock, out)
    if not options.steered:
        others(options, large, clock, out)


if __name__ == "__main__":
    main()
