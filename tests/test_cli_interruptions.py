"""What stops the command, what it says then, and what stays."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import lines, run
from forked import hear_interrupts

from tests.fake_extractor import SCHEMA

ROOT = Path(__file__).resolve().parent.parent


def test_a_job_that_cannot_begin_leaves_nothing_behind(inbox):
    result = run("extract", "-s", "ticket.json", "messages", "-o", "out.jsonl", "-m", "./nowhere")
    assert result.exit_code == 3
    assert result.stderr == "Error: there is no folder ./nowhere\n"
    assert not list(inbox.glob("out.jsonl*"))


def test_a_dead_device_stops_the_job(inbox, fake_model):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    rows = "".join(json.dumps({"x": text}) + "\n" for text in ["fine"] * 4 + ["CRASH"] * 20)
    (inbox / "rows.jsonl").write_text(rows)
    result = run("extract", "-s", "s.json", "rows.jsonl", "--field", "x", "-o", "out.jsonl", "-b", "2")
    assert result.exit_code == 3
    assert "Error: RuntimeError: device-side assert triggered (--debug shows where)" in result.stderr
    assert "the last 8 documents failed alike, so the job was stopped" in result.stderr
    assert len(lines(inbox / "out.jsonl")) >= 4


def test_a_full_disk_stops_the_job_and_what_was_written_stays(inbox, fake_model, monkeypatch):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    arguments = ["extract", "-s", "s.json", "messages", "-o", "out.jsonl", "-b", "2"]
    write = os.write

    def full(descriptor, content):
        if len(fake_model.calls) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, content)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        result = run(*arguments)
    assert result.exit_code == 3
    assert (
        result.stderr
        == "2 of 5 documents are done; continue with --resume\nError: out.jsonl: no space left on device\n"
    )
    assert run(*arguments, "--resume").exit_code == 0
    assert len(lines(inbox / "out.jsonl")) == 5


def test_a_disk_that_fills_within_a_batch_leaves_the_lines_that_are_counted(inbox, fake_model, monkeypatch):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    (inbox / "rows.jsonl").write_text("".join(json.dumps({"x": f"text {n}"}) + "\n" for n in range(60)))
    arguments = ["extract", "-s", "s.json", "rows.jsonl", "--field", "x", "-b", "8"]
    assert run(*arguments, "-o", "whole.jsonl").exit_code == 0
    whole = (inbox / "whole.jsonl").read_bytes()
    left, write = len(whole) // 2, os.write

    def full(descriptor, content):
        nonlocal left
        taken = min(left, len(content))
        if taken == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left -= taken
        return write(descriptor, content[:taken])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        result = run(*arguments, "-o", "out.jsonl")
    assert result.exit_code == 3
    written = (inbox / "out.jsonl").read_bytes()
    assert written == whole[: written.rfind(b"\n") + 1]
    done = written.count(b"\n")
    assert done % 8
    assert result.stderr.startswith(f"{done} of 60 documents are done; continue with --resume\n")
    again = run(*arguments, "-o", "out.jsonl", "--resume")
    assert again.stderr.startswith(f"{60 - done} records, {done} done before")
    assert (inbox / "out.jsonl").read_bytes() == whole


def test_running_out_of_memory_is_said_once(inbox, fake_model):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    rows = "".join(json.dumps({"x": text}) + "\n" for text in ["fine", "MEMORY", "fine", "fine"] * 3)
    (inbox / "rows.jsonl").write_text(rows)
    result = run("extract", "-s", "s.json", "rows.jsonl", "--field", "x", "-o", "out.jsonl")
    assert result.exit_code == 1
    assert result.stderr.count("Warning: out of memory; going on with less\n") == 1
    assert [("record" in line) for line in lines(inbox / "out.jsonl")] == [True, False, True, True] * 3


@pytest.mark.parametrize("most", [2, 0])
def test_out_of_memory_a_smaller_batch_is_tried_and_it_is_said(inbox, llama, monkeypatch, most):
    from guidance_kit.models.transformers_model import TransformersModel

    logits = TransformersModel.logits

    def cramped(self, prefixes, positions=1, **where):
        if len(prefixes) > most:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory")
        return logits(self, prefixes, positions, **where)

    monkeypatch.setattr(TransformersModel, "logits", cramped)
    result = run("extract", "-s", "ticket.json", "messages", "-o", "out.jsonl", "-m", llama)
    assert "Warning: out of memory with 5 texts at once; going on with 2\n" in result.stderr
    found = lines(inbox / "out.jsonl")
    assert len(found) == 5
    if most:
        assert result.exit_code == 0
        assert all("record" in line for line in found)
    else:
        assert result.exit_code == 1
        assert {line["error"]["type"] for line in found} == {"ModelError"}
        assert "messages/0.txt: out of memory, even with one text at a time; shorten it, lower" in result.stderr


@pytest.mark.slow
def test_a_killed_job_is_resumed(inbox, llama):
    (inbox / "rows.jsonl").write_text("".join(json.dumps({"x": f"text {n}"}) + "\n" for n in range(60)))
    arguments = ["extract", "-s", "ticket.json", "rows.jsonl", "--field", "x", "-b", "2", "-m", llama]
    child = subprocess.Popen([sys.executable, "-m", "guidance_kit", *arguments, "-o", "out.jsonl"])
    deadline = time.monotonic() + 200
    while not ((inbox / "out.jsonl").exists() and (inbox / "out.jsonl").stat().st_size > 0):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    child.kill()
    child.wait(timeout=60)
    written = (inbox / "out.jsonl").read_bytes().count(b"\n")
    assert 0 < written < 60
    result = run(*arguments, "-o", "out.jsonl", "--resume")
    assert result.exit_code == 0
    assert f"{60 - written} records, {written} done before" in result.stderr
    assert run(*arguments, "-o", "whole.jsonl").exit_code == 0
    assert (inbox / "out.jsonl").read_bytes() == (inbox / "whole.jsonl").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_interrupting_keeps_what_was_written_and_says_130(inbox, llama):
    script = (
        "import sys; from guidance_kit import model; from guidance_kit.cli import main\n"
        "from tests.fake_extractor import FakeExtractor\n"
        "model.load = lambda *names, **options: FakeExtractor(0.05)\n"
        "main()"
    )
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    (inbox / "rows.jsonl").write_text("".join(json.dumps({"x": f"text {n}"}) + "\n" for n in range(500)))
    arguments = ["extract", "-s", "s.json", "rows.jsonl", "--field", "x", "-o", "out.jsonl", "-b", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    )
    output = inbox / "out.jsonl"
    deadline = time.monotonic() + 200
    while not (output.exists() and output.read_bytes().count(b"\n") > 1):  # by then the first has been counted
        assert time.monotonic() < deadline
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert re.search(r"^\d+ of 500 documents are done; continue with --resume\nInterrupted$", said, re.MULTILINE)
    assert "Traceback" not in said
    assert 0 < len(lines(output)) < 500


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("guidance_kit.cli.application", ["--version"]),
        ("typer", ["--version"]),
        ("guidance_kit.cli.extract", ["--version"]),
        ("numpy", ["sample", "--regex", "a"]),
    ],
)
def test_interrupting_before_anything_is_imported_says_130(module, arguments):
    script = (
        "import runpy, sys\n"
        "class Finder:\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder)\n"
        "runpy.run_module('guidance_kit', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted\n")


@pytest.mark.slow
def test_a_closed_pipe_ends_it_quietly(inbox, llama):
    done = subprocess.run(
        f"{sys.executable} -m guidance_kit extract -s ticket.json messages -m {llama} -b 1 | head -c 5",
        shell=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == '{"sou'
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
