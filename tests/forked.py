"""Work in other processes. Tests only."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest


def hear_interrupts() -> None:
    """As `preexec_fn`: let the process be interrupted even if the tests, run in the background, cannot be."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def holds_in_child(claim: Callable[[], bool]) -> bool:
    """Whether `claim` is true in a process that is forked here and now; the test fails if the process hangs."""
    child = os.fork()
    if child == 0:
        code = 2
        try:
            code = 0 if claim() else 1
        finally:
            os._exit(code)  # neither pytest nor anything else goes on in the child
    deadline = time.monotonic() + 60
    while (done := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    if done[0] == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the forked process hangs")
    return done[1] == 0
