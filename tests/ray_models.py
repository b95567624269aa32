"""Models for tests of actors in Ray. Tests only."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import guidance_kit as gk
from tests.fake_extractor import FakeExtractor

__all__ = ["MortalExtractor", "steered"]


class MortalExtractor(FakeExtractor):
    """As `FakeExtractor`; its process ends at a text that begins with "KILL", or the first time with "ONCE".

    Args:
        folder: for a mark that the first time is over, and a file for each process.
        seconds: of each call.
    """

    def __init__(self, folder: str, seconds: float = 0.0) -> None:
        super().__init__(seconds)
        self._folder = Path(folder)
        (self._folder / f"process-{os.getpid()}").touch()

    def generate(self, prompts: Any, constraint: Any = None, *, batch_size: int = 32, **options: Any) -> Any:
        """See `Model.generate`."""
        for text in (bytes(prompt).decode() for prompt in prompts):
            mark = self._folder / "once"
            if text.startswith("KILL") or (text.startswith("ONCE") and not mark.exists()):
                mark.touch()
                time.sleep(0.1)
                os._exit(1)
        return super().generate(prompts, constraint, batch_size=batch_size, **options)


def steered() -> gk.Model:
    """Formula for an actor."""
    return gk.load("base-small") + 0.5 * (gk.load("small-tuned") - gk.load("base-small"))
