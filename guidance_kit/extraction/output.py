"""The file of records: written batch by batch so that a crash loses at most the last one.

A file `records.jsonl` has one JSON line a document, in the order of the documents:

    {"source": "a.txt", "digest": "0f3a...", "record": {...}, "finish_reason": "complete", "tokens": 41}
    {"source": "b.txt", "digest": "77c1...", "error": {"type": "ContextLengthError", "message": "..."}}

Beside it lies `records.jsonl.job.json`: the settings that the records were made with. Another run continues where one
stopped only with the same settings, else the file would mix records that mean different things.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol

from guidance_kit.errors import OptionError

try:
    import fcntl
except ImportError:  # Windows: two runs that write the same file are not kept apart
    fcntl = None

__all__ = ["Output", "PartialBatchError", "RecordFile", "StandardOutput", "settings_path"]

_VERSION = 1


class PartialBatchError(OSError):
    """A batch of which the system took only a part: the disk is full, say.

    Attributes:
        lines: number of its lines that are safe, the first ones.
    """

    lines: int = 0


class Output(Protocol):
    """Output of the lines of a job."""

    def has(self, source: str, digest: str) -> bool:
        """Test whether an earlier run has written the line of this document."""
        ...

    def append(self, lines: Sequence[str]) -> None:
        """Write the lines of one batch, without their line ends; when it returns they are safe.

        Raises:
            PartialBatchError: only some of them are.
            OSError: none of them is.
        """
        ...


class StandardOutput:
    """Lines to standard output, or to a pipe; nothing is known of earlier runs."""

    def __init__(self, stream: BinaryIO | None = None) -> None:
        self._stream = stream or sys.stdout.buffer

    def has(self, source: str, digest: str) -> bool:
        """See `Output.has`."""
        return False

    def append(self, lines: Sequence[str]) -> None:
        """See `Output.append`."""
        self._stream.write(_encoded(lines))
        self._stream.flush()


class RecordFile:
    """A file of records that survives a crash; one process at a time writes it. Make it with `create` or `resume`.

    As a context it is closed at the end, and removed if the job fails before there is a record.

    Attributes:
        path: of the file.
        lines: number of lines that earlier runs wrote.
        torn: bytes of an unfinished line, or batch, of an earlier run that were cut off.
    """

    def __init__(self, path: Path, descriptor: int, known: set[tuple[str, str]], *, torn: int = 0) -> None:
        self.path = path
        self.lines = len(known)
        self.torn = torn
        self._descriptor = descriptor
        self._known = known

    @classmethod
    def create(cls, path: str | Path, settings: Mapping[str, Any]) -> RecordFile:
        """Begin a file.

        Args:
            settings: what the records depend on, as JSON.
        Raises:
            OptionError: the file exists (it is never overwritten), or its folder does not.
        """
        path = Path(path)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | _BINARY, 0o666)
        except FileExistsError:
            raise OptionError(f"{path} exists; resume it (--resume), or remove it, or choose another output") from None
        except OSError as error:
            raise OptionError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from None
        with _closing_on_error(descriptor):
            _lock(descriptor, path)
            try:
                _write_settings(path, settings)
            except OSError:
                path.unlink(missing_ok=True)
                raise
        return cls(path, descriptor, set())

    @classmethod
    def resume(cls, path: str | Path, settings: Mapping[str, Any]) -> RecordFile:
        """Go on with a file, or begin it if there is none yet.

        What a crash left unfinished at its end is cut off.

        Raises:
            OptionError: the file was made with other settings, or is not such a file, or another process writes it.
        """
        path = Path(path)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | _BINARY)
        except FileNotFoundError:
            return cls.create(path, settings)
        except OSError as error:
            raise OptionError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from None
        with _closing_on_error(descriptor):
            _lock(descriptor, path)
            size = os.fstat(descriptor).st_size
            if size == 0:  # a crash right after it was created
                _write_settings(path, settings)
                return cls(path, descriptor, set())
            _compare_settings(path, settings)
            known, whole = _scan(path)
            if whole < size:
                os.ftruncate(descriptor, whole)
                os.fsync(descriptor)
        return cls(path, descriptor, known, torn=size - whole)

    def has(self, source: str, digest: str) -> bool:
        """See `Output.has`."""
        return (source, digest) in self._known

    def append(self, lines: Sequence[str]) -> None:
        """See `Output.append`.

        Raises:
            PartialBatchError: there is no space left, say. Whole lines stay, what was written of another is cut off.
        """
        content = _encoded(lines)
        begin = os.fstat(self._descriptor).st_size
        written = 0
        try:
            while written < len(content):
                written += os.write(self._descriptor, content[written:])
            os.fsync(self._descriptor)
        except OSError as error:
            failure = PartialBatchError(error.errno, error.strerror, str(self.path))
            failure.lines = self._cut(begin, content[:written], is_kept=written < len(content))
            raise failure from error

    def _cut(self, begin: int, written: bytes, *, is_kept: bool) -> int:
        """Cut off what is not safe of a batch that begins at this byte.

        Args:
            written: of it.
            is_kept: whether its whole lines stay; not so if they could not be brought to the disk.
        Returns:
            Number of lines that stay.
        """
        whole = written.rfind(b"\n") + 1
        if is_kept:
            try:
                os.ftruncate(self._descriptor, begin + whole)
                os.fsync(self._descriptor)
                return written.count(b"\n")
            except OSError:
                pass
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, begin)
        return 0

    def close(self) -> None:
        """Let another process have the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self._descriptor >= 0 and os.fstat(self._descriptor).st_size == 0:
            self.path.unlink(missing_ok=True)
            settings_path(self.path).unlink(missing_ok=True)
        self.close()


