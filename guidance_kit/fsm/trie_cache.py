"""The tries of large vocabularies, kept on disk between processes.

One file a vocabulary, named by its fingerprint, so that it never goes stale; written aside and then renamed, so that
other processes see all of it or nothing; read only where nobody else can write. `GUIDANCE_KIT_CACHE_DIR` names another
folder than the user's usual one; if it is set to nothing, nothing is kept.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import platformdirs

from guidance_kit.fsm.ownership import is_ours

__all__ = ["folder", "load", "save"]

_LAYOUT = 7
"""To be raised when the arrays, or how they are computed, change."""

_MOST_FILES = 16

_SOURCE = Path(__file__).resolve().parent


def folder() -> Path | None:
    """Folder of the files; None if there are to be none."""
    named = os.environ.get("GUIDANCE_KIT_CACHE_DIR")
    if named is None:
        return Path(platformdirs.user_cache_dir("guidance_kit")) / "tries"
    return Path(named) / "tries" if named else None


def load(fingerprint: str) -> dict[str, np.ndarray] | None:
    """The arrays that were saved for a vocabulary; None if there are none that can be read."""
    if (path := _path(fingerprint)) is None:
        return None
    try:
        if not all(is_ours(place.stat(), _SOURCE) for place in (path, path.parent)):
            return None
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        path.touch()
    except FileNotFoundError:
        return None
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):  # damaged, or not ours to read
        return None
    return arrays


def save(fingerprint: str, arrays: Mapping[str, np.ndarray]) -> None:
    """Keep the arrays of a vocabulary; where that is not possible, say so and go on."""
    if (path := _path(fingerprint)) is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(number, "wb") as file:
                np.savez(file, allow_pickle=False, **arrays)
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        files = sorted(path.parent.glob("*.npz"), key=lambda other: other.stat().st_mtime)
        for old in files[:-_MOST_FILES]:
            old.unlink()
    except OSError as error:
        warnings.warn(
            f"the tries of a vocabulary cannot be kept on disk ({error}); they are built anew in each process. Set "
            "GUIDANCE_KIT_CACHE_DIR to a writable folder to avoid that, or to nothing to be silent.",
            RuntimeWarning,
            stacklevel=2,
        )


def _path(fingerprint: str) -> Path | None:
    place = folder()
    return place and place / f"{fingerprint}-{_LAYOUT}.npz"
