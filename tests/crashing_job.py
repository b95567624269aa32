"""One run of an extraction job in a process of its own, to be killed. Tests only."""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection

from guidance_kit.extraction.documents import Reading, find, read
from guidance_kit.extraction.job import run
from guidance_kit.extraction.output import RecordFile
from guidance_kit.grammars.json_schema import json_schema
from tests.fake_extractor import SCHEMA, FakeExtractor
from tests.forked import hear_interrupts

WRITE = os.write


def write_slowly(descriptor: int, content: memoryview) -> int:
    """As `os.write`, but 40 bytes at most."""
    time.sleep(0.0005)
    return WRITE(descriptor, content[:40])


def resume(output: str, documents: str, ready: Connection, *, batch_size: int, seconds: float, is_torn: bool) -> None:
    """Continue the job where the last run stopped.

    Args:
        ready: receives True as soon as the process owns the file of records.
        seconds: duration of one call of the model.
        is_torn: write a few bytes at a time, so that a kill tears lines.
    """
    hear_interrupts()
    if is_torn:
        os.write = write_slowly  # type: ignore[assignment]
    reading = Reading(field="text")
    with RecordFile.resume(output, {"schema": SCHEMA}) as file:
        ready.send(True)
        run(
            read(find([documents], reading), reading),
            FakeExtractor(seconds),
            json_schema(SCHEMA),
            file,
            batch_size=batch_size,
        )
