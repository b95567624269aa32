"""Files in Parquet, of which a column has the documents.

Rows are read row group by row group, so that a damaged one costs its own rows only. A column inside a struct is named
with dots, as a field of JSON lines is. Columns of bytes, which older writers make of texts, are decoded.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from guidance_kit.errors import DocumentError
from guidance_kit.extraction.documents.document import Document, Unreadable, document, unreadable
from guidance_kit.extraction.documents.json_lines import listed
from guidance_kit.extraction.documents.lines import WholeFileError, bytes_of, decode
from guidance_kit.extraction.documents.reading import Reading
from guidance_kit.extraction.documents.sources import DocumentSource

__all__ = ["parquet_columns", "read_parquet"]

_ROWS = 1000
"""Rows that are decoded at once."""


def read_parquet(source: DocumentSource, reading: Reading) -> Iterator[Document | Unreadable]:
    """One document a row."""
    field = str(reading.field)
    try:
        file = _opened(source)
        column = _column_of(file.schema_arrow, field)
    except DocumentError as error:
        yield unreadable(source.name, b"", str(error))
        return
    with file:
        number = 0
        for group in range(file.num_row_groups):
            last = number + file.metadata.row_group(group).num_rows
            try:
                for batch in file.iter_batches(_ROWS, row_groups=[group], columns=[column]):
                    for row in batch.to_pylist():
                        number += 1
                        yield _document(f"{source.name}#{number}", row, reading)
            except _parquet_errors() as error:
                rows = f"rows {number + 1:,} to {last:,}" if last > number + 1 else f"row {last:,}"
                yield unreadable(f"{source.name}#{number + 1}", b"", f"{rows} cannot be read: {_reason(error)}")
            number = last


def parquet_columns(source: DocumentSource) -> list[str]:
    """The names of the columns, for a message.

    Raises:
        DocumentError: the file cannot be read.
        OSError: there is none.
    """
    with _opened(source) as file:
        return list(file.schema_arrow.names)


def _opened(source: DocumentSource) -> Any:
    """The file, of which the footer is read.

    Raises:
        DocumentError: it is no Parquet, or damaged.
        OSError: it cannot be read at all.
    """
    from pyarrow import parquet

    try:
        if source.is_read_once:  # the footer is at the end
            return parquet.ParquetFile(io.BytesIO(bytes_of(source)))
        with open(source.name, "rb"):  # for the system's own words of what is wrong
            return parquet.ParquetFile(source.name)
    except _parquet_errors() as error:
        raise DocumentError(f"not a Parquet file, or a damaged one: {_reason(error)}") from None


def _column_of(schema: Any, field: str) -> str:
    """The column of the file in which a field is: its own, or that of the outermost struct around it.

    Raises:
        DocumentError: there is none, there are several of the name, or it has no texts.
    """
    import pyarrow

    name = field if field in schema.names else field.split(".")[0]
    if name not in schema.names:
        raise DocumentError(f"no column {field!r}; there are {listed(schema.names)}")
    if schema.names.count(name) > 1:
        raise DocumentError(f"{schema.names.count(name)} columns are named {name!r}; rename all but one")
    found = schema.field(name).type
    for part in field.split(".")[1:] if name != field else ():
        names = [inner.name for inner in found] if pyarrow.types.is_struct(found) else []
        if part not in names:
            raise DocumentError(f"no column {field!r}: {name!r} is a column of {found}")
        found = found.field(part).type
    value = found.value_type if pyarrow.types.is_dictionary(found) else found
    is_text = any(
        test(value)
        for test in (
            pyarrow.types.is_string, pyarrow.types.is_large_string, pyarrow.types.is_string_view,
            pyarrow.types.is_binary, pyarrow.types.is_large_binary, pyarrow.types.is_binary_view,
        )
    )  # fmt: skip
    if not is_text:
        raise DocumentError(f"the column {field!r} has values of the type {found}, not texts")
    return name


def _document(name: str, row: dict[str, Any], reading: Reading) -> Document | Unreadable:
    """The document in a row."""
    field = str(reading.field)
    value: Any = row
    for part in [field] if field in row else field.split("."):
        value = None if value is None else value[part]
    if value is None:
        return unreadable(name, b"", f"the column {field!r} is null, not a text")
    try:
        text = decode(value, reading.encoding) if isinstance(value, bytes) else value
    except WholeFileError as error:
        return unreadable(name, error.raw, str(error))
    return document(name, text.replace("\r\n", "\n").replace("\r", "\n"))


def _parquet_errors() -> tuple[type[Exception], ...]:
    """Errors of pyarrow about what a file holds; those of the system are OSErrors too."""
    import pyarrow

    return (pyarrow.ArrowException, OSError)


def _reason(error: Exception) -> str:
    """First line of an error of pyarrow."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
