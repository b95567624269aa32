"""Locks in forked processes: one that another thread of the parent held would never be released."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable

__all__ = ["ForkSafeLock", "in_child"]


def in_child(renew: Callable[[], None]) -> None:
    """Have `renew` called in every process that is forked from this one."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=renew)


class ForkSafeLock:
    """A reentrant lock, taken by `with`, that is free in a forked process, whatever other threads were doing.

    What it guards must be usable at any moment, as the thread that was at work on it is not there to finish.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held: list[threading.RLock] = []  # what to release: a thread may fork between the two ends of a `with`
        _LOCKS.add(self)

    def __enter__(self) -> None:
        lock = self._lock
        lock.acquire()
        self._held.append(lock)

    def __exit__(self, *_: object) -> None:
        self._held.pop().release()

    def renew(self) -> None:
        """Be free, though another thread, which is gone, may have held it."""
        self._lock = threading.RLock()


_LOCKS: weakref.WeakSet[ForkSafeLock] = weakref.WeakSet()


def _renew_all() -> None:
    for lock in _LOCKS:
        lock.renew()


in_child(_renew_all)
