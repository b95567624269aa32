"""Order of the rows of a search in which few of them move."""

from __future__ import annotations

from collections.abc import Sequence

from guidance_kit.decoding.row import Row

__all__ = ["in_kept_places"]


def in_kept_places(forks: Sequence[Row], first: int) -> list[int]:
    """Order of forks of neighbouring rows in which the first fork of each row takes its place.

    A cache of keys and values then copies the other forks alone.

    Args:
        forks: forks of the rows `first`, `first + 1`, ... of a walk, each row any number of times.
        first: index of the first of those rows.
    Returns:
        Numbers of the forks in their new order.
    """
    order: list[int | None] = [None] * len(forks)
    others: list[int] = []
    for number, fork in enumerate(forks):
        place = fork.index - first
        if place < len(order) and order[place] is None:
            order[place] = number
        else:
            others.append(number)
    rest = iter(others)
    return [next(rest) if number is None else number for number in order]
