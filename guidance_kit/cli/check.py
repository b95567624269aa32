"""`guidance-kit check`: can a schema or pattern be used, what does it cost, what fits it."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from guidance_kit.cli.arguments import (
    Digits,
    Escapes,
    Lexer,
    ModelName,
    Order,
    Regex,
    SchemaArgument,
    Start,
    TrustRemoteCode,
    Whitespace,
    load_model,
)
from guidance_kit.cli.constraints import GrammarReading, JsonForm, constraint_maker
from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.terminal import Debug, note, said
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import ConstraintError, UnspellableError, VocabularyError

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint
    from guidance_kit.grammars.context_free.report import GrammarReport
    from guidance_kit.grammars.regular.shorthands import Shorthand
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["check"]

_MARGIN = 18
"""Width of the column of names."""

_MOST_COLLISIONS = 12
"""Pairs of terminals that share a text, of which so many are shown."""


def check(
    schema: SchemaArgument = None,
    regex: Regex = None,
    start: Start = None,
    lexer: Lexer = "dynamic_complete",
    whitespace: Whitespace = None,
    order: Order = None,
    escapes: Escapes = None,
    digits: Digits = None,
    model: ModelName = None,
    trust_remote_code: TrustRemoteCode = False,
    samples: Annotated[int, typer.Option(metavar="N", min=0, help="Number of random valid texts to show.")] = 1,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the texts.")] = 0,
    doctor: Annotated[
        bool,
        typer.Option(
            "--doctor", help="Advice on parts that do nothing, or something else than was meant, or cost time."
        ),
    ] = False,
    debug: Debug = False,
) -> None:
    """Check whether a schema, grammar or pattern is supported; show its cost and a valid text.

    \b
    Exit status: 0 supported, 1 not supported, 2 wrong usage.

    \b
    Examples:
      guidance-kit check ticket.json --doctor
      guidance-kit check examples/ticket.py:Ticket --samples 3
      guidance-kit check calculator.lark --start sum
      guidance-kit check --regex '[0-9]{4}-[0-9]{2}-[0-9]{2}'
    """
    form = JsonForm(whitespace, order, escapes, digits)
    make = constraint_maker(schema, regex, form, GrammarReading(start, lexer))
    from guidance_kit.extraction.entry import one_line

    out = Console(file=typer.get_text_stream("stdout"), highlight=False)  # which writes UTF-8 where ASCII is meant
    title = str(schema if regex is None else regex or "''")
    try:
        begin = time.perf_counter()
        constraint = make()
        read_seconds = time.perf_counter() - begin
        out.print(Text.assemble((title, "bold"), ": ", ("supported", "green")), soft_wrap=True)
        _print_rows(out, _report(constraint.report))
        compile_kernels()
        if doctor:
            _print_rows(out, [("advice", line) for line in _advice(constraint)] or [("advice", "none")])
        texts = constraint.sample(max(1, samples), seed=seed)  # at least one, for measuring
        if constraint.kind == "json_schema":
            texts = list(map(one_line, texts))
        _print_rows(
            out, [("fits", text) for text in texts[:samples]] or [("fits", "no short text was found")] * bool(samples)
        )
        loaded = load_model(model, "cpu", trust_remote_code=trust_remote_code)
        cost = _cost(constraint, loaded.vocabulary, [text.encode() for text in texts])
        _print_rows(out, cost.rows(read_seconds, model or "the bundled model", loaded.vocabulary))
    except (ConstraintError, VocabularyError) as error:
        is_theirs = isinstance(error, UnspellableError | VocabularyError)
        where = f" with {model or 'the bundled model'}" if is_theirs else ""
        out.print(Text.assemble((title, "bold"), ": ", ("cannot be used", "red"), where), soft_wrap=True)
        note(Text.assemble(("Error: ", "red"), said(str(error))))
        raise typer.Exit(Exit.FAILED) from None


def _report(report: Any) -> list[tuple[str, str]]:
    """Rows of the report on keywords or rules."""
    from guidance_kit.extraction.entry import one_line
    from guidance_kit.grammars.context_free.report import GrammarReport
    from guidance_kit.grammars.regular.shorthands import PatternReport

    if report is None:
        return []
    if isinstance(report, PatternReport):
        return [("beyond ASCII", str(shorthand)) for shorthand in report.shorthands]
    if isinstance(report, GrammarReport):
        return _grammar_report(report)
    rows = [
        ("draft", f"{report.draft} (array at {source})" if "/" in (source := report.draft_from) else report.draft),
        ("enforced", ", ".join(name if n == 1 else f"{name} ×{n}" for name, n in report.enforced.items())),
        ("not enforced", _placed(report.weakened)),
        ("says nothing", ", ".join(report.annotations)),
        ("unknown", _placed(report.unknown)),
        ("format ignored", _placed(report.unknown_formats)),
        ("written in part", _placed(report.narrowed)),
        ("beside $ref", _placed(report.ignored)),
        ("never", "; ".join(f"{clash.message} (at {place})" for place, clash in report.impossible.items())),
        ("not seen", ", ".join(report.validators)),
        ("options", "; ".join(report.options)),
        ("shortest", "" if report.shortest is None else one_line(report.shortest.text)),
    ]
    return [(name, value) for name, value in rows if value]


def _grammar_report(report: GrammarReport) -> list[tuple[str, str]]:
    """Rows of the report on a grammar."""
    both = "not" if report.has_lexer else "and"
    shared = [f"{text!r} is {one} {both} {other}" for (one, other), text in report.collisions.items()]
    rows = [
        ("grammar", f"{report.rules:,} rules, {report.terminals:,} terminals"),
        ("not used", ", ".join(report.unused)),
        ("without texts", ", ".join(report.without_texts)),
        (
            "collisions" if report.has_lexer else "ambiguous",
            "; ".join(shared[:_MOST_COLLISIONS]) + (" and more" if len(shared) > _MOST_COLLISIONS else ""),
        ),
    ]
    joined = [f"{text!r} is {one} {other}" for (one, other), text in report.run_together.items()]
    more = " and more" if len(joined) > _MOST_COLLISIONS else ""
    hint = "; let white space or a lookahead stand between them where that is not meant"
    rows.append(("run together", "; ".join(joined[:_MOST_COLLISIONS]) + more + hint if joined else ""))
    names: dict[Shorthand, list[str]] = {}
    for name, shorthands in report.shorthands.items():
        for shorthand in shorthands:
            names.setdefault(shorthand, []).append(name)
    rows += [("beyond ASCII", f"{shorthand} (in {', '.join(found)})") for shorthand, found in names.items()]
    return [(name, value) for name, value in rows if value]


def _advice(constraint: Constraint) -> list[str]:
    """Findings in a schema or grammar, with mends."""
    from guidance_kit.grammars.context_free.report import GrammarReport

    if constraint.kind == "json_schema" and isinstance(constraint.source, str):
        from guidance_kit.grammars.schema_diagnosis import diagnose

        return list(map(str, diagnose(json.loads(constraint.source))))
    report = constraint.report
    if not isinstance(report, GrammarReport):
        return []
    lines = [f"{name}: nothing reaches it; delete it" for name in report.unused]
    lines += (f"{name}: it has no texts; write a part that ends" for name in report.without_texts)
    lines += (
        f"{one} and {other}: {text!r} is both; let them exclude each other, or give one a higher priority"
        for (one, other), text in report.collisions.items()
    )
    return lines


def _placed(places: Mapping[str, Sequence[str]]) -> str:
    """Words with where they stand."""
    return "; ".join(
        f"{word} at {', '.join(place or 'the root' for place in found[:3])}"
        + (f" and {len(found) - 3} more places" if len(found) > 3 else "")
        for word, found in places.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cost:
    """Cost of a constraint over one vocabulary; times in seconds."""

    index: float
    first_mask: float
    masks: tuple[float, ...]
    sizes: dict[str, int]

    def rows(self, read_seconds: float, name: str, vocabulary: Vocabulary) -> list[tuple[str, str]]:
        """As rows."""
        masks = f"first {_time(self.first_mask)}"
        if len(self.masks) > 1:
            p90 = quantiles(self.masks, n=10, method="inclusive")[-1]
            masks += f", then p50 {_time(median(self.masks))}, p90 {_time(p90)} ({len(self.masks)} tokens)"
        sizes = self.sizes
        return [
            ("vocabulary", f"{len(vocabulary):,} tokens of {name}"),
            ("compiled", f"read in {_time(read_seconds)}, indexed in {_time(self.index)}"),
            ("masks", masks),
            (
                "size",
                f"{sizes['rules']:,} rules, {sizes['states']:,} states, {sizes['configurations']:,} configurations",
            ),
        ]


def _cost(constraint: Constraint, vocabulary: Vocabulary, texts: Sequence[bytes]) -> _Cost:
    """Measure a constraint by writing texts, each mask computed for the first time."""
    from guidance_kit.fsm import bitmask
    from guidance_kit.fsm.matcher import Matcher
    from guidance_kit.fsm.token_index import TokenIndex
    from guidance_kit.grammars.regex import regex

    regex("a").compile(vocabulary)  # what all constraints over the vocabulary share
    clock = time.perf_counter
    begin = clock()
    index = TokenIndex.build(constraint.network(), vocabulary)
    indexed = clock() - begin
    begin = clock()
    Matcher(index).allowed()
    first = clock() - begin
    masks: list[float] = []
    for text in texts:
        matcher = Matcher(index)
        while text:
            begin = clock()
            mask = matcher.allowed()
            masks.append(clock() - begin)
            token = _longest(bitmask.tokens_of(mask).tolist(), text, vocabulary)
            if token is None:
                break
            matcher.advance(token)
            text = text[len(vocabulary.token_bytes[token]) :]
    return _Cost(index=indexed, first_mask=first, masks=tuple(masks), sizes=index.automaton.statistics())


def _longest(tokens: Sequence[int], text: bytes, vocabulary: Vocabulary) -> int | None:
    """The longest token with which a text begins."""
    fitting = (token for token in tokens if token < len(vocabulary) and text.startswith(vocabulary.token_bytes[token]))
    return max(fitting, key=lambda token: len(vocabulary.token_bytes[token]), default=None)


def _time(seconds: float) -> str:
    """Seconds with a unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _print_rows(out: Console, rows: Sequence[tuple[str, str]]) -> None:
    """Names and values in two columns, wrapped at the width of a terminal and not at all elsewhere."""
    for name, value in rows:
        width = max(20, out.width - _MARGIN) if out.is_terminal else len(value) + 1
        lines = textwrap.wrap(value, width, break_on_hyphens=False) or [""]
        for number, line in enumerate(lines):
            head = f"  {name}" if number == 0 else ""
            out.print(Text.assemble((head.ljust(_MARGIN), "cyan"), line), soft_wrap=True)
