"""Batch jobs on a Ray cluster of three nodes on this machine, in the environment of `make test-engines`."""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

pytestmark = [pytest.mark.engines, pytest.mark.timeout(600)]
ray = pytest.importorskip("ray", reason="needs Ray: make test-engines")
psutil = pytest.importorskip("psutil", reason="needs psutil: make test-engines")

from ray.cluster_utils import Cluster  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

import guidance_kit as gk  # noqa: E402
from guidance_kit.cli import application  # noqa: E402
from guidance_kit.errors import ModelError, OptionError  # noqa: E402
from guidance_kit.extraction.documents.document import document  # noqa: E402
from guidance_kit.extraction.job import process, run  # noqa: E402
from guidance_kit.extraction.output import RecordFile  # noqa: E402
from guidance_kit.extraction.record_work import RecordWork  # noqa: E402
from guidance_kit.grammars.json_schema import json_schema  # noqa: E402
from guidance_kit.integrations.ray_jobs.actor_pool import ActorPool, ModelWork  # noqa: E402
from guidance_kit.integrations.ray_jobs.dataset import ClassifyTexts, ExtractRecords, GenerateTexts  # noqa: E402
from tests.engine_servers import SETTINGS  # noqa: E402
from tests.fake_extractor import SCHEMA, FakeExtractor  # noqa: E402
from tests.ray_models import MortalExtractor, steered  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
MEMORY = 120 * 2**20


