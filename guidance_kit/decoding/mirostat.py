"""Mirostat: draws that hold the surprise of a text near a target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor

from guidance_kit.decoding.draw import Drawn, Uniforms, choose
from guidance_kit.decoding.sampling import require_integer, require_number
from guidance_kit.decoding.truncation import TIE, keep_top_k
from guidance_kit.errors import OptionError

__all__ = ["Mirostat", "MirostatState", "MirostatV1", "zipf_exponents", "zipf_ranks"]

Measure = Literal["all", "kept"]
"""Distribution under which the surprise of a drawn token is measured: before or after the truncation of the draw."""


class MirostatState(NamedTuple):
    """State of a text: its random numbers, and the maximum surprise mu in bits."""

    uniforms: Uniforms
    mu: float


@dataclass(frozen=True, slots=True)
class Mirostat:
    """Mirostat 2.0: remove tokens with a surprise above mu, and let mu follow the surprises of the drawn tokens.

    After a token of surprise S, mu is lowered by `rate * (S - surprise)`. mu begins at twice the target. The most
    likely token always stays. A surprise is greater by `TIE` at most to count as equal.

    Args:
        surprise: target surprise of a token in bits, greater than 0; the paper's tau.
        rate: learning rate, greater than 0, at most 1; the paper's eta.
        measure: surprise of the drawn token among "all" tokens, as in the paper, or among the "kept" ones, as in
            llama.cpp.
    Raises:
        OptionError: a value is out of range.
    Source: Basu et al. 2021, Mirostat: A Neural Text Decoding Algorithm that Directly Controls Perplexity, algorithm 2
        and appendix (Mirostat 2.0).
    """

    surprise: float = 5.0
    rate: float = 0.1
    measure: Measure = "all"

    depends_on_history = True
    """The tokens drawn before decide what may be drawn next, beyond the prefix."""

    def __post_init__(self) -> None:
        _check(self.surprise, self.rate, self.measure)

    def start(self, seed: int) -> MirostatState:
        """See `Draw.start`."""
        return MirostatState(Uniforms(seed), 2.0 * self.surprise)

    def draw(
        self,
        logits: Tensor,
        states: Sequence[MirostatState],
        prefixes: Sequence[Sequence[int]],
        starts: Sequence[int],
    ) -> Drawn:
        """See `Draw.draw`."""
        surprises = -logits.log_softmax(-1).double() / math.log(2)
        most = torch.tensor([state.mu for state in states], dtype=torch.float64, device=logits.device)[:, None]
        most = torch.maximum(most, surprises.amin(-1, keepdim=True)) + TIE / math.log(2)
        kept = logits.masked_fill(surprises > most, -torch.inf)
        return _drawn(self, logits, kept, states, _positions(prefixes, starts))


@dataclass(frozen=True, slots=True)
class MirostatV1:
    """Mirostat: keep the k most likely tokens, with the k whose last token would have the surprise mu by Zipf's law.

    The exponent s of the law is estimated from the most likely tokens, and k is ((s - 1) 2^mu / (1 - N^(1 - s)))^(1/s),
    rounded down, at least 1, with N the number of allowed tokens. (The exponent 1/(s - 1) of some descriptions is an
    error.) Tokens as likely as the last one are kept too. mu moves as in `Mirostat`.

    Args:
        surprise, rate, measure: see `Mirostat`.
        head: number of most likely tokens from which s is estimated, at least 2; 100 in the paper.
    Raises:
        OptionError: a value is out of range.
    Source: Basu et al. 2021, Mirostat: A Neural Text Decoding Algorithm that Directly Controls Perplexity, algorithm 1;
        k is rounded as in llama.cpp.
    """

    surprise: float = 5.0
    rate: float = 0.1
    measure: Measure = "all"
    head: int = 100

    depends_on_history = True
    """See `Mirostat`."""

    def __post_init__(self) -> None:
        _check(self.surprise, self.rate, self.measure)
        require_integer("head", self.head, least=2)

    def start(self, seed: int) -> MirostatState:
        """See `Draw.start`."""
        return MirostatState(Uniforms(seed), 2.0 * self.surprise)

    def draw(
        self,
        logits: Tensor,
        states: Sequence[MirostatState],
        prefixes: Sequence[Sequence[int]],
        starts: Sequence[int],
    ) -> Drawn:
        """See `Draw.draw`."""
        count = (logits > -torch.inf).sum(-1)
        exponents = zipf_exponents(logits, self.head)
        triples = zip(exponents.tolist(), count.tolist(), states, strict=True)
        ranks = [zipf_ranks(exponent, number, state.mu) for exponent, number, state in triples]
        kept = torch.stack([keep_top_k(row, rank) for row, rank in zip(logits, ranks, strict=True)])
        return _drawn(self, logits, kept, states, _positions(prefixes, starts))


def zipf_exponents(logits: Tensor, head: int) -> Tensor:
    """Exponent s of Zipf's law, by least squares over the most likely tokens: float64, (batch,).

    With t_i = ln((i + 1) / i) and b_i = ln(p_i / p_(i + 1)), s is sum t_i b_i / sum t_i^2.

    Args:
        head: number of most likely tokens; fewer where fewer are allowed.
    """
    values = logits.topk(min(head, logits.shape[-1]), dim=-1).values.double()
    ratios = values[:, :-1] - values[:, 1:]
    is_known = values[:, 1:] > -torch.inf
    steps = torch.arange(1, values.shape[-1], dtype=torch.float64, device=logits.device)
    logs = ((steps + 1) / steps).log() * is_known
    products = logs * ratios.masked_fill(~is_known, 0)
    return products.sum(-1) / (logs**2).sum(-1).clamp(min=1e-12)


def zipf_ranks(exponent: float, count: int, mu: float) -> int:
    """Number k of most likely tokens to keep, from 1 to `count`; see `MirostatV1`.

    Args:
        exponent: the s of Zipf's law. Below `TIE` all are equally likely: k is `count`.
        count: number of tokens.
        mu: maximum surprise in bits.
    """
    if count <= 1 or not exponent > TIE:
        return max(count, 1)
    excess = (exponent - 1) * math.log(count)
    # (s - 1) / (1 - N^(1 - s)) times ln N; its limit at s = 1 is 1
    factor = 1.0 if abs(excess) < 1e-9 else excess / -math.expm1(-excess)
    rank = (math.log(factor / math.log(count)) + mu * math.log(2)) / exponent
    return count if rank > math.log(count) else max(1, int(math.exp(rank) * (1 + TIE)))


def _check(surprise: float, rate: float, measure: str) -> None:
    """Raise an OptionError unless the settings of Mirostat are in range."""
    require_number("surprise", surprise, "a number of bits greater than 0, at most 1000", lambda s: 0 < s <= 1000)
    require_number("rate", rate, "a number greater than 0 and at most 1", lambda r: 0 < r <= 1)
    if measure not in get_args(Measure):
        raise OptionError.unknown(str(measure), get_args(Measure), "measure")


def _drawn(
    how: Mirostat | MirostatV1,
    logits: Tensor,
    kept: Tensor,
    states: Sequence[MirostatState],
    positions: Sequence[int],
) -> Drawn:
    """Draw from the kept tokens, and move mu.

    Args:
        logits, kept: float, (batch, rows), nats: all tokens, and those that the draw keeps.
        positions: number of generated tokens of each row.
    """
    tokens, checks = choose(kept, [state.uniforms[place] for state, place in zip(states, positions, strict=True)])
    measured = logits if how.measure == "all" else kept
    taken = measured.gather(-1, torch.tensor(tokens, device=logits.device).clamp(max=logits.shape[-1] - 1)[:, None])
    surprises = (measured.logsumexp(-1, keepdim=True) - taken).double()[:, 0] / math.log(2)
    moved = [
        MirostatState(state.uniforms, state.mu - how.rate * (surprise - how.surprise)) if check > -math.inf else state
        for state, surprise, check in zip(states, surprises.tolist(), checks, strict=True)
    ]
    return Drawn(tokens, checks, moved)


def _positions(prefixes: Sequence[Sequence[int]], starts: Sequence[int]) -> list[int]:
    """Number of generated tokens of each row."""
    return [len(prefix) - start for prefix, start in zip(prefixes, starts, strict=True)]
