"""Evaluation of the confidence in fields: calibration of each field, and abstention by the least sure one."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.field_confidence import FieldConfidence, RecordConfidence
from guidance_kit.evaluation.judges import calibration_error
from guidance_kit.evaluation.record_runs import write_records
from guidance_kit.evaluation.records import is_same, leaves, score
from guidance_kit.evaluation.results import Column, Curve, Evaluation, Example, Plot, Progress, Rate, Table
from guidance_kit.evaluation.sets import Wanted

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["JudgedField", "evaluate_calibration", "judged_fields"]

_GIVEN = ("before", "record")
_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedField:
    """Field of an extracted record with its confidence.

    Args:
        name: last property on its way, without numbers of array items.
        method: see `FieldConfidence`.
        confidence: probability of its value.
        is_right: the value is that of the reference record.
    """

    name: str
    method: str
    confidence: float
    is_right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _ScoredFields:
    """Records of all texts with their confidence, by the text that it is given."""

    source: Sequence[Wanted]
    completions: Sequence[Completion]
    confidences: Mapping[str, Sequence[RecordConfidence]]

    def fields(self, given: str) -> list[JudgedField]:
        """Fields of all records."""
        pairs = zip(self.source, self.confidences[given], strict=True)
        return [field for one, found in pairs for field in judged_fields(one.record, found)]

    def is_right(self) -> list[bool]:
        """Test, for each record, for one that equals the reference record."""
        pairs = zip(self.source, self.completions, strict=True)
        return [bool(score(completion.text, one.record).records) for one, completion in pairs]


def judged_fields(reference: dict[str, Any], found: RecordConfidence) -> list[JudgedField]:
    """Fields of a record, judged by the reference record.

    >>> field = FieldConfidence(pointer="/items/0/size", value=3, probability=0.75, method="exact")
    >>> judged_fields({"items": [{"size": 3}]}, RecordConfidence((field,)))
    [JudgedField(name='size', method='exact', confidence=0.75, is_right=True)]
    """
    expected = dict(leaves(reference))
    return [
        JudgedField(
            name=_name(one),
            method=one.method,
            confidence=one.probability,
            is_right=one.pointer in expected and is_same(expected[one.pointer], one.value),
        )
        for one in found.values()
    ]


def evaluate_calibration(
    model: Model,
    source: Sequence[Wanted],
    *,
    batch_size: int = 25,
    max_tokens: int = 400,
    on_step: Progress = lambda step: None,
) -> Evaluation:
    """Extract records greedily under their schemas, and compare the confidence in each field with what is right.

    Args:
        source: texts with reference records.
    """
    on_step(f"{len(source)} texts")
    completions = write_records(model, source, "schema", batch_size=batch_size, max_tokens=max_tokens)
    confidences: dict[str, list[RecordConfidence]] = {}
    for given in _GIVEN:
        on_step(f"confidence in each field, given the {given if given == 'record' else 'text before it'}")
        confidences[given] = [model.confidence(one, given, batch_size=batch_size) for one in completions]
    found = _ScoredFields(source=source, completions=completions, confidences=confidences)
    return _summarised(model.language_model.name, found)


def _summarised(name: str, found: _ScoredFields) -> Evaluation:
    fields = {given: found.fields(given) for given in _GIVEN}
    figures: dict[str, float] = {}
    for given, some in fields.items():
        figures[f"calibration error, given {given}"] = _error(some)
        finite = [one for one in some if one.method != "text"]
        figures[f"calibration error of finite fields, given {given}"] = _error(finite)
    figures["fields right"] = _share(fields["before"])
    mean = sum(one.confidence for one in fields["before"]) / max(len(fields["before"]), 1)
    summary = (
        f"{figures['fields right']:.1%} of the {len(fields['before']):,} fields are right, at a mean confidence of "
        f"{mean:.1%}: a calibration error of "
        f"{figures['calibration error, given before']:.1%}, and of "
        f"{figures['calibration error, given record']:.1%} if the rest of the record is weighed too."
    )
    return Evaluation(
        name="calibration",
        title="How sure each field is",
        summary=(summary,),
        figures=figures,
        settings={"model": name, "texts": f"{len(found.source):,}", "decoding": "greedy, under the schema"},
        headline=_methods(fields),
        tables=(_table(fields["before"]),),
        plots=(_reliability(fields), _abstention(found)),
        samples=_samples(found),
    )


def _name(field: FieldConfidence) -> str:
    steps = [step for step in field.pointer.split("/") if step and not step.isdigit()]
    return steps[-1] if steps else "(root)"


def _error(fields: Sequence[JudgedField]) -> float:
    return calibration_error([one.confidence for one in fields], [one.is_right for one in fields], _BINS)


def _share(fields: Sequence[JudgedField]) -> float:
    return sum(one.is_right for one in fields) / max(len(fields), 1)


def _row(fields: Sequence[JudgedField]) -> tuple[int, Rate, float, float]:
    count = len(fields)
    rate = Rate(sum(one.is_right for one in fields), count)
    return count, rate, sum(one.confidence for one in fields) / max(count, 1), _error(fields)


_MEASURES = (
    Column("number", "count"), Column("right", "rate"), Column("mean confidence", "share"),
    Column("calibration error", "share"),
)  # fmt: skip


def _methods(fields: Mapping[str, Sequence[JudgedField]]) -> Table:
    rows = [
        (given, method, *_row([one for one in some if one.method == method]))
        for given, some in fields.items()
        for method in sorted({one.method for one in some})
    ]
    return Table(
        title="By the text that a confidence is given, and its method",
        columns=(Column("given"), Column("method"), *_MEASURES),
        rows=tuple(rows),
        note=f"The expected calibration error has {_BINS} bins of equal width. Intervals take fields as independent.",
    )


def _table(fields: Sequence[JudgedField]) -> Table:
    names = sorted({one.name for one in fields})
    rows = tuple((name, *_row([one for one in fields if one.name == name])) for name in names)
    return Table(
        title="Fields",
        columns=(Column("field"), *_MEASURES),
        rows=rows,
        note="Given the text before the field. Of few fields the error is mostly noise.",
    )


def _reliability(fields: Mapping[str, Sequence[JudgedField]]) -> Plot:
    """Accuracy over confidence, in bins of equal numbers of fields."""
    curves: list[Curve] = []
    for given, some in fields.items():
        for name, is_finite in (("finite values", True), ("free text", False)):
            chosen = sorted(
                (one for one in some if (one.method != "text") == is_finite), key=lambda one: one.confidence
            )
            if not chosen or (given == "record" and not is_finite):
                continue
            bins = [
                chosen[len(chosen) * number // _BINS : len(chosen) * (number + 1) // _BINS] for number in range(_BINS)
            ]
            bins = [some for some in bins if some]
            curves.append(
                Curve(
                    name=f"{name}, given {given}",
                    x=tuple(sum(one.confidence for one in some) / len(some) for some in bins),
                    y=tuple(_share(some) for some in bins),
                )
            )
    return Plot(
        title="Reliability",
        x="mean confidence of a tenth of the fields",
        y="share that is right",
        curves=tuple(curves),
        has_diagonal=True,
    )


def _tenths(fields: Sequence[JudgedField]) -> list[Sequence[JudgedField]]:
    """Fields in tenths of equal numbers, without empty ones."""
    bounds = [len(fields) * number // _BINS for number in range(_BINS + 1)]
    return [fields[first:last] for first, last in itertools.pairwise(bounds) if last > first]


def _abstention(found: _ScoredFields) -> Plot:
    """Share of right records over the share that is kept, by the least sure field."""
    right = found.is_right()
    curves: list[Curve] = []
    for given in _GIVEN:
        least = [1.0 if one.least is None else one.least.probability for one in found.confidences[given]]
        order = sorted(range(len(right)), key=lambda place: -least[place])
        parts = [max(1, round(len(order) * number / 20)) for number in range(1, 21)]
        curves.append(
            Curve(
                name=f"given {given}",
                x=tuple(part / len(order) for part in parts),
                y=tuple(sum(right[place] for place in order[:part]) / part for part in parts),
            )
        )
    return Plot(
        title="Keeping only records whose least sure field is above a bound",
        x="share of the records that are kept",
        y="share of them that is right in all fields",
        curves=tuple(curves),
    )


def _samples(found: _ScoredFields) -> tuple[Example, ...]:
    samples: list[Example] = []
    for one, completion, confidence in zip(found.source, found.completions, found.confidences["before"], strict=True):
        least = confidence.least
        if least is not None and least.probability < 0.9 and len(samples) < 4:
            others = ", ".join(
                f"{json.dumps(way.value, ensure_ascii=False)} {way.probability:.0%}" for way in least.alternatives
            )
            lines = [("text", one.text), ("record", completion.text), ("least sure", f"{least.pointer}: {others}")]
            samples.append(Example(heading=f"{least.pointer} {least.probability:.0%}", lines=tuple(lines)))
    return tuple(samples)
