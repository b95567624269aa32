"""Products of a few rows and a large weight on a CPU, in the form that is fastest on this processor.

A step of a formula has few rows (a model with two prompts, a base with its adapter), and its cost is one pass over the
weights. In float32 MKL takes up to twice as long for X W^T, on some processors from two rows on, on others from four.
(W X^T)^T, or a batch of products with strips of 32 rows of W, may be faster. All are timed once in a process, so two
processes may choose differently where times are close, and logits may differ in their last bits.
"""

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
from transformers.pytorch_utils import Conv1D

__all__ = ["FewRows", "gains_from_few_rows", "has_large_weights", "store_by_outputs"]

_TRIED = (2, 3, 4, 8, 16, 32)
"""Numbers of rows with which all forms are tried. Those between are like the lower one; more take the usual form."""

_LEAST_WEIGHT = 2**18
"""Elements of a weight. Those of smaller ones come out of the processor's caches, about as fast in any form."""

_LEAST_SUM = 2**22
"""Elements of all such weights of a model. With fewer, what the mode adds to every function of torch is more."""

_STRIP = 32
"""Rows of a weight that are multiplied at a time, by the form in strips."""

_Form = Callable[[Tensor, Tensor], Tensor]


def _transposed(rows: Tensor, weight: Tensor) -> Tensor:
    """(W X^T)^T in place of X W^T."""
    return torch.mm(weight, rows.t()).t().contiguous()


def _in_strips(rows: Tensor, weight: Tensor) -> Tensor:
    """X W^T as a batch of products with strips of W."""
    outputs, width = weight.shape
    strips, whole = outputs // _STRIP, outputs // _STRIP * _STRIP
    parts = torch.bmm(rows.expand(strips, -1, -1), weight[:whole].view(strips, _STRIP, width).transpose(1, 2))
    found = rows.new_empty(len(rows), outputs)
    found[:, :whole].view(len(rows), strips, _STRIP).copy_(parts.transpose(0, 1))
    if whole < outputs:
        found[:, whole:] = linear(rows, weight[whole:])
    return found


class FewRows(TorchFunctionMode):
    """While it is active in a thread, products of few rows and a large weight are computed in the fastest form.

    The values are the same but for rounding. For few rows in float32 the usual form takes up to twice the time of
    another one; which one depends on the number of rows and on the processor, so it is measured, see
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
        product = bias = None
        if func is linear and not kwargs:
            bias = args[2] if len(args) == 3 else None
            product = _product(args[0], args[1])
        elif func is torch.addmm and not kwargs:
            bias = args[0]
            product = _product(args[1], args[2].t())
        if product is None:
            return func(*args, **(kwargs or {}))
        return product if bias is None else product.add_(bias)


def _product(rows: Tensor, weight: Tensor) -> Tensor | None:
    """X W^T in the fastest form; None if that is the usual one."""
    form = _fastest(rows.numel() // rows.shape[-1]) if _is_large(weight) else None
    return None if form is None else form(rows.reshape(-1, rows.shape[-1]), weight).view(*rows.shape[:-1], -1)


def has_large_weights(model: torch.nn.Module) -> bool:
    """Test whether a model has large weights, and enough of them for `FewRows` to gain time."""
    matrices = (weight for weight in model.parameters() if weight.dim() == 2)
    return sum(weight.numel() for weight in matrices if _is_large(weight) or _is_large(weight.mT)) >= _LEAST_SUM


def store_by_outputs(model: torch.nn.Module) -> None:
    """Lay the large weights of GPT-2's layers, (in, out), out in memory as linear layers have theirs, (out, in).

    No value and no shape changes. A product of few rows takes less time with weights that are laid out so. Weights made
    in inference mode stay: torch cannot replace their memory.
    """
    for module in model.modules():
        if isinstance(module, Conv1D) and not module.weight.is_inference() and _is_large(module.weight):
            module.weight.data = module.weight.data.t().contiguous().t()


def gains_from_few_rows(rows: int) -> bool:
    """Test whether so many rows are multiplied by a large weight in much less time by `FewRows`, on this processor."""
    return _fastest(rows) is not None


def _fastest(rows: int) -> _Form | None:
    """The form that takes much less time than the usual one, None if none does."""
    return _tried(_TRIED[bisect_right(_TRIED, rows) - 1]) if _TRIED[0] <= rows <= _TRIED[-1] else None


@cache
def _tried(rows: int) -> _Form | None:
    """See `_fastest`: tried once in a process, for some milliseconds."""
    weight, given = torch.ones(1024, 2048), torch.ones(rows, 2048)
    least: dict[_Form, float] = dict.fromkeys((linear, _transposed, _in_strips), math.inf)
    with torch.inference_mode():
        for _ in range(8):
            for form in least:
                begin = time.perf_counter()
                form(given, weight)
                least[form] = min(least[form], time.perf_counter() - begin)
    fastest = min(least, key=least.__getitem__)
    return fastest if least[fastest] < 0.85 * least[linear] else None


def _is_large(weight: Tensor) -> bool:
    """Test whether it is a large float32 matrix on a CPU, its rows one after the other; and not quantised."""
    return (
        type(weight) in (Tensor, torch.nn.Parameter)
        and weight.dim() == 2
        and weight.numel() >= _LEAST_WEIGHT
        and weight.dtype == torch.float32
        and weight.device.type == "cpu"
        and weight.is_contiguous()
    )
