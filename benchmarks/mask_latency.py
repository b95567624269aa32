"""How long does a mask take, the first one and the others, for us and for the peers?

    python benchmarks/mask_latency.py                       the JSON examples and the regexes
    python benchmarks/mask_latency.py --maskbench 1000      schemas of MaskBench with their valid instances

One process, one thread, one vocabulary; the engines take turns on every case, in rotating order. For every case the
constraint is compiled from its text and a text of the language is followed token by token; a mask is computed before
each token. Then the text is followed once more with what was computed before ("warm"). An engine that refuses the
constraint, or the text, or needs more than --patience seconds, is left out of that case and counted.

Needs the extra `bench` and GUIDANCE_KIT_DATA (the tokenizer; MaskBench).
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from loading import load_qwen, maskbench
from peers import ENGINES, Engine
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

EXAMPLES: list[tuple[str, dict, Any]] = [
    (
        "ticket",
        {
            "type": "object",
            "properties": {
                "intent": {"enum": ["refund", "delivery", "complaint", "question"]},
                "name": {"type": "string"},
                "order": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4,6}$"},
                "amount": {"type": "number", "minimum": 0},
                "date": {"type": "string", "format": "date"},
                "urgent": {"type": "boolean"},
            },
            "required": ["intent", "name"],
            "additionalProperties": False,
        },
        {
            "intent": "refund",
            "name": "Ada Lovelace",
            "order": "AB-12345",
            "amount": 19.5,
            "date": "2024-02-29",
            "urgent": True,
        },
    ),
    (
        "order",
        {
            "type": "object",
            "properties": {
                "customer": {"$ref": "#/$defs/person"},
                "items": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 50,
                    "items": {
                        "type": "object",
                        "properties": {
                            "sku": {"type": "string", "maxLength": 20},
                            "quantity": {"type": "integer", "minimum": 1, "maximum": 999},
                            "note": {"type": "string"},
                        },
                        "required": ["sku", "quantity"],
                    },
                },
            },
            "required": ["customer", "items"],
            "$defs": {
                "person": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "email": {"type": "string", "format": "email"}},
                    "required": ["name"],
                }
            },
        },
        {
            "customer": {"name": "Zoë Müller", "email": "zoe@example.org"},
            "items": [
                {"sku": "A-1", "quantity": 2, "note": "gift wrapped, please"},
                {"sku": "ZX-99/b", "quantity": 120},
            ],
        },
    ),
    (
        "tree",
        {
            "$ref": "#/$defs/node",
            "$defs": {
                "node": {
                    "type": "object",
                    "properties": {
                        "value": {"type": ["integer", "string", "null"]},
                        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                    },
                    "required": ["value"],
                    "additionalProperties": False,
                }
            },
        },
        {"value": 1, "children": [{"value": "two", "children": [{"value": None}]}, {"value": -3, "children": []}]},
    ),
    (
        "any JSON",
        {},
        {"name": "Ünicode \"quoted\" text", "list": [1, 2.5e10, [], {}], "nested": {"a": {"b": [None, True, False]}}},
    ),
    (
        "long text",
        {"type": "object", "properties": {"summary": {"type": "string", "maxLength": 2000}}, "required": ["summary"]},
        {"summary": "The customer asks for a refund of two tickets that were booked for the wrong day. " * 8},
    ),
]  # fmt: skip

REGEXES: list[tuple[str, str]] = [
    (r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "2024-02-29"),
    (r"(19|20)\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ", "2024-02-29T12:30:59Z"),
    (r"\+?[1-9][0-9]{7,14}", "+4915112345678"),
    (r"\(?[0-9]{3}\)?[-. ]?[0-9]{3}[-. ]?[0-9]{4}", "(555) 123-4567"),
    (r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}", "ada.lovelace@example.org"),
    (r"https?://[a-zA-Z0-9.-]+(:[0-9]+)?(/[^\s]*)?", "https://example.org:8080/a/b?c=d"),
    (r"([0-9]{1,3}\.){3}[0-9]{1,3}", "192.168.100.1"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "123e4567-e89b-12d3-a456-426614174000"),
    (r"#[0-9a-fA-F]{6}", "#A0b1C2"),
    (r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", "-12.5e+10"),
    (r"\$[0-9]{1,3}(,[0-9]{3})*(\.[0-9]{2})?", "$1,234,567.89"),
    (r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", "SGVsbG8gV29ybGQhIFRoaXMgaXM="),
    (r"(\w+\s){1,40}", "the quick brown fox jumps over the lazy dog "),
    (r".{0,1000}", "Any text of one line, with at most a thousand characters."),
    (r"<think>[^<]{0,500}</think>(yes|no)", "<think>Let me see what this is about.</think>yes"),
    (r"(red|green|blue|yellow|orange|purple|black|white)", "orange"),
    (r"[A-Z][a-z]+( [A-Z][a-z]+){1,3}", "Ada King Lovelace"),
    (r"\"([^\"\\]|\\[\"\\/bfnrt])*\"", '"A JSON string with \\"quotes\\" in it"'),
    (r"(?:[01]?\d|2[0-3]):[0-5]\d( ?[AaPp][Mm])?", "11:45 pm"),
    (r"\s*(def|class) [a-z_]+\(([a-z_]+(, [a-z_]+)*)?\):", "def load_file(path, mode):"),
]


@dataclass
class Times:
    """Seconds that one engine took."""

    first: list[float] = field(default_factory=list)
    masks: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    takes: list[float] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    refused: int = 0
    rejected: int = 0
    slow: int = 0


def measure(
    engine: Engine, kind: str, source: Any, tokens: list[int], times: Times, case: int, patience: float
) -> None:
    """Compile, then a mask before every token; all of that is new to the engine. Then the masks once more."""
    clock = time.perf_counter
    begin = clock()
    try:
        session = engine.schema(source) if kind == "schema" else engine.regex(source)
        session.mask()
    except Exception:  # a peer's way to refuse; any error is one
        times.refused += 1
        return
    first = clock() - begin
    if first > patience:
        times.slow += 1
        return
    masks, takes = [], []
    for token in tokens:
        begin = clock()
        session.mask()
        middle = clock()
        accepted = session.take(token)
        takes.append(clock() - middle)
        masks.append(middle - begin)
        if not accepted:
            times.rejected += 1
            return
    times.first.append(first)
    times.masks.extend(masks[1:])  # the first one is in `first`
    times.takes.extend(takes)
    times.done.add(case)
    session.again()
    for token in tokens:
        begin = clock()
        session.mask()
        times.warm.append(clock() - begin)
        session.take(token)


FIGURES: dict[str, Callable[[np.ndarray], Any]] = {
    "mean": np.mean,
    "p50": np.median,
    "p99": lambda values: np.percentile(values, 99),
    "p99.9": lambda values: np.percentile(values, 99.9),
    "max": np.max,
}
SHOWN = {
    "first": ("first mask", ("mean", "p50", "p99")),
    "masks": ("mask", ("mean", "p50", "p99", "p99.9", "max")),
    "warm": ("warm", ("mean", "p50", "p99")),
    "takes": ("take", ("mean",)),
}
"""The figures of each kind of time."""


def figures(values: list[float], names: Sequence[str]) -> list[str]:
    """Some of FIGURES, in microseconds."""
    array = np.array(values) * 1e6
    return [f"{FIGURES[name](array):,.1f}" if values else "-" for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maskbench", type=int, default=0, metavar="N", help="use N schemas of MaskBench")
    parser.add_argument("--rounds", type=int, default=5, help="times that each case is repeated (default: 5)")
    parser.add_argument("--engines", default=",".join(engine.name for engine in ENGINES))
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the distributions too")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds for a first mask (default: 10)")
    options = parser.parse_args()
    tokenizer, vocabulary = load_qwen()
    chosen = options.engines.split(",")
    engines = [engine(vocabulary, tokenizer) for engine in ENGINES if engine.name in chosen]
    console = Console(width=220)
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "llguidance", "xgrammar", "outlines-core"))
    console.print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}")
    groups: list[tuple[str, str, list]] = (
        [("MaskBench", "schema", maskbench(options.maskbench))]
        if options.maskbench
        else [("JSON examples", "schema", EXAMPLES), ("regexes", "regex", [(p, p, t) for p, t in REGEXES])]
    )
    drawn: dict[str, dict[str, Times]] = {}
    for title, kind, cases in groups:
        times = {engine.name: Times() for engine in engines}
        single: dict[tuple[int, str], Times] = {}
        work = [(i, case) for i in range(1 if options.maskbench else options.rounds) for case in enumerate(cases)]
        for turn, (_, (number, (_, source, instance))) in enumerate(track(work, title, console=console)):
            text = json.dumps(instance, ensure_ascii=False) if kind == "schema" else instance
            tokens = tokenizer.encode(text, add_special_tokens=False)
            for k in range(len(engines)):
                engine = engines[(turn + k) % len(engines)]
                mine = single.setdefault((number, engine.name), Times())
                if mine.slow or mine.refused:
                    continue
                gc.collect()
                measure(engine, kind, source, tokens, mine, number, options.patience)
        done = [
            {number for (number, name), t in single.items() if name == engine.name and t.done} for engine in engines
        ]
        common = set.intersection(*done) if options.maskbench else set.union(*done)
        for (number, name), mine in single.items():
            total = times[name]
            for attribute in SHOWN if number in common else ():
                getattr(total, attribute).extend(getattr(mine, attribute))
            total.done |= mine.done
            total.refused += bool(mine.refused)
            total.rejected += bool(mine.rejected)
            total.slow += bool(mine.slow)
        over = f"; times over the {len(common)} that all finished" if options.maskbench else ""
        show(console, f"{title}: {len(cases)} cases{over}", times)
        if not options.maskbench:
            show_cases(console, cases, engines, single)
        drawn[title] = times
    if options.plot:
        plot(drawn, options.plot)


def plot(groups: dict[str, dict[str, Times]], path: Path) -> None:
    """Which share of the masks takes longer than so many microseconds, both axes logarithmic; a panel a group."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(groups), figsize=(7.5 * len(groups), 4.2), layout="constrained", squeeze=False
    )
    for axes, (title, times) in zip(panels[0], groups.items(), strict=True):
        for number, (name, t) in enumerate(times.items()):
            for attribute, style, what in (("masks", "-", "new"), ("warm", ":", "warm")):
                values = np.array(getattr(t, attribute)) * 1e6
                if len(values):
                    share = np.geomspace(1, 1 / len(values), 400)
                    axes.plot(np.quantile(values, 1 - share), share, style, color=f"C{number}", label=f"{name}, {what}")
        axes.set(xscale="log", yscale="log", xlabel="microseconds for a mask", ylabel="share of masks that take longer")
        axes.set_title(title)
        axes.grid(alpha=0.3)
        axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    pyplot.close(figure)


