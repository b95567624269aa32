"""Work on batches of documents in which a bad document fails alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from guidance_kit.errors import (
    BatchError,
    BudgetError,
    ContextLengthError,
    DocumentError,
    GuidanceKitError,
    MatchError,
    OptionError,
    UnsatisfiableError,
    UnspellableError,
    VocabularyError,
)
from guidance_kit.extraction.documents import Document, Unreadable
from guidance_kit.extraction.entry import Entry, failed_entry, message_of

__all__ = ["MOST_UNEXPECTED", "Batch", "CarefulWork", "Explain", "RunBatches", "Work"]

Batch = Sequence[Document | Unreadable]
"""Documents that run at once."""

Work = Callable[[Sequence[Document]], list[Entry]]
"""Function from some documents to their entries, in their order; or it raises a BatchError with the entries of those
that did not fail."""

Explain = Callable[[Exception], str]
"""Function from an error to its message in the line of its document."""

RunBatches = Callable[[Iterable[Batch]], Iterator[list[Entry]]]
"""Function that runs batches, taken as they are needed: the entries of each, in their order."""

MOST_UNEXPECTED = 8
"""So many documents in a row that fail for a reason that is not theirs end the job: the device is gone, say."""


class CarefulWork:
    """Batches of documents to entries; a bad document fails alone.

    Documents that the work reports as failed are given to it again, each alone. If it fails otherwise for several, they
    are given to it again half by half, until those that are to blame are alone.

    Args:
        work: on some documents.
        explain: message of an error.
    """

    def __init__(self, work: Work, explain: Explain = message_of) -> None:
        self._work = work
        self._explain = explain
        self._unexpected = 0  # documents in a row that failed for a reason that is not theirs

    def entries(self, batch: Batch) -> list[Entry]:
        """The entries of a batch, in its order.

        Raises:
            OptionError, UnspellableError, VocabularyError: as the work, since they are not of a document.
            Exception: MOST_UNEXPECTED documents in a row failed for a reason that is not theirs; the last such error.
        """
        readable = [document for document in batch if isinstance(document, Document)]
        found = dict(zip((id(document) for document in readable), self._entries(readable), strict=True))
        return [
            found[id(document)]
            if isinstance(document, Document)
            else failed_entry(document, document.error, self._explain(document.error))
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
            return [failed_entry(documents[0], failure.with_traceback(None), self._explain(failure))]
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


def _is_of_the_document(error: Exception) -> bool:
    """Test whether another document may well succeed."""
    if isinstance(
        error, BudgetError | ContextLengthError | DocumentError | MatchError | MemoryError | UnsatisfiableError
    ):
        return True
    if isinstance(error, GuidanceKitError | RuntimeError):
        return any(sign in str(error) for sign in ("out of memory", "DefaultCPUAllocator"))
    return True
