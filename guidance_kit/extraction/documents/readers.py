"""Every format read: the files that there are, their documents, and the number of these."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from guidance_kit.errors import OptionError
from guidance_kit.extraction.documents.csv_file import columns_of, read_csv
from guidance_kit.extraction.documents.document import Document, Unreadable, unreadable
from guidance_kit.extraction.documents.json_lines import listed, read_json_lines
from guidance_kit.extraction.documents.lines import WholeFileError, lines_with_text
from guidance_kit.extraction.documents.parquet_file import parquet_columns, read_parquet
from guidance_kit.extraction.documents.reading import FORMATS, Format, Reading
from guidance_kit.extraction.documents.sources import DocumentSource, place_of, reason_of, sources_of
from guidance_kit.extraction.documents.text_file import read_text
from guidance_kit.extraction.parquet_table import require_pyarrow

__all__ = ["count", "find", "read"]

_READERS: dict[Format, Callable[[DocumentSource, Reading], Iterator[Document | Unreadable]]] = {
    "text": read_text,
    "jsonl": read_json_lines,
    "csv": read_csv,
    "parquet": read_parquet,
}


def find(inputs: Sequence[str], reading: Reading, *, but: Iterable[str | Path] = ()) -> list[DocumentSource]:
    """The files behind paths, folders and "-", in the order given, each once.

    What is no regular file is read where it is named, if it can be, and left out of folders with a warning.

    Args:
        inputs: paths of files and folders; "-" for standard input.
        reading: how they will be read.
        but: files to leave out of folders, such as the output.
    Raises:
        OptionError: nothing to read at all: no input exists, or there is no file with a known suffix; a file with
            rows, and no field is named; a file in Parquet, and pyarrow is not installed.
    """
    skipped = {place_of(path) for path in but}
    found: list[DocumentSource] = []
    seen: set[str] = set()
    for given in inputs:
        for source in sources_of(given, reading, skipped):
            place = "-" if source.is_standard_input else place_of(source.name)
            if place not in seen:
                seen.add(place)
                found.append(source)
    if not found:
        where = ", ".join(inputs) or "no input"
        raise OptionError(f"no documents in {where}; files with these endings are read: {', '.join(FORMATS)}")
    if all(source.problem for source in found):
        raise OptionError("; ".join(f"{source.name}: {source.problem}" for source in found[:3]))
    if any(source.format == "parquet" and not source.problem for source in found):
        require_pyarrow()
    if reading.field is None:
        for source in found:
            if source.format != "text" and not source.problem:
                raise OptionError(
                    f"which field of {source.name} is the text? Name it with --field{_fields_in(source, reading)}"
                )
    return found


def read(sources: Iterable[DocumentSource], reading: Reading) -> Iterator[Document | Unreadable]:
    """The documents of each source in turn, read when they are asked for."""
    for source in sources:
        if source.problem:
            yield unreadable(source.name, b"", source.problem)
            continue
        try:
            yield from _READERS[source.format](source, reading)
        except OSError as error:
            yield unreadable(source.name, b"", reason_of(error))


def count(sources: Iterable[DocumentSource], reading: Reading) -> int | None:
    """Number of documents that `read` will yield; None if that cannot be known before they are read."""
    total = 0
    for source in sources:
        if source.problem or source.format == "text" or not (source.is_standard_input or Path(source.name).exists()):
            total += 1
            continue
        if source.is_read_once:
            return None
        try:
            if source.format == "jsonl":
                total += sum(1 for _ in lines_with_text(source, reading))
            else:
                total += sum(1 for _ in _READERS[source.format](source, reading))
        except (OSError, WholeFileError):
            total += 1
    return total


def _fields_in(source: DocumentSource, reading: Reading) -> str:
    """The fields that there are to choose from, for an error."""
    if source.is_read_once:
        return ""
    try:
        if source.format != "jsonl":
            columns = parquet_columns(source) if source.format == "parquet" else columns_of(source, reading)
            return f": {listed(columns)}" if columns else ""
        line = next(lines_with_text(source, reading), None)
        if line is None or line.problem:
            return ""
        value = json.loads(line.text)
        return f": {listed(value)}" if isinstance(value, dict) else ""
    except (OSError, ValueError, RecursionError, csv.Error, WholeFileError):
        return ""
