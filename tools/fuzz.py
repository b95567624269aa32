"""Fuzzing: random schemas, patterns and grammars, and texts that two independent judges call right or wrong.

    make fuzz N=1000000
    python -m tools.fuzz --checks 1000000 --seed 5 --processes 2

A check is one text: our verdict is compared with that of two judges where these agree. Schemas are judged by jsonschema
(with exact numbers) and jsonschema-rs, patterns by `re` and `regex`, grammars by lark's Earley parser and by the slow
recogniser of the tests. Texts are drawn at random, walked through our automaton, and changed in one place.

What is found goes to `out/fuzz/findings.jsonl`, a line each, with the seed that draws it again: `--only KIND SEED`. A
case that takes us longer than PATIENCE is a finding too; one that takes a judge longer is counted and ends there. Exit
status: 0 nothing was found, 1 something was.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))  # the generators and the recogniser of the tests

from grammars import Recogniser, Texts, lark_accepts, lark_of, random_grammar  # noqa: E402
from json_texts import Judge, walk  # noqa: E402
from patterns import random_pattern  # noqa: E402
from schemas import random_value, whole_schema  # noqa: E402

from guidance_kit.errors import (  # noqa: E402
    GrammarError,
    LimitError,
    SchemaError,
    UnsatisfiableError,
    UnsupportedFeature,
)
from guidance_kit.grammars.grammar import grammar  # noqa: E402
from guidance_kit.grammars.json_schema import json_schema  # noqa: E402
from guidance_kit.grammars.regex import regex  # noqa: E402

PATIENCE = 60
"""Seconds of processor time for one case."""

SHARES = {"schema": 0.6, "pattern": 0.3, "grammar": 0.1}
"""Share of the checks of each kind."""

ROUND = 200
"""Cases of each kind between two looks at what is lacking."""

PATTERN_LETTERS = "ab1 \néA_c"
GRAMMAR_LETTERS = "abc "

Finding = dict[str, Any]
Verdict = Callable[[str], bool]


class _OutOfTimeError(Exception):
    """A case took longer than PATIENCE."""


@contextmanager
def patience() -> Iterator[None]:
    def end(*_: object) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE, 1)  # again each second: an exception within a callback of C is lost
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Case:
    """One source with its texts: counts, and what was found.

    Args:
        kind: "schema", "pattern" or "grammar".
        seed: draws the case again.
    """

    def __init__(self, kind: str, seed: int) -> None:
        self.counts: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self.source: Any = None
        self.is_judging = False
        self._seed = {"kind": kind, "seed": seed}

    def find(self, **details: Any) -> None:
        """Note a finding."""
        self.findings.append({**self._seed, "source": self.source, **details})

    def compare(self, text: str, ours: bool, *judges: Verdict) -> None:
        """Compare verdicts on one text."""
        self.is_judging = True
        verdicts = {judge(text) for judge in judges}
        self.is_judging = False
        if len(verdicts) > 1:
            self.counts["judges disagree"] += 1
            return
        (verdict,) = verdicts
        self.counts["checks"] += 1
        self.counts["right texts"] += verdict
        if ours != verdict:
            self.find(text=text, ours=ours, judges=verdict)


def check_schema(case: Case, chance: random.Random) -> None:
    """Compare with jsonschema and jsonschema-rs: random values, and walked ones with changes."""
    import jsonschema
    import jsonschema_rs

    schema = case.source = whole_schema(chance)
    text = json.dumps(schema)
    exact = jsonschema.Draft202012Validator(json.loads(text, parse_float=Fraction))
    other = jsonschema_rs.Draft202012Validator(schema)

    judges: tuple[Verdict, Verdict] = (
        lambda text: exact.is_valid(json.loads(text, parse_float=Fraction)),
        lambda text: other.is_valid(json.loads(text)),
    )

    values = [random_value(chance) for _ in range(20)]
    try:
        judge = Judge(json_schema(schema, order=chance.choice(["declared", "any"])))
    except UnsatisfiableError:
        for value in values:
            case.compare(json.dumps(value), False, *judges)
        return
    for _ in range(4):
        walked = walk(judge.automaton, chance).decode()
        case.compare(walked, True, *judges)
        value = json.loads(walked)
        values += [value, *(changed(value, chance) for _ in range(3))]
    for value in values:
        if is_plain(value):
            case.compare(json.dumps(value), judge.accepts_value(value), *judges)


def is_plain(value: Any) -> bool:
    """Test whether every number is spelled as a constraint may spell it: integers without a fraction, no exponents."""
    if isinstance(value, list | dict):
        return all(map(is_plain, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or not (value.is_integer() or "e" in repr(value))


def changed(value: Any, chance: random.Random) -> Any:
    """A value that differs in one place."""
    if isinstance(value, list) and value and chance.random() < 0.8:
        place = chance.randrange(len(value))
        if chance.random() < 0.3:
            return value[:place] + value[place + 1 :]
        return [*value[:place], changed(value[place], chance), *value[place + 1 :]]
    if isinstance(value, dict) and value and chance.random() < 0.8:
        key = chance.choice([*value])
        if chance.random() < 0.3:
            return {other: value[other] for other in value if other != key}
        return {**value, key: changed(value[key], chance)}
    if isinstance(value, str) and chance.random() < 0.7:
        place = chance.randrange(len(value) + 1)
        return value[:place] + chance.choice("abcé") + value[place + chance.randrange(2) :]
    if isinstance(value, int | float) and not isinstance(value, bool) and chance.random() < 0.7:
        return value + chance.choice([-1, 1, 0.5])
    return random_value(chance, 1)


def check_pattern(case: Case, chance: random.Random) -> None:
    """Compare with `re` and `regex`: random texts, matched as a whole."""
    import regex as regex_package

    pattern = case.source = random_pattern(chance, conditions=chance.choice([0.0, 0.1, 0.25, 0.5]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = re.compile(pattern)
        second = regex_package.compile(pattern, flags=regex_package.VERSION0)
    try:
        found = Texts(regex(pattern))
    except UnsatisfiableError:
        found = Texts(None)
    texts = {"".join(chance.choices(PATTERN_LETTERS, k=chance.randrange(7))) for _ in range(30)}
    if found.automaton is not None:
        texts |= {walk(found.automaton, chance, patience=12).decode() for _ in range(4)}
    for text in sorted(texts):
        case.compare(
            text,
            found.accepts(text),
            lambda text: first.fullmatch(text) is not None,
            lambda text: second.fullmatch(text) is not None,
        )


def check_grammar(case: Case, chance: random.Random) -> None:
    """Compare with lark's Earley parser and the recogniser: random texts, and walked ones."""
    lexer = chance.choice(["dynamic_complete", "dynamic"])
    case.source = f"// {lexer}\n{random_grammar(chance)}"
    lark = lark_of(case.source, lexer)
    if lark is None:
        case.counts["refused by lark"] += 1
        return
    try:
        found = Texts(grammar(case.source, lexer=lexer))
    except UnsatisfiableError:
        found = Texts(None)
    texts = {"".join(chance.choices(GRAMMAR_LETTERS, k=chance.randrange(6))) for _ in range(12)}
    if found.automaton is not None:
        walked = (walk(found.automaton, chance, patience=6).decode() for _ in range(3))
        texts |= {text for text in walked if len(text) < 30}  # the recogniser tries all spans
    recogniser = Recogniser(lark)
    for text in sorted(texts):
        case.compare(text, found.accepts(text), lambda text: lark_accepts(lark, text), recogniser.accepts)


