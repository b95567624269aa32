"""Sampling parameters: temperature, truncation, and the seeds of the texts."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from guidance_kit.decoding.truncation import (
    TIE,
    TruncationRule,
    keep_by,
    keep_epsilon,
    keep_eta,
    keep_min_p,
    keep_top_a,
    keep_top_k,
    keep_top_n_sigma,
    keep_top_p,
    keep_typical,
)
from guidance_kit.errors import OptionError
from guidance_kit.guides.guide import GREATEST

__all__ = [
    "GREATEST", "TIE", "TRUNCATIONS", "Sampling", "TemperatureRule", "require_integer", "require_number", "row_seeds",
    "shape",
]  # fmt: skip


_TINY, _HUGE = torch.finfo(torch.float32).tiny, torch.finfo(torch.float32).max

TRUNCATIONS: dict[str, Callable[[Tensor, Any], Tensor]] = {
    "top_n_sigma": keep_top_n_sigma,
    "top_k": keep_top_k,
    "top_p": keep_top_p,
    "min_p": keep_min_p,
    "top_a": keep_top_a,
    "typical_p": keep_typical,
    "epsilon_cutoff": keep_epsilon,
    "eta_cutoff": keep_eta,
}
"""TruncationRule of each field of `Sampling`, in the order in which they are applied.

Each sees the probabilities renormalised over what those before it kept. Top-n-sigma needs the logits of all allowed
tokens, so it is the first; the others have the order of transformers.
"""


@runtime_checkable
class TemperatureRule(Protocol):
    """Temperature as a function of the logits, a frozen value."""

    def temperatures(self, logits: Tensor) -> Tensor:
        """Temperature of each row.

        Args:
            logits: float, (..., rows), nats, after the mask of the constraint.
        Returns:
            Float64, (..., 1), at least 0.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Sampling parameters, applied in the order of the fields, after the mask of the constraint.

    Probabilities are those left by the fields before. A probability less by `TIE` of itself counts as equal.

    Args:
        temperature: divisor of the logits, at least 0. 0 is greedy decoding: the most likely token, of equally likely
            ones the lowest id; the other fields have no effect. Clamped to the normal numbers of float32. Or a rule, as
            `DynamicTemperature`, that sets it at each step.
        top_n_sigma: keep the tokens whose logit is at most so many standard deviations below the greatest, greater than
            0.
        top_k: keep the k most likely tokens, at least 1.
        top_p: keep the most likely tokens up to the first at which their probabilities sum to `top_p` or more (less by
            at most `TIE * top_p * (1 - top_p)` counts as equal), in (0, 1].
        min_p: keep the tokens with at least `min_p` times the top probability, in [0, 1].
        top_a: keep the tokens with at least `top_a` times the square of the top probability, in [0, 1].
        typical_p: locally typical sampling: keep the tokens whose surprise is nearest to the entropy, up to the first
            at which their probabilities sum to `typical_p`, in (0, 1]. The most likely token may be removed.
        epsilon_cutoff: keep the tokens with at least this probability, and the most likely ones, in (0, 1).
        eta_cutoff: eta sampling: as `epsilon_cutoff`, but with the lower bound min(eta, sqrt(eta) e^-entropy), in
            (0, 1).
        truncation: keep the tokens that a `TruncationRule` keeps, any set of them.
        seed: at least 0; None draws one. See `row_seeds`.
    Raises:
        OptionError: a value is out of range.
    """

    temperature: float | TemperatureRule = 1.0
    top_n_sigma: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    top_a: float | None = None
    typical_p: float | None = None
    epsilon_cutoff: float | None = None
    eta_cutoff: float | None = None
    truncation: TruncationRule | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.temperature, TemperatureRule) or isinstance(self.temperature, type):
            require_number("temperature", self.temperature, "a number, at least 0", lambda t: 0 <= t < math.inf)
        if self.top_k is not None:
            require_integer("top_k", self.top_k, least=1)
        for name, (wanted, is_in_range) in _RANGES.items():
            value = getattr(self, name)
            if value is not None:
                require_number(name, value, wanted, is_in_range)
        if self.truncation is not None and (
            not isinstance(self.truncation, TruncationRule) or isinstance(self.truncation, type)
        ):
            raise OptionError(f"truncation must be an object with a method keep(logits), not {self.truncation!r}")
        if self.seed is not None:
            require_integer("seed", self.seed, least=0)

    @property
    def is_greedy(self) -> bool:
        """Test for greedy decoding: temperature 0."""
        return self.temperature == 0


_Range = tuple[str, Callable[[float], bool]]
_SHARE: _Range = ("a number greater than 0 and at most 1", lambda p: 0 < p <= 1)
_RATIO: _Range = ("a number between 0 and 1", lambda p: 0 <= p <= 1)
_CUTOFF: _Range = ("a number between 0 and 1, and neither", lambda p: 0 < p < 1)

_RANGES: dict[str, _Range] = {
    "top_n_sigma": (f"a number greater than 0, at most {GREATEST:g}", lambda n: 0 < n <= GREATEST),
    "top_p": _SHARE,
    "min_p": _RATIO,
    "top_a": _RATIO,
    "typical_p": _SHARE,
    "epsilon_cutoff": _CUTOFF,
    "eta_cutoff": _CUTOFF,
}
"""Range of each truncation with a number."""


def shape(logits: Tensor, sampling: Sampling) -> Tensor:
    """Apply the temperature, then the truncations, in the order of `TRUNCATIONS`, then the one of `truncation`.

    Returns:
        Logits with -inf for removed tokens; the input itself if no parameter changes it.
    """
    if isinstance(sampling.temperature, TemperatureRule):
        temperatures = sampling.temperature.temperatures(logits).clamp(_TINY, _HUGE).to(logits.dtype)
        logits = (logits - logits.amax(-1, keepdim=True)) / temperatures
    elif sampling.temperature != 1:
        # Shifted first, so that a small temperature cannot overflow; and never divided by 0 or inf.
        logits = (logits - logits.amax(-1, keepdim=True)) / min(max(sampling.temperature, _TINY), _HUGE)
    for name, keep in TRUNCATIONS.items():
        value = getattr(sampling, name)
        if value is not None:
            logits = keep(logits, value)
    return logits if sampling.truncation is None else keep_by(logits, sampling.truncation)


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
