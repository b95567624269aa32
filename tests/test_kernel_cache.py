"""Compiled kernels on disk: never those of other sources, never damaged ones, never those that others could write."""

from __future__ import annotations

import ast
import importlib
import operator
import os
import shutil
import subprocess
import sys
from pathlib import Path
from pkgutil import iter_modules
from types import CodeType, SimpleNamespace

import pytest
from numba.core import types
from numba.core.codegen import JITCPUCodegen

import guidance_kit
from guidance_kit.fsm import kernels
from guidance_kit.fsm.kernel_cache import KernelCache, folder_for, source_digest
from guidance_kit.fsm.kernels import code_libraries, compiling, interning

pytestmark = pytest.mark.skipif(compiling.IS_PLAIN, reason="needs compiled kernels")

JOB = """
import numpy as np
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.kernels.logits import apply_mask
logits = np.zeros((1, 32), dtype=np.float32)
bitmask.apply(logits, np.full((1, 1), 5, dtype=np.int32))
assert np.flatnonzero(logits[0] == 0).tolist() == [0, 2]
print(sum(apply_mask.stats.cache_misses.values()), sum(apply_mask.stats.cache_hits.values()))
"""


def copy_of_the_package(root: Path) -> Path:
    """A copy without compiled kernels, in a folder."""
    ignored = shutil.ignore_patterns("__pycache__", "bundled")
    shutil.copytree(Path(guidance_kit.__file__).parent, root / "guidance_kit", ignore=ignored)
    return root


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    return copy_of_the_package(tmp_path_factory.mktemp("copy"))


def compiled_and_found(root: Path, cache: Path) -> tuple[int, int, str]:
    """Kernels that a process compiles and finds, and what it writes on standard error."""
    environment = {**os.environ, "PYTHONPATH": str(root), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", JOB], env=environment, cwd=root, capture_output=True, text=True, timeout=100, check=True
    )
    compiled, found = map(int, done.stdout.split())
    return compiled, found, done.stderr


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("kernels/codes.py", "BLOCK = 16", "BLOCK = 32"),
        ("kernels/columns.py", "group: int = 4", "group: int = 5"),
        ("opcodes.py", "FRESH = -9", "FRESH = -10"),
        ("kernels/handles.py", "blocks[row // BLOCK] + 4", "blocks[(row + 0) // BLOCK] + 4"),
    ],
)
def test_what_another_file_has_changed_is_compiled_in(package, tmp_path, file, old, new):
    assert compiled_and_found(package, tmp_path) == (1, 0, "")
    assert compiled_and_found(package, tmp_path) == (0, 1, "")
    kept = set(tmp_path.rglob("apply_mask-*.kernel"))
    change(package / "guidance_kit" / "fsm" / file, old, new)
    assert compiled_and_found(package, tmp_path) == (1, 0, "")
    assert not kept & set(tmp_path.rglob("apply_mask-*.kernel")), "those of the earlier source are still there"


CALLEE = """
from guidance_kit.fsm.kernels.compiling import subroutine
@subroutine
def callee(x):
    return x + 1
"""

CALLER = """
from guidance_kit.fsm.kernels.callee import callee
from guidance_kit.fsm.kernels.compiling import kernel
@kernel
def caller(x):
    return 10 * callee(x)
"""

CALL = """
from guidance_kit.fsm.kernels.caller import caller
print(caller(1), sum(caller.stats.cache_misses.values()))
"""


@pytest.mark.slow
def test_a_callee_in_another_file_is_compiled_in(tmp_path):
    kernels = copy_of_the_package(tmp_path) / "guidance_kit" / "fsm" / "kernels"
    (kernels / "callee.py").write_text(CALLEE)
    (kernels / "caller.py").write_text(CALLER)

    def result_and_compiled() -> list[str]:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-c", CALL]
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=True
        )
        return done.stdout.split()

    assert result_and_compiled() == ["20", "1"]
    assert result_and_compiled() == ["20", "0"]
    change(kernels / "callee.py", "x + 1", "x + 2")
    assert result_and_compiled() == ["30", "1"]


FIRST_MASK = """
from guidance_kit.fsm.kernels.masks import find_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.regex import regex
from guidance_kit.vocabulary import Vocabulary
assert Matcher(TokenIndex.build(regex("a+").network(), Vocabulary.from_bytes())).allowed()[3] == 2
stats = find_masks.stats
print(len(find_masks.signatures), sum(stats.cache_misses.values()), sum(stats.cache_hits.values()))
"""


