"""Documents read from files, folders and standard input, one at a time.

What can be read becomes a `Document`, what cannot an `Unreadable` with its reason, so that one bad file or row does
not stop the others.

| suffix             | documents                                  | source           |
|--------------------|--------------------------------------------|------------------|
| .txt, .md          | the whole file                             | `path`           |
| .jsonl, .ndjson    | a field of the object on each line         | `path#line`      |
| .csv, .tsv         | a column of each record after the header   | `path#record`    |
| a folder           | the files in it with these suffixes, sorted by path, recursively  |
| `-`                | standard input: one text, or rows if a format is given            |

Lines and records are counted from 1; blank lines are no documents.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import encodings.aliases
import hashlib
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from guidance_kit.errors import DocumentError, OptionError

__all__ = ["Document", "Format", "Reading", "Source", "Unreadable", "count", "find", "read"]

Format = Literal["text", "jsonl", "csv"]

_FORMATS: dict[str, Format] = {
    ".txt": "text",
    ".md": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
}
_DELIMITERS = ",;\t|"
_LARGEST_CELL = 2**31 - 1
"""Characters; the csv module stops at 131,072 unless told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text to read a record out of.

    Args:
        source: where it stands: a path, with `#row` if it is one of several in a file; "-" for standard input.
        text: not empty, newlines as `\\n`.
        digest: of the text, see `digest_of`. A document that changes is another document.
    """

    source: str
    text: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A document that cannot be read.

    Args:
        source: as in `Document`.
        digest: of the bytes that were there, "" if there were none.
        error: why.
    """

    source: str
    digest: str
    error: DocumentError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read.

    Args:
        field: of JSON lines and CSV: the field or column with the text. A field inside an object inside the line is
            named with a dot: "message.body". Lines that are JSON strings are taken as they are.
        encoding: of all files, as Python names it. A byte order mark is dropped.
        format: of all files, whatever their suffix; None to go by the suffix (text for unknown ones).
    Raises:
        OptionError: no such encoding or format; it names the nearest.
    """

    field: str | None = None
    encoding: str = "utf-8"
    format: Format | None = None

    def __post_init__(self) -> None:
        known = sorted(set(_FORMATS.values()))
        if self.format is not None and self.format not in known:
            raise OptionError.unknown(self.format, known, "format")
        try:
            with contextlib.suppress(UnicodeError):
                b"a".decode(self.encoding)  # an empty text would be decoded by any name
        except (LookupError, ValueError):
            names = {*encodings.aliases.aliases, *encodings.aliases.aliases.values()}
            known = {name.replace("_", "-") for name in names}
            raise OptionError.unknown(self.encoding.replace("_", "-"), known, "encoding") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file, or standard input, with documents in it.

    Args:
        name: the path as it was given, with the way to the file inside a folder; "-" for standard input.
        format: what is in it.
        problem: why it cannot be read at all; "" if it can.
    """

    name: str
    format: Format
    problem: str = ""

    @property
    def is_standard_input(self) -> bool:
        """Whether it is no file."""
        return self.name == "-"


def digest_of(content: str | bytes) -> str:
    """Sixteen hexadecimal digits of SHA-256 of a text in UTF-8, or of bytes."""
    raw = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(raw).hexdigest()[:16]


def find(inputs: Sequence[str], reading: Reading, *, but: Iterable[str | Path] = ()) -> list[Source]:
    """The files behind paths, folders and "-", in the order given, each once.

    Args:
        inputs: paths of files and folders; "-" for standard input.
        reading: how they will be read.
        but: files to leave out of folders, such as the output.
    Raises:
        OptionError: nothing to read at all: no input exists, or there is no file with a known suffix; a file with
            rows, and no field is named.
    """
    skipped = {_place(path) for path in but}
    found: list[Source] = []
    seen: set[str] = set()
    for given in inputs:
        for source in _sources(given, reading, skipped):
            place = "-" if source.is_standard_input else _place(source.name)
            if place not in seen:
                seen.add(place)
                found.append(source)
    if not found:
        where = ", ".join(inputs) or "no input"
        raise OptionError(f"no documents in {where}; files with these endings are read: {', '.join(_FORMATS)}")
    if all(source.problem for source in found):
        raise OptionError("; ".join(f"{source.name}: {source.problem}" for source in found[:3]))
    if reading.field is None:
        for source in found:
            if source.format != "text" and not source.problem:
                raise OptionError(
                    f"which field of {source.name} is the text? Name it with --field{_fields_in(source, reading)}"
                )
    return found


def read(sources: Iterable[Source], reading: Reading) -> Iterator[Document | Unreadable]:
    """The documents of each source in turn, read when they are asked for."""
    for source in sources:
        if source.problem:
            yield _unreadable(source.name, b"", source.problem)
            continue
        try:
            yield from _READERS[source.format](source, reading)
        except OSError as error:
            yield _unreadable(source.name, b"", _reason(error))


