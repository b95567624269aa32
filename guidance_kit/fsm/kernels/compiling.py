"""Compilation: kernels are compiled when they are first called, and kept on disk for later processes.

A compiled kernel has the code of the kernels that it calls in it, and numbers of other files. So all are kept under one
digest of `SOURCES`: a change in any of these files compiles them anew. See `fsm.kernel_cache`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import types

from guidance_kit.fsm.kernel_cache import KernelCache, folder_for, source_digest

__all__ = ["IS_PLAIN", "KERNELS", "SOURCES", "Kernel", "cache_folder", "cache_problem", "kernel", "subroutine"]

Kernel = Callable[..., Any]

IS_PLAIN = bool(numba.config.DISABLE_JIT)  # pyright: ignore
"""True if kernels are plain Python functions (NUMBA_DISABLE_JIT=1)."""

KERNELS: dict[str, Any] = {}
"""The compiled kernels that Python calls, by name, of the files that have been imported."""

_HERE = Path(__file__).resolve().parent

SOURCES = *sorted(_HERE.glob("*.py")), _HERE.parent / "opcodes.py"
"""The files that kernels are made of."""

cache_folder, _REFUSED = (None, []) if IS_PLAIN else folder_for(_HERE.parent)
"""Folder of the compiled kernels; None if they are not kept."""

_STAMP = source_digest(SOURCES)

cache_problem = "" if IS_PLAIN or cache_folder else f"cannot cache kernels: {'; '.join(_REFUSED)}"
"""Reason why compiled kernels cannot be kept on disk; empty if they can."""

if cache_problem:
    warnings.warn(
        f"no folder for compiled kernels ({cache_problem}); they are compiled anew in each process. "
        "Set NUMBA_CACHE_DIR to a folder that you alone can write to avoid that.",
        RuntimeWarning,
        stacklevel=2,
    )
elif _REFUSED and numba.config.CACHE_DIR:  # pyright: ignore
    warnings.warn(
        f"NUMBA_CACHE_DIR is not used for compiled kernels: {_REFUSED[0]}; they are kept in {cache_folder}",
        RuntimeWarning,
        stacklevel=2,
    )


def kernel(function: Kernel) -> Kernel:
    """Compile a function that Python calls."""
    compiled = subroutine(function)
    if not IS_PLAIN:
        KERNELS[function.__name__] = compiled
    return compiled


def subroutine(function: Kernel) -> Kernel:
    """Compile a function that kernels alone call."""
    if IS_PLAIN:
        return function
    compiled: Any = numba.njit(nogil=True)(function)
    compile_for = compiled.compile
    compiled.compile = lambda arguments: compile_for(tuple(map(_widened, arguments)))
    if cache_folder is not None:
        compiled._cache = KernelCache(function, cache_folder, _STAMP)
    return compiled


def _widened(argument: types.Type) -> types.Type:
    """The type to compile for: one for all integers, or a kernel would be compiled for each of its callers' types."""
    return types.int64 if isinstance(argument, types.Integer) else argument
