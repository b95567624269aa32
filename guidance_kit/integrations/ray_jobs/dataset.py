"""Callables for `map_batches` of Ray Data: records, labels and texts for the rows of a dataset.

    import ray
    from guidance_kit.integrations.ray_jobs.dataset import ExtractRecords

    rows = ray.data.read_parquet("mails.parquet").map_batches(
        ExtractRecords,
        fn_constructor_kwargs={"model": "support-2m", "schema": schema, "text": "body"},
        batch_size=32, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=2),
    )
    rows.write_parquet("records")

Each actor loads the model once; with `engine="vllm"` an engine of vLLM runs it, see `EngineModel`. A row that fails has
its error in the column `error`, and the others are as they would be without it.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from guidance_kit.decoding.partial_results import results_of
from guidance_kit.errors import BatchError, OptionError
from guidance_kit.extraction.careful_work import CarefulWork, Work
from guidance_kit.extraction.classification import label_work
from guidance_kit.extraction.documents.document import Document, Unreadable, document, unreadable
from guidance_kit.extraction.entry import Entry
from guidance_kit.extraction.record_work import RecordWork
from guidance_kit.extraction.table_columns import Number, spelled
from guidance_kit.grammars.argument import ConstraintArgument, constraint_of
from guidance_kit.integrations.engines import EngineName, load_on
from guidance_kit.tasks.prompted import record_of

__all__ = ["ClassifyTexts", "ExtractRecords", "GenerateTexts"]

Rows = dict[str, np.ndarray[Any, Any]]
"""Batch of Ray Data: columns by name."""

Source = str | Path | Callable[[], Any] | None
"""Name, folder or file of a model, as `gk.load` takes it, or a function that makes a model or a formula."""


class ExtractRecords:
    """Extract a record from each row, as JSON in the column `record`; null where there is an error.

    Args:
        model: the model of this actor, see `Source`; or a function that makes an `Extractor`.
        schema: JSON Schema, type, or `json_schema(...)`.
        text: column of the texts.
        engine, engine_options: of a model that is given by its name, see `load_on`.
        excerpts: whether free strings are copied from the text; see `Model.extract`.
        options: of `Model.generate`. What is drawn for a row depends on `seed` and its text alone.
    Raises:
        OptionError, ModelError, BudgetError: as `extraction.job.run`.
    """

    def __init__(
        self,
        model: Source = None,
        schema: Any = None,
        *,
        text: str = "text",
        engine: EngineName = "transformers",
        engine_options: Mapping[str, Any] | None = None,
        excerpts: bool = False,
        **options: Any,
    ) -> None:
        work = RecordWork(constraint=record_of(schema), options=options, excerpts=excerpts)
        self._column = _TextColumn(work.on(_loaded(model, engine, engine_options)), text)

    def __call__(self, rows: Rows) -> Rows:
        """The rows with the columns `record` and `error`."""
        return self._column.with_fields(rows, "record")


class ClassifyTexts:
    """Classify each row: the columns `label` and `probability`; null where there is an error, or no label is sure.

    Args:
        model: the model of this actor, see `Source`.
        labels: list of labels, or an object from labels to descriptions.
        text: column of the texts.
        engine, engine_options: as in `ExtractRecords`.
        options: of `Model.classifier`.
    Raises:
        OptionError, ModelError: as `Model.classifier`.
    """

    def __init__(
        self,
        model: Source = None,
        labels: Sequence[str] | Mapping[str, str] = (),
        *,
        text: str = "text",
        engine: EngineName = "transformers",
        engine_options: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        classifier = _loaded(model, engine, engine_options).classifier(labels, **options)
        self._column = _TextColumn(label_work(classifier), text)

    def __call__(self, rows: Rows) -> Rows:
        """The rows with the columns `label`, `probability` and `error`."""
        return self._column.with_fields(rows, "label", "probability")


class GenerateTexts:
    """Continue the prompt of each row under a constraint and steering: the column `completion`.

    Args:
        model: the model of this actor, see `Source`; for steering a function that makes a formula.
        constraint: of all texts.
        prompt: column of the prompts.
        engine, engine_options: as in `ExtractRecords`.
        options: of `Model.generate`, `guides` among them; in vLLM of `EngineModel.generate`, `steering` among them.
    Raises:
        OptionError, ModelError, ConstraintError: as `Model.generate`.
    """

    def __init__(
        self,
        model: Source = None,
        constraint: ConstraintArgument | None = None,
        *,
        prompt: str = "prompt",
        engine: EngineName = "transformers",
        engine_options: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        loaded = _loaded(model, engine, engine_options)
        made = None if constraint is None else constraint_of(constraint)

        def work(some: Sequence[Document]) -> list[Entry]:
            prompts = [one.text for one in some]
            found, errors = results_of(lambda: loaded.generate(prompts, made, **options))
            entries = [
                None
                if completion is None
                else Entry(source=one.source, line=json.dumps({"completion": completion.text}))
                for one, completion in zip(some, found, strict=True)
            ]
            if errors:
                raise BatchError(errors, entries)
            return [entry for entry in entries if entry is not None]

        self._column = _TextColumn(work, prompt)

    def __call__(self, rows: Rows) -> Rows:
        """The rows with the columns `completion` and `error`."""
        return self._column.with_fields(rows, "completion")


class _TextColumn:
    """Column of texts, and the work on it."""

    def __init__(self, work: Work, name: str) -> None:
        self._careful = CarefulWork(work)
        self._name = name

    def with_fields(self, rows: Rows, *fields: str) -> Rows:
        """The rows with some fields of their lines, and `error`."""
        entries = self._careful.entries([_document(text) for text in rows[self._name].tolist()])
        lines = [json.loads(entry.line, parse_int=Number, parse_float=Number) for entry in entries]
        errors = [f"{type(entry.error).__name__}: {entry.message}" if entry.error else None for entry in entries]
        found = {name: _array([_cell(line, name) for line in lines]) for name in fields}
        return {**rows, **found, "error": _array(errors)}


def _document(text: object) -> Document | Unreadable:
    if not isinstance(text, str):
        return unreadable("row", b"", f"it has no text but {text!r:.40}")
    return document("row", text)


_CELLS: dict[str, Callable[[Any], Any]] = {
    "record": spelled,
    "label": str,
    "probability": float,
    "completion": str,
}
"""Values of columns from those of lines."""


def _cell(line: Mapping[str, Any], name: str) -> Any:
    value = line.get(name)
    return None if value is None and (name != "record" or name not in line) else _CELLS[name](value)


def _array(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _loaded(model: Source, engine: EngineName, engine_options: Mapping[str, Any] | None) -> Any:
    """Model of this actor.

    Raises:
        OptionError: an engine for a function that makes a model; as `load_on`.
        ModelError: as `load_on`.
    """
    if not callable(model):
        return load_on(engine, model, engine_options or {})
    if engine != "transformers" or engine_options:
        raise OptionError("engine is for a model that is given by its name; a function makes one of any engine")
    return model()
