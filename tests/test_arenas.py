"""Arenas: arrays in common blocks of memory, and handles that say where they are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from guidance_kit.fsm import arenas
from guidance_kit.fsm.kernels.arrays import ARENA
from guidance_kit.fsm.kernels.compiling import IS_PLAIN
from guidance_kit.fsm.kernels.handles import handle_of
from guidance_kit.fsm.slices import FIRSTS, RUNS

SIZES = [100, 16_384]


def new_arena(monkeypatch, configs):
    monkeypatch.setattr(arenas, "_SPARE", {})
    return arenas.empty_arena(configs)


@pytest.mark.skipif(IS_PLAIN, reason="in plain Python a handle has the arrays themselves")
@pytest.mark.parametrize("configs", SIZES)
def test_the_handle_of_a_new_arena_is_that_of_its_arrays(monkeypatch, configs):
    lent = new_arena(monkeypatch, configs)
    assert (lent.handle == handle_of(lent.arena)).all()


@pytest.mark.parametrize("configs", SIZES)
def test_no_array_of_a_new_arena_lies_within_another(monkeypatch, configs):
    arena = new_arena(monkeypatch, configs).arena
    places = sorted((array.__array_interface__["data"][0], array.nbytes) for array in arena)
    assert all(place + size <= following for (place, size), (following, _) in pairwise(places))


@pytest.mark.parametrize("configs", SIZES)
def test_arrays_of_a_new_arena_are_writable_and_aligned_and_zero(monkeypatch, configs):
    arena = new_arena(monkeypatch, configs).arena
    written = {ARENA.used, ARENA.byte_class}
    for number, array in enumerate(arena):
        if array is RUNS or array is FIRSTS:
            continue
        assert array.flags.writeable
        assert array.flags.aligned
        assert array.flags.c_contiguous
        assert number in written or not array.any()


def test_the_arrays_of_a_step_are_those_of_larger_ones(monkeypatch):
    arena = new_arena(monkeypatch, 100).arena
    for name, larger in arenas.scratch(512).items():
        array = getattr(arena, name)
        assert larger.dtype == array.dtype
        assert larger.shape == (2 * len(array), *array.shape[1:])
        assert not np.shares_memory(larger, array)
