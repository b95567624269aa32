"""First and slowest masks of all schemas of MaskBench beside the peers', and the targets of docs/benchmarks.md.

    python benchmarks/targets.py                     all schemas and instances, twenty minutes
    python benchmarks/targets.py --every 10          every tenth schema
    python benchmarks/targets.py --jobs 12           parts of the schemas at once, on a machine with more cores
    python benchmarks/targets.py --table             the table once more, from out/targets
    python benchmarks/targets.py --sizes             first and second masks of large schemas, five times in turns
    python benchmarks/targets.py --memory --every 5  memory of each fifth schema and its instances

CPU time on one thread, schemas in random order by a seed, engines in turns, garbage collections where they come, with
what was loaded at the start frozen, as servers do it. A first mask is reading, compiling and the mask. Constraints are
measured with process-wide caches emptied before each schema, and in a process of their own with caches that stay
("warm"), beside llguidance in one of its own; the processes take turns, too. Per figure, the worst hundredth is
measured once more in five fresh processes, whose median counts.

Ratios to a peer are over schemas that both engines take. Needs the extra `bench` and GUIDANCE_KIT_DATA.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import resource
import string
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil
from loading import load_qwen, maskbench_rows
from peers import LLGuidance, Ours, OurSession, Session, XGrammar

import guidance_kit as gk

SEED = 19

REPEATS = 5

OUTPUT = Path("out/targets")

PATIENCE = 60.0
"""Seconds after which no further instance of a schema is followed."""

Times = dict[str, Any]
"""Of a schema: milliseconds of its "first" mask and of its other "masks", "tokens" of each instance."""


class AnyOrder(Ours):
    """Our engine with properties in any order, as peers have it not."""

    def schema(self, schema: dict) -> Session:
        return OurSession(gk.json_schema(schema, escapes="all", order="any"), self.vocabulary, self.out)


class EmptiedCaches:
    """An engine of ours, whose process-wide caches are emptied before each schema, but for the vocabulary's."""

    def __init__(self, engine: Ours) -> None:
        self.engine = engine

    def schema(self, schema: dict) -> Session:
        return self.engine.schema(schema)

    def prepare(self) -> None:
        gk.caches.clear(*gk.caches.statistics().keys() - {"arenas", "vocabularies"})


ENGINES: dict[str, Callable[..., Any]] = {
    "declared": lambda *arguments: EmptiedCaches(Ours(*arguments)),
    "any": lambda *arguments: EmptiedCaches(AnyOrder(*arguments)),
    "declared warm": Ours,
    "any warm": AnyOrder,
    "llguidance": LLGuidance,
    "llguidance alone": LLGuidance,
    "xgrammar": XGrammar,
}

PROCESSES = (("declared", "any", "llguidance"), ("declared warm",), ("any warm",), ("llguidance alone",))
"""Engines that take turns in one process."""

COMPARED = {
    "declared": "llguidance",
    "any": "llguidance",
    "declared warm": "llguidance alone",
    "any warm": "llguidance alone",
}
"""Peer of each engine of ours that was measured in the same manner."""


def measure(engine: Any, schema: dict, texts: list[list[int]]) -> Times:
    """Follow all instances of a schema as far as they are accepted."""
    clock = time.process_time
    if isinstance(engine, EmptiedCaches):
        engine.prepare()
    begin = clock()
    try:
        session = engine.schema(schema)
        session.mask()
    except Exception as error:  # a refusal, of the kind that each engine has
        return {"refused": repr(error)[:200], "first": 1e3 * (clock() - begin)}
    found: Times = {"first": 1e3 * (clock() - begin), "masks": array("f"), "tokens": []}
    started = clock()
    for tokens in texts:
        session.again()
        times = array("f")
        for token in tokens:
            begin = clock()
            try:
                session.mask()
            except gk.LimitError as error:
                found["limit"] = repr(error)[:200]
                break
            times.append(1e3 * (clock() - begin))
            if not session.take(token):
                break
        found["masks"] += times if found["tokens"] else times[1:]  # the first one is in "first"
        found["tokens"].append(len(times))
        if clock() - started > PATIENCE:
            found["cut"] = True
            break
    return found


