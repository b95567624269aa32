"""Draw of tokens under a watermark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from torch import Tensor

from guidance_kit.decoding.draw import Draw, Drawn
from guidance_kit.decoding.mark_counts import MarkCounts
from guidance_kit.decoding.watermark import Watermark

__all__ = ["MarkState", "MarkedDraw", "marked_logits", "most_noisy", "tournament"]


class MarkState(NamedTuple):
    """State of a text: that of the draw without a watermark, the key, the contexts that were marked, and the counts."""

    inner: Any
    key: bytes
    seen: frozenset[tuple[int, ...]]
    counts: MarkCounts


@dataclass(frozen=True, slots=True)
class MarkedDraw:
    """Draw under a watermark; see `Watermark`.

    A row with one possible token is no draw and leaves the state as it is, for such tokens may be taken without one.

    Args:
        watermark: the watermark.
        inner: draw without it, and with it from the logits that a green list or a tournament leaves.
    """

    watermark: Watermark
    inner: Draw

    depends_on_history = True
    """Contexts are marked once, so the contexts drawn before decide what may be marked."""

    def start(self, seed: int) -> MarkState:
        """See `Draw.start`. The seed selects the key."""
        keys = self.watermark.keys
        return MarkState(self.inner.start(seed), keys[seed % len(keys)], frozenset(), MarkCounts())

    def draw(
        self, logits: Tensor, states: Sequence[MarkState], prefixes: Sequence[Sequence[int]], starts: Sequence[int]
    ) -> Drawn:
        """See `Draw.draw`."""
        is_open = ((logits > -torch.inf).sum(-1) > 1).tolist()
        marked = logits.clone()
        following = list(states)
        gumbel: dict[int, tuple[int, float]] = {}
        for row, (state, prefix, start) in enumerate(zip(states, prefixes, starts, strict=True)):
            if not is_open[row]:
                continue
            width, counts = self.watermark.width, state.counts
            context = tuple(prefix[len(prefix) - width :])
            if len(prefix) - start < width:
                following[row] = state._replace(counts=counts._replace(short=counts.short + 1))
                continue
            if context in state.seen:
                following[row] = state._replace(counts=counts._replace(repeated=counts.repeated + 1))
                continue
            words = self.watermark.words(state.key, context, logits.shape[-1])
            favoured: Tensor | None = None
            if self.watermark.kind == "gumbel":
                gumbel[row] = most_noisy(logits[row], self.watermark.uniforms(words))
            else:
                favoured = marked_logits(self.watermark, logits[row], words)
            if favoured is None and row not in gumbel:
                following[row] = state._replace(counts=counts._replace(skipped=counts.skipped + 1))
                continue
            if favoured is not None:
                marked[row] = favoured
            seen = state.seen if self.watermark.marks_repeated else state.seen | {context}
            following[row] = state._replace(counts=counts._replace(marked=counts.marked + 1), seen=seen)
        drawn = self.inner.draw(marked, [state.inner for state in states], prefixes, starts)
        tokens, checks = list(drawn.tokens), list(drawn.checks)
        for row, (token, check) in gumbel.items():
            tokens[row], checks[row] = token, check
        inner = cast("list[Any]", drawn.states)
        return Drawn(tokens, checks, [state._replace(inner=one) for state, one in zip(following, inner, strict=True)])


def marked_logits(watermark: Watermark, logits: Tensor, words: np.ndarray) -> Tensor | None:
    """Logits of one row under a green list or a tournament; None where a hard list would forbid all tokens.

    Args:
        watermark: not a Gumbel watermark.
        logits: float, (rows,), nats, after temperature and truncation.
        words: uint64, (rows,): of all tokens.
    """
    if watermark.kind == "tournament":
        return tournament(logits, watermark.bits(words))
    is_green = torch.from_numpy(watermark.is_green(words)).to(logits.device)
    if not watermark.is_hard:
        return logits + is_green * cast(float, watermark.bias)
    if not bool((is_green & (logits > -torch.inf)).any()):
        return None
    return logits.masked_fill(~is_green, -torch.inf)


def tournament(logits: Tensor, bits: np.ndarray) -> Tensor:
    """Logits of the winner of a tournament of tokens drawn from softmax(logits), over all draws.

    In each layer two tokens are drawn from the law of the winners of the layer before, and one with the bit 1 wins; of
    equal ones a random one. So p becomes p (1 + g - sum p g) for the bits g.

    Args:
        logits: float, (rows,), nats.
        bits: bool, (rows, layers).
    Returns:
        Float, (rows,), nats; of the dtype of `logits`.
    Source: Dathathri et al. 2024, Scalable Watermarking, section "Vectorised tournament sampling".
    """
    places = (logits > -torch.inf).nonzero()[:, 0]
    p = logits[places].double().softmax(-1)
    of_places = torch.from_numpy(bits).to(logits.device)[places].double()
    for layer in of_places.unbind(-1):
        p = (p * (1 + layer - (p * layer).sum())).clamp(min=0)  # the sum may exceed 1 by rounding
    result = torch.full_like(logits, -torch.inf)
    result[places] = p.log().to(logits.dtype)
    return result


def most_noisy(logits: Tensor, uniforms: np.ndarray) -> tuple[int, float]:
    """Token with the greatest sum of logit and Gumbel noise, and that sum."""
    noise = torch.from_numpy(-np.log(-np.log(uniforms))).to(logits.device)
    value, token = (logits.double() + noise).max(-1)
    return int(token), float(value)
