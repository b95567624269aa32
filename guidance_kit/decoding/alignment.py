"""Alignment of constrained texts with the model: sampling from its distribution given the constraint.

A mask renormalises every step on its own, which is not the same: a likely prefix stays likely even if the model would
hardly ever complete it as the constraint asks. The target of `Importance` and `Asap` is the conditional distribution:
that of the same call without a constraint, with its guides, temperature and truncation, given that the text ends within
`max_tokens` and satisfies the constraint. Park et al. 2024 call it grammar-aligned decoding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from guidance_kit.decoding.expected_futures import AsapMemory
from guidance_kit.decoding.sampling import require_integer, require_number
from guidance_kit.errors import OptionError

__all__ = ["Aligned", "Alignment", "Asap", "Candidate", "Importance", "alignment_of"]

RESAMPLINGS = ("systematic", "residual")
MOST_TEXTS = 1_000_000
"""Maximum number of particles or samples of one prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Importance:
    """Sequential Monte Carlo: particles weighted by the mass that the mask keeps, and resampled by weight.

    One particle is chosen at the end, in proportion to the weights: exact in the limit of many particles; a single
    particle is masked sampling without alignment.

    Args:
        particles: number of texts that run at once, from 1 to `MOST_TEXTS`.
        resample_below: relative effective sample size, (sum w)^2 / (N sum w^2), below which particles are resampled, in
            [0, 1]; less by at most `decoding.sampling.TIE` of it is not below. 0 never resamples: plain
            self-normalised importance sampling.
        resampling: "systematic" (one random number, evenly spaced points) or "residual" (the expected number of copies
            rounded down, the rest systematically).
    Raises:
        OptionError: a value is out of range.
    Source:
        Del Moral, Doucet and Jasra 2006, Sequential Monte Carlo samplers, section 3; Lew et al. 2023, Sequential Monte
        Carlo Steering of Large Language Models using Probabilistic Programs.
    """

    particles: int = 16
    resample_below: float = 0.5
    resampling: Literal["systematic", "residual"] = "systematic"

    def __post_init__(self) -> None:
        require_integer("particles", self.particles, least=1, most=MOST_TEXTS)
        require_number("resample_below", self.resample_below, "a number between 0 and 1", lambda share: 0 <= share <= 1)
        if self.resampling not in RESAMPLINGS:
            raise OptionError.unknown(str(self.resampling), RESAMPLINGS, "resampling")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asap:
    """Adaptive sampling with approximate expected futures: each sample improves the proposal of the next ones.

    One of the samples that ended is chosen, in proportion to their weights: exact in the limit of many samples; a
    single sample is masked sampling without alignment.

    Args:
        samples: number of texts drawn for a prompt, from 1 to `MOST_TEXTS`.
        memory: learnt bounds to use and extend, shared by calls; None starts afresh in each call.
    Raises:
        OptionError: a value is out of range.
    Source:
        Park et al. 2024, Grammar-Aligned Decoding, algorithm 1 (adaptive sampling with approximate expected futures).
        There the last sample is the result. Here one is chosen by importance weight, which needs far fewer samples. A
        text that does not end within `max_tokens` has the expected future 0.
    """

    samples: int = 10
    memory: AsapMemory | None = None

    def __post_init__(self) -> None:
        require_integer("samples", self.samples, least=1, most=MOST_TEXTS)
        if self.memory is not None and not isinstance(self.memory, AsapMemory):
            raise OptionError(f"memory must be an AsapMemory, not {self.memory!r}")


Alignment = Literal["local", "importance", "asap"] | Importance | Asap
"""Alignment mode: a name, or a value with its settings."""

_NAMED: Mapping[str, Importance | Asap | None] = {"local": None, "importance": Importance(), "asap": Asap()}


def alignment_of(given: object) -> Importance | Asap | None:
    """Settings of an alignment mode; None for "local".

    Raises:
        OptionError: there is no such mode.
    """
    if isinstance(given, Importance | Asap):
        return given
    if isinstance(given, str) and given in _NAMED:
        return _NAMED[given]
    raise OptionError.unknown(str(given), _NAMED, "alignment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Sample that satisfies the constraint, one of those from which the completion was chosen.

    Attributes:
        text: the text.
        tokens: its tokens, an end-of-sequence token last.
        weight: normalised importance weight, in [0, 1]; those of all candidates sum to 1. A weighted mean over the
            candidates estimates the mean over the target.
    """

    text: str
    tokens: tuple[int, ...]
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """Statistics of an aligned text.

    Attributes:
        log_probability: ln of an unbiased estimate of the probability, under the model, that a text of the same call
            without the constraint ends within `max_tokens` and satisfies it; nats, -inf if no sample ended.
        effective_size: effective sample size (sum w)^2 / sum w^2 of the candidates; 0 without candidates.
        candidates: samples that ended. The same text may be among them several times.
        upper_bound: ln of a certain upper bound of the probability of the constraint, for `Asap`; else None.
    """

    log_probability: float
    effective_size: float
    candidates: tuple[Candidate, ...]
    upper_bound: float | None = None

    @property
    def probability(self) -> float:
        """Unbiased estimate of the probability of the constraint, in [0, inf)."""
        return math.exp(self.log_probability)
