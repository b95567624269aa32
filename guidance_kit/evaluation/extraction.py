"""Evaluation of extraction: accuracy and validity of records with and without their schemas, and calibration."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from guidance_kit.decoding.completion import Completion
from guidance_kit.evaluation.records import Score, is_valid, score
from guidance_kit.evaluation.results import Column, Curve, Evaluation, Plot, Progress, Sample, Table
from guidance_kit.evaluation.sets import Wanted
from guidance_kit.grammars.json_schema import json_schema

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["confidence", "evaluate_extraction"]

Order = Literal["declared", "any"]


@dataclass(frozen=True, slots=True)
class _Run:
    """Settings of a run: `order` of the properties, None without a constraint; `excerpts` for extractive strings."""

    order: Order | None = "declared"
    excerpts: bool = False


_RUNS = {
    "free": _Run(None),
    "constrained": _Run(),
    "constrained, any order": _Run("any"),
    "constrained, excerpts": _Run(excerpts=True),
}
_EXCERPTS = "constrained, excerpts"

_COLUMNS = (
    Column("texts"), Column("run"), Column("fields right", "share"), Column("records right", "share"),
    Column("JSON", "share"), Column("valid", "share"), Column("tokens per text", "number"),
    Column("confidence", "share"),
)  # fmt: skip


def confidence(completion: Completion) -> float:
    """Probability of a greedy text: the product over its tokens with an alternative; 1 without any.

    Raises:
        ValueError: the completion has no log-probabilities.
    """
    if completion.logprobs is None:
        raise ValueError("the completion has no log-probabilities")
    return math.exp(sum(record.guided_logprob for record in completion.logprobs if record.choices > 1))


@dataclass(frozen=True, slots=True)
class _Judged:
    """Completion with its score against the reference record."""

    completion: Completion
    score: Score
    is_valid: bool
    confidence: float


def evaluate_extraction(
    model: Model,
    source: Sequence[Wanted],
    outsiders: Sequence[str] = (),
    *,
    batch_size: int = 25,
    max_tokens: int = 400,
    on_step: Progress = lambda step: None,
) -> Evaluation:
    """Extract records greedily: unconstrained; under the schema in its key order, in any order, and extractively.

    "valid" is validity by jsonschema, formats included.

    Args:
        source: texts with reference records, grouped by their `source` in the tables.
        outsiders: texts outside the domain of the schema of the first of `source`; their records cannot be right, and
            should have a low confidence.
    """
    judged: dict[tuple[str, str], list[_Judged]] = {}
    groups = list(dict.fromkeys(one.source for one in source))
    for group in groups:
        some = [one for one in source if one.source == group]
        for name, run in _RUNS.items():
            on_step(f"{len(some)} texts, {group}: {name}")
            completions = _written(model, some, run, batch_size, max_tokens)
            judged[group, name] = [_judge(completion, one) for completion, one in zip(completions, some, strict=True)]
    rows = tuple((group, run, *_row(found)) for (group, run), found in judged.items())
    free, constrained, copied = (
        [one for group in groups for one in judged[group, run]] for run in ("free", "constrained", _EXCERPTS)
    )
    tables = [
        Table(title="Records", columns=_COLUMNS, rows=rows, note=_NOTE),
        _kinds(source, {group: judged[group, _EXCERPTS] for group in groups}),
    ]
    samples = [_sample(one, found) for one, found in zip(source, constrained, strict=True)][:4]
    figures = {
        "fields right, free": sum((one.score for one in free), Score()).field_accuracy,
        "fields right, constrained": sum((one.score for one in constrained), Score()).field_accuracy,
        "fields right, excerpts": sum((one.score for one in copied), Score()).field_accuracy,
        "valid, free": sum(one.is_valid for one in free) / len(free),
        "valid, constrained": sum(one.is_valid for one in constrained) / len(constrained),
    }
    summary = [
        f"Under the schema {figures['valid, constrained']:.1%} of the records are valid, without it "
        f"{figures['valid, free']:.1%}; {figures['fields right, constrained']:.1%} of the fields are right, without it "
        f"{figures['fields right, free']:.1%}, and with strings that are excerpts of the text "
        f"{figures['fields right, excerpts']:.1%}."
    ]
    if outsiders:
        on_step(f"{len(outsiders)} texts that do not fit the schema")
        table, more = _outsiders(model, source[0].schema, outsiders, constrained, batch_size, max_tokens)
        tables.append(table)
        samples += more
        right, wrong, outside = (Column("", "share").shown(row[2]) for row in table.rows)
        summary.append(
            f"The mean confidence is {right} in records that are right, {wrong} in others, and {outside} in those of "
            "texts that do not fit the schema; these are valid too."
        )
    return Evaluation(
        name="extraction",
        title="Extraction of JSON records",
        summary=tuple(summary),
        figures=figures,
        settings={"model": model.language_model.name, "texts": f"{len(source):,}", "decoding": "greedy"},
        tables=tuple(tables),
        plots=(_selective(constrained),),
        samples=tuple(samples),
    )


_NOTE = (
    "Right is what equals the right record exactly; a text that is no JSON object has every field wrong. Constrained "
    "records are completed within the limit of tokens. With excerpts, strings about which the schema says no more are "
    "runs of words of the text. Confidence is the probability of the whole record."
)
_KINDS_NOTE = "With excerpts. Each member of a list, and each part of it, is a field."


def _written(model: Model, some: Sequence[Wanted], run: _Run, batch_size: int, max_tokens: int) -> list[Completion]:
    prompts = [model.extraction_prompt(one.text, one.schema) for one in some]
    constraints = None
    if run.order is not None:
        constraints = [
            json_schema(one.schema, order=run.order, excerpts_of=one.text if run.excerpts else None) for one in some
        ]
    options: dict[str, Any] = {"batch_size": batch_size, "max_tokens": max_tokens, "temperature": 0, "logprobs": 0}
    return model.generate(prompts, constraints, complete=constraints is not None, **options)


def _kinds(source: Sequence[Wanted], found: Mapping[str, Sequence[_Judged]]) -> Table:
    """Accuracy by the titles of the schemas, one for each kind of text."""
    rows: list[tuple[str, str, int, float, float]] = []
    for group, judged in found.items():
        titles = [str(one.schema.get("title", "none")) for one in source if one.source == group]
        for title in sorted(set(titles)):
            scores = (one.score for one, its in zip(judged, titles, strict=True) if its == title)
            total = sum(scores, Score())
            rows.append((group, title, total.texts, total.field_accuracy, total.record_accuracy))
    columns = (
        Column("texts"), Column("title of the schema"), Column("number", "count"), Column("fields right", "share"),
        Column("records right", "share"),
    )  # fmt: skip
    return Table(title="Kinds of text", columns=columns, rows=tuple(rows), note=_KINDS_NOTE)


def _judge(completion: Completion, wanted: Wanted) -> _Judged:
    return _Judged(
        completion,
        score(completion.text, wanted.record),
        is_valid(completion.text, wanted.schema),
        confidence(completion),
    )


def _row(found: Sequence[_Judged]) -> tuple[float, ...]:
    """Metrics of a run."""
    total = sum((one.score for one in found), Score())
    number = len(found)
    return (
        total.field_accuracy,
        total.record_accuracy,
        total.valid_rate,
        sum(one.is_valid for one in found) / number,
        sum(len(one.completion.tokens) for one in found) / number,
        sum(one.confidence for one in found) / number,
    )


def _selective(found: Sequence[_Judged]) -> Plot:
    """Accuracy over coverage: records ordered by confidence, for twenty shares of them."""
    ordered = sorted(found, key=lambda one: -one.confidence)
    parts = [max(1, round(share * len(ordered) / 20)) for share in range(1, 21)]
    shares = tuple(part / len(ordered) for part in parts)
    fields = tuple(sum((one.score for one in ordered[:part]), Score()).field_accuracy for part in parts)
    records = tuple(sum((one.score for one in ordered[:part]), Score()).record_accuracy for part in parts)
    return Plot(
        title="Keeping only the records of which the model is surest",
        x="share of the records that are kept",
        y="share that is right",
        curves=(Curve(name="fields", x=shares, y=fields), Curve(name="records", x=shares, y=records)),
        note="Under the schema, in its order of keys.",
    )


def _outsiders(
    model: Model,
    schema: dict[str, Any],
    texts: Sequence[str],
    insiders: Sequence[_Judged],
    batch_size: int,
    max_tokens: int,
) -> tuple[Table, list[Sample]]:
    """Confidence in records of texts outside the domain of the schema, beside right and wrong records."""
    some = [Wanted(text=text, schema=schema, record={}, source="outside") for text in texts]
    found = [
        _judge(completion, one)
        for completion, one in zip(
            _written(model, some, _RUNS["constrained"], batch_size, max_tokens), some, strict=True
        )
    ]
    kinds = {
        "right": [one for one in insiders if one.score.records],
        "not all right": [one for one in insiders if not one.score.records],
        "of a text that does not fit": found,
    }
    rows = tuple((name, len(of), *_means(of)) for name, of in kinds.items())
    columns = (
        Column("record"),
        Column("number", "count"),
        Column("mean confidence", "share"),
        Column("valid", "share"),
    )
    table = Table(title="Does the model know when a record is wrong?", columns=columns, rows=rows)
    return table, [_sample(one, judged) for one, judged in zip(some, found, strict=True)][:3]


def _means(of: Sequence[_Judged]) -> tuple[float | None, float | None]:
    """Mean confidence and share of valid records; None without records."""
    if not of:
        return None, None
    return sum(one.confidence for one in of) / len(of), sum(one.is_valid for one in of) / len(of)


def _sample(wanted: Wanted, found: _Judged) -> Sample:
    lines = [("text", wanted.text), ("record", found.completion.text)]
    if wanted.record and not found.score.records:
        lines.append(("right would be", json.dumps(wanted.record, ensure_ascii=False)))
    verdict = "" if not wanted.record else ", right" if found.score.records else ", not all right"
    kind = "does not fit the schema" if not wanted.record else wanted.source
    return Sample(heading=f"{kind}: confidence {found.confidence:.0%}{verdict}", lines=tuple(lines))
