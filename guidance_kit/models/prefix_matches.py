"""Known sequences of tokens that share most with others."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["common_length", "longest_matches"]


def common_length(first: Sequence[int], second: Sequence[int]) -> int:
    """Number of leading tokens that two sequences have in common.

    >>> common_length([1, 2, 3, 4], [1, 2, 5])
    2
    """
    low, high = 0, min(len(first), len(second))
    if first[:high] == second[:high]:
        return high
    while high - low > 1:  # equal up to low, not up to high; comparing slices runs in C
        middle = (low + high) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle
    return low


def longest_matches(
    prefixes: Sequence[list[int]],
    known: Sequence[list[int]],
    kinds: Sequence[object] = (),
    known_kinds: Sequence[object] = (),
) -> tuple[list[int], list[int]]:
    """For each prefix the known sequence of its kind that shares most with it, and how much.

    What equals a whole prefix but its last token is good enough: that token has to be computed anyway.

    Args:
        kinds, known_kinds: one for each of `prefixes` and `known`; empty if they are all of one kind.

    >>> longest_matches([[1, 2, 3], [4, 5], [1, 9]], [[1, 2], [4]])
    ([0, 1, 0], [2, 1, 1])
    >>> longest_matches([[1, 2, 3], [1, 2, 3]], [[1, 2], [1, 2, 3]], ["a", "b"], ["a", "a"])
    ([0, 0], [2, 0])
    """
    parents, counts = [], []
    guess = 0  # rows that go on do so in order
    for number, prefix in enumerate(prefixes):
        parent, count = 0, 0
        for offset in range(len(known)):
            row = (guess + offset) % len(known)
            other = known[row]
            if kinds and kinds[number] != known_kinds[row]:
                continue
            if len(other) > count and other[count] == prefix[count]:
                shared = common_length(prefix, other)
                if shared > count:
                    parent, count = row, shared
                if count >= len(prefix) - 1:
                    break
        guess = parent + 1
        parents.append(parent)
        counts.append(count)
    return parents, counts
