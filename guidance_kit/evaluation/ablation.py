"""Ablation of the constraint: the same records generated with and without it, on tasks where it matters or not.

The tasks are schemas as in training and unlike them, models never tuned for extraction, and a small token budget.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guidance_kit.decoding.completion import Completion
from guidance_kit.evaluation.record_runs import RUNS, Run, record_constraint, write_records
from guidance_kit.evaluation.records import Score, is_valid, score
from guidance_kit.evaluation.results import Column, Progress, Rate, Table
from guidance_kit.evaluation.schema_variants import VARIANTS, branch
from guidance_kit.evaluation.sets import Wanted

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = [
    "Measured", "Task", "ablation_figures", "ablation_summary", "ablation_table", "free_strings", "measure_ablation",
    "measured",     "tasks_of",
]  # fmt: skip

MAX_TOKENS = 200
"""Least token limit of a record under a changed schema."""

UNTUNED_MAX_TOKENS = 100
"""Least token limit of a record of a model that was not tuned, which seldom ends a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Texts, schemas and a model, for runs with and without the constraint.

    Args:
        has_excerpts: run a third time, with extractive strings.
    """

    name: str
    model: Model
    source: Sequence[Wanted]
    max_tokens: int
    has_excerpts: bool = False

    @property
    def runs(self) -> tuple[Run, ...]:
        """Runs in the order of the table."""
        return RUNS if self.has_excerpts else ("none", "schema")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Metrics of one run of a task.

    Args:
        valid: records valid under the schema, by jsonschema with formats.
        fields: right fields, of those in the reference or the record.
        quoted: strings that are excerpts of the text, of those that the schema leaves free.
        tokens: generated tokens, mean over the texts.
        calls: generated tokens with an alternative, mean over the texts. The others are forced; generated alone, a text
            takes so many model calls.
    """

    valid: Rate
    fields: Rate
    quoted: Rate
    tokens: float
    calls: float


def tasks_of(
    model: Model, source: Sequence[Wanted], untuned: Mapping[str, Model], variants: Iterable[str] = tuple(VARIANTS)
) -> list[Task]:
    """Tasks on texts: other schemas, other models, and the least token limit in which all records can be completed.

    Args:
        untuned: models that were not tuned for extraction, by name.
        variants: keys of `VARIANTS`.
    """
    changed = {name: [VARIANTS[name](one) for one in source] for name in variants}
    tasks = [
        Task(name=name, model=model, source=some, max_tokens=max(MAX_TOKENS, _least_budget(model, some)))
        for name, some in changed.items()
    ]
    for name, of in untuned.items():
        limit = max(UNTUNED_MAX_TOKENS, _least_budget(of, source))
        tasks.append(Task(name=name, model=of, source=source, max_tokens=limit, has_excerpts=True))
    least = _least_budget(model, source)
    tasks.append(Task(name=f"at most {least} tokens", model=model, source=source, max_tokens=least))
    return tasks


def _least_budget(model: Model, source: Sequence[Wanted]) -> int:
    """Least `max_tokens` in which all records can be completed."""
    constraints = (record_constraint(one, "schema") for one in source)
    return max(model.min_tokens_to_complete(constraint) or 0 for constraint in constraints if constraint is not None)


def measure_ablation(
    tasks: Sequence[Task], *, batch_size: int = 25, on_step: Progress = lambda step: None
) -> dict[tuple[str, Run], Measured]:
    """Metrics of each run of each task, by the names of both."""
    found: dict[tuple[str, Run], Measured] = {}
    for task in tasks:
        for run in task.runs:
            on_step(f"{len(task.source)} texts, {task.name}: {run}")
            completions = write_records(task.model, task.source, run, batch_size=batch_size, max_tokens=task.max_tokens)
            found[task.name, run] = measured(completions, task.source)
    return found


