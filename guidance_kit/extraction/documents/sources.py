"""The files behind paths, folders and standard input."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from guidance_kit.extraction.documents.reading import FORMATS, Format, Reading

__all__ = ["DocumentSource", "place_of", "reason_of", "sources_of"]

_SPECIAL = {
    stat.S_IFIFO: "named pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
_MOST_NAMED = 5
"""Files of a folder that are left out and named in the warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSource:
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
        """True if it is no file."""
        return self.name == "-"

    @property
    def is_read_once(self) -> bool:
        """True if its bytes are gone once they are read: those of standard input, a pipe or a terminal."""
        return self.is_standard_input or not Path(self.name).is_file()


def sources_of(given: str, reading: Reading, skipped: set[str]) -> Iterator[DocumentSource]:
    """The files behind one input, of a folder those with known suffixes.

    A pipe or a terminal is read where it is named, since the user means it; in a folder nobody may ever write to it,
    so there all that is no regular file is left out, with a warning.

    Args:
        given: a path, or "-".
        reading: the options.
        skipped: files to leave out of folders, by `place_of`.
    """
    if given == "-":
        yield DocumentSource(name="-", format=reading.format or "text")
        return
    path = Path(given)
    if path.is_dir():
        yield from _in_folder(path, reading, skipped)
        return
    format = reading.format or FORMATS.get(path.suffix.lower(), "text")
    yield DocumentSource(name=path.as_posix(), format=format, problem=_problem(path))


def _problem(path: Path) -> str:
    """Reason that a named path cannot be read, "" if it can. It is not opened: a pipe can be read once."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return reason_of(error)
    kind = _SPECIAL.get(stat.S_IFMT(mode), "")
    if kind == "socket" or (kind == "device" and not _is_terminal(path)):
        return f"it is a {kind}, not a file"
    return ""


def _is_terminal(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    try:
        return os.isatty(descriptor)
    finally:
        os.close(descriptor)


def _in_folder(folder: Path, reading: Reading, skipped: set[str]) -> Iterator[DocumentSource]:
    """The files with known suffixes in a folder, sorted by path; hidden ones are left out."""
    files: list[Path] = []
    left_out: list[str] = []
    refused: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=refused.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = (path for name in folders if (path := Path(place, name)).is_symlink())
        left_out += [f"{path.as_posix()} (link to a folder)" for path in links]
        for name in names:
            path = Path(place, name)
            if name.startswith(".") or path.suffix.lower() not in FORMATS or place_of(path) in skipped:
                continue
            if kind := _special(path):
                left_out.append(f"{path.as_posix()} ({kind})")
            else:
                files.append(path)
    for path in sorted(files, key=lambda file: file.parts):
        yield DocumentSource(name=path.as_posix(), format=reading.format or FORMATS[path.suffix.lower()])
    for error in refused:
        yield DocumentSource(name=Path(str(error.filename)).as_posix(), format="text", problem=reason_of(error))
    if left_out:
        more = f" and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else ""
        named = ", ".join(sorted(left_out)[:_MOST_NAMED])
        warnings.warn(f"not read: {named}{more}; name them to read them", stacklevel=2)


def _special(path: Path) -> str:
    """The kind of a file that is no regular one; "" for those, and for those that cannot be told, as dead links."""
    try:
        return _SPECIAL.get(stat.S_IFMT(path.stat().st_mode), "")
    except OSError:
        return ""


def place_of(path: str | Path) -> str:
    """The file behind a path, whatever the way to it."""
    return os.path.realpath(path)


def reason_of(error: OSError) -> str:
    """An error of the system in words."""
    return (error.strerror or str(error)).lower()
