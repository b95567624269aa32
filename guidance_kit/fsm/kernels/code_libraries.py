"""Code libraries of Numba for kernels, and the compilers that fill them.

Numba optimises each function, compiles it to machine code, copies it into each of its callers, and does both once more
there. Here a function that kernels alone call stays as it is until it is part of a kernel. Numba optimises everything
twice, first so that counts of references meet that cancel out; kernels count none. Half of its passes are for closures,
`with` blocks, literal arguments, and expressions of arrays, of which kernels have none. And it looks for the type of
each sum and comparison anew, among all overloads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    FixupArgs,
    InlineInlinables,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)

__all__ = ["KernelCompiler", "SubroutineCompiler"]


class _KernelLibrary(JITCodeLibrary):
    """Code that Python calls, with that of all that it calls; no other code calls it."""

    def _optimize_final_module(self) -> None:
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)

    def serialize_using_object_code(self) -> Any:
        """Machine code as it is kept on disk, with the names in it: a module for callers takes long to be parsed."""
        return self.name, "object", (self._get_compiled_object(), _names_of(self._final_module))


def _names_of(module: Any) -> bytes:
    """Bitcode of a module with the names by which functions of another one are found, and nothing behind them."""
    names = [one.name for one in module.functions if not one.is_declaration and one.linkage is llvm.Linkage.external]
    return llvm.parse_assembly("".join(f'@"{name}" = global i8 0\n' for name in names)).as_bitcode()


class _SubroutineLibrary(JITCodeLibrary):
    """Code that is copied into that of its callers: neither optimised nor compiled, so it has no address."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No address."""
        return 0

    @property
    def codegen(self) -> Any:
        """Stand-in for what tells machine code the address of its environment."""
        return SimpleNamespace(set_env=lambda name, environment: None)

    def serialize_using_object_code(self) -> Any:
        """Code as it is kept on disk."""
        return self.serialize_using_bitcode()


_PASSES = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    RewriteSemanticConstants,
    InlineInlinables,
    ReconstructSSA,
    NopythonTypeInference,
    PreLowerStripPhis,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
)
"""Passes of a kernel, in Numba's order."""


_SIGNATURES: dict[tuple[types.BaseFunction, tuple[types.Type, ...]], Any] = {}
"""Signatures of operators and built-in functions for types of arguments."""

_look_for = types.BaseFunction.get_call_type


def _signature(
    self: types.BaseFunction, context: Any, args: tuple[types.Type, ...], kws: Mapping[str, types.Type]
) -> Any:
    """Signature of a function, which is looked for once: Numba tries overload by overload, for each call anew."""
    if kws:
        return _look_for(self, context, args, kws)
    found = _SIGNATURES.get((self, args))
    if found is None:
        found = _SIGNATURES[self, args] = _look_for(self, context, args, kws)
    return found


@contextlib.contextmanager
def _signatures_kept() -> Iterator[None]:
    """Context in which `_signature` is used. Numba's lock lets one thread at a time compile."""
    before = types.BaseFunction.get_call_type
    types.BaseFunction.get_call_type = _signature
    try:
        yield
    finally:
        types.BaseFunction.get_call_type = before


class KernelCompiler(CompilerBase):
    """Numba's compiler of functions that Python calls."""

    _library: type[JITCodeLibrary] = _KernelLibrary

    def define_pipelines(self) -> list[PassManager]:
        """One list of passes."""
        passes = PassManager("kernel")
        for one in _PASSES:
            passes.add_pass(one, one.__name__)
        passes.finalize()
        return [passes]

    def compile_extra(self, func: Any) -> Any:
        """Compile a function of Python."""
        library = self._library(self.state.targetctx.codegen(), func.__qualname__)
        library.enable_object_caching()
        self.state["library"] = library
        with _signatures_kept():
            return super().compile_extra(func)


class SubroutineCompiler(KernelCompiler):
    """Numba's compiler of functions that kernels alone call."""

    _library = _SubroutineLibrary