def count(sources: Iterable[Source], reading: Reading) -> int | None:
    """How many documents `read` will yield; None if that cannot be known before they are read."""
    total = 0
    for source in sources:
        if source.problem or source.format == "text":
            total += 1
            continue
        if source.is_standard_input or Path(source.name).is_fifo():  # can be read once
            return None
        try:
            if source.format == "csv":
                total += sum(1 for _ in _read_csv(source, reading))
            else:
                total += sum(1 for _ in _lines_with_text(source, reading))
        except (OSError, _WholeFileError):
            total += 1
    return total


class _WholeFileError(Exception):
    """A file of rows in which no row can be told from the others."""

    def __init__(self, raw: bytes, problem: str) -> None:
        super().__init__(problem)
        self.raw = raw


def _sources(given: str, reading: Reading, skipped: set[str]) -> Iterator[Source]:
    """The files behind one input."""
    if given == "-":
        yield Source(name="-", format=reading.format or "text")
        return
    path = Path(given)
    if path.is_dir():
        yield from _in_folder(path, reading, skipped)
        return
    format = reading.format or _FORMATS.get(path.suffix.lower(), "text")
    problem = ""
    try:
        path.stat()  # not opened: a pipe can be read once
    except OSError as error:
        problem = _reason(error)
    yield Source(name=path.as_posix(), format=format, problem=problem)


def _in_folder(folder: Path, reading: Reading, skipped: set[str]) -> Iterator[Source]:
    """The files with known suffixes in a folder, sorted by path; hidden ones are left out."""
    files: list[Path] = []
    refused: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=refused.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [
            Path(place, name)
            for name in names
            if not name.startswith(".")
            and Path(name).suffix.lower() in _FORMATS
            and _place(Path(place, name)) not in skipped
        ]
    for path in sorted(files, key=lambda file: file.parts):
        yield Source(name=path.as_posix(), format=reading.format or _FORMATS[path.suffix.lower()])
    for error in refused:
        yield Source(name=Path(str(error.filename)).as_posix(), format="text", problem=_reason(error))


def _place(path: str | Path) -> str:
    """The file behind a path, whatever the way to it."""
    return os.path.realpath(path)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _unreadable(source: str, raw: bytes, problem: str) -> Unreadable:
    return Unreadable(source=source, digest=digest_of(raw) if raw else "", error=DocumentError(f"{source}: {problem}"))


def _document(source: str, text: str) -> Document | Unreadable:
    """The document with this text, if there is one in it."""
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        return _unreadable(
            source, text.encode("utf-8", "surrogatepass"), f"the text has a lone surrogate at character {error.start}"
        )
    if not text.strip():
        return _unreadable(source, raw, "the document is empty")
    return Document(source=source, text=text, digest=digest_of(raw))


def _bytes_of(source: Source) -> bytes:
    return sys.stdin.buffer.read() if source.is_standard_input else Path(source.name).read_bytes()


def _binary_lines(source: Source) -> Iterator[bytes]:
    """Lines with their ends, read as they are asked for."""
    if source.is_standard_input:
        yield from sys.stdin.buffer
        return
    with open(source.name, "rb") as file:
        yield from file


def _has_ascii_lines(encoding: str) -> bool:
    """Whether lines can be told apart before they are decoded; not so in UTF-16."""
    return "\n".encode(encoding) == b"\n"


def _wrong_bytes(raw: bytes, offset: int, encoding: str, head: bytes) -> str:
    """What to say about a byte that the encoding does not have."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        hint = "it looks like UTF-16; read it with --encoding utf-16"
    elif head.startswith((b"%PDF", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b")):
        hint = "it looks like a PDF, office or compressed file, not a text"
    else:
        hint = "name its encoding with --encoding, perhaps cp1252"
    return f"byte {offset} (0x{raw[0]:02x}) is not {encoding}; {hint}"


def _decode(raw: bytes, encoding: str) -> str:
    """The text of a whole file, newlines as \\n, without a byte order mark.

    Raises:
        _WholeFileError: bytes that the encoding does not have.
    """
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise _WholeFileError(raw, _wrong_bytes(raw[error.start :], error.start, encoding, raw[:8])) from None
    except UnicodeError as error:  # a codec that gives no position, such as utf-16 without a byte order mark
        raise _WholeFileError(raw, f"not {encoding}: {error}") from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _read_text(source: Source, reading: Reading) -> Iterator[Document | Unreadable]:
    """A file that is one document."""
    try:
        yield _document(source.name, _decode(_bytes_of(source), reading.encoding))
    except _WholeFileError as error:
        yield _unreadable(source.name, error.raw, str(error))


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a file: its number from 1, its bytes, and its text or why there is none."""

    number: int
    raw: bytes
    text: str
    problem: str = ""


def _lines(source: Source, reading: Reading) -> Iterator[_Line]:
    """All lines, decoded one by one, so that a bad byte spoils one of them only.

    Raises:
        _WholeFileError: bytes that the encoding does not have, in an encoding whose lines cannot be told apart.
    """
    encoding = reading.encoding
    if not _has_ascii_lines(encoding):
        for number, text in enumerate(io.StringIO(_decode(_bytes_of(source), encoding), newline="\n"), start=1):
            yield _Line(number, text.encode("utf-8", "surrogatepass"), text)
        return
    offset, head = 0, b""
    for number, raw in enumerate(_binary_lines(source), start=1):
        head = head or raw[:8]
        try:
            text = raw.decode(encoding)
            yield _Line(number, raw, text.removeprefix("\ufeff") if number == 1 else text)
        except UnicodeDecodeError as error:
            problem = _wrong_bytes(raw[error.start :], offset + error.start, encoding, head)
            yield _Line(number, raw, raw.decode(encoding, "replace"), problem)
        offset += len(raw)


