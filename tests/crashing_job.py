"""One run of an extraction job, to be killed: python crashing_job.py OUTPUT DOCUMENTS BATCH_SIZE SECONDS [--torn].

It goes on where the last run stopped. With --torn, lines are written a few bytes at a time, so that a kill tears them.
"""

from __future__ import annotations

import os
import sys
import time

from guidance_kit.extraction.documents import Reading, find, read
from guidance_kit.extraction.job import run
from guidance_kit.extraction.output import RecordFile
from guidance_kit.grammars.json_schema import json_schema
from tests.fake_extractor import SCHEMA, FakeExtractor

WRITE = os.write


def write_slowly(descriptor: int, content: memoryview) -> int:
    """As `os.write`, but 40 bytes at most."""
    time.sleep(0.0005)
    return WRITE(descriptor, content[:40])


def main() -> None:
    """Run the job."""
    output, documents, batch_size, seconds = sys.argv[1:5]
    if "--torn" in sys.argv:
        os.write = write_slowly  # type: ignore[assignment]
    reading = Reading(field="text")
    with RecordFile.resume(output, {"schema": SCHEMA}) as file:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        run(
            read(find([documents], reading), reading),
            FakeExtractor(float(seconds)),
            json_schema(SCHEMA),
            file,
            batch_size=int(batch_size),
        )


if __name__ == "__main__":
    main()
