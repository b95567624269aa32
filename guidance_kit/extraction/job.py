"""The batch job: a line for each document, whatever happens to single ones; here with a record read out of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from guidance_kit.errors import OptionError
from guidance_kit.extraction.careful_work import Batch, CarefulWork, Explain, RunBatches, Work
from guidance_kit.extraction.documents import Document, Unreadable
from guidance_kit.extraction.entry import Entry, Failure, Tally, message_of
from guidance_kit.extraction.output import Output, PartialBatchError
from guidance_kit.extraction.record_work import Extractor, RecordWork
from guidance_kit.grammars.constraint import Constraint

__all__ = ["Routing", "one_after_another", "process", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """Confidence in the fields of records, and where records of a low confidence go.

    Args:
        settings: settings of `Model.confidence`: True, "before", "record" or a `Confidence`.
        minimum: lowest probability of a field of a sure record, in [0, 1].
        unsure: output of the records that have a lower one; None for that of all.
    """

    settings: Any = True
    minimum: float = 0.0
    unsure: Output | None = None


def run(
    documents: Iterable[Document | Unreadable],
    model: Extractor,
    constraint: Constraint,
    output: Output,
    *,
    excerpts: bool = False,
    batch_size: int = 32,
    options: Mapping[str, Any] | None = None,
    routing: Routing | None = None,
    on_batch: Callable[[Tally], None] = lambda tally: None,
    explain: Callable[[Exception], str] | None = None,
) -> Tally:
    """Write one line a document to `output`, in the order of the documents.

    A document that cannot be read, does not fit the context, has no room for its record or gives a record that breaks
    the type's own conditions gets a line with its error, and the others go on. Documents that `output` has are passed
    over. Each batch is safe once it is written, so whatever ends the job costs at most the running one.

    Args:
        documents: taken as they are needed.
        model: a `Model`.
        constraint: from `json_schema`.
        output: a `RecordFile`, `StandardOutput` or the like.
        excerpts: whether strings about which the schema says no more are copied from the document; see `json_schema`.
        batch_size: how many documents run at once; fewer, with a warning, if memory runs out.
        options: of `Model.generate`, with the defaults of `record_options`. With `seed`, what is drawn for a document
            depends on it and the document alone.
        routing: confidence in the fields, which the lines have then, and where documents with a low one go.
        on_batch: called after each batch is written, and whenever many known documents were passed over.
        explain: the message of an error, for the line of its document; by default `message_of`.
    Returns:
        The final tally.
    Raises:
        UnspellableError: the model's vocabulary cannot spell the constraint.
        OptionError: an option is unknown or has a bad value. Like the one above, before any line is written.
        BudgetError: with the option `complete`, `max_tokens` suffice for no record; before any line is written.
        Exception: MOST_UNEXPECTED documents in a row failed for a reason that is not theirs; the last such error.
    """
    work = RecordWork(
        constraint=constraint,
        options=options or {},
        excerpts=excerpts,
        confidence=None if routing is None else routing.settings,
        minimum=0.0 if routing is None else routing.minimum,
        explain=explain or message_of,
    )
    return process(
        documents,
        one_after_another(work.on(model), work.explain),
        output,
        unsure=None if routing is None else routing.unsure,
        batch_size=batch_size,
        on_batch=on_batch,
    )


def one_after_another(work: Work, explain: Explain = message_of) -> RunBatches:
    """Run batches in this process; see `CarefulWork`."""
    careful = CarefulWork(work, explain)
    return lambda batches: map(careful.entries, batches)


def process(
    documents: Iterable[Document | Unreadable],
    run_batches: RunBatches,
    output: Output,
    *,
    unsure: Output | None = None,
    batch_size: int = 32,
    on_batch: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Write one line a document to `output`, whatever the work is, and whoever does it; see `run`.

    Args:
        run_batches: `one_after_another(work)`, or the like.
        unsure: output of the entries that are unsure; None for `output`.
        documents, output, batch_size, on_batch: as in `run`.
    Returns:
        The final tally.
    Raises:
        OptionError, UnspellableError, VocabularyError: as the work, since they are not of a document.
        Exception: as `run`.
    """
    if batch_size < 1:
        raise OptionError(f"batch_size must be an integer, at least 1, not {batch_size!r}")
    tally = Tally()
    outputs = [output] if unsure is None else [unsure, output]
    passed_over: deque[int] = deque()  # known documents before the end of each batch that runs

    def new_batches() -> Iterator[Batch]:
        for known, batch in _batches(documents, outputs, batch_size):
            passed_over.append(known)
            yield batch

    for entries in run_batches(new_batches()):
        known = passed_over.popleft()
        written: list[Entry] = []
        for one in outputs:
            some = [entry for entry in entries if entry.is_unsure == (one is unsure) or unsure is None]
            try:
                if some:
                    one.append([entry.line for entry in some])
            except PartialBatchError as error:
                on_batch(_counted(tally, known, written + some[: error.lines]))
                raise
            written += some
        tally = _counted(tally, known, entries)
        on_batch(tally)
    return replace(tally, failures=())


def _counted(tally: Tally, known: int, entries: Sequence[Entry]) -> Tally:
    """The tally after some more documents: known ones, and those with new entries."""
    failures = tuple(
        Failure(source=entry.source, error=entry.error, message=entry.message)
        for entry in entries
        if entry.error is not None
    )
    return replace(
        tally,
        records=tally.records + len(entries) - len(failures),
        unsure=tally.unsure + sum(entry.is_unsure for entry in entries),
        failed=tally.failed + len(failures),
        known=tally.known + known,
        tokens=tally.tokens + sum(entry.tokens for entry in entries),
        failures=failures,
    )


_MANY = 1000
"""After so many known documents in a row the caller is told how far the job is."""


def _batches(
    documents: Iterable[Document | Unreadable], outputs: Sequence[Output], size: int
) -> Iterator[tuple[int, list[Document | Unreadable]]]:
    """New documents in batches, each with the number of known ones passed over before its end."""
    known = 0
    batch: list[Document | Unreadable] = []
    for document in documents:
        if any(output.has(document.source, document.digest) for output in outputs):
            known += 1
        else:
            batch.append(document)
        if len(batch) == size or (not batch and known >= _MANY):
            yield known, batch
            known, batch = 0, []
    if batch or known:
        yield known, batch