@pytest.fixture(scope="module")
def cluster():
    """A head without processors, and two nodes with one each."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "RAY_worker_niceness": "0",
            "PYTHONPATH": str(ROOT), **SETTINGS,
        }.items():  # fmt: skip
            patch.setenv(name, value)
        made = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "include_dashboard": False, "object_store_memory": MEMORY},
        )
        for _ in range(2):
            made.add_node(num_cpus=1, object_store_memory=MEMORY)
        ray.init(address=made.address, log_to_driver=False)
        yield made
        ray.shutdown()
        made.shutdown()


def documents(texts: list[str]) -> list:
    return [document(f"{number}.txt", text) for number, text in enumerate(texts)]


def lines_of(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def on_ray(load, file: Path, texts: list[str], **options):
    """Lines of a job with a fake model, on the cluster."""
    work = RecordWork(constraint=json_schema(SCHEMA))
    pool = ActorPool(ModelWork(load=load, work=work.on), **options)
    with RecordFile.resume(file, {"schema": SCHEMA}) as output:
        tally = process(documents(texts), pool.run, output, batch_size=4)
    return tally, lines_of(file)


TEXTS = [
    "LONG" if number == 13 else "" if number == 5 else "BROKEN" if number == 20 else f"text {number}"
    for number in range(60)
]


@pytest.fixture(scope="module")
def local_lines(tmp_path_factory) -> list[dict]:
    """Lines of the same job in this process."""
    file = tmp_path_factory.mktemp("local") / "records.jsonl"
    with RecordFile.create(file, {}) as output:
        run(documents(TEXTS), FakeExtractor(), json_schema(SCHEMA), output, batch_size=4)
    return lines_of(file)


def test_lines_are_those_of_a_local_run_in_its_order(cluster, tmp_path, local_lines):
    tally, lines = on_ray(FakeExtractor, tmp_path / "records.jsonl", TEXTS)
    assert lines == local_lines
    assert (tally.records, tally.failed) == (58, 2)


def test_a_killed_process_loses_no_document(cluster, tmp_path, local_lines):
    """Of a batch that kills its process the first time nothing is lost; nor is anything written twice."""
    texts = ["ONCE" if text == "text 30" else text for text in TEXTS]
    tally, lines = on_ray(partial(MortalExtractor, str(tmp_path)), tmp_path / "records.jsonl", texts)
    assert [line["source"] for line in lines] == [line["source"] for line in local_lines]
    assert tally.failed == 2
    assert lines[30]["record"]["text"] == "ONCE"
    assert (tmp_path / "once").exists()


def test_a_document_that_kills_every_process_gets_an_error(cluster, tmp_path):
    texts = [f"text {number}" for number in range(9)] + ["KILL"]
    tally, lines = on_ray(partial(MortalExtractor, str(tmp_path)), tmp_path / "records.jsonl", texts)
    assert [line["source"] for line in lines] == [f"{number}.txt" for number in range(10)]
    assert (tally.records, tally.failed) == (9, 1)
    assert "3 processes died of it" in lines[9]["error"]["message"]


def test_a_lost_machine_loses_no_document(cluster, tmp_path):
    """A node is taken away while the job runs; the other one does what it was doing."""
    node = cluster.add_node(num_cpus=1, object_store_memory=MEMORY)
    texts = [f"text {number}" for number in range(120)]

    def take_away() -> None:
        time.sleep(1.0)
        while len(list(tmp_path.glob("process-*"))) < 3:
            time.sleep(0.05)
        cluster.remove_node(node, allow_graceful=False)

    thread = threading.Thread(target=take_away)
    thread.start()
    load = partial(MortalExtractor, str(tmp_path), 0.2)
    tally, lines = on_ray(load, tmp_path / "records.jsonl", texts, actors=3)
    thread.join()
    assert [line["source"] for line in lines] == [f"{number}.txt" for number in range(120)]
    assert tally.failed == 0


def test_what_is_wrong_with_the_job_ends_it_before_a_line(cluster, tmp_path):
    with pytest.raises(ModelError, match="there is no folder"):
        on_ray(partial(gk.load, "./absent"), tmp_path / "records.jsonl", TEXTS)
    assert lines_of(tmp_path / "records.jsonl") == [] if (tmp_path / "records.jsonl").exists() else True
    with pytest.raises(OptionError, match="at least 1 actor"):
        ActorPool(ModelWork(load=FakeExtractor, work=RecordWork(constraint=json_schema(SCHEMA)).on), actors=0)


def test_the_command_has_the_output_of_the_local_one_and_resumes(cluster, tmp_path):
    arguments = ["extract", "--schema", str(ROOT / "examples/ticket.py:Ticket"), str(ROOT / "examples/messages")]
    local, far = tmp_path / "local.jsonl", tmp_path / "far.jsonl"
    here = ["-b", "2", "-o", str(far), "--ray", cluster.address]
    assert CliRunner().invoke(application.app, [*arguments, "-o", str(local), "-b", "2"]).exit_code == 0
    assert CliRunner().invoke(application.app, [*arguments, *here]).exit_code == 0
    assert far.read_text() == local.read_text()
    cut = local.read_text().splitlines(keepends=True)[:3]
    far.write_text("".join(cut))
    assert CliRunner().invoke(application.app, [*arguments, *here, "--resume"]).exit_code == 0
    assert far.read_text() == local.read_text()


def test_a_killed_worker_costs_the_command_nothing(cluster, tmp_path):
    """Each document is written once, and standard output has nothing but lines."""
    mails = tmp_path / "mails.jsonl"
    mails.write_text("".join(json.dumps({"body": f"Order {48000 + n} is late. Tom Baker"}) + "\n" for n in range(80)))
    schema = str(ROOT / "examples/ticket.py:Ticket")
    command = [sys.executable, "-m", "guidance_kit", "extract", "--schema", schema, str(mails), "--field", "body"]
    running = subprocess.Popen([*command, "-b", "4", "--ray", cluster.address], stdout=subprocess.PIPE, text=True)
    lines = [running.stdout.readline() for _ in range(8)]
    actors = [one for one in psutil.Process().children(recursive=True) if "ray::_Actor" in "".join(one.cmdline())]
    actors[0].kill()
    lines += running.stdout.readlines()
    assert running.wait(60) == 0
    assert [json.loads(line)["source"] for line in lines] == [f"{mails}#{n}" for n in range(1, 81)]
    assert all("record" in json.loads(line) for line in lines)
    assert len(actors) == 2


TICKET = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "order_id": {"type": "string"}},
    "required": ["name", "order_id"],
    "additionalProperties": False,
}


def test_datasets_are_read_and_written_as_parquet(cluster, tmp_path):
    texts = ["My order 48213 never arrived. Laura Smith", "", "Order 99120, Tom Baker", None]
    written = tmp_path / "mails"
    ray.data.from_items([{"body": text, "n": n} for n, text in enumerate(texts)]).write_parquet(str(written))

    def rows(kind, **options) -> list[dict]:
        made = ray.data.read_parquet(str(written)).map_batches(
            kind, fn_constructor_kwargs=options, batch_size=2, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=1)
        )
        if kind is ExtractRecords:
            made.write_parquet(str(tmp_path / "records"))
            made = ray.data.read_parquet(str(tmp_path / "records"))
        return sorted(made.take_all(), key=lambda row: row["n"])

    model = gk.load()
    found = rows(ExtractRecords, model="support-2m", schema=TICKET, text="body")
    assert [json.loads(found[n]["record"]) for n in (0, 2)] == model.extract([texts[0], texts[2]], TICKET)
    assert [row["error"] is None for row in found] == [True, False, True, False]
    assert found[1]["record"] is None
    assert "the document is empty" in found[1]["error"]
    labels = rows(ClassifyTexts, model="large-intents", labels=["late delivery", "refund request"], text="body")
    expected = gk.load("large-intents").classify(texts[0], ["late delivery", "refund request"])
    assert labels[0]["label"] == expected.label
    assert labels[0]["probability"] == pytest.approx(expected.probability, abs=1e-5)
    assert [row["label"] is None for row in labels] == [False, True, False, True]
    texts_found = rows(GenerateTexts, model=steered, constraint=gk.regex("[a-z ]{5,9}"), prompt="body", temperature=0)
    expected = steered().generate([texts[0], texts[2]], gk.regex("[a-z ]{5,9}"), temperature=0)
    assert [texts_found[n]["completion"] for n in (0, 2)] == [one.text for one in expected]


VLLM = {"enforce_eager": True, "max_num_seqs": 8}


def test_the_command_with_an_engine_of_vllm_for_each_actor(cluster, tmp_path):
    pytest.importorskip("vllm", reason="needs vLLM: make test-engines")
    messages = str(ROOT / "examples/messages")
    arguments = ["extract", "--schema", str(ROOT / "examples/ticket.py:Ticket"), messages, "--dtype", "float32"]
    local, far = tmp_path / "local.jsonl", tmp_path / "far.jsonl"
    there = ["--ray", cluster.address, "--actors", "1", "--engine", "vllm", "--engine-options", json.dumps(VLLM)]
    assert CliRunner().invoke(application.app, [*arguments, "-o", str(local)]).exit_code == 0
    result = CliRunner().invoke(application.app, [*arguments, "-o", str(far), "-b", "2", *there])
    assert result.exit_code == 0, result.stderr
    assert far.read_text() == local.read_text()
    far.write_text("".join(local.read_text().splitlines(keepends=True)[:3]))
    result = CliRunner().invoke(application.app, [*arguments, "-o", str(far), "-b", "2", *there, "--resume"])
    assert result.exit_code == 0, result.stderr
    assert far.read_text() == local.read_text()


def test_datasets_with_an_engine_of_vllm_for_each_actor(cluster):
    """Steered texts; `tests/test_engine_vllm_jobs.py` has records and labels."""
    pytest.importorskip("vllm", reason="needs vLLM: make test-engines")
    texts = ["My order 48213 never arrived. Laura Smith", "Order 99120, Tom Baker", None]
    terms = {"less": {"kind": "experts", "anti_expert": "base-small"}}
    settings = VLLM | {"dtype": "float32", "steering": {"terms": terms, "dtype": "float32"}}
    options = {"constraint": gk.regex("[a-z ]{5,9}"), "prompt": "body", "temperature": 0}
    found = (
        ray.data.from_items([{"body": text, "n": n} for n, text in enumerate(texts)])
        .map_batches(
            GenerateTexts,
            fn_constructor_kwargs={
                "model": "large-intents", "engine": "vllm", "engine_options": settings,
                "steering": {"weights": {"less": 0.5}}, **options,
            },
            batch_size=2, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=1),
        )
        .take_all()
    )  # fmt: skip
    rows = sorted(found, key=lambda row: row["n"])
    own = gk.load("large-intents", dtype="float32")
    formula = own + 0.5 * (own - gk.load("base-small", dtype="float32"))
    expected = formula.generate(texts[:2], options["constraint"], temperature=0)
    assert [row["completion"] for row in rows] == [*(one.text for one in expected), None]
    assert [row["error"] is None for row in rows] == [True, True, False]


def test_the_tests_run_in_other_processes(cluster, tmp_path):
    """Negative control: were the fake model here, this process would have ended."""
    on_ray(partial(MortalExtractor, str(tmp_path)), tmp_path / "records.jsonl", ["ONCE"])
    assert not (tmp_path / f"process-{os.getpid()}").exists()
