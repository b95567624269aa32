"""Documents a second of an extraction job: in this process, and on a Ray cluster of this machine with 1 and 2 actors.

    python benchmarks/ray_documents.py [--documents 400] [--model support-2m]

Each run has the same documents, batches of 16 and one thread a model. "job" is the time from the end of the first batch
on, when models are loaded; "all" has the start of the model, or of the actors, as well. Needs Ray.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import guidance_kit as gk
from guidance_kit.extraction.careful_work import RunBatches
from guidance_kit.extraction.documents.document import document
from guidance_kit.extraction.entry import Tally
from guidance_kit.extraction.job import one_after_another, process
from guidance_kit.extraction.output import StandardOutput
from guidance_kit.extraction.record_work import RecordWork
from guidance_kit.integrations.ray_jobs.actor_pool import ActorPool, ModelWork
from guidance_kit.integrations.ray_jobs.cluster import connected

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from examples.ticket import Ticket
from tools.support_world import examples

BATCH = 16


class Clock:
    """Times of a job."""

    def __init__(self) -> None:
        self.begin = time.perf_counter()
        self.first = 0.0
        self.after_first = 0

    def update(self, tally: Tally) -> None:
        """Note the end of the first batch."""
        if not self.first:
            self.first, self.after_first = time.perf_counter(), tally.documents

    def rates(self, documents: int) -> str:
        """Documents a second."""
        now = time.perf_counter()
        job = (documents - self.after_first) / (now - self.first)
        return f"{job:7.1f} documents/s of the job, {documents / (now - self.begin):7.1f} of all"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--model", default="support-2m")
    arguments = parser.parse_args()
    texts = [one.text for one in examples("new_entities", 0, arguments.documents)]
    documents = [document(f"{number}.txt", text) for number, text in enumerate(texts)]
    work = RecordWork(constraint=gk.json_schema(Ticket))
    load = partial(gk.load, arguments.model)

    def run(name: str, run_batches: Callable[[], RunBatches]) -> bytes:
        clock, written = Clock(), io.BytesIO()
        process(documents, run_batches(), StandardOutput(written), batch_size=BATCH, on_batch=clock.update)
        print(f"{name:<16} {clock.rates(len(documents))}", flush=True)
        return written.getvalue()

    def on_ray(actors: int) -> RunBatches:
        return ActorPool(ModelWork(load=load, work=work.on), actors=actors).run

    lines = run("in this process", lambda: one_after_another(work.on(load())))
    with connected("local"):
        for actors in (1, 2):
            found = run(f"Ray, actors: {actors}", partial(on_ray, actors))
            assert found == lines


if __name__ == "__main__":
    main()