CHECKS: dict[str, Callable[[Case, random.Random], None]] = {
    "schema": check_schema,
    "pattern": check_pattern,
    "grammar": check_grammar,
}


def run_case(question: tuple[str, int]) -> tuple[str, Counter[str], list[Finding]]:
    """Draw and check one case."""
    kind, seed = question
    case = Case(kind, seed)
    case.counts["cases"] += 1
    try:
        with patience():
            CHECKS[kind](case, random.Random(f"{kind} {seed}"))
    except (UnsupportedFeature, LimitError, GrammarError) as error:
        case.counts[f"refused: {type(error).__name__}"] += 1
    except SchemaError as error:
        if "leads back to itself" not in str(error):
            case.find(error=repr(error))
        case.counts["refused: SchemaError"] += 1
    except _OutOfTimeError:
        if case.is_judging:
            case.counts["judges without end"] += 1
        else:
            case.find(error=f"no end in {PATIENCE} s")
    except Exception as error:
        case.find(error=repr(error))
    return kind, case.counts, case.findings


def rounds(seed: int, wanted: dict[str, float], done: Counter[str]) -> Iterator[list[tuple[str, int]]]:
    """Kinds and seeds of the next cases, as long as a kind lacks checks."""
    number = seed * 10_000_000
    while lacking := [kind for kind in wanted if done[kind] < wanted[kind]]:
        yield [(kind, each) for each in range(number, number + ROUND) for kind in lacking]
        number += ROUND


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checks", type=int, default=20_000, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", nargs=2, metavar=("KIND", "SEED"), help="one case, as a finding names it")
    parser.add_argument("--output", type=Path, default=Path("out/fuzz"))
    options = parser.parse_args()
    console = Console()
    if options.only:
        kind, counts, findings = run_case((options.only[0], int(options.only[1])))
        console.print_json(data={"kind": kind, **counts, "findings": findings})
        return int(bool(findings))
    options.output.mkdir(parents=True, exist_ok=True)
    wanted = {kind: share * options.checks for kind, share in SHARES.items()}
    done: Counter[str] = Counter()
    totals = {kind: Counter[str]() for kind in SHARES}
    begin, found = time.monotonic(), 0
    with (
        (options.output / "findings.jsonl").open("w") as file,
        get_context("spawn").Pool(options.processes, maxtasksperchild=2_000) as pool,
        Progress(console=console) as progress,
    ):
        bar = progress.add_task("checks", total=options.checks)
        for asked in rounds(options.seed, wanted, done):
            for kind, counts, findings in pool.imap_unordered(run_case, asked, chunksize=10):
                totals[kind] += counts
                done[kind] = totals[kind]["checks"]
                for finding in findings:
                    found += 1
                    file.write(json.dumps(finding) + "\n")
                    file.flush()
                progress.update(bar, completed=min(sum(done.values()), options.checks))
    for kind, counts in totals.items():
        console.print(kind, dict(counts))
    console.print(f"{sum(done.values()):,} checks in {time.monotonic() - begin:,.0f} s: {found} findings")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
