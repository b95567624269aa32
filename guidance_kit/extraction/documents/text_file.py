"""Files that are one document."""

from __future__ import annotations

from collections.abc import Iterator

from guidance_kit.extraction.documents.document import Document, Unreadable, document, unreadable
from guidance_kit.extraction.documents.lines import WholeFileError, bytes_of, decode
from guidance_kit.extraction.documents.reading import Reading
from guidance_kit.extraction.documents.sources import DocumentSource

__all__ = ["read_text"]


def read_text(source: DocumentSource, reading: Reading) -> Iterator[Document | Unreadable]:
    """The document that a file is."""
    try:
        yield document(source.name, decode(bytes_of(source), reading.encoding))
    except WholeFileError as error:
        yield unreadable(source.name, error.raw, str(error))
