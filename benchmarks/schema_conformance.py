"""Which instances of the official suite, and of MaskBench, are judged right?

    python benchmarks/schema_conformance.py                 the suite, required part and optional/format, every draft
    python benchmarks/schema_conformance.py --maskbench     the schemas of MaskBench with their instances

An instance is judged by its text, as `json.dumps` writes it; a valid one is right if its text is accepted, an integral
number such as 1.0 also as 1. guidance_kit takes keys in any order (`order="any"`); llguidance wants the declared one,
so there the text has to be accepted with its keys in some order (MaskBench: as it stands, or as declared). A schema
that is refused, or a text at which an engine gives up, counts as refused. Formats are annotations in the required
part, where the suite says so, and enforced in optional/format, where the engine lets us choose: ours by looking back at
the text, or by automata alone (`--formats assert`).

Needs the extra `bench` and GUIDANCE_KIT_DATA (the suite; MaskBench).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice, permutations, product
from pathlib import Path
from typing import Any, Protocol

from key_orders import declarations, declared
from loading import DATA, maskbench_rows
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from rich.console import Console
from rich.progress import track
from rich.table import Table

import guidance_kit as gk
from guidance_kit.fsm.automaton import Automaton

DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
SUITE = DATA / "json-schema-test-suite"
MOST_ORDERS = 2_000
"""Texts of one instance that are tried."""


class Refused(Exception):
    """An engine does not take a schema, or gave up at a text."""


class Judge(Protocol):
    """A compiled schema."""

    def accepts(self, text: str) -> bool: ...


class Engine(Protocol):
    name: str
    takes_any_order: bool

    def compile(self, schema: Any, *, formats: str) -> Judge: ...


class OurJudge:
    def __init__(self, constraint: gk.Constraint) -> None:
        self.automaton = Automaton(constraint.network())

    def accepts(self, text: str) -> bool:
        encoded = text.encode("utf-8", "surrogatepass")
        try:
            path = self.automaton.advance(self.automaton.start, encoded)
        except gk.GuidanceKitError as error:
            raise Refused(str(error)) from None
        return len(path) == len(encoded) and self.automaton.is_complete(int(path[-1]))


class Nothing:
    """The judge of a schema that no value satisfies."""

    def accepts(self, text: str) -> bool:
        return False


class Ours:
    name = "guidance_kit"
    takes_any_order = True

    def __init__(self) -> None:
        remotes = SUITE / "remotes"
        documents = [
            (f"http://localhost:1234/{file.relative_to(remotes).as_posix()}", json.loads(file.read_text()))
            for file in sorted(remotes.rglob("*.json"))
        ]
        self.registry = Registry().with_contents(documents, default_specification=DRAFT202012)

    def compile(self, schema: Any, *, formats: str) -> Judge:
        try:
            return OurJudge(gk.json_schema(schema, formats=formats, order="any", escapes="all", registry=self.registry))
        except gk.UnsatisfiableError:
            return Nothing()
        except gk.GuidanceKitError as error:
            raise Refused(str(error)) from None


class LLGuidanceJudge:
    def __init__(self, matcher: Any) -> None:
        self.matcher = matcher

    def accepts(self, text: str) -> bool:
        self.matcher.reset()
        tokens = list(text.encode("utf-8", "surrogatepass"))
        read = self.matcher.try_consume_tokens(tokens)
        if self.matcher.is_error():
            raise Refused(self.matcher.get_error())
        return read == len(tokens) and self.matcher.is_accepting()


class LLGuidance:
    name = "llguidance"
    takes_any_order = False

    def __init__(self) -> None:
        import llguidance

        self.module = llguidance
        self.tokenizer = llguidance.LLTokenizer("byte")

    def compile(self, schema: Any, *, formats: str) -> Judge:
        del formats  # it has no such choice
        try:
            grammar = self.module.LLMatcher.grammar_from_json_schema(json.dumps(schema))
        except ValueError as error:
            raise Refused(str(error)) from None
        matcher = self.module.LLMatcher(self.tokenizer, grammar)
        if matcher.is_error():
            if "unsatisfiable" in matcher.get_error().lower():
                return Nothing()
            raise Refused(matcher.get_error())
        return LLGuidanceJudge(matcher)


def texts(value: Any, *, in_any_order: bool) -> Iterator[str]:
    """The value as JSON, perhaps for all orders of its keys; integral numbers with and without a fraction."""
    inside = partial(texts, in_any_order=in_any_order)
    if isinstance(value, dict):
        for keys in permutations(value) if in_any_order else [tuple(value)]:
            for values in product(*(list(islice(inside(value[key]), MOST_ORDERS)) for key in keys)):
                inner = (
                    f"{json.dumps(key, ensure_ascii=False)}: {text}" for key, text in zip(keys, values, strict=True)
                )
                yield f"{{{', '.join(inner)}}}"
    elif isinstance(value, list):
        for items in product(*(list(islice(inside(item), MOST_ORDERS)) for item in value)):
            yield f"[{', '.join(items)}]"
    else:
        yield json.dumps(value, ensure_ascii=False)
        if isinstance(value, float) and value.is_integer():
            yield str(int(value))


def verdict(judge: Judge, spellings: Iterable[str], *, is_valid: bool) -> str:
    """Judge one instance: "right", "valid refused", "invalid accepted" or "refused"."""
    try:
        is_accepted = any(map(judge.accepts, spellings))
    except Refused:
        return "refused"
    return "right" if is_accepted == is_valid else "valid refused" if is_valid else "invalid accepted"


def small_texts(engine: Engine) -> Callable[[Any], Iterator[str]]:
    """Gives the texts of a small instance of which an engine has to accept one."""
    return lambda value: islice(texts(value, in_any_order=not engine.takes_any_order), MOST_ORDERS)


def large_texts(engine: Engine, schema: Any) -> Callable[[Any], Iterator[str]]:
    """Gives the texts of an instance as it stands and, if need be, with its keys as the schema declares them."""
    if engine.takes_any_order:
        return lambda value: iter([json.dumps(value, ensure_ascii=False)])
    orders = declarations(schema)

    def spellings(value: Any) -> Iterator[str]:
        yield json.dumps(value, ensure_ascii=False)
        yield json.dumps(declared(value, orders), ensure_ascii=False)

    return spellings


def judge_group(
    engine: Engine, schema: Any, cases: list[dict[str, Any]], formats: str, spellings: Callable[[Any], Iterator[str]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The verdicts on the instances of one schema."""
    try:
        judge = engine.compile(schema, formats=formats)
    except Refused:
        yield from (("refused", case) for case in cases)
        return
    for case in cases:
        yield verdict(judge, spellings(case["data"]), is_valid=case["valid"]), case


