"""Logits processor of vLLM that makes requests write given texts where their masks allow it, and notes each step.

Given to an engine by its name, `scripted_texts:ScriptedTexts`. So all structured-output backends write the same texts.
"""

from __future__ import annotations

import os
import struct
import time
from typing import Any, BinaryIO

import torch
from torch import Tensor
from vllm.sampling_params import SamplingParams
from vllm.v1.sample.logits_processor import BatchUpdate, LogitsProcessor, MoveDirectionality

LOG = "STEP_LOG"
"""Environment variable: file for the times of all steps, each as a float64 in seconds of the monotonic clock."""


class ScriptedTexts(LogitsProcessor):
    """Prefer token i of `extra_args["script"]` at step i, if it is allowed."""

    def __init__(self, vllm_config: Any, device: torch.device, is_pin_memory: bool) -> None:
        self.scripts: dict[int, tuple[list[int], list[int]]] = {}
        path = os.environ.get(LOG)
        self.log: BinaryIO | None = None if path is None else open(path, "ab", buffering=0)  # noqa: SIM115

    @classmethod
    def validate_params(cls, sampling_params: SamplingParams) -> None:
        """Nothing is checked."""

    def is_argmax_invariant(self) -> bool:
        """False: the texts are given."""
        return False

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Follow the rows; called once in a step."""
        if self.log is not None:
            self.log.write(struct.pack("d", time.monotonic()))
        if batch_update is None:
            return
        for row in batch_update.removed:
            self.scripts.pop(row, None)
        for row, params, _, output in batch_update.added:
            script = (params.extra_args or {}).get("script")
            self.scripts.pop(row, None)
            if script is not None:
                self.scripts[row] = script, output
        for first, second, direction in batch_update.moved:
            one, other = self.scripts.pop(first, None), self.scripts.pop(second, None)
            if one is not None:
                self.scripts[second] = one
            if other is not None and direction == MoveDirectionality.SWAP:
                self.scripts[first] = other

    def apply(self, logits: Tensor) -> Tensor:
        """Raise the logits of the tokens that come next."""
        places = [(row, script[len(out)]) for row, (script, out) in self.scripts.items() if len(out) < len(script)]
        if places:
            rows, tokens = zip(*places, strict=True)
            logits[list(rows), list(tokens)] += 1e4
        return logits
