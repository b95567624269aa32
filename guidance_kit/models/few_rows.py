"""Linear layers for a few rows on a CPU, in that one of two forms which is faster on this processor."""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode

__all__ = ["FewRows", "gains_from_few_rows", "has_large_layers"]

_TRIED = (2, 3, 4, 8, 16, 32)
"""Numbers of rows with which both forms are tried. Those between are like the lower one; more take the usual form."""

_LEAST_WEIGHT = 2**19
"""Elements of a weight. Those of smaller ones come out of the processor's caches, as fast in either form."""


class FewRows(TorchFunctionMode):
    """While it is active in a thread, linear layers compute (W X^T)^T in place of X W^T where that is faster.

    The values are the same but for rounding. For few rows in float32 either form of MKL takes up to twice the time of
    the other, which one depends on the number of rows and on the processor; so it is measured, see
    `gains_from_few_rows`.
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
            if _is_large(weight) and gains_from_few_rows(rows.numel() // rows.shape[-1]):
                product = torch.mm(weight, rows.reshape(-1, rows.shape[-1]).t()).t()
                if bias and bias[0] is not None:
                    product = product + bias[0]
                return product.contiguous().view(*rows.shape[:-1], -1)
        return func(*args, **(kwargs or {}))


def has_large_layers(model: torch.nn.Module) -> bool:
    """Whether a model has linear layers that are large enough for `FewRows` to matter."""
    layers = (module for module in model.modules() if isinstance(module, torch.nn.Linear))
    return any(_is_large(layer.weight) for layer in layers)


def gains_from_few_rows(rows: int) -> bool:
    """Whether so many rows are multiplied by a large weight in much less time by `FewRows`, on this processor."""
    return _TRIED[0] <= rows <= _TRIED[-1] and _is_faster(_TRIED[bisect_right(_TRIED, rows) - 1])


@cache
def _is_faster(rows: int) -> bool:
    """Whether the one form takes much less time than the other: tried once in a process, for some milliseconds."""
    weight, given = torch.ones(1024, 2048), torch.ones(rows, 2048)
    least = [math.inf, math.inf]
    with torch.inference_mode():
        for _ in range(8):
            for number, run in enumerate((lambda: linear(given, weight), lambda: torch.mm(weight, given.t()).t())):
                begin = time.perf_counter()
                run()
                least[number] = min(least[number], time.perf_counter() - begin)
    usual, few = least
    return few < 0.85 * usual


def _is_large(weight: Tensor) -> bool:
    """Whether it is a large float32 matrix on a CPU, its rows one after the other; and not quantised."""
    return (
        type(weight) in (Tensor, torch.nn.Parameter)
        and weight.numel() >= _LEAST_WEIGHT
        and weight.dtype == torch.float32
        and weight.device.type == "cpu"
        and weight.is_contiguous()
    )
