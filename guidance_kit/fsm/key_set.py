"""Key sets: the keys of a rule that come in any order, each at most once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["MOST_KEYS", "KeySet"]

MOST_KEYS = 32_767
"""Keys of one rule: edges have the bounds of an interval of them in one int32."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySet:
    """The keys of a keyed rule, numbered from 0, see `Network.keyed`.

    Attributes:
        count: number of keys, 1 to MOST_KEYS.
        required: bit i if the i-th key has to be taken.
        in_order: number of a rule with some of the shortest texts of the keyed rule; None if no key is required.
        write_plainly: writes a rule of the same texts without a key set, and returns its start.
    """

    count: int
    required: int
    in_order: int | None
    write_plainly: Callable[[], int]

    @property
    def all(self) -> int:
        """Bits of all keys."""
        return (1 << self.count) - 1

    @property
    def words(self) -> int:
        """Number of words of 64 bits."""
        return -(-self.count // 64)

    def full(self) -> list[int]:
        """The words of all keys, and then those of the required ones, as int64."""
        members = self.all | self.required << 64 * self.words
        return np.frombuffer(members.to_bytes(16 * self.words, "little"), dtype="<i8").tolist()
