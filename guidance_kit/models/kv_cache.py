"""The key-value cache of a batch of prefixes, which may have any lengths, go back, branch and move."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from guidance_kit.models.architectures import SIBLINGS, compared, is_of_transformers
from guidance_kit.models.forward import Forward
from guidance_kit.models.kv_buffers import KVBuffers
from guidance_kit.models.prefix_matches import common_length, longest_matches
from guidance_kit.models.row_reading import RowReading
from guidance_kit.models.token_tree import TokenTree, ancestor_mask

__all__ = ["KVCache"]

FLOOR = 128
"""A forward pass costs about as much as this many tokens before it has computed any."""

SHARED = 32
"""If prefixes are equal, or begin alike, in at least so many new tokens, these are computed once."""
WIDEST = 512
"""So many siblings of a row are computed in one block: their mask grows with the square of that."""


class _Tile(NamedTuple):
    """Rows `first` to `last` of a batch, computed together over the last `width` columns."""

    first: int
    last: int
    width: int


class KVCache:
    """Keys and values for the prefixes of a batch, each with the manner in which it is read.

    Prefixes are aligned at their ends: with C columns, a prefix of n tokens stands in the last n of them, and left of
    it is padding. So attention windows are what they would be for each prefix alone, and a step in which every row
    grows by as much moves nothing.

    `logits` finds for every prefix the row that shares most with it, and continues from there. `extend`, `select`,
    `rollback` and `fork` say it explicitly. What the rows stand for is `tokens` and `readings`: what was computed with
    an adapter, or after a source, is never of use without it.

    Args:
        forward: the model; every layer must have full or sliding-window attention, see `Forward.windows`.
        tokens_per_forward: about how many tokens are computed in one forward pass, which bounds the memory that long
            prompts need; made smaller when memory runs out.
        undivided: number of leading tokens that are always computed in one forward pass.
    Raises:
        ValueError: if the model has other layers.
    """

    def __init__(self, forward: Forward, *, tokens_per_forward: int = 8192, undivided: int = 0) -> None:
        windows = forward.windows
        if windows is None:
            raise ValueError(f"{type(forward.model).__name__} has layers whose past cannot be taken back")
        self.tokens_per_forward = tokens_per_forward
        self._forward = forward
        self._windows = windows
        self._undivided = undivided
        self._buffers = KVBuffers(forward, windows)
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.tokens: list[list[int]] = []
        self.readings: list[RowReading] = []
        self._trees: Sequence[TokenTree] = ()  # one a row, in the columns behind the rows
        self._buffers.clear()

    @property
    def bytes(self) -> int:
        """Memory held for keys and values, including the room for more."""
        return self._buffers.bytes

    @torch.inference_mode()
    def logits(self, prefixes: Sequence[list[int]], positions: int = 1, readings: Sequence[RowReading] = ()) -> Tensor:
        """Make the rows these prefixes, and answer for their last positions.

        Args:
            prefixes: token ids, none of them empty.
            positions: at least 1, at most the length of the shortest prefix.
            readings: manner in which each of them is read; empty for the plain one.
        Returns:
            Logits of the model's dtype, (batch, positions, rows), nats.
        """
        readings = list(readings) or [RowReading()] * len(prefixes)
        self._take_paths(prefixes, readings)
        if positions == 1 and self.is_next(prefixes, readings):
            return self.step(prefixes)
        parents, counts = longest_matches(prefixes, self.tokens, readings, self.readings)
        if max(len(prefix) - count for prefix, count in zip(prefixes, counts, strict=True)) >= SHARED:
            known: dict[tuple[RowReading, tuple[int, ...]], int] = {}
            rows = [known.setdefault((one, tuple(p)), len(known)) for one, p in zip(readings, prefixes, strict=True)]
            if len(known) < len(rows):
                logits = self.logits([list(p) for _, p in known], positions, [one for one, _ in known])
                self.select(rows)
                return logits[rows]
        firsts = [readings.index(one) for one in dict.fromkeys(readings)]
        shared = common_length(min(prefixes), max(prefixes))  # of all of them
        if len(prefixes) > len(firsts) and shared >= max(counts) + SHARED:
            kept = [min(counts[row], shared - 1) for row in firsts]
            begins = [prefixes[row][:shared] for row in firsts]
            self._move([parents[row] for row in firsts], kept, begins, [readings[row] for row in firsts], 1)
            parents, counts = longest_matches(prefixes, self.tokens, readings, self.readings)
        if positions == 1 and self._are_branches(prefixes, parents, counts):
            self.select(parents)
            return self.step(prefixes)
        kept = [min(count, len(prefix) - positions) for count, prefix in zip(counts, prefixes, strict=True)]
        return self._move(parents, kept, [list(prefix) for prefix in prefixes], readings, positions)

    @cached_property
    def can_have_siblings(self) -> bool:
        """True if tokens that stand beside each other need not see each other.

        Not where a layer has a window, and so needs another mask than the others; and not in architectures of
        transformers that add a mask of their own to the given one. Architectures from elsewhere are not known.
        """
        if any(window is not None for window in self._windows):
            return False
        model = self._forward.model
        return not is_of_transformers(model) or compared(model) in SIBLINGS

    @torch.inference_mode()
    def siblings(self, tokens: Tensor) -> Tensor:
        """Answer for tokens each of which could follow a row. None of them is kept.

        They are columns of a block in which each sees its row and itself: so a row is read once for many of them.

        Args:
            tokens: int64, (batch, count), where the model takes them.
        Returns:
            Logits of the model's dtype, (batch, count, rows), nats; [b, i] is for what comes after row b and
            tokens[b, i].
        Raises:
            ValueError: another batch than that of the rows; the model does not keep siblings apart, see
                `can_have_siblings`.
        """
        if not self.can_have_siblings:
            raise ValueError(f"{type(self._forward.model).__name__} does not keep siblings apart")
        batch, count = tokens.shape
        if batch != len(self.tokens):
            raise ValueError(f"siblings for {batch} rows, and there are {len(self.tokens)}")
        if any(
            len(row) != self._buffers.columns - pad for row, pad in zip(self.tokens, self._buffers.padding, strict=True)
        ):
            self.select(range(batch))  # after a rollback the rows no longer end in one column
        width = min(count, WIDEST)
        self._trees = ()
        self._buffers.make_room(self._buffers.columns + width, self._buffers.columns)
        size = max(1, self.tokens_per_forward // width)
        return torch.cat([
            torch.cat([self._siblings(part, first) for part in tokens[first : first + size].split(width, 1)], 1)
            for first in range(0, batch, size)
        ])  # fmt: skip

    def _siblings(self, tokens: Tensor, first: int) -> Tensor:
        """One block of siblings, for the rows from `first` on; there is room for it."""
        (batch, count), start = tokens.shape, self._buffers.columns
        offsets = self._buffers.offsets[first : first + batch]
        column = torch.arange(start + count, device=tokens.device)
        own = column == column[start:, None]
        seen = ((column >= offsets) & (column < start))[:, None] | own
        dtype = self._forward.model.dtype
        return self._forward(
            tokens,
            cache=self._buffers.view(first, first + batch, start),
            mask=torch.zeros_like(seen, dtype=dtype).masked_fill_(~seen, torch.finfo(dtype).min)[:, None],
            positions=(start - offsets).expand(-1, count),
            keep=count,
            readings=self.readings[first : first + batch],
        )

    @torch.inference_mode()
    def tree(
        self, prefixes: Sequence[list[int]], trees: Sequence[TokenTree], readings: Sequence[RowReading] = ()
    ) -> Tensor:
        """Make the rows these prefixes, and answer for them and for every node of a tree after each, in one pass.

        A node attends to its prefix, its ancestors and itself. Rows are the prefixes afterwards; the keys of the nodes
        stay until the next call, which does not compute again what is on a path of a tree.

        Args:
            prefixes: token ids, none of them empty.
            trees: one a prefix.
            readings: manner in which each prefix is read; empty for the plain one.
        Returns:
            Logits of the model's dtype, (batch, 1 + most nodes, rows), nats: after the prefix, then after each node.
            What is behind the last node of a smaller tree has no meaning.
        Raises:
            ValueError: the model does not keep siblings apart, see `can_have_siblings`.
        """
        if not self.can_have_siblings:
            raise ValueError(f"{type(self._forward.model).__name__} does not keep siblings apart")
        readings = list(readings) or [RowReading()] * len(prefixes)
        self._take_paths(prefixes, readings)
        parents, counts = longest_matches(prefixes, self.tokens, readings, self.readings)
        lengths = [len(prefix) for prefix in prefixes]
        if max(length - count for length, count in zip(lengths, counts, strict=True)) > SHARED:
            self.logits(prefixes, 1, readings)
            parents, counts = longest_matches(prefixes, self.tokens, readings, self.readings)
        kept = [min(count, length - 1) for count, length in zip(counts, lengths, strict=True)]
        end = max(lengths)
        begin = end - max(length - count for length, count in zip(lengths, kept, strict=True))
        self._arrange(parents, kept, lengths, readings, begin)
        width = max(map(len, trees))
        self._buffers.make_room(end + width, begin)
        size = max(1, self.tokens_per_forward // (end - begin + width))
        logits = torch.cat([
            self._tree(prefixes[first : first + size], trees[first : first + size], first, begin, end, width)
            for first in range(0, len(prefixes), size)
        ])  # fmt: skip
        self.tokens = [list(prefix) for prefix in prefixes]
        self._buffers.columns = end
        self._trees = list(trees)
        return logits

    def _tree(
        self, prefixes: Sequence[list[int]], trees: Sequence[TokenTree], first: int, begin: int, end: int, width: int
    ) -> Tensor:
        """One block: columns `begin` to `end` of the rows from `first` on, then `width` nodes; there is room for it."""
        last = first + len(prefixes)
        rows = [[0] * (end - begin - len(prefix)) + prefix[begin - end :] for prefix in prefixes]
        tokens = self._forward.tensor([
            [*row, *tree.tokens, *[0] * (width - len(tree))] for row, tree in zip(rows, trees, strict=True)
        ])  # fmt: skip
        offsets = self._buffers.offsets[first:last]
        column = torch.arange(end + width, device=tokens.device)
        seen = (column >= offsets)[:, None] & (column <= column[begin:, None])
        seen[:, end - begin :, end:] = ancestor_mask(trees, width).to(tokens.device)
        seen |= column == column[begin:, None]
        depths = torch.tensor(
            [[*tree.depths, *[1] * (width - len(tree))] for tree in trees], dtype=torch.int64, device=tokens.device
        )
        positions = torch.cat([column[begin:end] - offsets, end - 1 - offsets + depths], 1)
        dtype = self._forward.model.dtype
        return self._forward(
            tokens,
            cache=self._buffers.view(first, last, begin),
            mask=torch.zeros_like(seen, dtype=dtype).masked_fill_(~seen, torch.finfo(dtype).min)[:, None],
            positions=positions.clamp_min_(0),
            keep=1 + width,
            readings=self.readings[first:last],
        )

    def _take_paths(self, prefixes: Sequence[list[int]], readings: Sequence[RowReading]) -> None:
        """Append to each row the longest path of its tree that one of the prefixes begins with."""
        if not self._trees:
            return
        paths: list[list[int]] = []
        for row, (tokens, tree) in enumerate(zip(self.tokens, self._trees, strict=True)):
            length, path = len(tokens), list[int]()
            for prefix, reading in zip(prefixes, readings, strict=True):
                if len(prefix) > length and reading == self.readings[row] and prefix[:length] == tokens:
                    path = max(path, tree.descend(prefix[length:]), key=len)
            paths.append(path)
            tokens += [tree.tokens[node] for node in path]
        self._trees = ()
        self._buffers.take_paths(paths)

    def extend(self, blocks: Sequence[Sequence[int]], positions: int = 1) -> Tensor:
        """Append tokens to each row; the first call makes the rows.

        Args:
            blocks: token ids, one block a row, of any lengths.
            positions: number of last places to answer for, at least 1.
        Returns:
            Logits of the model's dtype, (batch, positions, rows), nats; [b, -1] is for the token after the whole row.
        """
        rows = self.tokens or [[] for _ in blocks]
        return self.logits([[*row, *block] for row, block in zip(rows, blocks, strict=True)], positions, self.readings)

    @torch.inference_mode()
    def select(self, rows: Sequence[int]) -> None:
        """Keep these rows, in this order; a row may be taken more than once."""
        lengths = [len(self.tokens[row]) for row in rows]
        self._arrange(list(rows), lengths, lengths, [self.readings[row] for row in rows], max(lengths, default=0))

    def rollback(self, counts: Sequence[int]) -> None:
        """Take back the last `counts[b]` tokens of each row b.

        Raises:
            ValueError: if a row has fewer.
        """
        if any(not 0 <= count <= len(row) for count, row in zip(counts, self.tokens, strict=True)):
            raise ValueError(f"cannot take back {list(counts)} tokens of rows with {[len(row) for row in self.tokens]}")
        self._trees = ()
        self.tokens = [row[: len(row) - count] for row, count in zip(self.tokens, counts, strict=True)]

    @torch.inference_mode()
    def fork(self) -> KVCache:
        """An independent copy."""
        other = copy.copy(self)
        other.tokens = [list(row) for row in self.tokens]
        other.readings = list(self.readings)
        other._trees = ()
        other._buffers = self._buffers.fork()
        return other

    def is_next(self, prefixes: Sequence[list[int]], readings: list[RowReading]) -> bool:
        """Test whether every row grows by one token."""
        if readings != self.readings or self._trees:
            return False
        columns = self._buffers.columns
        return all(
            len(prefix) == columns + 1 - padding and prefix[:-1] == row
            for prefix, row, padding in zip(prefixes, self.tokens, self._buffers.padding, strict=True)
        )

    def _are_branches(self, prefixes: Sequence[list[int]], parents: Sequence[int], counts: Sequence[int]) -> bool:
        """Test whether every prefix is a row up to the last column and one token: beams, particles drawn again."""
        columns, padding = self._buffers.columns, self._buffers.padding
        return all(
            count and count == len(prefix) - 1 == len(self.tokens[parent]) == columns - padding[parent]
            for prefix, parent, count in zip(prefixes, parents, counts, strict=True)
        )

    def step(self, prefixes: Sequence[list[int]]) -> Tensor:
        """Take one token a row: what happens all the time, so with little around the forward pass."""
        buffers = self._buffers
        start, end = buffers.columns, buffers.columns + 1
        buffers.make_room(end, start)
        cache = buffers.whole or buffers.view(0, len(prefixes), start)
        buffers.whole = None  # until it is known that every layer has taken the tokens
        new = [prefix[-1] for prefix in prefixes]
        mask = buffers.mask
        try:
            logits = self._forward(
                self._forward.tensor([[token] for token in new]),
                cache=cache,
                mask=None if mask is None else mask[:, :end],
                positions=start - buffers.offsets,
                readings=self.readings,
            )
        except torch.OutOfMemoryError:
            logits = None
        if logits is None:  # outside of the handler, which keeps tensors alive
            counts = [len(row) for row in self.tokens]
            return self._move(list(range(len(counts))), counts, [list(p) for p in prefixes], self.readings, 1)
        buffers.whole = cache
        for row, token in zip(self.tokens, new, strict=True):
            row.append(token)
        buffers.columns = end
        return logits

    def _move(
        self,
        parents: list[int],
        kept: list[int],
        prefixes: list[list[int]],
        readings: list[RowReading],
        positions: int,
    ) -> Tensor:
        """Make row j what row `parents[j]` is up to `kept[j]` tokens, and compute the others."""
        lengths = [len(prefix) for prefix in prefixes]
        tiles = self._plan(parents, kept, lengths)
        end = max(lengths)
        self._arrange(parents, kept, lengths, readings, end - max(tile.width for tile in tiles))
        blocks = [self._run(tile, prefixes, end, positions) for tile in tiles]
        self.tokens = prefixes
        self._buffers.columns = end
        return blocks[0] if len(blocks) == 1 else torch.cat(blocks)

    def _plan(self, parents: list[int], kept: list[int], lengths: list[int]) -> list[_Tile]:
        """Cut the batch into tiles. Where sliding layers have forgotten too much, `kept` becomes 0."""
        buffers = self._buffers
        while True:
            tiles = _tiles([n - count for n, count in zip(lengths, kept, strict=True)], self.tokens_per_forward)
            lost = [
                row
                for tile in tiles
                for row in range(tile.first, tile.last)
                if kept[row]
                and buffers.first_token(parents[row]) > max(0, lengths[row] - tile.width - (buffers.window - 1))
            ]
            if not lost:
                return tiles
            for row in lost:
                kept[row] = 0

    def _arrange(
        self, parents: list[int], kept: list[int], lengths: list[int], readings: list[RowReading], begin: int
    ) -> None:
        """Move what is kept to where it belongs when the rows have these lengths; `begin` is the first new column."""
        self._trees = ()
        self._buffers.arrange(parents, kept, lengths, begin)
        self.tokens = [self.tokens[p][:n] if n else [] for p, n in zip(parents, kept, strict=True)]
        self.readings = readings

    def _run(self, tile: _Tile, prefixes: list[list[int]], end: int, positions: int) -> Tensor:
        """Compute the last columns of some rows; in smaller pieces where memory runs out."""
        count, start = tile.last - tile.first, end - tile.width
        size = max(1, self.tokens_per_forward // count)
        whole = 0
        if self._undivided:
            whole = min(tile.width, self._undivided + max(self._buffers.padding[tile.first : tile.last]) - start)
        edges = [0, *range(max(whole, min(size, tile.width)), tile.width, size), tile.width]
        widest = max(last - first for first, last in pairwise(edges))
        blocks: list[Tensor] | None = []
        try:
            rows = [[0] * (tile.width - len(p)) + p[-tile.width :] for p in prefixes[tile.first : tile.last]]
            tokens = self._forward.tensor(rows)
            cache = self._buffers.view(tile.first, tile.last, start)
            mask = None if self._buffers.mask is None else self._buffers.mask[tile.first : tile.last]
            for first, last in pairwise(edges):
                columns = torch.arange(start + first, start + last, device=self._forward.device)
                places = (columns - self._buffers.offsets[tile.first : tile.last]).clamp_min_(0)
                wanted = last - max(first, tile.width - positions)
                logits = self._forward(
                    tokens[:, first:last],
                    cache=cache,
                    mask=None if mask is None else mask[:, : start + last],
                    positions=places,
                    keep=max(wanted, 1),
                    readings=self.readings[tile.first : tile.last],
                )
                if wanted > 0:
                    blocks.append(logits)
        except torch.OutOfMemoryError:
            if count == 1 and widest <= max(1, whole):
                raise
            blocks = None
        if blocks is not None:
            return blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=1)
        self.tokens_per_forward = max(1, count * widest // 2)
        warnings.warn(
            f"out of memory; going on with {self.tokens_per_forward} tokens in one forward pass",
            RuntimeWarning,
            stacklevel=2,
        )
        middle = (tile.first + tile.last + 1) // 2
        parts = []
        for first, last in ((tile.first, middle), (middle, tile.last)):
            if first < last:
                width = min(tile.width, max(map(len, prefixes[first:last])))
                parts.append(self._run(_Tile(first, last, width), prefixes, end, positions))
        return torch.cat(parts)


def _tiles(widths: Sequence[int], budget: int) -> list[_Tile]:
    """Cut a batch into runs of rows that are computed together: few, with little to compute in vain.

    Args:
        widths: number of columns that each row has to compute.
        budget: number of tokens that a tile of several rows may have.
    """
    tiles = [_Tile(0, 1, widths[0])]
    for row, width in enumerate(widths[1:], 1):
        tile = tiles[-1]
        count, wider = row - tile.first, max(tile.width, width)
        is_cheaper = (count + 1) * wider <= count * tile.width + width + FLOOR
        if is_cheaper and (count + 1) * wider <= budget:
            tiles[-1] = _Tile(tile.first, row + 1, wider)
        else:
            tiles.append(_Tile(row, row + 1, width))
    return tiles
