"""Weighted sums of log-probabilities, with rules for probability 0 and errors for undefined results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from guidance_kit.errors import FormulaError

if TYPE_CHECKING:
    from guidance_kit.steering.formula_evaluation import FormulaEvaluation

__all__ = ["Part", "combine", "is_sound", "normalised"]


@dataclass(frozen=True, slots=True)
class Part:
    """Evaluated term of a formula.

    Attributes:
        name: the term as it is written, for messages.
        factor: the weight; float64, (batch, positions), if it differs between positions.
        value: float, (batch, positions, width), nats; None where the factor is 0 everywhere.
    """

    name: str
    factor: float | Tensor
    value: Tensor | None


def combine(parts: Sequence[Part], evaluation: FormulaEvaluation) -> Tensor:
    """Sum of factor times value over the parts.

    A token with the value -inf has probability 0. Then a positive factor forbids the token, whatever the other terms
    give; a factor of 0 ignores the value; a negative factor divides by 0, an error unless another term forbids the
    token.

    Returns:
        Float, (batch, positions, width), nats, unnormalised. Undefined entries are NaN or inf, unless
        `evaluation.is_careful`.
    Raises:
        FormulaError: every factor is 0 at a position. If `evaluation.is_careful` also NaN, +inf or a division by 0,
            naming the term.
    """
    evaluated = [part for part in parts if part.value is not None]
    if all(isinstance(part.factor, Tensor) for part in parts):
        _require_a_weight(parts, evaluation)
    if evaluation.is_careful:
        return _combine_carefully(evaluated, evaluation)
    total: Tensor | None = None
    for part in evaluated:
        value = part.value
        assert value is not None
        if isinstance(part.factor, Tensor):
            value = value * part.factor[..., None].to(value.dtype)
            total = value if total is None else total + value
        elif total is None:
            total = value if part.factor == 1 else value * part.factor
        else:
            total = torch.add(total, value, alpha=part.factor)
    assert total is not None
    return total


def is_sound(total: Tensor) -> bool:
    """Test for a distribution at each position: no NaN, no +inf, and at least one token above -inf."""
    return bool(total.amax(-1).isfinite().all())  # NaN is greater than anything


def normalised(total: Tensor, evaluation: FormulaEvaluation, name: str) -> Tensor:
    """Log-softmax of a sum; if `evaluation.is_careful`, a FormulaError where every token is forbidden."""
    if evaluation.is_careful:
        left = (total > -torch.inf).any(-1)
        if not bool(left.all()):
            row, place = (~left).nonzero()[0].tolist()
            raise FormulaError(
                f"no token is left in {name}: its terms forbid all of them{evaluation.where(row, place)}",
                term=name,
                row=row,
            )
    return total.log_softmax(-1)


def _combine_carefully(parts: Sequence[Part], evaluation: FormulaEvaluation) -> Tensor:
    """The sum of `combine`, with a check of each token of each term."""
    total: Tensor | None = None
    forbidden: Tensor | None = None
    divided: list[tuple[Part, Tensor]] = []
    for part in parts:
        value = part.value
        assert value is not None
        factor = part.factor if isinstance(part.factor, Tensor) else evaluation.full(part.factor)
        factor = factor[..., None].to(value.dtype)
        broken = (value.isnan() | value.isposinf()) & (factor != 0)
        if bool(broken.any()):
            row, place, token = broken.nonzero()[0].tolist()
            raise FormulaError(
                f"the term {part.name} is {float(value[row, place, token])} for token {token}"
                f"{evaluation.where(row, place)}; half precision may overflow, try a wider dtype",
                term=part.name,
                row=row,
            )
        impossible = value == -torch.inf
        banned = impossible & (factor > 0)
        divided.append((part, impossible & (factor < 0)))
        added = torch.where(impossible, 0.0, value * factor)
        total = added if total is None else total + added
        forbidden = banned if forbidden is None else forbidden | banned
    assert total is not None
    assert forbidden is not None
    for part, zero in divided:
        infinite = zero & ~forbidden
        if bool(infinite.any()):
            row, place, token = infinite.nonzero()[0].tolist()
            raise FormulaError(
                f"the formula cannot be normalised: the term {part.name} divides by the probability of token {token}, "
                f"which is 0{evaluation.where(row, place)}; forbid the token by keep() of the base, or see why",
                term=part.name,
                row=row,
            )
    return total.masked_fill(forbidden, -torch.inf)


def _require_a_weight(parts: Sequence[Part], evaluation: FormulaEvaluation) -> None:
    """Raise a FormulaError at the first position where all factors are 0."""
    sums = sum((part.factor.abs() for part in parts if isinstance(part.factor, Tensor)), torch.zeros(()))
    if not bool((sums > 0).all()):
        row, place = (sums == 0).nonzero()[0].tolist()
        name = " + ".join(part.name for part in parts)
        raise FormulaError(
            f"every weight in {name} is 0{evaluation.where(row, place)}; there is no distribution to sample from",
            term=name,
            row=row,
        )
