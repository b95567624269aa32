"""Evaluation of extraction: accuracy and validity of records with and without their schemas, and calibration."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guidance_kit.decoding.completion import Completion
from guidance_kit.evaluation.ablation import (
    Measured,
    Task,
    ablation_figures,
    ablation_summary,
    ablation_table,
    measure_ablation,
    measured,
)  # fmt: skip
from guidance_kit.evaluation.record_runs import RUNS, Run, write_records
from guidance_kit.evaluation.records import Score, is_valid, leaves, score
from guidance_kit.evaluation.results import Column, Curve, Evaluation, Example, Plot, Progress, Table
from guidance_kit.evaluation.sets import Wanted

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["confidence", "evaluate_extraction"]

_COLUMNS = (
    Column("texts"), Column("constraint"), Column("fields right", "share"), Column("records right", "share"),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    """Model that writes records, with its limits."""

    model: Model
    batch_size: int
    max_tokens: int

    def judged(self, source: Sequence[Wanted], run: Run) -> list[_Judged]:
        """Records of texts with their scores."""
        completions = write_records(self.model, source, run, batch_size=self.batch_size, max_tokens=self.max_tokens)
        return [_judge(completion, one) for completion, one in zip(completions, source, strict=True)]


def evaluate_extraction(
    model: Model,
    source: Sequence[Wanted],
    outsiders: Sequence[str] = (),
    *,
    tasks: Sequence[Task] = (),
    batch_size: int = 25,
    max_tokens: int = 400,
    on_step: Progress = lambda step: None,
) -> Evaluation:
    """Extract records greedily: without a constraint, under the schema, and extractively.

    "valid" is validity by jsonschema, formats included.

    Args:
        source: texts with reference records, grouped by their `source` in the tables.
        outsiders: texts outside the domain of the schema of the first of `source`; their records cannot be right, and
            should have a low confidence.
        tasks: tasks for an ablation of the constraint, whose table leads the results; see `ablation.tasks_of`.
    """
    writer = _Writer(model=model, batch_size=batch_size, max_tokens=max_tokens)
    ablation = measure_ablation(tasks, batch_size=batch_size, on_step=on_step)
    return _summarised(model.language_model.name, _measured(writer, source, outsiders, on_step), ablation)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ScoredRecords:
    """Records with their scores.

    Args:
        groups: texts by their source.
        judged: records of each group and run.
        outsiders: texts outside the domain, with the schema of their records.
        strangers: records of the outsiders.
    """

    groups: Mapping[str, Sequence[Wanted]]
    judged: Mapping[tuple[str, Run], Sequence[_Judged]]
    outsiders: Sequence[Wanted]
    strangers: Sequence[_Judged]

    @property
    def source(self) -> list[Wanted]:
        """Texts of all groups, in the order of the groups."""
        return [one for some in self.groups.values() for one in some]

    def of(self, run: Run) -> list[_Judged]:
        """Records of all groups in one run, in the order of `source`."""
        return [one for group in self.groups for one in self.judged[group, run]]


def _measured(writer: _Writer, source: Sequence[Wanted], outsiders: Sequence[str], on_step: Progress) -> _ScoredRecords:
    sources = dict.fromkeys(one.source for one in source)
    groups = {group: [one for one in source if one.source == group] for group in sources}
    judged: dict[tuple[str, Run], list[_Judged]] = {(group, run): [] for group in groups for run in RUNS}
    for run in RUNS:
        on_step(f"{len(source)} texts, usual schemas: {run}")
        for one, of in zip(source, writer.judged(source, run), strict=True):
            judged[one.source, run].append(of)
    outside = [Wanted(text=text, schema=source[0].schema, record={}, source="outside") for text in outsiders]
    if outside:
        on_step(f"{len(outside)} texts that do not fit the schema")
    strangers = writer.judged(outside, "schema") if outside else []
    return _ScoredRecords(groups=groups, judged=judged, outsiders=outside, strangers=strangers)


def _summarised(name: str, found: _ScoredRecords, ablation: Mapping[tuple[str, Run], Measured]) -> Evaluation:
    compared: dict[tuple[str, Run], Measured] = dict(ablation)
    for (group, run), judged in found.judged.items():
        completions = [one.completion for one in judged]
        compared[f"usual schemas, {group}", run] = measured(completions, found.groups[group])
    constrained = found.of("schema")
    tables = [_records(found.judged), _kinds(found)]
    samples = [_sample(one, judged) for one, judged in zip(found.source, constrained, strict=True)][:4]
    summary = [*ablation_summary(compared), _record_summary(found)]
    if found.outsiders:
        tables.append(_outsiders(constrained, found.strangers))
        samples += [_sample(one, of) for one, of in zip(found.outsiders, found.strangers, strict=True)][:3]
        summary.append(_outsiders_summary(tables[-1]))
    return Evaluation(
        name="extraction",
        title="Extraction of JSON records",
        summary=tuple(summary),
        figures=_figures(found) | ablation_figures(compared),
        settings={"model": name, "texts": f"{len(found.source):,}", "decoding": "greedy"},
        headline=ablation_table(compared),
        tables=tuple(tables),
        plots=(_selective(constrained),),
        samples=tuple(samples),
    )


def _figures(found: _ScoredRecords) -> dict[str, float]:
    """Accuracy of the fields and share of valid records of each run."""
    figures: dict[str, float] = {}
    for run in RUNS:
        judged = found.of(run)
        figures[f"fields right, {run}"] = _total(judged).field_accuracy
        figures[f"valid, {run}"] = sum(one.is_valid for one in judged) / len(judged)
    return figures


def _record_summary(found: _ScoredRecords) -> str:
    figures = _figures(found)
    values = [value for one in found.source for _, value in leaves(one.record)]
    return (
        f"With the usual schemas {figures['fields right, schema, excerpts']:.1%} of the fields are right where strings "
        f"are excerpts of the text, {figures['fields right, schema']:.1%} with the schema alone. Null is right in "
        f"{sum(value is None for value in values) / len(values):.0%} of them."
    )


def _records(judged: Mapping[tuple[str, Run], Sequence[_Judged]]) -> Table:
    rows = tuple((group, run, *_row(found)) for (group, run), found in judged.items())
    return Table(title="Records", columns=_COLUMNS, rows=rows, note=_NOTE)


_NOTE = (
    "Right is what equals the right record exactly; a text that is no JSON object has every field wrong. Constrained "
    "records are completed within the limit of tokens. With excerpts, strings about which the schema says no more are "
    "runs of words of the text. Confidence is the probability of the whole record."
)
_KINDS_NOTE = "With excerpts. Each member of a list, and each part of it, is a field."


def _kinds(found: _ScoredRecords) -> Table:
    """Accuracy by the titles of the schemas, one for each kind of text."""
    rows: list[tuple[str, str, int, float, float]] = []
    for group, some in found.groups.items():
        judged = found.judged[group, "schema, excerpts"]
        titles = [str(one.schema.get("title", "none")) for one in some]
        for title in sorted(set(titles)):
            total = _total([one for one, its in zip(judged, titles, strict=True) if its == title])
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
    total = _total(found)
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
    fields = tuple(_total(ordered[:part]).field_accuracy for part in parts)
    records = tuple(_total(ordered[:part]).record_accuracy for part in parts)
    return Plot(
        title="Keeping only the records of which the model is surest",
        x="share of the records that are kept",
        y="share that is right",
        curves=(Curve(name="fields", x=shares, y=fields), Curve(name="records", x=shares, y=records)),
        note="Under the schema, in its order of keys.",
    )


def _outsiders(insiders: Sequence[_Judged], strangers: Sequence[_Judged]) -> Table:
    """Confidence in records of texts outside the domain of the schema, beside right and wrong records."""
    kinds = {
        "right": [one for one in insiders if one.score.records],
        "not all right": [one for one in insiders if not one.score.records],
        "of a text that does not fit": strangers,
    }
    rows = tuple((name, len(of), *_means(of)) for name, of in kinds.items())
    columns = (
        Column("record"), Column("number", "count"), Column("mean confidence", "share"), Column("valid", "share")
    )  # fmt: skip
    return Table(title="Does the model know when a record is wrong?", columns=columns, rows=rows)


def _outsiders_summary(table: Table) -> str:
    right, wrong, outside = (Column("", "share").shown(row[2]) for row in table.rows)
    return (
        f"The mean confidence is {right} in records that are right, {wrong} in others, and {outside} in those of texts "
        "that do not fit the schema; these are valid too."
    )


def _total(found: Sequence[_Judged]) -> Score:
    return sum((one.score for one in found), Score())


def _means(of: Sequence[_Judged]) -> tuple[float | None, float | None]:
    """Mean confidence and share of valid records; None without records."""
    if not of:
        return None, None
    return sum(one.confidence for one in of) / len(of), sum(one.is_valid for one in of) / len(of)


def _sample(wanted: Wanted, found: _Judged) -> Example:
    lines = [("text", wanted.text), ("record", found.completion.text)]
    if wanted.record and not found.score.records:
        lines.append(("right would be", json.dumps(wanted.record, ensure_ascii=False)))
    verdict = "" if not wanted.record else ", right" if found.score.records else ", not all right"
    kind = "does not fit the schema" if not wanted.record else wanted.source
    return Example(heading=f"{kind}: confidence {found.confidence:.0%}{verdict}", lines=tuple(lines))
