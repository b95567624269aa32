"""Arrays that take memory where they are written, and grow without copies."""

from __future__ import annotations

import mmap
import sys
from typing import Any

import numpy as np
import pytest

from guidance_kit.fsm import memory
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.caches import caches
from guidance_kit.fsm.memory import Rows, reserve
from guidance_kit.grammars.regex import regex


@pytest.mark.parametrize("is_dense", [False, True])
@pytest.mark.parametrize("rows", [1, 1_000, 1_000_000])
def test_reserved_arrays_are_zeros_that_can_be_written(rows: int, is_dense: bool) -> None:
    array = reserve((rows, 3), np.int32, is_dense=is_dense)
    assert array.shape == (rows, 3)
    assert array.dtype == np.int32
    assert not array.any()
    array[-1] = 7
    assert array.sum() == 21


class Pages(mmap.mmap):
    """Memory map that cannot be resized, as where the system has no such call."""

    def resize(self, size: int) -> None:
        raise SystemError("mmap: resizing not available--no mremap()")


def test_rows_are_extended_with_zeros() -> None:
    rows = Rows((1_000, 3), np.int32)
    rows.array[:] = np.arange(3_000).reshape(1_000, 3)
    for count in (1_001, 50_000, 400_000):
        rows.extend(count)
        assert rows.array.shape == (count, 3)
        assert (rows.array[:1_000].ravel() == np.arange(3_000)).all()
        assert not rows.array[1_000:].any()


def test_rows_that_are_alive_stay_as_they_are() -> None:
    rows = Rows((1_000,), np.int64)
    before = rows.array
    before[:] = 5
    rows.extend(100_000)
    rows.array[0] = 6
    assert (before == 5).all()
    assert rows.array[:2].tolist() == [6, 5]


def test_rows_are_copied_where_pages_cannot_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.mmap, "mmap", Pages)
    rows = Rows((1_000,), np.int64)
    rows.array[:] = 5
    rows.extend(100_000)
    assert rows.array[:1_000].sum() == 5_000
    assert not rows.array[1_000:].any()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux moves pages")
def test_transitions_are_never_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    class Counted(mmap.mmap):
        def __new__(cls, fileno: int, length: int, **flags: Any) -> Counted:
            counted.append(length)
            return super().__new__(cls, fileno, length, **flags)

    monkeypatch.setattr(memory.mmap, "mmap", Counted)
    caches.clear("arenas")  # so that this one is new
    automaton = Automaton(regex('"[^"\\\\]{0,80000}"').network())
    path = automaton.advance(automaton.start, b'"' + b"a" * 80_000)
    assert path[-1] > 0
    assert automaton.statistics()["configurations"] > 80_000
    width = 4 * automaton.arena.transitions.shape[1]
    of_transitions = [length for length in counted if length % width == 0 and length // width > 4_096]
    assert len(of_transitions) == 1, "the arena asks for pages; growth moves them"
    assert len(automaton.arena.transitions) * width > of_transitions[0]
