"""Compiled grammars on disk, by their text: a grammar that was met before on this machine is read, not compiled.

A file has the network of a grammar. It is named by a digest of all that decides the network: the text and its options,
the source of this package, and the versions of Python, Unicode and lark. So no file goes stale; old ones are removed.

Rules are built when a text gets there, so few have been when the first mask is found. A thread of its own builds the
others and writes the file, a second later, or when the program ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import platform
import threading
import unicodedata
from functools import cache
from pathlib import Path

from guidance_kit.fsm.caches import ForkSafeLock, caches
from guidance_kit.fsm.disk_cache import DiskCache
from guidance_kit.grammars.context_free import CompiledGrammar
from guidance_kit.grammars.context_free.stored_grammar import StoredGrammar

__all__ = ["GrammarFiles", "grammar_files", "source_files"]

_MOST_WAITING = 16

_PAUSE = 1.0
"""Seconds before a grammar is written, so that its first masks are not delayed; less if the program ends."""

_LEAST_BYTES = 50_000
"""Memory of a compiled grammar, estimated; smaller ones are compiled in some milliseconds."""

_PACKAGE = Path(__file__).resolve().parent.parent


def source_files() -> list[Path]:
    """Files of this package that decide the network of a grammar."""
    grammars, fsm = _PACKAGE / "grammars", _PACKAGE / "fsm"
    return [
        *sorted(grammars.glob("grammar*.py")),
        *sorted(grammars.glob("lark*.py")),
        *sorted((grammars / "context_free").glob("*.py")),
        *sorted((grammars / "llguidance").glob("*.py")),
        *sorted((grammars / "regular").glob("*.py")),
        *(fsm / f"{name}.py" for name in ("fragment", "network", "opcodes", "slices", "kernels/columns")),
        *sorted((_PACKAGE / "bundled" / "grammars").glob("*.lark")),
    ]


@cache
def _versions() -> tuple[str, ...]:
    """Versions of all that decides the network of a grammar.

    Raises:
        OSError: a source file cannot be read.
    """
    digest = hashlib.sha256()
    for path in source_files():
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    lark = importlib.metadata.version("lark")
    return digest.hexdigest(), platform.python_version(), unicodedata.unidata_version, lark


class GrammarFiles:
    """Files of compiled grammars.

    Args:
        files: where they are kept.
    """

    def __init__(self, files: DiskCache) -> None:
        self._files = files
        self._lock = ForkSafeLock()
        self._waiting: dict[str, CompiledGrammar] = {}
        self._thread: threading.Thread | None = None

    def name(self, text: str, *options: str | None) -> str | None:
        """Name of the file of a grammar; None if there is to be none.

        Args:
            text: the grammar.
            options: all else that decides its network, but for what is the same for all grammars.
        """
        if not self._files.is_enabled:
            return None
        try:
            key = json.dumps([text, *options, *_versions()])
        except (OSError, importlib.metadata.PackageNotFoundError):
            return None
        return hashlib.sha256(key.encode()).hexdigest()

    def find(self, name: str) -> StoredGrammar | None:
        """Grammar of a file; None if there is none that is whole."""
        written = self._files.load(name)
        try:
            return None if written is None else StoredGrammar.of_bytes(written)
        except ValueError:
            return None

    def keep(self, name: str, compiled: CompiledGrammar) -> None:
        """Have a grammar written to a file, soon."""
        if compiled.nbytes < _LEAST_BYTES:
            return
        with self._lock:
            self._waiting[name] = compiled
            if len(self._waiting) > _MOST_WAITING:
                del self._waiting[next(iter(self._waiting))]
            if self._thread is None or not self._thread.is_alive():  # it is not, in a forked process
                self._thread = threading.Thread(target=self._write, name="grammar files", daemon=False)
                with contextlib.suppress(RuntimeError):  # the program ends
                    self._thread.start()

    def wait(self) -> None:
        """Wait until all grammars have been written."""
        thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join()

    def _write(self) -> None:
        threading.main_thread().join(_PAUSE)
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                name = next(iter(self._waiting))
                compiled = self._waiting.pop(name)
            stored = StoredGrammar.of(compiled)
            if stored is not None:
                self._files.save(name, stored.to_bytes())


grammar_files = GrammarFiles(caches.register("grammar files", DiskCache("grammars", 256, 64 * 2**20)))
"""The files of this process."""