def measured(completions: Sequence[Completion], source: Sequence[Wanted]) -> Measured:
    """Metrics of the records of texts, generated with `logprobs`."""
    pairs = [(completion, one) for completion, one in zip(completions, source, strict=True)]
    total = sum((score(completion.text, one.record) for completion, one in pairs), Score())
    quotes = [quote for completion, one in pairs for quote in _quotes(completion.text, one)]
    records = [record for completion in completions for record in completion.logprobs or ()]
    return Measured(
        valid=Rate(sum(is_valid(completion.text, one.schema) for completion, one in pairs), len(pairs)),
        fields=Rate(total.right, total.fields),
        quoted=Rate(sum(quotes), len(quotes)),
        tokens=sum(len(completion.tokens) for completion in completions) / len(pairs),
        calls=sum(record.choices > 1 for record in records) / len(pairs),
    )


def _quotes(text: str, one: Wanted) -> list[bool]:
    """Test of each free string of a record for an excerpt of the text; none for a text that is no JSON."""
    try:
        record = json.loads(text)
    except ValueError:
        return []
    source = " ".join(one.text.split())
    return [" ".join(string.split()) in source for string in free_strings(record, one.schema)]


def free_strings(value: Any, schema: dict[str, Any]) -> Iterator[str]:
    """Strings of a record on which its schema has no enumeration, format or pattern.

    Keys and members that the schema does not name are skipped.
    """
    of = branch(value, schema)
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in of.get("properties", {}):
                yield from free_strings(inner, of["properties"][name])
    elif isinstance(value, list):
        for inner in value:
            yield from free_strings(inner, of.get("items", {}))
    elif isinstance(value, str) and "string" in of.get("type", ()) and not of.keys() & {"enum", "format", "pattern"}:
        yield value


_COLUMNS = (
    Column("task"), Column("constraint"), Column("valid records", "rate"), Column("fields right", "rate"),
    Column("strings quoted", "rate"), Column("tokens", "number"), Column("model calls", "number"),
)  # fmt: skip

_NOTE = (
    "The same texts with and without the constraint, decoded greedily. In brackets: counts, and 95 % intervals "
    "(Wilson) in per cent; the fields of one record depend on each other, so the intervals of fields are too narrow. "
    "Valid: by jsonschema, formats included. Right: equal to the reference; a text that is no JSON object has every "
    "field wrong. Quoted: verbatim in the text, of the free strings that were written. Tokens and model calls: mean "
    "of a text; a forced token takes no call in a text generated alone."
)


def ablation_table(found: Mapping[tuple[str, Run], Measured]) -> Table:
    """Table of the metrics, one row a run."""
    rows = tuple(
        (task, run, one.valid, one.fields, one.quoted, one.tokens, one.calls) for (task, run), one in found.items()
    )
    return Table(title="With and without the constraint", columns=_COLUMNS, rows=rows, note=_NOTE)


def ablation_figures(found: Mapping[tuple[str, Run], Measured]) -> dict[str, float]:
    """Shares of valid records and right fields of each run."""
    named = {f"{task}, {run}": one for (task, run), one in found.items()}
    return {f"valid, {name}": one.valid.share for name, one in named.items()} | {
        f"fields right, {name}": one.fields.share for name, one in named.items()
    }


def ablation_summary(found: Mapping[tuple[str, Run], Measured]) -> list[str]:
    """Sentences on valid records and right fields: shares in the tasks in which they differ, names of the others."""
    names = dict.fromkeys(task for task, _ in found)
    pairs = {task: (found[task, "none"], found[task, "schema"]) for task in names}
    valid = {task: (one.valid, other.valid) for task, (one, other) in pairs.items()}
    fields = {task: (one.fields, other.fields) for task, (one, other) in pairs.items()}
    sentences: list[str] = []
    for name, rates in (("Valid records", valid), ("Right fields", fields)):
        apart = {task: pair for task, pair in rates.items() if pair[0].is_apart_from(pair[1])}
        same = [task for task in rates if task not in apart]
        if apart:
            listed = (f"{task} {free.share:.0%} and {bound.share:.0%}" for task, (free, bound) in apart.items())
            sentences.append(f"{name} without and with the schema: {'; '.join(listed)}.")
        if same:
            sentences.append(f"{name}: no difference beyond the intervals with {'; '.join(same)}.")
    return sentences
