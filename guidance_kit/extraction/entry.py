"""Line of one document in the output of a batch job, and the counts of many."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from guidance_kit.extraction.documents import Document, Unreadable

__all__ = ["Entry", "Failure", "Tally", "encodable", "failed_entry", "message_of", "one_line"]


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


def failed_entry(document: Document | Unreadable, error: Exception, message: str, *, text: str | None = None) -> Entry:
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
