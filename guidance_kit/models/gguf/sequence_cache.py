"""Logits of a GGUF model for any prefixes, over the sequences in the memory of a llama.cpp context."""

# pyright: reportMissingImports=false

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from typing import Any

import llama_cpp
import numpy as np

from guidance_kit.errors import ModelError
from guidance_kit.models.gguf.gguf_file import GgufFile
from guidance_kit.models.prefix_matches import longest_matches

__all__ = ["SequenceCache"]

_TOKENS_PER_CALL = 2048
_FIRST_CELLS = 4096
_FIRST_SLOTS = 16
_NO_ROOM = 1
"""Result of `llama_decode`: there are no cells for the batch, and the memory is as before."""


class SequenceCache:
    """Sequences of a llama.cpp context, each with the tokens that it has read.

    A prefix goes on from the sequence that shares most with it: in place, or as a copy, which shares the cells of what
    both have in common. Sequences that no prefix of a call continues are kept until their place is needed.

    Memory grows with what is asked for, up to `tokens`; prefixes that do not fit together are computed one after the
    other then, from their start.

    Args:
        file: the model.
        tokens: most tokens that are kept, of all sequences.
        kind: ggml type of keys and values.
        threads: number of threads.
    """

    def __init__(self, file: GgufFile, *, tokens: int, kind: int, threads: int) -> None:
        self._file = file
        self._most_cells = tokens
        self._kind = kind
        self._threads = threads
        self._most_slots: int = llama_cpp.llama_max_parallel_sequences()
        self._cells = min(_FIRST_CELLS, tokens)
        self._context: _Context | None = None
        self._tokens: list[list[int]] = []
        self._asked: list[int] = []
        self._calls = 0

    def clear(self) -> None:
        """Forget everything, and let go of the memory."""
        self._context, self._tokens, self._asked = None, [], []

    def logits(self, prefixes: list[list[int]], positions: int) -> np.ndarray[Any, Any]:
        """Answer for the last positions of prefixes.

        Args:
            prefixes: token ids, each at most as long as the cache has room; no two of them equal.
            positions: at least 1, at most the length of the shortest prefix.
        Returns:
            Float32, (batch, positions, rows), nats.
        Raises:
            ModelError: llama.cpp fails.
        """
        if len(prefixes) > self._most_slots:
            return self._by_halves(prefixes, positions)
        context = self._opened(len(prefixes))
        slots = self._arrange(context, prefixes, positions)
        answers = np.empty((len(prefixes), positions, self._file.rows), np.float32)
        batch = _Batch(prefixes, [len(self._tokens[slot]) for slot in slots], slots, positions)
        for start in range(0, batch.size, _TOKENS_PER_CALL):
            part = slice(start, min(start + _TOKENS_PER_CALL, batch.size))
            code = context.decode(batch, part)
            if code == _NO_ROOM and self._drop_others(context, slots):
                code = context.decode(batch, part)
            if code == _NO_ROOM:
                return self._with_more_room(prefixes, positions)
            if code != 0:
                self.clear()
                raise ModelError(f"llama.cpp cannot run {self._file.path.name} (llama_decode gives {code})")
            for row, tokens in batch.read(part):
                self._tokens[slots[row]] += tokens
            wanted = batch.answers[part][batch.wanted[part]]
            if len(wanted):
                answers.reshape(-1, self._file.rows)[wanted] = context.outputs(len(wanted), self._file.rows)
        return answers

    def _by_halves(self, prefixes: list[list[int]], positions: int) -> np.ndarray[Any, Any]:
        middle = len(prefixes) // 2
        halves = [self.logits(half, positions) for half in (prefixes[:middle], prefixes[middle:])]
        return np.concatenate(halves)

    def _with_more_room(self, prefixes: list[list[int]], positions: int) -> np.ndarray[Any, Any]:
        """Answer from a larger memory, or for half of the prefixes after the other."""
        if self._cells < self._most_cells:
            self.clear()
            needed = sum(map(len, prefixes))
            self._cells = min(self._most_cells, max(2 * self._cells, needed + needed // 2))
            return self.logits(prefixes, positions)
        if len(prefixes) == 1:
            self.clear()
            raise ModelError(f"{self._file.path.name} has no room for {len(prefixes[0])} tokens in {self._cells} cells")
        return self._by_halves(prefixes, positions)

    def _opened(self, rows: int) -> _Context:
        """The context, with a place for each of some rows."""
        if self._context is None or rows > len(self._tokens):
            self.clear()
            slots = min(self._most_slots, max(_FIRST_SLOTS, 1 << (rows - 1).bit_length()))
            self._context = _Context(self._file, self._cells, slots, self._kind, self._threads)
            self._tokens, self._asked = [[] for _ in range(slots)], [0] * slots
        return self._context

    def _arrange(self, context: _Context, prefixes: list[list[int]], positions: int) -> list[int]:
        """Give each prefix a sequence that holds a beginning of it, and nothing else."""
        known = [slot for slot, tokens in enumerate(self._tokens) if tokens]
        parents, counts = longest_matches(prefixes, [self._tokens[slot] for slot in known])
        for row, prefix in enumerate(prefixes):
            counts[row] = min(counts[row], len(prefix) - positions)
            is_whole = counts[row] and counts[row] == len(self._tokens[known[parents[row]]])
            if not is_whole and not self._file.cuts_anywhere:
                counts[row] = 0
        slots = [-1] * len(prefixes)
        taken: set[int] = set()
        for row in sorted(range(len(prefixes)), key=lambda row: -counts[row]):
            if counts[row] and known[parents[row]] not in taken:
                slots[row] = known[parents[row]]
                taken.add(slots[row])
        free = sorted(set(range(len(self._tokens))) - taken, key=lambda slot: (self._asked[slot], slot))
        for row, slot in enumerate(slots):  # copies come before their parents are cut
            if slot < 0:
                slots[row] = free.pop(0)
                parent = known[parents[row]] if counts[row] else None
                context.copy(parent, slots[row], counts[row])
                self._tokens[slots[row]] = prefixes[row][: counts[row]]
        self._calls += 1
        for row, slot in enumerate(slots):
            self._asked[slot] = self._calls
            if len(self._tokens[slot]) > counts[row]:
                self._tokens[slot] = prefixes[row][: counts[row]] if context.cut(slot, counts[row]) else []
        return slots

    def _drop_others(self, context: _Context, slots: Sequence[int]) -> bool:
        """Forget all sequences but some; True if there were others."""
        others = [slot for slot, tokens in enumerate(self._tokens) if tokens and slot not in slots]
        for slot in others:
            context.copy(None, slot, 0)
            self._tokens[slot], self._asked[slot] = [], 0
        return bool(others)


class _Batch:
    """Tokens that are still to be read, of all rows.

    Attributes:
        tokens, places, slots: int32, (size,): token ids, their positions, and their sequences.
        wanted: bool, (size,): tokens after which logits are needed.
        answers: int64, (size,): their row in the answers, (batch * positions, rows).
    """

    def __init__(
        self, prefixes: Sequence[list[int]], known: Sequence[int], slots: Sequence[int], positions: int
    ) -> None:
        lengths = [len(prefix) - count for prefix, count in zip(prefixes, known, strict=True)]
        self.size = sum(lengths)
        self._starts = np.cumsum([0, *lengths])
        rest = [prefix[count:] for prefix, count in zip(prefixes, known, strict=True)]
        self.tokens = np.concatenate([np.array(tokens, np.int32) for tokens in rest])
        ends = [range(count, count + length) for count, length in zip(known, lengths, strict=True)]
        self.places = np.concatenate([np.array(end, np.int32) for end in ends])
        self.slots = np.repeat(np.array(slots, np.int32), lengths)
        left = np.repeat(self._starts[1:], lengths) - np.arange(self.size)
        self.wanted = left <= positions
        self.answers = (np.repeat(np.arange(len(prefixes)), lengths) + 1) * positions - left

    def read(self, part: slice) -> list[tuple[int, list[int]]]:
        """Rows with tokens in a part, and these tokens."""
        found: list[tuple[int, list[int]]] = []
        for row, (start, stop) in enumerate(zip(self._starts[:-1], self._starts[1:], strict=True)):
            tokens = self.tokens[max(start, part.start) : min(stop, part.stop)]
            if len(tokens):
                found.append((row, tokens.tolist()))
        return found


class _Context:
    """Context of llama.cpp: its memory, and one batch that is used again."""

    def __init__(self, file: GgufFile, cells: int, slots: int, kind: int, threads: int) -> None:
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx = cells
        parameters.n_batch = min(_TOKENS_PER_CALL, cells)
        parameters.n_outputs_max_per_seq = 0  # as many as there are tokens in a batch
        parameters.n_seq_max = slots
        parameters.kv_unified = True  # sequences share the cells of what they have in common
        parameters.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        parameters.type_k = parameters.type_v = kind
        parameters.n_threads = parameters.n_threads_batch = threads
        self._context: Any = llama_cpp.llama_init_from_model(file.model, parameters)
        if not self._context:
            raise ModelError(
                f"llama.cpp has no memory for {cells} tokens of {file.path.name}; give a smaller cache_tokens"
            )
        self._file = file  # which must not be closed before its contexts
        self._close = weakref.finalize(self, llama_cpp.llama_free, self._context)
        self._memory: Any = llama_cpp.llama_get_memory(self._context)
        size = min(_TOKENS_PER_CALL, cells)
        self._tokens, self._places, self._counts, self._slots = (np.ones(size, np.int32) for _ in range(4))
        self._wanted = np.zeros(size, np.int8)
        step = self._slots.itemsize
        self._slot_places = self._slots.ctypes.data + step * np.arange(size, dtype=np.uintp)
        self._batch = llama_cpp.llama_batch(
            n_tokens=0,
            token=_pointer(self._tokens, llama_cpp.llama_token),
            pos=_pointer(self._places, llama_cpp.llama_pos),
            n_seq_id=_pointer(self._counts, ctypes.c_int32),
            seq_id=_pointer(self._slot_places, ctypes.POINTER(llama_cpp.llama_seq_id)),
            logits=_pointer(self._wanted, ctypes.c_int8),
        )

    def decode(self, batch: _Batch, part: slice) -> int:
        """Read a part of a batch: the result of `llama_decode`."""
        size = part.stop - part.start
        self._tokens[:size], self._places[:size] = batch.tokens[part], batch.places[part]
        self._slots[:size], self._wanted[:size] = batch.slots[part], batch.wanted[part]
        self._batch.n_tokens = size
        return llama_cpp.llama_decode(self._context, self._batch)

    def outputs(self, count: int, rows: int) -> np.ndarray[Any, Any]:
        """Logits of the wanted tokens of the last call, until the next one: float32, (count, rows)."""
        return np.ctypeslib.as_array(llama_cpp.llama_get_logits(self._context), shape=(count, rows))

    def copy(self, parent: int | None, slot: int, count: int) -> None:
        """Make a sequence the first tokens of another one, or an empty one."""
        llama_cpp.llama_memory_seq_rm(self._memory, slot, -1, -1)
        if parent is not None:
            llama_cpp.llama_memory_seq_cp(self._memory, parent, slot, 0, count)

    def cut(self, slot: int, count: int) -> bool:
        """Keep the first tokens of a sequence; False if it had to be emptied, as its memory cannot be cut there."""
        if llama_cpp.llama_memory_seq_rm(self._memory, slot, count, -1):
            return True
        llama_cpp.llama_memory_seq_rm(self._memory, slot, -1, -1)
        return False


def _pointer(array: np.ndarray[Any, Any], kind: Any) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(kind))
