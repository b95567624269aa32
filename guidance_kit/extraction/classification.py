"""The batch job behind `guidance-kit classify`: documents in, labels out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from guidance_kit.decoding.classification import Classification
from guidance_kit.decoding.partial_results import results_of
from guidance_kit.errors import BatchError
from guidance_kit.extraction.careful_work import Work
from guidance_kit.extraction.documents import Document, Unreadable
from guidance_kit.extraction.entry import Entry, Tally, encodable, message_of
from guidance_kit.extraction.job import one_after_another, process
from guidance_kit.extraction.output import Output

__all__ = ["label_work", "run"]

_DIGITS = 6
"""Of probabilities; what is beyond depends on which documents were in one batch."""


def run(
    documents: Iterable[Document | Unreadable],
    classifier: Callable[[Sequence[str]], Sequence[Classification]],
    output: Output,
    *,
    batch_size: int = 32,
    on_batch: Callable[[Tally], None] = lambda tally: None,
    explain: Callable[[Exception], str] | None = None,
) -> Tally:
    """Write one line a document to `output`, in the order of the documents; see `extraction.job.process`.

        {"source": "a.txt", "digest": "0f3a...", "label": "praise", "probability": 0.93, "scores": {...}, "mass": 0.98}

    The label is null where the classifier abstained. A document that has no label for another reason has its error in
    its line.

    Args:
        classifier: `Model.classifier` makes one.
        documents, output, batch_size, on_batch, explain: as in `extraction.job.run`.
    Raises:
        As `extraction.job.process`.
    """

    return process(
        documents,
        one_after_another(label_work(classifier), explain or message_of),
        output,
        batch_size=batch_size,
        on_batch=on_batch,
    )


def label_work(classifier: Callable[[Sequence[str]], Sequence[Classification]]) -> Work:
    """Work of a batch job that labels documents.

    Args:
        classifier: `Model.classifier` makes one.
    """

    def work(some: Sequence[Document]) -> list[Entry]:
        found, errors = results_of(lambda: classifier([document.text for document in some]))
        entries = [None if one is None else _entry(document, one) for document, one in zip(some, found, strict=True)]
        if errors:
            raise BatchError(errors, entries)
        return [entry for entry in entries if entry is not None]

    return work


def _entry(document: Document, found: Classification) -> Entry:
    line = {
        "source": document.source,
        "digest": document.digest,
        "label": found.label,
        "probability": round(found.probability, _DIGITS),
        "scores": {score.label: round(score.probability, _DIGITS) for score in found.scores},
        "mass": round(found.mass, _DIGITS),
    }
    return Entry(source=document.source, line=encodable(json.dumps(line, ensure_ascii=False)))
