"""The weights of a model with the adapters on them, and what was computed with them: a cache for every prefix."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from transformers import PreTrainedModel

from guidance_kit.errors import ContextLengthError
from guidance_kit.models.architectures import CacheKind
from guidance_kit.models.checked_prefixes import checked_prefixes
from guidance_kit.models.forward import Forward
from guidance_kit.models.forward_only_cache import ForwardOnlyCache
from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.row_reading import RowReading
from guidance_kit.models.sink_cache import Bounds, SinkCache
from guidance_kit.models.spot_checks import SpotChecks, are_close
from guidance_kit.models.token_tree import TokenTree
from guidance_kit.models.trial import exact_cache, has_exact_siblings, known_cache

__all__ = ["Weights"]

_Cache = KVCache | ForwardOnlyCache | SinkCache


class Weights:
    """Weights that models share, with their caches.

    The base and its adapters are rows of one batch, in one cache; those adapters that cannot stand in a batch with
    others have a cache and a forward pass of their own. Calls from several threads wait for each other.

    Args:
        model: any causal or encoder-decoder model of transformers; it is put into evaluation mode.
        tokens_per_forward: about how many tokens are computed at once.
        forward: a forward pass of the model with another head; that of its logits by default.
        bounds: of a cache of bounded size, see `SinkCache`; None for exact caches.
        ending: tokens with which an encoder expects a source to end, see `SourceEncoder`.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        tokens_per_forward: int = 8192,
        forward: Forward | None = None,
        bounds: Bounds | None = None,
        ending: Sequence[int] = (),
    ) -> None:
        if forward is None:
            forward = Forward(model, ending=ending, tokens_per_forward=tokens_per_forward)
        self.forward = forward
        self._tokens_per_forward = tokens_per_forward
        # Where positions beyond some length are encoded in another way, the keys of shorter prefixes are of no use.
        self._boundary = None if self.forward.windows is None else self.forward.rope_boundary
        self._kind: CacheKind | None = None
        self._bounds = bounds
        self._checks = SpotChecks() if known_cache(self.forward) is None and bounds is None else None
        self._caches: dict[str | None, list[_Cache]] = {}
        self._lock = threading.RLock()

    @property
    def bytes(self) -> int:
        """Memory held for what was computed, without the weights themselves."""
        encoder = self.forward.encoder
        held = sum(cache.bytes for caches in self._caches.values() for cache in caches)
        return held if encoder is None else held + encoder.bytes

    @property
    def has_bounded_cache(self) -> bool:
        """Test for a cache of bounded size, which is approximate."""
        return self._bounds is not None

    @property
    def cache_kind(self) -> CacheKind:
        """The cache with which the model is exact; the first question finds it out."""
        caches = [cache for caches in self._caches.values() for cache in caches]
        if any(isinstance(cache, ForwardOnlyCache) and not cache.keeps for cache in caches):
            return "none"
        if self._kind is None:
            self._kind = exact_cache(self.forward)
        return self._kind

    def clear(self) -> None:
        """Let go of what is kept for later questions."""
        with self._lock:
            for caches in self._caches.values():
                for cache in caches:
                    cache.clear()
            if self.forward.encoder is not None:
                self.forward.encoder.clear()

    def load_adapter(self, source: str | Path) -> str:
        """See `Adapters.load`."""
        with self._lock:
            return self.forward.adapters.load(source)

    def _read(
        self, prefixes: Sequence[Sequence[int]], positions: int, adapters: Sequence[str | None]
    ) -> tuple[list[list[int]], list[RowReading]]:
        """Prefixes as lists, of lengths that the model can answer for, and the manner in which each is read.

        Of a prefix for an encoder-decoder model it is what the decoder reads; the source belongs to the manner.
        """
        limit, encoder = self.forward.context_length, self.forward.encoder
        readings = [RowReading(name) for name in adapters] or [RowReading()] * len(prefixes)
        if encoder is None:
            return checked_prefixes(prefixes, positions, limit), readings
        lists = checked_prefixes(prefixes, 1, None)
        pairs = [encoder.split(one, reading.adapter) for one, reading in zip(lists, readings, strict=True)]
        texts = checked_prefixes([text for _, text in pairs], positions, limit)
        return texts, [RowReading(source.adapter, source) for source, _ in pairs]

    def logits(
        self, prefixes: Sequence[Sequence[int]], positions: int = 1, *, adapters: Sequence[str | None] = ()
    ) -> Tensor:
        """See `TransformersModel.logits`.

        Args:
            adapters: with which each prefix is read, None for none; empty for none at all.
        """
        with self._lock, torch.inference_mode():
            lists, readings = self._read(prefixes, positions, adapters)
            batches: dict[str | None, list[int]] = {}
            for place, (name, _) in enumerate(readings):
                is_mixable = name is None or self.forward.adapters.is_mixable(name)
                batches.setdefault(None if is_mixable else name, []).append(place)
            if len(batches) == 1:
                return self._answer(next(iter(batches)), lists, readings, positions)
            answers: dict[int, Tensor] = {}
            for batch, places in batches.items():
                members = [lists[place] for place in places], [readings[place] for place in places]
                answers.update(zip(places, self._answer(batch, *members, positions), strict=True))
            return torch.stack([answers[place] for place in range(len(lists))])

    @cached_property
    def can_have_trees(self) -> bool:
        """True if `tree_logits` is possible: there is one cache, which is cut anywhere and keeps siblings apart."""
        with self._lock:
            return self._bounds is None and self._checks is None and has_exact_siblings(self.forward)

    def tree_logits(
        self, prefixes: Sequence[Sequence[int]], trees: Sequence[TokenTree], *, adapters: Sequence[str | None] = ()
    ) -> Tensor:
        """See `TransformersModel.tree_logits`."""
        with self._lock, torch.inference_mode():
            lists, readings = self._read(prefixes, 1, adapters)
            limit = self.forward.context_length
            longest = max(len(row) + max(tree.depths, default=0) for row, tree in zip(lists, trees, strict=True))
            if limit is not None and longest > limit:
                raise ContextLengthError(tokens=longest, context_length=limit)
            name = readings[0].adapter
            batch = None if name is None or self.forward.adapters.is_mixable(name) else name
            if batch not in self._caches:
                self._caches[batch] = self._new_caches()
            return cast(KVCache, self._caches[batch][0]).tree(lists, trees, readings)

    def _answer(
        self, batch: str | None, prefixes: list[list[int]], readings: list[RowReading], positions: int
    ) -> Tensor:
        """Answer from the caches of one kind of rows: None for all that are mixable, or an adapter that is not."""
        caches = self._caches.get(batch)
        if caches is None:
            caches = self._caches[batch] = self._new_caches()
        if len(caches) == 1:
            logits = _distinct(caches[0], prefixes, readings, positions)
        else:
            logits = self._across(caches, prefixes, readings, positions)
        if self._kind != "any" or self._checks is None or self._is_right(self._checks, logits, prefixes, readings):
            return logits
        warnings.warn(
            f"{type(self.forward.model).__name__} does not go on rightly from its keys and values; from here on every "
            "token is computed from the start of its text, which is slow. Answers since the last check may be wrong",
            RuntimeWarning,
            stacklevel=2,
        )
        self._kind, self._caches = "none", {}
        return self._answer(batch, prefixes, readings, positions)

    def _is_right(
        self, checks: SpotChecks, logits: Tensor, prefixes: list[list[int]], readings: list[RowReading]
    ) -> bool:
        """Test whether the answer for the longest prefix is that of a computation from its start, where that is due."""
        longest = max(range(len(prefixes)), key=lambda place: len(prefixes[place]))
        prefix = prefixes[longest]
        checks.note(len(prefixes), len(prefix))
        if not checks.is_due(len(prefix)):
            return True
        alone = self.forward(self.forward.tensor([prefix]), keep=logits.shape[1], readings=[readings[longest]])
        return are_close(logits[longest], alone[0], is_coarse=self.forward.is_coarse)

    def _new_caches(self) -> list[_Cache]:
        """One, or one for the places up to the boundary of LongRoPE and one for those beyond."""
        size = self._tokens_per_forward
        if self._bounds is not None:
            return [SinkCache(self.forward, self._bounds, tokens_per_forward=size)]
        kind = self.cache_kind
        if kind != "any":
            return [ForwardOnlyCache(self.forward, tokens_per_forward=size, keeps=kind == "forward")]
        if self._boundary is None:
            return [KVCache(self.forward, tokens_per_forward=size)]
        beyond = KVCache(self.forward, tokens_per_forward=size, undivided=self._boundary + 1)
        return [KVCache(self.forward, tokens_per_forward=size), beyond]

    def _across(
        self,
        caches: list[_Cache],
        prefixes: list[list[int]],
        readings: list[RowReading],
        positions: int,
    ) -> Tensor:
        """Answer from the first cache for the places up to the boundary, from the second for those beyond."""
        boundary = self._boundary or 0
        sides: list[list[int]] = [[], []]
        answers: dict[int, Tensor] = {}
        for place, (prefix, reading) in enumerate(zip(prefixes, readings, strict=True)):
            beyond = min(positions, max(0, len(prefix) - boundary))
            if 0 < beyond < positions:
                near = _distinct(caches[0], [prefix[:boundary]], [reading], positions - beyond)
                far = _distinct(caches[1], [prefix], [reading], beyond)
                answers[place] = torch.cat([near, far], dim=1)[0]
            else:
                sides[beyond > 0].append(place)
        for cache, places in zip(caches, sides, strict=True):
            if places:
                members = [prefixes[place] for place in places], [readings[place] for place in places]
                answers.update(zip(places, _distinct(cache, *members, positions), strict=True))
        return torch.stack([answers[place] for place in range(len(prefixes))])


def _distinct(cache: _Cache, prefixes: list[list[int]], readings: list[RowReading], positions: int) -> Tensor:
    """Answer from one cache; prefixes that are equal, and read in one manner, are computed once."""
    if positions == 1 and isinstance(cache, KVCache) and cache.is_next(prefixes, readings):
        return cache.step(prefixes)
    places: dict[tuple[RowReading, tuple[int, ...]], int] = {}
    pairs = zip(readings, prefixes, strict=True)
    found = [places.setdefault((reading, tuple(prefix)), len(places)) for reading, prefix in pairs]
    if len(places) == len(prefixes):
        return cache.logits(prefixes, positions, readings)
    logits = cache.logits([list(prefix) for _, prefix in places], positions, [reading for reading, _ in places])
    return logits[torch.tensor(found, device=logits.device)]
