"""A table of records: CSV or Parquet, made of a file of records when a job is done.

Rows of CSV can be written one by one, but which columns there are is known at the end only, and of Parquet nothing can
be read before its end is written. So the lines go to a file of records beside the table (`out.csv.jsonl`), which a
crash does no harm, and the table is made of it, whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from guidance_kit.errors import OptionError
from guidance_kit.extraction.csv_table import write_csv
from guidance_kit.extraction.output import RecordFile
from guidance_kit.extraction.parquet_table import require_pyarrow, write_parquet
from guidance_kit.extraction.table_columns import Columns, columns_in

__all__ = ["FileKind", "TableFile", "kind_of", "records_path"]

FileKind = Literal["jsonl", "csv", "tsv", "parquet"]

_KINDS: dict[str, FileKind] = {
    "": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}


def kind_of(path: str | Path) -> FileKind:
    """The kind of file that a name asks for by its ending; none asks for JSON lines.

    Raises:
        OptionError: there is no such kind.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _KINDS:
        raise OptionError(
            f"{path}: files ending in {suffix} cannot be written; .jsonl (a JSON line a document), .csv, .tsv and "
            ".parquet can"
        )
    return _KINDS[suffix]


def records_path(path: str | Path) -> Path:
    """The file of records beside a table."""
    return Path(f"{path}.jsonl")


class TableFile:
    """A table, and the file of records that it is made of; a context. Make it with `create` or `resume`.

    When the context ends without an error, the table is written again. Otherwise the lines stay in the file of records.

    Attributes:
        path: of the table.
        records: the file of records.
    """

    def __init__(self, path: Path, records: RecordFile, columns: Columns) -> None:
        self.path = path
        self.records = records
        self._columns = columns

    @classmethod
    def create(cls, path: str | Path, settings: Mapping[str, Any], columns: Columns) -> TableFile:
        """Begin a table.

        Args:
            settings: as `RecordFile.create` takes them.
            columns: that the table has in any case.
        Raises:
            OptionError: as `RecordFile.create`; or pyarrow is not installed.
        """
        path = Path(path)
        _require(path)
        if path.exists():
            raise OptionError(f"{path} exists; resume it (--resume), or remove it, or choose another output")
        return cls(path, RecordFile.create(records_path(path), settings), columns)

    @classmethod
    def resume(cls, path: str | Path, settings: Mapping[str, Any], columns: Columns) -> TableFile:
        """Go on with a table, or begin it if there is none yet.

        Raises:
            OptionError: as `RecordFile.resume`; there is a table without its file of records; or pyarrow is not
                installed.
        """
        path = Path(path)
        _require(path)
        records = records_path(path)
        if path.exists() and not records.exists():
            raise OptionError(f"{path} cannot be resumed: its records ({records.name}) are missing")
        return cls(path, RecordFile.resume(records, settings), columns)

    @property
    def torn(self) -> int:
        """See `RecordFile`."""
        return self.records.torn

    def has(self, source: str, digest: str) -> bool:
        """See `Output.has`."""
        return self.records.has(source, digest)

    def append(self, lines: Sequence[str]) -> None:
        """See `Output.append`."""
        self.records.append(lines)

    def __enter__(self) -> TableFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._write()
        finally:
            self.records.__exit__(kind, error, trace)

    def _write(self) -> None:
        """Write the table, whole or not at all.

        Raises:
            OSError: there is no space left, say.
        """
        draft = self.path.with_name(f"{self.path.name}.new")
        records, columns = self.records.path, columns_in(self.records.path, self._columns)
        try:
            if kind_of(self.path) == "parquet":
                write_parquet(records, draft, columns)
            else:
                write_csv(records, draft, columns, delimiter="," if kind_of(self.path) == "csv" else "\t")
            with open(draft, "rb") as file:
                os.fsync(file.fileno())
            os.replace(draft, self.path)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        finally:
            draft.unlink(missing_ok=True)


def _require(path: Path) -> None:
    """See that a table can be written at all.

    Raises:
        OptionError: pyarrow is not installed; there is a folder of this name.
    """
    if kind_of(path) == "parquet":
        require_pyarrow()
    if path.is_dir():
        raise OptionError(f"{path} cannot be written: is a directory")