_BINARY = getattr(os, "O_BINARY", 0)


def settings_path(path: str | Path) -> Path:
    """Path of the settings of a file of records."""
    return Path(f"{path}.job.json")


def _encoded(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@contextlib.contextmanager
def _closing_on_error(descriptor: int) -> Iterator[None]:
    try:
        yield
    except BaseException:
        os.close(descriptor)
        raise


def _lock(descriptor: int, path: Path) -> None:
    """Keep other processes away until the descriptor is closed, by a crash too.

    Raises:
        OptionError: another process has the file.
    """
    if fcntl is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OptionError(f"another process is writing {path}") from None
    except OSError:  # a file system without locks
        return


def _write_settings(path: Path, settings: Mapping[str, Any]) -> None:
    """Put the settings beside the file, whole or not at all."""
    target = settings_path(path)
    draft = target.with_name(f"{target.name}.new")
    try:
        with open(draft, "w", encoding="utf-8") as file:
            json.dump({"version": _VERSION, "settings": settings}, file, ensure_ascii=False, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(target)) from error
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _compare_settings(path: Path, settings: Mapping[str, Any]) -> None:
    """See that a file was made with the same settings.

    Raises:
        OptionError: naming what differs.
    """
    place = settings_path(path)
    try:
        kept = json.loads(place.read_text(encoding="utf-8"))
        was, version = dict(kept["settings"]), kept["version"]
    except FileNotFoundError:
        raise OptionError(f"{path} cannot be resumed: its settings ({place.name}) are missing") from None
    except (ValueError, TypeError, KeyError) as error:
        raise OptionError(f"{path} cannot be resumed: its settings ({place.name}) cannot be read: {error}") from None
    if version != _VERSION:
        raise OptionError(f"{path} cannot be resumed: {place.name} has version {version}, not {_VERSION}")
    now = json.loads(json.dumps(settings))
    changes = [_change(name, was.get(name), now.get(name)) for name in {**was, **now}]
    if any(changes):
        raise OptionError(
            f"{path} was made with other settings: {'; '.join(filter(None, changes))}. Choose another output"
        )


def _change(name: str, was: Any, now: Any) -> str:
    """One difference in words, "" if there is none. The order of properties counts: records are written in it."""
    before, after = (json.dumps(value, ensure_ascii=False) for value in (was, now))
    if before == after:
        return ""
    return f"another {name}" if isinstance(was, dict) and isinstance(now, dict) else f"{name} was {before}, now {after}"


def _scan(path: Path) -> tuple[set[tuple[str, str]], int]:
    """The documents in a file, and the number of bytes up to where a crash left its last batch unfinished.

    Earlier batches were on the disk before the next was begun. So a line without an end, or with zero bytes (blocks
    that were never written), belongs to the last batch, and so does whatever comes after it.

    Raises:
        OptionError: a line is not a record.
    """
    known: set[tuple[str, str]] = set()
    whole = 0
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if b"\0" in line or not line.endswith(b"\n"):
                break
            try:
                entry = json.loads(line)
                known.add((entry["source"], entry["digest"]))
            except (ValueError, TypeError, KeyError, RecursionError):
                raise OptionError(f"{path} cannot be resumed: line {number} is not a record") from None
            whole += len(line)
    return known, whole
