"""A trial of a model whose architecture is not known to work: can it continue texts, and from which cache?

Architectures differ in what they do with positions, padding and caches, and some of it is wrong in transformers. A text
of a few tokens is read alone, without any cache; each kind of cache must give the same logits for it.
"""

from __future__ import annotations

import warnings
from typing import Literal

import torch
from torch import Tensor

from guidance_kit.errors import ModelError, VocabularyError
from guidance_kit.models.architectures import EXACT
from guidance_kit.models.forward import Forward
from guidance_kit.models.forward_only_cache import ForwardOnlyCache, are_close
from guidance_kit.models.kv_cache import KVCache

__all__ = ["CacheKind", "exact_cache"]

CacheKind = Literal["any", "forward", "none"]
"""What can be kept of a text: keys and values that are cut anywhere, a state that goes on from its end, nothing."""

_LENGTH = 8
"""Tokens of the text, of which the first half is the prompt."""
_FOREIGN = (RuntimeError, ValueError, TypeError, AttributeError, LookupError, NotImplementedError, AssertionError)
"""Errors of an architecture that cannot do what it is asked for."""


@torch.inference_mode()
def exact_cache(forward: Forward) -> CacheKind:
    """Find the cache with which a model gives the logits that it gives without one.

    Architectures in `EXACT` are not tried: the tests have compared all of them.

    Raises:
        ModelError: the model cannot read a text of tokens alone, or its logits depend on tokens that come later.
    """
    if _is_known(forward):
        return "any"
    text = _text(forward)
    alone = _alone(forward, text)
    half = _LENGTH // 2
    if not are_close(_alone(forward, text[:half])[-1], alone[half - 1]):
        raise ModelError(
            f"{type(forward.model).__name__} is not causal: its logits depend on tokens that come later, so that it "
            "cannot continue a text; if its configuration has is_decoder, set it to true"
        )
    if forward.windows is not None and _agrees(KVCache(forward), text, alone, ragged=True):
        return "any"
    if forward.new_layers() is None:
        return "none"
    cache = ForwardOnlyCache(forward)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # said below, also where the cache cannot be used at all
        if _agrees(cache, text, alone, ragged=False) and cache.keeps:
            return "forward"
    warnings.warn(
        f"{type(forward.model).__name__} does not continue exactly from its own cache; every token is computed from "
        "the start of its text, which is slow",
        RuntimeWarning,
        stacklevel=2,
    )
    return "none"


def _is_known(forward: Forward) -> bool:
    """Whether the tests have compared the architecture, in the code that transformers has for it, as a decoder."""
    is_own = type(forward.model).__module__.startswith("transformers.models.")
    is_decoder = getattr(forward.config, "is_decoder", None) is not False
    return is_own and is_decoder and forward.windows is not None and forward.config.model_type in EXACT


def _alone(forward: Forward, text: list[int]) -> Tensor:
    """Logits at each place of a text that is read without cache, mask and positions: (length, rows)."""
    try:
        logits = forward(forward.tensor([text]), keep=len(text))[0]
    except torch.OutOfMemoryError:
        raise
    except _FOREIGN as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(f"{type(forward.model).__name__} cannot read a text of tokens alone: {reason}") from error
    if len(logits) != len(text):
        raise ModelError(f"{type(forward.model).__name__} gives {len(logits)} logits for {len(text)} tokens")
    return logits


def _agrees(cache: KVCache | ForwardOnlyCache, text: list[int], alone: Tensor, *, ragged: bool) -> bool:
    """Whether a cache gives the right logits for prefixes of the text, of unequal lengths or of one."""
    half = _LENGTH // 2
    ends = [(half, half + 1), (half + 2, half + 3), (half + 3, half + 4)] if ragged else [(half,), (half + 1,)]
    try:
        for lengths in ends:
            logits = cache.logits([text[:length] for length in lengths])[:, -1]
            if not all(are_close(row, alone[length - 1]) for row, length in zip(logits, lengths, strict=True)):
                return False
    except torch.OutOfMemoryError:
        raise
    except _FOREIGN:
        return False
    return True


def _text(forward: Forward) -> list[int]:
    """Tokens that are spread over the embeddings; none of them is padding or the like.

    Raises:
        VocabularyError: there are hardly any tokens.
    """
    names = ("pad_token_id", "bos_token_id", "eos_token_id")
    special = {getattr(forward.config, name, None) for name in names}
    plain = [token for token in range(forward.embedded // 3, forward.embedded) if token not in special]
    if not plain:
        raise VocabularyError(f"a model of {forward.embedded} tokens has none that stands for text")
    step = max(1, len(plain) // _LENGTH)
    return [plain[number * step % len(plain)] for number in range(_LENGTH)]
