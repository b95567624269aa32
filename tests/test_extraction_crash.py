"""Kill a job again and again: no document is lost or repeated, and no more than the running batch is done twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from forked import hear_interrupts

ROOT = Path(__file__).resolve().parent.parent


def start(output, documents, batch_size, seconds, *options) -> subprocess.Popen[str]:
    """A run of the job that has taken the file of records."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.crashing_job", output, documents, str(batch_size), str(seconds), *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n", child.communicate()
    return child


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("options", [(), ("--torn",)], ids=["between batches", "inside lines"])
@pytest.mark.parametrize("signals", [[signal.SIGKILL], [signal.SIGKILL, signal.SIGINT, signal.SIGTERM]])
def test_a_killed_job_goes_on_as_if_nothing_had_happened(tmp_path, options, signals):
    draw = random.Random(len(options) + 10 * len(signals))
    documents = tmp_path / "documents.jsonl"
    kinds = ["LONG", "CUT", "", "", "", ""]
    texts = [f"{draw.choice(kinds)} document {number} " + "ü" * draw.randrange(50) for number in range(120)]
    documents.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    whole = tmp_path / "whole.jsonl"
    assert start(whole, documents, 8, 0).wait(timeout=60) == 0

    broken = tmp_path / "broken.jsonl"
    sizes = []
    for _ in range(8):
        child = start(broken, documents, 3, 0.01, *options)
        time.sleep(draw.uniform(0, 0.25))
        child.send_signal(draw.choice(signals))
        child.wait(timeout=60)
        sizes.append(broken.stat().st_size)
        complete = broken.read_bytes().rpartition(b"\n")[0]
        assert whole.read_bytes().startswith(complete)
    assert any(0 < size < whole.stat().st_size for size in sizes)
    assert start(broken, documents, 5, 0, *options).wait(timeout=60) == 0
    assert broken.read_bytes() == whole.read_bytes()
