"""A server of vLLM in a process of its own. Tests only."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

SETTINGS = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
}
"""Environment of an engine: a gigabyte for keys and values on a CPU, no network, few messages."""


@contextlib.contextmanager
def serving(model: Path, log: Path, *, environment: dict[str, str], **options: object) -> Iterator[str]:
    """URL of the server of `vllm serve` for a model, which it names "tiny".

    Args:
        model: folder.
        log: file for its messages.
        environment: besides `SETTINGS`.
        options: of the command, with `_` for `-`.
    """
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    # The server of `vllm serve`, without the command: it looks for a distribution "vllm", and this one is "vllm-cpu".
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--enforce-eager"]
    named = {"model": model, "served_model_name": "tiny", "host": "127.0.0.1", "port": port, "dtype": "float32"}
    for name, value in (named | {"max_model_len": 512, "max_num_seqs": 8} | options).items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **SETTINGS, **environment})
        try:
            for _ in range(600):
                with contextlib.suppress(httpx.TransportError):
                    if httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                        break
                assert process.poll() is None, log.read_text()[-4000:]
                time.sleep(1)
            else:
                raise TimeoutError(log.read_text()[-4000:])
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(60)
