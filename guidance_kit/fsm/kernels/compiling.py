"""Compilation: kernels are compiled when they are first called, and kept on disk for later processes.

A compiled kernel has the code of the kernels that it calls in it, but for those that are `shared`, and numbers of other
files. So all are kept under one digest of `SOURCES`: a change in any of these files compiles them anew. See
`fsm.kernel_cache`.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.sigutils import normalize_signature

from guidance_kit.fsm.kernel_cache import KernelCache, folder_for, source_digest
from guidance_kit.fsm.kernels.code_libraries import KernelCompiler, SubroutineCompiler

__all__ = [
    "IS_PLAIN",
    "KERNELS",
    "SOURCES",
    "Kernel",
    "cache_folder",
    "cache_problem",
    "compile_beside",
    "compiled_beside",
    "inlined",
    "kernel",
    "shared",
    "short_kernel",
    "subroutine",
]

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


_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False, "pipeline_class": KernelCompiler}
"""Kernels allocate nothing, so no references have to be counted, the code for which takes long to compile."""


def kernel(function: Kernel) -> Kernel:
    """Compile a function that Python calls, and no other kernel."""
    if IS_PLAIN:
        return function
    compiled = KERNELS[function.__name__] = _compiled(function, no_cfunc_wrapper=True)
    return compiled


def short_kernel(function: Kernel) -> Kernel:
    """Compile a function that Python calls, which keeps the interpreter's lock: to hand it over would take longer."""
    if IS_PLAIN:
        return function
    compiled = KERNELS[function.__name__] = _compiled(function, no_cfunc_wrapper=True, nogil=False)
    return compiled


def subroutine(function: Kernel) -> Kernel:
    """Compile a function that kernels alone call; for Python there is no way into its code, unless it is plain."""
    if IS_PLAIN:
        return function
    compiled = _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=True, pipeline_class=SubroutineCompiler)
    compiled._insert = _leave_out
    compiled._compile_for_args = partial(_refuse, function.__name__)
    return compiled


def _leave_out(*_: Any, **__: Any) -> None:
    """Keep compiled code out of what Numba's dispatcher looks for when Python calls."""


def _refuse(name: str, *_: Any, **__: Any) -> None:
    raise TypeError(
        f"{name} is a subroutine, which kernels alone can call; make it a kernel, or set NUMBA_DISABLE_JIT=1"
    )


def inlined(function: Kernel) -> Kernel:
    """Put the code of a function that kernels alone call into theirs, so that it may return a view of an array."""
    return function if IS_PLAIN else numba.njit(**_OPTIONS, inline="always")(function)


def _compiled(function: Kernel, **options: Any) -> Any:
    """The function, compiled when it is first called; each wrapper would be compiled with a copy of its code."""
    compiled: Any = numba.njit(**_OPTIONS | options)(function)
    compile_for = compiled.compile

    def linked_and_widened(arguments: tuple[types.Type, ...]) -> Any:
        _begin_beside()
        _link()
        if _second is not None and any(compiled is other for other, _ in _BESIDE):
            with contextlib.suppress(subprocess.TimeoutExpired):
                _second.wait(_PATIENCE)
        with _without_collections():
            return compile_for(tuple(map(_widened, arguments)))

    compiled.compile = linked_and_widened
    if cache_folder is not None:
        compiled._cache = KernelCache(function, cache_folder, _STAMP)
    return compiled


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """Put off collections of garbage: they free little of what Numba makes, and take a tenth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_unlinked: dict[str, tuple[Any, tuple[types.Type, ...]]] = {}
_is_linking = False


def shared(function: Kernel, *, arguments: int) -> Any:
    """Compile a function of integers once for all kernels that call it, instead of a copy of its code in each of them.

    Returns:
        An external function, called by a symbol which is linked before any kernel is compiled or loaded; None where
        functions have to be called directly: plain Python, and index checks, which a C function cannot report.
    """
    if IS_PLAIN or numba.config.BOUNDSCHECK:  # pyright: ignore
        return None
    symbol = f"guidance_kit_{function.__name__}_{_STAMP}"
    signature = (types.int64,) * arguments
    _unlinked[symbol] = _compiled(function, no_cpython_wrapper=True), signature
    return types.ExternalFunction(symbol, types.int64(*signature))


@global_compiler_lock
def _link() -> None:
    """Give the symbols of shared functions their addresses."""
    global _is_linking
    if _is_linking:
        return
    _is_linking = True
    try:
        for symbol, (compiled, signature) in list(_unlinked.items()):
            compiled.compile(signature)
            result = compiled.overloads[signature]
            name = result.fndesc.llvm_cfunc_wrapper_name
            llvm.add_symbol(symbol, result.library.get_pointer_to_function(name))
            del _unlinked[symbol]
    finally:
        _is_linking = False


_BESIDE: list[tuple[Any, tuple[types.Type, ...]]] = []
_second: subprocess.Popen[bytes] | None = None
_has_begun = False

_IN_SECOND = "GUIDANCE_KIT_COMPILES"
"""Environment variable of the second process."""

_PATIENCE = 120
"""Seconds to wait for it before its kernels are compiled here."""


def compiled_beside(compiled: Kernel, arguments: str) -> None:
    """Have a kernel compiled by a second process while the first one compiles others, on a machine with no kernels yet.

    Numba compiles in one thread. Without the process, or its files, the kernel is compiled like the others.

    Args:
        compiled: a kernel.
        arguments: types of its arguments, as Numba writes a signature.
    """
    if not IS_PLAIN:
        _BESIDE.append((compiled, normalize_signature(arguments)[0]))


def _begin_beside() -> None:
    """Start the second process, once, unless kernels are on disk, or none can be kept there."""
    global _second, _has_begun
    if _has_begun or not _BESIDE:
        return
    _has_begun = True
    names = [compiled.py_func.__name__ for compiled, _ in _BESIDE]
    if cache_folder is None or _IN_SECOND in os.environ or getattr(sys, "frozen", False) or not sys.executable:
        return
    if all(any(cache_folder.glob(f"{name}-*{_STAMP}*")) for name in names):
        return
    code = f"import sys; sys.path[:] = {sys.path!r}; from guidance_kit.fsm.kernels import compiling, masks; "
    with contextlib.suppress(OSError):
        _second = subprocess.Popen(
            [sys.executable, "-c", code + "compiling.compile_beside()"],
            env={**os.environ, _IN_SECOND: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def compile_beside() -> None:
    """Compile the kernels of `compiled_beside`, in the second process, which keeps them and runs none."""
    anywhere = ctypes.cast(ctypes.pythonapi.Py_GetVersion, ctypes.c_void_p).value
    for symbol in _unlinked:
        llvm.add_symbol(symbol, anywhere)
    _unlinked.clear()
    for compiled, arguments in _BESIDE:
        compiled.compile(arguments)


def _widened(argument: types.Type) -> types.Type:
    """The type to compile for: one for all integers, or a kernel would be compiled for each of its callers' types."""
    return types.int64 if isinstance(argument, types.Integer) else argument
