"""Locks that are free in forked processes."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from forked import holds_in_child

from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.caches import ForkSafeLock
from guidance_kit.grammars.regex import regex

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


SOON, EVER = 0.2, 60
"""Seconds after which a lock that is not taken counts as held, and as never free."""


def can_take(lock: ForkSafeLock, seconds: float) -> bool:
    """Whether another thread can take the lock within so many seconds."""

    def take() -> None:
        with lock:
            taken.set()

    taken = threading.Event()
    threading.Thread(target=take, daemon=True).start()
    return taken.wait(seconds)


@contextmanager
def held_elsewhere(lock: ForkSafeLock) -> Iterator[None]:
    """Another thread holds the lock meanwhile."""

    def hold() -> None:
        with lock:
            held.set()
            release.wait(EVER)

    held, release = threading.Event(), threading.Event()
    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(EVER)
    try:
        yield
    finally:
        release.set()
        thread.join()


def test_one_thread_at_a_time():
    lock = ForkSafeLock()
    with held_elsewhere(lock):
        assert not can_take(lock, SOON)
    assert can_take(lock, EVER)


def test_a_thread_may_take_it_again():
    lock = ForkSafeLock()
    with lock:
        with lock:
            pass
        assert not can_take(lock, SOON)
    assert can_take(lock, EVER)


def test_an_error_releases_it():
    lock = ForkSafeLock()
    with pytest.raises(KeyError), lock:
        raise KeyError
    assert can_take(lock, EVER)


@forks
def test_it_is_free_in_a_child_though_another_thread_held_it():
    lock = ForkSafeLock()

    def works() -> bool:
        with lock:
            is_exclusive = not can_take(lock, SOON)
        return is_exclusive and can_take(lock, EVER)

    with held_elsewhere(lock):
        assert holds_in_child(works)
        assert not can_take(lock, SOON)  # in the parent nothing changed


@forks
def test_a_thread_may_fork_while_it_holds_it():
    lock = ForkSafeLock()
    lock.__enter__()  # not by `with`, as it is left twice: in the child, too

    def works() -> bool:
        lock.__exit__()
        return can_take(lock, EVER)

    assert holds_in_child(works)
    assert not can_take(lock, SOON)
    lock.__exit__()
    assert can_take(lock, EVER)


def test_locks_are_not_kept_alive():
    lock = ForkSafeLock()
    reference = weakref.ref(lock)
    del lock
    gc.collect()
    assert reference() is None


@forks
def test_a_child_has_an_automaton_of_its_own():
    automaton = Automaton(regex("(ab|ba)*").network())
    assert holds_in_child(lambda: len(automaton.advance(automaton.start, b"abab")) == 4)
    for text in (b"baab", b"abba"):  # the configurations of the child are not those of the parent
        assert len(automaton.advance(automaton.start, text)) == 4