def _lines_with_text(source: Source, reading: Reading) -> Iterator[_Line]:
    return (line for line in _lines(source, reading) if line.text.strip())


def _read_jsonl(source: Source, reading: Reading) -> Iterator[Document | Unreadable]:
    """One document a line."""
    try:
        for line in _lines_with_text(source, reading):
            name = f"{source.name}#{line.number}"
            if line.problem:
                yield _unreadable(name, line.raw, line.problem)
                continue
            try:
                yield _document(name, _text_in(json.loads(line.text), reading.field))
            except (ValueError, RecursionError) as error:
                problem = str(error) if isinstance(error, DocumentError) else f"the line is not JSON: {error}"
                yield _unreadable(name, line.raw, problem)
    except _WholeFileError as error:
        yield _unreadable(source.name, error.raw, str(error))


def _text_in(value: Any, field: str | None) -> str:
    """The text in the value of a line.

    Raises:
        DocumentError: there is none.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise DocumentError(f"the line is {_kind(value)}, not an object")
    assert field is not None
    found: Any = value
    if field in value:
        found = value[field]
    else:
        for part in field.split("."):
            if not isinstance(found, dict) or part not in found:
                raise DocumentError(f"no field {field!r}; there are {_listed(value)}")
            found = found[part]
    if not isinstance(found, str):
        raise DocumentError(f"the field {field!r} is {_kind(found)}, not a text")
    return found


def _kind(value: Any) -> str:
    """The JSON type of a value, in words."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return {dict: "an object", list: "an array", str: "a text"}.get(type(value), "a number")


def _listed(names: Iterable[str]) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown[:12]) + (f" and {len(shown) - 12} more" if len(shown) > 12 else "") or "none"


def _read_csv(source: Source, reading: Reading) -> Iterator[Document | Unreadable]:
    """One document a record."""
    bad: list[tuple[bytes, str]] = []  # lines of the current record that cannot be decoded

    def texts() -> Iterator[str]:
        for line in _lines(source, reading):
            if line.problem:
                bad.append((line.raw, line.problem))
            yield line.text

    lines = texts()
    csv.field_size_limit(_LARGEST_CELL)
    try:
        header = next((line for line in lines if line.strip()), "")
        while header.count('"') % 2 and (more := next(lines, "")):
            header += more
        delimiter, column = _column(header, reading.field)
        if column is None:
            columns = next(csv.reader([header], delimiter=delimiter), [])
            yield _unreadable(
                source.name,
                header.encode("utf-8", "replace"),
                f"no column {reading.field!r}; there are {_listed(columns)}",
            )
            return
        bad.clear()
        records = csv.reader(lines, delimiter=delimiter)
        number = 0
        while True:
            problem = ""
            try:
                cells = next(records)
            except StopIteration:
                return
            except csv.Error as error:
                cells, problem = [], f"the record is not CSV: {error}"
            if not cells and not problem:
                continue
            number += 1
            name = f"{source.name}#{number}"
            if bad:
                yield _unreadable(name, b"".join(raw for raw, _ in bad), bad[0][1])
                bad.clear()
            elif problem or column >= len(cells):
                problem = problem or f"the record ends after cell {len(cells)}; {reading.field!r} would be {column + 1}"
                yield _unreadable(name, "\x1f".join(cells).encode("utf-8", "surrogatepass"), problem)
            else:
                yield _document(name, cells[column].replace("\r\n", "\n").replace("\r", "\n"))
    except _WholeFileError as error:
        yield _unreadable(source.name, error.raw, str(error))


def _column(header: str, field: str | None) -> tuple[str, int | None]:
    """The delimiter with which a header has this column, and the number of the column from 0."""
    for delimiter in _DELIMITERS:
        columns = next(csv.reader([header], delimiter=delimiter), [])
        if field in columns:
            return delimiter, columns.index(field)
    return max(_DELIMITERS, key=header.count), None


def _fields_in(source: Source, reading: Reading) -> str:
    """What there is to choose from, for an error."""
    if source.is_standard_input:
        return ""
    try:
        line = next(_lines_with_text(source, reading), None)
        if line is None or line.problem:
            return ""
        if source.format == "csv":
            delimiter = max(_DELIMITERS, key=line.text.count)
            return f": {_listed(next(csv.reader([line.text], delimiter=delimiter)))}"
        value = json.loads(line.text)
        return f": {_listed(value)}" if isinstance(value, dict) else ""
    except (OSError, ValueError, RecursionError, csv.Error, _WholeFileError):
        return ""


_READERS = {"text": _read_text, "jsonl": _read_jsonl, "csv": _read_csv}
