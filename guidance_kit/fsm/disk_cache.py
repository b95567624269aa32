"""Cache of bytes on disk, shared by processes.

Files are written aside and then renamed, so that other processes see all of one or nothing, and read only where nobody
else can write; each begins with the SHA-256 of its name and the rest. What cannot be read or written is as if it were
not there.
`GUIDANCE_KIT_CACHE_DIR` names another folder than the user's usual one; if it is set to nothing, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import platformdirs

from guidance_kit.fsm.caches import CacheStatistics
from guidance_kit.fsm.ownership import is_ours

__all__ = ["DiskCache", "cache_folder", "is_readable", "replace_file"]

_DIGEST = hashlib.sha256().digest_size

_SOURCE = Path(__file__).resolve().parent


def _digest(name: str, value: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + value).digest()


def cache_folder(kind: str) -> Path | None:
    """Folder of the files of a kind; None if there are to be none."""
    named = os.environ.get("GUIDANCE_KIT_CACHE_DIR")
    if named is None:
        return Path(platformdirs.user_cache_dir("guidance_kit")) / kind
    return Path(named) / kind if named else None


def is_readable(path: Path) -> bool:
    """Test whether nobody else can write a file, or put another one in its place.

    Raises:
        OSError: there is no such file.
    """
    return all(is_ours(place.stat(), _SOURCE) for place in (path, path.parent))


def replace_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file aside and rename it.

    Raises:
        OSError: that is not possible.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(number, "wb") as file:
            write(file)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


class DiskCache:
    """Bytes by name, one file each; the files that were used least recently are removed.

    Args:
        kind: name of the folder, and extension of the files.
        most: greatest number of files.
        most_bytes: greatest size of all files together.
    """

    def __init__(self, kind: str, most: int, most_bytes: int) -> None:
        self._kind = kind
        self._most = most
        self._most_bytes = most_bytes
        self._hits = self._misses = self._evictions = 0

    @property
    def is_enabled(self) -> bool:
        """False if nothing is to be kept."""
        return cache_folder(self._kind) is not None

    def load(self, name: str) -> bytes | None:
        """Bytes of a name; None if there are none that are whole and nobody else can write."""
        found = self._load(name)
        if found is None:
            self._misses += 1
        else:
            self._hits += 1
        return found

    def _load(self, name: str) -> bytes | None:
        path = self._path(name)
        try:
            if path is None or not is_readable(path):
                return None
            whole = path.read_bytes()
            digest, found = whole[:_DIGEST], whole[_DIGEST:]
            if _digest(name, found) != digest:
                return None
            with contextlib.suppress(OSError):  # a folder that can only be read
                path.touch()
        except OSError:
            return None
        return found

    def save(self, name: str, value: bytes) -> None:
        """Keep the bytes of a name, where that is possible."""
        path = self._path(name)
        if path is None:
            return
        digest = _digest(name, value)
        with contextlib.suppress(OSError):
            replace_file(path, lambda file: file.write(digest + value))
            self._evict()

    def statistics(self) -> CacheStatistics:
        """See `Cache.statistics`; entries and bytes are those on disk."""
        files = self._files()
        return CacheStatistics(
            entries=len(files),
            bytes=sum(size for _, size, _ in files),
            bound=self._most_bytes,
            hits=self._hits,
            misses=self._misses,
            evictions=self._evictions,
        )

    def clear(self) -> None:
        """Do nothing, as the files belong to other processes, too: see `Cache.clear`."""

    def set_bound(self, most_bytes: int) -> None:
        """See `Cache.set_bound`; files beyond it are removed when the next one is written."""
        self._most_bytes = most_bytes

    def _path(self, name: str) -> Path | None:
        folder = cache_folder(self._kind)
        return folder and folder / f"{name}.{self._kind}"

    def _files(self) -> list[tuple[float, int, Path]]:
        """Time of the last use, size and path of each file, the least recently used first."""
        folder = cache_folder(self._kind)
        found: list[tuple[float, int, Path]] = []
        for path in [] if folder is None else folder.glob(f"*.{self._kind}"):
            with contextlib.suppress(OSError):  # another process has just removed it
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
        return sorted(found)

    def _evict(self) -> None:
        files = self._files()
        size = sum(size for _, size, _ in files)
        for number, (_, own, path) in enumerate(files[:-1]):
            if len(files) - number <= self._most and size <= self._most_bytes:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                self._evictions += 1
            size -= own
