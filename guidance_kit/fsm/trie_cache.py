"""The tries of large vocabularies, kept on disk between processes.

One file a vocabulary, named by its fingerprint, so that it never goes stale; see `disk_cache` for how files are read
and written.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from guidance_kit.fsm.disk_cache import cache_folder, is_readable, replace_file

__all__ = ["folder", "load", "save"]

_LAYOUT = 9
"""To be raised when the arrays, or how they are computed, change."""

_MOST_FILES = 16


def folder() -> Path | None:
    """Folder of the files; None if there are to be none."""
    return cache_folder("tries")


def load(fingerprint: str) -> dict[str, np.ndarray] | None:
    """The arrays that were saved for a vocabulary; None if there are none that can be read."""
    if (path := _path(fingerprint)) is None:
        return None
    try:
        if not is_readable(path):
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
        replace_file(path, lambda file: np.savez(file, allow_pickle=False, **arrays))
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
