"""Weights of terms that change: schedules over the text or the entropy of the base, and a budget of divergence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from guidance_kit.decoding.sampling import GREATEST, TIE, require_integer, require_number
from guidance_kit.steering.terms import Multiplier, Schedule, Weight

if TYPE_CHECKING:
    from guidance_kit.steering.formula_evaluation import FormulaEvaluation

__all__ = [
    "AlongTheText", "EntropyGate", "KLBudget", "along_the_text", "decay", "entropy_gate", "every", "first_tokens",
    "kl_budget", "ramp",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class AlongTheText(Schedule):
    """Schedule over the number of tokens generated so far.

    Args:
        function: from 0, 1, 2, ... to a finite number.
        name: name for messages.
    """

    function: Callable[[int], float] = field(repr=False)
    name: str = "along_the_text(...)"

    @property
    def depends_on_prompt_end(self) -> bool:
        """True: tokens are counted from the end of the prompt."""
        return True

    def values(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Schedule.values`.

        Raises:
            OptionError: the function returns no finite number, or one above `GREATEST` in size.
        """
        rows: list[list[float]] = []
        for elapsed in evaluation.elapsed():
            rows.append([self.function(place) for place in elapsed])
            for value in rows[-1]:
                wanted = f"a finite number, at most {GREATEST:g}"
                require_number(f"a weight of {self.name}", value, wanted, lambda weight: abs(weight) <= GREATEST)
        return torch.tensor(rows, dtype=torch.float64, device=evaluation.device)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class _Function:
    """Function of the position in the text, with its parameters as a value that compares and pickles."""

    function: Callable[..., float]
    numbers: tuple[float, ...]

    def __call__(self, place: int) -> float:
        return self.function(place, *self.numbers)


def _is_early(place: int, count: float) -> float:
    return float(place < count)


def _is_due(place: int, period: int) -> float:
    return float(place % period == 0)


def _halved(place: int, half_life: float) -> float:
    return 0.5 ** (place / half_life)


def _between(place: int, tokens: float, start: float, end: float) -> float:
    return start + (end - start) * min(place / tokens, 1.0)


@dataclass(frozen=True, slots=True)
class EntropyGate(Schedule):
    """1 where the entropy of the base is at least `nats` (up to `TIE`), else 0, where the term costs nothing.

    Source: Sitdikov et al. 2022, Classifiers are Better Experts for Controllable Text Generation.
    """

    nats: float

    def values(self, evaluation: FormulaEvaluation) -> Tensor:
        """See `Schedule.values`."""
        logprobs = evaluation.base().double()
        entropy = torch.special.entr(logprobs.exp()).sum(-1)
        return (entropy >= self.nats - TIE).double()

    def __str__(self) -> str:
        return f"entropy_gate({self.nats:g})"


