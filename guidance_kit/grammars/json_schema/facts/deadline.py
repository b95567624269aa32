"""Deadline of work on schemas that may take long, as the comparison of two does, in seconds of the processor."""

from __future__ import annotations

import time
from collections.abc import Callable

from guidance_kit.errors import LimitError

__all__ = ["Deadline"]


class Deadline:
    """Time that may be spent, from now on.

    Args:
        seconds: of the processor, in this thread; so that an answer does not depend on other processes.
        clock: seconds since any moment.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.thread_time) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def check(self) -> None:
        """Raise LimitError if the time is over."""
        if self._clock() > self._end:
            raise LimitError("seconds", self.seconds)
