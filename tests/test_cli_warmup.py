"""The command that compiles the kernels ahead of time."""

from __future__ import annotations

import json
import os
import pkgutil
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

import guidance_kit
from guidance_kit.cli.application import app
from guidance_kit.cli.warmup import compile_kernels, kept_in
from guidance_kit.fsm import kernels
from guidance_kit.fsm.kernels import compiling

pytestmark = pytest.mark.skipif(compiling.IS_PLAIN, reason="needs compiled kernels")

JOB = """
import json
import numpy as np
from guidance_kit import Matcher, Vocabulary, any_token, choice, json_schema, regex, sequence
from guidance_kit.fsm.kernels.compiling import KERNELS
from guidance_kit.fsm.mask_batch import fill_masks
vocabulary = Vocabulary.from_bytes()
schema = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 900}, "list": {"type": "array"}}}
for constraint in (json_schema(schema), regex("(a|b){3,700}c?")):
    matcher = Matcher(constraint.compile(vocabulary))
    for _ in range(900):
        token = int(matcher.allowed_tokens()[0])
        matcher.forced_text()
        matcher.advance(token)
        if matcher.is_finished:
            break
matcher = Matcher(regex("(a|b){3,700}c?").compile(vocabulary))
matcher.canonical_mask_key()
matcher.within(9).allowed()
fill_masks([matcher], np.empty((1, matcher.index.words), dtype=np.int32))
matcher = Matcher(json_schema({"type": "array", "items": {"type": "string"}, "uniqueItems": True}).compile(vocabulary))
matcher.advance_bytes(b'["a",')
matcher.allowed()
matcher = Matcher(json_schema({"type": "object"}).compile(vocabulary))
matcher.advance_bytes(b'{"a":1,"b":2,"a')
assert not matcher.can_advance(ord('"'))
matcher = Matcher(choice([sequence(any_token([97]), "b"), "ab"]).compile(vocabulary))
matcher.within(2).allowed()
matcher.advance(97)
print(json.dumps({name: len(kernel.stats.cache_misses) for name, kernel in KERNELS.items()}))
"""


def test_it_names_the_folder():
    compile_kernels()
    result = CliRunner().invoke(app, ["warmup"])
    assert result.exit_code == 0
    assert result.stderr.startswith(("The kernels are compiled already (", "Compiled the kernels in "))
    assert result.stderr.endswith(f"; stored in {kept_in()}\n")


def test_every_kernel_is_prepared():
    """In a process that has used none before, or some of them would be compiled when a text first needs them."""
    files = sorted(module.name for module in pkgutil.iter_modules(kernels.__path__))
    lines = [
        "from guidance_kit.cli.warmup import compile_kernels",
        f"from guidance_kit.fsm.kernels import {', '.join(files)}",
        "compile_kernels()",
        "print(len(compiling.KERNELS), *(name for name, kernel in compiling.KERNELS.items() if not kernel.signatures))",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=280)
    count, *missing = done.stdout.split()
    assert int(count) >= 20
    assert missing == [], done.stderr


def test_a_folder_that_cannot_be_written_is_said_and_it_works(monkeypatch):
    monkeypatch.setattr(compiling, "cache_folder", None)
    result = CliRunner().invoke(app, ["warmup"])
    assert result.exit_code == 0
    assert "but every process compiles them again" in result.stderr
    assert kept_in() is None


MASK = """
import numpy as np
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.kernels.compiling import cache_problem
logits = np.zeros((1, 32), dtype=np.float32)
bitmask.apply(logits, np.full((1, 1), 5, dtype=np.int32))
print(np.flatnonzero(logits[0] == 0), cache_problem)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="where caches belong differs between systems")
def test_without_a_writable_folder_there_is_a_warning_and_the_kernels_work(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__", "bundled")
    shutil.copytree(Path(guidance_kit.__file__).parent, tmp_path / "guidance_kit", ignore=ignored)
    (tmp_path / "guidance_kit" / "fsm" / "__pycache__").touch()  # not even the superuser can write into a file
    nowhere = dict.fromkeys(("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"), "/dev/null/x")
    environment = {**os.environ, **nowhere, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", MASK], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=100
    )
    assert done.stdout.startswith("[0 2] cannot cache kernels"), done.stderr
    assert done.stderr.count("no folder for compiled kernels") == 1
    assert "Set NUMBA_CACHE_DIR to a folder that you alone can write" in done.stderr


@pytest.mark.slow
def test_nothing_is_left_to_compile_for_a_later_process(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "guidance_kit", "warmup"]
    first = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=280)
    told, done = first.stderr.splitlines()
    assert told == "Compiling the kernels; this takes half a minute, once"
    assert done.startswith("Compiled the kernels in ")
    assert str(tmp_path) in done
    job = subprocess.run(
        [sys.executable, "-c", JOB], env=environment, capture_output=True, text=True, check=True, timeout=100
    )
    misses = json.loads(job.stdout)
    assert len(misses) > 15
    assert not any(misses.values()), misses
    names = Counter(file.name.split("-")[0] for file in tmp_path.rglob("*.kernel"))
    assert len(names) > 50
    several = {name for name, count in names.items() if count > 1}
    # Logits of two types; roots with branches and without. Other types would each cost a compilation.
    assert several == {"apply_mask", "_first_root"}
    # The code of a callee is in the kernels that are compiled with it; that of `close` in no other.
    having = {file.name.split("-")[0] for file in tmp_path.rglob("*.kernel") if b"resolve_group" in file.read_bytes()}
    assert having == {"_resolve_group", "resolve", "_close", "_close_at"}
