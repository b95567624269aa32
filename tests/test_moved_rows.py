"""Rows of a cache that take each other's place: copied in place, bit for bit as in buffers that are made anew."""

from __future__ import annotations

import random

import pytest
import torch
from marks import thinned
from small_models import ATTENTION, WINDOW, random_weights

from guidance_kit.models.forward import Forward
from guidance_kit.models.kv_buffers import KVBuffers, LayerStore
from guidance_kit.models.kv_cache import KVCache

EXCHANGES = ([1, 0, 2, 3], [1, 2, 3, 0], [0, 0, 0, 0], [3, 3, 1, 1], [0, 1, 2, 3], [2, 3, 0, 1])
"""Two rows exchanged, all in a circle, one that replaces all, and others."""


def beams(count: int, seed: int) -> list[list[list[int]]]:
    """Prefixes of the steps of a beam search: each row a row of the step before, and one token."""
    rng = random.Random(seed)
    rows = [[rng.randrange(256) for _ in range(5)]] * 4
    found = [rows]
    for step in range(count):
        parents = EXCHANGES[step] if step < len(EXCHANGES) else [rng.randrange(4) for _ in range(4)]
        rows = [[*rows[parent], rng.randrange(256)] for parent in parents]
        found.append(rows)
    return found


def answers(name: str, steps: list[list[list[int]]]) -> list[torch.Tensor]:
    cache = KVCache(Forward(random_weights(name)))
    return [cache.logits(prefixes) for prefixes in steps]


def one_after_the_other(store: LayerStore, rows: torch.Tensor, sources: torch.Tensor, end: int) -> None:
    """The mistake: a row is read after another one was written to its place."""
    for row, source in zip(rows.tolist(), sources.tolist(), strict=True):
        for buffer in (store.keys, store.values):
            if buffer is not None:
                buffer[row, :, : end - store.start] = buffer[source, :, : end - store.start]


@pytest.mark.parametrize("name", thinned(ATTENTION, 3))
def test_in_place_as_in_new_buffers(name, monkeypatch):
    steps = beams(3 * WINDOW, seed=len(name))
    in_place = answers(name, steps)
    with monkeypatch.context() as patch:
        patch.setattr(KVBuffers, "_are_aligned", lambda *_: False)
        copied = answers(name, steps)
    assert all(map(torch.equal, in_place, copied))
    monkeypatch.setattr(LayerStore, "exchange_rows", one_after_the_other)
    assert not all(map(torch.equal, answers(name, steps), copied))


@pytest.mark.parametrize("name", ["Llama", "Gemma 3"])
def test_buffers_are_kept(name, monkeypatch):
    """Only the first step, in which one row becomes four, makes new buffers."""
    cache = KVCache(Forward(random_weights(name)))
    first, *others = beams(12, seed=1)
    cache.logits(first)
    monkeypatch.setattr(KVBuffers, "_rearrange", None)
    for prefixes in others:
        cache.logits(prefixes)


def test_a_fork_is_not_written_to():
    """A copy that was taken before rows moved still answers for its own rows."""
    first, second = beams(2, seed=2)[1:]
    cache = KVCache(Forward(random_weights("Llama")))
    cache.logits(first)
    fork = cache.fork()
    following = [[*row, 7] for row in first]
    expected = cache.fork().logits(following)
    cache.logits(second)
    assert torch.equal(fork.logits(following), expected)


@pytest.mark.parametrize("name", ["Llama", "Gemma 3"])
def test_rows_with_padding(name, monkeypatch):
    """Prompts of two lengths, each with two beams: a row that comes from another length is copied."""
    rng = random.Random(3)
    rows = [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], [9, 8], [9, 8]]
    steps = [rows]
    for parents in ([1, 0, 3, 2], [0, 0, 3, 3], [1, 1, 2, 2], [2, 0, 3, 1], [0, 1, 2, 3]):
        rows = [[*rows[parent], rng.randrange(256)] for parent in parents]
        steps.append(rows)
    in_place = answers(name, steps)
    monkeypatch.setattr(KVBuffers, "_are_aligned", lambda *_: False)
    assert all(map(torch.equal, in_place, answers(name, steps)))
