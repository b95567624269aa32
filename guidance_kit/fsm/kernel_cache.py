"""Compiled kernels, kept on disk between processes.

One file a kernel and signature, named by a digest of everything that its code depends on: the signature, the processor,
the versions of Python and Numba, and all files of kernels and of the constants that they import. Numba's own
cache knows a kernel by the one file in which it stands, so that it keeps callees and constants that another file
has changed; it takes whatever its files hold, and its files are pickles, which run code when they are read.

Here a file begins with the SHA-256 of the rest and is read only if that is right, and only from a folder, and only if
it was written by someone, whom the caller trusts already: the user, the superuser, and whoever may change the source of
the package. What is damaged is compiled anew, with a warning. NUMBA_CACHE_DIR names another folder.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core.caching import CompileResultCacheImpl
from numba.core.serialize import dumps

from guidance_kit.fsm.ownership import is_ours

__all__ = ["KernelCache", "folder_for", "source_digest"]

_DIGEST = hashlib.sha256().digest_size
_SUFFIX = ".kernel"


def source_digest(files: Iterable[Path]) -> str:
    """Digest of source files, and of what compiles them.

    Raises:
        OSError: a file cannot be read.
    """
    config: Any = numba.config  # pyright: ignore
    settings = platform.python_version(), numba.__version__, config.BOUNDSCHECK, config.OPT
    digest = hashlib.sha256(repr(settings).encode())
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def folder_for(source: Path) -> tuple[Path | None, list[str]]:
    """Find the folder for the kernels of a package: that of NUMBA_CACHE_DIR, the package's own, or the user's.

    Args:
        source: the folder of the package.
    Returns:
        The first that can be written and that nobody else can write, None if there is none; why others were refused.
    """
    name = f"{source.name}_{hashlib.sha1(str(source).encode()).hexdigest()}"
    named = numba.config.CACHE_DIR  # pyright: ignore
    places = [*([Path(named).expanduser() / name] if named else []), source / "__pycache__"]
    refused: list[str] = []
    for place in (*places, Path(platformdirs.user_cache_dir("guidance_kit")) / "kernels" / name):
        try:
            place.mkdir(mode=0o755, parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=place).close()
            strangers = [str(path) for path in (place, place.parent) if not is_ours(path.stat(), source)]
        except OSError as error:
            refused.append(f"{place} cannot be written ({(error.strerror or str(error)).lower()})")
            continue
        if not strangers:
            return place, refused
        refused.append(f"other users can write to {strangers[0]}")
    return None, refused


class KernelCache:
    """The cache of one kernel, in the place of Numba's own.

    Args:
        function: the kernel.
        folder: where its files lie.
        stamp: `source_digest` of the files that it is made of.
    """

    def __init__(self, function: Callable[..., Any], folder: Path, stamp: str) -> None:
        self._function = function
        self._folder = folder
        self._stamp = stamp
        self._source = Path(function.__code__.co_filename).parent
        self._serialization = _Serialization()
        self._is_enabled = True
        self.cache_path = str(folder)

    def enable(self) -> None:
        """Use the cache."""
        self._is_enabled = True

    def disable(self) -> None:
        """Neither read nor write it."""
        self._is_enabled = False

    def flush(self) -> None:
        """Remove what is kept of this kernel."""
        for path in self._folder.glob(f"{self._function.__name__}-*{_SUFFIX}"):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel for a signature, None if it is not kept.

        Numba's own cache first fills the registries of the compiler, which takes a third of a second and imports SciPy;
        machine code needs none of them, and the compiler fills them itself.
        """
        if not self._is_enabled:
            return None
        key = self._key(sig, target_context.codegen())
        path = self._path(key)
        try:
            with path.open("rb") as file:
                whole = file.read() if is_ours(os.fstat(file.fileno()), self._source) else b""
        except FileNotFoundError:
            return None
        except OSError:
            whole = b""
        digest, rest = whole[:_DIGEST], whole[_DIGEST:]
        if hashlib.sha256(rest).digest() != digest:
            warnings.warn(
                f"compiled kernels in {self._folder} are damaged, or others could write them; they are compiled anew. "
                "If this comes again, empty the folder",
                RuntimeWarning,
                stacklevel=2,
            )
            return None
        kept, reduced = pickle.loads(rest)
        if kept != key:
            return None
        result = self._serialization.rebuild(target_context, reduced)
        result.library._shared_module = None  # that of a kernel has nothing but names: to link it has to be an error
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel, and drop those of earlier sources; where that is not possible, say so and go on.

        Code with addresses of this process in it, as LLVM leaves there with NUMBA_OPT=0, is not kept.
        """
        if not self._is_enabled or data.library.has_dynamic_globals:
            return
        key = self._key(sig, data.codegen)
        rest = dumps((key, self._serialization.reduce(data)))
        path = self._path(key)
        try:
            number, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
            try:
                with os.fdopen(number, "wb") as file:
                    file.write(hashlib.sha256(rest).digest() + rest)
                os.replace(name, path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
            for old in self._stale():
                old.unlink(missing_ok=True)
        except OSError as error:
            warnings.warn(
                f"a compiled kernel cannot be kept in {self._folder} ({error}); it is compiled anew in each process",
                RuntimeWarning,
                stacklevel=2,
            )

    def _key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """Key of a compiled kernel: all that it depends on."""
        return self._stamp, self._function.__module__, self._function.__qualname__, sig, codegen.magic_tuple()

    def _path(self, key: tuple[Any, ...]) -> Path:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return self._folder / f"{self._function.__name__}-{self._tag}-{self._stamp}-{digest}{_SUFFIX}"

    @property
    def _tag(self) -> str:
        return f"py{''.join(platform.python_version_tuple()[:2])}"

    def _stale(self) -> Iterator[Path]:
        """Files of this kernel, under this Python, from other sources."""
        for path in self._folder.glob(f"{self._function.__name__}-{self._tag}-*{_SUFFIX}"):
            if f"-{self._stamp}-" not in path.name:
                yield path


class _Serialization(CompileResultCacheImpl):
    """Serialised form of a function that Numba compiled, wherever it is kept."""

    def __init__(self) -> None:
        pass
