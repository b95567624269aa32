"""Evaluation of intent classification: exact label probabilities against generated labels and a bag-of-words model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from guidance_kit.decoding.classification import Calibration
from guidance_kit.evaluation.judges import WordClassifier, calibration_error
from guidance_kit.evaluation.results import Column, Curve, Evaluation, Example, Plot, Progress, Table
from guidance_kit.evaluation.sets import Labelled

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["Answers", "evaluate_intents"]

_COLUMNS = (
    Column("method"), Column("accuracy", "share"), Column("ECE", "share"), Column("log loss, nats", "number"),
    Column("not a label", "share"), Column("sure of 80 %", "share"),
)  # fmt: skip

_NOTE = (
    "ECE is the expected calibration error over ten bins. Log loss is the mean of -ln of the probability of the right "
    'label. "sure of 80 %" is the accuracy on the four fifths of the texts of which a method is surest.'
)

_LEAST_OF_A_BIN = 5
"""Minimum number of texts in a plotted bin; below it a bin is noise."""

_CALIBRATIONS: dict[str, Calibration | None] = {"": None, ", contextual": "contextual", ", batch": "batch"}


@dataclass(frozen=True, slots=True)
class Answers:
    """Predictions of one method.

    Args:
        labels: one a text; None for an output that is no label.
        confidences: probabilities of these labels, in [0, 1].
        right: probabilities of the right labels, None if the method has none.
    """

    labels: Sequence[str | None]
    confidences: Sequence[float]
    right: Sequence[float] | None


def evaluate_intents(
    models: Mapping[str, Model],
    source: Sequence[Labelled],
    train: Mapping[str, Sequence[Labelled]],
    *,
    further: Mapping[str, Sequence[Labelled]] = MappingProxyType({}),
    prompt: Callable[[str], str] | None,
    label_text: Callable[[str], str] = lambda label: label,
    on_step: Progress = lambda step: None,
) -> Evaluation:
    """Classify texts by label probabilities, by generation, and by bag-of-words classifiers.

    Args:
        models: models by name.
        source: texts with their labels.
        train: training sets by name, one for each bag-of-words classifier.
        further: further texts by name, with the same labels, for a table of their own.
        prompt: function from a text to the prompt before a label; None for the prompt of `Model.classify`.
        label_text: function from a label to its text after that prompt.
    """
    labels = sorted({one.label for some in (source, *train.values()) for one in some})
    texts = [one.text for one in source]
    found: dict[str, Answers] = {}
    for name, model in models.items():
        for suffix, calibration in _CALIBRATIONS.items():
            on_step(f"{len(texts)} texts: {name}, probabilities{suffix}")
            found[f"{name}, probabilities{suffix}"] = _by_probability(
                model, source, labels, prompt, label_text, calibration
            )
        if prompt is not None:
            on_step(f"{len(texts)} texts: {name}, written")
            found[f"{name}, written"] = _by_writing(model, texts, labels, prompt, label_text)
    words = {name: WordClassifier([one.text for one in of], [one.label for one in of]) for name, of in train.items()}
    for name, judge in words.items():
        on_step(f"{len(texts)} texts: words, {name}")
        found[f"words, {name}"] = _by_words(source, judge)
    others: dict[tuple[str, str], tuple[float | None, ...]] = {}
    for title, some in further.items():
        on_step(f"{len(some)} texts: {title}")
        for name, model in models.items():
            answers = _by_probability(model, some, labels, prompt, label_text)
            others[title, f"{name}, probabilities"] = _row(answers, _right(answers, some))
        for name, judge in words.items():
            answers = _by_words(some, judge)
            others[title, f"words, {name}"] = _row(answers, _right(answers, some))
    right = {name: _right(of, source) for name, of in found.items()}
    rows = tuple((name, *_row(of, right[name])) for name, of in found.items())
    best = next(iter(found))
    plotted = {name: of for name, of in found.items() if not name.endswith("contextual")}
    summary = [f"By their probabilities {sum(right[best]) / len(source):.1%} of the labels are right ({best})."]
    summary += [
        f"{name[0].upper()}{name[1:]}: {sum(right[name]) / len(source):.1%}."
        for name in found
        if name.startswith("words") or name.endswith("written")
    ]
    summary += [f"{title[0].upper()}{title[1:]}, {best}: {others[title, best][0]:.1%}." for title in further]
    return Evaluation(
        name="intents",
        title="Intents by the probabilities of labels",
        summary=tuple(summary),
        figures={f"accuracy, {name}": sum(of) / len(source) for name, of in right.items()}
        | {f"accuracy, {title}, {name}": row[0] or 0.0 for (title, name), row in others.items()},
        settings={
            "models": ", ".join(models),
            "texts": f"{len(source):,}",
            **{title: f"{len(some):,}" for title, some in further.items()},
            "labels": str(len(labels)),
        },
        tables=(
            Table(title="Labels", columns=_COLUMNS, rows=rows, note=_NOTE),
            *_table_of(others),
            _confused(source, found[best]),
        ),
        plots=(_abstention(plotted, right), _reliability(plotted, right)),
        samples=tuple(_samples(source, found, right)),
    )


def _by_probability(
    model: Model,
    source: Sequence[Labelled],
    labels: Sequence[str],
    prompt: Callable[[str], str] | None,
    label_text: Callable[[str], str],
    calibration: Calibration | None = None,
) -> Answers:
    written = {label_text(label): label for label in labels}
    texts = [one.text for one in source]
    scored = model.classify(texts, list(written), prompt=prompt, calibration=calibration)
    probabilities = [{written[score.label]: score.probability for score in one.scores} for one in scored]
    return Answers(
        [written[one.scores[0].label] for one in scored],
        [one.probability for one in scored],
        [of[one.label] for of, one in zip(probabilities, source, strict=True)],
    )


def _by_writing(
    model: Model,
    texts: Sequence[str],
    labels: Sequence[str],
    prompt: Callable[[str], str],
    label_text: Callable[[str], str],
) -> Answers:
    """Predictions by greedy generation up to the end of the line, with the probability of the text as confidence."""
    written = {label_text(label).strip(): label for label in labels}
    options = {"max_tokens": 24, "temperature": 0, "stop": "\n", "logprobs": 0, "batch_size": 100}
    found = model.generate([prompt(text) for text in texts], **options)
    sums = [sum(record.logprob for record in one.logprobs or ()) for one in found]
    return Answers([written.get(one.text.strip()) for one in found], [math.exp(value) for value in sums], None)


def _by_words(source: Sequence[Labelled], judge: WordClassifier) -> Answers:
    rows = judge.probabilities([one.text for one in source])
    best = [max(range(len(row)), key=row.__getitem__) for row in rows]
    column = {label: number for number, label in enumerate(judge.labels)}
    right = [row[column[one.label]] if one.label in column else 0.0 for row, one in zip(rows, source, strict=True)]
    return Answers([judge.labels[place] for place in best], [max(row) for row in rows], right)


def _table_of(others: Mapping[tuple[str, str], tuple[float | None, ...]]) -> Iterator[Table]:
    """Table of the metrics on further texts, if there are any."""
    if others:
        rows = tuple((title, name, *row) for (title, name), row in others.items())
        yield Table(title="Further texts", columns=(Column("texts"), *_COLUMNS), rows=rows)


def _right(of: Answers, source: Sequence[Labelled]) -> list[bool]:
    """Test, for each text, for a right prediction."""
    return [label == one.label for label, one in zip(of.labels, source, strict=True)]


def _row(of: Answers, right: Sequence[bool]) -> tuple[float | None, ...]:
    least = 1e-12
    loss = None if of.right is None else sum(-math.log(max(p, least)) for p in of.right) / len(of.right)
    _, accuracies = _accuracy_over_coverage(of, right)
    return (
        sum(right) / len(right),
        calibration_error(of.confidences, right),
        loss,
        sum(label is None for label in of.labels) / len(right),
        accuracies[round(0.8 * 20) - 1],
    )


def _accuracy_over_coverage(of: Answers, right: Sequence[bool]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Accuracy over coverage: predictions ordered by confidence, for twenty shares of them."""
    ordered = sorted(range(len(right)), key=lambda place: -of.confidences[place])
    parts = [max(1, round(share * len(ordered) / 20)) for share in range(1, 21)]
    shares = tuple(part / len(ordered) for part in parts)
    return shares, tuple(sum(right[place] for place in ordered[:part]) / part for part in parts)


