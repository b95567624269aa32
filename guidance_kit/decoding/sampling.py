"""Sampling parameters: temperature, truncation, and the seeds of the texts.

Every truncation is a threshold on the logits: tokens below it are removed, and ties with the last kept token are all
kept. So the result does not depend on the order in which a sort leaves equal values, on any device. Logits are float32,
(batch, rows), nats; -inf forbids a token and stays; NaN propagates.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import cast

import numpy as np
import torch
from torch import Tensor

from guidance_kit.errors import OptionError
from guidance_kit.guides.guide import GREATEST

__all__ = [
    "GREATEST", "TIE", "Sampling", "keep_min_p", "keep_top_k", "keep_top_p", "require_integer", "require_number",
    "row_seeds", "shape",
]  # fmt: skip


TIE = 1e-5
"""Relative difference of probabilities up to which a decision treats them as equal.

CPUs sum float32 in different orders, so logits differ by about 3e-6 between machines. A decision between numbers that
are equal in exact arithmetic must not depend on that.
"""

_TINY, _HUGE = torch.finfo(torch.float32).tiny, torch.finfo(torch.float32).max


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Sampling parameters, applied in the order of the fields, after the mask of the constraint.

    Args:
        temperature: divisor of the logits, at least 0. 0 is greedy decoding: the most likely token, of equally likely
            ones the lowest id; the other fields have no effect. Clamped to the normal numbers of float32.
        top_k: keep the k most likely tokens, at least 1.
        top_p: keep the most likely tokens up to the first at which their probabilities, renormalised after `top_k`, sum
            to `top_p` or more (less by at most `TIE * top_p * (1 - top_p)` counts as equal), in (0, 1].
        min_p: keep the tokens with at least `min_p` times the top probability (less by `TIE` of it counts as equal), in
            [0, 1].
        seed: at least 0; None draws one. See `row_seeds`.
    Raises:
        OptionError: a value is out of range.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        require_number("temperature", self.temperature, "a number, at least 0", lambda t: 0 <= t < math.inf)
        if self.top_k is not None:
            require_integer("top_k", self.top_k, least=1)
        if self.top_p is not None:
            require_number("top_p", self.top_p, "a number greater than 0 and at most 1", lambda p: 0 < p <= 1)
        if self.min_p is not None:
            require_number("min_p", self.min_p, "a number between 0 and 1", lambda p: 0 <= p <= 1)
        if self.seed is not None:
            require_integer("seed", self.seed, least=0)

    @property
    def is_greedy(self) -> bool:
        """Test for greedy decoding: temperature 0."""
        return self.temperature == 0


def shape(logits: Tensor, sampling: Sampling) -> Tensor:
    """Apply temperature, top-k, top-p and min-p, in this order.

    Returns:
        Logits with -inf for removed tokens; the input itself if no parameter changes it.
    """
    if sampling.temperature != 1:
        # Shifted first, so that a small temperature cannot overflow; and never divided by 0 or inf.
        logits = (logits - logits.amax(-1, keepdim=True)) / min(max(sampling.temperature, _TINY), _HUGE)
    if sampling.top_k is not None:
        logits = keep_top_k(logits, sampling.top_k)
    if sampling.top_p is not None:
        logits = keep_top_p(logits, sampling.top_p)
    if sampling.min_p is not None:
        logits = keep_min_p(logits, sampling.min_p)
    return logits


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """Remove all but the k most likely tokens (and ties with the last of them)."""
    if k >= logits.shape[-1]:
        return logits
    threshold = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < threshold, -torch.inf)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """Nucleus sampling: remove all but the smallest set of most likely tokens whose probabilities sum to at least p.

    Source: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration, section 3.1; ties as above.
    """
    if p >= 1:
        return logits
    enough = p - TIE * p * (1 - p)  # logits that move by e move a sum p of probabilities by at most e p (1 - p)
    greatest = logits.amax(-1, keepdim=True)
    total = (logits - greatest).exp().sum(-1, keepdim=True, dtype=torch.float64)
    rows = logits.shape[-1]
    head = min(rows, 256)  # nearly always enough, and far cheaper than to sort all rows
    while True:
        values = logits.topk(head, dim=-1).values
        mass = (values.double() - greatest).exp() / total
        is_kept = mass.cumsum(-1) - mass < enough
        if head == rows or not bool(is_kept[..., -1].any()):
            break
        head = rows
    threshold = values.gather(-1, is_kept.sum(-1, keepdim=True).clamp_(min=1) - 1)
    return logits.masked_fill(logits < threshold, -torch.inf)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    """Remove tokens with less than p times the top probability.

    Source: Nguyen et al. 2024, Turning Up the Heat: Min-p Sampling, section 3.
    """
    if p <= 0:
        return logits
    return logits.masked_fill(logits < logits.amax(-1, keepdim=True) + (math.log(p) - TIE), -torch.inf)


def row_seeds(seed: int | None, count: int, samples: int = 1) -> list[int]:
    """Seeds of the texts, one each, so that the text of a prompt does not depend on its batch.

    The first prompt has `seed` itself: any row can be generated again alone, from its seed (`Completion.seed`). The
    seeds of the others are derived from `seed` and their index, and are independent for different `seed`.

    Args:
        count: number of prompts.
        samples: number of texts a prompt. The first text of a prompt has the seed of a single one, so more samples
            begin with the same ones.
    Returns:
        `count * samples` seeds; those of one prompt are adjacent.
    """
    first = secrets.randbits(63) if seed is None else seed

    def derived(*place: int) -> int:
        return int(np.random.SeedSequence(first, spawn_key=place).generate_state(1, np.uint64)[0]) >> 1

    firsts = [first, *(derived(row) for row in range(1, count))][:count]
    return [derived(row, sample) if sample else own for row, own in enumerate(firsts) for sample in range(samples)]


def require_integer(name: str, value: object, *, least: int, most: int | None = None) -> None:
    """Raise an OptionError that names the option unless `value` is an integer from `least` to `most`."""
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_integer or int(cast(int, value)) < least or (most is not None and int(cast(int, value)) > most):
        to = "" if most is None else f" and at most {most}"
        raise OptionError(f"{name} must be an integer, at least {least}{to}, not {_shown(value)}")


def require_number(name: str, value: object, wanted: str, is_in_range: Callable[[float], bool]) -> None:
    """Raise an OptionError that names the option and what it takes unless `value` is a number in range."""
    if not isinstance(value, Real) or isinstance(value, bool) or not is_in_range(_as_float(value)):
        raise OptionError(f"{name} must be {wanted}, not {_shown(value)}")


def _as_float(value: Real) -> float:
    """Nearest float; inf or -inf for integers beyond all floats."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if cast(int, value) > 0 else -math.inf


def _shown(value: object) -> str:
    """Value for messages: its repr, or the bit length of an integer that is too long to print."""
    if isinstance(value, Integral) and abs(int(value)) >= 10**40:
        return f"an integer of {int(value).bit_length()} bits"
    return repr(value)
