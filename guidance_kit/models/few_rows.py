"""Linear layers for two to four rows on a CPU, computed so that a weight is read from memory once."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode

__all__ = ["MOST_ROWS", "FewRows", "gains_from_few_rows"]

MOST_ROWS = 4
"""With more rows the usual form is faster."""

_LEAST_WEIGHT = 2**19
"""Elements of a weight. Those of smaller ones come out of the processor's caches, as fast in either form."""


class FewRows(TorchFunctionMode):
    """While it is active in a thread, linear layers compute (W X^T)^T in place of X W^T where X has few rows.

    The values are the same but for rounding. On some processors MKL multiplies two or three rows by a matrix, in
    float32, one after the other, and reading the matrix is what takes the time; as columns on the right it takes them
    together. On others it is the other way round, so which form is faster is measured, see `gains_from_few_rows`.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Every function of torch comes here while the mode is active."""
        if func is linear and not kwargs:
            rows, weight, *bias = args
            if 1 < rows.numel() // rows.shape[-1] <= MOST_ROWS and _is_large(weight):
                product = torch.mm(weight, rows.reshape(-1, rows.shape[-1]).t()).t()
                if bias and bias[0] is not None:
                    product = product + bias[0]
                return product.contiguous().view(*rows.shape[:-1], -1)
        return func(*args, **(kwargs or {}))


def gains_from_few_rows(model: torch.nn.Module) -> bool:
    """Whether a model has linear layers that are faster so, on this processor."""
    layers = (module for module in model.modules() if isinstance(module, torch.nn.Linear))
    return any(_is_large(layer.weight) for layer in layers) and _is_faster()


@cache
def _is_faster() -> bool:
    """Whether the one form takes much less time than the other: tried once in a process, for some milliseconds."""
    weight, rows = torch.ones(1024, 2048), torch.ones(2, 2048)
    least = [math.inf, math.inf]
    with torch.inference_mode():
        for _ in range(8):
            for number, run in enumerate((lambda: linear(rows, weight), lambda: torch.mm(weight, rows.t()).t())):
                begin = time.perf_counter()
                run()
                least[number] = min(least[number], time.perf_counter() - begin)
    usual, few = least
    return few < 0.8 * usual


def _is_large(weight: Tensor) -> bool:
    """Whether it is a large float32 matrix on a CPU, its rows one after the other; and not quantised."""
    return (
        type(weight) in (Tensor, torch.nn.Parameter)
        and weight.numel() >= _LEAST_WEIGHT
        and weight.dtype == torch.float32
        and weight.device.type == "cpu"
        and weight.is_contiguous()
    )