@dataclass(frozen=True, slots=True, eq=False)
class KLBudget(Multiplier):
    """Greatest weight, up to `at_most`, that keeps the KL divergence from the other terms within `nats`.

    All terms with the same budget object share the weight w. With r the sum of the other terms and d the sum of these,
    w is the greatest number for which KL(softmax(r + w d) || softmax(r)) <= nats. The divergence is non-decreasing in w
    (its derivative is w times the variance of d), so w is unique.
    """

    nats: float
    at_most: float = 1.0

    @property
    def weight(self) -> Weight:
        """The budget alone."""
        return Weight(1.0, budget=self)

    def solve(self, rest: Tensor, direction: Tensor) -> Tensor:
        """Solve for the weight by Newton's method, safeguarded by bisection.

        Args:
            rest: float, (batch, positions, rows), nats, unnormalised; -inf is forbidden.
            direction: float, (batch, positions, rows), nats; -inf removes a token for any weight above 0.
        Returns:
            Float64, (batch, positions), from 0 to `at_most`. The divergence is at most `nats`, and where the weight is
            below `at_most` for that reason, at least (1 - 1e-6) of it, unless it jumps there.
        """
        start = rest.double().log_softmax(-1)
        kept = start > -torch.inf
        direction = direction.double().masked_fill(~kept, 0.0)

        def spent(weight: Tensor) -> tuple[Tensor, Tensor]:
            """Divergence at a weight, and its derivative."""
            moved = (start + weight[..., None] * direction).log_softmax(-1)
            chance = moved.exp()
            divergence = torch.where(chance > 0, chance * (moved - start), 0.0).sum(-1)
            finite = torch.where(chance > 0, direction, 0.0)
            mean = (chance * finite).sum(-1, keepdim=True)
            return divergence, weight * (chance * (finite - mean).square()).sum(-1)

        low = torch.zeros(start.shape[:-1], dtype=torch.float64, device=start.device)
        high = torch.full_like(low, self.at_most)
        guess = high.clone()
        target = self.nats * (1 - 5e-7)
        for _ in range(100):
            divergence, slope = spent(guess)
            fits = divergence <= self.nats
            low, high = torch.where(fits, guess, low), torch.where(fits, high, guess)
            is_done = (low >= self.at_most) | (fits & (divergence >= self.nats * (1 - 1e-6))) | (high - low < 1e-12)
            if bool(is_done.all()):
                break
            newton = guess - (divergence - target) / slope.clamp_min(1e-30)
            inside = (newton > low) & (newton < high)
            guess = torch.where(is_done, low, torch.where(inside, newton, (low + high) / 2))
        return low

    def __str__(self) -> str:
        return f"kl_budget({self.nats:g})"


def along_the_text(function: Callable[[int], float]) -> Schedule:
    """Weight by any function of the number of tokens generated so far: 0, 1, 2, ..."""
    return AlongTheText(function)


def first_tokens(count: int) -> Schedule:
    """1 for the first `count` generated tokens, then 0; the term costs nothing from there on."""
    require_number("count", count, "a number, at least 0", lambda value: 0 <= value < math.inf)
    return AlongTheText(_Function(_is_early, (count,)), f"first_tokens({count})")


def every(period: int) -> Schedule:
    """1 at the first generated token and at each `period`-th after it, else 0, where the term costs nothing."""
    require_integer("period", period, least=1)
    return AlongTheText(_Function(_is_due, (period,)), f"every({period})")


def decay(half_life: float) -> Schedule:
    """1 at the first token, half of it after every `half_life` tokens."""
    require_number("half_life", half_life, "a number greater than 0", lambda value: 0 < value < math.inf)
    return AlongTheText(_Function(_halved, (half_life,)), f"decay({half_life:g})")


def ramp(tokens: int, *, start: float = 1.0, end: float = 0.0) -> Schedule:
    """From `start` at the first token in equal steps to `end` after `tokens` tokens, and `end` from there on."""
    require_number("tokens", tokens, "a number, at least 1", lambda value: 1 <= value < math.inf)
    for name, value in (("start", start), ("end", end)):
        require_number(name, value, "a finite number", math.isfinite)
    return AlongTheText(_Function(_between, (tokens, start, end)), f"ramp({tokens}, {start:g}, {end:g})")


def entropy_gate(nats: float) -> Schedule:
    """1 where the entropy of the formula's base is at least `nats`, else 0; a closed gate saves the model's step."""
    require_number("nats", nats, "a number, at least 0", lambda value: 0 <= value < math.inf)
    return EntropyGate(nats)


def kl_budget(nats: float, *, at_most: float = 1.0) -> KLBudget:
    """The greatest weight up to `at_most` that moves each distribution by at most `nats`; see `KLBudget`."""
    require_number("nats", nats, "a number, at least 0", lambda value: 0 <= value < math.inf)
    require_number("at_most", at_most, "a number greater than 0", lambda value: 0 < value < math.inf)
    return KLBudget(nats, at_most)
