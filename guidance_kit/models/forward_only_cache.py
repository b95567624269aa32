"""The cache for models whose past cannot be taken back: recurrent and linear-attention layers, and all others."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import Cache, LinearAttentionCacheLayerMixin

from guidance_kit.models.forward import Forward
from guidance_kit.models.row_reading import RowReading
from guidance_kit.models.spot_checks import SpotChecks, are_close

__all__ = ["ForwardOnlyCache", "cache_tensors"]

MOST_CHECKPOINTED = 32
"""So many positions of a call may be behind a checkpoint: the tokens behind it are read one at a time."""


@dataclass(slots=True)
class _Group:
    """Rows of one length, each with the manner in which it is read, and what the model keeps of them."""

    tokens: list[list[int]]
    readings: list[RowReading]
    cache: Cache | None


class ForwardOnlyCache:
    """States of a recurrent model for the prefixes of a batch.

    Rows are grouped by length, so that there is never any padding, which recurrent layers would have to read over. A
    prefix that extends a known one is computed from there, token by token; any other one is computed from its start,
    which is exact and slow. A call for several positions of a known text may be one of proposed tokens, some of which
    are rejected: a copy of the state before them is kept (checkpoint), from which the next call goes on. A model that
    keeps nothing that can be handed over starts anew at every step, and so does one whose state turns out not to be
    right: some continuations are compared with a computation from the start, see `SpotChecks`.

    Args:
        forward: any model.
        tokens_per_forward: about how many tokens are computed in one forward pass; a single prompt is never divided.
        keeps: whether to go on from what the model keeps, if it keeps anything that can be handed over.
    """

    def __init__(self, forward: Forward, *, tokens_per_forward: int = 8192, keeps: bool = True) -> None:
        self.tokens_per_forward = tokens_per_forward
        self._forward = forward
        self._keeps = keeps and forward.new_layers() is not None
        self._checks = SpotChecks()
        self._groups: list[_Group] = []

    def clear(self) -> None:
        """Forget everything."""
        self._groups = []

    @property
    def keeps(self) -> bool:
        """True if prefixes are continued from what the model keeps, and not computed from their start."""
        return self._keeps

    @property
    def bytes(self) -> int:
        """Memory held."""
        layers = [layer for group in self._groups if group.cache is not None for layer in group.cache.layers]
        return sum(tensor.nbytes for layer in layers for tensor in cache_tensors(layer))

    @torch.inference_mode()
    def logits(self, prefixes: Sequence[list[int]], positions: int = 1, readings: Sequence[RowReading] = ()) -> Tensor:
        """Answer for the last positions of prefixes.

        Args:
            prefixes: token ids, none of them empty.
            positions: at least 1, at most the length of the shortest prefix.
            readings: manner in which each of them is read; empty for the plain one.
        Returns:
            Logits of the model's dtype, (batch, positions, rows), nats.
        """
        readings = list(readings) or [RowReading()] * len(prefixes)
        known = {
            (reading, tuple(tokens)): (number, row)
            for number, group in enumerate(self._groups)
            if group.cache is not None
            for row, (reading, tokens) in enumerate(zip(group.readings, group.tokens, strict=True))
        }
        lengths = sorted({len(tokens) for _, tokens in known}, reverse=True)
        batches: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        for place, (reading, prefix) in enumerate(zip(readings, prefixes, strict=True)):
            number, row, start = -1, -1, 0
            for length in lengths:
                if length <= len(prefix) - positions and (found := known.get((reading, tuple(prefix[:length])))):
                    (number, row), start = found, length
                    break
            batches.setdefault((number, start, len(prefix)), []).append((place, row))
        old, self._groups = self._groups, []
        uses = [sum(number == key[0] for key in batches) for number in range(len(old))]
        answers: list[Tensor | None] = [None] * len(prefixes)
        made: list[_Group] = []
        for (number, start, length), members in batches.items():
            size = len(members) if number >= 0 else max(1, self.tokens_per_forward // length)
            for first in range(0, len(members), size):
                places = [place for place, _ in members[first : first + size]]
                if number < 0:
                    cache = self._new_cache()
                else:
                    uses[number] -= 1
                    rows = [row for _, row in members[first : first + size]]
                    cache = _selected(old[number], rows, is_last=uses[number] == 0)
                group = _Group(
                    [list(prefixes[place]) for place in places], [readings[place] for place in places], cache
                )
                boundary = length - positions + 1
                is_known = start > 0 or any(_goes_back(prefixes[place], positions, known) for place in places)
                if self._keeps and is_known and 1 < positions <= MOST_CHECKPOINTED:
                    before = replace(group, tokens=[tokens[:boundary] for tokens in group.tokens])
                    first_logits = self._run(before, start, 1)
                    made.append(replace(before, cache=copy.deepcopy(before.cache)))
                    rest = self._run(group, boundary, positions - 1)
                    logits = torch.cat([first_logits, rest], dim=1)
                else:
                    logits = self._run(group, start, positions)
                made.append(group)
                for place, row in zip(places, logits, strict=True):
                    answers[place] = row
        self._groups = made if self._keeps else []
        return torch.stack([row for row in answers if row is not None])

    def _new_cache(self) -> Cache | None:
        """An empty cache of transformers."""
        return DynamicCache(config=self._forward.config) if self._keeps else None

    def _run(self, group: _Group, start: int, positions: int) -> Tensor:
        """Feed the tokens of a group from index `start` on."""
        tokens = self._forward.tensor(group.tokens)
        places = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
        if start == 0 or not self._keeps:
            cache = group.cache if self._keeps else None
            given = None if cache is None else places  # a text that is read whole has consecutive positions
            logits = self._forward(tokens, cache=cache, positions=given, keep=positions, readings=group.readings)
            if cache is not None and any(not cache_tensors(layer) for layer in _recurrent_layers(cache)):
                self._keeps = False  # the state is somewhere else
            self._checks.note(tokens.numel(), tokens.numel())
            return logits
        blocks = [
            # One at a time: many recurrent layers take up their state for a single token only.
            self._forward(
                tokens[:, at : at + 1], cache=group.cache, positions=places[:, at : at + 1], readings=group.readings
            )
            for at in range(start, tokens.shape[1])
        ]
        logits = torch.cat(blocks[-positions:], dim=1)
        self._checks.note(tokens.shape[0] * (tokens.shape[1] - start), tokens.numel())
        if not self._checks.is_due(tokens.shape[1]):
            return logits
        anew = self._forward(tokens, keep=positions, readings=group.readings)
        if not are_close(logits, anew, is_coarse=self._forward.is_coarse):
            self._keeps = False
            warnings.warn(
                f"{type(self._forward.model).__name__} does not go on rightly from what it keeps; "
                "from here on every token is computed from the start of its text, which is slow. Answers since the "
                "last check may be wrong",
                RuntimeWarning,
                stacklevel=2,
            )
        return anew


def _selected(group: _Group, rows: list[int], *, is_last: bool) -> Cache | None:
    """The cache of some rows of a group; the group itself is used up if nobody needs it any more."""
    cache = group.cache if is_last else copy.deepcopy(group.cache)
    if cache is not None and rows != list(range(len(group.tokens))):
        cache.reorder_cache(torch.LongTensor(rows))
    return cache


def _goes_back(prefix: list[int], positions: int, known: Iterable[tuple[RowReading, tuple[int, ...]]]) -> bool:
    """Test whether a known text has all of a prefix but its last positions, and went on otherwise."""
    begin = tuple(prefix[: len(prefix) - positions])
    return bool(begin) and any(tokens[: len(begin)] == begin for _, tokens in known)


def _recurrent_layers(cache: Cache) -> list[Any]:
    """The layers of a cache that keep a state of fixed size."""
    return [layer for layer in cache.layers if isinstance(layer, LinearAttentionCacheLayerMixin)]


def cache_tensors(layer: Any) -> list[Tensor]:
    """Tensors of one layer of a cache of transformers."""
    found = list(vars(layer).values())
    for entry in list(found):
        if isinstance(entry, dict):
            found.extend(entry.values())
    return [entry for entry in found if isinstance(entry, Tensor)]
