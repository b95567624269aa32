"""Error of a row to which no token is left, by whose fault it is."""

from __future__ import annotations

from typing import NoReturn

import torch
from torch import Tensor

from guidance_kit.errors import ConstraintError, ModelError

__all__ = ["raise_no_token"]


def raise_no_token(base: Tensor, masked: Tensor, allowed: Tensor, where: str) -> NoReturn:
    """Raise the error of a row without a possible token.

    Args:
        base: logits of the model: float, (rows,), nats.
        masked: `base` after the guides and the mask.
        allowed: `base` after the mask alone.
        where: position for the message.
    Raises:
        ModelError: the model returned NaN or infinities; a guide returned NaN.
        ConstraintError: all allowed tokens have probability 0, by the model or by the guides.
    """
    if bool(base.isnan().any()):
        raise ModelError(f"the model returned NaN at {where}; half precision may overflow, try a wider dtype")
    if bool(base.isposinf().any()) or bool((base == -torch.inf).all()):
        raise ModelError(f"the model returned infinite logits at {where}")
    if bool(masked.isnan().any()):
        raise ModelError(f"a guide returned NaN at {where}")
    if bool((allowed == -torch.inf).all()):
        raise ConstraintError(
            f"no token is left at {where}: the model, or the formula, gives probability 0 to all that is allowed"
        )
    raise ConstraintError(f"no token is left at {where}: the guides forbid all that the constraint allows")
