"""Options and output files of the commands over many documents."""

from __future__ import annotations

import codecs
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from guidance_kit.cli.terminal import note
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.extraction.documents import Reading
    from guidance_kit.extraction.output import RecordFile, StandardOutput
    from guidance_kit.extraction.table_columns import Columns
    from guidance_kit.extraction.table_file import TableFile

__all__ = [
    "BatchSize", "Encoding", "Field", "FileFormat", "Inputs", "Output", "Resume", "files_of", "is_record_file",
    "job_settings", "opened",
]  # fmt: skip

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT", help="Files (.txt, .md, .jsonl, .csv, .parquet), folders, or - for standard input."
    ),
]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Output: a JSON line for each document (.jsonl) or a table (.csv, .tsv, .parquet); - is standard output.",
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue FILE after an interrupted run; create it if it is absent.")
]
Field = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Field of JSON lines, or column of CSV or Parquet, with the text.", show_default=False
    ),
]
FileFormat = Annotated[
    Literal["text", "jsonl", "csv", "parquet"] | None,
    typer.Option(
        metavar="FORMAT",
        help="Format of all inputs: text, jsonl, csv or parquet; by their names if left out.",
        show_default=False,
    ),
]
Encoding = Annotated[str, typer.Option(metavar="NAME", help="Encoding of the inputs.")]
BatchSize = Annotated[
    int,
    typer.Option("--batch-size", "-b", metavar="N", min=1, help="Documents in a batch; fewer if memory runs out."),
]


def is_record_file(output: str, *, is_resumed: bool) -> bool:
    """Test whether the output is a file that is kept whole, and no pipe.

    Raises:
        OptionError: it is to be resumed and is none; there is no such kind of file.
    """
    from guidance_kit.extraction.table_file import kind_of

    is_file = output != "-" and (not Path(output).exists() or Path(output).is_file())
    if is_resumed and not is_file:
        raise OptionError("--resume needs the file of an earlier run: name it with --output")
    if is_file:
        kind_of(output)
    return is_file


def files_of(output: str) -> list[Path]:
    """The files with lines that a job writes, which are no documents of its folders."""
    from guidance_kit.extraction.table_file import records_path

    return [Path(output), records_path(output)]


def opened(
    path: str, settings: dict[str, Any], columns: Columns, *, is_resumed: bool
) -> AbstractContextManager[RecordFile | StandardOutput | TableFile]:
    """Output of the lines, as a context.

    Args:
        columns: of a table.
    Raises:
        OptionError: it cannot be written.
    """
    from guidance_kit.extraction.output import RecordFile, StandardOutput
    from guidance_kit.extraction.table_file import TableFile, kind_of

    if is_record_file(path, is_resumed=is_resumed):
        is_table = kind_of(path) != "jsonl"
        if not is_resumed:
            return TableFile.create(path, settings, columns) if is_table else RecordFile.create(path, settings)
        file = TableFile.resume(path, settings, columns) if is_table else RecordFile.resume(path, settings)
        if file.torn:
            note(f"Removed an incomplete line of the earlier run ({file.torn} bytes)")
        return file
    if path == "-":
        return nullcontext(StandardOutput())
    try:
        return nullcontext(StandardOutput(open(path, "ab")))
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from None


def job_settings(model: str | None, adapter: str | None, reading: Reading, **others: Any) -> dict[str, Any]:
    """Settings on which the lines depend: another run may add to them only if they are the same."""
    return {
        **_place_settings("model", model),
        **_place_settings("adapter", adapter),
        "field": reading.field,
        "encoding": codecs.lookup(reading.encoding).name,
        "format": reading.format,
        **others,
    }


_READ = (".bin", ".jinja", ".json", ".model", ".py", ".safetensors", ".txt")
"""Endings of files in a model's folder that say what the model is."""


def _place_settings(what: str, place: str | None) -> dict[str, Any]:
    """Location of a model or adapter; of a folder or file its content too, by sizes and modification times."""
    path = Path(place or "")
    if place is None or not path.exists():
        return {what: place}
    kind = "folder" if path.is_dir() else "file"
    files = [file for file in sorted(path.iterdir()) if file.suffix in _READ] if path.is_dir() else [path]
    states = {file.name: file.stat() for file in files}
    return {
        what: str(path.resolve()),
        f"content of the {kind} of the {what}": {
            name: [state.st_size, state.st_mtime_ns] for name, state in states.items()
        },
    }