def test_kernels_of_the_second_process_are_those_that_are_called():
    exec(FIRST_MASK, {"print": lambda *_: None})
    assert [compiled.signatures for compiled, _ in compiling._BESIDE] == [[types] for _, types in compiling._BESIDE]


@pytest.mark.slow
@pytest.mark.parametrize(("is_second", "counts"), [(False, "1 0 1"), (True, "1 1 0")])
def test_the_mask_kernel_is_compiled_in_a_second_process(package, tmp_path, is_second, counts):
    """So is the one of no third: a process that is told to be the second compiles all by itself."""
    environment = {**os.environ, "PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(tmp_path)}
    environment |= {"GUIDANCE_KIT_COMPILES": "1"} if is_second else {}
    command = [sys.executable, "-W", "error", "-c", FIRST_MASK]
    for expected in (counts, "1 0 1"):
        done = subprocess.run(command, env=environment, cwd=package, capture_output=True, text=True, timeout=300)
        assert (done.stdout.split(), done.stderr) == (expected.split(), "")


@pytest.mark.slow
def test_a_flipped_byte_is_told_and_compiled_anew(package, tmp_path):
    compiled_and_found(package, tmp_path)
    files = list(tmp_path.rglob("*.kernel"))
    assert files
    for number, file in enumerate(files):
        content = bytearray(file.read_bytes())
        content[(len(content) - 1) * (number + 1) // (len(files) + 1)] ^= 0x40
        file.write_bytes(content)
    compiled, found, told = compiled_and_found(package, tmp_path)
    assert (compiled, found) == (1, 0)
    assert told.count("are damaged") == 1
    assert f"compiled kernels in {files[0].parent} are damaged" in told
    assert compiled_and_found(package, tmp_path) == (0, 1, "")


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", bytes(4000)])
def test_other_damage_is_told_and_compiled_anew(package, tmp_path, content):
    compiled_and_found(package, tmp_path)
    for file in tmp_path.rglob("*.kernel"):
        file.write_bytes(content)
    compiled, found, told = compiled_and_found(package, tmp_path)
    assert (compiled, found) == (1, 0)
    assert "are damaged" in told


def test_code_with_addresses_of_its_process_is_not_kept(tmp_path):
    cache = KernelCache(interning.mix, tmp_path, "stamp")
    cache.save_overload((), SimpleNamespace(library=SimpleNamespace(has_dynamic_globals=True)))
    assert [*tmp_path.iterdir()] == []


def test_other_settings_of_the_compiler_are_other_kernels(monkeypatch):
    digest = source_digest([])
    monkeypatch.setattr("numba.config.OPT", 0)
    assert source_digest([]) != digest


def test_all_files_that_kernels_import_are_stamped():
    package = Path(guidance_kit.__file__).parent
    stamped = {".".join(file.relative_to(package.parent).with_suffix("").parts) for file in compiling.SOURCES}
    assert len(stamped) > 20
    imported = set[str]()
    for file in compiling.SOURCES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.ImportFrom) or node.level == 0, f"{file}: a relative import"
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("guidance_kit"):
                imported.add(str(node.module))
    assert imported - stamped == {"guidance_kit.fsm.kernel_cache"}  # which is not compiled in


posix = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")


@pytest.fixture
def source(tmp_path, monkeypatch) -> Path:
    """The folder of a package; the user's own cache folder is another one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    source = tmp_path / "package"
    source.mkdir(mode=0o755)
    return source


@posix
@pytest.mark.parametrize("mode", [0o777, 0o757, 0o775])
def test_folders_that_others_can_write_are_not_used(source, tmp_path, mode, monkeypatch):
    monkeypatch.setattr("guidance_kit.fsm.ownership._is_private", lambda status: False)
    assert folder_for(source) == (source / "__pycache__", [])
    (source / "__pycache__").chmod(mode)
    place, refused = folder_for(source)
    assert place is not None
    assert place.is_relative_to(tmp_path / "user")
    assert refused == [f"other users can write to {source / '__pycache__'}"]
    named = tmp_path / "named"
    named.mkdir()
    named.chmod(mode)
    monkeypatch.setattr("numba.config.CACHE_DIR", str(named))
    place, refused = folder_for(source)
    assert place is not None
    assert place.is_relative_to(tmp_path / "user")
    assert refused[0] == f"other users can write to {named}"
    named.chmod(0o1777)  # as /tmp: others may add files there, but not replace the folder in it
    assert folder_for(source)[0] is not None
    assert folder_for(source)[0].parent == named


@posix
def test_a_group_of_the_user_alone_may_write(source, monkeypatch):
    (source / "__pycache__").mkdir()
    (source / "__pycache__").chmod(0o775)
    monkeypatch.setattr("guidance_kit.fsm.ownership._is_private", lambda status: True)
    assert folder_for(source) == (source / "__pycache__", [])


@pytest.mark.slow
@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser gives files away")
def test_folders_and_files_of_others_are_not_used(source, package, tmp_path):
    (source / "__pycache__").mkdir()
    os.chown(source / "__pycache__", 12345, 12345)
    place, refused = folder_for(source)
    assert place is not None
    assert place.is_relative_to(tmp_path / "user")
    assert len(refused) == 1
    os.chown(source, 12345, 12345)  # who can change the source can run code anyhow
    assert folder_for(source) == (source / "__pycache__", [])
    compiled_and_found(package, tmp_path)
    for file in tmp_path.rglob("*.kernel"):
        os.chown(file, 12345, 12345)
    assert compiled_and_found(package, tmp_path)[:2] == (1, 0)


def test_python_cannot_call_a_subroutine():
    with pytest.raises(TypeError, match="mix is a subroutine"):
        interning.mix(1, 2)


def test_a_subroutine_is_optimised_and_compiled_as_part_of_its_kernel_alone(monkeypatch):
    @compiling.subroutine
    def doubled(x):
        return 2 * x

    @compiling.kernel
    def caller(x):
        return doubled(x) + 1

    for compiled in doubled, caller:
        compiled._cache.disable()
    compiling.KERNELS.pop("caller")
    caller(0.5)  # what kernels are linked with, and the code around a kernel, are compiled by now
    optimised = []
    passes = JITCPUCodegen._module_pass_manager
    monkeypatch.setattr(
        JITCPUCodegen, "_module_pass_manager", lambda self, **options: optimised.append(1) or passes(self, **options)
    )
    assert caller(20) == 41
    assert len(optimised) == 1
    callee, whole = (compiled.overloads[(types.int64,)]._asdict() for compiled in (doubled, caller))
    assert not callee["library"]._compiled
    assert whole["library"]._compiled
    assert callee["library"].get_pointer_to_function(callee["fndesc"].mangled_name) == 0


def test_the_type_of_an_operation_is_looked_for_once(monkeypatch):
    @compiling.kernel
    def powers(x, y):
        return x * y + x * x + y * y * x + y * (x + y)

    powers._cache.disable()
    compiling.KERNELS.pop("powers")
    asked = []
    look_for = code_libraries._look_for
    monkeypatch.setattr(
        code_libraries,
        "_look_for",
        lambda self, context, args, kws: asked.append((self.typing_key, args)) or look_for(self, context, args, kws),
    )
    assert powers(2j, 1 + 0j) == 2j - 4 + 2j + 1 + 2j
    of_mine = [func for func, args in asked if args == (types.complex128, types.complex128)]
    assert sorted(of_mine, key=str) == [operator.add, operator.mul]
    assert types.BaseFunction.get_call_type is look_for


def test_no_code_calls_a_kernel():
    """Kept kernels have no module to be linked from; what Python and kernels call is a subroutine with a kernel."""
    modules = [importlib.import_module(f"{kernels.__name__}.{one.name}") for one in iter_modules(kernels.__path__)]
    functions = [one for module in modules for one in vars(module).values() if hasattr(one, "py_func")]
    called = [
        name
        for function in functions
        for name in called_names(function.py_func.__code__)
        if function.py_func.__globals__.get(name) in compiling.KERNELS.values()
    ]
    assert len(functions) > 100
    assert called == []


def called_names(code: CodeType) -> set[str]:
    """Names outside of a function that its code has."""
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(called_names, inner))


def test_a_kept_kernel_has_machine_code_without_its_module(tmp_path):
    @compiling.kernel
    def shifted(x):
        return x + 3

    compiling.KERNELS.pop("shifted")
    first, second = (KernelCache(shifted.py_func, tmp_path, "stamp") for _ in range(2))
    shifted._cache = first
    assert shifted(4) == 7
    kept = second.load_overload((types.int64,), shifted.targetctx)
    assert kept.entry_point(5) == 8
    with pytest.raises(RuntimeError, match="unfit for linking"):
        kept.library._get_module_for_linking()


WARM = """
import sys
import guidance_kit as gk
print(gk.warm_up(), "numba.np.arraymath" in sys.modules)
"""


def test_kept_kernels_run_without_what_compiles():
    guidance_kit.warm_up()  # compiles those that are not kept yet
    done = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.split() == ["0", "False"]