def work(names: Sequence[str], every: int, part: int, parts: int) -> None:
    """Measure engines in turns on one of some parts of the schemas, each when a line says so; write a file for each.

    Prints the number of schemas, a line after each, and how the process has grown.
    """
    engines, cases = load(names)
    order = sorted(cases)[::every]
    random.Random(SEED).shuffle(order)
    order = order[part::parts]
    begin = psutil.Process().memory_info().rss
    times: dict[str, dict[str, Times]] = {name: {} for name in names}
    print(len(order), flush=True)
    for turn, case in enumerate(order):
        sys.stdin.readline()
        first = turn % len(names)
        for name in [*names[first:], *names[:first]]:
            times[name][case] = measure(engines[name], *cases[case])
        print("measured", flush=True)
        if turn % 500 == 0:
            print(f"{', '.join(names)}: {turn:,} of {len(order):,}", file=sys.stderr, flush=True)
    grown = (psutil.Process().memory_info().rss - begin) / 1e6
    for name, found in times.items():
        if len(names) == 1:
            print(f"{name}: {grown:,.0f} MB more after {len(order):,} schemas", flush=True)
        path(name, part).write_text(json.dumps(found, default=list))


def load(names: Sequence[str]) -> tuple[dict[str, Any], dict[str, tuple[dict, list[list[int]]]]]:
    """Engines that are ready, and all schemas with the tokens of their instances."""
    tokenizer, vocabulary = load_qwen()
    engines = {name: ENGINES[name](vocabulary, tokenizer) for name in names}
    cases = {
        row["file"]: (
            row["schema"],
            [tokenizer.encode(json.dumps(test["data"], ensure_ascii=False)) for test in row["tests"]],
        )
        for row in maskbench_rows()
    }
    for engine in engines.values():
        measure(engine, {"type": "object", "properties": {"a": {"enum": [1, "b"]}}}, [tokenizer.encode('{"a": 1}')])
    gc.collect()
    gc.freeze()
    return engines, cases


def repeat(name: str, worst: Sequence[str]) -> None:
    """Measure schemas again, each time in a process that has not met it; print medians of both figures."""
    engines, cases = load([name])

    def once(case: str) -> tuple[float, float]:
        result = measure(engines[name], *cases[case])
        return result["first"], slowest(result)

    found = {}
    for case in worst:
        results = [in_fork(once, case) for _ in range(REPEATS)]
        found[case] = [median(figure) for figure in zip(*results, strict=True)]
    print(json.dumps(found))


def in_fork(function: Callable[[str], Any], case: str) -> Any:
    """Result of a function in a process of its own that has what this one has loaded; ends the run if it fails."""
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def send() -> None:
        theirs.send(function(case))

    process = context.Process(target=send)
    process.start()
    theirs.close()  # so that nothing holds it but the process
    try:
        result = ours.recv()
    except EOFError:
        sys.exit(f"the process that measured {case} failed, as said above")
    process.join()
    return result


def show_memory(every: int) -> None:
    """Print the most megabytes that one schema with all of its instances takes in a process, and in which it is."""
    names = "declared", "any"
    engines, cases = load(names)
    for name in names:

        def taken(case: str, engine: Any = engines[name]) -> float:
            begin = psutil.Process().memory_info().rss
            measure(engine, *cases[case])
            return (1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begin) / 1e6

        found = {case: in_fork(taken, case) for case in sorted(cases)[::every]}
        values = zip(QUANTILES, quantiles([*found.values()]), strict=True)
        print(f"{name}, MB: {', '.join(f'{head} {value:,.1f}' for head, value in values)}")
        worst = sorted(found.items(), key=lambda item: -item[1])[:12]
        print(f"    most: {', '.join(f'{case} {value:,.0f}' for case, value in worst)}", flush=True)


def slowest(times: Times) -> float:
    """Slowest mask but the first."""
    return max(times.get("masks", ()), default=0.0)


def path(name: str, part: int | None = None) -> Path:
    """File of the times of an engine, on a part of the schemas or on all."""
    return OUTPUT / f"{name.replace(' ', '_')}{'' if part is None else f'_{part}'}.json"


