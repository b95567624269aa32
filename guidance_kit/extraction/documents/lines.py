"""The bytes of a file, its text, and its lines."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from guidance_kit.extraction.documents.reading import Reading
from guidance_kit.extraction.documents.sources import DocumentSource

__all__ = ["Line", "WholeFileError", "bytes_of", "decode", "lines", "lines_with_text"]

_MARKS = (  # that of UTF-32 begins like that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NO_TEXT = (b"%PDF", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b")
"""First bytes of PDF, zip (.docx, .xlsx), old office and gzip files."""


class WholeFileError(Exception):
    """A file of rows in which no row can be told from the others.

    Args:
        raw: its bytes.
        problem: what is wrong with them.
    """

    def __init__(self, raw: bytes, problem: str) -> None:
        super().__init__(problem)
        self.raw = raw


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file: its number from 1, its bytes, and its text or why there is none."""

    number: int
    raw: bytes
    text: str
    problem: str = ""


def bytes_of(source: DocumentSource) -> bytes:
    """All bytes of a file or of standard input."""
    return sys.stdin.buffer.read() if source.is_standard_input else Path(source.name).read_bytes()


def decode(raw: bytes, encoding: str) -> str:
    """The text of a whole file, newlines as \\n, without a byte order mark.

    Raises:
        WholeFileError: bytes that the encoding does not have, or the mark of another encoding.
    """
    if problem := _foreign_mark(raw[:8], encoding):
        raise WholeFileError(raw, problem)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise WholeFileError(raw, _wrong_bytes(raw[error.start :], error.start, encoding, raw[:8])) from None
    except UnicodeError as error:  # a codec that gives no position
        raise WholeFileError(raw, f"not {encoding}: {error}") from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def lines(source: DocumentSource, reading: Reading) -> Iterator[Line]:
    """All lines, decoded one by one, so that a bad byte spoils one of them only.

    Raises:
        WholeFileError: bytes that the encoding does not have, in an encoding whose lines cannot be told apart; the mark
            of another encoding.
    """
    encoding = reading.encoding
    if not _has_ascii_lines(encoding):
        for number, text in enumerate(io.StringIO(decode(bytes_of(source), encoding), newline="\n"), start=1):
            yield Line(number, text.encode("utf-8", "surrogatepass"), text)
        return
    offset, head = 0, b""
    for number, raw in enumerate(_binary_lines(source), start=1):
        if number == 1:
            head = raw[:8]
            if problem := _foreign_mark(head, encoding):
                raise WholeFileError(raw, problem)
        try:
            text = raw.decode(encoding)
            yield Line(number, raw, text.removeprefix("\ufeff") if number == 1 else text)
        except UnicodeDecodeError as error:
            problem = _wrong_bytes(raw[error.start :], offset + error.start, encoding, head)
            yield Line(number, raw, raw.decode(encoding, "replace"), problem)
        offset += len(raw)


def lines_with_text(source: DocumentSource, reading: Reading) -> Iterator[Line]:
    """The lines that are not blank."""
    return (line for line in lines(source, reading) if line.text.strip())


def _binary_lines(source: DocumentSource) -> Iterator[bytes]:
    """Lines with their ends, read as they are asked for."""
    if source.is_standard_input:
        yield from sys.stdin.buffer
        return
    with open(source.name, "rb") as file:
        yield from file


def _has_ascii_lines(encoding: str) -> bool:
    """Test whether lines can be told apart before they are decoded; not so in UTF-16."""
    return "\n".encode(encoding) == b"\n"


def _foreign_mark(head: bytes, encoding: str) -> str:
    """The complaint about a byte order mark of another encoding; "" if there is none.

    Many encodings have characters for any bytes, so that the text would be read as another one without an error.
    """
    name = codecs.lookup(encoding).name
    for mark, marked in _MARKS:
        if head.startswith(mark):
            if name.startswith(marked):
                return ""
            return f"it begins with the byte order mark of {marked.upper()}; read it with --encoding {marked}"
    return ""


def _wrong_bytes(raw: bytes, offset: int, encoding: str, head: bytes) -> str:
    """The complaint about a byte that the encoding does not have."""
    if head.startswith(_NO_TEXT):
        hint = "it looks like a PDF, office or compressed file, not a text"
    else:
        hint = "name its encoding with --encoding, perhaps cp1252"
    return f"byte {offset} (0x{raw[0]:02x}) is not {encoding}; {hint}"