def suite(draft: str, mode: str) -> Iterator[tuple[str, Any, list[dict[str, Any]], str]]:
    """(name, schema, cases, what formats are) for the groups of a draft; `mode` in optional/format."""
    folder = SUITE / "tests" / draft
    for pattern, formats in (("*.json", "annotate"), ("optional/format/*.json", mode)):
        for file in sorted(folder.glob(pattern)):
            for group in json.loads(file.read_text()):
                schema = group["schema"]
                if isinstance(schema, dict) and "$schema" not in schema:
                    schema = {"$schema": DRAFTS[draft], **schema}
                yield f"{file.stem}: {group['description']}", schema, group["tests"], formats


def print_table(title: str, counts: dict[tuple[str, str], Counter[str]]) -> None:
    names = ("right", "refused", "valid refused", "invalid accepted")
    table = Table(title=title)
    for column in ("", "engine", "cases", *names, "right of all"):
        table.add_column(column, justify="left" if column in ("", "engine") else "right")
    for (part, engine), found in counts.items():
        total = found.total()
        share = f"{100 * found['right'] / total:.1f} %"
        table.add_row(part, engine, f"{total:,}", *(f"{found[name]:,}" for name in names), share)
    Console(width=140).print(table)


def run_suite(engines: list[Engine], mode: str, *, shows: bool) -> None:
    counts: dict[tuple[str, str], Counter[str]] = {}
    for draft in DRAFTS:
        for name, schema, cases, formats in suite(draft, mode):
            for engine in engines:
                found = counts.setdefault((draft, engine.name), Counter())
                for result, case in judge_group(engine, schema, cases, formats, small_texts(engine)):
                    found[result] += 1
                    if shows and engine.name == "guidance_kit" and result != "right":
                        print(f"{result}: {draft}: {name}: {case['description']}", file=sys.stderr)
    print_table("JSON-Schema-Test-Suite, required and optional/format: instances", counts)


def run_maskbench(engines: list[Engine], *, shows: bool) -> None:
    instances: dict[tuple[str, str], Counter[str]] = {}
    schemas: dict[tuple[str, str], Counter[str]] = {}
    seconds: Counter[str] = Counter()
    rows = [row for row in maskbench_rows() if not row["file"].startswith(("Synthesized", "Handwritten"))]
    for row in track(rows, description="MaskBench", console=Console(stderr=True)):
        for engine in engines:
            start = time.perf_counter()
            spell = large_texts(engine, row["schema"])
            results = Counter(result for result, _ in judge_group(engine, row["schema"], row["tests"], "assert", spell))
            if not row["tests"]:
                results[_compiled(engine, row["schema"])] += 1
            seconds[engine.name] += time.perf_counter() - start
            worst = max(results, key=("right", "refused", "valid refused", "invalid accepted").index)
            schemas.setdefault(("schemas", engine.name), Counter())[worst] += 1
            if row["tests"]:
                instances.setdefault(("instances", engine.name), Counter()).update(results)
            if shows and engine.name == "guidance_kit" and worst != "right":
                print(f"{worst}: {row['file']}", file=sys.stderr)
    print_table("MaskBench without Synthesized and Handwritten", schemas | instances)
    print(", ".join(f"{name}: {total:.0f} s" for name, total in seconds.items()))


def _compiled(engine: Engine, schema: Any) -> str:
    try:
        engine.compile(schema, formats="assert")
    except Refused:
        return "refused"
    return "right"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maskbench", action="store_true", help="judge MaskBench instead of the suite")
    parser.add_argument("--engines", default="guidance_kit,llguidance", help="comma between them")
    parser.add_argument("--formats", default="recall", choices=("assert", "recall"), help="ours, in optional/format")
    parser.add_argument("--show", action="store_true", help="print what guidance_kit does not judge right")
    options = parser.parse_args()
    if not Path(SUITE).is_dir():
        sys.exit(f"no suite in {SUITE}; set GUIDANCE_KIT_DATA")
    known = {"guidance_kit": Ours, "llguidance": LLGuidance}
    engines = [known[name]() for name in options.engines.split(",")]
    if options.maskbench:
        run_maskbench(engines, shows=options.show)
    else:
        run_suite(engines, options.formats, shows=options.show)


if __name__ == "__main__":
    main()
