"""The batch job: a line for each document, whatever happens to single ones; here with a record read out of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from guidance_kit.decoding.cut_field import cut_at
from guidance_kit.decoding.field_confidence import RecordConfidence
from guidance_kit.decoding.field_limit import record_options
from guidance_kit.decoding.partial_results import results_of
from guidance_kit.errors import (
    BatchError,
    BudgetError,
    ContextLengthError,
    DocumentError,
    GuidanceKitError,
    IncompleteError,
    MatchError,
    OptionError,
    UnsatisfiableError,
    UnspellableError,
    VocabularyError,
)
from guidance_kit.extraction.documents import Document, Unreadable
from guidance_kit.extraction.output import Output, PartialBatchError
from guidance_kit.grammars.constraint import Constraint

__all__ = [
    "Entry", "Extractor", "Failure", "Routing", "Tally", "encodable", "message_of", "one_line", "process", "run",
]  # fmt: skip

MOST_UNEXPECTED = 8
"""So many documents in a row that fail for a reason that is not theirs end the job: the device is gone, say."""


_DIGITS = 6
"""Of probabilities; what is beyond depends on which documents were in one batch."""


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


class Extractor(Protocol):
    """Model of a job; `guidance_kit.model.Model` is one."""

    def extraction_prompt(self, text: str, schema: Any) -> list[int]:
        """The tokens after which the model writes the record of `text`."""
        ...

    def thinking_prompt(self, text: str, schema: Any) -> Any:
        """Prompt after which the model thinks and writes the record of `text`."""
        ...

    def generate(self, prompts: Any, constraint: Any = None, *, batch_size: int = 32, **options: Any) -> Any:
        """A `Completion` for each prompt, or an error; see `Model.generate`."""
        ...

    def confidence(self, completion: Any, given: Any = True, *, batch_size: int = 32) -> RecordConfidence:
        """Probability of each field of a record; see `Model.confidence`."""
        ...

    def min_tokens_to_complete(self, constraint: Constraint) -> int | None:
        """Number of tokens of the shortest record; see `Model.min_tokens_to_complete`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A document without a record.

    Args:
        source: of the document.
        error: why, as an exception.
        message: why, as its line has it.
    """

    source: str
    error: Exception
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Progress of a job.

    Args:
        records: documents with a record, or a label, in this run.
        unsure: those of them whose record has a field below the minimum confidence.
        failed: documents without one in this run.
        known: documents that an earlier run has seen to.
        tokens: tokens generated for the records of this run.
        failures: of the last batch.
    """

    records: int = 0
    unsure: int = 0
    failed: int = 0
    known: int = 0
    tokens: int = 0
    failures: tuple[Failure, ...] = ()

    @property
    def documents(self) -> int:
        """Documents seen to, in this run and before."""
        return self.records + self.failed + self.known


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
    filled = record_options(options or {})
    extraction = _Extraction(
        model, constraint, filled, excerpts=excerpts, routing=routing, explain=explain or message_of
    )
    extraction.check_room()
    return process(
        documents,
        extraction.entries,
        output,
        unsure=None if routing is None else routing.unsure,
        batch_size=batch_size,
        on_batch=on_batch,
        explain=explain,
    )


