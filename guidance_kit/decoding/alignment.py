"""How a constraint and the model are reconciled: token by token, or so that texts keep the model's proportions.

A mask renormalises every step on its own. What comes out is not the model's distribution given that the text satisfies
the constraint: a beginning that is likely stays likely, even if the model would hardly ever finish it as the constraint
wants. The target of `Importance` and `Asap` is that distribution: what the same call without a constraint would draw,
with its guides, temperature and truncation, given that it ends within `max_tokens` and satisfies the constraint.
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
"""Most texts that are drawn for one prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Importance:
    """Several texts at once, weighted by the mass that the mask kept, and drawn again in proportion to it.

    One text is taken in the end, in proportion to the weights: exact in the limit of many particles, and token by token
    as without alignment for one.

    Args:
        particles: how many texts run at once, from 1 to `MOST_TEXTS`.
        resample_below: the share of effective particles, (sum w)^2 / (N sum w^2), below which they are drawn again, in
            [0, 1]; a share less by at most `decoding.sampling.TIE` of it is not below. 0 never does: plain
            self-normalised importance sampling.
        resampling: how: "systematic" (one random number, evenly spaced), or "residual": each as often as its expected
            number, rounded down, the rest systematically.
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
    """Several texts, one after the other; each teaches the next ones how much of its beginnings can be completed.

    One of those that ended is taken, in proportion to their weights: exact in the limit of many samples, and token by
    token as without alignment for one.

    Args:
        samples: how many texts are drawn for a prompt, from 1 to `MOST_TEXTS`.
        memory: where to keep what was learnt for later calls; None forgets it with the call.
    Raises:
        OptionError: a value is out of range.
    Source:
        Park et al. 2024, Grammar-Aligned Decoding, algorithm 1 (adaptive sampling with approximate expected futures).
        There the last sample is taken. Here each has its importance weight, and the weights choose: the target is
        reached with far fewer samples. A text that does not end in `max_tokens` has no future.
    """

    samples: int = 10
    memory: AsapMemory | None = None

    def __post_init__(self) -> None:
        require_integer("samples", self.samples, least=1, most=MOST_TEXTS)
        if self.memory is not None and not isinstance(self.memory, AsapMemory):
            raise OptionError(f"memory must be an AsapMemory, not {self.memory!r}")


Alignment = Literal["local", "importance", "asap"] | Importance | Asap
"""What a caller may ask for: a mode by its name, or with its settings."""

_NAMED: Mapping[str, Importance | Asap | None] = {"local": None, "importance": Importance(), "asap": Asap()}


def alignment_of(asked: object) -> Importance | Asap | None:
    """The settings of a mode; None for "local".

    Raises:
        OptionError: there is no such mode.
    """
    if isinstance(asked, Importance | Asap):
        return asked
    if isinstance(asked, str) and asked in _NAMED:
        return _NAMED[asked]
    raise OptionError.unknown(str(asked), _NAMED, "alignment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A text that satisfies the constraint, among those of which one was taken.

    Attributes:
        text: the text.
        tokens: its tokens, an end-of-sequence token last.
        weight: its share, in [0, 1]; those of all candidates sum to 1. Averages over the target are sums of values
            times weights.
    """

    text: str
    tokens: tuple[int, ...]
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """How a text was drawn that is aligned with the model.

    Attributes:
        log_probability: of the constraint under the model, in nats: that what the same call without it draws ends
            within `max_tokens` and satisfies it. The logarithm of an unbiased estimate; -inf if no text ended.
        effective_size: (sum w)^2 / sum w^2 of the candidates: about as many independent texts are they worth. 0 if
            there are none.
        candidates: texts that ended. The same text may be among them several times.
        upper_bound: of `Asap`: the probability of the constraint is at most exp of this, without chance; else None.
    """

    log_probability: float
    effective_size: float
    candidates: tuple[Candidate, ...]
    upper_bound: float | None = None

    @property
    def probability(self) -> float:
        """The unbiased estimate itself, in [0, inf)."""
        return math.exp(self.log_probability)
