"""The options with which files are read."""

from __future__ import annotations

import contextlib
import encodings.aliases
from dataclasses import dataclass
from typing import Literal

from guidance_kit.errors import OptionError

__all__ = ["FORMATS", "Format", "Reading"]

Format = Literal["text", "jsonl", "csv", "parquet"]

FORMATS: dict[str, Format] = {
    ".txt": "text",
    ".md": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
"""The formats of files by their suffixes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Options of reading files.

    Args:
        field: of JSON lines, CSV and Parquet: the field or column with the text. A field inside an object inside the
            line, or of a struct, is named with a dot: "message.body". Lines that are JSON strings are taken as they
            are.
        encoding: of all files, as Python names it, in Parquet of columns of bytes. A byte order mark is dropped.
        format: of all files, whatever their suffix; None to go by the suffix (text for unknown ones).
    Raises:
        OptionError: no such encoding or format; it names the nearest.
    """

    field: str | None = None
    encoding: str = "utf-8"
    format: Format | None = None

    def __post_init__(self) -> None:
        known = sorted(set(FORMATS.values()))
        if self.format is not None and self.format not in known:
            raise OptionError.unknown(self.format, known, "format")
        try:
            with contextlib.suppress(UnicodeError):
                b"a".decode(self.encoding)  # an empty text would be decoded by any name
        except (LookupError, ValueError):
            names = {*encodings.aliases.aliases, *encodings.aliases.aliases.values()}
            known = {name.replace("_", "-") for name in names}
            raise OptionError.unknown(self.encoding.replace("_", "-"), known, "encoding") from None