def process(
    documents: Iterable[Document | Unreadable],
    work: Callable[[Sequence[Document]], list[Entry]],
    output: Output,
    *,
    unsure: Output | None = None,
    batch_size: int = 32,
    on_batch: Callable[[Tally], None] = lambda tally: None,
    explain: Callable[[Exception], str] | None = None,
) -> Tally:
    """Write one line a document to `output`, whatever the work is; see `run`.

    Args:
        work: the entries of some documents, in their order; or a BatchError with the entries of those that did
            not fail; the others are given to it again, each alone. If it fails otherwise for several they are given to
            it again half by half, until those that are to blame are alone.
        unsure: output of the entries that are unsure; None for `output`.
        documents, output, batch_size, on_batch, explain: as in `run`.
    Returns:
        The final tally.
    Raises:
        OptionError, UnspellableError, VocabularyError: as `work`, since they are not of a document.
        Exception: as `run`.
    """
    if batch_size < 1:
        raise OptionError(f"batch_size must be an integer, at least 1, not {batch_size!r}")
    careful = _Careful(work, explain or message_of)
    tally = Tally()
    outputs = [output] if unsure is None else [unsure, output]
    for known, batch in _batches(documents, outputs, batch_size):
        entries = careful.entries(batch)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The line of one document.

    Args:
        source: of the document.
        line: JSON, without a line end.
        tokens: that were generated for it.
        error: why it has no record; None if it has one.
        message: of the error.
        is_unsure: its record has a field below the minimum confidence.
    """

    source: str
    line: str
    tokens: int = 0
    is_unsure: bool = False
    error: Exception | None = None
    message: str = ""


class _Careful:
    """Batches of documents to entries; a bad document fails alone."""

    def __init__(self, work: Callable[[Sequence[Document]], list[Entry]], explain: Callable[[Exception], str]) -> None:
        self._work = work
        self._explain = explain
        self._unexpected = 0  # documents in a row that failed for a reason that is not theirs

    def entries(self, batch: Sequence[Document | Unreadable]) -> list[Entry]:
        """The entries of a batch, in its order."""
        readable = [document for document in batch if isinstance(document, Document)]
        found = dict(zip((id(document) for document in readable), self._entries(readable), strict=True))
        return [
            found[id(document)]
            if isinstance(document, Document)
            else _failed(document, document.error, self._explain(document.error))
            for document in batch
        ]

    def _entries(self, documents: Sequence[Document]) -> list[Entry]:
        """The entries of documents, all at once, or half by half if that fails: so a bad one is found by itself."""
        if not documents:
            return []
        failure, results = None, None
        try:
            results = self._work(documents)
        except (OptionError, UnspellableError, VocabularyError):
            raise
        except BatchError as error:
            results = error.results
        except (GuidanceKitError, ValueError, RuntimeError, MemoryError) as error:
            if len(documents) == 1:
                failure = error
        # Outside of the handlers, which keep the frames and their tensors alive.
        if failure is not None:
            self._count(failure)
            return [_failed(documents[0], failure.with_traceback(None), self._explain(failure))]
        if results is None:
            middle = len(documents) // 2
            return self._entries(documents[:middle]) + self._entries(documents[middle:])
        entries: list[Entry] = []
        for document, entry in zip(documents, results, strict=True):
            if entry is None:  # alone, so that its error does not depend on the others
                entries += self._entries([document])
            else:
                self._unexpected = 0
                entries.append(entry)
        return entries

    def _count(self, error: Exception) -> None:
        """End the job if it is the model that fails, not the documents."""
        if _is_of_the_document(error):
            return
        self._unexpected += 1
        if self._unexpected >= MOST_UNEXPECTED:
            error.add_note(
                f"the last {self._unexpected} documents failed alike, so the job was stopped; "
                "what was written before stays"
            )
            raise error


class _Extraction:
    """Documents to records."""

    def __init__(
        self,
        model: Extractor,
        constraint: Constraint,
        options: dict[str, Any],
        *,
        excerpts: bool,
        routing: Routing | None,
        explain: Callable[[Exception], str],
    ) -> None:
        self.model = model
        self.routing = routing
        self.constraint = constraint
        self.options = options
        self.excerpts = excerpts
        self.explain = explain

    def check_room(self) -> None:
        """See that `max_tokens` leave room for the shortest record, if records are to be completed within them.

        Raises:
            BudgetError: if they do not, whatever the documents are.
        """
        tokens = self.options["max_tokens"]
        if self.options.get("complete") and isinstance(tokens, int):
            needed = self.model.min_tokens_to_complete(self.constraint)
            if needed is None or needed > tokens:
                raise BudgetError(tokens=tokens, needed=needed)

    def entries(self, documents: Sequence[Document]) -> list[Entry]:
        """The entries of documents, all at once."""
        completions, errors = results_of(lambda: self._completions(documents))
        entries = [
            None if completion is None else self._entry(document, completion)
            for document, completion in zip(documents, completions, strict=True)
        ]
        if errors:
            raise BatchError(errors, entries)
        return [entry for entry in entries if entry is not None]

    def _entry(self, document: Document, completion: Any) -> Entry:
        """The line of a document for which the model has written something."""
        tokens = len(completion.tokens)
        try:
            _ = completion.value  # validated
        except Exception as error:  # a validator of the caller's type may raise anything
            message = self.explain(error)
            if isinstance(error, IncompleteError) and error.pointer is None:
                field, length = cut_at(completion.text)
                message += f"; it was cut in {field or 'the root'}, after {length:,} characters of it"
            return replace(_failed(document, error, message, text=completion.text), tokens=tokens)
        head = json.dumps({"source": document.source, "digest": document.digest}, ensure_ascii=False)
        others: dict[str, Any] = {"finish_reason": completion.finish_reason, "tokens": tokens}
        is_unsure = False
        if self.routing is not None:
            found = self.model.confidence(completion, self.routing.settings)
            others["confidence"] = {
                pointer: {"probability": round(one.probability, _DIGITS), "method": one.method}
                for pointer, one in found.items()
            }
            is_unsure = found.least is not None and found.least.probability < self.routing.minimum
        tail = json.dumps(others, ensure_ascii=False)
        return Entry(
            source=document.source,
            line=encodable(f'{head[:-1]}, "record": {one_line(completion.text)}, {tail[1:]}'),
            tokens=tokens,
            is_unsure=is_unsure,
        )

    def _completions(self, documents: Sequence[Document]) -> list[Any]:
        options = self.options
        thinks = any(options.get(name) for name in ("think", "sketch"))
        written = self.model.thinking_prompt if thinks else self.model.extraction_prompt
        prompts = [written(document.text, self.constraint) for document in documents]
        if options.get("seed") is None or (options["temperature"] == 0 and not thinks):
            return self.model.generate(prompts, self._constraint(documents), batch_size=len(prompts), **options)
        return [  # one by one, since a batch has one seed; so a document's record never depends on its neighbours
            self.model.generate(
                [prompt], self._constraint([document]), **{**options, "seed": _seed(options["seed"], document)}
            )[0]
            for document, prompt in zip(documents, prompts, strict=True)
        ]

    def _constraint(self, documents: Sequence[Document]) -> Constraint | list[Constraint]:
        """Constraint on the records of documents, one for all or one for each."""
        if not self.excerpts:
            return self.constraint
        return [self.constraint.excerpts_of(document.text) for document in documents]


def _is_of_the_document(error: Exception) -> bool:
    """Test whether another document may well succeed."""
    if isinstance(
        error, BudgetError | ContextLengthError | DocumentError | MatchError | MemoryError | UnsatisfiableError
    ):
        return True
    if isinstance(error, GuidanceKitError | RuntimeError):
        return any(sign in str(error) for sign in ("out of memory", "DefaultCPUAllocator"))
    return True


def _seed(seed: int, document: Document) -> int:
    """The seed of one document: 63 bits."""
    text = f"{seed}\n{document.source}\n{document.digest}"
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 1


def _failed(document: Document | Unreadable, error: Exception, message: str, *, text: str | None = None) -> Entry:
    """The line of a document without a record; `text` is what the model has written of one."""
    said = {"type": type(error).__name__, "message": message}
    if text is not None:
        said["text"] = text
    line = json.dumps({"source": document.source, "digest": document.digest, "error": said}, ensure_ascii=False)
    return Entry(source=document.source, line=encodable(line), error=error, message=message)


def message_of(error: Exception) -> str:
    """Message of an error in one line, without pydantic's additions for programmers."""
    lines = (line.strip() for line in str(error).splitlines())
    return " ".join(line for line in lines if line and not line.startswith("For further information")) or repr(error)


def encodable(line: str) -> str:
    """`line` with escapes for lone surrogates, which names of files may have and UTF-8 does not."""
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", line)


_PARTS = re.compile(r'("(?:[^"\\]|\\.)*+")|[ \t\r\n]+|([,:])')


def one_line(text: str) -> str:
    """A JSON text as `json.dumps` spaces it, and unchanged otherwise: every digit of a number stays.

    >>> one_line('{\\n "a" :1.10,\\t"b c":[ ]}')
    '{"a": 1.10, "b c": []}'
    """
    return _PARTS.sub(lambda match: match[1] or (f"{match[2]} " if match[2] else ""), text)