def show(console: Console, title: str, times: dict[str, Times]) -> None:
    """One row an engine."""
    table = Table(title=title + " (microseconds)")
    for column in ("engine", "done", "refused", "text rejected", "too slow"):
        table.add_column(column, justify="left" if column == "engine" else "right")
    for what, names in SHOWN.values():
        for figure in names:
            table.add_column(f"{what} {figure}", justify="right")
    for name, t in times.items():
        row = [name, *map(str, (len(t.done), t.refused, t.rejected, t.slow))]
        for attribute, (_, names) in SHOWN.items():
            row += figures(getattr(t, attribute), names)
        table.add_row(*row)
    console.print(table)


def show_cases(console: Console, cases: list, engines: list, single: dict[tuple[int, str], Times]) -> None:
    """Medians case by case."""
    table = Table(title="medians (microseconds): first mask / mask")
    table.add_column("case", max_width=50, no_wrap=True)
    for engine in engines:
        table.add_column(engine.name, justify="right")
    for number, (name, _, _) in enumerate(cases):
        row = []
        for engine in engines:
            t = single[number, engine.name]
            mask = f"{np.median(t.masks) * 1e6:,.1f}" if t.masks else "-"  # a text of one token has none but the first
            row.append(f"{np.median(t.first) * 1e6:,.0f} / {mask}" if t.first else "refused")
        table.add_row(Text(name), *row)
    console.print(table)


if __name__ == "__main__":
    main()
