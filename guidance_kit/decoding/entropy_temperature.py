"""Temperatures that follow the entropy: near-greedy where the model is sure, diverse where it is not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from guidance_kit.decoding.sampling import require_number
from guidance_kit.decoding.truncation import entropies
from guidance_kit.errors import OptionError
from guidance_kit.guides.guide import GREATEST

__all__ = ["DynamicTemperature", "EntropyTemperature"]


@dataclass(frozen=True, slots=True)
class DynamicTemperature:
    """Temperature between two bounds by the relative entropy: `least + (greatest - least) * (H / ln N)^exponent`.

    H is the entropy of the next token and N the number of allowed tokens, so that H / ln N is in [0, 1]. A row with one
    allowed token has the lower bound.

    Args:
        least, greatest: temperatures, 0 <= least <= greatest.
        exponent: greater than 0; above 1 it takes more entropy to raise the temperature.
    Raises:
        OptionError: a value is out of range.
    Source: llama.cpp, "dynamic temperature", with `least` = temp - range and `greatest` = temp + range.
    """

    least: float
    greatest: float
    exponent: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("least", self.least), ("greatest", self.greatest)):
            require_number(
                f"{name} of a DynamicTemperature", value, "a number, at least 0", lambda t: 0 <= t < math.inf
            )
        require_number("exponent", self.exponent, "a finite number greater than 0", lambda e: 0 < e <= GREATEST)
        if self.least > self.greatest:
            raise OptionError(f"least is {self.least}, more than greatest, {self.greatest}")

    def temperatures(self, logits: Tensor) -> Tensor:
        """See `TemperatureRule.temperatures`."""
        count = (logits > -torch.inf).sum(-1, keepdim=True).double()
        share = entropies(logits.log_softmax(-1)).double() / count.log().clamp(min=1e-12)
        return self.least + (self.greatest - self.least) * share.clamp(0, 1) ** self.exponent


@dataclass(frozen=True, slots=True)
class EntropyTemperature:
    """Entropy-based dynamic temperature (EDT): `greatest * base^(theta / H)`, H the entropy of the next token in nats.

    The temperature goes to 0 with the entropy, and to `greatest` where the entropy is high.

    Args:
        greatest: upper bound of the temperature, greater than 0; the paper's T_0.
        theta: nats, at least 0: the greater, the more entropy it takes. 0 is a fixed temperature.
        base: in (0, 1); 0.8 in the paper.
    Raises:
        OptionError: a value is out of range.
    Source: Zhang, Bao and Huang 2024, EDT: Improving Large Language Models' Generation by Entropy-based Dynamic
        Temperature Sampling, equation 3.
    """

    greatest: float
    theta: float = 0.1
    base: float = 0.8

    def __post_init__(self) -> None:
        require_number("greatest", self.greatest, "a finite number greater than 0", lambda t: 0 < t < math.inf)
        require_number("theta", self.theta, "a finite number, at least 0", lambda t: 0 <= t < math.inf)
        require_number("base", self.base, "a number between 0 and 1, and neither", lambda b: 0 < b < 1)

    def temperatures(self, logits: Tensor) -> Tensor:
        """See `TemperatureRule.temperatures`."""
        entropy = entropies(logits.log_softmax(-1)).double().clamp(min=1e-12)
        return self.greatest * (math.log(self.base) * self.theta / entropy).exp()
