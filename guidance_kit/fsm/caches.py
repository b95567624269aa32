"""Process-wide caches: one object that lists them, bounds their memory, counts their use and empties them."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Protocol, TypeVar

__all__ = ["BoundedCache", "Cache", "CacheStatistics", "Caches", "ForkSafeLock", "caches", "in_child"]

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")
_AnyCache = TypeVar("_AnyCache", bound="Cache")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStatistics:
    """Size and use of a cache.

    Attributes:
        entries: number of values.
        bytes: their size.
        bound: greatest size of all values together, bytes; None for a cache that is bounded by entries alone.
        hits, misses, evictions: since the process began; None where they are not counted.
    """

    entries: int
    bytes: int
    bound: int | None
    hits: int | None = None
    misses: int | None = None
    evictions: int | None = None


class Cache(Protocol):
    """Cache of a process."""

    def statistics(self) -> CacheStatistics:
        """Size and use."""
        ...

    def clear(self) -> None:
        """Drop all values; those in use stay with their users."""
        ...

    def set_bound(self, most_bytes: int) -> None:
        """Set the greatest size of all values together, in bytes, and drop those beyond it."""
        ...


_READ_AT_ONCE = 4
"""Sizes of values that are read again when one is added."""


class BoundedCache(Generic[_Key, _Value]):
    """LRU cache bounded by entries and bytes; it keeps at least the most recently used value.

    The cache may be used by several threads: of two values that are made at the same time for one key, one is kept.

    Args:
        most: greatest number of values.
        most_bytes: greatest size of all values together.
        size_of: bytes of a value. Values may grow while they are used; whenever one is added, the sizes of a few others
            are read again, in turn.
        is_spent: whether to replace a cached value by a new one.
        has_fixed_sizes: values do not grow, so their sizes are read once.
    """

    def __init__(
        self,
        most: int,
        most_bytes: int,
        size_of: Callable[[_Value], int],
        is_spent: Callable[[_Value], bool] = lambda value: False,
        *,
        has_fixed_sizes: bool = False,
    ) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._size_of = size_of
        self._is_spent = is_spent
        self._has_fixed_sizes = has_fixed_sizes
        self._values: OrderedDict[_Key, _Value] = OrderedDict()
        self._sizes: OrderedDict[_Key, int] = OrderedDict()  # as they were read last, the longest ago first
        self._bytes = 0  # their sum
        self._lock = ForkSafeLock()
        self._hits = self._misses = self._evictions = 0

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[_Key]:
        """Keys, the least recently used one first."""
        return iter(list(self._values))

    def find(self, key: _Key) -> _Value | None:
        """Cached value of a key; None if it is missing."""
        with self._lock:
            found = self._values.get(key)
            if found is not None and self._is_spent(found):
                self._drop(key)
                found = None
            if found is None:
                self._misses += 1
                return None
            self._hits += 1
            self._values.move_to_end(key)
            return found

    def add(self, key: _Key, value: _Value) -> _Value:
        """Keep a value, unless there is one of the key already; return the one that is kept."""
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._read_size(key)
            value = self._values[key]
            self._read_sizes(_READ_AT_ONCE)
            self._evict()
        return value

    def get(self, key: _Key, make: Callable[[], _Value]) -> _Value:
        """Cached value of a key; made if it is missing."""
        found = self.find(key)
        return self.add(key, make()) if found is None else found

    def statistics(self) -> CacheStatistics:
        """See `Cache.statistics`."""
        with self._lock:
            self._read_sizes(len(self))
            return CacheStatistics(
                entries=len(self._values),
                bytes=self._bytes,
                bound=self._most_bytes,
                hits=self._hits,
                misses=self._misses,
                evictions=self._evictions,
            )

    def clear(self) -> None:
        """See `Cache.clear`."""
        with self._lock:
            self._sizes.clear()
            self._bytes = 0
            self._values.clear()

    def set_bound(self, most_bytes: int) -> None:
        """See `Cache.set_bound`."""
        with self._lock:
            self._most_bytes = most_bytes
            self._read_sizes(len(self))
            self._evict()

    def _evict(self) -> None:
        """Drop the least recently used values beyond the bounds."""
        while len(self._values) > 1 and (len(self._values) > self._most or self._bytes > self._most_bytes):
            self._drop(next(iter(self._values)))
            self._evictions += 1

    def _read_sizes(self, count: int) -> None:
        """Read the sizes that were read the longest ago once more."""
        if not self._has_fixed_sizes:
            for key in list(islice(self._sizes, count)):
                self._read_size(key)

    def _read_size(self, key: _Key) -> None:
        size = self._size_of(self._values[key])
        self._bytes += size - self._sizes.get(key, 0)
        self._sizes[key] = size
        self._sizes.move_to_end(key)

    def _drop(self, key: _Key) -> None:
        """Remove a value."""
        self._bytes -= self._sizes.pop(key, 0)
        del self._values[key]


_SHARES = {
    "masks": 192,
    "indexes": 96,
    "grammars": 16,
    "automata": 32,
    "fragments": 16,
    "languages": 8,
    "bounded languages": 8,
    "position sets": 8,
    "vocabularies": 136,
}
"""Shares of the caches in the memory of all, MiB by default."""

_DEFAULT = sum(_SHARES.values()) * 2**20


class Caches:
    """All process-wide caches of compiled constraints, within one bound.

    | name | values |
    |---|---|
    | `masks` | masks of all indexes, in blocks |
    | `indexes` | compiled constraints, by constraint and vocabulary |
    | `grammars` | context-free grammars, by their text |
    | `automata` | automata of constraints that parse texts |
    | `fragments` | rules that many networks share |
    | `languages` | automata of patterns, which answer whether a string or key belongs to one |
    | `bounded languages` | automata of conjunctions of patterns and a maximal length |
    | `position sets` | automata of patterns that are combined with other conditions |
    | `vocabularies` | token tries, by vocabulary |
    | `arenas` | memory of automata that are gone, for the next ones; bounded by entries |
    | `grammar files` | context-free grammars on disk, of all processes; `limit` and `clear` leave them as they are |

    A cache is listed once the part of the library that uses it has been imported. Caches of values that need little
    memory, as those of parsed patterns, are not listed; they are bounded by entries.
    """

    def __init__(self) -> None:
        self._caches: dict[str, Cache] = {}
        self._limit = _DEFAULT

    def register(self, name: str, cache: _AnyCache) -> _AnyCache:
        """List a cache, and give it its share of the memory."""
        self._caches[name] = cache
        self._share_out(name)
        return cache

    def limit(self, most_bytes: int | None = None) -> int:
        """Bytes that all caches together may keep; 512 MiB by default. Each cache has a fixed share.

        Args:
            most_bytes: the new bound, at least 0; None leaves it as it is. Values beyond it are dropped, but each cache
                may keep its most recently used one.
        Raises:
            ValueError: a negative bound.
        """
        if most_bytes is not None:
            if most_bytes < 0:
                raise ValueError(f"a bound of {most_bytes} bytes; it must be at least 0")
            self._limit = most_bytes
            for name in self._caches:
                self._share_out(name)
        return self._limit

    def statistics(self) -> dict[str, CacheStatistics]:
        """Size and use of each cache, by name."""
        return {name: cache.statistics() for name, cache in sorted(self._caches.items())}

    def clear(self, *names: str) -> None:
        """Empty caches. Compiled constraints in use keep what they have, but for their masks.

        Args:
            names: of the caches to empty; all without any.
        Raises:
            ValueError: a cache is not listed.
        """
        if unknown := [name for name in names if name not in self._caches]:
            raise ValueError(f"no cache {unknown[0]!r}; there are {', '.join(sorted(self._caches))}")
        for name in sorted(names or self._caches, key="arenas".__eq__):  # last: dropped automata leave theirs
            self._caches[name].clear()

    def _share_out(self, name: str) -> None:
        if name in _SHARES:
            self._caches[name].set_bound(self._limit * _SHARES[name] // sum(_SHARES.values()))


caches = Caches()
"""The caches of this process."""
