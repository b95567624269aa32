"""A trial of a model whose architecture is not known to work: can it continue texts, and from which cache?

Architectures differ in what they do with positions, padding and caches, and some of it is wrong in transformers. A text
of a few tokens is read alone, without any cache; each kind of cache must give the same logits for it.
"""

from __future__ import annotations

import warnings
from functools import partial

import torch
from torch import Tensor

from guidance_kit.errors import ModelError, VocabularyError
from guidance_kit.models.architectures import CACHES, CacheKind, compared
from guidance_kit.models.forward import Forward
from guidance_kit.models.forward_only_cache import ForwardOnlyCache
from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.row_reading import RowReading
from guidance_kit.models.spot_checks import are_close

__all__ = ["FOREIGN", "exact_cache", "has_exact_siblings", "known_cache", "trial_text", "tried_cache"]

_LENGTH = 8
"""Tokens of the text, of which the first half is the prompt."""
FOREIGN = (RuntimeError, ValueError, TypeError, AttributeError, LookupError, NotImplementedError, AssertionError)
"""Errors of an architecture that cannot do what it is asked for."""


def exact_cache(forward: Forward) -> CacheKind:
    """Find the cache with which a model gives the logits that it gives without one.

    Architectures in `CACHES` are not tried: the tests have compared all of them, in float32 and over longer texts than
    a trial has.

    Raises:
        ModelError: the model cannot read a text of tokens alone, or its logits depend on tokens that come later.
    """
    found = known_cache(forward) or tried_cache(forward)
    if found == "none" and forward.new_layers() is not None:
        warnings.warn(
            f"{type(forward.model).__name__} does not continue exactly from its own cache; every token is computed "
            "from the start of its text, which is slow",
            RuntimeWarning,
            stacklevel=2,
        )
    return found


@torch.inference_mode()
def tried_cache(forward: Forward) -> CacheKind:
    """Find the cache by a few tokens of text alone, whatever the architecture is known for.

    Raises:
        ModelError: as `exact_cache`.
    """
    text = trial_text(forward)
    alone = _alone(forward, text)
    half = _LENGTH // 2
    if not are_close(_alone(forward, text[:half])[-1], alone[half - 1], is_coarse=forward.is_coarse):
        raise ModelError(
            f"{type(forward.model).__name__} is not causal: its logits depend on tokens that come later, so that it "
            "cannot continue a text; if its configuration has is_decoder, set it to true"
        )
    if forward.windows is not None and _agrees(forward, KVCache(forward), text, alone):
        return "any"
    cache = ForwardOnlyCache(forward)
    if not cache.keeps:
        return "none"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # `exact_cache` says it
        return "forward" if _agrees(forward, cache, text, alone) and cache.keeps else "none"


@torch.inference_mode()
def has_exact_siblings(forward: Forward) -> bool:
    """Test whether a cache can be cut anywhere, and tokens beside each other get the logits of texts of their own.

    Raises:
        ModelError: as `exact_cache`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the caller does without the cache
        if forward.rope_boundary is not None or exact_cache(forward) != "any":
            return False
    cache, text, half = KVCache(forward), trial_text(forward), _LENGTH // 2
    if not cache.can_have_siblings:
        return False
    try:
        cache.logits([text[: half + 1], text[:half]], readings=[trial_reading(forward)] * 2)
        found = cache.siblings(forward.tensor([text[half + 1 :]] * 2))
    except torch.OutOfMemoryError:
        raise
    except FOREIGN:
        return False
    for row, length in zip(found, (half + 1, half), strict=True):
        for answer, token in zip(row, text[half + 1 :], strict=True):
            expected = _alone(forward, [*text[:length], token])[-1]
            if not are_close(answer, expected, is_coarse=forward.is_coarse):
                return False
    return True


def known_cache(forward: Forward) -> CacheKind | None:
    """The cache of an architecture that the tests have compared; None where its settings leave it no such cache."""
    found = CACHES.get(compared(forward.model) or "")
    is_possible = {"any": forward.windows, "forward": forward.new_layers(), "none": (), None: None}[found] is not None
    return found if is_possible else None


def _alone(forward: Forward, text: list[int]) -> Tensor:
    """Logits at each place of a text that is read without cache, mask and positions: (length, rows)."""
    try:
        logits = forward(forward.tensor([text]), keep=len(text), readings=[trial_reading(forward)])[0]
    except torch.OutOfMemoryError:
        raise
    except FOREIGN as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(f"{type(forward.model).__name__} cannot read a text of tokens alone: {reason}") from error
    if len(logits) != len(text):
        raise ModelError(f"{type(forward.model).__name__} gives {len(logits)} logits for {len(text)} tokens")
    return logits


def _agrees(forward: Forward, cache: KVCache | ForwardOnlyCache, text: list[int], alone: Tensor) -> bool:
    """Test whether a cache gives the right logits for prefixes of the text, of unequal lengths where it can have
    padding."""
    half = _LENGTH // 2
    ragged = [(half, half + 1), (half + 2, half + 3), (half + 3, half + 4)]
    ends = ragged if isinstance(cache, KVCache) else [(half,), (half + 1,)]
    is_close = partial(are_close, is_coarse=forward.is_coarse)
    try:
        for lengths in ends:
            readings = [trial_reading(forward)] * len(lengths)
            logits = cache.logits([text[:length] for length in lengths], readings=readings)[:, -1]
            if not all(is_close(row, alone[length - 1]) for row, length in zip(logits, lengths, strict=True)):
                return False
    except torch.OutOfMemoryError:
        raise
    except FOREIGN:
        return False
    return True


def trial_reading(forward: Forward) -> RowReading:
    """Manner in which the text is read: without an adapter, after itself where there is an encoder."""
    if forward.encoder is None:
        return RowReading()
    return RowReading(None, forward.encoder.split([*trial_text(forward), forward.encoder.start], None)[0])


def trial_text(forward: Forward) -> list[int]:
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
