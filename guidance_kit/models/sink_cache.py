"""Key-value cache of bounded size: attention sinks and a recent window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import Cache, DynamicLayer

from guidance_kit.models.forward import Forward
from guidance_kit.models.prefix_matches import longest_matches
from guidance_kit.models.row_reading import RowReading

__all__ = ["Bounds", "SinkCache"]

MARGIN = 64
"""Tokens beyond the window whose keys are kept, so that going back this far computes nothing again."""

LONGEST = 512
"""Tokens of one forward pass; its mask grows with their number times that of the tokens that they see."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Tokens that a token attends to: the first `sinks` of the text, and the last `window`, itself among them."""

    sinks: int
    window: int


class _SinkLayer(DynamicLayer):
    """Keys and values of one layer for the rows of a group, with those of a block appended.

    | name | dtype, shape | meaning |
    |---|---|---|
    | kept | two of float (batch, heads, sinks + tail, width) | of the first tokens, and of the last before the block |
    | keys, values | float (batch, heads, sinks + tail + length, width) | the same, then those of the block |
    """

    def __init__(self, kept: tuple[Tensor, Tensor] | None, columns: int) -> None:
        super().__init__()
        self.kept = kept
        self._columns = columns
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        """Append the keys and values of a block; return all."""
        if self.kept is None:
            new = key_states, value_states
            keys, values = (one.new_zeros(*one.shape[:2], self._columns, one.shape[3]) for one in new)
            self.kept = keys, values
        self.keys = torch.cat([self.kept[0], key_states], 2)
        self.values = torch.cat([self.kept[1], value_states], 2)
        return self.keys, self.values

    def get_seq_length(self) -> int:
        """Number of columns before the block."""
        return self._columns

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Number of columns that `update` will return, and the first of them."""
        return self._columns + query_length, 0


@dataclass(slots=True)
class _SinkRows:
    """Rows that grew by equally many tokens.

    Attributes:
        tokens, readings: one each a row.
        first: for each row the first token whose keys are in the tail; earlier ones are lost, but for the sinks.
        layers: keys and values, see `_SinkLayer.kept`; aligned at their ends, so that token t of a row of n tokens is
            column t - n from the right.
    """

    tokens: list[list[int]]
    readings: list[RowReading]
    first: list[int]
    layers: list[tuple[Tensor, Tensor]]


class SinkCache:
    """Keys and values of the first tokens and of a recent window, for the prefixes of a batch.

    A token attends to the `Bounds` alone, at the positions that the tokens have in the text. So the logits are still a
    function of the prefix, those of a forward pass with that mask; they are those of the model for prefixes up to
    `window` tokens, and approximate beyond. Memory and time of a step do not grow with the text.

    Args:
        forward: the model; all its layers have full attention, and it takes a mask as given, see
            `trial.has_exact_siblings`.
        bounds: sinks and window.
        tokens_per_forward: about how many tokens are computed in one forward pass.
    Source: Xiao et al. 2024, Efficient Streaming Language Models with Attention Sinks, section 3; their positions are
        those in the cache, ours those in the text, so that the text is bounded by the context of the model.
    """

    def __init__(self, forward: Forward, bounds: Bounds, *, tokens_per_forward: int = 8192) -> None:
        self.tokens_per_forward = tokens_per_forward
        self._forward = forward
        self._bounds = bounds
        self._tail = bounds.window - 1 + MARGIN
        self._depth = len(forward.new_layers() or ())
        self._groups: list[_SinkRows] = []

    def clear(self) -> None:
        """Forget everything."""
        self._groups = []

    @property
    def bytes(self) -> int:
        """Memory held."""
        return sum(part.nbytes for group in self._groups for layer in group.layers for part in layer)

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
        known = [(group, row) for group in self._groups for row in range(len(group.tokens))]
        parents, counts = longest_matches(
            prefixes,
            [group.tokens[row] for group, row in known],
            readings,
            [group.readings[row] for group, row in known],
        )
        batches: dict[int, list[int]] = {}
        kept: list[int] = []
        for place, (prefix, count) in enumerate(zip(prefixes, counts, strict=True)):
            count = min(count, len(prefix) - positions)
            if count:
                group, row = known[parents[place]]
                if group.first[row] > max(0, count - (self._bounds.window - 1)):
                    count = 0  # keys that the next token needs are lost
            kept.append(count)
            batches.setdefault(len(prefix) - count, []).append(place)
        answers: list[Tensor | None] = [None] * len(prefixes)
        made: list[_SinkRows] = []
        for new, places in batches.items():
            group = _SinkRows(
                [list(prefixes[place]) for place in places],
                [readings[place] for place in places],
                [0] * len(places),
                [],
            )
            parts = [(*known[parents[place]], kept[place]) if kept[place] else None for place in places]
            self._load(group, parts)
            blocks = self._run(group, [kept[place] for place in places], new, positions)
            made.append(group)
            for place, answer in zip(places, blocks, strict=True):
                answers[place] = answer
        self._groups = made
        return torch.stack([answer for answer in answers if answer is not None])

    def _load(self, group: _SinkRows, parts: Sequence[tuple[_SinkRows, int, int] | None]) -> None:
        """Fill a group with what is kept of other rows: the group, the row and the number of tokens of each."""
        some = next((part for part in parts if part is not None), None)
        if some is None:
            return
        sources = list({id(part[0]): part[0] for part in parts if part is not None}.values())
        firsts = [0]
        for source in sources:
            firsts.append(firsts[-1] + len(source.tokens))
        rows, shifts = [], []
        for place, part in enumerate(parts):
            if part is None:
                rows.append(0)
                shifts.append(0)
                continue
            source, row, count = part
            back = len(source.tokens[row]) - count
            number = next(number for number, other in enumerate(sources) if other is source)
            rows.append(firsts[number] + row)
            shifts.append(back)
            group.first[place] = max(source.first[row], 0)
        is_whole = len(sources) == 1 and rows == list(range(len(sources[0].tokens))) and not any(shifts)
        if is_whole:
            group.layers = sources[0].layers
            return
        device = some[0].layers[0][0].device
        sinks = self._bounds.sinks
        tail = (torch.arange(self._tail) - torch.tensor(shifts)[:, None]).clamp_(min=0) + sinks
        columns = torch.cat([torch.arange(sinks).expand(len(rows), -1), tail], 1).to(device)
        picked = torch.tensor(rows, device=device)[:, None]

        def pick(buffers: list[Tensor]) -> Tensor:
            whole = buffers[0] if len(buffers) == 1 else torch.cat(buffers)
            return whole.transpose(1, 2)[picked, columns].transpose(1, 2)

        group.layers = [
            (
                pick([source.layers[layer][0] for source in sources]),
                pick([source.layers[layer][1] for source in sources]),
            )
            for layer in range(self._depth)
        ]

    def _run(self, group: _SinkRows, kept: list[int], new: int, positions: int) -> Tensor:
        """Compute the last `new` tokens of a group, whose rows have `kept` tokens before them."""
        size = max(1, min(LONGEST, self.tokens_per_forward // len(kept)))
        tokens = self._forward.tensor([row[-new:] for row in group.tokens])
        answers: list[Tensor] = []
        for start in range(0, new, size):
            block = tokens[:, start : start + size]
            before = [count + start for count in kept]
            wanted = start + block.shape[1] - max(start, new - positions)
            logits = self._forward_block(group, block, before, max(1, wanted))
            if wanted > 0:
                answers.append(logits)
        return answers[0] if len(answers) == 1 else torch.cat(answers, 1)

    def _forward_block(self, group: _SinkRows, tokens: Tensor, before: list[int], keep: int) -> Tensor:
        """Compute one block of a group and keep its keys and values."""
        length, columns = tokens.shape[1], self._bounds.sinks + self._tail
        starts = torch.tensor(before, device=tokens.device)[:, None]
        cache: Any = DynamicCache()
        cache.layer_class_to_replicate = None
        cache.layers = [_SinkLayer(layer, columns) for layer in group.layers or [None] * self._depth]
        positions = starts + torch.arange(length, device=tokens.device)
        logits = self._forward(
            tokens,
            cache=cache,
            mask=self._mask(starts, positions),
            positions=positions,
            keep=keep,
            readings=group.readings,
        )
        for row, count in enumerate(before):
            group.first[row] = max(group.first[row], count + length - self._tail)
        group.layers = [self._kept(layer, before, length) for layer in _layers(cache)]
        return logits

    def _mask(self, starts: Tensor, positions: Tensor) -> Tensor:
        """Mask of a block, as it is added to attention: float (batch, 1, length, sinks + tail + length).

        A sink stands in its own column once it has left the window, so that no token is seen twice.

        Args:
            starts: int64, (batch, 1): tokens before the block.
            positions: int64, (batch, length): of the block.
        """
        sinks, window = self._bounds.sinks, self._bounds.window
        oldest = positions[:, :, None] - window  # the last one that has left the window
        first = torch.arange(sinks, device=starts.device)
        tail = starts + torch.arange(-self._tail, 0, device=starts.device)
        own = positions[:, None, :]
        seen = torch.cat(
            [
                (first < starts)[:, None, :] & (first <= oldest),
                (tail >= 0)[:, None, :] & (tail[:, None, :] > oldest),
                (own <= positions[:, :, None]) & ((own > oldest) | (own < sinks)),
            ],
            2,
        )
        dtype = self._forward.model.dtype
        return torch.zeros_like(seen, dtype=dtype).masked_fill_(~seen, torch.finfo(dtype).min)[:, None]

    def _kept(self, layer: _SinkLayer, before: list[int], length: int) -> tuple[Tensor, Tensor]:
        """Sinks and tail after a block."""
        sinks = self._bounds.sinks
        kept = []
        for buffer in (cast(Tensor, layer.keys), cast(Tensor, layer.values)):
            made = torch.cat([buffer[:, :, :sinks], buffer[:, :, -self._tail :]], 2)
            for row, count in enumerate(before):
                if count < sinks:
                    new = min(sinks - count, length)
                    end = buffer.shape[2] - length
                    made[row, :, count : count + new] = buffer[row, :, end : end + new]
            kept.append(made)
        return kept[0], kept[1]


def _layers(cache: Cache) -> list[_SinkLayer]:
    """Layers of a cache."""
    return [layer for layer in cache.layers if isinstance(layer, _SinkLayer)]
