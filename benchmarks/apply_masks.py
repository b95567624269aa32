"""What does it cost to apply the masks of a batch to its logits, beside copying the logits, and beside XGrammar?

    python benchmarks/apply_masks.py [--device cuda] [--dtype bfloat16] [--rows 32000 151936 200064] [--batch 1 64]

The texts of a batch stand at different places of one JSON Schema, so that some rows have masks of a few tokens and some
of nearly all; the vocabularies are made up. Every mask is known to the host before. All ways take turns, and each gives
the same logits:

    copy               the logits copied: what any way that leaves its logits alone costs at least
    kernel             guidance_kit with the masks at hand: Numba on the CPU for float32, Triton on a GPU for all
    kernel, in place   the same without a copy (CPU)
    torch              guidance_kit without a kernel
    upload, kernel     masks on the host, sent with every step (GPU)
    pool, warm         `MaskPool.forbid` over matchers whose masks are on the device
    pool, cold         the same, each time with a new pool
    guide              `ConstraintGuide.adjust`: what a step costs in all
    xgrammar           `apply_token_bitmask_inplace` with the masks at hand: it writes to the logits that it is given
    xgrammar, cuda     the same by its CUDA kernel instead of its Triton kernel, where a compiler is there (GPU)
    xgrammar, upload   masks on the host, sent with every step (GPU)

Times are those of the host, on a GPU until it is done. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import torch
import xgrammar
from rich import box
from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.guides.apply_mask import forbid, forbid_by_torch, forbid_rows
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.mask_pool import MaskPool

Way = Callable[[], object]

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 60},
        "amount": {"type": "number", "minimum": 0},
        "tags": {"type": "array", "items": {"enum": ["new", "paid", "sent"]}},
        "note": {"type": "string"},
    },
    "required": ["name", "amount", "tags", "note"],
}
TEXT = json.dumps({"name": "Ada Lovelace", "amount": 19.5, "tags": ["new", "sent"], "note": "gift wrapped, please"})


def vocabulary_of(rows: int) -> gk.Vocabulary:
    """An end of sequence, all bytes, and words of random letters, some with a space before them."""
    rng = random.Random(rows)
    texts = {bytes([byte]): None for byte in range(256)}
    while len(texts) < rows - 1:
        word = "".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9)))
        texts[(" " * rng.randint(0, 1) + word).encode()] = None
    return gk.Vocabulary(token_bytes=(b"", *texts), special=frozenset({0}), eos=(0,), rows=rows)


def matchers_of(vocabulary: gk.Vocabulary, batch: int) -> list[Matcher]:
    """Matchers all along a text."""
    index = gk.json_schema(SCHEMA).compile(vocabulary)
    matchers = [Matcher(index) for _ in range(batch)]
    for row, matcher in enumerate(matchers):
        matcher.advance_bytes(TEXT.encode()[: (12 + 7 * row) % len(TEXT)])
    return matchers


def ways(matchers: list[Matcher], logits: torch.Tensor) -> dict[str, Way]:
    """The ways to apply the masks of matchers; each returns the masked logits."""
    rows, device = logits.shape[1], logits.device
    host = bitmask.allocate(len(matchers), rows)
    fill_masks(matchers, host)
    masks = torch.from_numpy(host).to(device)
    words = masks.shape[1]
    guide, pool = ConstraintGuide(matchers), MaskPool(words, device)
    state = guide.start([[0]] * len(matchers))

    def peer(mask: torch.Tensor, backend: str = "auto") -> Way:
        mine = logits.clone()

        def apply() -> torch.Tensor:
            xgrammar.apply_token_bitmask_inplace(mine, mask.to(device, non_blocking=True), backend=backend)
            return mine

        return apply

    def cold() -> torch.Tensor:
        return MaskPool(words, device).forbid(logits, matchers)

    found: dict[str, Way] = {"copy": logits.clone}
    if device.type == "cpu":
        mine = logits.clone()

        def in_place() -> torch.Tensor:
            bitmask.apply(mine.numpy(), host)
            return mine

        if logits.dtype == torch.float32:
            found |= {"kernel": lambda: forbid(logits, host), "kernel, in place": in_place}
        found["torch"] = lambda: forbid_by_torch(logits, masks)
    else:
        found["kernel"] = lambda: forbid_rows(logits, masks)
        found["torch"] = lambda: forbid_by_torch(logits, masks)
        found["upload, kernel"] = lambda: forbid(logits, host)
    found["pool, warm"] = lambda: pool.forbid(logits, matchers)
    found["pool, cold"] = cold
    found["guide"] = lambda: guide.adjust(logits, state)
    found["xgrammar"] = peer(masks)
    if device.type == "cuda":
        found["xgrammar, cuda"] = peer(masks, "cuda")
        found["xgrammar, upload"] = peer(torch.from_numpy(host))
    return found


def working(found: dict[str, Way], expected: torch.Tensor, console: Console) -> dict[str, Way]:
    """Those that run here. That a peer's kernel cannot be compiled is said.

    Raises:
        AssertionError: if one gives other logits.
    """
    kept = {}
    for name, way in found.items():
        try:
            masked = way()
        except Exception as error:  # a compiler that is missing comes as any error
            if not name.startswith("xgrammar"):
                raise
            console.print(f"no {name}: {type(error).__name__}")
            continue
        assert name == "copy" or torch.equal(masked, expected), name
        kept[name] = way
    return kept


def measure(found: dict[str, Way], seconds: float, settle: Callable[[], object]) -> dict[str, np.ndarray]:
    """Microseconds of each way, for so long in all; another way begins each round."""
    times: dict[str, list[float]] = {name: [] for name in found}
    names, end, turn = list(found), time.perf_counter() + seconds, 0
    while turn < 15 or (turn < 2000 and time.perf_counter() < end):
        for place in range(len(names)):
            name = names[(turn + place) % len(names)]
            settle()
            begin = time.perf_counter()
            found[name]()
            settle()
            times[name].append(1e6 * (time.perf_counter() - begin))
        turn += 1
    return {name: np.array(values) for name, values in times.items()}


def show(console: Console, title: str, cells: dict[tuple[int, str], dict[int, str]], batches: list[int]) -> None:
    """A table of a cell for each vocabulary and way, and each batch."""
    console.print(f"\n{title}\n")
    table = Table(box=box.MARKDOWN)
    for column in ("vocabulary", "way", *(f"batch {batch}" for batch in batches)):
        table.add_column(column, justify="left" if column == "way" else "right", no_wrap=True)
    for (rows, name), row in cells.items():
        table.add_row(f"{rows:,}", name, *(row.get(batch, "-") for batch in batches))
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", default="float32", choices=["float32", "float16", "bfloat16"])
    parser.add_argument("--rows", type=int, nargs="+", default=[32_000, 151_936, 200_064])
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8, 64, 256])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each vocabulary and batch (default: 10)")
    options = parser.parse_args()
    console = Console(width=200)
    is_cuda = torch.device(options.device).type == "cuda"
    settle = partial(torch.cuda.synchronize, options.device) if is_cuda else lambda: None
    try:
        triton = version("triton")
    except PackageNotFoundError:
        triton = "none"
    console.print(
        f"{torch.cuda.get_device_name(options.device) if is_cuda else platform.machine()}, {os.cpu_count()} cores, "
        f"{torch.get_num_threads()} threads, Python {platform.python_version()}, torch {torch.__version__}, numba "
        f"{version('numba')}, triton {triton}, xgrammar {version('xgrammar')}; {options.dtype}"
    )
    compile_kernels()
    times: dict[tuple[int, str], dict[int, str]] = {}
    multiples: dict[tuple[int, str], dict[int, str]] = {}
    for rows in options.rows:
        vocabulary = vocabulary_of(rows)
        for batch in options.batch:
            matchers = matchers_of(vocabulary, batch)
            logits = torch.randn(batch, rows).to(device=options.device, dtype=getattr(torch, options.dtype))
            host = bitmask.allocate(batch, rows)
            fill_masks(matchers, host)
            expected = forbid_by_torch(logits, torch.from_numpy(host).to(logits.device))
            found = working(ways(matchers, logits), expected, console)
            values = measure(found, options.seconds, settle)
            copy, peer = np.median(values["copy"]), np.median(values["xgrammar"])
            for name, each in values.items():
                median = np.median(each)
                times.setdefault((rows, name), {})[batch] = f"{median:,.1f} / {np.percentile(each, 99):,.1f}"
                multiples.setdefault((rows, name), {})[batch] = f"{median / copy:.2f} / {median / peer:.2f}"
            allowed = bitmask.count(host).mean() / rows
            console.print(
                f"{rows:,} x {batch}: {len(values['copy']):,} rounds, {len(np.unique(host, axis=0))} masks, "
                f"{allowed:.0%} allowed"
            )
    show(console, "Microseconds: median / p99", times, options.batch)
    show(console, "Medians, as multiples of: a copy / xgrammar", multiples, options.batch)


if __name__ == "__main__":
    main()
