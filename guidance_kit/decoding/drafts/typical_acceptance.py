"""Typical acceptance: proposed tokens that are likely enough for the model are taken. Lossy."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from guidance_kit.decoding.sampling import require_number

__all__ = ["TypicalAcceptance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypicalAcceptance:
    """Rule that accepts a token of a probability p above min(epsilon, delta e^-H), H the entropy of its place in nats.

    It is lossy: the texts have not the law of the model, at no temperature. It is never on unless it is given.

    Args:
        epsilon: probability that is always enough, in (0, 1].
        delta: factor of e^-H, greater than 0.
    Raises:
        OptionError: a number out of range.
    Source: Cai et al. 2024, Medusa, section 2.3.1.
    """

    epsilon: float = 0.3
    delta: float = 0.09

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, "a number greater than 0 and at most 1", lambda value: 0 < value <= 1)
        require_number("delta", self.delta, "a number greater than 0", lambda value: 0 < value < float("inf"))

    def accepts(self, logits: Tensor, token: int) -> bool:
        """Test of one token.

        Args:
            logits: float, (rows,), nats: processed logits of the target.
        """
        logs = logits.double().log_softmax(-1)
        p = logs.exp()
        entropy = -(p * logs.masked_fill(p == 0, 0)).sum()
        return bool(p[token] > min(self.epsilon, self.delta * float((-entropy).exp())))
