"""Watermark of a request, as a function of the tokens of its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from zlib import crc32

import torch
from torch import Tensor

from guidance_kit.decoding.marked_draw import marked_logits, most_noisy
from guidance_kit.decoding.sampling import Sampling, shape
from guidance_kit.decoding.watermark import Watermark
from guidance_kit.errors import OptionError

__all__ = ["RowMark", "key_file", "read_sampling"]


@dataclass(frozen=True, slots=True)
class RowMark:
    """Watermark of one request.

    The engine applies temperature and truncation after its processors, and the mark comes last in a step: so they are
    applied here first, and the logits are multiplied by the temperature, by which the engine will divide them. A
    context that occurred before in the text counts as marked, whether or not it had an alternative there: a row is
    then a function of its tokens alone, and may be preempted, moved and drafted.

    Args:
        watermark: the watermark.
        sampling: temperature and truncation of the request.
        seed: seed of the request, which selects the key; None for a key by the prompt.
    """

    watermark: Watermark
    sampling: Sampling
    seed: int | None = None

    def key(self, prompt: Sequence[int]) -> bytes:
        """Key of the texts of a prompt."""
        keys = self.watermark.keys
        number = crc32(repr(list(prompt)).encode()) if self.seed is None else self.seed
        return keys[number % len(keys)]

    def mark(self, logits: Tensor, prompt: Sequence[int], generated: Sequence[int]) -> Tensor:
        """Logits of a row under the watermark, before the temperature of the engine.

        Args:
            logits: float, (rows,), nats; -inf for what a constraint forbids.
            prompt: token ids.
            generated: tokens after it.
        Returns:
            Float, (rows,): the same logits where the draw is not marked; of a Gumbel watermark, 0 for the token that it
            selects and -inf for all others.
        """
        width = self.watermark.width
        context = tuple(generated[len(generated) - width :])
        if len(generated) < width or (not self.watermark.marks_repeated and _occurred(generated, width)):
            return logits
        shaped = logits if self.sampling.is_greedy else shape(logits[None], self.sampling)[0]
        if int((shaped > -torch.inf).sum()) < 2:
            return logits
        words = self.watermark.words(self.key(prompt), context, len(logits))
        if self.watermark.kind == "gumbel":
            token, _ = most_noisy(shaped, self.watermark.uniforms(words))
            return torch.full_like(logits, -torch.inf).index_fill(0, torch.tensor(token, device=logits.device), 0.0)
        favoured = marked_logits(self.watermark, shaped, words)
        if favoured is None:
            return logits
        temperature = self.sampling.temperature
        assert isinstance(temperature, int | float)
        return favoured * (temperature or 1.0)


@lru_cache(maxsize=64)
def key_file(path: str) -> Watermark:
    """Watermark of a key file, read once.

    Raises:
        OptionError: see `Watermark.load`.
    """
    return Watermark.load(path)


def read_sampling(params: Any, watermark: Watermark) -> Sampling:
    """Temperature and truncation of a request that is to be marked.

    Args:
        params: vLLM's `SamplingParams`.
    Raises:
        OptionError: greedy decoding, which has nothing to draw; a truncation that the engine would apply again, after
            the mark.
    """
    temperature = float(getattr(params, "temperature", 1.0))
    top_k, top_p, min_p = (getattr(params, name, None) for name in ("top_k", "top_p", "min_p"))
    if watermark.kind != "green" and temperature == 0:
        raise OptionError(
            f"a {watermark.kind} watermark needs a temperature above 0: at 0 the most likely token is taken"
        )
    given = [name for name, value, off in (("top_p", top_p, 1.0), ("min_p", min_p, 0.0)) if (value or off) != off]
    if given and watermark.kind != "gumbel":
        raise OptionError(
            f"{given[0]} beside a {watermark.kind} watermark: vLLM would apply it again after the mark; truncate by "
            "top_k or by keep, or take a gumbel watermark"
        )
    return Sampling(
        temperature=temperature,
        top_k=top_k if top_k and top_k > 0 else None,
        top_p=top_p if top_p and top_p < 1 else None,
        min_p=min_p or None,
    )


def _occurred(generated: Sequence[int], width: int) -> bool:
    """Test whether the last `width` tokens were the context of an earlier one."""
    context = list(generated[len(generated) - width :])
    return any(list(generated[end - width : end]) == context for end in range(width, len(generated)))
