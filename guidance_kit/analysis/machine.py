"""Speed of a machine: bytes and operations a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from guidance_kit.decoding.sampling import require_number
from guidance_kit.errors import ModelError, OptionError

__all__ = ["Machine"]

_BYTES, _SIDE, _REPEATS = 1 << 28, 1024, 5


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
        """Measure a device with products of a matrix of 256 MiB with a vector, and of matrices of 1024 rows.

        Best of five runs, with the threads that torch has.

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
        width = 4096
        try:
            matrix = torch.ones(_BYTES // width // kind.itemsize, width, dtype=kind, device=device)
            square = torch.ones(_SIDE, _SIDE, dtype=kind, device=device)
        except (RuntimeError, AssertionError) as error:
            raise ModelError(f"there is no device {device!r}, or it has no room: {error}") from None
        with torch.inference_mode():
            reading = _least_seconds(lambda: matrix @ square[0].repeat(width // _SIDE), device)
            computing = _least_seconds(lambda: square @ square, device)
        return cls(bandwidth=matrix.nbytes / reading, compute=2 * _SIDE**3 / computing)


def _least_seconds(call: Callable[[], torch.Tensor], device: str) -> float:
    """Least time of several calls, in seconds; the first one is not counted."""
    found: list[float] = []
    for _ in range(1 + _REPEATS):
        begin = time.perf_counter()
        result = call()
        if device != "cpu":
            _ = result.flatten()[0].item()  # waits for the device
        found.append(time.perf_counter() - begin)
    return min(found[1:])
