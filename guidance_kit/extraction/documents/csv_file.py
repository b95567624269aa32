"""Files of comma-separated values, of which a column has the documents.

Records are those of the csv module in strict mode: a quote opens a cell only at its beginning, is written twice inside
it, and after the one that closes it comes a delimiter or the end of the line. A quote that is missing or one too many
therefore ends in an error of the records that it touches; a reader that tolerates it would join them to one text.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from guidance_kit.extraction.documents.document import Document, Unreadable, document, unreadable
from guidance_kit.extraction.documents.json_lines import listed
from guidance_kit.extraction.documents.lines import Line, WholeFileError, lines
from guidance_kit.extraction.documents.reading import Reading
from guidance_kit.extraction.documents.sources import DocumentSource

__all__ = ["columns_of", "read_csv"]

_DELIMITERS = ",;\t|"
_LARGEST_CELL = 2**31 - 1
"""Characters; the csv module stops at 131,072 unless told otherwise."""


@dataclass(slots=True)
class _Lines:
    """The lines of a file as the csv module asks for them, those of the current record kept."""

    source: Iterator[Line]
    current: list[Line] = field(default_factory=list[Line])

    def __iter__(self) -> Iterator[str]:
        for line in self.source:
            self.current.append(line)
            yield line.text

    @property
    def raw(self) -> bytes:
        """The bytes of the current record."""
        return b"".join(line.raw for line in self.current)


@dataclass(frozen=True, slots=True)
class _Header:
    """The first record of a file.

    Args:
        columns: its cells.
        delimiter: between them.
        lines: that it is in, or the whole file if a quote in it is never closed.
        behind: lines that were read behind it, to find the delimiter.
        problem: why it is none; "" if it is one.
        wrong: the complaint about bytes that could not be decoded; of no harm if they are in another column.
    """

    columns: list[str]
    delimiter: str
    lines: list[Line]
    behind: list[Line]
    problem: str = ""
    wrong: str = ""


def read_csv(source: DocumentSource, reading: Reading) -> Iterator[Document | Unreadable]:
    """One document a record."""
    column = str(reading.field)
    try:
        found = lines(source, reading)
        header = _header(found, column)
        problem = header.problem or _column_problem(header, column)
        if problem:
            yield unreadable(source.name, b"".join(line.raw for line in header.lines), problem)
            return
        yield from _documents(source.name, itertools.chain(header.behind, found), header, column)
    except WholeFileError as error:
        yield unreadable(source.name, error.raw, str(error))


def columns_of(source: DocumentSource, reading: Reading) -> list[str]:
    """The names of the columns, for a message; none if the header cannot be read.

    Raises:
        OSError, WholeFileError: the file cannot be read.
    """
    return _header(lines(source, reading), None).columns


def _documents(name: str, found: Iterator[Line], header: _Header, column: str) -> Iterator[Document | Unreadable]:
    """The documents in the records behind the header."""
    rows = _Lines(found)
    records = csv.reader(rows, delimiter=header.delimiter, strict=True)
    place, number = header.columns.index(column), 0
    while True:
        rows.current.clear()
        problem, cells = "", list[str]()
        try:
            cells = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            problem = _quote_problem(rows.current, header.delimiter, error)
        if not cells and not problem:
            continue
        number += 1
        bad = [line for line in rows.current if line.problem]
        problem = bad[0].problem if bad else problem or _cells_problem(cells, header, place, rows.current[-1])
        if problem:
            yield unreadable(f"{name}#{number}", rows.raw, problem)
        else:
            yield document(f"{name}#{number}", cells[place].replace("\r\n", "\n").replace("\r", "\n"))


def _header(found: Iterator[Line], column: str | None) -> _Header:
    """The header, with the delimiter that gives it this column; for None, and if none does, with the most frequent."""
    csv.field_size_limit(_LARGEST_CELL)
    first = next((line for line in found if line.text.strip()), None)
    if first is None:
        return _Header([], ",", [], [])
    seen = [first]
    likely = max(_DELIMITERS, key=first.text.count)
    others = [] if column is None else [delimiter for delimiter in _DELIMITERS if delimiter != likely]
    best: _Header | None = None
    for delimiter in [likely, *others]:
        header = _split_header(seen, found, delimiter)
        if column in header.columns:
            return header
        best = best or header
    assert best is not None
    return best


def _split_header(seen: list[Line], found: Iterator[Line], delimiter: str) -> _Header:
    """The header with this delimiter; lines that it takes beyond those seen are added to them."""

    def again() -> Iterator[Line]:
        yield from list(seen)
        for line in found:
            seen.append(line)
            yield line

    rows = _Lines(again())
    try:
        columns, problem = next(csv.reader(rows, delimiter=delimiter, strict=True)), ""
    except csv.Error as error:
        columns, problem = [], f"the header: {_quote_problem(rows.current, delimiter, error)}"
    wrong = next((line.problem for line in rows.current if line.problem), "")
    return _Header(columns, delimiter, rows.current, seen[len(rows.current) :], problem, wrong)


def _column_problem(header: _Header, column: str) -> str:
    """The complaint about a header without this column, or with two of them."""
    places = [place for place, name in enumerate(header.columns, start=1) if name == column]
    if not places:
        return header.wrong or f"no column {column!r}; there are {listed(header.columns)}"
    if len(places) > 1:
        return f"the columns {' and '.join(map(str, places))} are both named {column!r}; rename one"
    return ""


def _cells_problem(cells: list[str], header: _Header, place: int, last: Line) -> str:
    """The complaint about a record whose cells are not those of the header.

    Empty cells behind the last are no harm. Where some are missing, the text is whole unless the file ends in it.
    """
    count = len(header.columns)
    if any(cells[count:]):
        return (
            f"the record in line {last.number} has {len(cells)} cells, the header {count}; "
            f"a cell with {header.delimiter!r} in it is written in quotes"
        )
    if place >= len(cells):
        return f"the record ends after cell {len(cells)}; {header.columns[place]!r} would be {place + 1}"
    if place == len(cells) - 1 < count - 1 and not last.text.endswith(("\n", "\r")):
        return f"the file ends within the record: after {len(cells)} of {count} cells, without a line end"
    return ""


def _quote_problem(current: list[Line], delimiter: str, error: csv.Error) -> str:
    """The complaint about a record that the csv module refuses, with the place of the quote that is to blame."""
    first, last = current[0].number, current[-1].number
    where = f"line {first}" if first == last else f"lines {first} to {last}"
    line, cell, is_closed = _last_quote(current, delimiter)
    if line is None:
        return f"{where}: not CSV: {error}"
    rest = f"nothing in {where} is read; a quote inside a cell in quotes is written twice"
    if is_closed:
        return f"the quote that opens cell {cell} in line {line} is closed before a text; {rest}"
    return f"the quote that opens cell {cell} in line {line} is never closed; {rest}"


def _last_quote(current: list[Line], delimiter: str) -> tuple[int | None, int, bool]:
    """The last quote that opens a cell: its line, the number of the cell in the record, and whether it is closed.

    A quote that is closed before anything but a delimiter or a line end is where the csv module gives up.
    """
    opened, cell, is_open = None, 1, False
    for line in current:
        text, position = line.text, 0
        while position <= len(text):
            if is_open:
                quote = text.find('"', position)
                if quote < 0:
                    break
                if text.startswith('"', quote + 1):
                    position = quote + 2
                    continue
                is_open, position = False, quote + 1
                if position < len(text) and text[position] not in f"{delimiter}\r\n":
                    return opened, cell, True
            elif text.startswith('"', position):
                opened, is_open, position = line.number, True, position + 1
                continue
            end = text.find(delimiter, position)
            if end < 0:
                break
            cell, position = cell + 1, end + 1
    return (opened, cell, False) if is_open else (None, cell, False)