def _abstention(found: Mapping[str, Answers], right: Mapping[str, Sequence[bool]]) -> Plot:
    curves: list[Curve] = []
    for name, of in found.items():
        shares, accuracies = _accuracy_over_coverage(of, right[name])
        curves.append(Curve(name=name, x=shares, y=accuracies))
    return Plot(
        title="Abstaining from what is unsure",
        x="share of the texts that are answered",
        y="accuracy of the answers",
        curves=tuple(curves),
        is_from_zero=False,
    )


def _reliability(found: Mapping[str, Answers], right: Mapping[str, Sequence[bool]]) -> Plot:
    curves: list[Curve] = []
    for name, of in found.items():
        bins: dict[int, list[tuple[float, bool]]] = {}
        for confidence, is_right in zip(of.confidences, right[name], strict=True):
            bins.setdefault(min(int(10 * confidence), 9), []).append((confidence, is_right))
        points = [
            (sum(c for c, _ in some) / len(some), sum(r for _, r in some) / len(some))
            for _, some in sorted(bins.items())
            if len(some) >= _LEAST_OF_A_BIN
        ]
        curves.append(Curve(name=name, x=tuple(x for x, _ in points), y=tuple(y for _, y in points)))
    return Plot(
        title="Is a confidence what it says?",
        note=f"Bins of at least {_LEAST_OF_A_BIN} texts.",
        x="confidence, mean of a bin",
        y="accuracy of the bin",
        curves=tuple(curves),
        has_diagonal=True,
    )


def _confused(source: Sequence[Labelled], of: Answers, most: int = 10) -> Table:
    """Table of the most frequent confusions of labels."""
    counts: dict[tuple[str, str], int] = {}
    for one, label in zip(source, of.labels, strict=True):
        if label is not None and label != one.label:
            counts[one.label, label] = counts.get((one.label, label), 0) + 1
    ordered = sorted(counts.items(), key=lambda item: -item[1])[:most]
    return Table(
        title="Taken for another label",
        columns=(Column("label"), Column("taken for"), Column("times", "count")),
        rows=tuple((right, wrong, count) for (right, wrong), count in ordered),
    )


def _samples(
    source: Sequence[Labelled], found: Mapping[str, Answers], right: Mapping[str, Sequence[bool]], most: int = 5
) -> list[Example]:
    """Errors of the first method, in descending order of confidence."""
    name = next(iter(found))
    wrong = [place for place in range(len(source)) if not right[name][place]]
    surest = sorted(wrong, key=lambda place: -found[name].confidences[place])[:most]
    return [
        Example(
            heading=f"{source[place].label}, taken for {found[name].labels[place]}",
            lines=(
                ("text", source[place].text),
                *((method, f"{of.labels[place]} ({of.confidences[place]:.0%})") for method, of in found.items()),
            ),
        )
        for place in surest
    ]