def started(*arguments: str) -> subprocess.Popen[str]:
    """This program in a process of its own."""
    command = [sys.executable, __file__, *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def rest_of(process: subprocess.Popen[str]) -> str:
    """Remaining output of a process; ends the run if it fails."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    output = process.stdout.read()  # `communicate` would lose what `line_of` has read ahead
    if process.wait():
        sys.exit("a process failed, as said above")
    return output


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line that a process prints; ends the run if it fails."""
    assert process.stdout is not None
    return process.stdout.readline() or sys.exit("a process failed, as said above")


def measure_all(groups: Sequence[Sequence[str]], every: int, jobs: int) -> None:
    """Measure groups of engines on so many parts of the schemas at once; write the times of each engine."""
    with ThreadPoolExecutor(jobs) as threads:
        for turns in [threads.submit(take_turns, groups, every, part, jobs) for part in range(jobs)]:
            turns.result()
        names = [name for group in groups for name in group]
        for name in names:
            parts = [path(name, part) for part in range(jobs)]
            found = [json.loads(part.read_text()) for part in parts]
            path(name).write_text(json.dumps({case: times for each in found for case, times in each.items()}))
            for part in parts:
                part.unlink()
        list(threads.map(mend, names))


def take_turns(groups: Sequence[Sequence[str]], every: int, part: int, parts: int) -> None:
    """Measure groups of engines, each in its process, schema by schema, so that all have the same minutes."""
    which = "--every", str(every), "--part", str(part), "--parts", str(parts)
    processes = [started(*which, "--work", *group) for group in groups]
    counts = [int(line_of(process)) for process in processes]
    for turn in range(counts[0]):
        first = turn % len(processes)
        for process in [*processes[first:], *processes[:first]]:
            print(file=process.stdin, flush=True)
            line_of(process)
    for process in processes:
        print(rest_of(process), end="", flush=True)


def mend(name: str) -> None:
    """Replace the worst hundredth of first and slowest masks by medians of fresh processes."""
    times: dict[str, Times] = json.loads(path(name).read_text())
    count = max(1, len(times) // 100)
    worst = {
        case
        for figure in (lambda case: times[case]["first"], lambda case: slowest(times[case]))
        for case in sorted(times, key=figure)[-count:]
    }
    for case, (first, slow) in json.loads(rest_of(started("--repeat", name, *sorted(worst))).splitlines()[-1]).items():
        mask = times[case].get("masks")
        times[case]["first"] = first
        if mask:
            mask[mask.index(max(mask))] = slow
    path(name).write_text(json.dumps(times))


def quantiles(values: Sequence[float] | npt.NDArray[np.float64]) -> list[float]:
    """p50, p90, p99, p99.9 and the greatest."""
    return [float(value) for value in np.percentile(values, (50, 90, 99, 99.9, 100))]


QUANTILES = ("p50", "p90", "p99", "p99.9", "max")

FIGURES = {
    "first mask, ms": QUANTILES,
    "slowest mask of a schema, ms": QUANTILES,
    "mask, all instances, us": ("mean", *QUANTILES),
    "mask, first instance, us": ("mean", *QUANTILES),
}


def figures(times: dict[str, Times], cases: Sequence[str]) -> dict[str, list[float]]:
    """All FIGURES of an engine over some schemas; masks but the first of each."""
    found = [times[case] for case in cases]
    masks = np.array([mask for each in found for mask in each["masks"]])
    early = np.array([mask for each in found for mask in each["masks"][: max(1, *each["tokens"][:1], 1) - 1]])
    values = (
        quantiles([each["first"] for each in found]),
        quantiles([slowest(each) for each in found]),
        [1e3 * masks.mean(), *quantiles(1e3 * masks)],
        [1e3 * early.mean(), *quantiles(1e3 * early)],
    )
    return dict(zip(FIGURES, values, strict=True))


def show(names: Sequence[str], peers: Sequence[str]) -> None:
    """Print figures of all schemas, and ratios to each peer over those that both take, as tables in Markdown."""
    times: dict[str, dict[str, Times]] = {name: json.loads(path(name).read_text()) for name in [*names, *peers]}
    taken = {name: [case for case, found in times[name].items() if "refused" not in found] for name in times}
    heads = [f"{title}: {column}" for title, columns in FIGURES.items() for column in columns]
    found = {name: [value for row in figures(times[name], taken[name]).values() for value in row] for name in times}
    print(table(["", *times], [[head, *(f"{found[name][i]:,.3g}" for name in times)] for i, head in enumerate(heads)]))
    for name in times:
        limits, cut = (sum(kind in each for each in times[name].values()) for kind in ("limit", "cut"))
        print(f"{name}: {len(taken[name]):,} of {len(times[name]):,} schemas; limits in a text: {limits}; cut: {cut}")
        for title, figure, bound in (("first", lambda each: each["first"], 100), ("slowest", slowest, 20)):
            over = sorted(((figure(times[name][case]), case) for case in taken[name]), reverse=True)
            over = [f"{case} {value:,.0f}" for value, case in over if value > bound]
            print(f"    {title} above {bound} ms: {len(over)}", *over[:40])
    ratios: dict[str, list[str]] = {}
    for name, peer in [*COMPARED.items(), *(("declared", peer) for peer in peers if peer == "xgrammar")]:
        both = sorted({*taken[name]} & {*taken[peer]})
        ours, theirs = (np.concatenate([*figures(times[one], both).values()]) for one in (name, peer))
        ratios[f"{name} / {peer}, {len(both):,}"] = [f"{ratio:.2f}" for ratio in ours / theirs]
    rows = [[head, *(ratios[name][i] for name in ratios)] for i, head in enumerate(heads)]
    print(f"\nRatios, over as many schemas that both take\n{table(['', *ratios], rows)}")
    for ordered, free in (("declared", "any"), ("declared warm", "any warm")):
        show_orders(times[ordered], times[free], f"{free} / {ordered}")


def show_orders(ordered: dict[str, Times], free: dict[str, Times], title: str) -> None:
    """Print the ratio of means over the schemas of which two engines have followed as much.

    In any order more instances are accepted, so the masks of all schemas are not the same ones.
    """
    same = [case for case in ordered if ordered[case].get("tokens", 0) == free[case].get("tokens")]
    means = [figures(times, same)["mask, all instances, us"][0] for times in (free, ordered)]
    print(f"{title}, over {len(same):,} schemas with the same masks: {means[0] / means[1]:.2f} in the mean")


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, [":--", *("--:" for _ in heads[1:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def large_schemas() -> dict[str, dict]:
    """Drawn schemas of many keys, and of many strings: of words, whose beginnings are shared, and random ones."""
    chance = random.Random(SEED)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randrange(2, 7))) for _ in range(500)]

    def texts(count: int, length: int) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < count:
            found[" ".join(chance.choices(words, k=6))[:length]] = None
        return [*found]

    def random_texts(count: int, length: int) -> list[str]:
        characters = string.ascii_letters + string.digits
        return ["".join(chance.choices(characters, k=length)) for _ in range(count)]

    keys = texts(5_000, 15)
    return {
        "5,000 required keys": {
            "type": "object",
            "properties": {key: {"type": "integer"} for key in keys},
            "required": keys,
        },
        "enum of 10,000 strings": {"enum": texts(10_000, 25)},
        "enum of 100,000 strings": {"enum": texts(100_000, 25)},
        "enum of 10,000 random strings": {"enum": random_texts(10_000, 25)},
        "enum of 100,000 random strings": {"enum": random_texts(100_000, 25)},
    }


def show_sizes(peers: Sequence[str]) -> None:
    """Print medians of first masks and of the masks after them."""
    tokenizer, vocabulary = load_qwen()
    engines = {name: ENGINES[name](vocabulary, tokenizer) for name in ("declared", *peers)}
    gc.collect()
    gc.freeze()
    rows: list[list[str]] = []
    for title, schema in large_schemas().items():
        begin = tokenizer.encode('{"' if "properties" in schema else '"')
        times: dict[str, list[Times]] = {name: [] for name in engines}
        for _ in range(REPEATS):
            for name, engine in engines.items():
                times[name].append(measure(engine, schema, [[*begin, 0]]))
        found = {name: [one for one in each if "refused" not in one] for name, each in times.items()}
        rows.append([title])
        for each in found.values():
            for figure in (lambda one: one["first"], slowest):
                rows[-1].append(f"{median(map(figure, each)):,.3g}" if each else "refused")
    print(table(["ms", *(f"{name}, {kind}" for name in engines for kind in ("first mask", "second"))], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth schema")
    parser.add_argument("--xgrammar", action="store_true", help="XGrammar too, which takes more than an hour")
    parser.add_argument("--table", action="store_true", help="show what was measured before")
    parser.add_argument("--sizes", action="store_true", help="measure large schemas instead")
    parser.add_argument("--memory", action="store_true", help="measure memory instead")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="parts of the schemas to be measured at once")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--parts", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--work", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--repeat", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work, options.every, options.part, options.parts)
        return
    if options.repeat:
        repeat(options.repeat[0], options.repeat[1:])
        return
    peers = ["llguidance", "llguidance alone", *["xgrammar"][: int(options.xgrammar)]]
    ours = [name for group in PROCESSES for name in group if name not in peers]
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "llguidance", "xgrammar"))
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}", flush=True)
    if options.sizes:
        show_sizes(["llguidance"])
        return
    if options.memory:
        show_memory(options.every)
        return
    if not options.table:
        OUTPUT.mkdir(parents=True, exist_ok=True)
        measure_all([*PROCESSES, *[("xgrammar",)][: int(options.xgrammar)]], options.every, options.jobs)
    show(ours, peers)


if __name__ == "__main__":
    main()
