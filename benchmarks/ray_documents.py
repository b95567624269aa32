"""Documents a second of an extraction job: in this process, on a Ray cluster of this machine with 1 and 2 actors, and
in an engine of vLLM in this process.

    python benchmarks/ray_documents.py [--documents 400] [--rounds 1] [--model support-2m] [--batch 16]

Each run has the same documents, in float32, and one thread a model; the lines of all are the same. "job" is the time
from the end of the first batch on, when models are loaded; "all" has the start of the model, the actors or the engine
as well. Medians over the rounds, in which the runs alternate; vLLM, whose engine sets the threads of its process, comes
behind them. Needs Ray; without vLLM its row is left out.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ |= {
    "OMP_NUM_THREADS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
}  # fmt: skip

import guidance_kit as gk
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.extraction.careful_work import RunBatches
from guidance_kit.extraction.documents.document import document
from guidance_kit.extraction.entry import Tally
from guidance_kit.extraction.job import one_after_another, process
from guidance_kit.extraction.output import StandardOutput
from guidance_kit.extraction.record_work import RecordWork
from guidance_kit.integrations.engines import load_on
from guidance_kit.integrations.ray_jobs.actor_pool import ActorPool, ModelWork
from guidance_kit.integrations.ray_jobs.cluster import connected

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from examples.ticket import Ticket
from tools.support_world import examples


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

    def rates(self, documents: int) -> tuple[float, float]:
        """Documents a second of the job, and of all."""
        now = time.perf_counter()
        return (documents - self.after_first) / (now - self.first), documents / (now - self.begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--model", default="support-2m")
    parser.add_argument("--batch", type=int, default=16)
    arguments = parser.parse_args()
    texts = [one.text for one in examples("new_entities", 0, arguments.documents)]
    documents = [document(f"{number}.txt", text) for number, text in enumerate(texts)]
    work = RecordWork(constraint=gk.json_schema(Ticket))
    load = partial(gk.load, arguments.model, dtype="float32")
    rates: dict[str, list[tuple[float, float]]] = {}
    lines: set[bytes] = set()

    def run(name: str, run_batches: Callable[[], RunBatches]) -> None:
        clock, written = Clock(), io.BytesIO()
        output = StandardOutput(written)
        process(documents, run_batches(), output, batch_size=arguments.batch, on_batch=clock.update)
        rates.setdefault(name, []).append(clock.rates(len(documents)))
        print(name, *(f"{rate:.1f}" for rate in rates[name][-1]), file=sys.stderr, flush=True)
        lines.add(written.getvalue())
        assert len(lines) == 1, f"{name} writes other lines"

    def on_ray(actors: int) -> RunBatches:
        return ActorPool(ModelWork(load=load, work=work.on), actors=actors).run

    def in_vllm() -> RunBatches:
        engine = {"enforce_eager": True, "max_num_seqs": arguments.batch}
        return one_after_another(work.on(load_on("vllm", arguments.model, engine, dtype="float32")))

    compile_kernels()
    with connected("local"):
        for _ in range(arguments.rounds):
            run("in this process", lambda: one_after_another(work.on(load())))
            for actors in (1, 2):
                run(f"Ray, actors: {actors}", partial(on_ray, actors))
    if importlib.util.find_spec("vllm") is not None:
        for _ in range(arguments.rounds):
            run("vLLM", in_vllm)
    print(f"{arguments.documents} documents, batches of {arguments.batch}, rounds: {arguments.rounds}")
    for name, found in rates.items():
        job, whole = (statistics.median(values) for values in zip(*found, strict=True))
        print(f"{name:<16} {job:7.1f} documents/s of the job, {whole:7.1f} of all")


if __name__ == "__main__":
    main()
