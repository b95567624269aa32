"""Keys of one object, found by their beginnings."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Generic, TypeVar
from weakref import ref

from guidance_kit.fsm.caches import ForkSafeLock

__all__ = ["FirstKeys", "SortedKeys"]

_Value = TypeVar("_Value")

_LAST = "\U0010ffff"


class SortedKeys(Generic[_Value]):
    """Keys in the order in which they were written, and sorted, each with a value, which refers to them.

    Texts that begin alike share them: each looks at the `FirstKeys`, whose values it keeps. Several threads may do so.
    """

    def __init__(self) -> None:
        self.lock = ForkSafeLock()
        self.numbers: dict[str, int] = {}
        self.values: list[ref[_Value]] = []
        self.sorted: list[str] = []

    def append(self, number: int, key: str, value: _Value) -> bool:
        """Add a new key as that of a number, from 1 on; False if another text has added one of that number."""
        with self.lock:
            if len(self.values) != number - 1:
                return False
            if len(self.numbers) >= number:  # in a forked process: a thread that is gone had not ended
                self.numbers = {known: place for known, place in self.numbers.items() if place < number}
                self.sorted = sorted(self.numbers)
            self.numbers[key] = number
            insort(self.sorted, key)
            self.values.append(ref(value))  # last, so that the key counts when all is done
            return True

    def value(self, number: int) -> _Value:
        """Value of the key of a number, which the asking text keeps."""
        found = self.values[number - 1]()
        assert found is not None
        return found


class FirstKeys(Generic[_Value]):
    """The first `most` of some keys."""

    __slots__ = ("_keys", "_most")

    def __init__(self, keys: SortedKeys[_Value], most: int) -> None:
        self._keys = keys
        self._most = most

    def copied(self) -> SortedKeys[_Value]:
        """The same keys, to which others can be added."""
        found = SortedKeys[_Value]()
        with self._keys.lock:
            found.numbers = {key: number for key, number in self._keys.numbers.items() if number <= self._most}
            found.values = self._keys.values[: self._most]
        found.sorted = sorted(found.numbers)
        return found

    def __contains__(self, key: str) -> bool:
        return self._keys.numbers.get(key, self._most + 1) <= self._most

    def beginning_with(self, prefix: str) -> list[tuple[str, _Value]]:
        """Keys that begin with a text, in order, with their values."""
        keys = self._keys
        with keys.lock:
            first, end = self._interval(prefix)
            numbered = [(key, keys.numbers[key]) for key in keys.sorted[first:end]]
        return [(key, keys.value(number)) for key, number in numbered if number <= self._most]

    def most_beginning_with(self, prefix: str) -> int:
        """A number than which no more keys begin with a text."""
        with self._keys.lock:
            first, end = self._interval(prefix)
        return end - first

    def _interval(self, prefix: str) -> tuple[int, int]:
        ordered = self._keys.sorted
        first, shorter = bisect_left(ordered, prefix), prefix.rstrip(_LAST)
        if not shorter:  # all keys that come later begin so
            return first, len(ordered)
        return first, bisect_left(ordered, shorter[:-1] + chr(ord(shorter[-1]) + 1), first)
