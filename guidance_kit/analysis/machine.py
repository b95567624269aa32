"""Speed of a machine: bytes and operations a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from guidance_kit.decoding.sampling import require_number
from guidance_kit.errors import ModelError, OptionError

__all__ = ["Machine"]

_BYTES, _WIDTH, _SECONDS, _ROUNDS = 1 << 28, 4096, 1.0, 5
_PIECES, _SIDE = {True: 16, False: 1}, {True: 512, False: 4096}
"""On a CPU, and elsewhere: short enough for the best piece to be undisturbed, or long enough to keep a GPU busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Speed of a machine.

    Attributes:
        bandwidth: bytes a second that products with a vector read of a matrix that no cache holds.
        compute: floating-point operations a second of products of matrices; an addition and a multiplication are two.
    Raises:
        OptionError: a value that is not above 0.
    """

    bandwidth: float
    compute: float

    def __post_init__(self) -> None:
        for name in ("bandwidth", "compute"):
            require_number(name, getattr(self, name), "a number greater than 0", lambda x: x > 0)

    @classmethod
    def measured(cls, device: str = "cpu", dtype: str = "float32") -> Machine:
        """Measure a device with products of a vector and a matrix of 256 MiB, and of two matrices.

        The best of several runs, with the threads that torch has: on a CPU that other processes use, runs are short, so
        that some of them are undisturbed.

        Args:
            device: "cpu", "cuda", ...
            dtype: of the numbers: "float32", "bfloat16", ...
        Raises:
            ModelError: there is no such device.
            OptionError: no data type of this name.
        """
        kind = getattr(torch, dtype, None)
        if not isinstance(kind, torch.dtype):
            raise OptionError(f"{dtype!r} is no data type of torch")
        try:
            is_cpu = torch.device(device).type == "cpu"
            side, pieces = _SIDE[is_cpu], _PIECES[is_cpu]
            matrix = torch.ones(_BYTES // _WIDTH // kind.itemsize, _WIDTH, dtype=kind, device=device)
            square = torch.ones(side, side, dtype=kind, device=device)
        except (RuntimeError, AssertionError) as error:
            raise ModelError(f"there is no device {device!r}, or it has no room: {error}") from None
        vector = matrix[0]
        with torch.inference_mode():
            reading = _least_seconds([partial(torch.mv, piece, vector) for piece in matrix.chunk(pieces)], is_cpu)
            computing = _least_seconds([partial(torch.mm, square, square)] * pieces, is_cpu)
        return cls(bandwidth=matrix.nbytes / pieces / reading, compute=2 * side**3 / computing)


def _least_seconds(calls: Sequence[Callable[[], torch.Tensor]], is_cpu: bool) -> float:
    """Least time of a call, in seconds; all of them run in turn for a second, and the first round is not counted."""
    found: list[float] = []
    rounds, start = 0, time.perf_counter()
    while rounds <= _ROUNDS or time.perf_counter() - start < _SECONDS:
        for call in calls:
            begin = time.perf_counter()
            result = call()
            if not is_cpu:
                _ = result.flatten()[0].item()  # waits for the device
            if rounds:
                found.append(time.perf_counter() - begin)
        rounds += 1
    return min(found)
