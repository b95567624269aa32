"""Compiled kernels on disk: never those of other sources, never damaged ones, never those that others could write."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import guidance_kit
from guidance_kit.fsm import kernels
from guidance_kit.fsm.kernel_cache import folder_for

pytestmark = pytest.mark.skipif(not hasattr(kernels.advance, "stats"), reason="needs compiled kernels")

JOB = """
import numpy as np
from guidance_kit.fsm import bitmask, kernels
logits = np.zeros((1, 32), dtype=np.float32)
bitmask.apply(logits, np.full((1, 1), 5, dtype=np.int32))
assert np.flatnonzero(logits[0] == 0).tolist() == [0, 2]
print(sum(kernels.apply_mask.stats.cache_misses.values()), sum(kernels.apply_mask.stats.cache_hits.values()))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """A copy of the package, without compiled kernels."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__", "bundled")
    shutil.copytree(Path(guidance_kit.__file__).parent, root / "guidance_kit", ignore=ignored)
    return root


def compiled_and_found(root: Path, cache: Path) -> tuple[int, int, str]:
    """Kernels that a process compiles and finds, and what it writes on standard error."""
    environment = {**os.environ, "PYTHONPATH": str(root), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", JOB], env=environment, cwd=root, capture_output=True, text=True, timeout=100, check=True
    )
    compiled, found = map(int, done.stdout.split())
    return compiled, found, done.stderr


def test_a_constant_that_another_file_has_changed_is_compiled_in(package, tmp_path):
    assert compiled_and_found(package, tmp_path) == (1, 0, "")
    assert compiled_and_found(package, tmp_path) == (0, 1, "")
    file = package / "guidance_kit" / "fsm" / "mask_store.py"
    text = file.read_text()
    file.write_text(text.replace("BLOCK = 16", "BLOCK = 32"))
    assert file.read_text() != text
    kept = set(tmp_path.rglob("apply_mask-*.kernel"))
    assert compiled_and_found(package, tmp_path) == (1, 0, "")
    assert not kept & set(tmp_path.rglob("apply_mask-*.kernel")), "those of the earlier source are still there"


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


@pytest.mark.parametrize("content", [b"", bytes(4000)])
def test_other_damage_is_told_and_compiled_anew(package, tmp_path, content):
    compiled_and_found(package, tmp_path)
    for file in tmp_path.rglob("*.kernel"):
        file.write_bytes(content)
    compiled, found, told = compiled_and_found(package, tmp_path)
    assert (compiled, found) == (1, 0)
    assert "are damaged" in told


def test_all_files_that_kernels_import_are_stamped():
    stamped = {file.stem for file in kernels.SOURCES}
    imported = set[str]()
    for file in kernels.SOURCES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("guidance_kit."):
                imported.add(str(node.module).removeprefix("guidance_kit.fsm."))
    assert imported - stamped == {"kernel_cache", "forks"}  # neither is compiled in


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
