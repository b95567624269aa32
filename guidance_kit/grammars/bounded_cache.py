"""LRU cache, bounded by entries and bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from guidance_kit.fsm.forks import ForkSafeLock

__all__ = ["BoundedCache"]

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class BoundedCache(Generic[_Key, _Value]):
    """LRU cache bounded by entries and bytes; it keeps at least the most recently used value.

    Values grow while they are used; their sizes are read when another one is added. The cache may be used by several
    threads: of two values that are made at the same time for one key, one is kept.

    Args:
        most: greatest number of values.
        most_bytes: greatest size of all values together.
        size_of: bytes of a value.
        is_spent: whether to replace a cached value by a new one.
    """

    def __init__(
        self,
        most: int,
        most_bytes: int,
        size_of: Callable[[_Value], int],
        is_spent: Callable[[_Value], bool] = lambda value: False,
    ) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._size_of = size_of
        self._is_spent = is_spent
        self._values: OrderedDict[_Key, _Value] = OrderedDict()
        self._lock = ForkSafeLock()

    def get(self, key: _Key, make: Callable[[], _Value]) -> _Value:
        """Cached value of a key; made if it is missing."""
        with self._lock:
            found = self._values.get(key)
            if found is not None and self._is_spent(found):
                del self._values[key]
            elif found is not None:
                self._values.move_to_end(key)
                return found
        value = make()
        with self._lock:
            value = self._values.setdefault(key, value)
            size = sum(map(self._size_of, self._values.values()))
            while len(self._values) > 1 and (len(self._values) > self._most or size > self._most_bytes):
                size -= self._size_of(self._values.popitem(last=False)[1])
        return value
