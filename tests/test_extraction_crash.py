"""Kill a job again and again: no document is lost or repeated, and no more than the running batch is done twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from marks import slow

from tests import crashing_job


@pytest.fixture(scope="module")
def forkserver():
    """A server that has imported the job once: each run is a fork of it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([crashing_job.__name__])
    return context


def start(context, output: Path, documents: Path, **settings) -> BaseProcess:
    """A run of the job that owns the file of records."""
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=crashing_job.resume, args=(str(output), str(documents), sender), kwargs=settings)
    child.start()
    sender.close()
    assert receiver.poll(60)
    assert receiver.recv() is True
    return child


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("is_torn", [True, *slow(False)], ids=["inside lines", "between batches"])
@pytest.mark.parametrize("signals", [[signal.SIGKILL, signal.SIGINT, signal.SIGTERM], *slow([signal.SIGKILL])])
def test_a_killed_job_goes_on_as_if_nothing_had_happened(tmp_path, forkserver, is_torn, signals):
    draw = random.Random(is_torn + 10 * len(signals))
    documents = tmp_path / "documents.jsonl"
    kinds = ["LONG", "CUT", "", "", "", ""]
    texts = [f"{draw.choice(kinds)} document {number} " + "ü" * draw.randrange(50) for number in range(120)]
    documents.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    whole = tmp_path / "whole.jsonl"
    finish(start(forkserver, whole, documents, batch_size=8, seconds=0, is_torn=False))

    broken = tmp_path / "broken.jsonl"
    sizes = []
    for _ in range(8):
        child = start(forkserver, broken, documents, batch_size=3, seconds=0.01, is_torn=is_torn)
        time.sleep(draw.uniform(0, 0.25))
        os.kill(child.pid, draw.choice(signals))
        child.join(timeout=60)
        assert child.exitcode is not None
        sizes.append(broken.stat().st_size)
        complete = broken.read_bytes().rpartition(b"\n")[0]
        assert whole.read_bytes().startswith(complete)
    assert any(0 < size < whole.stat().st_size for size in sizes)
    finish(start(forkserver, broken, documents, batch_size=5, seconds=0, is_torn=is_torn))
    assert broken.read_bytes() == whole.read_bytes()


def finish(child: BaseProcess) -> None:
    """Wait for a run that nothing disturbs."""
    child.join(timeout=60)
    assert child.exitcode == 0
